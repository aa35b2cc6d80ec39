"""The way so far: point estimate and running bound after a grid of prefixes.

The path is that of the labels as they are now. For given labels a bound never falls; a corrected
label makes another path, which is why corrections are marked on it.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from assaymark.certification.modes.prefix import Prefix, counted_label
from assaymark.certification.modes.score_guided import point_of, weighted_draws, weighted_test_of
from assaymark.certification.modes.sequential import informative_draws
from assaymark.certification.view.dossier import Path, PathMark, PathPoint
from assaymark.claims.ratio_metrics import metric
from assaymark.claims.results import Verdict
from assaymark.ledger.events import Attempt
from assaymark.records.plan import Plan
from assaymark.stats.methods import mixture_method
from assaymark.stats.score_guided.bound import bounds_after
from assaymark.stats.score_guided.supermartingale import first_draws
from assaymark.stats.sequential.beta_mixture import anytime_bound

GRID = 40

Values = Sequence[float | None]


def path_of(
    attempt: Attempt,
    prefix: Prefix,
    verdict: Verdict | None,
    marks: tuple[PathMark, ...],
    *,
    reason: str | None,
) -> Path:
    """Point and bound after at most forty prefixes, the last of them the whole one.

    Without a verdict (a fixed plan before its size) only numbers of labels are given.
    """
    plan = attempt.plan
    ends = _ends(prefix.draws)
    labels = np.cumsum([0, *(not draw.repeat for draw in prefix.drawn)])
    nothing: Values = [None] * len(ends)
    points, bounds = nothing, nothing
    if verdict is not None and not verdict.census:
        points = POINTS[plan.design](attempt, prefix, ends)
        bounds = _bounds(attempt, prefix, verdict, ends)
    return Path(
        metric=plan.claim.metric,
        side=plan.claim.side,
        target=plan.claim.target,
        points=tuple(
            PathPoint(labels=int(labels[end]), draws=end, point=point, bound=bound)
            for end, point, bound in zip(ends, points, bounds, strict=True)
        ),
        marks=marks,
        reason=reason,
    )


def _ends(draws: int) -> list[int]:
    """Prefix lengths: all of them while there are few, evenly spread otherwise."""
    if draws <= GRID:
        return list(range(1, draws + 1))
    return sorted({round(end) for end in np.linspace(1, draws, GRID)})


def _simple_points(attempt: Attempt, prefix: Prefix, ends: Sequence[int]) -> Values:
    plan = attempt.plan
    cells = np.zeros((prefix.draws, 4), dtype=np.int64)
    counted = {
        (predicted, answer): (0 if predicted else 2)
        + (1 - counted_label(plan.claim, predicted=predicted, answer=answer))
        for predicted in (True, False)
        for answer in (0, 1, None)
    }
    for place, (draw, answer) in enumerate(zip(prefix.drawn, prefix.answers, strict=True)):
        cells[place, counted[bool(draw.prediction), answer]] = 1
    running = np.cumsum(cells, axis=0)
    ratio = metric(plan.claim.metric)
    return [ratio.value([float(c) for c in running[end - 1]]) for end in ends]


def _weighted_points(attempt: Attempt, prefix: Prefix, ends: Sequence[int]) -> Values:
    draws = weighted_draws(attempt, prefix)
    return [point_of(attempt.plan, first_draws(draws, end)) for end in ends]


POINTS: dict[str, Callable[[Attempt, Prefix, Sequence[int]], Values]] = {
    "simple": _simple_points,
    "census": _simple_points,
    "weighted": _weighted_points,
}


def _bounds(attempt: Attempt, prefix: Prefix, verdict: Verdict, ends: Sequence[int]) -> Values:
    plan, interval = attempt.plan, verdict.estimate.interval
    last = shown_bound(plan, interval.low if plan.claim.side == "lower" else interval.high)
    if plan.design == "weighted":
        draws = weighted_draws(attempt, prefix)
        found = bounds_after(weighted_test_of(plan), draws, ends)
        running: list[float | None] = [bound.value for bound in found]
    elif plan.mode == "anytime":
        running = _anytime_bounds(plan, prefix, ends)
    else:
        running = [None] * len(ends)
    return [*(shown_bound(plan, value) for value in running[:-1]), last] if ends else []


def _anytime_bounds(plan: Plan, prefix: Prefix, ends: Sequence[int]) -> list[float | None]:
    found = informative_draws(plan.claim, prefix)
    told, rule = _informative_after(found.places, prefix.draws), mixture_method(plan.method)
    return [
        anytime_bound(
            plan.claim, found.wins[: told[end]], confidence=plan.tested_at, rule=rule
        ).value
        for end in ends
    ]


def _informative_after(places: NDArray[np.int64], draws: int) -> NDArray[np.int64]:
    return np.searchsorted(places, np.arange(draws + 1))


def shown_bound(plan: Plan, value: float | None) -> float | None:
    """The bound, or None where it says nothing."""
    if value is None or (value <= 0 if plan.claim.side == "lower" else value >= 1):
        return None
    return float(value)
