"""What a certification is expected to cost, if the metric has this value or that.

One idea: the calibrated scores give the shape of the rates per band; moved towards or away from
the threshold they imply any value of the metric, and the information limit prices it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from assaymark.claims.claim import Claim
from assaymark.claims.ratio_metrics import metric
from assaymark.records.training import Band
from assaymark.stats.score_guided.forecast import limit_of
from assaymark.stats.score_guided.supermartingale import Stratum, WeightedTest, weighted_test
from assaymark.stats.special import expit, logit
from assaymark.training.stats.learning_curve import Belief

Floats = NDArray[np.float64]

OVER_LIMIT = 1.2  # labels that a certification takes, by the information limit
FINITE = 2.0  # how fast reading a finite collection helps: measured, see decision 21
LEAST = 30.0
NEAREST = 0.02  # log-odds above the target from which on a price is given
FARTHEST = 4.0
PRICES = 24
PARTS = 41


@dataclass(frozen=True, kw_only=True, eq=False)
class CertificationCost:
    """The price of certifying a claim on a collection in these bands, by the metric's value."""

    claim: Claim
    confidence: float
    bands: tuple[Band, ...]

    @cached_property
    def _test(self) -> WeightedTest:
        strata = [
            Stratum(predicted=band.predicted, size=band.items, mean_score=0.5)
            for band in self.bands
            if band.items
        ]
        return weighted_test(self.claim, strata, confidence=self.confidence)

    @cached_property
    def _odds(self) -> tuple[Floats, Floats, Floats]:
        """Log-odds, side of the threshold and items of every band."""
        kept = [band for band in self.bands if band.items]
        items = np.array([band.items for band in kept], dtype=np.float64)
        share = np.array([band.expected for band in kept]) / items
        side = np.array([1.0 if band.predicted else -1.0 for band in kept])
        return logit(np.clip(share, 1e-6, 1 - 1e-6)), side, items

    def _tilted(self, tilts: Floats) -> Floats:
        """The rates of every band, one row per tilt away from the threshold."""
        odds, side, _ = self._odds
        return np.asarray(expit(odds + tilts[:, None] * side))

    def _values(self, rates: Floats) -> Floats:
        """The metric that each row of rates implies."""
        _, side, items = self._odds
        positives, other = rates * items, (1 - rates) * items
        flagged = side > 0
        cells = np.stack(
            [
                part[:, mask].sum(axis=1)
                for mask in (flagged, ~flagged)
                for part in (positives, other)
            ]
        )
        ratio = metric(self.claim.metric)
        below = np.array(ratio.denominator) @ cells
        return np.asarray(np.array(ratio.numerator) @ cells / np.maximum(below, 1e-12))

    def _implying(self, values: Floats) -> Floats:
        """The rates that imply these values of the metric, one row each."""
        low, high = np.full(len(values), -12.0), np.full(len(values), 12.0)
        for _ in range(50):
            middle = (low + high) / 2
            short = self._values(self._tilted(middle)) < values
            low, high = np.where(short, middle, low), np.where(short, high, middle)
        return self._tilted((low + high) / 2)

    def _prices_at(self, values: Floats) -> list[float | None]:
        _, side, _ = self._odds
        weights = metric(self.claim.metric).denominator
        # bands that say nothing about the claim are not in the test
        inside = np.where(side > 0, any(weights[:2]), any(weights[2:])).astype(np.bool_)
        limits = [limit_of(self._test, rates[inside]) for rates in self._implying(values)]
        items = float(self._test.sizes.sum())
        return [None if limit is None else in_collection(limit.ideal, items) for limit in limits]

    @cached_property
    def _prices(self) -> tuple[Floats, Floats]:
        """Distances above the target in log-odds, and log prices that never rise with them."""
        gaps = np.geomspace(NEAREST, FARTHEST, PRICES)
        prices = self._prices_at(expit(float(logit(self.claim.target)) + gaps))
        most = float(self._test.sizes.sum())
        logs = np.log([most if price is None else min(price, most) for price in prices])
        return np.log(gaps), np.minimum.accumulate(logs)

    def price(self, z: Floats) -> Floats:
        """Labels expected if logit(metric) is z; infinite at and below the target."""
        gap = z - float(logit(self.claim.target))
        at, logs = self._prices
        labels = np.exp(np.interp(np.log(np.maximum(gap, NEAREST)), at, logs))
        return np.where(gap >= NEAREST, labels, np.inf)

    def forecast(self, value: float) -> float | None:
        """Labels expected if the metric has this value, however few the budget has left; None where
        the claim does not hold then.
        """
        labels = float(self.price(np.array([logit(np.clip(value, 1e-6, 1 - 1e-6))]))[0])
        return labels if np.isfinite(labels) else None

    def price_at(self, value: float) -> float | None:
        """The one price at this value, without the list of prices; None where the claim is false."""
        if value <= self.claim.target:
            return None
        return self._prices_at(np.array([value]))[0]

    def expected(self, belief: Belief, *, shrink: float = 1.0, most: float | None = None) -> float:
        """The mean price under a belief whose variance is shrunk; `most` is spent where it fails.

        Without `most` a failure costs as much as the dearest price on the list.
        """
        steps = np.linspace(-4, 4, PARTS)
        mass = np.exp(-(steps**2) / 2)
        mass /= mass.sum()
        limit = float(np.exp(self._prices[1][0])) if most is None else max(most, 1.0)
        centre, spreads = belief.mean, belief.spreads * np.sqrt(shrink)
        means = centre + (belief.means - centre) * np.sqrt(shrink)
        z = means[:, None] + spreads[:, None] * steps
        return float(belief.weights @ (np.minimum(self.price(z), limit) @ mass))


def in_collection(ideal: float, items: float) -> float:
    """The labels of a certification whose information limit is `ideal`, in a collection of this size.

    What was read is no longer in doubt, so a limit near the size of the collection is never paid.

    >>> round(in_collection(100, 1_000_000)), round(in_collection(1_000, 1_200))
    (120, 400)
    """
    price = OVER_LIMIT * ideal
    return min(max(LEAST, price / (1 + FINITE * price / items)), items)


def cost_of(claim: Claim, confidence: float, bands: Sequence[Band]) -> CertificationCost:
    """The price list of a claim on these bands."""
    return CertificationCost(claim=claim, confidence=confidence, bands=tuple(bands))
