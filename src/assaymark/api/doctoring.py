"""What labels that exist are worth, from Python."""

import tempfile
from pathlib import Path

from assaymark.api.expectations import own_numbers
from assaymark.api.wording import in_python
from assaymark.estimation.label_doctor import Diagnosis, diagnose
from assaymark.estimation.label_file import LabelColumns
from assaymark.pool.memory import Table, table_file


@own_numbers
def doctor(
    labels: str | Path | Table,
    *,
    label: str = "label",
    prediction: str | None = None,
    score: str | None = None,
    threshold: float | None = None,
    id: str | None = None,  # noqa: A002 - the same word as on the command line
    annotator: str | None = None,
    random: bool = False,
    strata: str | None = None,
    pool: str | Path | Table | None = None,
    claim: str | None = None,
    confidence: float = 0.95,
) -> Diagnosis:
    """What labels that exist can support, the figures that weights repair, and a claim judged once.

    `labels` and `pool` are tables in memory or files; the other parameters name columns, as on the
    command line. `random=True` says that the items are a random sample, `strata` that they were
    drawn at random within each value of a column ("prediction" for the prediction itself).

    >>> rows = {"predicted": [1] * 90 + [0] * 10, "label": [1] * 88 + [0] * 12}
    >>> found = doctor(rows, prediction="predicted", random=True, claim="precision >= 0.9")
    >>> found.claim.ruling
    'established'
    """
    with tempfile.TemporaryDirectory(prefix="assaymark-") as folder:
        files = {
            name: table_file(data, Path(folder) / f"{name}.parquet")
            for name, data in (("labels", labels), ("pool", pool))
        }
        diagnosis = diagnose(
            files["labels"] or "",
            LabelColumns(
                label=label,
                prediction=prediction,
                score=score,
                threshold=threshold,
                id=id,
                annotator=annotator,
                strata=strata,
            ),
            random=random,
            pool=files["pool"],
            confidence=confidence,
            claim=claim,
        )
    return in_python(diagnosis)
