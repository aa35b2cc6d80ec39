"""Labels from elsewhere, taken in as knowledge before a plan is sealed."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assaymark.claims.pictures import InSentence
from assaymark.claims.results import counted
from assaymark.errors import InputError, PlanError
from assaymark.files.labels import LabelRow, read_labels
from assaymark.files.spelling import USUAL, Names
from assaymark.hints import command
from assaymark.labelling.recording import DEFAULT_ANNOTATOR, project_names
from assaymark.ledger.events import LabelKnown, State
from assaymark.project.folder import Project, registered_pool
from assaymark.records.plan import Stratum

SHOWN = 3


@dataclass(frozen=True, kw_only=True)
class TakenIn(InSentence):
    """What became of a file of known labels; `strangers` are ids that the collection does not hold."""

    recorded: int
    unchanged: int
    unclear: int
    empty: int
    strangers: tuple[str, ...]

    def __str__(self) -> str:
        counts = {
            "taken in": self.recorded,
            "known before": self.unchanged,
            "that nobody could tell, left out": self.unclear,
            "without a label": self.empty,
            "not in the collection, left out": len(self.strangers),
        }
        parts = [f"{count:,} {what}" for what, count in counts.items() if count]
        return f"Known labels: {', '.join(parts) or 'none'}."


def known_file(
    project: Project, path: Path, *, form: str = "auto", names: Names = USUAL
) -> TakenIn:
    """Take the labels of a file in as knowledge, all of them or none."""
    state = project.state()
    file = read_labels(
        path, annotator=DEFAULT_ANNOTATOR, form=form, names=project_names(state, names)
    )
    return know(project, file.rows, empty=file.empty)


def know(project: Project, rows: Sequence[LabelRow], *, empty: int = 0) -> TakenIn:
    """Take these labels in as knowledge, all of them or none. Refused while a plan is open.

    They are no evidence: whoever chose these items may have chosen the lucky ones. A later plan
    counts them as certain, or lets them answer items that it draws.
    """
    with project.writing() as session:
        state = session.state
        _refuse_too_late(state)
        labels = _labels(rows)
        places = _inside(project, state, sorted(labels))
        strangers = tuple(item for item in labels if item not in places)
        if labels and not places:
            raise InputError(
                f"None of {counted(len(labels), 'labelled item')} is in the collection "
                f"({_some(strangers)}). Ids must be those of its id column."
            )
        events = _events(state, {item: labels[item] for item in labels if item in places})
        session.record(*events)
    return TakenIn(
        recorded=len(events),
        unchanged=len(places) - len(events),
        unclear=sum(row.label is None for row in rows),
        empty=empty,
        strangers=strangers,
    )


def _refuse_too_late(state: State) -> None:
    if state.reviews:
        raise PlanError(
            "A review takes in labels from elsewhere when it begins. Begin a new one with the file: "
            f"{command('review start')}."
        )
    if state.attempt is not None and state.attempt.open:
        raise PlanError(
            f"Plan {state.attempt.plan.number} is open, and labels from elsewhere could steer it: they "
            "enter before a plan is sealed. Finish it, or close it for good with: "
            f"{command('plan', abandon='REASON')}."
        )


def _labels(rows: Sequence[LabelRow]) -> dict[str, int]:
    """One label per item; refused where two rows differ. Items that nobody could tell stay unknown."""
    labels: dict[str, int] = {}
    differ: list[str] = []
    for row in rows:
        if row.label is None:
            continue
        if labels.setdefault(row.item, row.label) != row.label:
            differ.append(row.item)
    if differ:
        raise InputError(
            f"{counted(len(set(differ)), 'item')} with two different labels in the file ({_some(differ)}). "
            "Nothing was recorded. Decide these items first, or leave them out."
        )
    return labels


def _inside(project: Project, state: State, items: Sequence[str]) -> dict[str, int]:
    pool = project.pool(registered_pool(state))
    try:
        return pool.strata_of(items, [Stratum(items=registered_pool(state).summary.items)])
    finally:
        pool.close()


def _events(state: State, labels: dict[str, int]) -> list[LabelKnown]:
    existing = state.labels()
    other = [item for item, label in labels.items() if existing.get(item, label) != label]
    if other:
        raise InputError(
            f"{counted(len(other), 'item')} with another label in this project ({_some(other)}). Nothing "
            "was recorded. Leave these items out of the file."
        )
    pending = [item for item in labels if item not in existing and state.drawn(item)]
    if pending:
        raise PlanError(
            f"{counted(len(pending), 'item')} were handed out here and have no settled label yet "
            f"({_some(pending)}). Record their labels as those of a reviewer."
        )
    return [
        LabelKnown(item=item, value=state.value(label) or 0, source="import")
        for item, label in labels.items()
        if item not in existing
    ]


def _some(items: Sequence[str]) -> str:
    shown = ", ".join(repr(item) for item in items[:SHOWN])
    return shown + (", …" if len(items) > SHOWN else "")
