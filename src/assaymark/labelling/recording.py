"""Record what annotators said."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assaymark.claims.pictures import InSentence
from assaymark.claims.results import counted
from assaymark.errors import InputError, PlanError
from assaymark.files.labels import LabelFile, LabelRow, read_labels
from assaymark.files.spelling import USUAL, Names
from assaymark.hints import command, option, switch
from assaymark.labelling.blocking import Blocking, blocking_items
from assaymark.labelling.ids import mend_ids
from assaymark.labelling.settings import Settings, read_settings
from assaymark.ledger.events import (
    Event,
    LabelAdjudicated,
    LabelCorrected,
    LabelRecorded,
    State,
    SurveyWork,
    is_frozen,
    trained_on,
)
from assaymark.project.folder import Project, handed_out, latest_attempt
from assaymark.records.survey import Survey
from assaymark.records.survey_kinds import SURVEY_KINDS

DEFAULT_ANNOTATOR = "reviewer"


@dataclass(frozen=True, kw_only=True)
class Labelled(InSentence):
    """What became of a file of labels."""

    recorded: int
    skipped: int
    corrected: int
    adjudicated: int
    unchanged: int
    not_drawn: int
    empty: int
    disputed: int
    missing: int
    to_draw: int
    closed: bool
    ask: str
    again: str
    blocking: Blocking | None = None

    def __str__(self) -> str:
        counts = (
            (self.recorded, "recorded"), (self.skipped, "cannot tell"), (self.corrected, "corrected"),
            (self.adjudicated, "adjudicated"), (self.unchanged, "unchanged"),
            (self.not_drawn, "not drawn, ignored"), (self.disputed, "in dispute"),
            (self.missing, "still to label"),
        )  # fmt: skip
        parts = [f"{count:,} {what}" for count, what in counts if count or what == "recorded"]
        return f"Labels: {', '.join(parts)}."


def label_file(
    project: Project,
    path: Path,
    *,
    annotator: str = DEFAULT_ANNOTATOR,
    form: str = "auto",
    names: Names = USUAL,
    correct: bool = False,
    adjudicate: bool = False,
    restore_zeros: bool = False,
) -> Labelled:
    """Record the labels of a file, all of them or none."""

    def read(state: State) -> LabelFile:
        known_names = project_names(state, page_names(project, names))
        file = read_labels(path, annotator=annotator, form=form, names=known_names)
        if correct and not adjudicate:
            _refuse_nothing_to_correct(state, file.rows)
        return file

    return _record(
        project, read, correct=correct, adjudicate=adjudicate, restore_zeros=restore_zeros
    )


def project_names(state: State, names: Names) -> Names:
    """The names of labels as people gave them, and those that the pool brought with it."""
    if state.collection is None:
        return names
    columns = state.collection.columns
    if columns.positive is not None:
        names = names.with_verdicts(columns.positive, columns.negative)
    return replace(names, classes=columns.labels, tags=columns.tags or ())


def page_names(project: Project, names: Names) -> Names:
    """The names of labels as people gave them, and those that the lead put on the buttons."""
    chosen, usual = read_settings(project.folder), Settings()
    if all(
        getattr(chosen, name) == getattr(usual, name)
        for name in ("relevant", "not_relevant", "cannot_tell")
    ):
        return names
    return names.with_verdicts(chosen.relevant, chosen.not_relevant, chosen.cannot_tell)


def label(
    project: Project,
    rows: Sequence[LabelRow],
    *,
    correct: bool = False,
    adjudicate: bool = False,
    restore_zeros: bool = False,
) -> Labelled:
    """Record these labels, all of them or none. Items that were not drawn are left out.

    `restore_zeros` puts back the zeros that a spreadsheet removed from the ids.
    """
    file = LabelFile(rows=tuple(rows), empty=0)
    return _record(
        project,
        lambda _state: file,
        correct=correct,
        adjudicate=adjudicate,
        restore_zeros=restore_zeros,
    )


def _record(
    project: Project,
    read: Callable[[State], LabelFile],
    *,
    correct: bool,
    adjudicate: bool,
    restore_zeros: bool,
) -> Labelled:
    with project.writing() as session:
        state = session.state
        if not state.surveys and not state.reviews:
            latest_attempt(state)
        file = read(state)
        if any(not row.annotator.strip() for row in file.rows):
            raise InputError(
                f"An annotator needs a name: {option('annotator', 'NAME')}, or a column 'annotator'."
            )
        rows = mend_ids(state, file.rows, restore_zeros=restore_zeros)
        drawn = [row for row in rows if state.drawn(row.item)]
        if rows and not drawn:
            source = command("review next" if state.reviews else "draw")
            first = rows[0].item
            none = (
                f"Item {first!r} was not handed out"
                if len(rows) == 1
                else f"None of {len(rows):,} labelled items was handed out (the first is {first!r})"
            )
            raise InputError(f"{none}. Label the items that {source} handed out, by the same ids.")
        _refuse_trained(state, drawn)
        make = _adjudications if adjudicate else _answers
        events = make(state, drawn, correct=correct)
        session.record(*events)
    return _summary(project, events, rows=rows, drawn=drawn, empty=file.empty)


def _refuse_trained(state: State, rows: Sequence[LabelRow]) -> None:
    """Refuse labels of training items while the classifier that learnt from them is judged."""
    if not is_frozen(state):
        return
    trained = [row.item for row in rows if trained_on(state, row.item)]
    if trained:
        raise PlanError(
            f"The file holds {counted(len(trained), 'item')} of the training (the first is "
            f"{trained[0]!r}), and the classifier is frozen: what trained it cannot certify it, and it "
            "learns no more. Nothing was recorded. Leave these items out; label them when the plan has ended."
        )


def _refuse_nothing_to_correct(state: State, rows: Sequence[LabelRow]) -> None:
    """Refuse corrections by people who gave no label: they would be recorded as second readings."""
    if any(row.annotator in state.answers.of(row.item) for row in rows):
        return
    others = [(row, name) for row in rows for name in state.answers.of(row.item)]
    if others:
        row, name = others[0]
        raise PlanError(
            f"There is nothing to correct: {row.annotator!r} gave {row.item!r} no label, {name!r} did. "
            f"Nothing was recorded. Say whose label it is ({option('annotator', name)}), or leave "
            f"{switch('correct')} out to record a second reading."
        )


def _answers(state: State, rows: Sequence[LabelRow], *, correct: bool) -> list[Event]:
    events: list[Event] = []
    changed: list[str] = []
    for row in rows:
        answers = state.answers.of(row.item)
        if row.annotator not in answers:
            events.append(_first(state, row))
        elif answers[row.annotator] != row.label:
            changed.append(row.item)
            events.append(
                LabelCorrected(
                    item=row.item,
                    annotator=row.annotator,
                    before=state.value(answers[row.annotator]),
                    after=state.value(row.label),
                    **_when(row),
                )
            )
    if changed and not correct:
        shown = ", ".join(changed[:3])
        raise PlanError(
            f"The same annotator gave {counted(len(changed), 'item')} another label before "
            f"({shown}{', …' if len(changed) > 3 else ''}). "
            f"Nothing was recorded. If these are corrections, import with {switch('correct')}: "
            "they are recorded."
        )
    return events


def _first(state: State, row: LabelRow) -> Event:
    value = state.value(row.label)
    return LabelRecorded(item=row.item, value=value, annotator=row.annotator, **_when(row))


def _when(row: LabelRow) -> dict[str, Any]:
    return {"answered": row.answered, "seconds": row.seconds}


def _adjudications(state: State, rows: Sequence[LabelRow], *, correct: bool) -> list[Event]:
    events: list[Event] = []
    for row in rows:
        if not state.answers.get(row.item) and row.item not in state.decided:
            events.append(_first(state, row))  # nobody answered yet, so there is nothing to decide
            continue
        if row.label is None or state.decided.get(row.item) == row.label:
            continue
        value = row.label if not state.classes else state.classes[row.label]
        if row.item in state.decided and not correct:
            raise PlanError(
                f"Item {row.item!r} was decided before, the other way. Nothing was recorded. "
                f"Add {switch('correct')} to change a decision: it is recorded."
            )
        if state.disputed(row.item) or row.item in state.decided:
            events.append(
                LabelAdjudicated(item=row.item, value=value, annotator=row.annotator, **_when(row))
            )
    return events


def _ask(state: State, drawn: Sequence[LabelRow]) -> str:
    """The command that answers what these labels were bought for."""
    attempt, items = state.attempt, {row.item for row in drawn}
    if attempt is not None and attempt.open and any(i in attempt.known for i in items):
        return command("look")
    asked = (work for work in reversed(state.surveys) if not items.isdisjoint(work.cells))
    work = next(asked, None)
    if work is None and state.reviews:
        return command("review status")
    if work is None:
        return command("look")
    return command("draw") if _goes_on(state, work) else answer_command(work.survey)


def _goes_on(state: State, work: SurveyWork) -> bool:
    """Whether the next items of an estimate were waiting for these labels."""
    design = work.survey.settings.get("design") or {}
    due = len(work.order) in (design.get("renew") or ())
    return due and all(state.labelled(item) for item in work.order)


def _again(state: State) -> str:
    """The command that writes items without a label again."""
    reviews = state.reviews and state.attempt is None
    return command("review next" if reviews else "draw", pending=True)


def answer_command(survey: Survey) -> str:
    """The command that tells what the labels of a survey say."""
    flags = dict(zip("abc", survey.settings.get("flags", ()), strict=False))
    return command(SURVEY_KINDS[survey.purpose].answer, **flags)


def _summary(
    project: Project,
    events: Sequence[Event],
    *,
    rows: Sequence[LabelRow],
    drawn: Sequence[LabelRow],
    empty: int,
) -> Labelled:
    state = project.state()
    attempt = state.attempt
    missing = state.unsettled(handed_out(state))
    kinds = [event.kind for event in events]
    skipped = sum(isinstance(event, LabelRecorded) and event.value is None for event in events)
    return Labelled(
        recorded=kinds.count("LabelRecorded") - skipped,
        skipped=skipped,
        corrected=kinds.count("LabelCorrected"),
        adjudicated=kinds.count("LabelAdjudicated"),
        unchanged=len(drawn) - len(events),
        not_drawn=len(rows) - len(drawn),
        empty=empty,
        disputed=sum(state.disputed(item) for item in missing),
        missing=len(missing),
        # a plan that may be looked at on the way needs no more draws before the next look
        to_draw=max((attempt.plan.size or 0) - len(attempt.draws), 0)
        if attempt is not None and attempt.plan.kind.judged_once
        else 0,
        closed=attempt is not None and not attempt.open and not state.surveys and not state.reviews,
        ask=_ask(state, drawn),
        again=_again(state),
        blocking=blocking_items(state) if missing else None,
    )
