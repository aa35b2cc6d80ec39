"""How far the same labels carry: a one-sided bound on the metric from the weighted design.

One idea: run the test at other targets on the same draws. Targets are asked one after the other,
from the easiest on, and the last that passes before the first failure is the bound.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from assaymark.claims.ratio_metrics import metric
from assaymark.stats.score_guided.checkpoints import log_wealth
from assaymark.stats.score_guided.kl_projection import Floats
from assaymark.stats.score_guided.supermartingale import (
    Certainty,
    Draws,
    WeightedPath,
    WeightedTest,
    both,
    certainty,
    check_draws,
    first_draws,
    judge,
    tests_at,
    walk,
)
from assaymark.stats.score_guided.walk import Walk
from assaymark.stats.score_guided.wealth import Recipe
from assaymark.stats.special import expit, logit

# Distances of the other targets from the claim's, in log-odds, where no method says otherwise.
STEPS = Recipe().ladder


@dataclass(frozen=True, kw_only=True)
class MetricBound:
    """The metric is at least (lower) or at most (upper) `value`; None with a reason if unknown.

    `certain` means that no statistics were needed: the labels given leave no other possibility.
    """

    metric: str
    side: Literal["lower", "upper"]
    value: float | None
    confidence: float
    certain: bool
    reason: str | None = None

    def __str__(self) -> str:
        if self.value is None:
            return f"no bound on {self.metric}: {self.reason}"
        how = "with certainty" if self.certain else f"with {self.confidence:.0%} confidence"
        return f"{self.metric} {'>=' if self.side == 'lower' else '<='} {self.value:.4g} {how}"


@dataclass(frozen=True, kw_only=True, eq=False)
class Standing:
    """Everything the labels prove: the path of the claim, and the bound that goes with it."""

    path: WeightedPath
    bound: MetricBound


def standing(test: WeightedTest, draws: Draws) -> Standing:
    """The path and the bound in one walk over the draws: the claim and all its other targets."""
    return _standing(test, draws, _race(test, draws), certainty(test, draws))


def bounds_after(test: WeightedTest, draws: Draws, ends: Sequence[int]) -> tuple[MetricBound, ...]:
    """The bound as it stood after each of these numbers of draws, in one walk over the draws."""
    log, known = _race(test, draws), certainty(test, draws)
    return tuple(
        _standing(test, first_draws(draws, end), log[:, :end], known.until(end)).bound
        for end in ends
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class RowWealth:
    """The log wealth of every target that is stated, from the easiest on, and of the refutation."""

    targets: tuple[float, ...]
    log: Floats
    log_doubt: Floats


def row_wealth(test: WeightedTest, draws: Draws) -> RowWealth:
    """What every row holds after each draw."""
    log = _race(test, draws)
    easier, harder = (other_targets(test, harder=harder) for harder in (False, True))
    middle = 2 + len(easier)
    return RowWealth(
        targets=(*easier, test.claim.target, *harder),
        log=np.concatenate([log[2:middle], log[:1], log[middle:]]),
        log_doubt=log[1],
    )


def _race(test: WeightedTest, draws: Draws) -> Floats:
    """The log wealth of the claim, its mirror, and the easier and harder targets, by draw."""
    check_draws(test, draws)
    return log_wealth(("claim", test), draws, start=lambda: _start(test))


def _start(test: WeightedTest) -> Walk:
    easier, harder = (other_targets(test, harder=harder) for harder in (False, True))
    return walk(test, both(test).joined(tests_at(test, [*easier, *harder])))


def _standing(test: WeightedTest, draws: Draws, log: Floats, known: Certainty) -> Standing:
    easier, harder = (other_targets(test, harder=harder) for harder in (False, True))
    middle = 2 + len(easier)
    path = judge(
        test, draws, log_wealth=log[0], log_doubt=log[1], known=known, easier=log[2:middle]
    )
    if path.decision == "pass":
        target = _last_passed(test, known, harder, log[middle:], start=test.claim.target)
    else:
        target = _last_passed(test, known, easier, log[2:middle], start=None)
    return Standing(path=path, bound=_bound(test, draws, path, target))


def _bound(
    test: WeightedTest, draws: Draws, path: WeightedPath, target: float | None
) -> MetricBound:
    """The bound on the claim's side; it reaches the target exactly when the claim has passed.

    Targets are tried from the easiest on until one fails, the claim's own among them, whenever one
    looks: bound and claim err only if the first target on the wrong side of the truth was crossed,
    so with chance at most α for both together.
    """
    sure = worst_metric(test, draws)
    harder = max if test.claim.side == "lower" else min
    known = [value for value in (target, sure) if value is not None]
    if path.decision == "fail" and path.certain:
        known = [] if sure is None else [sure]
    value = harder(known) if known else None
    return MetricBound(
        metric=test.claim.metric,
        side=test.claim.side,
        value=value,
        confidence=test.confidence,
        certain=value is not None and value == sure and value != target,
        reason=None if value is not None else _why(path),
    )


def _why(path: WeightedPath) -> str:
    if path.undefined:
        return "its denominator is zero"
    return "too few labels to exclude any value"


def other_targets(test: WeightedTest, *, harder: bool) -> tuple[float, ...]:
    """The targets beyond the claim's own, from easy to hard. Fixed by the claim alone."""
    if harder and test.capped:
        return ()
    up = harder == (test.claim.side == "lower")
    ladder = test.recipe.ladder
    steps = np.array(ladder if harder else ladder[::-1])
    moved = expit(logit(test.claim.target) + (steps if up else -steps))
    return tuple(float(t) for t in moved)


def _last_passed(
    test: WeightedTest,
    known: Certainty,
    targets: tuple[float, ...],
    log: Floats,
    *,
    start: float | None,
) -> float | None:
    """The hardest of these targets reached by betting, in the fixed order from easy to hard."""
    if len(known.defined) < test.recipe.fewest_labels or not known.defined[-1]:
        return start
    crossed = log.max(axis=1, initial=-np.inf) >= test.log_needed
    reached = int(np.argmin(crossed)) if not crossed.all() else len(targets)
    return targets[reached - 1] if reached else start


def worst_metric(test: WeightedTest, draws: Draws) -> float | None:
    """The metric if every item not labelled, or skipped, had the label that hurts the claim."""
    helpful = tests_at(test, [test.claim.target]).helpful[0]
    helped = np.bincount(
        draws.strata[draws.labels == helpful[draws.strata]], minlength=len(helpful)
    )
    positives = np.where(helpful == 1, helped, test.sizes - helped)
    predicted = np.array([s.predicted for s in test.strata])
    size, hits = int(test.sizes[predicted].sum()), int(positives[predicted].sum())
    rest, missed = int(test.sizes[~predicted].sum()), int(positives[~predicted].sum())
    cells = (hits, size - hits, missed, rest - missed)
    return metric(test.claim.metric).value([a + b for a, b in zip(cells, test.known, strict=True)])
