"""The claims of several rows of a project, as they follow from its events."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Generic, TypeVar

from assaymark.claims.canonical import digest
from assaymark.composite.look_facts import LookFacts, read_look
from assaymark.composite.sealed import PURPOSE, SealedClaim, read_settings
from assaymark.composite.wording import is_established
from assaymark.errors import InputError, PlanError, VerificationError
from assaymark.hints import command
from assaymark.ledger.events import State, SurveyWork
from assaymark.records.seeds import in_order, seed_from

F = TypeVar("F")


@dataclass(frozen=True, kw_only=True)
class Report(Generic[F]):
    """Facts that were recorded about a claim, with their number in the ledger and their time."""

    seq: int
    time: str
    facts: F


@dataclass(frozen=True, kw_only=True)
class ClaimWork:
    """A sealed claim and what happened under it."""

    survey: SurveyWork

    @cached_property
    def sealed(self) -> SealedClaim:
        """The claim as it was sealed."""
        return read_settings(self.survey.survey.settings)

    @property
    def number(self) -> int:
        """The number of its survey."""
        return self.survey.survey.number

    @cached_property
    def seed(self) -> str:
        """What decides every draw; empty until it is revealed, where it is drawn jointly."""
        source, reveals = self.sealed.source, self.reports("seed")
        if source.law == "open" or not reveals:
            return self.survey.survey.seed
        seal = digest({"survey": self.number, "settings": self.survey.survey.settings})
        try:
            return seed_from(in_order(source, tuple(reveals[0].facts["parts"])), plan=seal)
        except (InputError, KeyError, TypeError, AttributeError) as error:
            raise VerificationError(
                "The parts of the seed do not fit the hashes that were sealed with the claim."
            ) from error

    def reports(self, event: str) -> list[Report[Any]]:
        """What was recorded of this kind, in order."""
        return [
            Report(seq=report.seq, time=report.time, facts=report.event.result)
            for report in self.survey.reports
            if report.event.result.get("event") == event
        ]

    @property
    def last_look(self) -> Report[LookFacts] | None:
        """The latest recorded look; the others are not read, for a claim may have hundreds."""
        looks = self.reports("look")
        return replace(looks[-1], facts=read_look(looks[-1].facts)) if looks else None

    @property
    def open(self) -> bool:
        """Whether the claim is neither certified, nor failed, nor abandoned."""
        return not self.survey.concluded

    def is_over(self, state: State) -> bool:
        """Whether it is closed, and no label came after its certificate."""
        issued = self.reports("certificate")
        return not self.open and not (issued and state.labels_at > issued[-1].seq)

    def look_is_due(self, state: State) -> bool:
        """Whether labels changed since the open claim was last looked at."""
        looks = self.reports("look")
        last_look = looks[-1].seq if looks else self.survey.opened_at
        return self.open and bool(self.survey.order) and state.labels_at > last_look

    @property
    def can_draw(self) -> bool:
        """Whether items are left to hand out."""
        going = (self.open or self.sealed.kind == "cut-off") and bool(self.seed)
        return going and len(self.survey.order) < self.sealed.most

    @property
    def established(self) -> bool:
        """Whether the latest recorded look established something."""
        look = self.last_look
        return look is not None and is_established(look.facts)

    @property
    def strata(self) -> list[int]:
        """The strata of the draws, in order."""
        return [self.survey.cells[item] for item in self.survey.order]


def claim_works(state: State) -> list[ClaimWork]:
    """All claims of several rows sealed in the project, in order."""
    return [ClaimWork(survey=w) for w in state.surveys if w.survey.purpose == PURPOSE]


def current_claim(state: State) -> ClaimWork | None:
    """The claim that commands are about: the latest, unless a plan was sealed after it."""
    if not any(w.survey.purpose == PURPOSE for w in state.surveys):
        return None
    work = claim_works(state)[-1]
    later = state.attempt is not None and state.attempt.sealed_at > work.survey.opened_at
    return None if later or work.reports("abandoned") else work


def required_claim(state: State) -> ClaimWork:
    """The current claim; refused where there is none."""
    work = current_claim(state)
    if work is None:
        raise PlanError(
            "This project has no open comparison, cut-off or claim of several parts. Seal one: "
            f"{command('compare', '…')}"
        )
    return work
