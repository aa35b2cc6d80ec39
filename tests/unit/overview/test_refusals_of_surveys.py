"""Refusals that a new user met: two sizes at once, a text column as class, an unknown kind of pair."""

import pytest

from assaymark.errors import InputError, PlanError
from assaymark.estimation.many_classes import draw_classes
from assaymark.estimation.planning import EstimateRequest
from assaymark.pair_recall.recall import RecallRequest


def test_a_width_and_a_budget_are_not_both_taken():
    with pytest.raises(PlanError, match="both set the number of labels"):
        EstimateRequest(metric="accuracy", within=0.01, budget=100)


def test_an_unknown_kind_of_pair_is_refused_before_any_draw():
    with pytest.raises(InputError, match="'pair' must be one of"):
        RecallRequest(flags=("a", "b"), pair="foo")


def test_a_column_of_texts_is_no_predicted_class(tmp_path):
    rows = "".join(f"i{n},text {n},0.5\n" for n in range(1_200))
    pool = tmp_path / "pool.csv"
    pool.write_text("id,prediction,score\n" + rows, encoding="utf-8")
    columns = {"id": "id", "prediction": "prediction", "score": "score"}
    files = {"output": tmp_path / "b.csv", "key": tmp_path / "k.csv"}
    with pytest.raises(InputError, match="1,200 different predictions"):
        draw_classes(pool, columns, count=50, seed="s", **files)
    assert not any(path.exists() for path in files.values())
