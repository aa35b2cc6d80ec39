"""Triage from Python: cut-offs from labelled scores, with a promise about what is automated."""

import tempfile
from pathlib import Path
from typing import Literal

from assaymark.api.expectations import own_numbers
from assaymark.api.wording import in_python
from assaymark.claims.checks import same_order
from assaymark.errors import InputError
from assaymark.pool.memory import Table, Values, table_file
from assaymark.triaging.thresholds import find_thresholds
from assaymark.triaging.triage_answer import TriageAnswer, TriageQuestion

Rule = Literal["certified", "empirical", "precision", "sides"]


@own_numbers
def triage(
    dev: str | Path | Table | None = None,
    *,
    target: float,
    y_score: Values | None = None,
    y_true: Values | None = None,
    score: str = "score",
    label: str = "label",
    id: str | None = None,  # noqa: A002 - the same word as on the command line
    pool: str | Path | Table | None = None,
    train: str | Path | Table | None = None,
    delta: float = 0.1,
    rule: Rule = "certified",
    calibrator: str = "platt",
    seed: int = 42,
) -> TriageAnswer:
    """Cut-offs below and above which items need no human, with the promise that the rule makes.

    `dev` is a random sample with scores and labels: a data frame, a dict of columns or a file; or
    give `y_score` and `y_true`. `target` is the accuracy wanted among what is automated, and `delta`
    the risk that it is missed. `pool` are the items to be routed, `train` other labelled scores
    to calibrate with (a quarter of `dev` otherwise). The answer's `thresholds` decide about scores.
    """
    if y_score is not None or y_true is not None:
        if dev is not None or y_score is None or y_true is None:
            raise InputError("Give labelled scores as a table, or both y_score and y_true.")
        same_order(y_score, y_true)
        dev = {score: y_score, label: y_true}
    with tempfile.TemporaryDirectory(prefix="assaymark-") as folder:
        tables = {"dev": dev, "pool": pool, "train": train}
        files = {
            name: table_file(data, Path(folder) / f"{name}.parquet")
            for name, data in tables.items()
        }
        answer = find_thresholds(
            TriageQuestion(
                dev=files["dev"] or "",
                pool=files["pool"],
                train=files["train"],
                score=score,
                label=label,
                id=id,
                target=target,
                delta=delta,
                rule=rule,
                calibrator=calibrator,
                seed=seed,
            )
        )
    return in_python(answer)
