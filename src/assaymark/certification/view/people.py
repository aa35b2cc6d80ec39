"""Who labelled what, how fast, and who changed their mind."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from statistics import median

from assaymark.certification.view.dossier import Note, Person
from assaymark.ledger.events import (
    Entry,
    LabelAdjudicated,
    LabelCorrected,
    LabelRecorded,
    State,
)
from assaymark.records.value import Value

LONGEST_PAUSE = 300.0  # seconds; after a longer gap somebody was away, not thinking
SHORTEST_GAP = 0.05  # labels closer together came from a file
FEWEST_GAPS = 5

LabelEvent = LabelRecorded | LabelCorrected | LabelAdjudicated


@dataclass(frozen=True, kw_only=True)
class Said:
    """An answer and when it was given."""

    seq: int
    time: str
    event: LabelEvent


@dataclass(kw_only=True)
class Story:
    """A project's state, with what the state forgets: when each thing happened."""

    state: State
    said: list[Said]
    times: dict[int, str]
    software: str = ""

    def add(self, entries: Sequence[Entry]) -> None:
        """Take more events into account."""
        for entry in entries:
            self.state.apply(entry.event, entry)
            self.state.head = entry
        self._remember(entries)

    def _remember(self, entries: Sequence[Entry]) -> None:
        for entry in entries:
            event = entry.event
            if isinstance(event, LabelEvent):
                self.said.append(Said(seq=entry.seq, time=entry.time, event=event))
            else:
                self.times[entry.seq] = entry.time
                self.software = getattr(event, "software", self.software)


def read_story(entries: Sequence[Entry], state: State | None = None) -> Story:
    """The state after these events, and their times; `state` where somebody replayed them already."""
    story = Story(state=state or State(), said=[], times={})
    if state is None:
        story.add(entries)
    else:
        story._remember(entries)
    return story


def people(said: Sequence[Said], *, items: set[str], visible: bool) -> tuple[Person, ...]:
    """The annotators of these items, most labels first."""
    by_annotator: dict[str, list[Said]] = {}
    for answer in said:
        if answer.event.item in items:
            by_annotator.setdefault(answer.event.annotator, []).append(answer)
    persons = [_person(name, answers, visible=visible) for name, answers in by_annotator.items()]
    return tuple(sorted(persons, key=lambda person: (-person.labels, person.name)))


def _person(name: str, answers: list[Said], *, visible: bool) -> Person:
    first = [(a.time, a.event.value) for a in answers if isinstance(a.event, LabelRecorded)]
    values = Counter(value for _, value in first)
    kinds = Counter(type(answer.event) for answer in answers)
    return Person(
        name=name,
        labels=len(first),
        relevant=values[1] if visible else None,
        skipped=values[None],
        corrections=kinds[LabelCorrected],
        decisions=kinds[LabelAdjudicated],
        first=answers[0].time,
        last=answers[-1].time,
        seconds=_pace([time for time, _ in first]),
    )


def _pace(times: Sequence[str]) -> float | None:
    """The middle time between labels of one sitting; None where they came from files."""
    moments = [datetime.fromisoformat(time) for time in times]
    gaps = [(b - a).total_seconds() for a, b in pairwise(moments)]
    worked = [gap for gap in gaps if SHORTEST_GAP <= gap <= LONGEST_PAUSE]
    if len(worked) < max(FEWEST_GAPS, len(gaps) // 2):
        return None
    return round(median(worked), 2)


def notes(said: Sequence[Said], *, items: set[str]) -> tuple[Note, ...]:
    """Corrections and decisions between annotators, in order."""
    rows: list[Note] = []
    for answer in said:
        event = answer.event
        if isinstance(event, LabelRecorded) or event.item not in items:
            continue
        if isinstance(event, LabelCorrected):
            rows.append(_note(answer, "correction", before=event.before, after=event.after))
        elif isinstance(event, LabelAdjudicated):
            rows.append(_note(answer, "decision", before=None, after=event.value))
    return tuple(rows)


def _note(answer: Said, kind: str, *, before: Value | None, after: Value | None) -> Note:
    return Note(
        event=answer.seq,
        time=answer.time,
        item=answer.event.item,
        annotator=answer.event.annotator,
        kind=kind,  # type: ignore[arg-type]
        before=before,
        after=after,
        reason=answer.event.note,
    )
