"""Drawn items without a settled label that keep the labels of later draws from counting.

Only the labelled prefix in draw order counts, so one undecided early item holds up everything
after it. What holds the work up is said before anything else, and settling it is the next step.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass

from assaymark.claims.record import Record
from assaymark.claims.results import counted
from assaymark.hints import command, switch
from assaymark.ledger.events import State, SurveyWork

NAMED = 3
NEW_ITEMS = "New items will not count either until then."


@dataclass(frozen=True, kw_only=True)
class Blocking(Record):
    """Items in draw order that have no settled label although later ones do.

    `disputed` are those on which reviewers differ, `unlabelled` those without an answer; `waiting`
    labels do not count until they are settled.
    """

    disputed: tuple[str, ...]
    unlabelled: tuple[str, ...]
    waiting: int

    @property
    def items(self) -> tuple[str, ...]:
        """All of them."""
        return (*self.disputed, *self.unlabelled)

    @property
    def sentence(self) -> str:
        """What does not count, because of which items."""
        verb = "does" if self.waiting == 1 else "do"
        return f"{counted(self.waiting, 'label')} {verb} not count yet because {self._reason}."

    @property
    def _reason(self) -> str:
        parts = []
        if self.disputed:
            parts.append(
                f"{_named(self.disputed)} {_verb(self.disputed)} undecided (reviewers differ)"
            )
        if self.unlabelled:
            have = "has" if len(self.unlabelled) == 1 else "have"
            parts.append(f"{_named(self.unlabelled)} {have} no label")
        return " and ".join(parts)

    @property
    def remedy(self) -> str:
        """How to settle them, with marks of commands."""
        verb = "decide" if self.disputed else "label"
        return f"{verb} {_them(self.items)}: {command('draw', pending=True)}"

    @property
    def last_resort(self) -> str | None:
        """What can be done about items whose reviewer is away, and what that costs."""
        if not self.unlabelled:
            return None
        return (
            f"If nobody will label {_them(self.unlabelled)}, count {_them(self.unlabelled)} as cannot "
            f"tell ({command('label', overdue=14)}): that is counted against the claim."
        )


def blocking_items(state: State) -> Blocking | None:
    """What holds up the open plan or claim of several parts; None where nothing does."""
    claim = open_claim(state)
    if claim is not None:
        return _held_up(state, claim.order)
    attempt = state.attempt
    if attempt is None or not attempt.open:
        return None
    return _held_up(state, attempt.order, known=attempt.answered)


def open_claim(state: State) -> SurveyWork | None:
    """The claim of several parts that is worked on; None where it is closed or a plan came later."""
    works = [work for work in state.surveys if work.survey.purpose == "claim"]
    attempt = state.attempt
    if not works or (attempt is not None and attempt.sealed_at > works[-1].opened_at):
        return None
    return None if works[-1].concluded else works[-1]


def _held_up(
    state: State, order: Sequence[str], *, known: Set[str] = frozenset()
) -> Blocking | None:
    """Open items with settled ones after them, in draw order; `known` labels wait for nobody."""
    counting = len(state.settled(order))
    before = set(order[:counting])
    # far more is drawn than labelled, so what came later is looked for among the answers
    if before.issuperset(state.answers) and before.issuperset(state.decided):
        return None
    places = {item: place for place, item in enumerate(order[counting:])}
    labelled = {item for item in places if state.labelled(item)}
    settled = labelled - known  # labels from before the seal wait for nobody
    if not settled:
        return None
    last = max(places[item] for item in settled)
    open_items = [item for item in places if item not in labelled and places[item] < last]
    return Blocking(
        disputed=tuple(item for item in open_items if state.disputed(item)),
        unlabelled=tuple(item for item in open_items if not state.disputed(item)),
        waiting=len(settled),
    )


def draw_warning(blocking: Blocking) -> str:
    """What to say to somebody who draws more while items hold up the work."""
    return f"{blocking.sentence} {NEW_ITEMS} First {blocking.remedy}."


def draw_question(blocking: Blocking) -> str:
    """The same, to somebody who can say that it is meant."""
    return f"{draw_warning(blocking)} To draw anyway, add {switch('anyway')}."


def _named(items: tuple[str, ...]) -> str:
    shown = ", ".join(items[:NAMED])
    if len(items) == 1:
        return f"item {shown}"
    return f"{len(items):,} items ({shown}{', …' if len(items) > NAMED else ''})"


def _verb(items: tuple[str, ...]) -> str:
    return "is" if len(items) == 1 else "are"


def _them(items: tuple[str, ...]) -> str:
    return "it" if len(items) == 1 else "them"
