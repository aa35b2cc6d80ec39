"""Claims from labels drawn by strata: false certificates by enumeration of every sample."""

import itertools
from math import comb

import pytest

from assaymark.claims.ratio_metrics import metric, parse_claim
from assaymark.estimation.stats.stratified_claim import (
    SampledPart,
    least_positives,
    most_positives,
    stratified_bound,
)

ALPHA = 0.1


def chance(items: int, positives: int, labels: int, seen: int) -> float:
    """The hypergeometric law, by counting."""
    return comb(positives, seen) * comb(items - positives, labels - seen) / comb(items, labels)


@pytest.mark.parametrize(("items", "labels"), [(12, 5), (20, 12), (9, 9), (7, 0)])
def test_the_limits_of_a_part_err_with_at_most_alpha(items: int, labels: int) -> None:
    for positives in range(items + 1):
        low = high = 0.0
        for seen in range(max(0, labels - items + positives), min(labels, positives) + 1):
            part = SampledPart(predicted=True, items=items, labels=labels, positives=seen)
            here = chance(items, positives, labels, seen)
            low += here * (least_positives(part, ALPHA) > positives)
            high += here * (most_positives(part, ALPHA) < positives)
        assert max(low, high) <= ALPHA + 1e-12


@pytest.mark.parametrize("name", ["recall", "precision", "f1", "accuracy", "prevalence", "elusion"])
@pytest.mark.parametrize("side", ["lower", "upper"])
def test_the_bound_errs_with_at_most_alpha(name: str, side: str, measured) -> None:
    """Every collection of 8 flagged and 12 other items, every sample of 4 and 5 of them."""
    sizes, labels = (8, 12), (4, 5)
    claim = parse_claim(f"{name} {'>=' if side == 'lower' else '<='} 0.5")
    bounds = {
        seen: stratified_bound(
            claim,
            [
                SampledPart(predicted=first, items=n, labels=m, positives=x)
                for first, n, m, x in zip((True, False), sizes, labels, seen, strict=True)
            ],
            confidence=1 - ALPHA,
            side=side,
        )
        for seen in itertools.product(range(labels[0] + 1), range(labels[1] + 1))
    }
    worst = 0.0
    for a, b in itertools.product(range(sizes[0] + 1), range(sizes[1] + 1)):
        truth = metric(name).value((a, sizes[0] - a, b, sizes[1] - b))
        if truth is None:
            continue
        wrong = 0.0
        for (x, y), bound in bounds.items():
            if x > a or y > b or labels[0] - x > sizes[0] - a or labels[1] - y > sizes[1] - b:
                continue
            off = bound is not None and (
                bound > truth + 1e-12 if side == "lower" else bound < truth - 1e-12
            )
            wrong += off * chance(sizes[0], a, labels[0], x) * chance(sizes[1], b, labels[1], y)
        worst = max(worst, wrong)
    measured("doctor-claim", f"exact: {name}, every sample of two strata", worst, nominal=ALPHA)
    assert worst <= ALPHA
    assert any(bound not in (None, 0.0, 1.0) for bound in bounds.values()), (
        "the bound says something"
    )
