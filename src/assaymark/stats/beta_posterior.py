"""What a pilot says about a classifier: two beta posteriors, by quadrature instead of draws.

Source: Webber's posterior (Bagdouri et al. 2013, section 4.3; Webber et al. 2013, section 2):
precision among retrieved ~ Beta(tp+½, fp+½), positive rate among the others ~ Beta(fn+½, tn+½),
retrieved share known. A claim is linear in the two rates, so its probability is one integral.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from assaymark.claims.claim import Counts
from assaymark.claims.ratio_metrics import Cells, Metric
from assaymark.errors import InputError
from assaymark.stats.special import betainc, betaincc, betaincinv

Floats = NDArray[np.float64]
PANELS = 80


@dataclass(frozen=True, kw_only=True)
class Belief:
    """Beta beliefs about the positive rate of both predicted classes, and the retrieved share.

    A rate that is known exactly has `known` set and its beta ignored.
    """

    share: float
    retrieved: tuple[float, float]
    rest: tuple[float, float]
    known: tuple[float, float] | None = None

    @property
    def rates(self) -> tuple[float, float]:
        """The expected positive rate among retrieved and among the others."""
        if self.known is not None:
            return self.known
        (a, b), (c, d) = self.retrieved, self.rest
        return a / (a + b), c / (c + d)


def from_pilot(pilot: Counts) -> Belief:
    """Jeffreys posteriors from a pilot sample; the retrieved share is the pilot's own."""
    if pilot.total == 0:
        raise InputError("The pilot has no items. Give TP,FP,FN,TN of a labelled random sample.")
    return Belief(
        share=(pilot.tp + pilot.fp) / pilot.total,
        retrieved=(pilot.tp + 0.5, pilot.fp + 0.5),
        rest=(pilot.fn + 0.5, pilot.tn + 0.5),
    )


def from_expectation(*, precision: float, recall: float, prevalence: float) -> Belief:
    """Exactly known rates: what the user expects, with no uncertainty of its own."""
    positives = prevalence * recall
    share = positives / precision
    missed = prevalence - positives
    if share + missed > 1:
        raise InputError(
            f"Precision {precision:g}, recall {recall:g} and prevalence {prevalence:g} cannot all "
            "hold: they would predict more items positive than there are. Lower the prevalence."
        )
    rest = missed / (1 - share) if share < 1 else 0.0
    return Belief(share=share, retrieved=(1, 1), rest=(1, 1), known=(precision, rest))


def cells(belief: Belief) -> Cells:
    """The expected share of items in each cell."""
    precision, missed = belief.rates
    share = belief.share
    return (
        share * precision,
        share * (1 - precision),
        (1 - share) * missed,
        (1 - share) * (1 - missed),
    )


@lru_cache(maxsize=64)
def _nodes(shape: tuple[float, float]) -> tuple[Floats, Floats]:
    # Gauss–Legendre panels in probability, crowded at both ends: the integrand is a beta tail of
    # it, smooth but for a kink where the other rate reaches 0 or 1
    at, weight = np.polynomial.legendre.leggauss(8)
    edges = np.sin(np.linspace(0, np.pi / 2, PANELS + 1)) ** 2
    width = np.diff(edges)
    places = (edges[:-1, None] + width[:, None] * (at + 1) / 2).ravel()
    return np.asarray(betaincinv(*shape, places)), (width[:, None] * weight / 2).ravel()


def chance_below(metric: Metric, belief: Belief, value: float) -> float:
    """P(metric <= value) under the belief."""
    z = [a - value * b for a, b in zip(metric.numerator, metric.denominator, strict=True)]
    if belief.known is not None:
        mean = sum(c * w for c, w in zip(cells(belief), z, strict=True))
        return float(mean <= 0)
    # mean gain = constant + first·p1 + second·p0, and metric <= value iff it is <= 0
    share = belief.share
    first, second = share * (z[0] - z[1]), (1 - share) * (z[2] - z[3])
    constant = share * z[1] + (1 - share) * z[3]
    if second == 0:
        return float(_tail(belief.retrieved, np.asarray(-constant), first))
    if first != 0 and min(belief.rest) < min(belief.retrieved):
        # integrate over the rate with the sharper belief at 0 or 1, so that the tail is smooth
        rates, weight = _nodes(belief.rest)
        return float(weight @ _tail(belief.retrieved, -(constant + second * rates), first))
    rates, weight = _nodes(belief.retrieved)
    return float(weight @ _tail(belief.rest, -(constant + first * rates), second))


def _tail(shape: tuple[float, float], bound: Floats, slope: float) -> Floats:
    # P(slope · p <= bound) for p ~ Beta(shape)
    if slope == 0:
        return np.asarray(bound >= 0, dtype=float)
    edge = np.clip(bound / slope, 0, 1)
    tail: Floats = betainc(*shape, edge) if slope > 0 else betaincc(*shape, edge)
    return tail


def quantile(metric: Metric, belief: Belief, chance: float) -> float:
    """The value that the metric stays below with this chance, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (
            (middle, high) if chance_below(metric, belief, middle) < chance else (low, middle)
        )
    return (low + high) / 2
