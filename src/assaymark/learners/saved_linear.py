"""A frozen linear classifier as a file of numbers: nothing in it is run when it is read."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from assaymark.errors import InputError
from assaymark.learners.features import (
    WIDTH,
    Features,
    Floats,
    hashing_vectorizer,
    importance_of,
)
from assaymark.stats.calibration import Calibrator, Logistic

FORMAT = 1


@dataclass(frozen=True, kw_only=True, eq=False)
class SavedLinear:
    """Word weights, their importance in the collection, and a logistic calibration.

    Items with a score of at least `threshold` are flagged.
    """

    weights: NDArray[np.float32]
    importance: NDArray[np.float32]
    intercept: float
    slope: float
    shift: float
    threshold: float

    def scores(self, texts: Sequence[str]) -> Floats:
        """The calibrated score of each text, as the frozen classifier gave them."""
        counts = hashing_vectorizer().transform(texts)
        counts.data = (1 + np.log(counts.data)).astype(np.float32)
        rows = counts.multiply(self.importance).tocsr()
        length = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1))).ravel()
        raw = np.asarray(rows @ self.weights).ravel() / np.maximum(length, 1e-12)
        odds = self.slope * (raw.astype(np.float64) + self.intercept) + self.shift
        return np.asarray((1 / (1 + np.exp(-odds))).astype(np.float32), dtype=np.float64)

    def write(self, path: Path) -> None:
        """Write it as arrays without code."""
        numbers = [FORMAT, self.intercept, self.slope, self.shift, self.threshold]
        np.savez_compressed(
            path, weights=self.weights, importance=self.importance, numbers=np.array(numbers)
        )


def saved_linear(
    features: Features,
    weights: NDArray[np.float32],
    intercept: float,
    curve: Calibrator,
    threshold: float,
) -> SavedLinear:
    """What is needed to score other texts. *Assumes* a logistic calibration, as every one of training.

    Its line is read, not measured at two scores: a steep curve is 1 to the last digit at one of them.
    """
    slope, shift = cast("Logistic", curve.curve).line
    return SavedLinear(
        weights=weights,
        importance=importance_of(features),
        intercept=intercept,
        slope=slope,
        shift=shift,
        threshold=threshold,
    )


def read_saved(path: Path) -> SavedLinear:
    """The classifier in the file; refused where it is something else."""
    try:
        with np.load(path, allow_pickle=False) as held:
            weights, importance, numbers = held["weights"], held["importance"], held["numbers"]
    except (OSError, ValueError, KeyError) as error:
        raise InputError(f"The classifier {path.name!r} cannot be read: {error}.") from error
    if len(weights) != WIDTH or len(importance) != WIDTH or numbers[0] != FORMAT:
        raise InputError(f"The classifier {path.name!r} was written by another version.")
    if not np.isfinite(numbers).all():
        raise InputError(
            f"The classifier {path.name!r} was saved by an earlier version without its calibration, so "
            "it cannot score other texts. The scores of the collection and the certificate are not touched."
        )
    return SavedLinear(
        weights=weights,
        importance=importance,
        intercept=float(numbers[1]),
        slope=float(numbers[2]),
        shift=float(numbers[3]),
        threshold=float(numbers[4]),
    )
