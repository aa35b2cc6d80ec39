"""Populations with known truth: a classifier's predictions and scores, and what is true.

One idea: an experiment about certification needs a pool in which every label is known. Here they
are made to order: how rare, how good the predictions, how much the scores know, and how they lie.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from assaymark.claims.checks import choice, open_share
from assaymark.claims.claim import Claim
from assaymark.claims.ratio_metrics import metric
from assaymark.errors import InputError
from assaymark.stats.score_guided.strata import (
    NEGATIVE_CUTS,
    POSITIVE_CUTS,
    ClassHistogram,
    cut_strata,
    unscored_strata,
)
from assaymark.stats.score_guided.supermartingale import Stratum

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Cells = tuple[int, int, int, int]

CALIBRATIONS = ("honest", "over-confident", "under-confident", "ranks only")
SLOPES = {"over-confident": 2.0, "under-confident": 0.4}
TRAPS = ("none", "upside down", "hidden misses", "buried misses")


@dataclass(frozen=True, kw_only=True, eq=False)
class World:
    """A pool whose labels are all known."""

    name: str
    labels: Flags
    predicted: Flags
    scores: Floats | None = None

    @property
    def items(self) -> int:
        """How many items the pool has."""
        return len(self.labels)

    @cached_property
    def cells(self) -> Cells:
        """Items in each confusion cell: tp, fp, fn, tn."""
        tp = int((self.labels & self.predicted).sum())
        fp, fn = int(self.predicted.sum()) - tp, int(self.labels.sum()) - tp
        return tp, fp, fn, self.items - tp - fp - fn

    @property
    def prevalence(self) -> float:
        """The share of positives."""
        return (self.cells[0] + self.cells[2]) / self.items

    def value(self, name: str = "f1") -> float:
        """The true value of a metric."""
        ratio = metric(name).value(self.cells)
        if ratio is None:
            raise InputError(
                f"{name} is undefined in the world {self.name!r}: nothing to divide by."
            )
        return ratio


@dataclass(frozen=True, kw_only=True)
class Sketch:
    """A world to be made. `quality` is how far apart, in standard deviations, the scores of
    positives and negatives lie *within* a predicted class: 0 says nothing beyond the prediction.
    """

    items: int = 40_000
    prevalence: float = 0.03
    f1: float = 0.75
    quality: float = 2.0
    scored: bool = True
    calibration: str = "honest"
    ties: bool = False
    trap: str = "none"

    def __post_init__(self) -> None:
        open_share("prevalence", self.prevalence)
        open_share("f1", self.f1)
        choice("calibration", self.calibration, CALIBRATIONS)
        choice("trap", self.trap, TRAPS)
        if self.items < 100 or self.items * self.prevalence < 2:
            raise InputError(
                f"A world of {self.items} items with prevalence {self.prevalence:g} has no "
                "positives to speak of. Make it larger."
            )

    @property
    def name(self) -> str:
        """What tells this world from others."""
        scores = f"quality {self.quality:g}" if self.scored else "no scores"
        extra = [self.calibration] if self.scored and self.calibration != "honest" else []
        extra += ["ties"] if self.scored and self.ties else []
        extra += [self.trap] if self.scored and self.trap != "none" else []
        return ", ".join([f"prevalence {self.prevalence:g}", f"F1 {self.f1:g}", scores, *extra])


def make_world(sketch: Sketch, rng: np.random.Generator) -> World:
    """The world of a sketch; its confusion cells are exact, only the scores are random.

    Precision and recall both equal the F1 asked for, up to rounding to whole items.
    """
    positives = max(2, round(sketch.items * sketch.prevalence))
    hits = round(positives * sketch.f1)
    labels = np.zeros(sketch.items, dtype=np.bool_)
    predicted = np.zeros(sketch.items, dtype=np.bool_)
    labels[:positives] = True
    predicted[:hits] = True
    predicted[positives : 2 * positives - hits] = True
    scores = _scores(sketch, labels, predicted, rng) if sketch.scored else None
    return World(name=sketch.name, labels=labels, predicted=predicted, scores=scores)


def _scores(sketch: Sketch, labels: Flags, predicted: Flags, rng: np.random.Generator) -> Floats:
    """Scores whose log-odds are right if the world is honest; otherwise bent as the sketch asks."""
    half = sketch.quality / 2
    side = np.where(labels, half, -half)
    if sketch.trap == "hidden misses":
        side = np.where(labels & ~predicted, -half, side)
    signal = sketch.quality * (side + rng.normal(size=len(labels)))
    if sketch.trap == "upside down":
        signal = -signal
    rate = np.where(predicted, labels[predicted].mean(), labels[~predicted].mean())
    odds = logit(np.clip(rate, 1e-6, 1 - 1e-6)) + signal
    scores: Floats = expit(SLOPES.get(sketch.calibration, 1.0) * odds)
    if sketch.trap == "buried misses":
        misses, sure = labels & ~predicted, np.median(scores[~predicted])
        scores[misses] = sure * rng.random(int(misses.sum()))
    if sketch.calibration == "ranks only":
        scores = np.argsort(np.argsort(scores)) / len(scores)
    return np.round(scores, 1) if sketch.ties else scores


@dataclass(frozen=True, kw_only=True)
class Cuts:
    """Where strata are cut: shares of each predicted class above each cut, those of the product."""

    positive: tuple[float, ...] = POSITIVE_CUTS
    negative: tuple[float, ...] = NEGATIVE_CUTS


USUAL = Cuts()


@dataclass(frozen=True, kw_only=True, eq=False)
class Cut:
    """A world cut into strata for a claim: the strata, and the labels and scores of the items of each."""

    strata: tuple[Stratum, ...]
    labels: tuple[NDArray[np.int8], ...]
    scores: tuple[Floats, ...] = ()

    @property
    def rates(self) -> Floats:
        """The true rate of positives in each stratum."""
        return np.array([labels.mean() for labels in self.labels])


def cut_world(world: World, claim: Claim, *, scored: bool = True, cuts: Cuts = USUAL) -> Cut:
    """The world in the strata of the weighted design; by prediction alone unless `scored`."""
    truth = world.labels.astype(np.int8)
    if world.scores is None or not scored:
        positive = int(world.predicted.sum())
        parts = unscored_strata(
            claim, predicted_positive=positive, predicted_negative=world.items - positive
        )
        sides = (world.predicted if part.predicted else ~world.predicted for part in parts)
        return Cut(strata=parts, labels=tuple(truth[side] for side in sides))
    scores = unit_scores(world.scores)
    bins = {side: _Bins(scores, world.predicted == side) for side in (True, False)}
    cut = cut_strata(
        claim,
        positive=bins[True].histogram,
        negative=bins[False].histogram,
        positive_cuts=cuts.positive,
        negative_cuts=cuts.negative,
    )
    items = [bins[part.stratum.predicted].between(part.first, part.stop) for part in cut]
    return Cut(
        strata=tuple(part.stratum for part in cut),
        labels=tuple(truth[mine] for mine in items),
        scores=tuple(scores[mine] for mine in items),
    )


class _Bins:
    """One bin per distinct score of a predicted class, so that no tie can be split."""

    def __init__(self, scores: Floats, mine: Flags) -> None:
        self._where = np.flatnonzero(mine)
        values, self._bin, counts = np.unique(scores[mine], return_inverse=True, return_counts=True)
        self.histogram = ClassHistogram(
            counts=tuple(counts.tolist()), score_sums=tuple((values * counts).tolist())
        )

    def between(self, first: int, stop: int) -> NDArray[np.int64]:
        """The items in these bins."""
        items: NDArray[np.int64] = self._where[(self._bin >= first) & (self._bin < stop)]
        return items


def unit_scores(scores: Floats) -> Floats:
    """The scores as they are if they lie in [0, 1], otherwise the share of items below each."""
    if scores.min() >= 0 and scores.max() <= 1:
        return scores
    values, inverse, counts = np.unique(scores, return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - counts / 2
    return np.asarray(middle[inverse] / len(scores), dtype=np.float64).reshape(
        values[inverse].shape
    )


def claim_below(world: World, margin: float, *, name: str = "f1") -> Claim:
    """The claim that the metric is at least its true value minus the margin, to six digits."""
    target = round(world.value(name) - margin, 6)
    if not 0 < target < 1 or not math.isfinite(target):
        raise InputError(
            f"{name} is {world.value(name):.3f} in the world {world.name!r}, so a margin of "
            f"{margin:g} leaves no claim between 0 and 1. Ask for a smaller margin."
        )
    return Claim(metric=name, side="lower", target=target)
