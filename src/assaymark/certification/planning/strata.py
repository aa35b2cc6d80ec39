"""Strata of a plan, cut from the pool's summary: the pool itself is not read again."""

import bisect

from assaymark.claims.claim import Claim
from assaymark.claims.ratio_metrics import domain, metric
from assaymark.errors import PlanError
from assaymark.records.modes import OFFERED
from assaymark.records.plan import Stratum
from assaymark.records.pool import Histogram, PoolSummary
from assaymark.stats.methods import guided_method
from assaymark.stats.score_guided.strata import ClassHistogram, cut_strata, unscored_strata

UNIT = 1e9  # histogram sums are whole numbers of this part of the score range


def domain_strata(claim: Claim, summary: PoolSummary) -> tuple[Stratum, ...]:
    """The one stratum of a simple sample: the items that the claim is about."""
    where = domain(claim)
    if where == "all":
        return (Stratum(items=summary.items),)
    prediction = where == "predicted positive"
    items = summary.predicted_positive if prediction else summary.predicted_negative
    if items == 0:
        raise PlanError(
            f"No item of the pool is {where}, so {metric(claim.metric).title} is undefined and "
            "cannot be claimed."
        )
    return (Stratum(items=items, prediction=prediction),)


def guided_strata(
    claim: Claim, summary: PoolSummary, *, method: str | None = None
) -> tuple[Stratum, ...]:
    """Strata by predicted class and score; by predicted class alone where there are no scores."""
    domain_strata(claim, summary)  # refuses a claim about no item
    positive, negative = summary.positive, summary.negative
    if positive is None or negative is None:
        return tuple(
            Stratum(items=part.size, prediction=part.predicted)
            for part in unscored_strata(
                claim,
                predicted_positive=summary.predicted_positive,
                predicted_negative=summary.predicted_negative,
            )
        )
    rule = guided_method(method or OFFERED["score-guided"].method)
    cut = cut_strata(
        claim,
        positive_cuts=rule.positive_cuts,
        negative_cuts=rule.negative_cuts,
        positive=_scored(positive, negative, summary),
        negative=_scored(negative, positive, summary),
    )
    strata = []
    for part in cut:
        edges = positive.edges if part.stratum.predicted else negative.edges
        strata.append(
            Stratum(
                items=part.stratum.size,
                prediction=part.stratum.predicted,
                grid_from=edges[part.first],
                grid_to=edges[part.stop],
                mean_score=part.stratum.mean_score,
            )
        )
    return tuple(strata)


def scores_are_shares(summary: PoolSummary) -> bool:
    """Whether the scores can be read as probabilities; others are used by rank."""
    low, high = summary.score_low, summary.score_high
    return low is not None and high is not None and low >= 0 and high <= 1


def _scored(histogram: Histogram, other: Histogram, summary: PoolSummary) -> ClassHistogram:
    if scores_are_shares(summary):
        low = summary.score_low or 0.0
        span = (summary.score_high or 0.0) - low
        sums = [
            n * low + span * s / UNIT for n, s in zip(histogram.counts, histogram.sums, strict=True)
        ]
        return ClassHistogram(counts=histogram.counts, score_sums=tuple(sums))
    return ClassHistogram(counts=histogram.counts, score_sums=_ranks(histogram, other))


def _ranks(histogram: Histogram, other: Histogram) -> tuple[float, ...]:
    """Score sums with the share of items below each bin in place of its scores."""
    total = max(1, sum(histogram.counts) + sum(other.counts))
    below_other = [0]
    for number in other.counts:
        below_other.append(below_other[-1] + number)
    sums, below = [], 0
    for edge, number in zip(histogram.edges, histogram.counts, strict=False):
        place = bisect.bisect_left(other.edges[:-1], edge)
        rank = (below + number / 2 + below_other[place]) / total
        sums.append(number * min(rank, 1.0))
        below += number
    return tuple(sums)
