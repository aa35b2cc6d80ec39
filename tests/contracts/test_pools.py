"""One suite over every way a pool can be stored: same items, same answers."""

import json

import duckdb
import pytest

from assay.draw import ticket
from assay.pool import open_pool
from assay.types.pool import Columns
from assay.types.strata import Stratum
from conftest import write_world

COLUMNS = Columns(id="id", score="score", threshold=0.5, text=("body",))


@pytest.fixture(params=["parquet", "csv", "csv.gz", "jsonl", "folder", "glob"])
def stored(request, tmp_path):
    world = write_world(tmp_path / "world.csv", items=500)
    table = f"read_csv('{world.path}', types = {{'id': 'VARCHAR', 'score': 'DOUBLE'}})"
    kind = request.param
    if kind == "csv":
        return world, str(world.path)
    if kind in ("folder", "glob"):
        (tmp_path / "parts").mkdir()
        for part in range(3):
            where = f"{tmp_path}/parts/{part}.parquet"
            duckdb.sql(f"COPY (SELECT * FROM {table} WHERE length(id || {part}) > 0 "
                       f"AND CAST(right(id, 1) AS INT) % 3 = {part}) TO '{where}'")  # fmt: skip
        return world, str(tmp_path / "parts" / ("*.parquet" if kind == "glob" else ""))
    path = tmp_path / f"pool.{kind}"
    form = {"parquet": "FORMAT parquet", "csv.gz": "FORMAT csv, HEADER, COMPRESSION gzip",
            "jsonl": "FORMAT json"}[kind]  # fmt: skip
    duckdb.sql(f"COPY (SELECT * FROM {table}) TO '{path}' ({form})")
    return world, str(path)


def test_every_format_gives_the_same_summary_and_tickets(stored) -> None:
    world, path = stored
    pool = open_pool(path, COLUMNS)
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
    pool.close()


def test_strata_are_filled_apart_and_can_be_continued(tmp_path) -> None:
    world = write_world(tmp_path / "w.csv", items=900)
    pool = open_pool(str(world.path), COLUMNS)
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
    first = pool.reserve("s", strata=strata, limits=[5, 6, 7])
    last = [max(item.ticket for item in first if item.stratum == k) for k in range(3)]
    more = pool.reserve("s", strata=strata, limits=[5, 6, 7], after=last)
    for k, limit in enumerate([5, 6, 7]):
        mine = [item.id for item in everything if item.stratum == k]
        assert [item.id for item in first if item.stratum == k] == mine[:limit]
        assert [item.id for item in more if item.stratum == k] == mine[limit : 2 * limit]
    pool.close()


def test_ids_are_text_in_one_stated_way(tmp_path) -> None:
    """Whole numbers in decimal; text as it stands, leading zeros and spaces included."""
    path = tmp_path / "ids.parquet"
    duckdb.sql(f"COPY (SELECT * FROM (VALUES (7, 1), (-12, 0)) t(id, p)) TO '{path}'")
    pool = open_pool(str(path), Columns(id="id", prediction="p"))
    found = pool.reserve("s", strata=[Stratum(items=2)], limits=[2])
    assert {item.id for item in found} == {"7", "-12"}
    pool.close()
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
def test_ties_spikes_and_any_range_are_handled(tmp_path, values) -> None:
    path = tmp_path / "p.csv"
    path.write_text("id,s,p\n" + "".join(f"{n},{v},1\n" for n, v in enumerate(values)))
    pool = open_pool(str(path), Columns(id="id", score="s", prediction="p"))
    summary = pool.summary()
    assert sum(summary.positive.counts) == len(values)
    assert len(summary.positive.counts) == len(set(values))
    assert summary.negative.counts == ()
    pool.close()


def test_a_seed_with_quotes_is_a_seed(tmp_path) -> None:
    world = write_world(tmp_path / "w.csv", items=50)
    pool = open_pool(str(world.path), COLUMNS)
    seed = "it's; DROP TABLE pool --"
    found = pool.reserve(seed, strata=[Stratum(items=50)], limits=[3])
    assert [i.id for i in found] == sorted(world.scores, key=lambda i: ticket(seed, i))[:3]
    pool.close()
