"""Where the evidence of a score-guided plan will probably reach its goal: an inverse Gaussian law.

One idea: log wealth is taken to go on as a random walk whose steps have the mean and the variance of
those in the latter half of the draws. The draws to the goal then have the inverse Gaussian law of the
first passage of Brownian motion with drift. The drift is known from half a walk only, so the law is
averaged over what is believed of it. A plan is looked at the more often the longer it lasts, and plans
count alike, so a wait counts by one over all of its draws. *Breaks* where evidence comes in rare jumps.
No guarantee follows from it. Source: Chhikara and Folks, *The Inverse Gaussian Distribution* (1989), 2.1.
"""

import math
from dataclasses import replace

import numpy as np

from assaymark.stats.score_guided.kl_projection import Floats
from assaymark.stats.sequential.walk_ahead import DrawsAhead, middle_of

FEWEST = 20  # draws in the latter half
DRIFTS = np.geomspace(0.03, 40.0, 60)  # log wealth gained in half of the draws so far
FARTHEST, TIMES = (
    3000.0,
    160,
)  # the longest wait, in halves of the draws so far; waits that are distinguished
DOUBT = (
    2.0  # times the variance that a steady drift would have: stakes and chances change on the way
)
_erfc = np.frompyfunc(math.erfc, 1, 1)


def draws_by_wealth(log_wealth: Floats, goal: float, *, left: int) -> DrawsAhead | None:
    """Draws until log wealth reaches the goal, of those that are left; None where it does not grow.

    Evidence that hardly grew yet expects any number, so the range begins at the draws so far at most.
    *Assumes* that no drift from 0.03 to 40 in half of the draws so far is likelier beforehand than
    another, in logarithms.
    """
    half = len(log_wealth) // 2
    known = len(log_wealth) - half
    if half < FEWEST or left <= 0:
        return None
    gained = float(log_wealth[-1] - log_wealth[half])
    if gained <= 0:
        return None
    variance = max(float(np.diff(log_wealth[half - 1 :]).var()) * known, 1e-3)
    off = (gained - DRIFTS) ** 2
    weight = np.exp(
        (off.min() - off) / (2.0 * DOUBT * variance)
    )  # the likeliest has 1, never all 0
    waits = np.unique(
        np.rint(np.geomspace(1.0, max(FARTHEST * known, 2.0), TIMES)).astype(np.int64)
    )
    waits = np.append(waits[waits < left], left)
    missing = max(goal - float(log_wealth[-1]), 1e-3)
    reached = first_passage(waits[:, None] / known, missing, DRIFTS, variance) @ weight
    reached[-1] = weight.sum()  # with every label known the claim is decided
    looks = np.diff(reached, prepend=0.0) / (len(log_wealth) + waits)
    ahead = middle_of(waits, np.cumsum(looks))
    return replace(ahead, low=min(ahead.low, len(log_wealth)))


def first_passage(time: Floats, distance: float, drift: Floats, variance: float) -> Floats:
    """The chance that Brownian motion with this drift and variance per unit has come so far by then.

    >>> round(float(first_passage(np.array(2.0), 1.0, np.array(1.0), 0.5)), 4)
    0.915
    """
    spread = np.sqrt(variance * time)
    ahead, behind = (drift * time - distance) / spread, (drift * time + distance) / spread
    reflected = np.where(
        behind < 25.0,
        np.exp(np.minimum(2.0 * drift * distance / variance, 320.0)) * _tail(behind),
        np.exp(-0.5 * ahead**2) * (1.0 - behind**-2.0) / (behind * math.sqrt(2.0 * math.pi)),
    )
    chance: Floats = np.minimum(_tail(-ahead) + reflected, 1.0)
    return chance


def _tail(value: Floats) -> Floats:
    """The upper tail of the normal law."""
    tail: Floats = 0.5 * np.asarray(_erfc(np.asarray(value) / math.sqrt(2.0)), dtype=np.float64)
    return tail
