"""Verdicts of the weighted design: the wealth of the bets, replayed from the first draw."""

import math

import numpy as np

from assaymark.certification.modes.prefix import Prefix, labelled_prefix
from assaymark.certification.modes.words import WEIGHTED, refuted, sentence
from assaymark.claims.ratio_metrics import Cells, metric
from assaymark.claims.results import Decision, Estimate, Interval, Verdict, counted
from assaymark.ledger.events import Attempt, State
from assaymark.records.plan import Plan
from assaymark.stats.methods import betting_method
from assaymark.stats.score_guided.bound import MetricBound, standing
from assaymark.stats.score_guided.kl_projection import Floats
from assaymark.stats.score_guided.supermartingale import Draws, WeightedTest
from assaymark.stats.score_guided.supermartingale import Stratum as TestStratum
from assaymark.stats.score_guided.walk import SKIPPED


def test_strata(plan: Plan) -> tuple[TestStratum, ...]:
    """The strata of a score-guided plan as its test takes them."""
    return tuple(
        TestStratum(predicted=bool(s.prediction), size=s.items, mean_score=s.mean_score)
        for s in plan.strata
    )


def weighted_test_of(plan: Plan) -> WeightedTest:
    """The test that a weighted plan seals."""
    return WeightedTest(
        claim=plan.claim,
        confidence=plan.tested_at,
        strata=test_strata(plan),
        recipe=betting_method(plan.method).recipe,
        refutation=None if plan.refutation == plan.tested_at else plan.refutation or 1.0,
        capped=plan.capped,
    )


def weighted_draws(attempt: Attempt, prefix: Prefix) -> Draws:
    """The labelled prefix as the test takes it: strata, labels, and the chances stored then."""
    chances = np.array(attempt.sampling[: prefix.draws], dtype=np.float64)
    return Draws(
        strata=np.array([draw.stratum for draw in prefix.drawn], dtype=np.int64),
        labels=np.array([SKIPPED if y is None else y for y in prefix.answers], dtype=np.int64),
        sampling=chances.reshape(prefix.draws, len(attempt.plan.strata)),
    )


def judge_weighted(state: State, attempt: Attempt) -> Verdict:
    """What is established now, whenever one looks."""
    plan = attempt.plan
    prefix = labelled_prefix(state, attempt)
    test = weighted_test_of(plan)
    draws = weighted_draws(attempt, prefix)
    now = standing(test, draws)
    path = now.path
    estimate = guided_estimate(plan, prefix, draws, now.bound, WEIGHTED)
    decision: Decision = path.decision
    return Verdict(
        decision=decision,
        claim=plan.claim,
        estimate=estimate,
        labels_expected=expected_in_all(path.log_wealth, test.log_needed, prefix, decision),
        waiting=prefix.waiting,
        skipped=prefix.skipped,
        census=False,
        e_value=math.exp(min(path.evidence, 700.0)),
        log_wealth=float(path.log_wealth[-1]) if path.labels else 0.0,
        reason=refuted(plan.claim, estimate, plan.confidence)
        if decision == "fail"
        else sentence(plan.claim, estimate, decision),
        refuted=decision == "fail",
    )


def guided_estimate(
    plan: Plan, prefix: Prefix, draws: Draws, found: MetricBound, assumptions: tuple[str, ...]
) -> Estimate:
    """The estimate of a score-guided sample with the bound that was proved."""
    ratio = metric(plan.claim.metric)
    lower = plan.claim.side == "lower"
    point = point_of(plan, draws)
    return Estimate(
        metric=ratio.name,
        title=ratio.title,
        point=point,
        reason=None if point is not None else "too few labels so far",
        interval=Interval(
            low=(found.value if lower else None) or 0.0,
            high=1.0 if lower or found.value is None else found.value,
            confidence=plan.confidence,
            side=plan.claim.side,
            method="score-guided",
            guaranteed=True,
        ),
        labels=prefix.labels,
        draws=prefix.draws,
        design=counted(len(plan.strata), "stratum", "strata"),
        counts=prefix.counts,
        assumptions=assumptions,
    )


def point_of(plan: Plan, draws: Draws) -> float | None:
    """The metric if each stratum's unlabelled items were like its labelled ones."""
    cells = cells_of(plan, draws)
    return None if cells is None else metric(plan.claim.metric).value(cells)


def cells_of(plan: Plan, draws: Draws) -> Cells | None:
    """The collection's confusion cells if unlabelled items were like labelled ones.

    A stratum without a label yet is taken at its mean score; None where it has none.
    """
    if len(draws) == 0:
        return None
    cells = np.zeros(4)
    for k, stratum in enumerate(plan.strata):
        mine = draws.labels[draws.strata == k]
        mine = mine[mine != SKIPPED]
        if len(mine) == 0 and stratum.mean_score is None:
            return None
        rate = float(mine.mean()) if len(mine) else stratum.mean_score or 0.0
        positives = stratum.items * rate
        start = 0 if stratum.prediction else 2
        cells[start : start + 2] += [positives, stratum.items - positives]
    return (float(cells[0]), float(cells[1]), float(cells[2]), float(cells[3]))


def expected_in_all(
    log_wealth: Floats,
    needed: float,
    prefix: Prefix,
    decision: Decision,
    *,
    most: int | None = None,
) -> int | None:
    """About how many labels it takes in all, if the wealth grows on as it did so far."""
    if decision != "continue":
        return prefix.labels
    half = prefix.draws // 2
    if half < 20:
        return None
    gained = float(log_wealth[-1] - log_wealth[half])
    if gained <= 0:
        return None
    more = (needed - float(log_wealth[-1])) / gained * (prefix.draws - half)
    expected = prefix.labels + max(1, round(more))
    return expected if most is None else min(expected, most)
