"""Data and arguments as notebooks hold them: taken as they are meant, or refused in a sentence."""

import uuid
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import assaymark
from assaymark.errors import InputError
from assaymark.pool import memory

SIZE = 60
FRAME = pd.DataFrame({"id": range(SIZE), "score": np.linspace(0, 1, SIZE)})


def begin(pool: object, **options: object) -> assaymark.Certification:
    terms = {"threshold": 0.5, "seed": 1, "folder": ":memory:"} | options
    return assaymark.certify(pool, "recall >= 0.5", **terms)


ODD = {
    "half floats": {"score": FRAME["score"].astype("float16")},
    "objects of a class": {"other": [uuid.UUID(int=i) for i in range(SIZE)]},
    "numbers and words in one column": {"other": [1, "a"] * (SIZE // 2)},
}


@pytest.mark.parametrize("columns", ODD.values(), ids=ODD)
def test_a_frame_that_pandas_cannot_stream_is_read_all_the_same(columns: dict[str, object]) -> None:
    items = begin(FRAME.assign(**columns)).ask(5)
    assert items == begin(FRAME).ask(5)
    assert all(type(item.id) is int for item in items)


def test_missing_values_stay_missing_where_pandas_cannot_stream(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(memory, "_streams", lambda _: False)
    texts = FRAME.assign(body=["x", None] * (SIZE // 2))
    assert {item.text for item in begin(texts, text="body").ask(20)} == {"x", ""}
    whole = FRAME.assign(id=FRAME["id"].astype("Int64"), score=FRAME["score"].astype("Float64"))
    assert all(type(item.id) is int for item in begin(whole).ask(5))
    with pytest.raises(InputError, match="1 of 60 items have no id"):
        begin(FRAME.assign(id=[None, *map(str, range(1, SIZE))]))
    with pytest.raises(InputError, match="1 of 60 items have no number as score"):
        begin(whole.assign(score=whole["score"].mask(whole["id"] == 3)))


def test_two_columns_of_one_name_are_refused_by_that_name() -> None:
    with pytest.raises(InputError, match="Two columns are named 'score'"):
        begin(pd.concat([FRAME, FRAME["score"]], axis=1))


def test_ids_of_several_columns_may_hold_any_character() -> None:
    first = ["tab\t", 'mark"', "back\\slash", "line\n", "bell\a", "é"] * (SIZE // 6)
    work = begin(FRAME.assign(part=first), id=["part", "id"])
    items = work.ask(30)
    assert {item.id[0] for item in items} == set(first)
    assert all(item.id == (first[item.id[1]], item.id[1]) for item in items)
    assert work.tell({item.id: True for item in items}).recorded == 30


def test_items_may_stand_for_their_ids() -> None:
    work = begin(FRAME)
    assert work.tell(dict.fromkeys(work.ask(3), "yes")).recorded == 3


def test_numbers_of_numpy_are_numbers() -> None:
    work = begin(FRAME, threshold=np.float32(0.5))
    assert len(work.ask(np.int64(3))) == 3
    assert work.run(lambda _: True, batch=np.int64(2), max_labels=np.int64(5)).labels == 5


REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "threshold of text": (lambda: begin(FRAME, threshold="x"), "'threshold' must be a number"),
    "threshold nan": (lambda: begin(FRAME, threshold=float("nan")), "'threshold' must be a number"),
    "claim": (lambda: assaymark.certify(FRAME, 5, threshold=0.5), "A claim is text such as"),
    "seed": (lambda: begin(FRAME, seed=1.5), "A seed is a whole number or text"),
    "folder": (lambda: begin(FRAME, folder=__file__), "is a file. Name a folder"),
    "count": (lambda: begin(FRAME).ask(1.5), "'count' must be a whole number of at least 1"),
    "no function": (lambda: begin(FRAME).run({1: 1}), "'label' must be a function"),
    "batch": (lambda: begin(FRAME).run(lambda _: 1, batch=0), "'batch' must be a whole number"),
    "room": (lambda: begin(FRAME).run(lambda _: 1, max_labels=-1), "'max_labels' must be"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_meant_is_refused_in_a_sentence(name: str) -> None:
    act, sentence = REFUSED[name]
    with pytest.raises(InputError, match=sentence):
        act()


def test_a_review_takes_ids_of_several_columns(tmp_path: Path) -> None:
    """They come back as tuples; known records are named so too; duplicates are still merged."""
    records = [
        {"query": i // 10, "doc": f"d, {i % 10}", "title": f"{'trial' if i % 3 else 'match'} {i}"}
        for i in range(120)
    ]
    records.append(records[5])
    work = assaymark.review(
        records, text="title", id=["query", "doc"], known=[(0, "d, 1")], folder=tmp_path / "work"
    )
    verdict = work.run(lambda item: "trial" in item.text, batch=40)
    assert verdict.established
    issued = work.certify()
    assert assaymark.verify(issued).status == "verified in part"
    assert {type(item.id) for item in work.ask(1)} <= {tuple}
    assert sorted(path.name for path in (tmp_path / "work").glob("*.parquet")) == [
        "joined.parquet",
        "pool.parquet",
        "records.parquet",
    ]


def test_a_review_that_is_refused_leaves_nothing_in_its_folder(tmp_path: Path) -> None:
    records = [{"id": str(i), "title": f"t {i}"} for i in range(20)]
    with pytest.raises(InputError, match="'recall' must be between 0 and 1"):
        assaymark.review(records, text="title", recall=2, folder=tmp_path / "work")
    with pytest.raises(InputError, match="Column 'doc' is not in the pool"):
        assaymark.review(records, text="title", id=["id", "doc"], folder=tmp_path / "work")
    assert not (tmp_path / "work").exists()
