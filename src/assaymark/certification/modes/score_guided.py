"""Verdicts of the weighted design: the wealth of the bets, replayed from the first draw."""

import itertools
import math
from collections.abc import Sequence
from operator import attrgetter

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
from assaymark.stats.score_guided.supermartingale import Draws, KnownCells, WeightedTest
from assaymark.stats.score_guided.supermartingale import Stratum as TestStratum
from assaymark.stats.score_guided.walk import SKIPPED
from assaymark.stats.score_guided.wealth_ahead import draws_by_wealth
from assaymark.stats.sequential.walk_ahead import DrawsAhead


def test_strata(plan: Plan) -> tuple[TestStratum, ...]:
    """The strata of a score-guided plan as its test takes them."""
    return tuple(
        TestStratum(predicted=bool(s.prediction), size=size, mean_score=s.mean_score)
        for s, size in zip(plan.strata, plan.sizes, strict=True)
    )


def known_cells(plan: Plan) -> KnownCells:
    """The items that left the strata with a label known at the seal: tp, fp, fn, tn."""
    cells = [0, 0, 0, 0]
    for stratum, (zeros, ones) in zip(plan.strata, plan.known_in_strata, strict=True):
        start = 0 if stratum.prediction else 2
        cells[start] += ones
        cells[start + 1] += zeros
    return (cells[0], cells[1], cells[2], cells[3])


def weighted_test_of(plan: Plan) -> WeightedTest:
    """The test that a weighted plan seals."""
    return WeightedTest(
        claim=plan.claim,
        confidence=plan.tested_at,
        strata=test_strata(plan),
        recipe=betting_method(plan.method).recipe,
        refutation=None if plan.refutation == plan.tested_at else plan.refutation or 1.0,
        capped=plan.capped,
        known=known_cells(plan),
    )


_latest: tuple[Prefix, list[tuple[float, ...]], Draws] | None = None


def weighted_draws(attempt: Attempt, prefix: Prefix) -> Draws:
    """The labelled prefix as the test takes it: strata, labels, and the chances stored then.

    A verdict, its path and its ranges ask for the same one, so the latest is kept; it is read only.
    """
    global _latest
    kept = _latest
    if kept is not None and kept[0] is prefix and kept[1] is attempt.sampling:
        return kept[2]
    draws = Draws(
        strata=np.array(list(map(attrgetter("stratum"), prefix.drawn)), dtype=np.int64),
        labels=np.array([SKIPPED if y is None else y for y in prefix.answers], dtype=np.int64),
        sampling=_chances(attempt.sampling[: prefix.draws], len(attempt.plan.strata)),
    )
    for array in (draws.strata, draws.labels, draws.sampling):
        array.flags.writeable = False
    _latest = (prefix, attempt.sampling, draws)
    return draws


def _chances(sampling: Sequence[tuple[float, ...]], strata: int) -> Floats:
    """The chances of every draw as one table; draws of one block have the same ones."""
    blocks = [(chances, len(list(same))) for chances, same in itertools.groupby(sampling)]
    table = np.array([chances for chances, _ in blocks], dtype=np.float64)
    lengths = [length for _, length in blocks]
    chances: Floats = np.repeat(table.reshape(len(blocks), strata), lengths, axis=0)
    return chances


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
    ahead = evidence_ahead(plan, prefix, path.log_wealth, test.log_needed, decision)
    return Verdict(
        decision=decision,
        claim=plan.claim,
        estimate=estimate,
        labels_expected=expected_in_all(prefix, ahead, decision),
        labels_ahead=None if ahead is None else (ahead.low, ahead.high),
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
    plan: Plan, prefix: Prefix, draws: Draws, bound: MetricBound, assumptions: tuple[str, ...]
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
            low=(bound.value if lower else None) or 0.0,
            high=1.0 if lower or bound.value is None else bound.value,
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
    return None if len(draws) == 0 else cells_after(plan, draws, [len(draws)])[0]


def cells_after(plan: Plan, draws: Draws, ends: Sequence[int]) -> list[Cells | None]:
    """The same after each of these numbers of draws, which are 1 or more."""
    at = np.array(ends, dtype=np.int64) - 1
    cells = np.tile(np.array(known_cells(plan), dtype=np.float64), (len(ends), 1))
    known = np.ones(len(ends), dtype=np.bool_)
    for k, stratum in enumerate(plan.strata):
        if not plan.sizes[k]:
            continue
        inside = draws.strata == k
        labels = np.cumsum(inside & (draws.labels != SKIPPED))[at]
        positive = np.cumsum(inside & (draws.labels == 1))[at]
        if stratum.mean_score is None:
            known &= labels > 0
        rate = np.where(labels > 0, positive / np.maximum(labels, 1), stratum.mean_score or 0.0)
        start = 0 if stratum.prediction else 2
        positives = plan.sizes[k] * rate
        cells[:, start] += positives
        cells[:, start + 1] += plan.sizes[k] - positives
    rows = [(float(a), float(b), float(c), float(d)) for a, b, c, d in cells]
    return [row if sure else None for row, sure in zip(rows, known, strict=True)]


def evidence_ahead(
    plan: Plan, prefix: Prefix, log_wealth: Floats, goal: float, decision: Decision
) -> DrawsAhead | None:
    """The labels still to come if the wealth grows on as it did; None where that is not known."""
    if decision != "continue":
        return None
    left = (plan.size or plan.items) - prefix.draws
    return draws_by_wealth(log_wealth, goal, left=left)


def expected_in_all(prefix: Prefix, ahead: DrawsAhead | None, decision: Decision) -> int | None:
    """About how many labels it takes in all."""
    if decision != "continue":
        return prefix.labels
    return None if ahead is None else prefix.labels + ahead.middle
