"""Mass of a beta distribution above a point, in logs, also where it underflows."""

import numpy as np

from assaymark.stats import special
from assaymark.stats.sequential.stopping_boundary import (
    Belief,
    FloatArray,
)

# Below this scipy's beta tail loses digits and then becomes 0; the series takes over.
SMALLEST_TAIL = 1e-290
SERIES_TERMS = 5000


def log_tail_mass(prior: Belief, s: FloatArray, f: FloatArray, x: FloatArray) -> FloatArray:
    """Log of ∫ₓ¹ (u/x)ˢ ((1−u)/(1−x))ᶠ u^(A−1) (1−u)^(B−1) du."""
    a, b = prior.successes + s, prior.failures + f
    tail = special.betaincc(a, b, x)
    visible = tail > SMALLEST_TAIL
    odds = s * np.log(x) + f * np.log1p(-x)
    log_mass = special.betaln(a, b) + np.log(np.where(visible, tail, 1.0)) - odds
    if visible.all():
        return np.asarray(log_mass)
    deep = prior.successes * np.log(x) + prior.failures * np.log1p(-x) + _log_tail_series(a, b, x)
    return np.where(visible, log_mass, deep)


def _log_tail_series(a: FloatArray, b: FloatArray, x: FloatArray) -> FloatArray:
    """Log of ∫ₓ¹ u^(a−1)(1−u)^(b−1) du / (x^a (1−x)^b) where x is far above a/(a+b).

    Source: Abramowitz & Stegun 26.5.4 with the two parameters exchanged. Every term is positive,
    so a sum that is cut short is too small: the evidence can only be understated.
    """
    term = np.ones_like(a)
    total = np.ones_like(a)
    for k in range(SERIES_TERMS):
        # where x is not above the mean the terms would grow; those places are never used
        term = term * np.minimum((a + b + k) * (1 - x) / (b + 1 + k), 1.0)
        total = total + term
        if (term < 1e-17 * total).all():
            break
    return np.asarray(np.log(total) - np.log(b))
