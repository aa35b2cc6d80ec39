"""Events of labels: answers, corrections, decisions between annotators, knowledge."""

from dataclasses import dataclass
from typing import Literal

from assaymark.errors import VerificationError
from assaymark.ledger.events.chain import Entry
from assaymark.ledger.events.event import Answered, Event, register, stamped
from assaymark.ledger.events.state import State
from assaymark.ledger.events.training import is_frozen, trained_on
from assaymark.records.value import Value, binary


@dataclass(frozen=True, kw_only=True)
class LabelRecorded(Answered):
    """An annotator labelled an item: 1 relevant, 0 not, or a class, or a list of classes.

    No value: they could not tell.
    """

    value: Value | None = None

    @property
    def label(self) -> int | None:
        """The value where labels are 0 and 1."""
        return binary(self.value)


@dataclass(frozen=True, kw_only=True)
class LabelCorrected(Answered):
    """An annotator changed their own answer. A value that is left out stands for "cannot tell"."""

    before: Value | None = None
    after: Value | None = None

    @property
    def withdraws(self) -> bool:
        """Whether the item was relevant before and is not now."""
        return self.before == 1 and self.after != 1


@dataclass(frozen=True, kw_only=True)
class LabelAdjudicated(Answered):
    """Somebody decided an item on which reviewers differed."""

    value: Value

    @property
    def label(self) -> int:
        """The value where labels are 0 and 1."""
        decided = binary(self.value)
        if decided is None:
            raise VerificationError("A decision between annotators names a label.")
        return decided

    @property
    def decision(self) -> int:
        """The label that settles the disagreement."""
        return self.label


@dataclass(frozen=True, kw_only=True)
class LabelKnown(Event):
    """A label that came by another road than a draw: it is knowledge, and no evidence."""

    item: str
    value: Value
    source: Literal["training", "review", "import", "earlier survey"]


def _label_recorded(state: State, event: LabelRecorded, _entry: Entry) -> None:
    state.answers.give(event.item, event.annotator, state.code(event.value))


def _answer(state: State, event: LabelRecorded) -> str | None:
    if not state.drawn(event.item):
        return "its item was not drawn"
    if fault := _training_label(state, event.item):
        return fault
    answers = state.answers.of(event.item)
    return "this annotator answered before" if event.annotator in answers else None


def _label_corrected(state: State, event: LabelCorrected, entry: Entry) -> None:
    state.answers.give(event.item, event.annotator, state.code(event.after))
    state.corrections.append(stamped(event, entry))


def _correction(state: State, event: LabelCorrected) -> str | None:
    answers = state.answers.of(event.item)
    if event.annotator not in answers or answers[event.annotator] != state.code(event.before):
        return "the answer it corrects was never given"
    return _training_label(state, event.item)


def _label_adjudicated(state: State, event: LabelAdjudicated, entry: Entry) -> None:
    decided = state.code(event.value)
    if decided is None:
        raise VerificationError("A decision between annotators names a label.")
    state.decided[event.item] = decided
    state.adjudications.append(stamped(event, entry))


def _adjudication(state: State, event: LabelAdjudicated) -> str | None:
    if fault := _training_label(state, event.item):
        return fault
    differ = state.disputed(event.item) or event.item in state.decided
    return None if differ else "nobody differed about its item"


def _training_label(state: State, item: str) -> str | None:
    closed = trained_on(state, item) and is_frozen(state)
    return "the classifier that its item trains is frozen" if closed else None


def _label_known(state: State, event: LabelKnown, _entry: Entry) -> None:
    code = state.code(event.value)
    if code is None:
        raise VerificationError("A label that is known has a value.")
    state.known[event.item] = event
    state.decided[event.item] = code


def _known(state: State, event: LabelKnown) -> str | None:
    """Knowledge enters before a plan is sealed; later only by reviews, whose draws are secret."""
    if event.source != "review" and state.attempt is not None and state.attempt.open:
        return "a plan is open, which labels from elsewhere could steer"
    return "its label was known before" if event.item in state.known else None


register(LabelRecorded, follows=_label_recorded, fault=_answer)
register(LabelCorrected, follows=_label_corrected, fault=_correction)
register(LabelAdjudicated, follows=_label_adjudicated, fault=_adjudication)
register(LabelKnown, follows=_label_known, fault=_known)
