"""What plans on simple samples say of labels, in a pool that they use up to a large part."""

import numpy as np
import pytest

from assaymark.certification.forecasts.prospect import chance_curves, prospect
from assaymark.certification.planning.forecast import forecast
from assaymark.certification.sealing import PlanRequest
from assaymark.claims.ratio_metrics import parse_claim
from assaymark.project.folder import Project
from assaymark.records.plan import Expectation
from assaymark.stats.distinct_items import distinct_items
from assaymark.stats.sequential.alpha_spending import spending_boundary, spending_test
from assaymark.stats.sequential.beta_mixture import mixture_boundary, mixture_test

CLAIM, ITEMS, RUNS = parse_claim("precision >= 0.7"), 600, 1500
EXPECTED = Expectation(precision=0.75, recall=0.75, prevalence=0.5)


@pytest.fixture(scope="module")
def modes():
    return forecast(CLAIM, EXPECTED, items=ITEMS).modes


def used(first_pass, most: int, planned: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Different items that plans drew from 600 of which three of four are right; which passed."""
    rng, labels, passed = np.random.default_rng(42), [], []
    for _ in range(RUNS):
        items = rng.integers(ITEMS, size=most)
        at = first_pass(items < 0.75 * ITEMS)
        labels.append(len(np.unique(items[: at or planned or most])))
        passed.append(at is not None)
    return np.array(labels), np.array(passed)


def check(mode, labels, passed) -> None:
    """The mean to four standard errors; typical and bad luck to four of a share (1 in 16,000)."""
    assert abs(labels.mean() - mode.expected) < 4 * labels.std() / np.sqrt(RUNS)
    for forecast_, share in ((mode.median, 0.5), (mode.quantile, 0.93)):
        doubt = 4 * np.sqrt(share * (1 - share) / RUNS)
        assert np.mean(passed & (labels <= forecast_)) == pytest.approx(share, abs=doubt)


def test_a_budget_uses_what_was_forecast(modes):
    """And what is sealed is what an endless pool asks for: the chance to pass stays."""
    mode = modes["budget"]
    planned = round(mode.informative)
    test = spending_test(CLAIM, confidence=0.95, planned=planned)
    labels, passed = used(spending_boundary(test).first_pass, mode.labels, planned)
    check(mode, labels, passed)
    endless = forecast(CLAIM, EXPECTED).modes["budget"]
    assert (mode.labels, mode.informative, mode.power) == (
        endless.labels, endless.informative, endless.power
    )  # fmt: skip
    assert mode.expected < 0.75 * endless.expected  # a third of the draws meet an item again


def test_anytime_uses_what_was_forecast(modes):
    mode = modes["anytime"]
    boundary = mixture_boundary(mixture_test(CLAIM, confidence=0.95), 4000)
    labels, passed = used(boundary.first_pass, 4000, None)
    check(mode, labels, passed)


def test_a_fixed_plan_says_how_many_items_its_draws_meet():
    endless = forecast(CLAIM, EXPECTED).modes["fixed"]
    found = forecast(CLAIM, EXPECTED, items=2 * endless.labels).modes["fixed"]
    assert (found.labels, found.power) == (endless.labels, endless.power)
    assert found.expected == np.ceil(distinct_items(endless.labels, 2 * endless.labels))


def test_a_fixed_plan_that_reads_everything_is_sure_to_pass(modes):
    """600 items are fewer than the test's draws: a census, which knows the truth."""
    fixed = modes["fixed"]
    assert (fixed.labels, fixed.expected, fixed.power) == (600, 600, 1.0)


@pytest.mark.parametrize("mode", ["budget", "anytime"])
def test_a_pool_without_end_changes_nothing(mode):
    endless, huge = (forecast(CLAIM, EXPECTED, items=n).modes[mode] for n in (None, 10**9))
    assert huge.expected == pytest.approx(endless.expected, rel=1e-4)
    assert huge.median == endless.median
    assert huge.quantile == endless.quantile


def test_runs_that_hardly_ever_pass_read_everything():
    """They were counted as if they ended where the forecast looks no further: 12,152 labels on average
    beside a typical number of 900,000, and so the way that was recommended."""
    near = Expectation(precision=0.7001, recall=0.75, prevalence=0.5)
    modes = forecast(CLAIM, near, items=900_000).modes
    assert modes["fixed"].reason is not None
    assert modes["anytime"].median == 900_000
    assert modes["anytime"].expected > 0.5 * 900_000


def test_no_curve_is_worked_out_where_no_fixed_plan_is_possible(project):
    """It took the page two minutes, and nobody was shown it."""
    near = Expectation(precision=0.7001, recall=0.75, prevalence=None)
    outlook = prospect(Project(folder=project), PlanRequest(claim=CLAIM, expectation=near))
    assert outlook.forecast.modes["fixed"].reason is not None
    assert outlook.curve is None
    assert "fixed" not in chance_curves(outlook, power=0.93)
