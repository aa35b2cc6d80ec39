"""What a frozen classifier says, as files of the project: the scored pool, and every decision."""

from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assaymark.ledger.events import ClassifierFrozen, training_labels
from assaymark.pool import Progress, open_pool
from assaymark.pool.sources import named, quoted
from assaymark.pool.tables import write_table
from assaymark.project.folder import SCORES, Project
from assaymark.project.registration import fingerprint
from assaymark.records.pool import Columns, RegisteredPool
from assaymark.training.material import Material
from assaymark.training.rounds import required

SCORE = "assaymark_score"  # no text column may be called so


def write_scored(
    material: Material,
    collection: RegisteredPool,
    scores: NDArray[np.float64],
    inside: NDArray[np.bool_],
    path: Path,
) -> None:
    """Id, texts and score of every item to be certified; the texts stream from file to file."""
    path.parent.mkdir(exist_ok=True)
    beside = path.with_name(f"{path.name}.scores")
    columns = collection.columns
    texts = "".join(f", p.text_{i} AS {named(name)}" for i, name in enumerate(columns.text))
    try:
        write_table(beside, {"item": material.ids[inside], "score": scores[inside]})
        material.pool.export(
            f"SELECT p.id AS {named(columns.id)}{texts}, s.score AS {named(SCORE)} FROM pool p "
            f"JOIN read_parquet({quoted(str(beside))}) s ON p.id = s.item",
            path,
            rows=int(inside.sum()),
        )
    finally:
        beside.unlink(missing_ok=True)


def registered_scores(
    part: Path,
    final: Path,
    project: Project,
    collection: RegisteredPool,
    threshold: float,
    progress: Progress,
) -> RegisteredPool:
    """The scored file as plans draw from it, under the name that it will bear."""
    columns = Columns(
        id=collection.columns.id, score=SCORE, threshold=threshold, text=collection.columns.text
    )
    opened = open_pool(str(part), columns)
    try:
        summary = opened.summary(progress)
        files = tuple(replace(file, name=final.name) for file in opened.files(progress))
    finally:
        opened.close()
    return RegisteredPool(
        source=final.relative_to(project.folder).as_posix(),
        engine="duckdb",
        columns=columns,
        summary=summary,
        files=files,
        fingerprint=fingerprint(files, summary, columns),
    )


def decisions_file(project: Project, number: int) -> Path:
    """Where the decisions of the freeze of this number are."""
    return project.folder / SCORES / f"decisions-{number}.parquet"


def write_decisions(
    project: Project,
    material: Material,
    scores: NDArray[np.float64],
    frozen: ClassifierFrozen,
    number: int,
) -> None:
    """What becomes of every item of the collection: the label people gave it, or the classifier's.

    It follows from the frozen classifier and the ledger, so it is on no record of its own.
    """
    state = project.state()
    labels = training_labels(state, required(state))
    picked = (scores >= frozen.threshold).astype(np.int8)
    label_rows = material.rows(labels)
    picked[label_rows] = list(labels.values())
    people = np.zeros(len(scores), dtype=np.bool_)
    people[label_rows] = True
    path = decisions_file(project, number)
    by = np.where(people, "people", "classifier").astype(object)
    write_table(path, {"id": material.ids, "score": scores, "relevant": picked, "by": by})
