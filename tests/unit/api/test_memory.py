"""Pools and labels from memory: whatever people hold, the same project comes of it."""

import gc
import subprocess
import sys
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import assaymark
from assaymark.api.labels import LabelColumns, label_pairs, label_rows

SCORES = [(i % 100) / 100 for i in range(200)]
COLUMNS = {
    "id": list(range(1000, 1200)),
    "score": SCORES,
    "body": [f"text {i}" for i in range(200)],
}


class HuggingFaceLike:
    """A table that lists its columns and knows nothing of Arrow."""

    column_names = list(COLUMNS)  # noqa: RUF012 - as such a class looks

    def __getitem__(self, name: str) -> list[object]:
        return list(COLUMNS[name])


FORMS = {
    "dict": lambda: COLUMNS,
    "rows": lambda: pl.DataFrame(COLUMNS).to_dicts(),
    "pandas": lambda: pd.DataFrame(COLUMNS),
    "polars": lambda: pl.DataFrame(COLUMNS),
    "pyarrow": lambda: pa.table(COLUMNS),
    "stream read once": lambda: pa.table(COLUMNS).to_reader(),
    "relation": lambda: duckdb.connect().from_arrow(pa.table(COLUMNS)),
    "hugging face": HuggingFaceLike,
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_items_and_ids_come_back_as_they_were(form: str) -> None:
    work = assaymark.certify(FORMS[form](), "f1 >= 0.7", threshold=0.5, text="body", seed=7)
    items = work.ask(5)
    assert all(type(item.id) is int for item in items)
    expected = assaymark.certify(COLUMNS, "f1 >= 0.7", threshold=0.5, text="body", seed=7).ask(5)
    assert items == expected
    assert items[0].text == f"text {items[0].id - 1000}"


def test_text_ids_stay_text() -> None:
    columns = COLUMNS | {"id": [f"{i:04}" for i in range(200)]}
    work = assaymark.certify(pd.DataFrame(columns), "f1 >= 0.7", threshold=0.5)
    assert all(isinstance(item.id, str) and len(item.id) == 4 for item in work.ask(5))


def test_arrays_are_a_pool_and_positions_are_its_ids() -> None:
    work = assaymark.certify(
        y_pred=np.array(SCORES) > 0.5, y_score=np.array(SCORES), claim="recall >= 0.5"
    )
    asked = work.ask(200)  # later draws wait for labels
    assert {type(item.id) for item in asked} == {int}
    assert sorted(item.id for item in work.open_items()) == sorted(item.id for item in asked)
    assert {item.id for item in asked} < set(range(200))


def test_a_frame_without_ids_numbers_its_rows() -> None:
    frame = pl.DataFrame({"score": SCORES, "body": COLUMNS["body"]})
    work = assaymark.certify(frame, "f1 >= 0.7", threshold=0.5, text=["body"])
    assert all(item.texts["body"] == f"text {item.id}" for item in work.ask(20))


def test_two_columns_of_probabilities_are_refused_with_what_to_write() -> None:
    with pytest.raises(assaymark.AssaymarkError, match=r"score\[:, 1\]"):
        assaymark.certify(y_score=np.ones((5, 2)), threshold=0.5)


def test_something_else_is_refused_by_its_type() -> None:
    with pytest.raises(assaymark.AssaymarkError, match="cannot be a int"):
        assaymark.certify(7, "f1 >= 0.7")


def test_a_temporary_project_goes_with_its_object() -> None:
    work = assaymark.certify(COLUMNS, threshold=0.5)
    folder = work.folder
    assert folder.exists()
    del work
    gc.collect()  # an error that was dealt with on the way may hold frames for a while
    assert not folder.exists()


def test_polars_needs_no_pyarrow() -> None:
    """DuckDB reads the Arrow capsule by itself."""
    code = """
import sys
class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("pyarrow", "pandas"):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Nothing())
import polars, assaymark
frame = polars.DataFrame({"id": list(range(100)), "score": [i / 100 for i in range(100)]})
work = assaymark.certify(frame, "accuracy >= 0.9", threshold=0.5, seed=1)
print(work.run(lambda item: item.id >= 50).decision)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)
    assert done.stdout == "pass\n", done.stderr


LABELS = {1000: True, 1001: False}
LABEL_FORMS = {
    "mapping": LABELS,
    "pairs": list(LABELS.items()),
    "series": pd.Series(LABELS),
    "pandas": pd.DataFrame({"id": [1000, 1001, 1002], "label": [1, 0, None]}),
    "polars": pl.DataFrame({"id": [1000, 1001, 1002], "label": [True, False, None]}),
    "columns": {"id": [1000, 1001], "label": [1, 0]},
    "rows": [{"id": 1000, "label": "yes"}, {"id": 1001, "label": "no"}],
    "series with a gap": pd.Series([1.0, 0.0, float("nan")], index=[1000, 1001, 1002]),
}


@pytest.mark.parametrize("form", LABEL_FORMS)
def test_labels_come_in_every_form(form: str) -> None:
    rows = label_rows(LABEL_FORMS[form], annotator="a", columns=LabelColumns(id="id"))
    assert [(row.item, row.label) for row in rows] == [("1000", 1), ("1001", 0)]


def test_a_label_that_cannot_be_read_is_named_with_its_item() -> None:
    work = assaymark.certify(COLUMNS, "f1 >= 0.7", threshold=0.5)
    first, second = work.ask(2)
    with pytest.raises(
        assaymark.AssaymarkError, match=f"The label of item {second.id} is 'perhaps'"
    ):
        work.tell({first.id: 1, second.id: "perhaps"})
    assert len(work.open_items()) == 2


def test_a_table_of_labels_without_its_column_says_which() -> None:
    with pytest.raises(assaymark.AssaymarkError, match=r"no column 'label'\. Its columns: id, y"):
        label_pairs(pd.DataFrame({"id": [1], "y": [1]}), LabelColumns(id="id"))
    found = label_pairs(pd.DataFrame({"id": [1], "y": [1]}), LabelColumns(id="id", label="y"))
    assert found == [(1, 1)]


def test_labels_of_no_kind_are_refused() -> None:
    with pytest.raises(assaymark.AssaymarkError, match="cannot be read from a int"):
        label_pairs(7, LabelColumns(id="id"))


def test_a_project_in_memory_is_gone_with_its_object():
    work = assaymark.certify(y_score=[0.1, 0.9] * 60, threshold=0.5, folder=":memory:")
    folder = work.folder
    assert folder.exists()
    assert not Path(":memory:").exists()
    del work
    gc.collect()
    assert not folder.exists()


def test_a_named_index_holds_the_ids() -> None:
    frame = pd.DataFrame(COLUMNS).set_index("id")
    work = assaymark.certify(frame, "f1 >= 0.7", threshold=0.5, seed=7)
    expected = assaymark.certify(COLUMNS, "f1 >= 0.7", threshold=0.5, seed=7).ask(5)
    assert work.ask(5) == expected


@pytest.mark.parametrize(
    ("pool", "message"),
    [
        (pl.DataFrame(COLUMNS).lazy(), "LazyFrame holds no rows yet"),
        ([], "The table is empty"),
        ({"id": [], "score": []}, "The table is empty"),
        (pd.DataFrame(index=range(3)), "needs score="),
        (pd.concat([pd.DataFrame(COLUMNS)] * 2, axis=1), "different names"),
        ({"id": [b"\xff\xfe"], "score": [0.5]}, "no text"),
    ],
)
def test_tables_that_cannot_be_a_pool_are_refused_in_a_sentence(pool, message) -> None:
    with pytest.raises(assaymark.AssaymarkError, match=message):
        assaymark.certify(pool, "f1 >= 0.7", threshold=0.5)


def test_a_column_that_is_no_text_is_refused() -> None:
    with pytest.raises(assaymark.AssaymarkError, match="named by text, got 0"):
        assaymark.certify(pd.DataFrame({0: [1]}), "f1 >= 0.7", id=0, threshold=0.5)  # type: ignore[arg-type]


def test_bytes_half_floats_and_chat_messages_are_read() -> None:
    columns = {
        "id": [f"{i}".encode() for i in range(200)],
        "score": np.array(SCORES, dtype=np.float16),
        "chat": [[{"role": "user", "content": f"é {i}"}] for i in range(200)],
    }
    item = assaymark.certify(columns, "f1 >= 0.7", threshold=0.5, text="chat").ask(1)[0]
    assert item.text == f'[{{"role": "user", "content": "é {item.id}"}}]'


def test_names_of_verdicts_and_classes_are_labels() -> None:
    """The names that predictions have can be told, and others are refused with what can."""
    words = ["spam" if i % 2 else "ham" for i in range(200)]
    pool = {"id": [("q", str(i)) for i in range(200)], "a": words, "b": ["spam"] * 200}
    work = assaymark.compare(pool, a="a", b="b", positive="spam", seed=1)
    first, second = work.ask(2)
    assert work.tell([(first, "SPAM"), (second.id, "ham")]).recorded == 2
    with pytest.raises(assaymark.AssaymarkError, match=r"one of: .* ham, "):
        work.tell({first.id: "eggs"}, correct=True)
    work = assaymark.certify_parts(
        pool, "recall of spam >= 0.8", prediction="a", classes=["ham", "spam", "eggs"], seed=1
    )
    first, second = work.ask(2)
    assert work.tell([(first, "eggs"), (second, None)]).recorded == 1
    with pytest.raises(assaymark.AssaymarkError, match="name of a class: ham, spam, eggs"):
        work.tell({first.id: True})


def test_two_words_are_predictions_of_ids_of_several_columns(tmp_path: Path) -> None:
    pool = pd.DataFrame({"q": "a", "d": range(200), "verdict": ["spam", "ham"] * 100})
    work = assaymark.certify(
        pool, "accuracy >= 0.8", id=["q", "d"], prediction="verdict", positive="spam", seed=1
    )
    verdict = work.run(lambda item: "ham" if item.id[1] % 2 else "spam", batch=40)
    assert verdict.established
