"""Refusals that a new user met: two sizes at once, a text column as class, an unknown kind of pair."""

import pytest

from assaymark.certification.view.dossier import SurveySeen
from assaymark.errors import InputError, PlanError
from assaymark.estimation.many_classes import draw_classes
from assaymark.estimation.planning import EstimateRequest
from assaymark.overview.survey_sections import reported
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


def seen(number, purpose, *, batches=(), drawn=5):
    return SurveySeen(
        number=number, purpose=purpose, drawn=drawn, labelled=drawn, time=None, result=None,
        batches=tuple(batches),
    )  # fmt: skip


def test_a_report_tells_of_audits_the_one_that_tells_all_batches():
    surveys = [
        seen(1, "triage"),
        seen(2, "audit", batches=["may"]),
        seen(3, "audit", batches=["may", "june"]),
        seen(4, "estimate", drawn=0),
    ]
    assert [one.number for one in reported(surveys)] == [1, 3]
