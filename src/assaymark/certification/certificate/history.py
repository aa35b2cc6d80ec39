"""How a certificate came about: what a stranger asks before he believes it, from its own facts."""

import re

from assaymark.certification.certificate.words import known_words
from assaymark.claims.results import counted
from assaymark.records.certificate import Certificate, EarlierAttempt
from assaymark.records.plan import Plan
from assaymark.records.seeds import source_in_words

RANDOM_SEED = re.compile(r"[0-9a-f]{32}")


def history_of(certificate: Certificate) -> tuple[tuple[str, str], ...]:
    """Who labelled, looks, what was changed and when, the seed, and earlier plans: name and text."""
    return (
        ("labelled by", _people(certificate)),
        *_known(certificate),
        ("looks", _looks(certificate)),
        ("changed labels", _changes(certificate)),
        ("cannot tell", _skipped(certificate)),
        ("seed", _seed(certificate.plan)),
        ("earlier plans", _earlier(certificate.earlier)),
    )


def _people(certificate: Certificate) -> str:
    named = [f"{one.name} ({one.labels:,})" for one in certificate.annotators]
    shown = ", ".join(named[:8]) + (f" and {len(named) - 8} more" if len(named) > 8 else "")
    return shown or "nobody is named"


def _known(certificate: Certificate) -> tuple[tuple[str, str], ...]:
    """Labels that no draw of the plan bought; nothing where there are none."""
    words = known_words(certificate.plan)
    if words is None:
        return ()
    free = certificate.known
    return (("known", words if free is None else f"{words} ({counted(free, 'drawn item')})"),)


def _looks(certificate: Certificate) -> str:
    looks = certificate.looks
    if not looks:
        return "none is recorded"
    if len(looks) == 1:
        return f"1, at {counted(looks[0].labels, 'label')}"
    return f"{len(looks):,}, the first at {counted(looks[0].labels, 'label')}"


def _changes(certificate: Certificate) -> str:
    changes, looks = certificate.corrections, certificate.looks
    if not changes:
        return "none"
    first = looks[0].event if looks else None
    late = sum(first is not None and change.event > first for change in changes)
    decided = sum(change.kind == "LabelAdjudicated" for change in changes)
    corrected = counted(len(changes) - decided, "correction")
    text = f"{corrected}, {counted(decided, 'decision')} between reviewers"
    return f"{text}; {late:,} of them after somebody had looked at the verdict" if late else text


def _skipped(certificate: Certificate) -> str:
    number = len(certificate.skipped)
    return f"{counted(number, 'item')}, counted against the claim" if number else "none"


def _seed(plan: Plan) -> str:
    seed = plan.seed
    if plan.source.law != "open":
        return source_in_words(plan.source)
    if RANDOM_SEED.fullmatch(seed):
        return "128 bits, in the form that assaymark takes at random when no seed is given"
    return f"{seed[:40]!r}, chosen by hand; others could have been tried before"


def _earlier(earlier: tuple[EarlierAttempt, ...]) -> str:
    if not earlier:
        return "none on this collection in this project"
    plans = [
        f"plan {old.plan} ({old.claim}: {old.outcome}, {counted(old.draws, 'draw')})"
        for old in earlier
    ]
    return ", ".join(plans[:5]) + (f" and {len(plans) - 5} more" if len(plans) > 5 else "")
