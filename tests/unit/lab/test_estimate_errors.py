"""Errors of estimates in the lab: every way finds the truth, ours as the product has it, and why not."""

import numpy as np
import pytest

from assaymark.estimation.stats.rank_strata import expected
from assaymark.lab.experiments.estimate_errors import experiment
from assaymark.lab.experiments.estimate_errors.causes import Measured, measured, note, over
from assaymark.lab.experiments.estimate_errors.estimators import (
    OWN,
    RIVALS,
    Question,
    Samples,
    fixed,
    fixed_means,
)
from assaymark.lab.experiments.estimate_errors.experiment import (
    ErrorTask,
    errors_of,
    estimate_errors,
    run_errors,
)
from assaymark.lab.tasks import Order
from assaymark.lab.worlds import Sketch, make_world

SMALL = make_world(Sketch(items=4000, prevalence=0.2, f1=0.75), np.random.default_rng(1))


@pytest.mark.parametrize("metric", ["f1", "precision", "recall"])
@pytest.mark.parametrize("name", [*OWN, *RIVALS])
def test_every_way_to_estimate_finds_the_truth_with_many_labels(name, metric):
    ask = Question(world=SMALL, metric=metric, labels=1500, runs=50)
    found = (OWN | RIVALS)[name](ask, np.random.default_rng(2))
    assert found.shape == (50,)
    assert abs(found.mean() - SMALL.value(metric)) < 0.02


@pytest.mark.parametrize("name", OWN)
def test_more_labels_than_there_are_items_end_at_the_truth(name):
    """A classifier that picks few items has few for its precision."""
    rng = np.random.default_rng(1)
    few = make_world(Sketch(items=400, prevalence=0.1, f1=0.75), rng)
    found = OWN[name](Question(world=few, metric="precision", labels=2000, runs=8), rng)
    assert found == pytest.approx(few.value("precision"), abs=1e-9)


def test_the_lab_weighs_strata_as_the_product_does():
    """Its pull is that of the product up to a factor, which the slope does not see."""
    pool = Samples(Question(world=SMALL, metric="f1", labels=200, runs=1))
    own = expected("f1", pool.cut.strata, rates=pool.scores)
    ratio = pool.pull(pool.scores[None])[0] / own.pull
    assert ratio == pytest.approx(np.full(len(ratio), ratio[0]), rel=1e-6)


def test_the_scores_of_a_sample_are_those_of_its_items():
    """A stratum that is labelled to its end has the moments of its items, whatever chance does."""
    pool = Samples(Question(world=SMALL, metric="f1", labels=200, runs=2))
    pool.taken, pool.found = np.tile(pool.size, (2, 1)), np.tile(pool.hits, (2, 1))
    found = pool.moments(np.random.default_rng(4))
    assert found.mean == pytest.approx(np.tile(pool.scores, (2, 1)))
    for k, (scores, labels) in enumerate(zip(pool.cut.scores, pool.cut.labels, strict=True)):
        both = np.cov(scores, labels, bias=True) * len(scores)
        assert found.squares[0, k] == pytest.approx(both[0, 0])
        assert found.products[0, k] == pytest.approx(both[0, 1])


def test_scores_that_say_something_within_strata_lower_the_error():
    """The same 400 samples, with scores and without: precision of honest scores, 5 % less error."""
    world = make_world(Sketch(items=20_000, prevalence=0.05, f1=0.7), np.random.default_rng(3))
    ask = Question(world=world, metric="precision", labels=200, runs=400)
    truth = world.value("precision")
    errors = [
        measured(way(ask, np.random.default_rng(8)), truth).error for way in (fixed, fixed_means)
    ]
    assert errors[0] < 0.98 * errors[1]


def cell(**more):
    usual = {"topic": "small pool", "metric": "f1", "labels": 200, "runs": 40, "seed": 1}
    return ErrorTask(**usual | more)


def test_errors_name_the_best_rival():
    row = errors_of(SMALL, cell())
    best = row["best rival"]
    assert row[best] == min(row[name] for name in RIVALS)
    assert row["fixed over best rival"] == pytest.approx(row["fixed"] / row[best])
    assert 4 * row["fixed"] < row["guaranteed width of fixed"] < 1


def test_a_cell_that_is_not_clear_is_measured_again_with_new_samples(monkeypatch):
    asked = []

    def kept(_world, task):
        asked.append(task)
        ratios = {f"{own} over best rival": 0.9 for own in ("fixed", "renewed")}
        return ratios | {"se of fixed": spread, "se of renewed": 0.01, "runs": task.runs}

    monkeypatch.setattr(experiment, "errors_of", kept)
    spread = 0.04
    assert run_errors(cell())["runs"] == 40
    spread = 0.06
    assert run_errors(cell())["runs"] == 240
    assert [task.heat for task in asked] == ["errors", "errors", "errors again"]


def test_a_pool_that_would_be_read_whole_is_no_cell():
    assert run_errors(cell(labels=1000)) == {}


def test_a_ratio_has_the_errors_of_both():
    mine = Measured(error=0.03, se=0.003, bias=0.018)
    rival = Measured(error=0.02, se=0.002, bias=0.0)
    assert over(mine, rival) == pytest.approx((1.5, 1.5 * 0.02**0.5))
    assert mine.without_bias == pytest.approx(0.024)


@pytest.mark.parametrize(
    ("rival", "bias", "said"),
    [
        (0.07, 0.0, "scores put labels in the wrong place: with labels aimed by the true rates"),
        (0.05, 0.0, "in part scores put labels in the wrong place"),
        (0.07, 0.079, "bias, for where nothing was found little more is asked: with no bias"),
    ],
)
def test_the_reason_is_what_lowers_the_error_most(rival, bias, said):
    """Misses lie among the surest items: aimed at them the error is 0.058 instead of 0.082."""
    world = make_world(
        Sketch(items=4000, prevalence=0.1, f1=0.7, trap="buried misses"), np.random.default_rng(1)
    )
    found = note(
        Question(world=world, metric="recall", labels=400, runs=200),
        Measured(error=0.082, se=0.0, bias=bias),
        Measured(error=rival, se=0.0, bias=0.9 * rival),
        name="OASIS",
        renew=False,
        rng=lambda name: np.random.default_rng(len(name)),
    )
    assert found.startswith(said)
    assert found.endswith(f"the rival is biased by {0.9 * rival:+.3f}")


def test_where_nothing_helps_it_says_so_and_that_few_labels_decide():
    ask = Question(world=SMALL, metric="recall", labels=20, runs=50)
    found = note(
        ask,
        Measured(error=0.001, se=0.0, bias=0.0),
        Measured(error=0.0005, se=0.0, bias=0.0),
        name="AIPW",
        renew=True,
        rng=lambda name: np.random.default_rng(len(name)),
    )
    assert found.startswith("luck: a sample holds ")
    assert found.endswith("the rival has chances for single items, and counts all scores")
    assert "no change tried lowers the error by more than chance" in found


def test_the_experiment_has_a_row_for_every_cell(monkeypatch):
    monkeypatch.setattr(experiment, "MADE", {"small pool": experiment.MADE["small pool"]})
    outcome = estimate_errors(Order(runs=30))
    assert [(row["metric"], row["labels"]) for row in outcome.tables["errors"]] == [
        ("f1", 200), ("f1", 800), ("recall", 200), ("recall", 800),
    ]  # fmt: skip
    assert len(outcome.sentences) == len(outcome.tables["summary"]) == 4
    assert "best rival" in outcome.sentences[0]
