"""Many looks at once: what a bound made for one look says at every point of many growing tests.

One idea: a lower bound at level L exceeds a value exactly where the bound's p-value of "the metric
is at most that value" falls below 1 − L. So one array of p-values answers for every level.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtrc, betainc, betaincc, betaln

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

NODES = 24
REACH = 7.0  # half-width of the integration, in standard deviations of arcsin √p
CHUNK = 40_000


@dataclass(frozen=True, kw_only=True, eq=False)
class Doubts:
    """P-values of "F1 is at most the target" for the same counts, one array per bound.

    `point` is 0 where the estimate itself exceeds the target and 1 elsewhere.
    """

    point: Floats
    beta: Floats
    exact: Floats


def doubts(cells: Ints, targets: ArrayLike) -> Doubts:
    """The p-values of the three bounds for counts (…, 4) of tp, fp, fn, tn."""
    target = np.broadcast_to(np.asarray(targets, dtype=np.float64), cells.shape[:-1])
    point = np.where(point_f1(cells) > target, 0.0, 1.0)
    return Doubts(point=point, beta=beta_doubt(cells, target), exact=exact_doubt(cells, target))


def point_f1(cells: Ints) -> Floats:
    """F1 in the sample; 1 where nothing is predicted and nothing is there (Lewis 1995)."""
    tp, fp, fn = (cells[..., i].astype(np.float64) for i in range(3))
    below = 2 * tp + fp + fn
    return np.divide(2 * tp, below, out=np.ones_like(below), where=below > 0)


def exact_doubt(cells: Ints, targets: ArrayLike) -> Floats:
    """P(at least this many successes) at the target: the exact bound exceeds it where this is small."""
    target = np.asarray(targets, dtype=np.float64)
    tp = cells[..., 0]
    informative = tp + cells[..., 1] + cells[..., 2]
    tail = bdtrc(np.maximum(tp, 1) - 1, np.maximum(informative, 1), target / (2 - target))
    return np.where(tp > 0, tail, 1.0)


def beta_doubt(cells: Ints, targets: ArrayLike, *, all_points: bool = False) -> Floats:
    """P(F1 <= target) under Webber's posterior: the beta bound exceeds the target where it is small.

    Where the sample is more than a quarter of a standard deviation below the target the answer is set to 1
    unless `all_points`: it is above one half there, and no level under 50 % is asked for.
    *Source* Webber (2013); see `assaymark.stats.beta_posterior` for one sample. Here precision is integrated
    over arcsin √p, where its density is smooth even without successes, at 24 Gauss–Legendre nodes.
    """
    shape = cells.shape[:-1]
    flat = cells.reshape(-1, 4)
    target = np.broadcast_to(np.asarray(targets, dtype=np.float64), shape).reshape(-1)
    answer = np.ones(len(flat))
    wanted = np.flatnonzero((flat[:, 0] > 0) & (all_points | _near(flat, target)))
    for start in range(0, len(wanted), CHUNK):
        some = wanted[start : start + CHUNK]
        answer[some] = _posterior(flat[some].astype(np.float64), target[some])
    return answer.reshape(shape)


def _near(cells: Ints, target: Floats) -> Flags:
    share = target / (2 - target)
    informative = cells[:, :3].sum(axis=1)
    reached = (cells[:, 0] - informative * share) >= -0.25 * np.sqrt(
        informative * share * (1 - share)
    )
    return np.asarray(reached)


def _posterior(cells: Floats, target: Floats) -> Floats:
    tp, fp, fn, tn = cells.T + 0.5
    share = (cells[:, 0] + cells[:, 1]) / cells.sum(axis=1)
    # F1 <= t iff the rate of misses p0 is at least slope·(precision − start)
    start = target / (2 - target)
    slope = share * (2 - target) / (target * np.where(share < 1, 1 - share, 1.0))
    # The same with both rates turned round: 1 − precision is at least (1 − p0 − turned)/slope.
    turned = 1 - slope * (1 - start)
    wide = _spread(tp, fp) * slope > _spread(fn, tn)
    outer = np.where(wide, (tn, fn), (tp, fp))
    inner = np.where(wide, (fp, tp), (fn, tn))
    begin = np.clip(np.where(wide, turned, start), 0.0, 1.0)
    offset = np.where(wide, turned, start)
    answer = _either(outer, inner, begin, offset, np.where(wide, 1 / slope, slope))
    return np.where(share < 1, answer, betainc(tp, fp, start))


def _spread(a: Floats, b: Floats) -> Floats:
    return np.asarray(np.sqrt(a * b / (a + b + 1)) / (a + b))


def _either(outer: Floats, inner: Floats, begin: Floats, offset: Floats, slope: Floats) -> Floats:
    """P(x <= begin, or y >= slope·(x − offset)), x and y beta; x is the narrower of the two."""
    a, b = outer
    at, weight = np.polynomial.legendre.leggauss(NODES)
    centre, half = np.arcsin(np.sqrt(a / (a + b))), REACH / (2 * np.sqrt(a + b))
    low = np.maximum(centre - half, np.arcsin(np.sqrt(begin)))
    width = np.maximum(np.minimum(centre + half, np.pi / 2) - low, 0.0)[:, None]
    # squares crowd the nodes where the tail of y may start like a square root
    step = (at + 1) / 2
    angle = low[:, None] + width * step**2
    sine, cosine = np.sin(angle), np.maximum(np.cos(angle), 1e-300)
    log = (2 * a - 1)[:, None] * np.log(sine) + (2 * b - 1)[:, None] * np.log(cosine)
    # density of the angle 2·sin^(2a−1)·cos^(2b−1)/B(a, b), times 2·width·step, weights on [0, 1]
    mass = 2 * width * step * weight * np.exp(log - betaln(a, b)[:, None])
    edge = np.clip(slope[:, None] * (sine**2 - offset[:, None]), 0.0, 1.0)
    tail = betaincc(inner[0][:, None], inner[1][:, None], edge)
    return np.asarray(betainc(a, b, begin) + (mass * tail).sum(axis=1))


def beta_bounds(cells: Ints, *, confidence: float) -> Floats:
    """The beta lower bound itself, by bisection on all points together; 0 without successes."""
    low, high = np.zeros(cells.shape[:-1]), np.ones(cells.shape[:-1])
    for _ in range(24):
        middle = (low + high) / 2
        exceeded = beta_doubt(cells, middle, all_points=True) < 1 - confidence
        low, high = np.where(exceeded, middle, low), np.where(exceeded, high, middle)
    return np.where(cells[..., 0] > 0, low, 0.0)
