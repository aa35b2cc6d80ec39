"""Cells, keywords, written filters and routing on every engine: the same answers from the same rows."""

from pathlib import Path

import duckdb
import pytest

from assaymark.errors import AssaymarkError, EngineError, InputError
from assaymark.pair_recall.files import draw_for_recall
from assaymark.pair_recall.keyword_filters import (
    SIMILARITIES,
    find_neighbours,
    overlap_counts,
    read_terms,
)
from assaymark.pair_recall.pair_building import build_keywords
from assaymark.pair_recall.recall import RecallRequest
from assaymark.pair_recall.survey import draw_recall_survey
from assaymark.pool import open_pool
from assaymark.pool.cells import cells_of, count_cells, lowest_tickets
from assaymark.pool.scored import ScoreColumns
from assaymark.project.folder import Project
from assaymark.project.registration import init
from assaymark.records.pool import Columns
from assaymark.sampling.tickets import ticket
from assaymark.triaging.routing import route
from assaymark.triaging.triage import Cutoffs

ENGINES = ["duckdb", "spark"]
# what engines could read in different ways: final sigma, dotted I, capitals beyond ASCII, marks,
# other scripts, addresses, control characters, quotes, backslashes, missing texts
TEXTS = [
    "Mars ROVER lands #Mars",
    "the ΟΔΟΣ of mars, İstanbul ÉCOLE",
    "Œuvre на МАРС @Nasa 火星 rover",
    "https://mars.example/rover?x=1 nothing here",
    "http://t.co/x\x0bmars rover\tand\u00a0launch",
    "don't C:\\new {rover} [a-z]* it''s",
    "e\u0301cole école 1٣ mars_rover",
    "launch window mars",
    None,
    "",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """240 items in two files with flags of three kinds, scores that sit on the cut-offs, and texts."""
    place = tmp_path_factory.mktemp("methods") / "pool"
    place.mkdir()
    rows = [
        (f"i{n}'\\é", n % 3 == 0, n % 2, "yes" if n % 5 < 2 else "No", (n * 37 % 101) / 100,
         TEXTS[n % len(TEXTS)], n)
        for n in range(240)
    ]  # fmt: skip
    connection = duckdb.connect()
    connection.execute(
        'CREATE TABLE t (id VARCHAR, a BOOLEAN, b TINYINT, "c `x`" VARCHAR, score DOUBLE, '
        "body VARCHAR, number UBIGINT)"
    )
    connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
    for part in range(2):
        where = f"number % 2 = {part}"
        connection.execute(f"COPY (FROM t WHERE {where}) TO '{place}/{part}.parquet'")
    return place


@pytest.fixture
def both(folder, cluster):
    """Opens the folder by DuckDB and by Spark."""
    pools = []

    def opened(columns, flags=()):
        pools.extend(open_pool(str(folder), columns, engine=e, flags=flags) for e in ENGINES)
        return pools[-2:]

    yield opened
    for pool in pools:
        pool.close()


def content(path: Path) -> list[tuple[object, ...]]:
    """The rows of a parquet file, or of a folder of them, in no order."""
    files = [str(path)] if path.is_file() else [str(p) for p in path.glob("*.parquet")]
    rows = duckdb.sql(
        f"SELECT * REPLACE (CAST(number AS BIGINT) AS number) FROM read_parquet({files})"
    )
    return sorted(rows.fetchall())


def test_cells_and_their_lowest_tickets(both) -> None:
    flags = ("a", "b", "c `x`")
    one, other = both(Columns(id="id", text=("body",)), flags)
    sizes = count_cells(one, flags)
    assert sizes == count_cells(other, flags)
    assert sum(sizes.values()) == 240
    assert all(sizes.values())
    new = dict.fromkeys(sizes, 4) | {"000": 1000}
    drawn = [
        lowest_tickets(pool, "it's", sizes=sizes, taken={"111": 2}, new=new)
        for pool in (one, other)
    ]
    assert drawn[0] == drawn[1]
    place = cells_of(other, 3, [item for item, _ in drawn[1]])
    assert place == dict(drawn[1]) == cells_of(one, 3, list(place))
    whole = [item for item, cell in drawn[1] if cell == "000"]
    assert whole == sorted(whole, key=lambda item: ticket("it's", item))
    assert len(whole) == sizes["000"]


def test_a_column_that_is_no_flag_is_refused_alike(both) -> None:
    said = []
    for pool in both(Columns(id="id"), ("score", "a")):
        with pytest.raises(InputError) as refused:
            count_cells(pool, ("score", "a"))
        said.append(str(refused.value))
    assert said[0] == said[1]
    assert "items have neither 0 nor 1 in 'score'" in said[0]


def test_terms_and_neighbours_of_a_seed_set(both) -> None:
    pools = both(Columns(id="id", text=("body",)))
    given = ["MARS", "#Mars", "ΟΔΟΣ", "İstanbul", "launch window", "it's"]
    seeds, again = (read_terms(pool, given) for pool in pools)
    assert seeds == again == [["mars"], ["#mars"], ["οδοσ"], ["istanbul"], ["launch", "window"],
                              ["it", "s"]]  # fmt: skip
    seeds = seeds[:5]
    for score in SIMILARITIES:
        near = [
            find_neighbours(pool, 1, seeds, score=score, least_items=2, most_share=0.9)
            for pool in pools
        ]
        assert near[0] == near[1]
    assert {"rover", "école", "of"} <= {found.term for found in near[0]}
    filters = [[found.term] for found in near[0]]
    assert overlap_counts(pools[0], 1, seeds, filters) == overlap_counts(
        pools[1], 1, seeds, filters
    )


def build(folder, output, engine):
    return build_keywords(
        str(folder), text=["body"], seed_terms=["mars", "launch window"], least_items=2,
        most_share=0.9, names=("seed `s`", "near"), output=output, engine=engine,
    )  # fmt: skip


def test_filters_are_written_as_columns(folder, cluster, tmp_path) -> None:
    duck = build(folder, tmp_path / "duck.parquet", "duckdb")
    spark = build(folder, tmp_path / "spark.parquet", "spark")
    assert duck.neighbours == spark.neighbours
    assert content(duck.path) == content(spark.path)
    assert (duck.path.is_file(), spark.path.is_dir()) == (True, True)
    flagged = open_pool(
        str(spark.path), Columns(id="id"), engine="spark", flags=("seed `s`", "near")
    )
    sizes = count_cells(flagged, ("seed `s`", "near"))
    flagged.close()
    assert (sizes["11"] + sizes["10"], sizes["11"]) == (duck.seed_items, duck.both)


def test_a_writing_that_fails_leaves_nothing_and_covers_nothing(folder, cluster, tmp_path) -> None:
    pool = open_pool(str(folder), Columns(id="id"), engine="spark")
    sql = f"SELECT * FROM {pool.everything}"
    taken = tmp_path / "taken.parquet"
    taken.mkdir()
    for path, select, rows, error, said in (
        (taken, sql, 240, InputError, "exists already"),
        (tmp_path / "a.csv", sql, 240, InputError, "ends in .parquet"),
        (tmp_path / "a.parquet", sql, 241, EngineError, "got 240 rows where 241 were counted"),
        (
            tmp_path / "a.parquet",
            f"SELECT raise_error('no') FROM {pool.everything}",
            240,
            EngineError,
            "Spark cannot write",
        ),
    ):
        with pytest.raises(error, match=said):
            pool.export(select, path, rows=rows)
        assert [left.name for left in tmp_path.iterdir()] == ["taken.parquet"]
    pool.close()


@pytest.mark.parametrize("cutoffs", [Cutoffs(low=0.25, high=0.75), Cutoffs(low=None, high=1.0)])
def test_routing_puts_the_same_rows_into_the_same_parts(folder, cluster, tmp_path, cutoffs) -> None:
    columns = ScoreColumns(score="score", id="id")
    duck = route(str(folder), columns, cutoffs, tmp_path / "duck")
    spark = route(str(folder), columns, cutoffs, tmp_path / "spark", engine="spark")
    assert str(duck) == str(spark)
    for name in ("accept", "review", "reject"):
        rows = content(tmp_path / "spark" / f"{name}.parquet")
        assert rows == content(tmp_path / "duck" / f"{name}.parquet")
        assert len(rows) == getattr(spark, name)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["duck", "spark"]
    with pytest.raises(AssaymarkError, match="nothing is overwritten"):
        route(str(folder), columns, cutoffs, tmp_path / "spark", engine="spark")


def test_batches_for_recall_are_the_same_with_and_without_a_project(
    folder, cluster, tmp_path
) -> None:
    wish = RecallRequest(flags=("a", "b"))
    files, surveys = [], []
    for engine in ENGINES:
        path = tmp_path / f"{engine}.csv"
        draw_for_recall(
            str(folder), wish, id_column="id", text=["body"], count=20, outside=5, output=path,
            engine=engine,
        )  # fmt: skip
        files.append(path.read_bytes())
        columns = Columns(id="id", score="score", threshold=0.5, text=("body",))
        init(tmp_path / engine, pool=str(folder), columns=columns, engine=engine)
        batch = draw_recall_survey(
            Project(folder=tmp_path / engine), wish, count=20, outside=5, seed="s"
        )
        surveys.append(batch.items)
    assert files[0] == files[1]
    assert surveys[0] == surveys[1]


def test_columns_in_folder_names_are_columns(folder, cluster, tmp_path) -> None:
    """A lake by day: routing keeps the day, whichever engine reads it."""
    for part in range(2):
        place = tmp_path / "lake [x]" / f"day={part + 1}"
        place.mkdir(parents=True)
        (place / "rows.parquet").write_bytes((folder / f"{part}.parquet").read_bytes())
    columns, cutoffs = ScoreColumns(score="score", id="id"), Cutoffs(low=0.25, high=0.75)
    for engine in ENGINES:
        route(str(tmp_path / "lake [x]"), columns, cutoffs, tmp_path / engine, engine=engine)
    rows = content(tmp_path / "spark" / "review.parquet")
    assert rows == content(tmp_path / "duckdb" / "review.parquet")
    assert {row[-1] for row in rows} == {1, 2}
