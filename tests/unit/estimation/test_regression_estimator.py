"""The regression estimate on scores: its arithmetic, what is stored for it, and what is checked."""

from dataclasses import replace

import numpy as np
import pytest

from assaymark.claims.ratio_metrics import metric
from assaymark.errors import VerificationError
from assaymark.estimation.estimate import EstimateDesign, EstimateStratum, Part
from assaymark.estimation.evidence import Answers, estimate
from assaymark.estimation.stats.reading_intervals import StrataCounts, profile_interval
from assaymark.estimation.stats.regression_estimator import (
    ScoreMoments,
    combined_slope,
    regression_positives,
    score_moments,
)
from assaymark.estimation.survey import design_of
from assaymark.estimation.verification import redraw_estimates, redraw_items
from assaymark.ledger.events import SurveyDrawn
from assaymark.project.folder import Project
from worlds_on_disk import write_labels

PLAN = ("plan", "--estimate", "f1", "--budget", 60, "--seed", "s")
STRATA = np.array([0, 0, 0, 0, 1, 1])
SCORES = np.array([0.8, 0.6, 0.4, 0.2, 0.3, 0.1])
LABELS = np.array([1, 1, 0, 0, 0, 0])


def test_moments_are_sums_about_the_means_of_each_stratum():
    found = score_moments(STRATA, SCORES, LABELS, count=3)
    assert found.mean == pytest.approx([0.5, 0.2, 0.0])
    assert found.squares == pytest.approx([0.2, 0.02, 0.0])
    assert found.products == pytest.approx([0.4, 0.0, 0.0])


def test_one_slope_weighs_strata_by_what_they_move():
    """Stratum 1 has no slope: the more it pulls, the smaller the slope of all. Pull 6, 3: 3/2, then 1/2."""
    moments = ScoreMoments(
        mean=np.array([0.5, 0.2]), squares=np.array([0.2, 0.02]), products=np.array([0.1, 0.0])
    )
    labelled = np.array([4, 2])
    slope = (1.5**2 * 0.1) / (1.5**2 * 0.2 + 1.5**2 * 0.02)
    assert combined_slope(np.array([6.0, 3.0]), labelled, moments) == pytest.approx(slope)
    assert combined_slope(np.array([6.0, 12.0]), labelled, moments) < slope
    backwards = replace(moments, products=-moments.products)
    assert combined_slope(np.array([6.0, 3.0]), labelled, backwards) == 0
    steep = replace(moments, products=9 * moments.products)
    assert combined_slope(np.array([6.0, 3.0]), labelled, steep) == 1


def test_a_sample_with_high_scores_is_taken_down():
    """Slope 1: the labelled scores average 0.5 where the stratum has 0.4, so the rate falls by 0.1."""
    moments = score_moments(STRATA, SCORES, LABELS, count=2)
    found = regression_positives(
        np.array([100, 50]),
        np.array([4, 2]),
        np.array([2, 0]),
        scores=np.array([0.4, 0.1]),
        moments=moments,
        pull=np.array([100.0, 50.0]),
    )
    assert found == pytest.approx([40.0, 0.0])  # and a stratum holds no fewer than none


def test_what_was_found_stays_found():
    """A stratum read to its end is what it is, and no other falls below its positives or its negatives."""
    moments = score_moments(STRATA, SCORES, LABELS, count=2)
    sizes, labelled, positives = np.array([4, 3]), np.array([4, 2]), np.array([2, 0])
    read, other = (
        regression_positives(
            sizes, labelled, positives, scores=np.array([0.0, mean]), moments=moments,
            pull=sizes.astype(float),
        )
        for mean in (0.0, 1.0)
    )  # fmt: skip
    assert read == pytest.approx([2.0, 0.0])
    assert other == pytest.approx([2.0, 1.0])


def design(*, regression):
    sides = ((True, 100, 0.6), (False, 900, 0.05))
    return EstimateDesign(
        metric="f1",
        sampling="random",
        strata=tuple(
            EstimateStratum(
                name=str(side), items=items, parts=(Part(items=items, prediction=side),),
                prediction=side, mean_score=score, doubt=None,
            )
            for side, items, score in sides
        ),
        stratifier="rank",
        allocation="chances",
        confidence=0.95,
        labels=60,
        within=None,
        chances=(0.5, 0.5),
        regression=regression,
    )  # fmt: skip


def answers(*, scores):
    rng = np.random.default_rng(5)
    strata = np.repeat([0, 1], 30)
    drawn = np.clip(rng.normal(np.where(strata == 0, 0.7, 0.1), 0.1), 0, 1)
    return Answers(
        strata=strata,
        predicted=1 - strata,
        labels=(rng.random(60) < drawn).astype(np.int64),
        waiting=0,
        scores=drawn if scores else None,
    )


def test_points_move_and_intervals_stay():
    """Every ratio of one answer comes from the same cells; the ends stay where labels alone put them."""
    plain, moved = (
        estimate(design(regression=on), answers(scores=True), tell=lambda *_: None)
        for on in (False, True)
    )
    assert moved["f1"].point != plain["f1"].point
    p, r = moved["precision"].point, moved["recall"].point
    assert moved["f1"].point == pytest.approx(2 * p * r / (p + r))
    for name in ("f1", "precision", "recall"):
        old, new = plain[name], moved[name]
        assert (new.low, new.high) == pytest.approx((old.low, old.high), abs=1e-4)
        assert new.guaranteed_interval == old.guaranteed_interval
    assert "regression estimator" in " ".join(moved.assumptions)
    assert "regression estimator" not in " ".join(plain.assumptions)


@pytest.mark.parametrize("point", [0.02, 0.5, 0.98])
def test_wherever_the_point_lies_the_interval_only_grows_to_hold_it(point):
    counts = StrataCounts(
        predicted=np.array([True, False]),
        sizes=np.array([100, 900]),
        labelled=np.array([30, 30]),
        positives=np.array([20, 2]),
    )
    ratio = metric("f1")
    own = profile_interval(ratio, counts, point=float(ratio.value(counts.cells(counts.rates))))
    moved = profile_interval(ratio, counts, point=point)
    assert min(moved.low, point) == pytest.approx(min(own.low, point), abs=1e-3)
    assert max(moved.high, point) == pytest.approx(max(own.high, point), abs=1e-3)


def test_without_stored_scores_the_point_is_that_of_the_strata():
    """Designs from before have no such field, and their draws no scores."""
    shape = {
        "metric": "f1", "sampling": "random", "strata": [], "stratifier": "rank",
        "allocation": "chances", "confidence": 0.95, "labels": 200, "within": None,
    }  # fmt: skip
    assert EstimateDesign.from_dict(shape).regression is False
    without = [
        estimate(design(regression=on), answers(scores=False), tell=lambda *_: None)["f1"].point
        for on in (False, True)
    ]
    assert without[0] == without[1]


# in a project


@pytest.fixture
def labelled(assaymark, world, project, tmp_path):
    assert assaymark(*PLAN, "-p", project).code == 0
    drawn = assaymark("draw", "-p", project, "--json").json["items"]
    truths = {item: world.truth[item] for item in drawn}
    assert assaymark("label", write_labels(tmp_path / "l.csv", truths), "-p", project).code == 0
    return project


def test_scores_are_stored_with_the_items_and_counted(assaymark, labelled, world):
    (work,) = Project(folder=labelled).state().surveys
    assert work.scores == {item: pytest.approx(world.scores[item]) for item in work.order}
    assert design_of(work).regression
    shown = assaymark("estimate", "-p", labelled, "--json").json
    sealed = design_of(work)
    strata = np.array([work.cells[item] for item in work.order])
    labels = np.array([world.truth[item] for item in work.order])
    scores = np.array([work.scores[item] for item in work.order])
    predicted = np.array([int(bool(s.prediction)) for s in sealed.strata])[strata]
    given = Answers(strata=strata, predicted=predicted, labels=labels, waiting=0, scores=scores)
    again = estimate(sealed, given, tell=lambda *_: None)["f1"].point
    plain = replace(sealed, regression=False)
    by_strata = estimate(plain, given, tell=lambda *_: None)["f1"].point
    assert shown["f1"]["point"] == pytest.approx(again)
    assert abs(again - by_strata) > 1e-6


def test_a_metric_it_was_not_measured_for_counts_no_scores(assaymark, project):
    assert assaymark("plan", "--estimate", "elusion", "--budget", 60, "-p", project).code == 0
    assert assaymark("draw", 5, "-p", project).code == 0
    (work,) = Project(folder=project).state().surveys
    assert not design_of(work).regression
    assert work.scores == {}


def test_a_forged_score_is_found_with_the_pool(labelled):
    project = Project(folder=labelled)
    entries = project.ledger.entries()
    ((work, pool),) = redraw_estimates(entries).estimates
    assert redraw_items(project, work, pool) == 60
    forged = []
    for one in entries:
        if isinstance(one.event, SurveyDrawn):
            first, *rest = one.event.items
            items = (replace(first, score=first.score / 2), *rest)
            forged.append(replace(one, body=replace(one.event, items=items).body()))
        else:
            forged.append(one)
    ((other, _),) = redraw_estimates(forged).estimates
    with pytest.raises(VerificationError, match="is stored with the score"):
        redraw_items(project, other, pool)
