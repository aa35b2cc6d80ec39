"""Answers that need no project: bounds and sizes from counts."""

from dataclasses import replace

from assaymark.certification.planning import belief_of
from assaymark.certification.planning import forecast as forecast_claim
from assaymark.certification.planning.expected_value import expect_value, implied_words
from assaymark.claims.checks import open_share
from assaymark.claims.claim import Claim
from assaymark.claims.defaults import POWER
from assaymark.claims.ratio_metrics import parse_claim
from assaymark.claims.results import Forecast, PowerCurve
from assaymark.errors import InputError
from assaymark.records.plan import Expectation
from assaymark.stats.binomial_bounds import bound as bound
from assaymark.stats.sample_size import Planner, power_curve


def size(
    claim: str, expectation: Expectation, *, confidence: float = 0.95, power: float = POWER
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


def expected(
    claim: Claim,
    value: float,
    *,
    share: float | None = None,
    prevalence: float | None = None,
    precision: float | None = None,
    recall: float | None = None,
) -> Expectation:
    """What an expected value of the claimed metric says about precision and recall.

    `share` is that of the predicted positives in the pool; without a pool, `prevalence` is needed.
    """
    if not share and claim.metric == "prevalence":  # nothing is predicted, only counted
        return Expectation(precision=1, recall=1, prevalence=value)
    expectation = expect_value(
        claim, value, share=_share(share, prevalence), precision=precision, recall=recall,
        of_relevant=not share,
    )  # fmt: skip
    return replace(expectation, prevalence=prevalence)


def expected_words(claim: Claim, expectation: Expectation, *, share: float | None = None) -> str:
    """What the expectation implies for the claimed metric, in words."""
    prevalence = None if expectation.pilot is not None else expectation.prevalence
    return implied_words(
        claim, expectation, share=share or prevalence or 0.5, of_relevant=not share
    )


def _share(share: float | None, prevalence: float | None) -> float:
    if share:
        return share
    if prevalence is None:
        raise InputError(
            "An expected value is not enough: give the share of relevant items (the prevalence) "
            "too."
        )
    return open_share("prevalence", prevalence)
