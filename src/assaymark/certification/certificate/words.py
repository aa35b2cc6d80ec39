"""What a certificate says in words, how it came about included: rendered from its facts."""

import re

from assaymark.certification.modes import mode_of
from assaymark.certification.modes.tallies import counts_of_tallies
from assaymark.certification.modes.words import CENSUS, census_sentence, sentence
from assaymark.claims.ratio_metrics import metric
from assaymark.claims.results import Estimate, Interval, counted, percent
from assaymark.ledger.events import population_words
from assaymark.records.certificate import Certificate, EarlierAttempt
from assaymark.records.plan import FAMILY, Plan
from assaymark.records.seeds import source_in_words


def estimate_of(certificate: Certificate) -> Estimate:
    """The estimate behind the certificate, as it was when it was issued."""
    plan, row, census = certificate.plan, certificate.rows[0], certificate.census
    counts = counts_of_tallies(plan.claim, certificate.tallies, certificate.pool.predictions)
    ratio = metric(plan.claim.metric)
    guided = plan.kind.guided
    drawn = counted(len(plan.strata), "stratum", "strata") if guided else plan.design
    return Estimate(
        metric=ratio.name,
        title=ratio.title,
        point=ratio.value(counts.cells) if census or not guided else None,
        interval=Interval(
            low=row.low,
            high=row.high,
            confidence=plan.confidence,
            side="both" if census else plan.claim.side,
            method="census" if census else plan.bound,
            guaranteed=True,
        ),
        labels=certificate.labels,
        draws=certificate.draws,
        design="census" if census else drawn,
        counts=counts,
        assumptions=CENSUS if census else mode_of(plan).assumptions_of(certificate.changed or 0),
    )


def account_words(plan: Plan) -> str | None:
    """Which plan on its claim this is, and what the confidence covers; None for a first plan."""
    stake = plan.stake
    if not stake.earlier and plan.stake.risk is None:
        return None
    number = len(stake.earlier) + 1
    if stake.account == FAMILY and stake.risk is None:
        sure = percent(plan.confidence)
        return f"Plan {number} of one family of claims; the {sure} covers all of them together"
    if stake.risk is not None:
        return (
            f"Plan {number} in a further risk account of this claim; the "
            f"{percent(plan.confidence)} covers all accounts and all their plans together"
        )
    return (
        f"Plan {number} on this claim; the {percent(plan.confidence)} covers all of them together"
    )


def known_words(plan: Plan) -> str | None:
    """What labels known before the seal do; None where there are none."""
    known = plan.known
    if known is None:
        return None
    labels = counted(known.items, "label")
    if known.strata is not None:
        return f"{labels} before the seal, counted as certain; draws come from the other items"
    return (
        f"{labels} before the seal; draws come from the whole collection, and these labels cost "
        "nothing more"
    )


def statement_of(certificate: Certificate) -> str:
    """What is certified, in one sentence."""
    words = census_sentence if certificate.census else sentence
    estimate = estimate_of(certificate)
    if certificate.bound is not None:
        word = "at least" if certificate.claim.side == "lower" else "at most"
        return (
            f"{estimate.title} {word} {certificate.bound} with {percent(certificate.plan.confidence)} "
            f"confidence: the bound as it stood after {estimate.labels:,} labels; the claim was {word} "
            f"{certificate.plan.claim.target:g}."
        )
    return words(certificate.plan.claim, estimate, certificate.rows[0].decision)


def population_in_words(certificate: Certificate) -> str | None:
    """What the claim is about, where its classifier was trained in the project."""
    if certificate.population is None:
        return None
    return population_words(certificate.population, certificate.plan.claim)


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
