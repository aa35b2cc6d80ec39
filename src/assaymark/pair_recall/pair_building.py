"""Build a pair of classifiers: seed terms and their neighbours, or two learners on two views."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assaymark.claims.checks import choice
from assaymark.claims.results import counted
from assaymark.errors import InputError
from assaymark.files.batch import refuse_existing
from assaymark.files.labels import read_labels
from assaymark.hints import option
from assaymark.learners.linear import TextModel, train
from assaymark.pair_recall.keyword_filters import (
    Neighbour,
    count_matches,
    find_neighbours,
    flag_sql,
    overlap_counts,
    read_terms,
)
from assaymark.pair_recall.stats.pair_dependence import pair_kind
from assaymark.pair_recall.two_views import SPLITS, Split, two_views
from assaymark.pool import Pool, Progress, open_pool, silent
from assaymark.pool.sources import named, quoted, settle
from assaymark.pool.tables import write_table
from assaymark.pool.written import refuse_ending
from assaymark.records.pool import Columns

ENDINGS = (".parquet", ".csv")
PAGE = 20_000  # items whose texts are in memory at a time


@dataclass(frozen=True, kw_only=True)
class KeywordPair:
    """The filters that were built, how many items each flags, and where their columns are."""

    seeds: tuple[str, ...]
    neighbours: tuple[Neighbour, ...]
    score: str
    items: int
    seed_items: int
    neighbour_items: int
    both: int
    columns: tuple[str, str]
    path: Path | None
    warning: str | None


def build_keywords(
    pool: str,
    *,
    text: Sequence[str],
    seed_terms: Sequence[str],
    score: str = "jaccard",
    top: int = 30,
    least_items: int = 5,
    most_share: float = 0.05,
    weights: tuple[float, float] = (0.9, 0.1),
    names: tuple[str, str] = ("seed", "neighbours"),
    output: Path | None = None,
    engine: str = "duckdb",
    connection: object = None,
    progress: Progress = silent,
) -> KeywordPair:
    """The neighbour filter of the seed terms; with `output`, the pool with both 0/1 columns.

    Spark writes a folder of parquet files; `connection` is its session or address.
    """
    _check_output(output)
    if output is not None:
        refuse_ending(output, engine)  # before the terms are counted, not after
    columns = Columns(id=text[0], text=tuple(text))
    opened = open_pool(settle(pool, engine), columns, engine=engine, connection=connection)
    try:
        _check_names(opened, names)
        progress("reading the seed terms", None)
        seeds = read_terms(opened, seed_terms)
        matched, items = count_matches(opened, len(text), seeds)
        progress("counting every term with the seed terms", None)
        near = find_neighbours(
            opened,
            len(text),
            seeds,
            score=score,
            top=top,
            least_items=least_items,
            most_share=most_share,
            weights=weights,
        )
        filters = [[neighbour.term] for neighbour in near]
        counts = overlap_counts(opened, len(text), seeds, filters)
        if output is not None:
            progress("writing both columns", None)
            sql = flag_sql(opened, text, {names[0]: seeds, names[1]: filters})
            opened.export(sql, output, rows=items)
    finally:
        opened.close()
    return KeywordPair(
        seeds=tuple(" ".join(words) for words in seeds),
        neighbours=near,
        score=score,
        items=items,
        seed_items=matched,
        neighbour_items=counts["second"],
        both=counts["both"],
        columns=names,
        path=output,
        warning=pair_kind(score).warning,
    )


def _check_output(output: Path | None) -> None:
    if output is None:
        return
    refuse_existing(output)
    if output.suffix.lower() not in ENDINGS:
        raise InputError(f"The flagged pool is written as .parquet or .csv, got {output.name!r}.")


def _check_names(pool: Pool, names: Sequence[str]) -> None:
    present = {name.lower() for name in pool.types}
    for name in names:
        if name.lower() in present:
            raise InputError(
                f"The pool has a column '{name}' already. Name the new columns with {option('names', 'A,B')}."
            )


@dataclass(frozen=True, kw_only=True)
class LearnedPair:
    """Two learners on two views: what they were trained on, and what they flag of the rest."""

    split: str
    training: int
    positives: int
    items: int
    flagged: tuple[int, int]
    both: int
    columns: tuple[str, str]
    path: Path
    warning: str | None


@dataclass(kw_only=True)
class Flagged:
    """Items and what both learners say of them, in the same order."""

    ids: list[str] = field(default_factory=list)
    first: list[bool] = field(default_factory=list)
    second: list[bool] = field(default_factory=list)


def build_learned(
    pool: str,
    *,
    id_column: str,
    text: Sequence[str],
    labels: Path,
    split: str = "columns",
    names: tuple[str, str] = ("first", "second"),
    output: Path,
    progress: Progress = silent,
) -> LearnedPair:
    """Train two linear classifiers on the labelled items, each on its own view of the text.

    The output holds every *other* item of the pool, with its columns and two 0/1 columns: recall is
    about items that the classifiers did not learn from.
    """
    _check_output(output)
    way = SPLITS[choice("split", split, SPLITS)]
    known = _training(labels)
    opened = open_pool(pool, Columns(id=id_column, text=tuple(text)))
    try:
        _check_names(opened, names)
        opened.summary(progress)
        learners = _trained(opened, way, known, progress)
        flags = _applied(opened, way, learners, known, len(text), progress)
        _write(opened, id_column, names, flags, output)
    finally:
        opened.close()
    first, second = flags.first, flags.second
    return LearnedPair(
        split=split,
        training=len(known),
        positives=sum(known.values()),
        items=len(flags.ids),
        flagged=(sum(first), sum(second)),
        both=sum(a and b for a, b in zip(first, second, strict=True)),
        columns=names,
        path=output,
        warning=pair_kind(split).warning,
    )


def _training(path: Path) -> dict[str, int]:
    rows = read_labels(path, annotator="reviewer").rows
    return {row.item: row.label for row in rows if row.label is not None}


def _trained(
    opened: Pool, way: Split, known: Mapping[str, int], progress: Progress
) -> list[TextModel]:
    progress("reading the training texts", None)
    texts = opened.texts(list(known))
    missing = [item for item in known if item not in texts]
    if missing:
        raise InputError(
            f"The pool does not hold {counted(len(missing), 'training item')} (the first is "
            f"{missing[0]!r}). Label items of the pool, by its ids."
        )
    views = two_views(way, [list(texts[item].values()) for item in known])
    progress("training both classifiers", None)
    answers = [bool(label) for label in known.values()]
    return [train(view, answers) for view in views]


def _applied(
    opened: Pool,
    way: Split,
    learners: Sequence[TextModel],
    known: Mapping[str, int],
    columns: int,
    progress: Progress,
) -> Flagged:
    """Both flags of every item that was not trained on, a page of texts at a time."""
    flagged = Flagged()
    texts = ", ".join(f"text_{i}" for i in range(columns))
    items = opened.select("SELECT count(*) FROM pool")[0][0]
    last = ""
    while True:
        after = f"WHERE id > {quoted(last)} " if last else ""
        rows = opened.select(f"SELECT id, {texts} FROM pool {after}ORDER BY id LIMIT {PAGE}")
        if not rows:
            return flagged
        last = rows[-1][0]
        rest = [row for row in rows if row[0] not in known]
        if rest:
            views = two_views(way, [row[1:] for row in rest])
            flagged.ids += [row[0] for row in rest]
            flagged.first += learners[0].flags(views[0]).tolist()
            flagged.second += learners[1].flags(views[1]).tolist()
        progress("reading and flagging the pool", len(flagged.ids) / items)


def _write(
    opened: Pool,
    id_column: str,
    names: tuple[str, str],
    flags: Flagged,
    output: Path,
) -> None:
    """The pool without its training items, joined with the flags by id."""
    beside = output.with_name(output.name + ".flags")
    try:
        write_table(
            beside,
            {
                "assaymark_id": flags.ids,
                "assaymark_a": [int(flag) for flag in flags.first],
                "assaymark_b": [int(flag) for flag in flags.second],
            },
        )
        opened.export(
            f"SELECT e.*, CAST(f.assaymark_a AS INTEGER) AS {named(names[0])}, "
            f"CAST(f.assaymark_b AS INTEGER) AS {named(names[1])} FROM everything e "
            f"JOIN read_parquet({quoted(str(beside))}) f "
            f"ON CAST(e.{named(id_column)} AS VARCHAR) = f.assaymark_id",
            output,
            rows=len(flags.ids),
        )
    finally:
        beside.unlink(missing_ok=True)
