"""Several columns may make the id of an item: in Python as a tuple, in files as a JSON list."""

import csv
import json

import pandas
import polars
import pytest

from assaymark import Columns, certify, init
from assaymark.errors import AssaymarkError, InputError
from assaymark.pool.joined_ids import joined_id, joined_name, parts_of_name, split_id
from worlds_on_disk import write_rows

QUERIES = ['q "1"', "q\\2", "q,3", "ü"]
ROWS = [{"qid": q, "docid": d, "score": (d + 0.5) / 40} for q in QUERIES for d in range(40)]


@pytest.mark.parametrize("table", [ROWS, pandas.DataFrame(ROWS), polars.DataFrame(ROWS)])
def test_ids_come_back_as_tuples_in_their_types(table):
    work = certify(table, "accuracy >= 0.8", id=["qid", "docid"], threshold=0.5, seed="example")
    items = work.ask(4)
    assert {type(part) for item in items for part in item.id} == {str, int}
    assert {item.id for item in items} <= {(row["qid"], row["docid"]) for row in ROWS}
    labels = [{"qid": i.id[0], "docid": i.id[1], "label": i.id[1] >= 20} for i in items]
    assert work.tell(pandas.DataFrame(labels)).recorded == 4
    verdict = work.run(lambda item: item.id[1] >= 20, batch=40)
    assert verdict.established
    assert not (work.folder / "rows-pool.parquet").exists()


def test_on_the_command_line(tmp_path, assaymark):
    write_rows(tmp_path / "pool.csv", ROWS)
    work = str(tmp_path / "work")
    begin = ["init", work, "--pool", str(tmp_path / "pool.csv"), "--score", "score"]
    for arguments in (
        [*begin, "--threshold", "0.5", "--id", "qid", "--id", "docid"],
        ["plan", "accuracy >= 0.8", "-p", work],
        ["draw", "5", "-p", work, "-o", str(tmp_path / "batch.csv")],
    ):
        done = assaymark(*arguments)
        assert done.code == 0, done.err
    with (tmp_path / "batch.csv").open(newline="", encoding="utf-8-sig") as stream:
        ids = [json.loads(row["id"]) for row in csv.DictReader(stream)]
    assert all(parts[0] in QUERIES and 0 <= int(parts[1]) < 40 for parts in ids)


def test_a_refused_pool_leaves_nothing_behind(tmp_path):
    pool = tmp_path / "pool.csv"
    pool.write_text("a,b,score\n1,x,0.1\n1,x,0.2\n", encoding="utf-8")
    columns = Columns(id=joined_name(["a", "b"]), score="score", threshold=0.15)
    for _ in range(2):
        with pytest.raises(AssaymarkError, match="not unique"):
            init(tmp_path / "work", pool=str(pool), columns=columns)
    assert not (tmp_path / "work" / "pool.parquet").exists()


def test_names_and_ids_are_json_lists():
    assert split_id(joined_id(['a"b', "c\\d", 3])) == ('a"b', "c\\d", "3")
    assert parts_of_name("id") is None
    assert parts_of_name('["odd') is None
    with pytest.raises(InputError, match="different columns"):
        joined_name(["a", "a"])
