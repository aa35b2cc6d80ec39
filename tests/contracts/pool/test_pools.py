"""One suite over every engine and every way a pool can be stored: same items, same answers."""

import json
from pathlib import Path

import duckdb
import pytest

from assaymark.errors import InputError
from assaymark.pool import open_pool
from assaymark.records.plan import Stratum
from assaymark.records.pool import Columns
from assaymark.sampling.tickets import ticket
from worlds_on_disk import write_world

COLUMNS = Columns(id="id", score="score", threshold=0.5, text=("body",))


@pytest.fixture(params=["duckdb", "spark"])
def opened(request):
    """Opens a pool with each engine in turn; Spark is given the same rows as parquet."""
    if request.param == "spark":
        request.getfixturevalue("cluster")
    pools = []

    def open_with(path, columns):
        if request.param == "spark" and Path(path).suffix == ".csv":
            path = as_parquet(path)
        pools.append(open_pool(str(path), columns, engine=request.param))
        return pools[-1]

    yield open_with
    for pool in pools:
        pool.close()


def as_parquet(path):
    """The same rows with the types that a program would have written."""
    table = f"read_csv('{path}', header = true, types = {{'id': 'VARCHAR'}})"
    duckdb.sql(f"COPY (SELECT * FROM {table}) TO '{path}.parquet'")
    return f"{path}.parquet"


STORED = ["parquet", "csv", "csv.gz", "jsonl", "folder", "glob"]
IN_SPARK = ["nested folder", "table", "address"]


@pytest.fixture(params=[*STORED, *IN_SPARK])
def stored(request, tmp_path):
    world = write_world(tmp_path / "world.csv", items=500)
    table = f"read_csv('{world.path}', types = {{'id': 'VARCHAR', 'score': 'DOUBLE'}})"
    kind = request.param
    if kind == "csv":
        return world, str(world.path), "duckdb"
    if kind in IN_SPARK:
        return world, store_in_spark(kind, table, tmp_path, request), "spark"
    if kind in ("folder", "glob"):
        (tmp_path / "parts").mkdir()
        for part in range(3):
            where = f"{tmp_path}/parts/{part}.parquet"
            duckdb.sql(f"COPY (SELECT * FROM {table} WHERE length(id || {part}) > 0 "
                       f"AND CAST(right(id, 1) AS INT) % 3 = {part}) TO '{where}'")  # fmt: skip
        return world, str(tmp_path / "parts" / ("*.parquet" if kind == "glob" else "")), "duckdb"
    path = tmp_path / f"pool.{kind}"
    form = {"parquet": "FORMAT parquet", "csv.gz": "FORMAT csv, HEADER, COMPRESSION gzip",
            "jsonl": "FORMAT json"}[kind]  # fmt: skip
    duckdb.sql(f"COPY (SELECT * FROM {table}) TO '{path}' ({form})")
    return world, str(path), "duckdb"


def store_in_spark(kind, table, tmp_path, request):
    """The rows in parts of one name each in its own folder, or as a table of the catalogue."""
    session = request.getfixturevalue("cluster").session
    for part in range(3):
        folder = tmp_path / "parts [of it]" / f"part={part}"
        folder.mkdir(parents=True)
        duckdb.sql(f"COPY (SELECT * FROM {table} WHERE CAST(right(id, 1) AS INT) % 3 = {part}) "
                   f"TO '{folder}/rows.parquet'")  # fmt: skip
    if kind == "nested folder":
        return str(tmp_path / "parts [of it]")
    frame = session.read.parquet(
        *(f"file://{tmp_path}/parts \\[of it\\]/part={p}" for p in range(3))
    )
    if kind == "address":
        frame.write.parquet(f"file://{tmp_path}/lake")
        return f"file://{tmp_path}/lake"
    session.sql("DROP TABLE IF EXISTS scored")
    frame.write.saveAsTable("scored")
    return "table:scored"


def test_every_format_gives_the_same_summary_and_tickets(stored) -> None:
    world, path, engine = stored
    pool = open_pool(path, COLUMNS, engine=engine)
    summary = pool.summary()
    predicted = [item for item, score in world.scores.items() if score >= 0.5]
    assert (summary.items, summary.predicted_positive) == (500, len(predicted))
    assert sum(summary.positive.counts) == len(predicted)
    span = summary.score_high - summary.score_low
    total = sum(int(1e9 * ((world.scores[i] - summary.score_low) / span)) for i in predicted)
    assert sum(summary.positive.sums) == total
    found = pool.reserve("seed", strata=[Stratum(items=500)], limits=[40])
    expected = sorted(world.scores, key=lambda item: ticket("seed", item))[:40]
    assert [item.id for item in found] == expected
    assert [item.prediction for item in found] == [world.scores[i] >= 0.5 for i in expected]
    texts = pool.texts(expected[:3])
    assert texts[expected[0]] == {"body": f"text of {expected[0]}, with a comma"}
    files = pool.files()
    assert len({file.name for file in files}) == len(files) == (3 if "parts" in path else 1)
    pool.close()


def test_strata_are_filled_apart_and_can_be_continued(tmp_path, opened) -> None:
    world = write_world(tmp_path / "w.csv", items=900)
    pool = opened(world.path, COLUMNS)
    summary = pool.summary()
    middle = summary.negative.edges[len(summary.negative.edges) // 2]
    low_count = sum(
        count
        for count, edge in zip(summary.negative.counts, summary.negative.edges, strict=False)
        if edge < middle
    )
    strata = [
        Stratum(items=summary.predicted_positive, prediction=True),
        Stratum(items=low_count, prediction=False, grid_to=middle),
        Stratum(items=summary.predicted_negative - low_count, prediction=False, grid_from=middle),
    ]
    everything = pool.reserve("s", strata=strata, limits=[10_000] * 3)
    assert len(everything) == 900
    for k, stratum in enumerate(strata):
        mine = [item for item in everything if item.stratum == k]
        assert len(mine) == stratum.items
        assert [item.ticket for item in mine] == sorted(item.ticket for item in mine)
    asked = [item.id for item in everything[::3]]
    places = pool.strata_of([*asked, "no such item"], strata)
    assert places == {item.id: item.stratum for item in everything[::3]}
    first = pool.reserve("s", strata=strata, limits=[5, 6, 7])
    last = [max(item.ticket for item in first if item.stratum == k) for k in range(3)]
    more = pool.reserve("s", strata=strata, limits=[5, 6, 7], after=last)
    for k, limit in enumerate([5, 6, 7]):
        mine = [item.id for item in everything if item.stratum == k]
        assert [item.id for item in first if item.stratum == k] == mine[:limit]
        assert [item.id for item in more if item.stratum == k] == mine[limit : 2 * limit]


@pytest.mark.parametrize("kind", ["INTEGER", "BIGINT", "UBIGINT"])
def test_whole_ids_are_written_in_decimal(tmp_path, opened, kind) -> None:
    path = tmp_path / "ids.parquet"
    large = {"INTEGER": 2**31 - 1, "BIGINT": -(2**63) + 1, "UBIGINT": 2**64 - 1}[kind]
    rows = f"(VALUES (7, 1), ({large}, 0)) t(id, p)"
    duckdb.sql(f"COPY (SELECT CAST(id AS {kind}) AS id, p FROM {rows}) TO '{path}'")
    pool = opened(path, Columns(id="id", prediction="p"))
    assert pool.summary().items == 2
    found = pool.reserve("s", strata=[Stratum(items=2)], limits=[2])
    assert {item.id for item in found} == {"7", str(large)}
    assert all(item.ticket == ticket("s", item.id) for item in found)


def test_ids_are_text_in_one_stated_way(tmp_path) -> None:
    """Text as it stands, leading zeros and spaces included."""
    (tmp_path / "ids.csv").write_text("id,p\n007, 1\n2020-01-01,0\n é ,0\n", encoding="utf-8")
    pool = open_pool(str(tmp_path / "ids.csv"), Columns(id="id", prediction="p"))
    found = pool.reserve("s", strata=[Stratum(items=3)], limits=[3])
    assert {"007", "2020-01-01", " é "} == {item.id for item in found}
    pool.close()
    lines = [json.dumps({"id": "2020-01-01", "p": 1}), json.dumps({"id": "x'\"y", "p": 0})]
    (tmp_path / "ids.jsonl").write_text("\n".join(lines))
    pool = open_pool(str(tmp_path / "ids.jsonl"), Columns(id="id", prediction="p"))
    found = pool.reserve("s", strata=[Stratum(items=2)], limits=[2])
    assert {"2020-01-01", "x'\"y"} == {item.id for item in found}
    assert all(item.ticket == ticket("s", item.id) for item in found)
    pool.close()


@pytest.mark.parametrize("values", [[0.5] * 10, [0.0] * 6 + [1.0] * 4, [-3.5, 1e6, 12.0] * 3 + [7]])
def test_ties_spikes_and_any_range_are_handled(tmp_path, opened, values) -> None:
    path = tmp_path / "p.csv"
    path.write_text("id,s,p\n" + "".join(f"{n},{v},1\n" for n, v in enumerate(values)))
    pool = opened(path, Columns(id="id", score="s", prediction="p"))
    summary = pool.summary()
    assert sum(summary.positive.counts) == len(values)
    assert len(summary.positive.counts) == len(set(values))
    assert summary.negative.counts == ()


def test_a_seed_with_quotes_is_a_seed(tmp_path, opened) -> None:
    world = write_world(tmp_path / "w.csv", items=50)
    pool = opened(world.path, COLUMNS)
    seed = "it's; \\n DROP TABLE pool -- é"
    found = pool.reserve(seed, strata=[Stratum(items=50)], limits=[3])
    assert [i.id for i in found] == sorted(world.scores, key=lambda i: ticket(seed, i))[:3]


def test_a_small_stratum_is_taken_whole_beside_a_large_one(tmp_path, opened) -> None:
    """The cut-off that spares the large stratum must not starve the small one."""
    path = tmp_path / "p.csv"
    path.write_text("id,p\n" + "".join(f"i{n},{int(n < 3)}\n" for n in range(3000)))
    pool = opened(path, Columns(id="id", prediction="p"))
    strata = [Stratum(items=3, prediction=True), Stratum(items=2997, prediction=False)]
    found = pool.reserve("s", strata=strata, limits=[50, 50])
    assert {item.id for item in found if item.stratum == 0} == {"i0", "i1", "i2"}
    large = sorted((f"i{n}" for n in range(3, 3000)), key=lambda item: ticket("s", item))[:50]
    assert [item.id for item in found if item.stratum == 1] == large


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ("('a', 0.1), ('a', 0.2)", "Ids in 'id' are not unique: a (2 times), … among 2 items."),
        ("('a', 0.1), (NULL, 0.2)", "1 of 2 items have no id in 'id'."),
        ("('a', 0.1), ('b', NULL)", "1 of 2 items have no number as score in 's' (ids b)."),
        ("('a', 0.1), ('b', CAST('nan' AS DOUBLE))", "score that is not finite in 's' (ids b)."),
        ("('a', 0.1), ('b', CAST('-inf' AS DOUBLE))", "score that is not finite in 's' (ids b)."),
    ],
)  # fmt: skip
def test_unusable_items_are_named(tmp_path, opened, rows, sentence) -> None:
    path = tmp_path / "p.parquet"
    duckdb.sql(f"COPY (SELECT * FROM (VALUES {rows}) t(id, s)) TO '{path}'")
    with pytest.raises(InputError) as refused:
        opened(path, Columns(id="id", score="s")).summary()
    assert sentence in str(refused.value)


def test_an_unknown_column_is_refused_with_the_nearest(tmp_path, opened) -> None:
    world = write_world(tmp_path / "w.csv", items=50)
    with pytest.raises(InputError, match="Did you mean 'score'"):
        opened(world.path, Columns(id="id", score="scor"))
