"""Recall within a project: batches over the cells and their results are recorded."""

from pathlib import Path

from assaymark.claims.results import counted
from assaymark.errors import PlanError
from assaymark.hints import command
from assaymark.ledger.events import State, SurveyedItem, SurveyReported, SurveyWork
from assaymark.pair_recall.files import new_labels
from assaymark.pair_recall.overlap import CellSample
from assaymark.pair_recall.recall import (
    RecallAnswer,
    RecallRequest,
    answer_json,
    answer_recall,
    unclear,
)
from assaymark.pair_recall.stats.capture_recapture import share
from assaymark.pool import Progress, silent
from assaymark.pool.cells import cell_names, count_cells, lowest_tickets
from assaymark.project.folder import Project, Session, collection_of
from assaymark.project.purpose import refuse_review
from assaymark.sampling.surveys import (
    SurveyBatch,
    cell_labels,
    find_survey,
    fresh_seed,
    hand_out,
    open_survey,
)


def draw_recall_survey(
    project: Project,
    request: RecallRequest,
    *,
    count: int,
    outside: int = 0,
    seed: str | None = None,
    output: Path | None = None,
    write: bool = True,
    progress: Progress = silent,
) -> SurveyBatch:
    """Open or continue the survey of these classifiers and hand out its next items, blind."""
    with project.writing() as session:
        state = session.state
        refuse_review(state)
        pool = collection_of(state)
        opened = project.pool(pool, request.flags)
        try:
            progress("counting the cells", None)
            sizes = count_cells(opened, request.flags)
            work = _survey(session, request, sizes, seed)
            cells, taken = _so_far(state, work)
            new = new_labels(request, cells, count, outside)
            progress("drawing a ticket for every item", None)
            drawn = lowest_tickets(opened, work.survey.seed, sizes=sizes, taken=taken, new=new)
            texts = opened.texts([name for name, _ in drawn])
        finally:
            opened.close()
        places = {name: place for place, name in enumerate(cell_names(len(request.flags)))}
        items = [SurveyedItem(id=name, cell=places[cell]) for name, cell in drawn]
        return hand_out(project, session, work, items, texts, output=output, write=write)


def _settings(request: RecallRequest) -> dict[str, object]:
    return {"flags": list(request.flags)}


def _survey(
    session: Session, request: RecallRequest, sizes: dict[str, int], seed: str | None
) -> SurveyWork:
    state = session.state
    work = find_survey(state, "recall", _settings(request))
    if work is not None:
        if {cell.name: cell.items for cell in work.survey.cells} != sizes:
            raise PlanError(
                "The cells of the classifiers have changed since the survey began, so its labels no "
                "longer describe them. Begin a new project for the new classifiers."
            )
        return work
    return open_survey(
        session,
        "recall",
        fresh_seed(state, seed),
        cells=sizes.items(),
        text=collection_of(state).columns.text,
        settings=_settings(request),
    )


def _so_far(state: State, work: SurveyWork) -> tuple[dict[str, CellSample], dict[str, int]]:
    """The cells as the next batch sees them (drawn counts as labelled), and what was drawn."""
    cells, taken = {}, {}
    for cell in cell_labels(state, work):
        clear = CellSample(
            items=cell.items, labels=cell.labelled - cell.skipped, positives=cell.positives
        )
        rate = share(clear) if clear.labels else 0.5
        cells[cell.name] = CellSample(
            items=cell.items, labels=cell.drawn, positives=round(rate * cell.drawn)
        )
        taken[cell.name] = cell.drawn
    return cells, taken


def recall_of_survey(project: Project, request: RecallRequest) -> RecallAnswer:
    """What the labels so far say; the result is recorded."""
    with project.writing() as session:
        work = find_survey(session.state, "recall", _settings(request))
        if work is None:
            raise PlanError(
                f"No batch was drawn for {' and '.join(request.flags)} in this project yet. Draw one: "
                f"{command('recall', a='COL', b='COL', draw='N', project='DIR')}."
            )
        drawn_cells = cell_labels(session.state, work)
        cells = {
            cell.name: CellSample(
                items=cell.items, labels=cell.labelled - cell.skipped, positives=cell.positives
            )
            for cell in drawn_cells
        }
        waiting = sum(cell.drawn - cell.labelled for cell in drawn_cells)
        warnings = (*unclear(sum(cell.skipped for cell in drawn_cells)), *_waiting(waiting))
        answer = answer_recall(request, cells, warnings=warnings)
        session.record(
            SurveyReported(
                survey=work.survey.number,
                labels=answer.estimate.labels,
                result=answer_json(answer),
            )
        )
    return answer


def _waiting(number: int) -> tuple[str, ...]:
    if not number:
        return ()
    return (
        f"Drawn without a label yet: {counted(number, 'item')}. The estimate takes them to be like the "
        "others of their cell.",
    )
