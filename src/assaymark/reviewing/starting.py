"""Begin a review: read the pool, merge duplicates, take in what is known, commit to a secret."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Literal

from assaymark import __version__
from assaymark.claims.results import counted
from assaymark.errors import InputError
from assaymark.files.formats.asreview_project import is_project_file, read_project, write_records
from assaymark.ledger.events import KnownItem, KnownLabels, ReviewOpened
from assaymark.ledger.events.reviews import METHOD
from assaymark.pool import Progress, silent
from assaymark.pool.duckdb import DuckDBPool
from assaymark.pool.joined_ids import parts_of_name, write_joined
from assaymark.pool.sources import named, settle
from assaymark.pool.sql import refuse_unknown
from assaymark.pool.tables import file_digest
from assaymark.project.folder import Project, utc_now
from assaymark.project.foreign_pools import copy_of, is_foreign
from assaymark.project.place import is_project, private_folder
from assaymark.project.registration import init, refuse_used
from assaymark.records.pool import Columns
from assaymark.records.seeds import commitment_of
from assaymark.reviewing.matching import Unmatched, match, refusal, write_unmatched
from assaymark.reviewing.references import (
    Catalogue,
    Duplicate,
    find_duplicates,
    write_duplicates,
    write_merged,
)
from assaymark.reviewing.screened import Screened, read_ids, read_screened
from assaymark.reviewing.secret import new_secret, secret_path
from assaymark.reviewing.standing import TARGETS, exact_share
from assaymark.reviewing.stats import floor_labels, set_digest

RECORDS, MERGED, DUPLICATES = "records.csv", "pool.parquet", "duplicates.csv"
COPIED = "copied.parquet"
UNMATCHED, JOINED = "unmatched.csv", "joined.parquet"
WRITTEN = (RECORDS, COPIED, MERGED, DUPLICATES, UNMATCHED, JOINED)
BEGUN = "review-start"  # there while a start is under way: what lies beside it is its own
RELEVANT_GUESSES = (10, 20, 50, 100, 200, 500, 1000)


@dataclass(frozen=True, kw_only=True)
class FloorRow:
    """Irrelevant records that any method reads on average, per target, if this many are relevant."""

    relevant: int
    labels: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Started:
    """A review that began."""

    items: int
    target: Fraction
    confidence: Fraction
    merged: tuple[Duplicate, ...]
    unmatched: tuple[Unmatched, ...]
    known: int
    found: int
    targets: tuple[Fraction, ...]
    floor: tuple[FloorRow, ...]
    head: str


@dataclass(frozen=True, kw_only=True)
class Start:
    """What a review begins with. `known` are ids of relevant records, `screened` files of decisions.

    `score` is read highest first, `rank` lowest first, the share `twice` by two people. A pool may
    be an ASReview project file, whose decisions are then imported. Screened records that are not
    found in the pool stop the start, or with `skip_unmatched` are listed and counted.
    """

    pool: str
    id: str
    text: tuple[str, ...]
    recall: str = "0.8"
    confidence: str = "0.95"
    score: str | None = None
    rank: str | None = None
    known: str | tuple[str, ...] | None = None
    terms: tuple[str, ...] = ()
    screened: tuple[str, ...] = ()
    skip_unmatched: bool = False
    decisions: Literal["blind", "open"] = "blind"
    twice: str = "0"


def start(
    folder: Path,
    request: Start,
    *,
    progress: Progress = silent,
    now: Callable[[], str] = utc_now,
) -> Started:
    """Make the project of a review. Nothing is drawn and nothing ranked yet."""
    target = exact_share("recall", request.recall)
    confidence = exact_share("confidence", request.confidence)
    if not request.text:
        raise InputError("A review shows texts: name at least one text column.")
    if request.score is not None and request.rank is not None:
        raise InputError("Name a score or a rank, not both: one of them orders directed reading.")
    _refuse_no_share(request.twice)
    refuse_used(folder)
    with _all_or_nothing(folder):
        return _start(folder, request, target, confidence, progress=progress, now=now)


@contextmanager
def _all_or_nothing(folder: Path) -> Iterator[None]:
    """Refuse to write over somebody's files, and leave none behind where the start is refused.

    A start that was killed begins again: its files lie beside its mark.
    """
    mark = folder / BEGUN
    if mark.exists():
        _clear(folder)
    for name in WRITTEN:
        if (folder / name).exists():
            raise InputError(
                f"{str(folder / name)!r} exists already, and the review would write over it. Choose "
                "another folder, or move the file away."
            )
    missing = not folder.exists()
    if missing:
        private_folder(folder)
    try:
        mark.touch()
    except OSError as error:
        raise InputError(
            f"Nothing can be written into {str(folder)!r}: {error.strerror}."
        ) from error
    try:
        yield
    except BaseException:
        if not is_project(folder):
            _clear(folder)
            if missing and not any(folder.iterdir()):
                folder.rmdir()
        raise
    mark.unlink()


def _clear(folder: Path) -> None:
    for name in (*WRITTEN, secret_path(folder, 1).name, BEGUN):
        (folder / name).unlink(missing_ok=True)


def _start(
    folder: Path,
    request: Start,
    target: Fraction,
    confidence: Fraction,
    *,
    progress: Progress,
    now: Callable[[], str],
) -> Started:
    request = _unpacked(folder, request)
    source = _with_ids(folder, settle(request.pool, "duckdb"), request.id)
    columns = Columns(id=request.id, text=request.text)
    catalogue, duplicates, source = _merged(folder, source, columns, request, progress)
    ids = catalogue.ids
    merged = {one.id: one.kept for one in duplicates if one.by != "id"}
    labels, unmatched = _known(request, catalogue, merged)
    if unmatched:
        write_unmatched(folder / UNMATCHED, unmatched)
    opened = ReviewOpened(
        review=1,
        items=len(ids),
        ids=set_digest(ids),
        target=request.recall,
        confidence=request.confidence,
        method=METHOD,
        commitment=commitment_of(new_secret(folder, 1)),
        ranking=_ranking(request),
        software=__version__,
        score=request.score or request.rank,
        terms=request.terms,
        decisions=request.decisions,
        merged=len(duplicates),
        duplicates=_listed(folder, duplicates),
        twice=request.twice,
    )
    known_labels = (
        KnownLabels(
            review=1,
            source=name,
            labels=tuple(KnownItem(item=item, value=value) for item, value in known.items()),
            unmatched=len(unmatched) if unmatched and name == "import" else None,
        )
        for name, known in labels.items()
    )
    init(
        folder,
        pool=source,
        columns=columns,
        also=(opened, *known_labels),
        progress=progress,
        now=now,
    )
    values = [value for known in labels.values() for value in known.values()]
    return Started(
        items=len(ids),
        target=target,
        confidence=confidence,
        merged=tuple(duplicates),
        unmatched=unmatched,
        known=len(values),
        found=(found := sum(value == 1 for value in values)),
        targets=(targets := tuple(sorted({*TARGETS, target}))),
        floor=floor_table(len(ids), targets, confidence, known=found),
        head=Project(folder=folder, now=now).ledger.entries()[-1].hash,
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


def _ranking(request: Start) -> Literal["texts", "score", "rank", "none"]:
    if request.score is not None:
        return "score"
    if request.rank is not None:
        return "rank"
    return "none" if request.screened and not request.terms and not request.known else "texts"


def _unpacked(folder: Path, request: Start) -> Start:
    """The records as a file of the project where no engine reads theirs.

    An ASReview project file brings its decisions too, which are then imported.
    """
    if is_foreign(request.pool):
        return replace(request, pool=str(copy_of(request.pool, folder / COPIED)))
    if not is_project_file(request.pool):
        return request
    records = read_project(Path(request.pool))
    path = folder / RECORDS
    write_records(records, path)
    decided = any(one.label is not None for one in records)
    screened = request.screened or ((request.pool,) if decided else ())
    return replace(request, pool=str(path), screened=screened)


def _with_ids(folder: Path, source: str, column: str) -> str:
    """The records with one column of ids: a copy in the folder, where several columns make them."""
    if parts_of_name(column) is None:
        return source
    write_joined(source, column, folder / JOINED)
    return str(folder / JOINED)


def _merged(
    folder: Path, source: str, columns: Columns, request: Start, progress: Progress
) -> tuple[Catalogue, list[Duplicate], str]:
    progress("looking for duplicates", None)
    pool = DuckDBPool(source, columns)
    try:
        for column in filter(None, (request.score, request.rank)):
            refuse_unknown(column, dict(pool.types))
            _refuse_no_numbers(pool, column)
        kept, duplicates = find_duplicates(pool)
        if not duplicates:
            return kept, duplicates, source
        path = folder / MERGED
        write_merged(pool, duplicates, path, len(kept.ids))
        return kept, duplicates, str(path)
    finally:
        pool.close()


def _refuse_no_numbers(pool: DuckDBPool, column: str) -> None:
    """Refuse what cannot order records; those without a score or rank are read last."""
    text = f"trim(CAST({named(column)} AS VARCHAR))"
    number = f"TRY_CAST({text} AS DOUBLE)"
    wrong = f"{text} <> '' AND ({number} IS NULL OR NOT isfinite({number}))"
    bad, one, good = pool.select(
        f"SELECT count(*) FILTER ({wrong}), min({text}) FILTER ({wrong}), count({number}) "
        "FROM everything"
    )[0]
    if bad or not good:
        got = f"{counted(bad, 'record')} with {one!r} or the like" if bad else "none at all"
        raise InputError(
            f"A score or rank is a number, or empty for records that come last. {column!r} has "
            f"{got}: name another column."
        )


def _known(
    request: Start, pool: Catalogue, merged: dict[str, str]
) -> tuple[dict[str, dict[str, int | None]], tuple[Unmatched, ...]]:
    """Labels from elsewhere by where they came from, and imported records that are not in the pool."""
    imported: dict[str, int | None] = {}
    unmatched: list[Unmatched] = []
    for text in request.screened:
        file = Path(text).name
        matching = match(read_screened(text, id_column=request.id), pool, merged, file=file)
        if matching.unmatched and not (request.skip_unmatched and matching.labels):
            raise refusal(matching, what=repr(file), like=min(pool.ids), skip=True)
        unmatched += matching.unmatched
        for item, label in matching.labels.items():
            imported[item] = label if imported.get(item, label) == label else None
    relevant = _relevant(request.known, pool, merged) if request.known is not None else []
    clash = next((item for item in relevant if imported.get(item, 1) != 1), None)
    if clash is not None:
        raise InputError(
            f"{clash!r} is named as relevant, and the imported file says otherwise. Leave it out "
            "of one of them."
        )
    known = {item: 1 for item in relevant if item not in imported}
    by_source: dict[str, dict[str, int | None]] = {"import": imported, "known": {**known}}
    return {name: labels for name, labels in by_source.items() if labels}, tuple(unmatched)


def _relevant(known: str | tuple[str, ...], pool: Catalogue, merged: dict[str, str]) -> list[str]:
    """The ids of the pool that are named as relevant."""
    ids = read_ids(known) if isinstance(known, str) else known
    named = [Screened(label=1, names={"id": item}) for item in dict.fromkeys(ids)]
    matching = match(named, pool, merged, file="")
    if matching.unmatched:
        raise refusal(matching, what="the known ids", like=min(pool.ids), skip=False)
    return list(matching.labels)


def _listed(folder: Path, duplicates: Sequence[Duplicate]) -> str | None:
    if not duplicates:
        return None
    path = folder / DUPLICATES
    write_duplicates(path, duplicates)
    return file_digest(path)


def floor_table(
    items: int, targets: Sequence[Fraction], confidence: Fraction, *, known: int = 0
) -> tuple[FloorRow, ...]:
    """The floor for a few guesses of how many records are relevant; none below those known to be."""
    guesses = sorted({known, *(guess for guess in RELEVANT_GUESSES if guess > known)} - {0})
    return tuple(
        FloorRow(
            relevant=guess,
            labels=tuple(floor_labels(items, guess, target, confidence) for target in targets),
        )
        for guess in guesses
        if guess <= items / 2
    )
