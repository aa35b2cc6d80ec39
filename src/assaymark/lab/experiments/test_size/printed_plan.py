"""The size of a test by simulation, as Bagdouri et al. (2013) print it; for comparison only.

Source: algorithms 1 and 2 (section 4), the posterior of section 4.3 and the normal interval of
appendix A. Equation 5 divides the variance of the estimate by n − 1 once more than it should;
`literal` keeps that, because it is what is printed. Many pilots are searched side by side.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from assaymark.claims.claim import Counts

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DRAWS = 1000  # N of algorithm 1
WITHIN = 0.01  # ε of algorithm 2, as a share of the target
LARGEST = 131_072  # algorithm 2 doubles without end where no size is enough; here it ends


@dataclass(frozen=True, kw_only=True)
class Printed:
    """What is asked of the printed algorithm."""

    target: float
    literal: bool = True
    confidence: float = 0.95
    power: float = 0.93
    draws: int = DRAWS


@dataclass(frozen=True, kw_only=True, eq=False)
class PrintedSizes:
    """A size per pilot, 0 where there is none: the pilot's F1 was below the target, or no end."""

    sizes: Ints
    below: NDArray[np.bool_]
    endless: NDArray[np.bool_]


def point_values(cells: Ints) -> Floats:
    """F1 of each table (tp, fp, fn, tn in the last axis); 0 where nothing is informative."""
    tp, fp, fn = cells[..., 0], cells[..., 1], cells[..., 2]
    return np.asarray(2 * tp / np.maximum(2 * tp + fp + fn, 1))


def variances(cells: Ints) -> Floats:
    """Equation 4: the sampling variance of F1, the predicted classes being sampled apart."""
    tp, fp, fn, tn = (cells[..., i].astype(np.float64) for i in range(4))
    n1, n0 = tp + fp, fn + tn
    var_r1, var_r0 = tp * fp / np.maximum(n1, 1), fn * tn / np.maximum(n0, 1)
    below = np.maximum(tp + fn + n1, 1)  # R1 + R0 + N1
    return np.asarray(4 / below**4 * ((fn + n1) ** 2 * var_r1 + tp**2 * var_r0))


def lower_ends(cells: Ints, ask: Printed) -> Floats:
    """θ: the lower end of equation 5, one-sided; 0 where a sample of one item gives none.

    A sample without variation gets an interval without width: that is what the formula says.
    """
    total = cells.sum(axis=-1)
    spread = variances(cells)
    if ask.literal:
        spread = spread / np.maximum(total - 1, 1)
    ends = point_values(cells) - float(ndtri(ask.confidence)) * np.sqrt(spread)
    return np.where(total > 1, ends, 0.0)


def drawn_tests(
    sizes: Ints, share: Floats, rates: tuple[Floats, Floats], rng: np.random.Generator
) -> Ints:
    """Tables of tests, a row per size; the rates of positives of both classes per row or entry."""
    shape = np.broadcast_shapes(rates[0].shape, rates[1].shape)
    size = np.broadcast_to(sizes[:, None], shape)
    n1 = rng.binomial(size, np.broadcast_to(share[:, None], shape))
    tp, fn = rng.binomial(n1, rates[0]), rng.binomial(size - n1, rates[1])
    return np.stack([tp, n1 - tp, fn, size - n1 - fn], axis=-1)


def theta_star(pilots: Ints, sizes: Ints, ask: Printed, rng: np.random.Generator) -> Floats:
    """Algorithm 1: the target that tests of this size reach with the power, one per pilot."""
    tp, fp, fn, tn = (pilots[:, i, None] + 0.5 for i in range(4))
    shape = (len(pilots), ask.draws)
    rates = rng.beta(tp, fp, size=shape), rng.beta(fn, tn, size=shape)
    share = (pilots[:, 0] + pilots[:, 1]) / pilots.sum(axis=1)
    ends = lower_ends(drawn_tests(sizes, share, rates, rng), ask)
    return np.asarray(np.quantile(ends, 1 - ask.power, axis=1))


def printed_sizes(pilots: Ints, ask: Printed, rng: np.random.Generator) -> PrintedSizes:
    """Algorithm 2 for every pilot (a row of tp, fp, fn, tn): doubling, then bisection."""
    below = point_values(pilots) < ask.target
    passed = np.zeros(len(pilots), dtype=np.bool_)
    upper = np.ones(len(pilots), dtype=np.int64)
    active = np.flatnonzero(~below)
    while len(active):
        reached = theta_star(pilots[active], upper[active], ask, rng) >= ask.target
        passed[active[reached]] = True
        active = active[~reached & (upper[active] < LARGEST)]
        upper[active] *= 2
    sizes = _bisected(pilots, upper, passed, ask, rng)
    return PrintedSizes(sizes=sizes, below=below, endless=~below & ~passed)


def _bisected(
    pilots: Ints, upper: Ints, wanted: NDArray[np.bool_], ask: Printed, rng: np.random.Generator
) -> Ints:
    """Lines 7 to 9: halving until θ* is within ε above the target, or nothing is left between."""
    low, high = upper // 2, upper.copy()
    sizes = np.where(wanted, high, 0)
    active = np.flatnonzero(wanted & (high - low > 1))
    while len(active):
        middle = (low[active] + high[active]) // 2
        star = theta_star(pilots[active], middle, ask, rng)
        short, far = star < ask.target, star > ask.target * (1 + WITHIN)
        low[active[short]] = middle[short]
        high[active[~short]] = middle[~short]
        sizes[active[~short]] = middle[~short]
        active = active[(short | far) & (high[active] - low[active] > 1)]
    return sizes


def printed_size(
    pilot: Counts, target: float, *, literal: bool, confidence: float, power: float, seed: int = 42
) -> int | None:
    """The size for one pilot; None where the paper's algorithm gives none."""
    ask = Printed(target=target, literal=literal, confidence=confidence, power=power)
    cells = np.array([pilot.cells], dtype=np.int64)
    size = int(printed_sizes(cells, ask, np.random.default_rng(seed)).sizes[0])
    return size or None
