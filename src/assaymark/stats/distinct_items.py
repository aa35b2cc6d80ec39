"""Occupancy: how many different items draws with replacement give. A repeat costs no label.

One idea: an item escapes a draw with chance z = 1 − 1/N, so N·zᵗ of the N items are expected to be
new after t draws, and N(1 − zᵗ) to be labelled. Where the test stops after m informative items, t is
random: a sum of m geometric waits at the rate r of informative items, of which E zᵗ is known exactly,

    E zᵗ = φᵐ,  φ = r·z / (1 − (1 − r)·z).

So the mean number of labels is N(1 − Σ P(m)·φᵐ), with no simulation. It takes repeats to be independent
of where the test stops; each kind of item has repeats of its own, which differ to second order only.
Source: Feller, *An Introduction to Probability Theory*, vol. 1, IV.2 (occupancy) and XI.2 (waits).
"""

import math

import numpy as np

from assaymark.stats.sequential.stopping_boundary import Stopping


def distinct_items(draws: float, items: int | None) -> float:
    """Labels that a number of draws is expected to take; every draw one where the pool is unbounded.

    >>> distinct_items(100, None), round(distinct_items(100, 100), 1), distinct_items(0, 100)
    (100, 63.4, 0.0)
    """
    if items is None:
        return draws
    if items <= 1:
        return float(min(draws, items))
    return -items * math.expm1(draws * math.log1p(-1.0 / items))


def mean_labels(stop: Stopping, *, rate: float, items: int | None) -> float:
    """Labels on average of a test that stops as `stop` says, when `rate` of the draws are informative.

    Whoever has not passed at the horizon ends there.
    """
    if items is None:
        return stop.mean_items / rate
    fresh = 1.0 - 1.0 / max(items, 2)
    wait = math.log(rate * fresh / (1.0 - (1.0 - rate) * fresh))
    escaped = np.exp(wait * np.arange(len(stop.chance)))
    late = (1.0 - stop.passes) * float(escaped[-1])
    return items * (1.0 - math.fsum(stop.chance * escaped) - late)
