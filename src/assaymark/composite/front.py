"""Two classifiers compared from Python, with a function that answers for people."""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

from assaymark.composite.comparing import ComparisonWish, seal_comparison
from assaymark.composite.drawing import draw_for_claim
from assaymark.composite.looks import look_at_claim
from assaymark.composite.sealing import Terms
from assaymark.labelling.recording import label_file
from assaymark.project.folder import Project
from assaymark.project.registration import init
from assaymark.records.pool import Columns

Annotator = Callable[[dict[str, str]], object]


def compare(
    folder: Path | str,
    *,
    pool: str,
    id: str,  # noqa: A002  the column's part, as on the command line
    a: str,
    b: str,
    annotate: Annotator,
    text: tuple[str, ...] = (),
    metric: str = "accuracy",
    margin: str | None = None,
    confidence: float = 0.95,
    most: int = 1_000,
) -> dict[str, Any]:
    """Whether b is better than a: seal, then label until it is decided or `most` labels are spent.

    `annotate` is given an item's id and texts and returns 1, 0, or "?" for cannot tell. The project
    in `folder` can be certified and verified like any other.
    """
    project = Project(folder=Path(folder))
    init(project.folder, pool=pool, columns=Columns(id=id, text=text))
    wish = ComparisonWish(a=a, b=(b,), metric=metric, margin=margin)
    sealed = seal_comparison(project, wish, Terms(confidence=confidence))
    spent = 0
    while True:
        count = min(most - spent, sealed.items)
        batch = draw_for_claim(project, count=count)
        if batch.path is not None:
            _answer(batch.path, annotate)
            label_file(project, batch.path)
        spent += len(batch.items) + batch.known
        found = look_at_claim(project)
        if found.decision != "undecided" or found.result["equal"] or spent >= most:
            return found.result


def _answer(path: Path, annotate: Annotator) -> None:
    with path.open(newline="", encoding="utf-8-sig") as stream:
        rows = [dict(row) for row in csv.DictReader(stream)]
    answered = [{**row, "label": str(annotate(row))} for row in rows]
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(answered)
