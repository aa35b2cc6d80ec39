"""Accuracy from a stratified sample: Σ W_k Â_k, its variance, and what random sampling would give.

*Source* Kumar and Raj (2016), propositions 1 to 4 (equations 2 to 6), with the finite population
correction where items are drawn without replacement. Arrays may have leading axes.
"""

from dataclasses import dataclass

import numpy as np

from assaymark.errors import InputError
from assaymark.estimation.stats.confidence_axis import Floats, Ints


def random_variance(accuracy: float, *, items: int, labels: int, replace: bool = True) -> float:
    """The variance of the share correct in a simple random sample (proposition 1).

    >>> round(random_variance(0.9, items=1001, labels=100), 7)
    0.0009009
    """
    spread = accuracy * (1 - accuracy) * items / max(items - 1, 1)
    return spread / labels * (1.0 if replace else 1 - labels / items)


def stratified_point(sizes: Ints, labelled: Ints, correct: Ints) -> Floats:
    """Σ W_k Â_k (equation 4)."""
    share = correct / np.maximum(labelled, 1)
    return np.asarray((sizes * share).sum(axis=-1) / sizes.sum())


def estimated_variance(
    sizes: Ints, labelled: Ints, correct: Ints, *, replace: bool = True
) -> Floats:
    """The paper's unbiased estimate of the variance (proposition 4, equation 6).

    A stratum with one label contributes nothing, as printed: `smoothed_variance` is for use.
    """
    weight = sizes / sizes.sum()
    share = correct / np.maximum(labelled, 1)
    part = share * (1 - share) / np.maximum(labelled - 1, 1)
    kept = 1.0 if replace else 1 - labelled / sizes
    return np.asarray((weight**2 * part * kept).sum(axis=-1))


def smoothed_variance(
    sizes: Ints, labelled: Ints, correct: Ints, *, prior: Floats | float = 0.5, worth: float = 2.0
) -> Floats:
    """The variance with imagined labels in every stratum: `worth` of them at the `prior` rate.

    Without replacement. A stratum without a label could be anything: it contributes W²/4. Smooth
    the variance, never the centre.
    """
    weight = sizes / sizes.sum()
    share = (correct + worth * np.asarray(prior)) / (labelled + worth)
    spread = np.where(labelled > 0, share * (1 - share), 0.25)
    kept = np.maximum(1 - labelled / sizes, 0.0)
    return np.asarray((weight**2 * spread / np.maximum(labelled, 1) * kept).sum(axis=-1))


@dataclass(frozen=True, kw_only=True)
class StratifiedMean:
    """The estimate of a share from strata."""

    point: float
    variance: float
    labels: int

    def __str__(self) -> str:
        return f"{self.point:.4f} (standard error {self.variance**0.5:.4f}, {self.labels:,} labels)"


def stratified_mean(
    sizes: Ints, labelled: Ints, correct: Ints, *, prior: Floats | float = 0.5, worth: float = 2.0
) -> StratifiedMean:
    """The estimate from these counts. A stratum without a label is taken at its prior, and named."""
    check_counts(sizes, labelled, correct)
    if labelled.sum() == 0:
        raise InputError("There is no label yet, so there is nothing to estimate from.")
    share = np.where(labelled > 0, correct / np.maximum(labelled, 1), prior)
    return StratifiedMean(
        point=float((sizes * share).sum() / sizes.sum()),
        variance=float(smoothed_variance(sizes, labelled, correct, prior=prior, worth=worth)),
        labels=int(labelled.sum()),
    )


def check_counts(sizes: Ints, labelled: Ints, correct: Ints) -> None:
    """Refuse counts that cannot be those of a sample from these strata."""
    if not len(sizes) == len(labelled) == len(correct) or np.any(sizes <= 0):
        raise InputError("Every stratum needs items, labels and successes, in the same order.")
    if np.any(correct < 0) or np.any(correct > labelled) or np.any(labelled > sizes):
        k = int(np.argmax((correct < 0) | (correct > labelled) | (labelled > sizes)))
        raise InputError(
            f"Stratum {k + 1} cannot have {correct[k]} successes in {labelled[k]} labels of "
            f"{sizes[k]} items."
        )
