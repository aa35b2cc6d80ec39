"""Ranges of a metric from the labels of a plan, one for each way of sampling.

An item that nobody could tell widens a range: each end counts it in the way that hurts that end.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assaymark.certification.modes.mode import Range
from assaymark.certification.modes.prefix import Prefix, counted_label
from assaymark.certification.modes.score_guided import (
    cells_of,
    known_cells,
    test_strata,
    weighted_draws,
)
from assaymark.claims.claim import Claim, Counts
from assaymark.claims.ratio_metrics import binomial_test, metric
from assaymark.ledger.events import Attempt
from assaymark.records.plan import Plan
from assaymark.stats.binomial_bounds import bound
from assaymark.stats.score_guided.interval import weighted_range
from assaymark.stats.sequential.beta_mixture import metric_at
from assaymark.stats.sequential.confidence_sequence import anytime_range

Pair = tuple[bool, int | None]


def pairs_of(prefix: Prefix) -> list[Pair]:
    """Prediction and answer of each draw."""
    return [
        (bool(draw.prediction), answer)
        for draw, answer in zip(prefix.drawn, prefix.answers, strict=True)
    ]


def _claim(name: str, side: Literal["lower", "upper"]) -> Claim:
    return Claim(metric=name, side=side, target=0.5)


def _cells(claim: Claim, pairs: Sequence[Pair]) -> list[int]:
    """The cell of each pair, items that nobody could tell counted against the claim."""
    known = {
        (predicted, answer): (0 if predicted else 2)
        + (1 - counted_label(claim, predicted=predicted, answer=answer))
        for predicted in (True, False)
        for answer in (0, 1, None)
    }
    return [known[pair] for pair in pairs]


def _counts(name: str, side: Literal["lower", "upper"], pairs: Sequence[Pair]) -> Counts:
    tp, fp, fn, tn = np.bincount(_cells(_claim(name, side), pairs), minlength=4)
    return Counts(tp=int(tp), fp=int(fp), fn=int(fn), tn=int(tn))


def _point(name: str, pairs: Sequence[Pair]) -> float | None:
    known_pairs = [pair for pair in pairs if pair[1] is not None]
    return metric(name).value(_counts(name, "lower", known_pairs).cells)


def counted_range(name: str, pairs: Sequence[Pair]) -> Range:
    """The range when every item is labelled."""
    ratio = metric(name)
    low = ratio.value(_counts(name, "lower", pairs).cells)
    high = ratio.value(_counts(name, "upper", pairs).cells)
    return Range(
        point=_point(name, pairs),
        low=0.0 if low is None else low,
        high=1.0 if high is None else high,
        method="every item was labelled",
    )


def exact_range(plan: Plan, name: str, pairs: Sequence[Pair]) -> Range:
    """The exact binomial (Clopper–Pearson) range of a sample judged once."""
    ends = {
        side: bound(
            name,
            _counts(name, side, pairs),
            design="simple",
            confidence=plan.confidence,
            side="both",
        ).interval
        for side in ("lower", "upper")
    }
    return Range(
        point=_point(name, pairs),
        low=ends["lower"].low,
        high=ends["upper"].high,
        method="exact binomial range (Clopper–Pearson)",
    )


def anytime_range_of(plan: Plan, name: str, pairs: Sequence[Pair]) -> Range:
    """A range that holds at every look at once."""
    lower = _claim(name, "lower")
    share = anytime_range(
        _successes(lower, pairs),
        confidence=plan.confidence,
        pessimist=~_successes(_claim(name, "upper"), pairs),
    )
    return Range(
        point=_point(name, pairs),
        low=metric_at(lower, share.low),
        high=metric_at(lower, share.high),
        method="anytime range (mixture)",
    )


def _successes(claim: Claim, pairs: Sequence[Pair]) -> NDArray[np.bool_]:
    """Successes of the claim among its informative items, in draw order."""
    test = binomial_test(claim)
    if test is None:
        return np.zeros(0, dtype=bool)
    cells = np.array(_cells(claim, pairs), dtype=np.int64)
    success = np.array(test.success)[cells]
    informative: NDArray[np.bool_] = success[success | np.array(test.failure)[cells]]
    return informative


def guided_range(attempt: Attempt, prefix: Prefix, name: str) -> Range:
    """A range from a score-guided sample that holds at every look at once."""
    plan = attempt.plan
    draws = weighted_draws(attempt, prefix)
    interval = weighted_range(
        name, test_strata(plan), draws, confidence=plan.confidence, known=known_cells(plan)
    )
    cells = cells_of(plan, draws)
    return Range(
        point=None if cells is None else metric(name).value(cells),
        low=interval.low,
        high=interval.high,
        method="score-guided",
    )
