"""Two published rivals, rebuilt from their papers: both bet on the mean of a bounded number.

Here the number is an item's gain for the claim, shifted to start at 0, of items drawn uniformly
without replacement from a pool of known size; or, kinder to both where positives are rare, success
or failure of the informative items alone, as independent draws (`items` None).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assaymark.claims.claim import Claim
from assaymark.claims.ratio_metrics import gain

Floats = NDArray[np.float64]

# ALPHA's prior guess weighs as much as this many draws.
WEIGHT = 100.0
# No bet of aGRAPA may lose more than this share of the wealth.
BOLDEST = 0.75
SLACK = 1e-9


@dataclass(frozen=True, kw_only=True, eq=False)
class Shifted:
    """Gains as numbers from 0 to `top`, whose mean is `null` or less if the claim is false."""

    values: Floats
    top: float
    null: float


def shifted_gain(claim: Claim) -> Shifted:
    """The value of each cell (tp, fp, fn, tn), and the mean that the claim has to beat.

    >>> shifted_gain(Claim(metric="f1", side="lower", target=0.7)).values.round(1).tolist()
    [1.3, 0.0, 0.0, 0.7]
    """
    gains = np.array(gain(claim))
    least = float(gains.min())
    return Shifted(values=gains - least, top=float(gains.max()) - least, null=-least)


def _null_means(values: Floats, null: float, items: int | None) -> tuple[Floats, Floats]:
    """Before each draw: the sum so far, and the mean of what is left if the claim is only just false."""
    before = np.cumsum(values) - values
    if items is None:
        return before, np.full(len(values), null)
    left = items - np.arange(len(values))
    return before, (items * null - before) / left


def alpha_path(
    values: Floats, *, null: float, top: float, items: int | None, guess: float
) -> Floats:
    """The log wealth of ALPHA after each draw, with the truncated shrinkage estimator.

    *Assumes* uniform draws without replacement from `items` numbers in [0, top], or independent ones.
    *Source* Stark (2023), "ALPHA: audit that learns from previously hand-audited ballots", Annals of
    Applied Statistics 17, sections 2.2.1 (without replacement) and 2.5.2 (truncated shrinkage): the
    guess of the mean weighs d = `WEIGHT` draws, and stays above the null by c/√(d + j − 1) with c
    half the first lead.
    """
    before, mean = _null_means(values, null, items)
    drawn = np.arange(len(values))
    lead = max(guess - null, 0.0) / 2
    shrunk = (WEIGHT * guess + before) / (WEIGHT + drawn)
    aim = np.maximum(shrunk, mean + lead / np.sqrt(WEIGHT + drawn))
    aim = np.minimum(aim, top * (1 - 1e-9))
    possible = (mean > SLACK * top) & (mean < aim)
    safe = np.where(possible, mean, top / 2)
    factor = (values / safe * (aim - safe) + top - aim) / (top - safe)
    return _wealth(np.where(possible, factor, 1.0), mean, top)


def agrapa_path(values: Floats, *, null: float, top: float, items: int | None) -> Floats:
    """The log wealth of plug-in betting (aGRAPA) after each draw.

    *Assumes* uniform draws without replacement from `items` numbers in [0, top], or independent ones.
    *Source* Waudby-Smith & Ramdas (2023), "Estimating means of bounded random variables by betting",
    JRSS B 86: the approximate GRAPA stake (mean − m)/(variance + (mean − m)²) and the null mean m of
    draws without replacement; only bets on a mean above the null are placed.
    """
    x = values / top
    before, mean = _null_means(x, null / top, items)
    drawn = np.arange(len(x))
    guess = (0.5 + before) / (1 + drawn)
    after = (0.5 + before + x) / (2 + drawn)
    spread = np.cumsum((x - after) ** 2)
    variance = (0.25 + np.concatenate([[0.0], spread[:-1]])) / (1 + drawn)
    possible = (mean > SLACK) & (mean < 1 - SLACK)
    safe = np.where(possible, mean, 0.5)
    stake = (guess - safe) / (variance + (guess - safe) ** 2)
    stake = np.clip(stake, 0.0, BOLDEST / safe)
    return _wealth(np.where(possible, 1 + stake * (x - safe), 1.0), mean, 1.0)


def _wealth(factor: Floats, mean: Floats, top: float) -> Floats:
    """The running log of the product; certainty where no rest can make the claim false (or true)."""
    log = np.cumsum(np.log(np.maximum(factor, 1e-300)))
    # a null mean below zero is impossible: the draws so far have proved the claim; the slack keeps
    # the rounding of a mean that is exactly zero from proving anything
    log = np.where(np.maximum.accumulate(mean < -SLACK * top), np.inf, log)
    return np.where(np.maximum.accumulate(mean > (1 + SLACK) * top), -np.inf, log)


def labels_to_pass(path: Floats, *, confidence: float) -> int | None:
    """After how many draws the wealth first reached 1/(1 − confidence); None if never."""
    crossed = np.flatnonzero(path >= -np.log1p(-confidence))
    return int(crossed[0]) + 1 if crossed.size else None
