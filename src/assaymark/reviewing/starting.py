"""Begin a review: read the pool, merge duplicates, take in what is known, commit to a secret."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Literal

from assaymark import __version__
from assaymark.errors import InputError
from assaymark.files.asreview_project import is_project_file, read_project, write_records
from assaymark.ledger.events import KnownItem, KnownLabels, ReviewOpened
from assaymark.ledger.events.review import METHOD
from assaymark.pool import Progress, silent
from assaymark.pool.duckdb import DuckDBPool
from assaymark.pool.sources import settle
from assaymark.pool.sql import refuse_unknown
from assaymark.pool.tables import file_digest
from assaymark.project.folder import Project, utc_now
from assaymark.project.registration import init, refuse_used
from assaymark.records.pool import Columns
from assaymark.reviewing.duplicates import (
    Catalogue,
    Duplicate,
    find_duplicates,
    write_duplicates,
    write_merged,
)
from assaymark.reviewing.screened import Screened, matched, read_ids, read_screened
from assaymark.reviewing.secret import new_secret
from assaymark.reviewing.stats import commitment, floor_labels, set_digest

TARGETS = (Fraction("0.8"), Fraction("0.9"), Fraction("0.95"))
RELEVANT_GUESSES = (10, 20, 50, 100, 200, 500, 1000)


@dataclass(frozen=True, kw_only=True)
class FloorRow:
    """Irrelevant records that any method reads on average, per target, if so many are relevant."""

    relevant: int
    labels: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Started:
    """A review that began."""

    items: int
    target: Fraction
    confidence: Fraction
    merged: tuple[Duplicate, ...]
    known: int
    found: int
    targets: tuple[Fraction, ...]
    floor: tuple[FloorRow, ...]
    head: str


@dataclass(frozen=True, kw_only=True)
class Start:
    """What a review begins with. `known` are ids of relevant records, `screened` files of decisions.

    `score` is read highest first, `rank` lowest first, the share `twice` by two people. A pool may
    be an ASReview project file, whose decisions are then imported.
    """

    pool: str
    id: str
    text: tuple[str, ...]
    recall: str = "0.8"
    confidence: str = "0.95"
    score: str | None = None
    rank: str | None = None
    known: str | None = None
    terms: tuple[str, ...] = ()
    screened: tuple[str, ...] = ()
    decisions: Literal["blind", "open"] = "blind"
    twice: str = "0"


def exact_share(name: str, text: str) -> Fraction:
    """A share between 0 and 1 exactly as it was written.

    >>> exact_share("recall", "0.8")
    Fraction(4, 5)
    """
    try:
        value = Fraction(text)
    except (ValueError, ZeroDivisionError):
        value = Fraction(0)
    if not 0 < value < 1:
        hint = f" Did you mean {float(value) / 100:g}?" if 1 < value < 100 else ""
        raise InputError(f"'{name}' must be between 0 and 1, got {text}.{hint}")
    return value


def start(
    folder: Path,
    wish: Start,
    *,
    progress: Progress = silent,
    now: Callable[[], str] = utc_now,
) -> Started:
    """Make the project of a review. Nothing is drawn and nothing ranked yet."""
    target = exact_share("recall", wish.recall)
    confidence = exact_share("confidence", wish.confidence)
    if not wish.text:
        raise InputError("A review shows texts: name at least one text column.")
    if wish.score is not None and wish.rank is not None:
        raise InputError("Name a score or a rank, not both: one of them orders directed reading.")
    _refuse_no_share(wish.twice)
    refuse_used(folder)
    wish = _unpacked(folder, wish)
    source = settle(wish.pool, "duckdb")
    columns = Columns(id=wish.id, text=wish.text)
    catalogue, duplicates, source = _merged(folder, source, columns, wish, progress)
    ids = catalogue.ids
    merged = {one.id: one.kept for one in duplicates if one.by != "id"}
    labels = _known(wish, catalogue, merged)
    init(folder, pool=source, columns=columns, progress=progress, now=now)
    opened = ReviewOpened(
        review=1,
        items=len(ids),
        ids=set_digest(ids),
        target=wish.recall,
        confidence=wish.confidence,
        method=METHOD,
        commitment=commitment(new_secret(folder, 1)),
        ranking=_ranking(wish),
        software=__version__,
        score=wish.score or wish.rank,
        terms=wish.terms,
        decisions=wish.decisions,
        merged=len(duplicates),
        duplicates=_listed(folder, duplicates),
        twice=wish.twice,
    )
    project = Project(folder=folder, now=now)
    with project.writing() as session:
        session.record(opened)
        for name, known in labels.items():
            told = tuple(KnownItem(item=item, value=value) for item, value in known.items())
            session.record(KnownLabels(review=1, source=name, labels=told))
    values = [value for known in labels.values() for value in known.values()]
    return Started(
        items=len(ids),
        target=target,
        confidence=confidence,
        merged=tuple(duplicates),
        known=len(values),
        found=sum(value == 1 for value in values),
        targets=(targets := tuple(sorted({*TARGETS, target}))),
        floor=floor_table(len(ids), targets, confidence),
        head=project.ledger.entries()[-1].hash,
    )


def _refuse_no_share(text: str) -> None:
    try:
        share = Fraction(text)
    except (ValueError, ZeroDivisionError):
        share = Fraction(-1)
    if not 0 <= share <= 1:
        raise InputError(
            f"The share of records that two people read must be between 0 and 1, got {text}. 1 has all "
            "of them read twice."
        )


def _ranking(wish: Start) -> Literal["texts", "score", "rank", "none"]:
    if wish.score is not None:
        return "score"
    if wish.rank is not None:
        return "rank"
    return "none" if wish.screened and not wish.terms and not wish.known else "texts"


def _unpacked(folder: Path, wish: Start) -> Start:
    """The records of an ASReview project file as a csv of the project, and its decisions to import."""
    if not is_project_file(wish.pool):
        return wish
    records = read_project(Path(wish.pool))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "records.csv"
    path.unlink(missing_ok=True)
    write_records(records, path)
    decided = any(one.label is not None for one in records)
    screened = wish.screened or ((wish.pool,) if decided else ())
    return replace(wish, pool=str(path), screened=screened)


def _merged(
    folder: Path, source: str, columns: Columns, wish: Start, progress: Progress
) -> tuple[Catalogue, list[Duplicate], str]:
    progress("looking for duplicates", None)
    pool = DuckDBPool(source, columns)
    try:
        for column in filter(None, (wish.score, wish.rank)):
            refuse_unknown(column, dict(pool.types))
        kept, duplicates = find_duplicates(pool)
        if not duplicates:
            return kept, duplicates, source
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "pool.parquet"
        path.unlink(missing_ok=True)
        write_merged(pool, duplicates, path, len(kept.ids))
        return kept, duplicates, str(path)
    finally:
        pool.close()


def _known(
    wish: Start, pool: Catalogue, merged: dict[str, str]
) -> dict[str, dict[str, int | None]]:
    found: dict[str, dict[str, int | None]] = {}
    for text in wish.screened:
        said = read_screened(text, id_column=wish.id)
        labels = matched(said, pool, merged, what=f"{Path(text).name!r}")
        before = found.setdefault("import", {})
        for item, label in labels.items():
            before[item] = label if before.get(item, label) == label else None
    if wish.known is not None:
        named = [
            Screened(label=1, names={"id": item}) for item in dict.fromkeys(read_ids(wish.known))
        ]
        known = matched(named, pool, merged, what="the known ids")
        before = found.get("import", {})
        clash = next((item for item in known if before.get(item, 1) != 1), None)
        if clash is not None:
            raise InputError(
                f"{clash!r} is named as relevant, and the imported file says otherwise. Leave it out "
                "of one of them."
            )
        found["known"] = {item: 1 for item in known if item not in before}
    return {name: labels for name, labels in found.items() if labels}


def _listed(folder: Path, duplicates: Sequence[Duplicate]) -> str | None:
    if not duplicates:
        return None
    path = folder / "duplicates.csv"
    write_duplicates(path, duplicates)
    return file_digest(path)


def floor_table(
    items: int, targets: Sequence[Fraction], confidence: Fraction
) -> tuple[FloorRow, ...]:
    """The floor for a few guesses of how many records are relevant."""
    return tuple(
        FloorRow(
            relevant=guess,
            labels=tuple(floor_labels(items, guess, target, confidence) for target in targets),
        )
        for guess in RELEVANT_GUESSES
        if guess <= items / 2
    )
