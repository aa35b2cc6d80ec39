"""Items whose reviewer is away: who waits for how long, and counting them as "cannot tell"."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from assaymark.claims.record import Record
from assaymark.claims.results import counted
from assaymark.errors import InputError, PlanError
from assaymark.hints import command, option
from assaymark.labelling.blocking import open_claim
from assaymark.ledger.events import (
    BatchDrawn,
    Entry,
    LabelRecorded,
    ReviewDrawn,
    State,
    SurveyDrawn,
    review_of,
)
from assaymark.project.folder import Project, open_attempt


def in_days(days: float) -> str:
    """A time in words: "1 day", "1.5 days"."""
    return f"{days:g} day" if days == 1 else f"{days:g} days"


AGAINST = "counted against the claim"
NOT_FOUND = "treated as relevant and not found"


def effect_of(state: State) -> str:
    """What an item that nobody could tell means for the result of the project."""
    return AGAINST if review_of(state) is None else NOT_FOUND


@dataclass(frozen=True, kw_only=True)
class Overdue(Record):
    """Drawn items without any answer for at least this many days, longest first.

    `undecided` items have answers that differ: those need a decision, and no time settles them.
    `effect` is what counting one as "cannot tell" means for the result.
    """

    days: float
    items: tuple[str, ...]
    undecided: int
    effect: str = AGAINST

    @property
    def cost(self) -> str:
        """What counting them as "cannot tell" does to the claim."""
        each = "it is" if len(self.items) == 1 else "each is"
        return (
            f"{counted(len(self.items), 'item')} without an answer for {in_days(self.days)} or more. "
            f"Counted as cannot tell, {each} {self.effect}, whatever it is in truth; a label given later is "
            "a correction."
        )


def overdue(project: Project, days: float) -> Overdue:
    """Items of what is open that were handed out so long ago and have no answer. Records nothing."""
    if not 0 <= days < 36500:
        raise InputError(f"{option('overdue')} is a number of days, got {days:g}.")
    return _overdue(project.state(), project.ledger.entries(), days, project.now())


def _overdue(state: State, entries: Sequence[Entry], days: float, now: str) -> Overdue:
    drawn = _drawn_at(state, entries)
    late = [
        item
        for item in drawn
        if item not in state.answers
        and item not in state.decided
        and _days(drawn[item], now) >= days
    ]
    return Overdue(
        days=days,
        items=tuple(late),
        undecided=sum(state.disputed(item) for item in drawn),
        effect=effect_of(state),
    )


def _drawn_at(state: State, entries: Sequence[Entry]) -> dict[str, str]:
    """The items of the review, the open claim of several parts or the open plan, and when each was drawn."""
    claim, review = open_claim(state), review_of(state)
    attempt = None if claim is not None or review is not None else open_attempt(state)
    drawn: dict[str, str] = {}
    for entry in entries:
        event = entry.event
        items: list[str] = []
        if attempt is not None and isinstance(event, BatchDrawn):
            items = [draw.id for draw in event.draws if event.plan == attempt.plan.number]
        elif claim is not None and isinstance(event, SurveyDrawn):
            items = [one.id for one in event.items if event.survey == claim.survey.number]
        elif isinstance(event, ReviewDrawn):
            items = list(event.items)
        for item in items:
            drawn.setdefault(item, entry.time)
    return drawn


def count_as_unclear(project: Project, days: float, *, annotator: str) -> Overdue:
    """Record "cannot tell" for these items, in the name of whoever decides that."""
    if not annotator.strip():
        raise InputError(f"Say who decides this: {option('annotator', 'NAME')}.")
    entries = project.ledger.entries()
    with project.writing() as session:
        overdue = _overdue(session.state, entries, days, project.now())
        if not overdue.items:
            raise PlanError(f"{_none_late(days)}{_to_decide(overdue.undecided)}")
        session.record(
            *(LabelRecorded(item=i, value=None, annotator=annotator.strip()) for i in overdue.items)
        )
    return overdue


def _none_late(days: float) -> str:
    """That no item waits for its reviewer."""
    since = f" for {in_days(days)}" if days else ""
    return f"No drawn item has been without an answer{since}."


def _to_decide(number: int) -> str:
    """What to do about items on which reviewers differ: no time settles those."""
    if not number:
        return ""
    verb, them = ("waits", "it") if number == 1 else ("wait", "them")
    return (
        f" {counted(number, 'item')} on which reviewers differ {verb} for a decision; to decide {them}: "
        f"{command('draw', pending=True)}."
    )


def _days(earlier: str, later: str) -> float:
    return (datetime.fromisoformat(later) - datetime.fromisoformat(earlier)).total_seconds() / 86400
