"""The advisor's formulas a second time, straight from their statement, in other ways of computing."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import expit, logit
from test_policy import CLAIM, grown, look

from assaymark.claims.claim import Counts
from assaymark.claims.ratio_metrics import parse_claim
from assaymark.records.training import Band, TrainingGoal, TrainingLook
from assaymark.training.stats.certification_cost import OVER_LIMIT, cost_of
from assaymark.training.stats.learning_curve import (
    INDIVIDUAL,
    OPTIMISM,
    POWERS,
    learning_curve,
    reading,
)
from assaymark.training.stats.stopping_policy import (
    DOUBT,
    EARLIEST,
    LATEST,
    SPLIT,
    TIGHT,
    TIGHT_CHANCE,
    Outlook,
)


@given(
    tp=st.integers(1, 400),
    fp=st.integers(0, 300),
    fn=st.integers(0, 300),
    precision=st.floats(0.05, 0.95),
    missed=st.floats(0.001, 0.1),
)
def test_a_reading_of_f1_is_that_of_the_jaccard_index(tp, fp, fn, precision, missed) -> None:
    """z is the log-odds of J = F1/(2 − F1), up to ln 2, and v is 1/(n·q·J(1 − J)) of the scores."""
    tn, flagged, rest = 1000, 500, 9500
    one = TrainingLook(
        labels=tp + fp + fn + tn,
        random=tp + fp + fn + tn,
        positives=tp + fn,
        counts=Counts(tp=tp, fp=fp, fn=fn, tn=tn),
        bands=(
            Band(predicted=True, items=flagged, expected=precision * flagged),
            Band(predicted=False, items=rest, expected=missed * rest),
        ),
        threshold=0.5,
    )
    found = reading(one, CLAIM)
    # the pool: sums of calibrated scores, as many items as were labelled at random
    share = one.random / (flagged + rest)
    hits, all_positive = precision * flagged, precision * flagged + missed * rest
    f1 = 2 * hits / (flagged + all_positive)
    jaccard = f1 / (2 - f1)
    informative = flagged + missed * rest
    crossed = math.log((tp + 0.5) / (fp + fn + 0.5))
    scored = math.log((share * hits + 0.5) / (share * informative * (1 - jaccard) + 0.5))
    assert found.z == pytest.approx((crossed + scored) / 2 + math.log(2) - OPTIMISM, abs=1e-9)
    q = informative / (flagged + rest)
    assert found.variance == pytest.approx(1 / (one.random * q * jaccard * (1 - jaccard)), rel=1e-9)


def test_the_belief_by_simulation() -> None:
    """Curves drawn from prior and weighed by the looks: the same mean, spread and chance."""
    looks = grown(150, 300, 600)
    found = learning_curve(looks, CLAIM).now
    rng = np.random.default_rng(11)
    number = 400_000
    end = rng.normal(float(logit(0.6)) + 0.4, 1.0, number)
    climb = rng.normal(0.4, 0.2, number)
    power = POWERS[rng.integers(0, len(POWERS), number)]
    readings = [reading(one, CLAIM) for one in looks]
    v = 0.75 * np.array([one.variance for one in readings])
    assert (np.diff(v) < 0).all()
    # one random walk seen from its end: what is between two looks is noise of the earlier one only
    noise = np.array([[v[max(i, j)] for j in range(3)] for i in range(3)]) + np.diag(0.4 * v)
    sizes = np.array([0.9 * one.labels for one in looks])
    curve = end[:, None] - climb[:, None] * (sizes / 1000) ** -power[:, None]
    gap = np.array([one.z for one in readings]) - curve
    weight = np.exp(-0.5 * np.einsum("ni,ij,nj->n", gap, np.linalg.inv(noise), gap))
    weight /= weight.sum()
    now = end - climb * (looks[-1].labels / 1000) ** -power + rng.normal(0, INDIVIDUAL, number)
    mean = float(weight @ now)
    assert found.mean == pytest.approx(mean, abs=0.01)
    assert found.variance == pytest.approx(float(weight @ (now - mean) ** 2), rel=0.03)
    assert found.chance_above(0.6) == pytest.approx(float(weight @ (now > logit(0.6))), abs=0.01)


def test_the_expected_cost_by_simulation() -> None:
    """The mean price over draws of the belief, failures at what is left of the budget."""
    looks = grown(200, 400, 800)
    cost, belief = cost_of(CLAIM, 0.95, looks[-1].bands), learning_curve(looks, CLAIM).at(1200)
    rng = np.random.default_rng(3)
    part = rng.choice(len(POWERS), 200_000, p=belief.weights)
    z = belief.means[part] + belief.spreads[part] * rng.normal(size=len(part))
    z = belief.mean + (z - belief.mean) * math.sqrt(800 / 1200)
    expected = float(np.minimum(cost.price(z), 2500).mean())
    assert cost.expected(belief, shrink=800 / 1200, most=2500) == pytest.approx(expected, rel=0.02)
    goal = TrainingGoal(claim=CLAIM, budget=3700)
    outlook = Outlook(goal=goal, looks=tuple(looks))
    assert outlook.certification(1200) == pytest.approx(expected, rel=0.02)


def test_the_price_by_brute_force() -> None:
    """L/(1 + 2·L/N) for L = 1.2·ln(1/α)/V*, with V* from its definition: the best sampling against
    the worst other truth.

    V* = max over sampling q of the least Σ q·KL(p, r), r over all rates that break the claim.
    """
    bands = (
        Band(predicted=True, items=1000, expected=800.0),
        Band(predicted=False, items=9000, expected=90.0),
    )
    # rates of the flagged items, and the rates elsewhere that make F1 exactly 0.7 with them
    first = np.linspace(0.5385, 0.8, 4001)
    other = (2 * first * 1000 / 0.7 - 1000 - first * 1000) / 9000
    first, other = first[other > 0], other[other > 0]
    assert 2 * first * 1000 / (1000 + first * 1000 + other * 9000) == pytest.approx(0.7)
    best = max(
        float((q * _kl(0.8, first) + (1 - q) * _kl(0.01, other)).min())
        for q in np.linspace(0.02, 0.98, 97)
    )
    f1 = 2 * 800 / (1000 + 890)
    cost = cost_of(parse_claim("f1 >= 0.7"), 0.95, bands)
    price = float(cost.price(np.array([logit(f1)]))[0])
    limit = OVER_LIMIT * math.log(20) / best
    assert price == pytest.approx(limit / (1 + 2 * limit / 10_000), rel=0.02)


def _kl(p: float, r: np.ndarray) -> np.ndarray:
    return p * np.log(p / r) + (1 - p) * np.log((1 - p) / (1 - r))


def test_tilted_rates_imply_the_metric() -> None:
    """Rates moved by one amount, up where flagged and down elsewhere, give the F1 that is priced."""
    cost = cost_of(CLAIM, 0.95, look(1000, 0.75).bands)
    odds, side, items = cost._odds

    def f1(tilt: float) -> float:
        rates = expit(odds + tilt * side)
        tp = (rates * items)[side > 0].sum()
        return float(2 * tp / (items[side > 0].sum() + (rates * items).sum()))

    for value in (0.62, 0.7, 0.9):
        tilt = brentq(lambda t, value=value: f1(t) - value, -10, 10)
        (found,) = cost._implying(np.array([value]))
        assert found == pytest.approx(expit(odds + tilt * side), rel=1e-6)


def test_the_constants_are_those_of_the_page() -> None:
    """Shares of the budget and chances as the table of policies states them."""
    assert (SPLIT, TIGHT, TIGHT_CHANCE) == (0.3, 0.45, 0.1)
    assert (EARLIEST, LATEST, DOUBT) == (0.15, 0.45, 0.02)
