"""Variances of stratified samples by formula, from Kumar and Raj (2016): what estimates are compared with."""

import numpy as np

from assaymark.estimation.stats.confidence_axis import Floats, Ints


def estimated_random_variance(correct: int, labels: int) -> float:
    """Its unbiased estimate from the sample alone (proposition 2)."""
    share = correct / labels
    return share * (1 - share) / (labels - 1)


def stratified_variance(
    accuracy: Floats, *, sizes: Ints, labels: Floats, replace: bool = True
) -> float:
    """The variance of Σ W_k Â_k for these true accuracies and labels per stratum (proposition 3)."""
    weight = sizes / sizes.sum()
    spread = accuracy * (1 - accuracy) * sizes / np.maximum(sizes - 1, 1)
    kept = 1.0 if replace else 1 - labels / sizes
    return float((weight**2 * spread / labels * kept).sum())


def optimal_variance(accuracy: Floats, *, sizes: Ints, labels: int) -> float:
    """The least variance that any allocation reaches on these strata (equation 10)."""
    weight = sizes / sizes.sum()
    spread = accuracy * (1 - accuracy) * sizes / np.maximum(sizes - 1, 1)
    return float((weight * np.sqrt(spread)).sum() ** 2 / labels)
