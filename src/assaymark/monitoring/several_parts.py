"""Claim files of several parts, in every group, of classes or of two classifiers.

They are sealed as `plan` and `compare` seal such claims, and judged from the ledger alone.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assaymark.certification.verification import certificate_text
from assaymark.claims.language.grammar import is_simple, parse
from assaymark.claims.language.tree import Comparison, Gap, Within
from assaymark.composite.issuing import ClaimCertificate, certificate_facts, certificate_of
from assaymark.composite.look_facts import read_look
from assaymark.composite.looks import judge_claim
from assaymark.composite.planning.comparing import ComparisonRequest, draft_words
from assaymark.composite.planning.forecast import forecast_claim
from assaymark.composite.planning.sealing import Parts, Terms, draft_conjunction, ready, seal
from assaymark.composite.sealed import SealedClaim
from assaymark.composite.verification import check_ledger, check_look, check_on_record, read_facts
from assaymark.composite.wording import ending_of, statement
from assaymark.composite.work import ClaimWork, Report, claim_works
from assaymark.errors import InputError
from assaymark.ledger.events import ClaimLocked, Entry, State
from assaymark.monitoring.outcomes import DECIDED, Outcome
from assaymark.project.folder import Project
from assaymark.records.claim_terms import ClaimTerms
from assaymark.records.modes import mode_on_the_way
from assaymark.records.pool import RegisteredPool


@dataclass(frozen=True, kw_only=True)
class Standing:
    """What the labels say of a claim of several parts."""

    outcome: Outcome
    labels: int
    labels_expected: int | None = None
    reason: str


def is_of_several(terms: ClaimTerms) -> bool:
    """Whether the claim is more than one figure of two verdicts against a number."""
    return bool(terms.pool.classes or terms.pool.tags or terms.pool.a) or not is_simple(
        parse(terms.claim)
    )


def refuse_terms(terms: ClaimTerms) -> None:
    """Refuse what a claim of several parts cannot be sealed with."""
    if terms.mode not in (None, mode_on_the_way(terms.budget)):
        raise InputError("A claim of several parts is judged whenever you look: leave out 'mode'.")
    tree = parse(terms.claim)
    if (tree.every or any(isinstance(p, Gap) for p in tree.parts)) and not terms.pool.group:
        raise InputError(
            f"'{tree}' is about groups: name their column as 'group' in the table [pool]."
        )
    compared = [p for p in tree.parts if isinstance(p, Comparison | Within)]
    if compared and terms.pool.a is None:
        raise InputError(
            f"'{compared[0]}' compares two classifiers: name the columns of their predictions as 'a' "
            "and 'b' in the table [pool]."
        )


def refuse_several(state: State) -> None:
    """Refuse to re-weight a certificate of several parts to a new mix of scores."""
    if any(work.reports("certificate") for work in claim_works(state)):
        raise InputError(
            "New scores are compared with a certificate of one figure, and this one is of several parts: "
            "each has strata and a bound of its own, which no single mix moves alike. Lock a claim file for "
            "the part that you want to watch, or start sentinels, which need labels."
        )


def seal_several(
    project: Project, terms: ClaimTerms, seed: str | None, locked: Callable[[int], ClaimLocked]
) -> None:
    """Seal the claim; its lock becomes durable together with it, or neither does."""
    wanted = Terms(confidence=terms.confidence, seed=seed, budget=terms.budget)
    with project.writing() as session:
        pool = ready(session.state, wanted)
        seal(project, session, _draft(project, pool, terms, wanted), pool, wanted)
        session.record(locked(len(session.state.surveys) + 1))


def _draft(project: Project, pool: RegisteredPool, terms: ClaimTerms, wanted: Terms) -> SealedClaim:
    named = terms.pool
    if named.a is None or named.b is None:
        parts = Parts(least_group=named.least_group or 0)
        return draft_conjunction(project, terms.claim, wanted, parts)
    request = ComparisonRequest(
        a=named.a,
        b=(named.b,),
        score_a=named.score_a,
        score_b=named.score_b,
        positive=named.positive,
        claim=terms.claim,
    )
    return draft_words(project, pool, request, wanted)


def expected_labels(sealed: SealedClaim) -> int | None:
    """Labels that the claim should need if the scores are right; None where they do not tell."""
    labels = forecast_claim(sealed).labels if sealed.is_scored else None
    return None if labels is None else labels.typical


def filed_certificate(path: Path, entries: list[Entry]) -> ClaimCertificate:
    """The certificate in this file, recomputed from the ledger."""
    facts = read_facts(certificate_text(path), [])
    check_ledger(entries, facts, [])
    check_on_record(entries, facts)
    return certificate_of(facts)


def latest_certificate(
    work: ClaimWork, filed: ClaimCertificate | None, entries: list[Entry]
) -> ClaimCertificate | None:
    """The latest certificate of the claim; None where none was issued."""
    issued = work.reports("certificate")
    if not issued:
        return None
    if filed is not None and filed.survey == work.number:
        return filed
    last = issued[-1]
    facts = certificate_facts(entries[: last.seq - 1], work.number, issued=last.time)
    check_ledger(entries, facts, [])
    return certificate_of(facts)


def refuse_other_end(work: ClaimWork, entries: list[Entry]) -> None:
    """Refuse the look at which the claim failed, unless it follows from the labels known then."""
    if failed := _failed(work):
        check_look(entries, failed[-1].seq)


def _failed(work: ClaimWork) -> list[Report[Any]]:
    return [look for look in work.reports("look") if look.facts["decision"] == "fail"]


def judge_several(state: State, work: ClaimWork, certificate: ClaimCertificate | None) -> Standing:
    """How the claim stands by its labels, whether or not anybody looked."""
    if certificate is not None:
        look = certificate.look
        return Standing(outcome="certified", labels=look.labels, reason=statement(look))
    failed = _failed(work)
    result = read_look(failed[-1].facts) if failed else judge_claim(state, work).look
    labels, reason = result.labels, statement(result)
    if result.decision == "fail":
        return Standing(outcome=DECIDED[ending_of(result)], labels=labels, reason=reason)
    if given_up := work.reports("abandoned"):
        why = str(given_up[-1].facts["reason"]).rstrip(".")
        reason = f"Its claim was given up ({why}): lock it again."
        return Standing(outcome="undecided", labels=labels, reason=reason)
    if result.decision == "pass":
        reason = f"{reason} No certificate is issued yet."
        return Standing(outcome="undecided", labels=labels, labels_expected=labels, reason=reason)
    expected = None if labels else expected_labels(work.sealed)
    return Standing(outcome="undecided", labels=labels, labels_expected=expected, reason=reason)
