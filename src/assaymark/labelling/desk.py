"""A project kept open by a server: one writer, one state in memory, one queue.

The state is a replay like any other; it is kept, and only what is new in the ledger is read. An
answer is taken in while the ledger is locked, so that another process may label at the same time,
and it is acknowledged when the ledger has it on disk.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from assaymark.claims.canonical import read_json
from assaymark.errors import AssaymarkError, ConflictError, InputError, PlanError
from assaymark.files.places import write_safely
from assaymark.labelling.queue import Queue
from assaymark.ledger.events import (
    Answered,
    Entry,
    LabelAdjudicated,
    LabelCorrected,
    LabelRecorded,
    Looked,
    State,
    SurveyReported,
    advance,
    replay,
    trained_on,
)
from assaymark.ledger.leases import leases_of
from assaymark.project.folder import Project

Outcome = Literal["recorded", "corrected", "decided", "unchanged"]


@dataclass(frozen=True, kw_only=True)
class Submission:
    """What somebody answered. `label` None is "cannot tell".

    `correcting` says that they know they answered before; `deciding` that they settle what others
    differ about.
    """

    item: str
    annotator: str
    label: int | None
    correcting: bool = False
    deciding: bool = False
    seconds: float | None = None
    note: str | None = None


@dataclass(frozen=True, kw_only=True)
class Previous:
    """An item that somebody answered before, and what they said."""

    item: str
    label: int | None


class Desk:
    """The open project. Not for several threads at once: whoever owns it calls it in turn."""

    def __init__(
        self,
        project: Project,
        *,
        clock: Callable[[], float],
        share: float = 0.0,
        minutes: float = 15,
    ) -> None:
        self.project = project
        self.queue = Queue(share=share, minutes=minutes)
        self._clock = clock
        self._ledger = project.ledger
        self._leases = leases_of(self._ledger, project.folder)
        self.queue.assigned = read_assignments(project.folder)
        self.load()

    def load(self) -> None:
        """Read the whole ledger, as after a start."""
        self.entries: list[Entry] = self._ledger.entries()
        self.state: State = replay(self.entries)
        self.history: dict[str, dict[str, None]] = {}
        self.deciders = deciders(self.entries)
        for item, answers in self.state.answers.items():
            for annotator in answers:
                self.history.setdefault(annotator, {})[item] = None
        self.queue.reset(self.state)

    def snapshot(self) -> tuple[list[Entry], State]:
        """The events so far and the state after them, to go on from apart from this one."""
        return list(self.entries), self.state.copy()

    def catch_up(self) -> None:
        """Take in what other processes, or other steps of this one, wrote."""
        self._take(self._ledger.entries(after=self.state.head) if self.state.head else [])

    def _take(self, news: Sequence[Entry]) -> None:
        if not news:
            return
        advance(self.state, news)
        self.entries.extend(news)
        events = [entry.event for entry in news]
        self.deciders |= deciders(news)
        for event in events:
            if isinstance(event, LabelRecorded | LabelCorrected):
                answered = self.history.setdefault(event.annotator, {})
                answered.pop(event.item, None)  # what was changed last is what Undo goes back to
                answered[event.item] = None
        if all(isinstance(event, Answered | Looked | SurveyReported) for event in events):
            items = [event.item for event in events if isinstance(event, Answered)]
            self.queue.answered(self.state, items)
        else:
            self.queue.reset(self.state)

    def record(self, submissions: Sequence[Submission]) -> list[Outcome | Exception]:
        """Record these answers with one durable write; each is recorded or refused by itself.

        An answer that breaks the write costs nobody else theirs: the others are then written one
        by one. Where the store itself is in trouble, nothing is recorded and the trouble is raised.
        """
        try:
            return self._together(submissions)
        except (AssaymarkError, OSError):
            raise
        except Exception:
            if len(submissions) == 1:
                raise
        return [self._alone(answer) for answer in submissions]

    def _alone(self, submission: Submission) -> Outcome | Exception:
        try:
            return self._together([submission])[0]
        except Exception as error:  # noqa: BLE001 - goes to the one who gave this answer
            return error

    def _together(self, submissions: Sequence[Submission]) -> list[Outcome | Exception]:
        outcomes: list[Outcome | Exception] = []
        try:
            with self._ledger.writing(after=self.state.head) as writer:
                self._take(writer.entries)
                for answer in submissions:
                    before = len(writer.entries)
                    try:
                        _refuse_unwritable(answer)
                        event = self._event(answer)
                    except AssaymarkError as error:
                        outcomes.append(error)
                        continue
                    if event is not None:
                        writer.append([event], time=self.project.now())
                        self._take(writer.entries[before:])
                    outcomes.append(_outcome(event))
        except BaseException:
            self.load()  # nothing of it is on disk, so nothing of it may stay in memory
            raise
        return outcomes

    def _event(self, submission: Submission) -> Answered | None:
        """The event that the answer becomes; None where it is recorded already."""
        if not self.state.drawn(submission.item):
            raise ConflictError(
                f"Item {submission.item!r} was not drawn, so it cannot be labelled."
            )
        if submission.deciding:
            return self._decision(submission)
        answers = self.state.answers.of(submission.item)
        if submission.annotator in answers:
            return self._change(submission, answers[submission.annotator])
        self._refuse_closed(submission)
        if len(answers) >= self.queue.wanted[submission.item]:
            raise ConflictError(
                "Somebody else labelled this item while it lay open here. Your answer was not needed "
                "and not recorded."
            )
        return LabelRecorded(
            item=submission.item,
            value=self.state.value(submission.label),
            annotator=submission.annotator,
            seconds=submission.seconds,
            note=submission.note,
        )

    def _refuse_closed(self, submission: Submission) -> None:
        if submission.item not in self.queue.wanted:
            if trained_on(self.state, submission.item):
                raise ConflictError(
                    "The classifier that learnt from this item is frozen, so no label of it is taken "
                    "until its plan has ended. Nothing was recorded."
                )
            raise ConflictError(
                "The plan that asked for this item is closed, so no more labels are taken. Nothing was "
                "recorded."
            )

    def _change(self, submission: Submission, before: int | None) -> LabelCorrected | None:
        if before == submission.label:
            return None
        if not submission.correcting:
            raise ConflictError(
                "You gave this item another answer before, perhaps in another tab. That one stands; "
                "go back with Undo to change it."
            )
        self._refuse_closed(submission)
        return LabelCorrected(
            item=submission.item,
            annotator=submission.annotator,
            before=self.state.value(before),
            after=self.state.value(submission.label),
            seconds=submission.seconds,
            note=submission.note,
        )

    def _decision(self, submission: Submission) -> LabelAdjudicated | None:
        if submission.label is None:
            raise PlanError("A decision names a label; it cannot be left open.")
        decided = self.state.decided.get(submission.item)
        if decided == submission.label:
            return None
        if decided is not None and not submission.correcting:
            raise ConflictError("Somebody decided this item already, the other way.")
        if decided is None and not self.state.disputed(submission.item):
            raise ConflictError("Nobody differs about this item any more. Nothing was recorded.")
        self._refuse_closed(submission)
        value = self.state.classes[submission.label] if self.state.classes else submission.label
        return LabelAdjudicated(
            item=submission.item,
            value=value,
            annotator=submission.annotator,
            seconds=submission.seconds,
            note=submission.note,
        )

    def hand(self, annotator: str, keep: Sequence[str] = ()) -> list[str]:
        """The annotator's next items, after a glance at the ledger and at all servers' leases."""
        now = self._clock()
        with self._leases.holding(now) as holder:
            # what was answered before this lock was granted must be known: its lease may be gone
            self.catch_up()
            self.queue.adopt(holder.leases)
            items = self.queue.hand(self.state, annotator, keep=keep, now=now)
            holder.replace(annotator, items, until=now + 60 * self.queue.minutes)
        return items

    def assign(self, items: Sequence[str], annotator: str | None) -> int:
        """Give waiting items to one person, or back to everybody; how many it were."""
        chosen = [item for item in items if item in self.queue.waiting]
        assigned = {
            item: who for item, who in self.queue.assigned.items() if item in self.queue.wanted
        }
        for item in chosen:
            assigned.pop(item, None)
            if annotator is not None:
                assigned[item] = annotator
        write_assignments(self.project.folder, assigned)
        self.queue.assigned = assigned
        self._take_back(chosen, annotator)
        return len(chosen)

    def _take_back(self, items: Sequence[str], annotator: str | None) -> None:
        """End the leases of others on items that now belong to somebody."""
        with self._leases.holding(self._clock()) as holder:
            held: dict[str, list[str]] = {}
            for lease in holder.leases:
                held.setdefault(lease.annotator, []).append(lease.item)
            for name, leased in held.items():
                kept = [item for item in leased if item not in items]
                if name != annotator and len(kept) < len(leased):
                    until = self._clock() + 60 * self.queue.minutes
                    holder.replace(name, kept, until=until)
            self.queue.adopt(holder.leases)

    def release(self, annotator: str) -> None:
        """Give back everything in this person's hands."""
        with self._leases.holding(self._clock()) as holder:
            holder.replace(annotator, (), until=0.0)
        self.queue.release(annotator)

    def back(self, annotator: str, before: str | None) -> Previous | None:
        """The item that this annotator answered before that one (None: the latest)."""
        answered = [item for item in self.history.get(annotator, {}) if item in self.queue.wanted]
        if before in answered:
            answered = answered[: answered.index(before)]
        if not answered:
            return None
        return Previous(item=answered[-1], label=self.state.answers[answered[-1]][annotator])


def deciders(entries: Sequence[Entry]) -> dict[str, str]:
    """Who decided each item that others differed about."""
    return {
        entry.event.item: entry.event.annotator
        for entry in entries
        if isinstance(entry.event, LabelAdjudicated)
    }


def _refuse_unwritable(submission: Submission) -> None:
    """Refuse text that no store can hold, before it spoils a write shared with others."""
    for text in (submission.item, submission.annotator, submission.note or ""):
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise InputError(
                f"The text {text[:40]!a} holds half a character (a lone surrogate), which cannot be "
                "stored. Remove it; nothing was recorded."
            ) from error


def _outcome(event: Answered | None) -> Outcome:
    if event is None:
        return "unchanged"
    if isinstance(event, LabelCorrected):
        return "corrected"
    return "decided" if isinstance(event, LabelAdjudicated) else "recorded"


FILE = "assignments.json"


def read_assignments(folder: Path) -> dict[str, str]:
    """Whose item each is; none where nothing was assigned."""
    path = folder / FILE
    if not path.exists():
        return {}
    try:
        value = read_json(path.read_text(encoding="utf-8"))
        return {str(item): str(name) for item, name in value.items()}
    except (ValueError, AttributeError) as error:
        raise InputError(f"{FILE} cannot be read ({error}). Correct it or remove it.") from error


def write_assignments(folder: Path, assigned: dict[str, str]) -> None:
    """Keep whose item each is."""
    write_safely(folder / FILE, json.dumps(assigned, indent=0, ensure_ascii=False) + "\n")
