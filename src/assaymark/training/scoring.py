"""The frozen classifier is saved with the project and scores files that came later."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from assaymark.claims.record import Record
from assaymark.errors import InputError, PlanError
from assaymark.hints import command
from assaymark.learners.documents import Weights
from assaymark.learners.saved_linear import read_saved, saved_linear
from assaymark.pool import Progress, silent
from assaymark.pool.duckdb import DuckDBPool
from assaymark.pool.tables import write_table
from assaymark.project.folder import SCORES, Project, collection_of
from assaymark.records.pool import Columns
from assaymark.training.refit import Refit
from assaymark.training.rounds import required


@dataclass(frozen=True, kw_only=True)
class Scored(Record):
    """A file that was scored by a frozen classifier."""

    path: str
    model: int
    items: int
    flagged: int
    threshold: float


def model_file(project: Project, number: int) -> Path:
    """Where the classifier of the freeze of this number is."""
    return project.folder / SCORES / f"model-{number}.npz"


def save_model(project: Project, refit: Refit, threshold: float, number: int) -> None:
    """Save the classifier; one of a learner of the user's own is code, and is not saved."""
    study = refit.study
    if study is None or not isinstance(study.scorer, Weights):
        return
    scorer = study.scorer
    saved = saved_linear(scorer.features, scorer.weights, scorer.intercept, study.curve, threshold)
    saved.write(model_file(project, number))


def score_file(
    project: Project, source: str, *, output: Path, progress: Progress = silent
) -> Scored:
    """Score a file with the columns of the collection: id, score and whether it is flagged."""
    state = project.state()
    work = required(state)
    if not work.freezes:
        raise PlanError(f"No classifier is frozen yet. Freeze one: {command('train', stop=True)}.")
    path = model_file(project, len(work.freezes))
    if not path.exists():
        raise PlanError(
            "The frozen classifier is not saved in this project: one of a learner of your own is code, "
            "which is kept with its owner. Score new files with your own pipeline."
        )
    if output.exists():
        raise InputError(f"{str(output)!r} is there already. Name another file.")
    if output.suffix.lower() != ".parquet":
        raise InputError(f"Scores are written as .parquet, got {output.name!r}.")
    model = read_saved(path)
    columns = collection_of(state).columns
    pool = DuckDBPool(source, Columns(id=columns.id, text=columns.text))
    ids: list[str] = []
    parts = []
    try:
        for names, texts in pool.batches():
            ids += names
            parts.append(model.scores([text or "" for text in texts]))
            progress("scoring the texts", None)
    finally:
        pool.close()
    scores = np.concatenate(parts) if parts else np.zeros(0)
    flagged = scores >= model.threshold
    write_table(output, {"id": ids, "score": scores, "flagged": flagged.astype(np.int8)})
    return Scored(
        path=str(output),
        model=work.freezes[-1].event.model,
        items=len(ids),
        flagged=int(flagged.sum()),
        threshold=model.threshold,
    )
