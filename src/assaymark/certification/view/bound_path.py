"""The way so far: point estimate and running bound after a grid of prefixes.

The path is that of the labels as they are now. For given labels a bound never falls; a corrected
label makes another path, which is why corrections are marked on it.
"""

from collections.abc import Sequence

import numpy as np

from assaymark.certification.metric_ranges import first_estimate
from assaymark.certification.modes import mode_of
from assaymark.certification.modes.mode import Values
from assaymark.certification.modes.prefix import Prefix
from assaymark.certification.view.dossier import Path, PathMark, PathPoint
from assaymark.claims.results import Verdict
from assaymark.ledger.events import Attempt
from assaymark.records.plan import Plan

GRID = 40


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
    points, bounds, passing = nothing, nothing, nothing
    if verdict is not None and not verdict.census:
        points = _estimates(attempt, prefix, ends)
        bounds = _bounds(attempt, prefix, verdict, ends)
        passing = mode_of(plan).passing(attempt, prefix, ends)
    return Path(
        metric=plan.claim.metric,
        side=plan.claim.side,
        target=plan.claim.target,
        points=tuple(
            PathPoint(labels=int(labels[end]), draws=end, point=point, bound=bound, passing=line)
            for end, point, bound, line in zip(ends, points, bounds, passing, strict=True)
        ),
        marks=marks,
        reason=reason,
    )


def _ends(draws: int) -> list[int]:
    """Prefix lengths: all of them while there are few, otherwise at regular steps, and the last.

    The steps are powers of two, so that one label more moves none of the earlier ends.
    """
    step = 1
    while draws > GRID * step:
        step *= 2
    return sorted({1, *range(step, draws + 1, step), draws}) if draws else []


def _estimates(attempt: Attempt, prefix: Prefix, ends: Sequence[int]) -> Values:
    """The point estimates, from where the first sentence would state one too."""
    begin = first_estimate(attempt.plan, prefix)
    points = mode_of(attempt.plan).points(attempt, prefix, ends)
    known = [begin is not None and end >= begin for end in ends]
    return [point if there else None for point, there in zip(points, known, strict=True)]


def _bounds(attempt: Attempt, prefix: Prefix, verdict: Verdict, ends: Sequence[int]) -> Values:
    plan, interval = attempt.plan, verdict.estimate.interval
    last = shown_bound(plan, interval.low if plan.claim.side == "lower" else interval.high)
    running = mode_of(plan).bounds(attempt, prefix, ends)
    return [*(shown_bound(plan, value) for value in running[:-1]), last] if ends else []


def shown_bound(plan: Plan, value: float | None) -> float | None:
    """The bound, or None where it says nothing."""
    if value is None or (value <= 0 if plan.claim.side == "lower" else value >= 1):
        return None
    return float(value)
