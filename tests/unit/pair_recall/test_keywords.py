"""Pair builders: keyword filters counted by the engine, views of a text, the small learner."""

import math
from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np
import pytest

from assaymark.errors import InputError
from assaymark.learners.linear import train
from assaymark.pair_recall.keyword_filters import (
    SIMILARITIES,
    find_neighbours,
    match_sql,
    read_terms,
    terms_sql,
)
from assaymark.pair_recall.two_views import (
    SPLITS,
    by_columns,
    by_vocabulary,
    side_of,
    two_views,
    words,
)
from assaymark.pool import open_pool
from assaymark.records.pool import Columns
from worlds_on_disk import write_csv

TEXTS = [
    "Mars rover lands",
    "MARS Rover image",
    "the rover on mars http://mars.example/rover",
    "#mars rover",
    "rover club",
    "white house lawn",
    "house white paint",
    "Ünïcode ÉTÉ café",
    None,
    "@nasa says hello",
]


@pytest.fixture
def pool(tmp_path: Path):
    path = tmp_path / "p.csv"
    write_csv(path, ["id", "body"], ([f"d{k}", text] for k, text in enumerate(TEXTS)))
    opened = open_pool(str(path), Columns(id="id", text=("body",)))
    yield opened
    opened.close()


def matching(pool, *terms: str) -> list[str]:
    filters = read_terms(pool, terms)
    rows = pool.select(
        f"WITH t AS (SELECT id, {terms_sql('text_0')} AS terms FROM pool) "
        f"SELECT id FROM t WHERE {match_sql('terms', filters)} ORDER BY id"
    )
    return [row[0] for row in rows]


@pytest.mark.parametrize(
    ("terms", "found"),
    [
        (["mars"], ["d0", "d1", "d2"]),
        (["MARS"], ["d0", "d1", "d2"]),
        (["#Mars"], ["d3"]),
        (["mars", "#mars"], ["d0", "d1", "d2", "d3"]),
        (["White  House"], ["d5"]),
        (["@NASA"], ["d9"]),
        (["nasa"], []),
        (["été"], ["d7"]),
        (["ete"], []),
        (["example"], []),
    ],
)
def test_what_a_filter_matches(pool, terms: list[str], found: list[str]) -> None:
    assert matching(pool, *terms) == found


def test_neighbours_by_every_score(pool) -> None:
    """rover: in 5 items, 4 of them with a seed term; seeds match 4 of 10."""
    seeds = read_terms(pool, ["mars", "#mars"])
    expected = {
        "jaccard": 4 / 5,
        "overlap": 4 / 5,
        "pmi": math.log(4 * 10 / (5 * 4)),
        "tversky": 4 / (4 + 0.9 * 1),
    }
    assert set(expected) == set(SIMILARITIES)
    for name, score in expected.items():
        near = find_neighbours(pool, 1, seeds, score=name, least_items=2, most_share=1)
        assert [n.term for n in near] == ["rover"]
        assert near[0].score == pytest.approx(score)
        assert (near[0].items, near[0].joint) == (5, 4)


def test_the_limits_on_neighbours(pool) -> None:
    seeds = read_terms(pool, ["#mars"])
    near = find_neighbours(pool, 1, seeds, least_items=1, most_share=1)
    assert [n.term for n in near] == ["rover"]  # "mars" is the seed without its mark
    with pytest.raises(InputError, match="No other term occurs with the seed terms"):
        find_neighbours(pool, 1, seeds, least_items=6)
    with pytest.raises(InputError, match="'max_share' must be above 0"):
        find_neighbours(pool, 1, seeds, most_share=0)
    with pytest.raises(InputError, match="Did you mean 'jaccard'"):
        find_neighbours(pool, 1, seeds, score="jacard")


@pytest.mark.parametrize(
    ("terms", "sentence"),
    [
        ("venus", "match none of 10 items"),
        ("!!", "holds no letter or digit"),
        (",", "Give at least one seed term"),
    ],
)
def test_seed_terms_that_tell_nothing(
    terms: str, sentence: str, pool, tmp_path: Path, assaymark: Callable
) -> None:
    done = assaymark(
        "keywords", "--pool", tmp_path / "p.csv", "--text", "body", "--seed-terms", terms
    )
    assert done.code == 2
    assert sentence in done.err


def test_seed_terms_that_match_everything(tmp_path: Path, assaymark: Callable) -> None:
    path = tmp_path / "p.csv"
    path.write_text("id,body\n1,mars a\n2,mars b\n", encoding="utf-8")
    done = assaymark("keywords", "--pool", path, "--text", "body", "--seed-terms", "mars")
    assert done.code == 2
    assert "match all 2 items" in done.err


def test_both_columns_are_written(pool, tmp_path: Path, assaymark: Callable) -> None:
    source, out = tmp_path / "p.csv", tmp_path / "f.parquet"
    command = ("keywords", "--pool", source, "--text", "body", "--seed-terms", "mars,#mars",
               "--min-items", 2, "--max-share", 1, "-o", out)  # fmt: skip
    done = assaymark(*command, "--json")
    assert done.code == 0, done.err
    assert done.json["seed_items"] == 4
    assert done.json["both"] == 4
    rows = duckdb.sql(f"SELECT id, seed, neighbours FROM '{out}' ORDER BY id").fetchall()
    assert [row[1:] for row in rows] == [(1, 1)] * 4 + [(0, 1)] + [(0, 0)] * 5
    assert assaymark(*command).code == 2  # the file is there already
    renamed = assaymark(*command[:-1], tmp_path / "g.csv", "--names", "body,b")
    assert renamed.code == 2
    assert "The pool has a column 'body' already" in renamed.err
    assert assaymark(*command[:-1], tmp_path / "g.txt").code == 2


def test_views_share_no_word() -> None:
    first, second = by_vocabulary(["alpha beta gamma delta alpha"])
    assert not set(first.split()) & set(second.split())
    assert sorted([*first.split(), *second.split()]) == ["alpha", "alpha", "beta", "delta", "gamma"]
    assert {side_of(word) for word in ["a", "b", "c", "d", "e", "f", "g", "h"]} == {0, 1}
    assert by_columns(["t", "b", None]) == ("t", "b ")
    assert words(None) == []
    with pytest.raises(InputError, match="needs 2 text columns, got 1"):
        two_views(SPLITS["columns"], [["only one"]])


def made_texts(number: int, seed: int) -> tuple[list[str], list[str], list[bool]]:
    rng = np.random.default_rng(seed)
    truth = rng.random(number) < 0.2
    talk = [f"word{k}" for k in range(40)]

    def text(positive: bool, marks: list[str]) -> str:
        chosen = list(rng.choice(talk, 8))
        return " ".join(chosen + [m for m in marks if rng.random() < (0.5 if positive else 0.02)])

    titles = [text(bool(own), ["merger", "stake", "bid"]) for own in truth]
    bodies = [text(bool(own), ["shares", "deal", "offer"]) for own in truth]
    return titles, bodies, truth.tolist()


def test_the_learner_finds_most_positives() -> None:
    titles, _, truth = made_texts(1500, 42)
    model = train(titles[:800], truth[:800])
    found = model.flags(titles[800:])
    hits = found & np.array(truth[800:])
    assert hits.sum() / np.array(truth[800:]).sum() > 0.6
    assert hits.sum() / found.sum() > 0.6
    assert model.training == 800
    with pytest.raises(
        InputError, match="at least 10 positive and 10 negative items, got 0 and 50"
    ):
        train(titles[:50], [False] * 50)


def test_a_pair_of_learners(tmp_path: Path, assaymark: Callable) -> None:
    titles, bodies, truth = made_texts(2000, 7)
    pool, labels, out = (tmp_path / name for name in ("p.csv", "l.csv", "f.parquet"))
    write_csv(
        pool,
        ["id", "title", "body"],
        ((k, t, b) for k, (t, b) in enumerate(zip(titles, bodies, strict=True))),
    )
    lines = "".join(f"{k},{int(truth[k])}\n" for k in range(600))
    labels.write_text("id,label\n" + lines, encoding="utf-8")
    done = assaymark("pair", "--pool", pool, "--id", "id", "--text", "title", "--text", "body",
                 "--labels", labels, "-o", out, "--json")  # fmt: skip
    assert done.code == 0, done.err
    assert done.json["items"] == 1400
    assert "less than 60 %" in done.json["warning"]
    rows = duckdb.sql(f"SELECT CAST(id AS INTEGER), first, second FROM '{out}'").fetchall()
    assert min(row[0] for row in rows) == 600
    for place in (1, 2):
        found = [row for row in rows if row[place]]
        assert sum(truth[row[0]] for row in found) / len(found) > 0.6
    missing = tmp_path / "m.csv"
    missing.write_text("id,label\nx,1\n", encoding="utf-8")
    done = assaymark("pair", "--pool", pool, "--id", "id", "--text", "title", "--text", "body",
                 "--labels", missing, "-o", tmp_path / "g.parquet")  # fmt: skip
    assert done.code == 2
    assert "The pool does not hold 1 training item" in done.err
