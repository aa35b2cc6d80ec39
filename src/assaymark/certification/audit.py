"""The same steps from Python: ask for items, tell labels, read the verdict."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assaymark.certification.drawing import draw_batch, read_texts
from assaymark.certification.issuing import Issued, certify
from assaymark.certification.looks import look
from assaymark.certification.sealing import Wish, seal_plan
from assaymark.claims.ratio_metrics import parse_claim
from assaymark.claims.results import Verdict
from assaymark.errors import InputError
from assaymark.files.labels import LabelRow
from assaymark.files.spelling import read_label
from assaymark.labelling.recording import DEFAULT_ANNOTATOR, Labelled, label
from assaymark.pool.tables import write_table
from assaymark.project.folder import Project, latest_attempt
from assaymark.project.place import is_project
from assaymark.project.registration import init
from assaymark.records.plan import Expectation, Plan
from assaymark.records.pool import Columns

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

POOL_FILE = "pool.parquet"


@dataclass(frozen=True, kw_only=True)
class Item:
    """Something to label: its id and the texts to read. Never its score or prediction."""

    id: str
    texts: dict[str, str]


class Audit:
    """A certification in a folder, driven from a notebook or a program.

    The folder is an ordinary project: the command line and the page can work on it too.

    >>> import tempfile
    >>> scores = [i / 100 for i in range(100)]
    >>> folder = tempfile.mkdtemp()
    >>> audit = Audit.begin(folder, {"id": range(100), "score": scores}, threshold=0.5)
    >>> _ = audit.claim("accuracy >= 0.9", seed="example")
    >>> while audit.verdict().decision == "continue":
    ...     _ = audit.tell({item.id: int(item.id) >= 50 for item in audit.ask(20)})
    >>> audit.verdict().decision
    'pass'
    """

    def __init__(self, folder: str | Path, *, spark: "str | SparkSession | None" = None) -> None:
        self.project = Project(folder=Path(folder), spark=spark)
        self.project.state()

    @classmethod
    def begin(
        cls,
        folder: str | Path,
        pool: str | Path | Mapping[str, Sequence[Any]],
        *,
        id: str = "id",  # noqa: A002 - the same word as on the command line
        score: str | None = "score",
        prediction: str | None = None,
        threshold: float | None = None,
        text: Sequence[str] = (),
        engine: str = "duckdb",
        spark: "str | SparkSession | None" = None,
    ) -> "Audit":
        """A new audit of the pool: a file, a mapping of column names to values, or Spark's table."""
        folder = Path(folder)
        if isinstance(pool, Mapping):
            if is_project(folder):
                raise InputError(
                    f"{str(folder)!r} already is an assaymark project. Open it: Audit(…)."
                )
            if score is not None and score not in pool:
                score = None
            folder.mkdir(parents=True, exist_ok=True)
            pool = write_table(folder / POOL_FILE, pool)
        columns = Columns(
            id=id, score=score, prediction=prediction, threshold=threshold, text=tuple(text)
        )
        init(folder, pool=str(pool), columns=columns, engine=engine, spark=spark)
        return cls(folder, spark=spark)

    def claim(
        self,
        claim: str,
        *,
        mode: str | None = None,
        design: str | None = None,
        confidence: float = 0.95,
        power: float = 0.93,
        budget: int | None = None,
        expectation: Expectation | None = None,
        seed: str | None = None,
        family: bool = False,
    ) -> Plan:
        """Seal a plan for the claim."""
        wish = Wish(
            claim=parse_claim(claim),
            mode=mode,
            design=design,
            confidence=confidence,
            power=power,
            budget=budget,
            expectation=expectation,
            seed=seed,
            family=family,
        )
        return seal_plan(self.project, wish)

    def ask(self, count: int | None = None) -> list[Item]:
        """The next items to label. Items left over from earlier come back with `open_items`."""
        batch = draw_batch(self.project, count=count, write=False)
        return self._items(batch.items)

    def open_items(self) -> list[Item]:
        """Items that were handed out and have no settled label yet."""
        state = self.project.state()
        return self._items(
            [item for item in latest_attempt(state).order if not state.labelled(item)]
        )

    def tell(
        self,
        labels: Mapping[Any, Any],
        *,
        annotator: str = DEFAULT_ANNOTATOR,
        correct: bool = False,
    ) -> Labelled:
        """Record labels by item id: 1/0, True/False, the words of label files, None or "?"."""
        rows = [
            LabelRow(item=str(item), label=_label(value), annotator=annotator)
            for item, value in labels.items()
        ]
        return label(self.project, rows, correct=correct)

    def verdict(self) -> Verdict:
        """What is established now. Every look goes on record."""
        return look(self.project).verdict

    def certify(self, path: str | Path | None = None) -> Issued:
        """Issue the certificate of an established claim."""
        return certify(self.project, output=None if path is None else Path(path))

    def _items(self, ids: Sequence[str]) -> list[Item]:
        state = self.project.state()
        files = [reserve.file for reserve in latest_attempt(state).reserves]
        return [
            Item(id=name, texts=texts)
            for name, texts in read_texts(self.project, state, files, ids)
        ]


def _label(value: Any) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool):
        return int(value)
    return read_label(str(value))
