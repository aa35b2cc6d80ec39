"""Scores with their 0/1 labels, checked at the door."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assaymark.errors import InputError

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True, eq=False)
class Labelled:
    """Scores with their labels, in one order, checked."""

    scores: Floats
    labels: Flags

    @property
    def size(self) -> int:
        """How many items."""
        return len(self.scores)

    @property
    def majority(self) -> float:
        """The share of the more frequent label."""
        share = float(self.labels.mean())
        return max(share, 1 - share)


def checked_scores(scores: ArrayLike, *, what: str = "development") -> Floats:
    """The scores as finite numbers; refused otherwise."""
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 1 or not len(values):
        raise InputError(
            f"The {what} scores must be a list of numbers, got shape {values.shape}. "
            "Give one score per item."
        )
    bad = int((~np.isfinite(values)).sum())
    if bad:
        raise InputError(
            f"{bad:,} of {len(values):,} {what} scores are missing or not finite. Every item needs "
            "a score: leave these items out or score them."
        )
    return values


def labelled(scores: ArrayLike, labels: ArrayLike, *, what: str = "development") -> Labelled:
    """Scores and 0/1 labels of the same items, both classes present and scores not all alike."""
    values = checked_scores(scores, what=what)
    answers = np.asarray(labels)
    if len(answers) != len(values):
        raise InputError(f"There are {len(values):,} scores but {len(answers):,} labels.")
    odd = [value for value in np.unique(answers).tolist() if value not in (0, 1)]
    if odd:
        raise InputError(
            f"The {what} labels must be 0 or 1, got {odd[0]!r}. Write 1 for relevant and 0 for not."
        )
    flags = answers.astype(np.bool_)
    if flags.all() or not flags.any():
        raise InputError(
            f"All {len(flags):,} {what} labels are {int(flags[0])}: with one class only, no score "
            "can be checked. Label items of both classes."
        )
    if np.ptp(values) == 0:
        raise InputError(
            f"All {what} scores are {values[0]:g}: a constant score cannot tell easy items from "
            "hard ones. Use the classifier's score, not its yes or no."
        )
    return Labelled(scores=values, labels=flags)
