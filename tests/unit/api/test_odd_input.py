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


def test_rows_without_ids_are_numbered_only_where_the_index_agrees() -> None:
    """Rows of a filtered frame were numbered from 0, and labels looked up by its index were others'."""
    bare = FRAME.drop(columns="id")
    filtered = bare[bare["score"] > 0.3]
    with pytest.raises(InputError, match=r"the index of the DataFrame is not 0, 1, 2, …"):
        begin(filtered)
    with pytest.raises(InputError, match=r"the index of the Series is not 0, 1, 2, …"):
        begin(None, y_score=filtered["score"])
    kept = begin(filtered.reset_index(names="id")).ask(5)
    assert {item.id for item in kept} <= set(filtered.index)
    assert begin(filtered.reset_index(drop=True)).ask(5)
    with pytest.raises(InputError) as refused:  # an index without a name is no column
        begin(FRAME[1:], text="nothing")
    assert "__index_level_0__" not in str(refused.value)


def test_series_of_the_same_rows_in_another_order_are_refused() -> None:
    """They were paired by position, so that every label met the prediction of another item."""
    truth, predicted = FRAME["score"] > 0.4, (FRAME["score"] > 0.5).sample(frac=1, random_state=1)
    with pytest.raises(InputError, match="the same rows in different orders"):
        assaymark.bound("f1", truth, predicted, sample="random")
    with pytest.raises(InputError, match="the same rows in different orders"):
        assaymark.triage(y_score=FRAME["score"].loc[predicted.index], y_true=truth, target=0.9)
    ordered = assaymark.bound("f1", truth, predicted.loc[truth.index], sample="random")
    by_position = assaymark.bound("f1", truth, predicted.to_numpy(), sample="random")
    assert ordered.point > by_position.point


def test_numbers_of_numpy_in_a_plan_are_stored() -> None:
    """They ended in an error of the JSON library, or were said to be out of range."""
    options = {"seed": np.int64(3), "budget": np.int32(20), "confidence": np.float32(0.5)}
    assert (
        begin(FRAME, mode="fixed", **options).plan
        == begin(FRAME, mode="fixed", seed=3, budget=20, confidence=0.5).plan
    )
    assert begin(FRAME, expect=np.float32(0.75)).plan.expectation is not None
    with pytest.raises(InputError, match="Write a number, without quotation marks"):
        begin(FRAME, confidence="0.95")


def test_a_frame_with_scores_of_another_classifier_can_be_trained_on() -> None:
    texts = [f"{'refund' if i % 3 else 'hello'} {i}" for i in range(SIZE)]
    frame = FRAME.assign(text=texts, prediction=[0, 1] * (SIZE // 2))
    training = assaymark.train(frame, "f1 >= 0.8", text="text", sampling="uncertainty", budget=40)
    for _ in range(2):  # asked again, what was said first still counts
        with pytest.raises(assaymark.AssaymarkError, match="what the claim will be about"):
            training.ask()
    random = assaymark.train(frame, "f1 >= 0.8", text="text", budget=40, population="rest")
    assert random.ask(5)


def test_what_is_missing_is_called_missing() -> None:
    """Two words or classes were asked for where a prediction was empty, and text where an id was."""
    with pytest.raises(InputError, match=r"\(Its cell is empty\.\)$"):
        begin(FRAME.assign(flag=[np.nan, *[1.0] * (SIZE - 1)]), prediction="flag", threshold=None)
    with pytest.raises(InputError, match="Whole numbers of which one is missing"):
        begin(FRAME.assign(id=FRAME["id"].where(FRAME["id"] != 7)))
