"""The nearest rates with a given pull, to the precision that stakes need.

One idea: the same projection as in `saddle`, but stakes cannot make a certificate wrong, so a few
Newton steps are enough. The number of steps is part of the method's number.
"""

import numpy as np

from assaymark.stats.score_guided.kl_projection import Floats, Projection

STEPS = 40


def lowered(
    rates: Floats, *, pull: Floats, sampling: Floats, need: Floats, tolerance: float
) -> Projection:
    """The rates t with pull·t = need that minimise Σ sampling·KL(rates‖t), and the multiplier.

    *Assumes* 0 < need <= pull·rates. Newton steps on 1/pull·t, safeguarded by bisection, until the
    pull is met to this share of the total.

    >>> one = np.ones(1)
    >>> found = lowered(0.5 * one, pull=one, sampling=one, need=np.array(0.25), tolerance=1e-9)
    >>> round(float(found.multiplier), 6)
    1.333333
    """
    ratio = np.divide(pull, sampling, out=np.zeros(np.shape(pull + sampling)), where=sampling > 0)
    high = 2.0 * np.sum(sampling * rates, axis=-1) / need
    low = np.zeros_like(high)
    stake, before = low, np.full_like(high, np.inf)
    scale = tolerance * np.sum(pull, axis=-1)
    reach = pull * ratio
    for _ in range(STEPS):
        lean = stake[..., None] * ratio
        once = lean + 1.0
        root = np.sqrt(np.maximum(once * once - 4.0 * lean * rates, 1e-300))
        found = 2.0 * rates / (once + root)
        met = (pull * found).sum(axis=-1)
        excess = met - need
        size = np.abs(excess)
        done = size <= scale
        if done.all():
            break
        low, high = np.where(excess > 0, stake, low), np.where(excess > 0, high, stake)
        slope = (reach * found * (1.0 - found) / root).sum(axis=-1)
        step = stake + excess * met / np.maximum(need * slope, 1e-300)
        # A step that did not halve the excess is followed by a bisection: Newton alone can cycle.
        good = (step > low) & (step < high) & (size <= 0.5 * before)
        stake = np.where(done, stake, np.where(good, step, 0.5 * (low + high)))
        before = size
    return Projection(rates=found, multiplier=stake)


def tilted(
    rates: Floats, *, pull: Floats, sampling: Floats, level: Floats, tolerance: float
) -> Floats:
    """The rates nearest to these with pull·t = level, whether that is up or down."""
    upward = ((pull * rates).sum(axis=-1) < level)[..., None]
    turned = np.where(upward, 1.0 - rates, rates)
    need = np.where(upward[..., 0], pull.sum(axis=-1) - level, level)
    found = lowered(turned, pull=pull, sampling=sampling, need=need, tolerance=tolerance).rates
    return np.where(upward, 1.0 - found, found)
