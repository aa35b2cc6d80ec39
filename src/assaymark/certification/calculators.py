"""Answers that need no project: bounds and sizes from counts."""

from assaymark.certification.planning import belief_of
from assaymark.certification.planning import forecast as forecast_claim
from assaymark.claims.claim import Claim, Counts, Side
from assaymark.claims.ratio_metrics import domain, parse_claim
from assaymark.claims.results import Estimate, Forecast, PowerCurve
from assaymark.records.plan import Expectation
from assaymark.stats.binomial_bounds import METHODS
from assaymark.stats.binomial_bounds import bound as fixed_bound
from assaymark.stats.sample_size import Planner, power_curve

BOUND_METHODS = tuple(METHODS)


def read_claim(text: str) -> Claim:
    """The claim as people write it."""
    return parse_claim(text)


def claim_domain(claim: Claim) -> str:
    """Which items the claim is about."""
    return domain(claim)


def bound(
    metric: str,
    counts: Counts,
    *,
    design: str,
    confidence: float = 0.95,
    side: Side = "lower",
    method: str = "exact",
) -> Estimate:
    """The metric's point estimate and bound from a sample of fixed size."""
    return fixed_bound(
        metric, counts, design=design, confidence=confidence, side=side, method=method
    )


def size(
    claim: str, expectation: Expectation, *, confidence: float = 0.95, power: float = 0.93
) -> Forecast:
    """How many labels the claim will need."""
    return forecast_claim(parse_claim(claim), expectation, confidence=confidence, power=power)


def curve(
    claim: str, expectation: Expectation, labels: tuple[int, ...], *, confidence: float = 0.95
) -> PowerCurve:
    """The chance to pass at each of these numbers of labels."""
    planner = Planner(
        claim=parse_claim(claim), belief=belief_of(expectation), confidence=confidence
    )
    return power_curve(planner, labels)
