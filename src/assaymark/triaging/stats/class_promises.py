"""Promises about each side: error rates per class, or precision per decision.

The three promises of triage are different statements, and none follows from another: accuracy of
all automated decisions, error rate within each true class, precision of each kind of decision.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from assaymark.claims.checks import open_share
from assaymark.errors import InputError
from assaymark.stats import special
from assaymark.stats.calibration import Calibrator
from assaymark.stats.labelled_scores import Floats, Labelled, checked_scores
from assaymark.triaging.stats.cutoffs import checked_target, few_errors, fewest_labels, tally
from assaymark.triaging.stats.fixed_sequence import (
    FIXED_PATH,
    REPRESENTATIVE,
    SHARES,
    Region,
    start_of,
    too_few,
    walk,
)
from assaymark.triaging.triage import Cutoffs, Step, Triage

SIDES = (
    "Irrelevant development items are a random sample of the irrelevant items that will be triaged, "
    "and relevant ones of the relevant; how many there are of each may change."
)


def order_statistic(items: int, rate: float, risk: float) -> int | None:
    """The least k such that the k-th smallest of `items` scores is above the (1 − rate) quantile
    but for this risk: P(Bin(items, 1 − rate) ≥ k) ≤ risk. None where no k does.

    >>> order_statistic(59, 0.05, 0.05), order_statistic(58, 0.05, 0.05)
    (59, None)
    """
    ranks = np.arange(1, items + 1)
    tail = special.betainc(ranks, items - ranks + 1, 1 - rate)
    enough = np.flatnonzero(tail <= risk)
    return int(ranks[enough[0]]) if len(enough) else None


def certify_rates(
    data: Labelled, *, target: float, delta: float = 0.1, pool: ArrayLike | None = None
) -> Triage:
    """Cut-offs that accept at most 1 − target of the irrelevant items and reject at most 1 − target
    of the relevant ones, both with chance 1 − delta. Exact, without any path.

    Accept strictly above an order statistic of the irrelevant items' scores: with "at least" and
    ties the promise would fail. The cut-off kept is the next score above it.
    """
    open_share("target", target)
    rate, risk = 1 - target, open_share("delta", delta) / 2
    negatives = np.sort(data.scores[~data.labels])
    positives = np.sort(-data.scores[data.labels])
    ranks = [order_statistic(len(side), rate, risk) for side in (negatives, positives)]
    fewest = fewest_labels(target, risk)
    if ranks[0] is None or ranks[1] is None:
        raise InputError(
            f"{len(negatives):,} irrelevant and {len(positives):,} relevant labels can never prove "
            f"error rates of {rate:.4g} at risk {delta:g}: it takes {fewest:,} of each. Label more."
        )
    above, below = float(negatives[ranks[0] - 1]), -float(positives[ranks[1] - 1])
    known = None if pool is None else checked_scores(pool, what="pool")
    cutoffs = _beyond(above, below, known)
    return Triage(
        rule="sides",
        target=target,
        delta=delta,
        cutoffs=cutoffs,
        certified=True,
        tally=tally(data, cutoffs),
        labels=data.size,
        needed=None,
        assumptions=(SIDES,),
    )


def _beyond(above: float, below: float, pool: Floats | None) -> Cutoffs:
    """Accept strictly above `above`, reject strictly below `below`.

    Where the two overlap every decision keeps both promises, and one cut in the middle decides.
    """
    if above < below:
        middle = above / 2 + below / 2
        if not above < middle <= below:  # neighbouring numbers have no middle
            middle = below
        return Cutoffs(low=_previous(middle, pool), high=_at_least(middle, pool))
    return Cutoffs(low=_previous(below, pool), high=_next(above, pool))


def _next(score: float, pool: Floats | None) -> float | None:
    if pool is None:
        return math.nextafter(score, math.inf)
    higher = pool[pool > score]
    return float(higher.min()) if len(higher) else math.nextafter(score, math.inf)


def _at_least(score: float, pool: Floats | None) -> float | None:
    return score if pool is None or not (pool >= score).any() else float(pool[pool >= score].min())


def _previous(score: float, pool: Floats | None) -> float | None:
    if pool is None:
        return math.nextafter(score, -math.inf)
    lower = pool[pool < score]
    return float(lower.max()) if len(lower) else math.nextafter(score, -math.inf)


def side_regions(calibrator: Calibrator, scores: ArrayLike, *, accept: bool) -> tuple[Region, ...]:
    """The path of one side: its surest items, then more, up to where the other side begins."""
    values = checked_scores(scores, what="pool")
    q = calibrator.at(values)
    ranked = np.sort(values[q >= 0.5])[::-1] if accept else np.sort(values[q < 0.5])
    regions: list[Region] = []
    for share in SHARES:
        size = math.ceil(share * len(values) - 1e-9)
        if size > len(ranked):
            break
        regions.append(_side(float(ranked[size - 1]), ranked, len(values), accept=accept))
    if len(ranked):
        regions.append(_side(float(ranked[-1]), ranked, len(values), accept=accept))
    return tuple(dict.fromkeys(regions))


def _side(edge: float, ranked: Floats, size: int, *, accept: bool) -> Region:
    inside = ranked >= edge if accept else ranked <= edge
    cutoffs = Cutoffs(low=None if accept else edge, high=edge if accept else None)
    return Region(share=float(inside.sum()) / size, cutoffs=cutoffs)


def certify_precision(
    data: Labelled,
    paths: tuple[Sequence[Region], Sequence[Region]],
    *,
    target: float,
    delta: float = 0.1,
) -> Triage:
    """Cut-offs such that accepted items are relevant, and rejected ones irrelevant, each at least to
    the target; both promises together with chance 1 − delta. `paths` are those of both sides.

    A side whose first region fails is left to people.
    """
    checked_target(target)
    risk = open_share("delta", delta) / 2
    fewest = fewest_labels(target, risk)
    if data.size < fewest:
        raise InputError(too_few(data.size, fewest, target, risk))
    steps: list[Step] = []
    edges: list[Cutoffs] = []
    for path in paths:
        if not path:
            continue
        walked = walk(
            data,
            path,
            delta=risk,
            start=start_of(path, data.size, fewest),
            fewest=fewest,
            p_value=lambda _region, errors, items: few_errors(errors, items, 1 - target),
        )
        steps += walked
        edges += [step.cutoffs for step in walked if step.passed][-1:]
    cutoffs = Cutoffs(
        low=next((edge.low for edge in edges if edge.low is not None), None),
        high=next((edge.high for edge in edges if edge.high is not None), None),
    )
    failed = "neither side's surest region proves the target on these labels. Label more items."
    return Triage(
        rule="precision",
        target=target,
        delta=delta,
        cutoffs=cutoffs,
        certified=not cutoffs.none,
        tally=tally(data, cutoffs),
        labels=data.size,
        needed=None,
        steps=tuple(steps),
        reason=failed if cutoffs.none else None,
        assumptions=(REPRESENTATIVE, FIXED_PATH),
    )
