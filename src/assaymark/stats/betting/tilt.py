"""The nearest rates with a given pull, to the precision that stakes need.

One idea: the same projection as in `saddle`, but stakes cannot make a certificate wrong, so a few
Newton steps are enough. The number of steps is part of the method's number.
"""

import numpy as np

from assaymark.stats.betting.places import total
from assaymark.stats.score_guided.kl_projection import Floats, Projection
from assaymark.stats.score_guided.wealth import Ints

STEPS = 40
MANY = 100  # problems; where most of this number are solved, the others go on without them


def lowered(
    rates: Floats, *, pull: Floats, sampling: Floats, need: Floats, tolerance: float
) -> Projection:
    """The rates t with pull·t = need that minimise Σ sampling·KL(rates‖t), and the multiplier.

    The first axis of rates, pull and sampling are the places that are summed over; the others are
    problems, and `need` is that of each.

    *Assumes* 0 < need <= pull·rates. Newton steps on 1/pull·t, safeguarded by bisection, until the
    pull is met to this share of the total.

    >>> one = np.ones(1)
    >>> found = lowered(0.5 * one, pull=one, sampling=one, need=np.array(0.25), tolerance=1e-9)
    >>> round(float(found.multiplier), 6)
    1.333333
    """
    ratio = np.divide(pull, sampling, out=np.zeros(np.shape(pull + sampling)), where=sampling > 0)
    high = 2.0 * total(sampling * rates) / need
    low = np.zeros_like(high)
    stake, before = low, np.full_like(high, np.inf)
    scale = tolerance * total(pull)
    reach, twice, fourfold = pull * ratio, 2.0 * rates, 4.0 * rates
    shape = np.broadcast_shapes(rates.shape, ratio.shape, (1, *high.shape))
    ended = _Ended(shape, high.shape)
    lean, once, root, projected = np.empty((4, *shape))  # written to again in every step
    for left in reversed(range(STEPS)):
        np.multiply(stake, ratio, out=lean)
        np.add(lean, 1.0, out=once)
        np.multiply(once, once, out=root)
        root -= np.multiply(lean, fourfold, out=lean)
        np.sqrt(np.maximum(root, 1e-300, out=root), out=root)
        np.divide(twice, np.add(once, root, out=once), out=projected)
        met = total(np.multiply(pull, projected, out=lean))
        excess = met - need
        size = np.abs(excess)
        done = size <= scale
        solved = np.count_nonzero(done)
        if solved == done.size:
            break
        above = excess > 0
        low, high = np.where(above, stake, low), np.where(above, high, stake)
        np.multiply(reach, projected, out=lean)
        lean *= np.subtract(1.0, projected, out=once)
        lean /= root
        slope = total(lean)
        step = stake + excess * met / np.maximum(need * slope, 1e-300)
        # A step that did not halve the excess is followed by a bisection: Newton alone can cycle.
        good = (step > low) & (step < high) & (size <= 0.5 * before)
        moved = np.where(good, step, 0.5 * (low + high))
        stake = np.where(done, stake, moved) if solved else moved
        before = size
        if left and done.size > MANY and 2 * solved > done.size:
            going = np.flatnonzero(~done)
            ended.take(projected, stake, going)
            shape = projected.shape
            pull, ratio, reach = (_some(v, shape, going) for v in (pull, ratio, reach))
            twice, fourfold = (_some(v, shape, going) for v in (twice, fourfold))
            need, scale = (np.broadcast_to(v, done.shape).ravel()[going] for v in (need, scale))
            stake, before, low, high = (v.ravel()[going] for v in (stake, before, low, high))
            lean, once, root, projected = np.empty((4, *pull.shape))
    return ended.whole(projected, stake)


def _some(values: Floats, shape: tuple[int, ...], problems: Ints) -> Floats:
    """What these problems have, by their numbers, of an array of this shape."""
    return np.broadcast_to(values, shape).reshape(len(values), -1).take(problems, axis=1)


class _Ended:
    """Where the problems that are solved wait for the others, out of whose way they are."""

    def __init__(self, rates: tuple[int, ...], stakes: tuple[int, ...]) -> None:
        self._rates, self._stakes = np.empty(rates), np.empty(stakes)
        self._places = np.arange(self._stakes.size)

    def take(self, rates: Floats, stakes: Floats, going: Ints) -> None:
        """Keep what these problems have by now; only those `going` will be heard of again."""
        self._rates.reshape(len(rates), -1)[:, self._places] = rates.reshape(len(rates), -1)
        self._stakes.reshape(-1)[self._places] = stakes.ravel()
        self._places = self._places[going]

    def whole(self, rates: Floats, stakes: Floats) -> Projection:
        """All problems, with what the last ones came to."""
        if len(self._places) == self._stakes.size:
            return Projection(rates=rates, multiplier=stakes)
        self.take(rates, stakes, np.empty(0, dtype=np.int64))
        return Projection(rates=self._rates, multiplier=self._stakes)


def tilted(
    rates: Floats, *, pull: Floats, sampling: Floats, level: Floats, tolerance: float
) -> Floats:
    """The rates nearest to these with pull·t = level, whether that is up or down."""
    upward = total(pull * rates) < level
    turned = np.where(upward, 1.0 - rates, rates)
    need = np.where(upward, total(pull) - level, level)
    projection = lowered(turned, pull=pull, sampling=sampling, need=need, tolerance=tolerance).rates
    return np.where(upward, 1.0 - projection, projection)
