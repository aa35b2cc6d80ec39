"""A pool parted into accept, review and reject: three parquet files, whole or not at all."""

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from assay.errors import InputError
from assay.pool import Progress, silent
from assay.pool.scored import ScoreColumns, ScoreFile
from assay.pool.sources import quoted
from assay.types.triage import Cutoffs

PARTS = ("accept", "review", "reject")


@dataclass(frozen=True, kw_only=True)
class Routed:
    """How many items went where, and the folder with the three files."""

    folder: Path
    accept: int
    review: int
    reject: int

    @property
    def items(self) -> int:
        """All items."""
        return self.accept + self.review + self.reject

    @property
    def automated_share(self) -> float:
        """The share of items that people need not see."""
        return (self.accept + self.reject) / self.items

    def __str__(self) -> str:
        return (
            f"{self.items:,} items: {self.accept:,} accepted, {self.reject:,} rejected, "
            f"{self.review:,} for people"
        )


def route(
    source: str,
    columns: ScoreColumns,
    cutoffs: Cutoffs,
    folder: Path,
    *,
    progress: Progress = silent,
) -> Routed:
    """Write accept.parquet, review.parquet and reject.parquet, every column kept.

    They are written beside the folder and moved there together, so that nobody ever sees a part.
    """
    if folder.exists():
        raise InputError(
            f"{str(folder)!r} exists already. Choose another folder with -o: nothing is overwritten."
        )
    with ScoreFile(source, columns, what="pool") as file:
        file.forget_order()
        progress("checking the scores", 0.05)
        items = file.refuse_bad_scores()
        if columns.id is not None:
            progress("checking the ids", 0.1)
            file.refuse_bad_ids(items)
        part = _beside(folder)
        try:
            counts = {}
            for number, (name, where) in enumerate(conditions(file.score, cutoffs).items()):
                progress(f"writing {name}.parquet", 0.15 + 0.28 * number)
                target = quoted(str(part / f"{name}.parquet"))
                counts[name] = file.rows(
                    f"COPY (SELECT * FROM {file.reader} WHERE {where}) TO {target} "
                    "(FORMAT parquet, COMPRESSION zstd)"
                )[0][0]
            if sum(counts.values()) != items:
                raise InputError(
                    f"{items:,} items were read and {sum(counts.values()):,} written: the pool "
                    "changed meanwhile. Run it again."
                )
            part.rename(folder)
        finally:
            shutil.rmtree(part, ignore_errors=True)
    return Routed(folder=folder, **counts)


def _beside(folder: Path) -> Path:
    """A new folder beside the one to be made."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    except OSError as error:
        raise InputError(
            f"The folder {str(folder)!r} cannot be written: {error.strerror}."
        ) from error


def conditions(score: str, cutoffs: Cutoffs) -> dict[str, str]:
    """The SQL condition of each part; together they hold every finite score exactly once."""
    accept = "false" if cutoffs.high is None else f"{score} >= {_number(cutoffs.high)}"
    reject = "false" if cutoffs.low is None else f"{score} <= {_number(cutoffs.low)}"
    return {
        "accept": accept,
        "review": f"NOT ({accept}) AND NOT ({reject})",
        "reject": reject,
    }


def _number(value: float) -> str:
    # the shortest text that reads back as the same number, read by DuckDB as a double
    return f"CAST({value!r} AS DOUBLE)"
