"""A ranked review with a certified end, from Python."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Literal

from assaymark.api.ask_tell import AskTell
from assaymark.api.conclusion import Conclusion
from assaymark.api.data import project_folder, refuse_project
from assaymark.api.expectations import own_numbers
from assaymark.api.wording import in_python
from assaymark.claims.pictures import Bar
from assaymark.errors import InputError
from assaymark.overview.review_reports import write_review_report
from assaymark.pool.duckdb import DuckDBPool
from assaymark.pool.joined_ids import joined_id, joined_name
from assaymark.pool.memory import Table, is_table, memory_table
from assaymark.project.folder import collection_of
from assaymark.project.registration import undone_if_refused
from assaymark.records.certificate import Verification
from assaymark.reviewing.certificate import IssuedReview, certify_review
from assaymark.reviewing.handing import next_items
from assaymark.reviewing.standing import the_review
from assaymark.reviewing.starting import Start, start
from assaymark.reviewing.status import ReviewStatus, review_status
from assaymark.reviewing.verifying import verify_review
from assaymark.reviewing.wording import verdict

USUAL = 50


class Review(AskTell[Conclusion]):
    """A review in rank order with a certified end. Begin with `assaymark.review(…)`."""

    _begun_with = "review"

    def verdict(self) -> Conclusion:
        """Whether to stop. Looking costs nothing: the bound holds at every look."""
        return in_python(_conclusion(review_status(self.project)))

    def certify(self, path: str | Path | None = None) -> IssuedReview:
        """Issue the certificate (certificate.json unless named); reveals the secret of the draws."""
        return certify_review(self.project, output=None if path is None else Path(path))

    def verify(self, path: str | Path | None = None) -> Verification:
        """Recompute a certificate (certificate.json unless named) from the ledger and the pool."""
        place = self.folder / "certificate.json" if path is None else Path(path)
        return verify_review(place, project=self.project)

    def report(self, path: str | Path | None = None) -> Path:
        """Write the report, .html or .pdf (report.html in the project unless named); its path."""
        output = None if path is None else Path(path)
        return write_review_report(self.project, output=output).path

    def _draw(self, count: int | None) -> Sequence[str]:
        return next_items(self.project, count=count or min(USUAL, self._left()), write=False).items

    def _left(self) -> int:
        now = review_status(self.project)
        return max(0, now.unread - now.open)

    def _open(self) -> Sequence[str]:
        state = self.project.state()
        return [item for item in the_review(state).handed if not state.labelled(item)]

    def _texts(self, ids: Sequence[str]) -> dict[str, dict[str, str]]:
        collection = collection_of(self.project.state())
        pool = DuckDBPool(self.project.pool_path(collection), collection.columns)
        try:
            texts = pool.texts(list(ids))
        finally:
            pool.close()
        return {
            item: {name: text or "" for name, text in fields.items()}
            for item, fields in texts.items()
        }

    def _finished(self) -> bool:
        return self.verdict().decision == "stop"

    def _answer(self) -> Conclusion:
        return self.verdict()


def _conclusion(now: ReviewStatus) -> Conclusion:
    figures = asdict(now)
    recall = now.certified_recall
    return Conclusion(
        decision=now.decision,
        sentence=verdict(now),
        established=now.reason == "certified",
        labels=now.labels,
        bound=recall,
        rows=tuple(figures["targets"]),
        bars=(
            Bar(title="recall", low=recall, high=None if recall is None else 1, target=now.target),
        ),
        figures=figures,
    )


@own_numbers
def review(
    pool: "str | Path | Table",
    *,
    text: str | Sequence[str],
    recall: float | str = "0.8",
    confidence: float | str = "0.95",
    score: str | None = None,
    known: Sequence[str | int | tuple[object, ...]] = (),
    terms: Sequence[str] = (),
    screened: str | Path | Sequence[str | Path] = (),
    skip_unmatched: bool = False,
    decisions: Literal["blind", "open"] = "blind",
    twice: float | str = 0,
    id: str | Sequence[str] = "id",  # noqa: A002 - the same word as on the command line
    folder: str | Path | None = None,
) -> Review:
    """Begin a review: read in rank order while a model learns, and stop when recall is proved.

    `text` are the columns that people read and the model learns from; `score` is another system's
    score to read by instead. `known` are ids of relevant records, `terms` words whose records come
    first, `screened` files of answers from another tool; with `skip_unmatched`, records of them that
    are not found in the pool are listed in unmatched.csv and left out. With `decisions="open"`,
    whoever decides between readers may see the figures; the share `twice` of the records counts only
    when two people have read it. The other parameters are those of `certify`.
    """
    files = (screened,) if isinstance(screened, str | Path) else screened
    made = Review.__new__(Review)
    place = project_folder(folder, owner=made)
    refuse_project(place)
    with undone_if_refused(place):
        opening = Start(
            pool=_file(pool, place),
            id=joined_name(id),
            text=(text,) if isinstance(text, str) else tuple(text),
            recall=str(recall),
            confidence=str(confidence),
            score=score,
            known=tuple(joined_id(i) if isinstance(i, tuple) else str(i) for i in known) or None,
            terms=tuple(terms),
            screened=tuple(map(str, files)),
            skip_unmatched=skip_unmatched,
            decisions=decisions,
            twice=str(twice),
        )
        start(place, opening)
    made.__init__(place)  # type: ignore[misc] # the folder must outlive `made` only
    return made


def _file(pool: "str | Path | Table", folder: Path) -> str:
    if isinstance(pool, str | Path):
        return str(pool)
    if not is_table(pool):
        raise InputError(f"The records cannot be a {type(pool).__name__}. Give a table or a file.")
    folder.mkdir(parents=True, exist_ok=True)
    return str(memory_table(pool).write(folder / "records.parquet"))
