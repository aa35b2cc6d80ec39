"""Ranges shown beside each other: how often each is left at any look, and how often any of them.

One end of the claimed metric's range is what the verdict proves, at the whole risk, and a refuted
claim moves the other; all other ends have half the risk each. `joint_words` prints one minus the sum.
Counted at 90 %, so that misses are many, with the truth exactly at the target: the worst case.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import bdtrc
from test_card_ranges import NAMES, drawn, truth, world

from assaymark.claims.claim import Claim, Counts
from assaymark.claims.ratio_metrics import binomial_test, metric
from assaymark.stats.binomial_bounds import bound
from assaymark.stats.score_guided.bound import standing
from assaymark.stats.score_guided.interval import weighted_range
from assaymark.stats.score_guided.supermartingale import weighted_test
from assaymark.stats.sequential.beta_mixture import anytime_bound
from assaymark.stats.sequential.confidence_sequence import anytime_range

CONFIDENCE = 0.9
RISK = 1 - CONFIDENCE
ALARM = 1e-4
SHARES = np.array([0.18, 0.06, 0.06, 0.70])  # tp, fp, fn, tn
TRUE = {name: metric(name).value(SHARES.tolist()) for name in NAMES}
CLAIM = Claim(metric="recall", side="lower", target=0.75)  # the truth


def left(low: float, high: float, value: float) -> bool:
    return not low - 1e-9 <= value <= high + 1e-9


def judged_once(rng) -> dict[str, bool]:
    """Which ranges of a sample judged once are left."""
    tp, fp, fn, tn = rng.multinomial(200, SHARES).tolist()
    counts, missed = Counts(tp=tp, fp=fp, fn=fn, tn=tn), {}
    for name in NAMES:
        ends = bound(name, counts, design="simple", confidence=CONFIDENCE, side="both").interval
        low = ends.low
        if name == CLAIM.metric:
            low = bound(name, counts, design="simple", confidence=CONFIDENCE).interval.low
        missed[name] = left(low, ends.high, TRUE[name])
    return missed


def at_any_look(rng) -> dict[str, bool]:
    """The same for a simple plan without an end: the ends are the best of all looks so far."""
    cells, missed = rng.choice(4, size=250, p=SHARES), {}
    for name in NAMES:
        test = binomial_test(Claim(metric=name, side="lower", target=0.5))
        won, lost = np.array(test.success)[cells], np.array(test.failure)[cells]
        wins = won[won | lost]
        found = anytime_range(wins, confidence=CONFIDENCE)
        low, high = found.low, found.high
        if name == CLAIM.metric:
            low = anytime_bound(CLAIM, wins, confidence=CONFIDENCE).value
            refuted = anytime_bound(
                replace(CLAIM, side="upper"), ~wins, confidence=CONFIDENCE
            ).passed
            high = 0.0 if refuted else high  # "below the target" is false of the target itself
        missed[name] = left(low, high, TRUE[name])
    return missed


def guided(rng) -> dict[str, bool]:
    """The same for a score-guided plan of recall, whose scores are right in half of the runs."""
    strata, labels = world(rng, lying=bool(rng.random() < 0.5))
    draws = drawn(rng, strata, labels, most=120)
    claim = replace(CLAIM, target=round(truth("recall", strata, labels), 4))
    now, missed = standing(weighted_test(claim, strata, confidence=CONFIDENCE), draws), {}
    for name in NAMES:
        found = weighted_range(name, strata, draws, confidence=CONFIDENCE)
        low, high = found.low, found.high
        if name == "recall":
            low = now.bound.value or 0.0
            high = 0.0 if now.path.decision == "fail" and not now.path.certain else high
        missed[name] = left(
            low, high, truth(name, strata, labels) + (1e-4 if name == "recall" else 0)
        )
    return missed


DESIGNS = {
    "fixed": (judged_once, 1.5),
    "anytime": (at_any_look, 2.5),
    "score-guided": (guided, 2.5),
}


def chance_of(count: int, runs: int, level: float) -> float:
    return float(bdtrc(count - 1, runs, level)) if count else 1.0


def checked(design: str, runs: int, record, measured) -> None:
    play, own = DESIGNS[design]
    rng = np.random.default_rng(42)
    found = [play(rng) for _ in range(runs)]
    alone = {name: sum(one[name] for one in found) for name in NAMES}
    together = sum(any(one.values()) for one in found)
    level = RISK * (len(NAMES) + own - 1)
    measured("ranges-together", f"made: four ranges, {design}", together, nominal=level, runs=runs)
    record("errors", together)
    record("runs", runs)
    for name, count in alone.items():
        record(f"errors, {name}", count)
        single = RISK * (own if name == CLAIM.metric else 1.0)
        assert chance_of(count, runs, single) > ALARM, (name, count)
    assert chance_of(together, runs, level) > ALARM, together
    assert together >= max(alone.values())


@pytest.mark.parametrize(
    ("design", "runs"), [("fixed", 400), ("anytime", 60), ("score-guided", 10)]
)
def test_ranges_keep_their_levels_alone_and_together(design, runs, record_property, measured):
    checked(design, runs, record_property, measured)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("design", "runs"), [("fixed", 4000), ("anytime", 1000), ("score-guided", 150)]
)
def test_many_ranges_keep_their_levels_alone_and_together(design, runs, record_property, measured):
    checked(design, runs, record_property, measured)
