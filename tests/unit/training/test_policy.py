"""The advisor: the belief about the curve, the price of certification, and what policies decide."""

import json
import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.special import logit
from scipy.stats import multivariate_normal

from assaymark.claims.claim import Counts
from assaymark.claims.ratio_metrics import parse_claim
from assaymark.errors import InputError
from assaymark.records.training import Band, TrainingGoal, TrainingLook
from assaymark.stats.beta_posterior import from_pilot
from assaymark.stats.sample_size import Planner, labels_needed, roughly_needed
from assaymark.stats.score_guided.forecast import limit_of
from assaymark.stats.score_guided.supermartingale import Stratum, weighted_test
from assaymark.training.stats.certification_cost import OVER_LIMIT, cost_of, in_collection
from assaymark.training.stats.learning_curve import (
    CLIMB,
    CLIMB_SPREAD,
    END,
    END_SPREAD,
    OWN,
    POWERS,
    SHARED,
    TRAINED_ON,
    learning_curve,
    reading,
    spaced,
)
from assaymark.training.stats.stopping_policy import POLICIES, Outlook, advise

CLAIM = parse_claim("f1 >= 0.6")


def look(
    labels: int, f1: float, *, prevalence: float = 0.1, random: int | None = None
) -> TrainingLook:
    """A look at a classifier whose precision and recall are this F1, in every source."""
    sample = random or labels
    hits = round(sample * prevalence * f1)
    misses = round(sample * prevalence) - hits
    pool = 50_000
    flagged = round(pool * prevalence)
    return TrainingLook(
        labels=labels,
        random=sample,
        positives=round(labels * prevalence),
        counts=Counts(tp=hits, fp=misses, fn=misses, tn=sample - hits - 2 * misses),
        bands=(
            Band(predicted=True, items=flagged // 2, expected=flagged / 2 * min(1, f1 + 0.1)),
            Band(predicted=True, items=flagged // 2, expected=flagged / 2 * (f1 - 0.1)),
            Band(predicted=False, items=flagged, expected=flagged * (1 - f1) * 0.8),
            Band(predicted=False, items=pool - 2 * flagged, expected=flagged * (1 - f1) * 0.2),
        ),
        threshold=0.5,
    )


def grown(*sizes: int, top: float = 0.8) -> list[TrainingLook]:
    """Looks along a curve that climbs to `top`."""
    return [look(size, top - 4 / math.sqrt(size) * 0.5) for size in sizes]


def goal(**more: object) -> TrainingGoal:
    return TrainingGoal(**{"claim": CLAIM, "budget": 4000, **more})  # type: ignore[arg-type]


def test_the_posterior_is_that_of_the_stated_model() -> None:
    """Means and weights equal those from the joint normal law of curve and looks."""
    looks = grown(200, 300, 500, 900)
    found = learning_curve(looks, CLAIM)
    readings = [reading(one, CLAIM) for one in looks]
    z = np.array([one.z for one in readings])
    shared = SHARED * np.array([one.variance for one in readings])
    later = np.maximum.outer(np.arange(4), np.arange(4))
    noise = shared[later] + np.diag(OWN * shared)
    prior = np.array([logit(0.6) + END, CLIMB])
    spread = np.diag([END_SPREAD**2, CLIMB_SPREAD**2])
    likelihood = []
    for k, power in enumerate(POWERS):
        sizes = np.array([TRAINED_ON * one.labels / 1000 for one in looks])
        x = np.stack([np.ones(4), -(sizes**-power)], axis=1)
        precision = np.linalg.inv(spread) + x.T @ np.linalg.inv(noise) @ x
        mean = np.linalg.solve(
            precision, np.linalg.inv(spread) @ prior + x.T @ np.linalg.inv(noise) @ z
        )
        assert found.means[k] == pytest.approx(mean, rel=1e-6)
        assert found.covariances[k] == pytest.approx(np.linalg.inv(precision), rel=1e-6)
        likelihood.append(multivariate_normal(x @ prior, x @ spread @ x.T + noise).pdf(z))
    assert found.weights == pytest.approx(np.array(likelihood) / sum(likelihood), rel=1e-6)


def test_more_labels_narrow_the_belief() -> None:
    """The interval shrinks as labels come in, and the chance of a true claim rises to one."""
    chances, widths = [], []
    for size in (200, 800, 3200):
        now = learning_curve(
            grown(*(s for s in (100, 200, 400, 800, 1600, 3200) if s <= size)), CLAIM
        ).now
        chances.append(now.chance_above(0.6))
        widths.append(now.quantile(0.95) - now.quantile(0.05))
    assert widths == sorted(widths, reverse=True)
    assert chances == sorted(chances)
    assert chances[-1] > 0.98


def test_quantiles_and_chances_agree() -> None:
    """The chance to exceed a quantile is one minus its level."""
    now = learning_curve(grown(200, 400, 800), CLAIM).now
    for level in (0.05, 0.5, 0.9):
        assert now.chance_above(now.quantile(level)) == pytest.approx(1 - level, abs=1e-9)


def test_few_random_items_leave_more_doubt() -> None:
    """Items chosen by score train, but say nothing about how good the classifier is."""
    certain = learning_curve([look(1000, 0.7)], CLAIM).now
    doubtful = learning_curve([look(1000, 0.7, random=300)], CLAIM).now
    assert doubtful.variance > certain.variance


def test_close_looks_are_left_out() -> None:
    """Looks every 20 labels are thinned to steps of a tenth, and the last one stays."""
    looks = [look(size, 0.7) for size in range(100, 5001, 20)]
    kept = [one.labels for one in spaced(looks)]
    assert kept[-1] == 5000
    assert all(b >= 1.1 * a - 1e-9 for a, b in pairwise(kept))
    assert len(kept) < 45


@pytest.mark.parametrize("name", ["f1", "recall", "precision", "accuracy", "f2"])
def test_every_metric_that_can_be_trained_for_has_a_reading(name: str) -> None:
    """The reading is near the log-odds of the metric that all sources agree on."""
    one = look(2000, 0.7)
    found = reading(one, parse_claim(f"{name} >= 0.5"))
    expected = 0.94 if name == "accuracy" else 0.7
    assert found.z == pytest.approx(logit(expected), abs=0.08)
    assert 0 < found.variance < 0.05


def test_the_price_is_the_information_limit_where_nothing_is_tilted() -> None:
    """At the metric that the bands themselves imply, the price is 1.2 times the limit."""
    bands = look(1000, 0.75).bands
    test = weighted_test(
        CLAIM, [Stratum(predicted=b.predicted, size=b.items, mean_score=0.5) for b in bands]
    )
    ideal = limit_of(test, np.array([b.expected / b.items for b in bands])).ideal
    assert ideal is not None
    price = float(cost_of(CLAIM, 0.95, bands).price(np.array([logit(0.75)]))[0])
    assert price == pytest.approx(in_collection(ideal, 50_000), rel=0.03)


def test_prices_fall_with_the_metric_and_end_at_the_target() -> None:
    """A better classifier is cheaper to certify; one at the target cannot be."""
    cost = cost_of(CLAIM, 0.95, look(1000, 0.75).bands)
    prices = cost.price(np.array([logit(v) for v in (0.5, 0.6, 0.62, 0.65, 0.7, 0.8, 0.9)]))
    assert np.isinf(prices[:2]).all()
    assert (np.diff(prices[2:]) <= 0).all()


def test_a_rough_size_is_within_one_per_cent() -> None:
    """The quick size agrees with the exact one, and is None where the budget is smaller."""
    belief = from_pilot(Counts(tp=202, fp=112, fn=102, tn=4584))
    planner = Planner(claim=parse_claim("f1 >= 0.5"), belief=belief, confidence=0.95)
    exact = labels_needed(planner).labels
    assert exact is not None
    assert roughly_needed(planner, most=20_000) == pytest.approx(exact, rel=0.02)
    assert roughly_needed(planner, most=exact // 2) is None
    assert roughly_needed(planner, most=0) is None


def test_split_trains_thirty_per_cent() -> None:
    """30 % of the budget, more only while the claim is doubtful, never above 45 %."""
    good, poor = (grown(100, 300, 700, 1100, 1199, top=top) for top in (0.85, 0.6))
    assert advise(goal(), good).action == "train"
    assert advise(goal(), good).until == 1200
    assert advise(goal(), [*good, look(1200, 0.8)]).action == "certify"
    assert advise(goal(), [*poor, look(1200, 0.55)]).action == "train"
    assert advise(goal(), [*poor, look(1800, 0.55)]).action == "reconsider"


def test_adaptive_stops_when_the_total_no_longer_falls() -> None:
    """Not before 15 %, not after 45 %; between them when certain and no longer gaining."""
    wish = goal(policy="adaptive", budget=8000)
    assert advise(wish, grown(100, 300, 900, top=0.9)).action == "train"
    flat = [look(size, 0.85) for size in (200, 400, 800, 1200, 1600)]
    found = advise(wish, flat)
    assert (found.action, found.best_at) == ("certify", 1600)
    assert advise(wish, [look(s, 0.61) for s in (500, 1000, 1500)]).action == "train"
    dear = advise(wish, [look(s, 0.61) for s in (500, 1500, 3600)])
    assert dear.action == "reconsider"


def test_adaptive_without_a_budget() -> None:
    """An unknown budget ends with certainty, not with a share."""
    wish = goal(policy="adaptive", budget=None)
    assert "fewer than 20 positives" in advise(wish, [look(100, 0.8)]).reason
    flat = [look(size, 0.85) for size in (200, 400, 800, 1600, 3200)]
    assert advise(wish, flat).action == "certify"


def test_the_paper_policies_follow_the_fixed_test() -> None:
    """First-in-budget stops when a fixed test fits; waiting asks for further looks that fit."""
    short = grown(100, 200, top=0.85)
    assert Outlook(goal=goal(), looks=tuple(short)).fixed_size(short[-1]) is None
    assert advise(goal(policy="first-in-budget"), short).action == "train"
    fits = [*short, *(look(size, 0.82) for size in (1000, 1100, 1200))]
    assert advise(goal(policy="first-in-budget"), fits[:3]).action == "certify"
    assert advise(goal(policy="wait", wait=2), fits[:4]).action == "train"
    assert advise(goal(policy="wait", wait=2), fits).action == "certify"


def test_the_best_shot_is_taken_when_the_budget_ends() -> None:
    """Every policy decides at last; a claim that is believed false is never advised to certify."""
    looks = [look(size, 0.4) for size in (300, 900, 1900)]
    for policy in POLICIES:
        found = advise(goal(policy=policy), looks)
        assert found.action == "reconsider", policy
        assert found.chance_true < 0.5
        assert "ower the target" in found.reason
        assert found.total is None, "there is no forecast for a claim that is not met"


def test_a_claim_is_certified_from_even_chances_on() -> None:
    """A simple test is priced by the last look alone; the belief, which has seen worse, decides."""
    fixed = goal(mode="fixed", policy="split", budget=20_000)
    doubtful = [look(size, 0.3) for size in (3_000, 6_000)] + [look(9_000, 0.66)]
    advice = advise(fixed, doubtful)
    assert 0.45 < advice.chance_true < 0.5
    assert advice.total is not None
    assert advice.total <= 20_000
    assert advice.action == "reconsider"
    likely = [look(size, 0.3) for size in (3_000, 6_000)] + [look(9_000, 0.665)]
    advice = advise(fixed, likely)
    assert 0.5 <= advice.chance_true < 0.6
    assert advice.action == "certify"


def test_the_total_is_the_forecast_and_not_the_budget_cut_off() -> None:
    """535 was promised where the plan took 1,528: the price was cut at what the budget had left."""
    looks = grown(200, 400, 800)
    rich, poor = (advise(goal(budget=budget), looks) for budget in (60_000, 900))
    assert rich.total == poor.total
    assert rich.certification == rich.total - 800
    assert 0 < rich.flagged < 1


@pytest.mark.parametrize("policy", list(POLICIES))
@pytest.mark.parametrize("f1", [0.3, 0.58, 0.61, 0.66, 0.9])
def test_certification_is_never_advised_above_the_budget(policy: str, f1: float) -> None:
    """It was advised twice with a forecast above the budget or none. Lower targets that are named fit."""
    for budget in (800, 2_000, 10_000):
        wish = goal(policy=policy, budget=budget)
        looks = [look(round(share * budget), f1) for share in (0.1, 0.2, 0.3, 0.4, 0.5)]
        for end in (3, 5):
            found = advise(wish, looks[:end])
            if found.action == "certify":
                assert found.total is not None
                assert found.total <= budget
                assert found.chance_true >= 0.5
            elif found.action == "reconsider" and found.target is not None:
                lower = goal(
                    policy=policy, budget=budget, claim=parse_claim(f"f1 >= {found.target}")
                )
                assert found.target < 0.6
                assert advise(lower, looks[:end]).total <= budget


def test_the_forecast_is_a_range_around_the_total() -> None:
    """Luck and doubt widen it; an end at which the claim is false has no number."""
    found = advise(goal(), [look(size, 0.75) for size in (200, 400, 800)])
    assert 800 < found.total_low < found.total < found.total_high
    close = advise(goal(), [look(size, 0.62) for size in (200, 400)])
    assert close.total_high is None


def test_a_finite_collection_is_never_paid_in_full() -> None:
    """Price and collection: what was read is no longer in doubt. Measured ratios are in decision 21."""
    assert in_collection(100, 10**9) == pytest.approx(OVER_LIMIT * 100)
    prices = [in_collection(ideal, 1_000) for ideal in (50, 200, 1_000, 10_000)]
    assert prices == sorted(prices)
    assert prices[-1] < 1_000
    assert in_collection(1, 1_000) == 30
    assert in_collection(1, 20) == 20


def test_out_of_reach_is_said_with_the_projected_best() -> None:
    """A curve that ends far below the target is called out of reach long before the budget ends."""
    found = advise(goal(budget=6000), [look(size, 0.35) for size in (200, 400, 800)])
    assert found.out_of_reach
    assert "projected to end near 0." in found.reason
    assert not advise(goal(), grown(200, 400, 800)).out_of_reach


def test_goals_that_cannot_be() -> None:
    """Upper limits, missing budgets and unknown policies are refused."""
    with pytest.raises(InputError, match="is an upper limit"):
        goal(claim=parse_claim("elusion <= 0.01"))
    with pytest.raises(InputError, match="divides a budget"):
        goal(budget=None)
    with pytest.raises(InputError, match="must be one of"):
        advise(goal(policy="hope"), grown(200))
    with pytest.raises(InputError, match="budget of 0"):
        goal(budget=0)


def test_advice_reads_as_a_sentence() -> None:
    """What a person hears."""
    said = str(advise(goal(), grown(200, 400, 800)))
    assert said.startswith("Keep labelling (800 training labels, the claim holds now with a chance")


def test_the_page_states_the_measured_share() -> None:
    """The sentence on topics counts what the kept runs say."""
    docs = Path(__file__).parents[3] / "docs"
    rows = json.loads((docs / "evidence" / "training.json").read_text(encoding="utf-8"))
    right = sum(row["passed"] == (row["advice"] == "certify") for row in rows)
    collections = {row["collection"] for row in rows}
    assert len(collections) >= 10
    tried = [row for row in rows if row["advice"] == "certify"]
    held = [row["forecast"][0] <= row["labels"] <= row["forecast"][2] for row in tried]
    said = (
        f"{len(rows)} topics of {len(collections)} collections",
        f"{sum(row['passed'] for row in tried)} of {len(tried)} were certified inside the budget",
        f"The advice was right for {right} of {len(rows)} topics.",
        f"held the labels used in {sum(held)} of {len(held)}",
    )
    for page in ("explanation/training.md", "decisions/0021-advice.md"):
        text = (docs / page).read_text(encoding="utf-8")
        assert [sentence for sentence in said if sentence not in text] == []
    for row in tried:
        assert row["forecast"][1] <= row["budget"], row["topic"]
