"""Bounds from labels and predictions."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.metrics import confusion_matrix, f1_score
from sklearn.model_selection import GridSearchCV, cross_val_score

import assaymark
from assaymark import Counts

TRUE = [1] * 80 + [0] * 20 + [1] * 20 + [0] * 880
PRED = [1] * 100 + [0] * 900


@pytest.mark.parametrize(
    "form", [list, tuple, np.array, pd.Series, pl.Series, pa.array, lambda v: np.array(v, bool)]
)
def test_labels_of_every_form_give_the_same_bound(form) -> None:
    found = assaymark.bound("f1", form(TRUE), form(PRED), sample="random")
    assert found == assaymark.bound("f1", Counts.parse("80,20,20,880"), design="simple")
    assert found.point == pytest.approx(f1_score(TRUE, PRED))
    assert found.bound == found.low == found.interval.low


@pytest.mark.parametrize(
    ("labels", "predictions", "positive", "message"),
    [
        ([1, 0], [1.0, float("nan")], None, "prediction at position 1 is missing"),
        ([1, None], [1, 0], None, "label at position 1 is missing"),
        (["a", "b"], pd.array(["a", None], dtype="string"), "a", "prediction at position 1 is missing"),
        ([1, 0], np.array([0.9, 0.2]), None, "position 0 is 0.9, and 0 or 1 was expected. Cut scores"),
        (["spam", "ham"], ["ham", "spam"], "Spam", "No label and no prediction is 'Spam'"),
        (["a", "b"], [1, 0], "a", "No prediction is one of the labels: labels are 'a', 'b'"),
        ([], [], None, "The sample is empty"),
    ],
)  # fmt: skip
def test_what_would_be_miscounted_is_refused(labels, predictions, positive, message: str) -> None:
    """A positive class that is spelled otherwise would make every item a true negative."""
    with pytest.raises(assaymark.AssaymarkError, match=message):
        assaymark.bound("accuracy", labels, predictions, sample="random", positive=positive)


def test_a_class_that_is_never_predicted_is_counted() -> None:
    assert Counts.from_labels(["a", "b"], ["b", "b"], positive="a").cells == (0, 0, 1, 1)
    assert Counts.from_labels(["a", "a"], ["b", "b"], positive="a").cells == (0, 0, 2, 0)


def test_counts_follow_scikit_learns_matrix() -> None:
    matrix = confusion_matrix(TRUE, PRED)
    assert Counts.from_confusion_matrix(matrix) == Counts.from_labels(TRUE, PRED)
    with pytest.raises(assaymark.AssaymarkError, match="two rows and two columns"):
        Counts.from_confusion_matrix(np.eye(3))
    with pytest.raises(assaymark.AssaymarkError, match="leave out normalize"):
        Counts.from_confusion_matrix(matrix / 1000)


def test_classes_with_names_need_the_positive_one() -> None:
    words = ["spam" if label else "ham" for label in TRUE]
    assert Counts.from_labels(words, words, positive="spam").cells == (100, 0, 0, 900)
    with pytest.raises(assaymark.AssaymarkError, match="label at position 0 is 'spam'"):
        Counts.from_labels(words, words)
    with pytest.raises(assaymark.AssaymarkError, match="1,000 labels and 3 predictions"):
        Counts.from_labels(TRUE, [1, 0, 1])


def test_how_the_items_were_chosen_must_be_said() -> None:
    with pytest.raises(assaymark.AssaymarkError, match="Say how the items were chosen"):
        assaymark.bound("f1", TRUE, PRED)
    with pytest.raises(assaymark.AssaymarkError, match="'sample' must be 'random'"):
        assaymark.bound("f1", TRUE, PRED, sample="convenience")  # type: ignore[arg-type]
    with pytest.raises(assaymark.AssaymarkError, match="Predictions are missing"):
        assaymark.bound("f1", TRUE, sample="random")


def test_the_table_has_a_row_per_metric() -> None:
    table = assaymark.metrics(TRUE, PRED, sample="random")
    rows = table.to_frame()
    assert list(rows["metric"]) == [one.metric for one in table]
    assert (rows["low"] < rows["point"]).all()
    assert (rows["point"] < rows["high"]).all()
    assert table["f1"] == assaymark.bound("f1", TRUE, PRED, sample="random", side="both")
    assert "<td>f1</td>" in table._repr_html_()
    assert table.plot().svg.count("<circle") == len(table) == 7
    with pytest.raises(assaymark.AssaymarkError, match="two ends"):
        _ = table["f1"].bound


def test_the_scorer_works_in_cross_validation_and_search() -> None:
    scorer = assaymark.bound_scorer("accuracy")
    items = np.zeros((1000, 1))
    found = cross_val_score(DummyClassifier(), items, TRUE, scoring=scorer, cv=5)
    assert ((found > 0.8) & (found < 0.9)).all()
    search = GridSearchCV(DummyClassifier(), {"strategy": ["prior", "uniform"]}, scoring=scorer)
    assert search.fit(items, TRUE).best_params_ == {"strategy": "prior"}
    with pytest.raises(assaymark.AssaymarkError, match="must be one of"):
        assaymark.bound_scorer("acuracy")
