"""The verdict on the latest plan and what it depends on, worked out once for everything shown."""

from contextlib import suppress
from dataclasses import dataclass

from assaymark.certification.modes import Prefix, at_present, judge, labelled_prefix
from assaymark.certification.view.card import card_of
from assaymark.certification.view.dossier import Answer, CardNumber
from assaymark.certification.view.sensitivity import sensitivity_of
from assaymark.claims.results import Verdict
from assaymark.errors import PlanError
from assaymark.ledger.events import Attempt, State
from assaymark.records.agreement import Sensitivity


@dataclass(frozen=True, kw_only=True)
class Basis:
    """The latest plan, its labelled prefix, and the verdict where there is one to be had."""

    attempt: Attempt
    prefix: Prefix
    verdict: Verdict | None

    def sensitivity(self) -> Sensitivity | None:
        """What wrong labels would do to the verdict: many verdicts' work, so it may come later."""
        return sensitivity_of(self.attempt, self.prefix, self.verdict)

    def card(self, state: State, answer: Answer) -> tuple[CardNumber, ...]:
        """The four numbers: a walk of all labels for each, unless one was made before."""
        reason = None if self.verdict is not None else answer.sentence
        return card_of(state, self.attempt, self.prefix, self.verdict, reason=reason)


def basis_of(state: State, attempt: Attempt) -> Basis:
    """The verdict on the latest plan, and what it depends on."""
    attempt = present(state, attempt)
    return Basis(
        attempt=attempt,
        prefix=labelled_prefix(state, attempt),
        verdict=_verdict(state, attempt),
    )


def present(state: State, attempt: Attempt) -> Attempt:
    """The attempt at the level that is left now; one that is superseded as it was sealed."""
    with suppress(PlanError):
        return at_present(state, attempt)
    return attempt


def _verdict(state: State, attempt: Attempt) -> Verdict | None:
    """The verdict, or None where there is none to be had: too early, or given up."""
    if attempt.outcome == "abandoned":
        return None
    try:
        return judge(state, attempt)
    except PlanError:
        return None
