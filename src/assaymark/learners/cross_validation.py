"""Classifiers that grow with their labels: fit, cross-validate, calibrate, score the collection.

Whatever is trained on is a `Documents`: the linear learner over features made once, or any
scikit-learn text pipeline. The threshold, the cross-validated counts and the calibration come from
the random training items alone, so that items chosen for their scores do not colour them.
"""

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from assaymark.claims.claim import Claim, Counts
from assaymark.claims.results import counted
from assaymark.errors import InputError
from assaymark.learners.documents import Documents, Flags, Scorer
from assaymark.learners.features import Floats, Ints, Progress
from assaymark.records.training import Band, TrainingLook
from assaymark.stats.calibration import Calibrator, Logistic, platt
from assaymark.stats.labelled_scores import Labelled
from assaymark.stats.operating_point import best_cut
from assaymark.stats.score_guided.strata import NEGATIVE_CUTS, POSITIVE_CUTS

FOLDS = 10
LEAST = 2  # positives and negatives among the random items before anything can be cross-validated


class TooFewLabelsError(InputError):
    """Too few labels of one kind to train and cross-validate on. Labelling goes on."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Study:
    """A refit: what it shows, and the calibrated score of every row of the collection.

    Items are flagged where the score is at least `look.threshold`.
    """

    look: TrainingLook
    scores: Floats
    scorer: Scorer = field(repr=False)
    curve: Calibrator = field(repr=False)


def study(
    documents: Documents,
    rows: Ints,
    labels: Flags,
    random: Flags,
    claim: Claim,
    *,
    pool: Flags | None = None,
    folds: int = FOLDS,
    progress: Progress = lambda _message, _share: None,
) -> Study:
    """Train on these labelled rows, cross-validate on the random ones, score the collection.

    `pool` marks the rows that the claim will be about; the bands count these alone.
    """
    _refuse_one_sided(labels[random])
    honest = out_of_fold(documents, rows, labels, random, folds=folds, progress=progress)
    random_labels = labels[random]
    counts = crossed_counts(honest.scores, random_labels, honest.folds, claim)
    progress("training on all labels", 0.8)
    scorer = documents.fit(rows, labels)
    curve = _curve(honest.scores, random_labels)
    progress("scoring the collection", 0.85)
    scores = _rounded(curve.at(scorer.everywhere(progress)))
    threshold = best_cut(_untrained(scores, rows), claim)
    look = TrainingLook(
        labels=len(rows),
        random=int(random.sum()),
        positives=int(labels.sum()),
        counts=counts,
        bands=bands(scores if pool is None else scores[pool], threshold),
        threshold=threshold,
    )
    return Study(look=look, scores=scores, scorer=scorer, curve=curve)


def _untrained(scores: Floats, rows: Ints) -> Floats:
    """The scores of items that the classifier did not see; its own it scores too surely."""
    fresh = np.ones(len(scores), dtype=np.bool_)
    fresh[rows] = False
    return scores[fresh] if fresh.any() else scores


def _refuse_one_sided(labels: Flags) -> None:
    positives, negatives = int(labels.sum()), int((~labels).sum())
    if min(positives, negatives) < LEAST:
        scarce = "positive" if positives < negatives else "negative"
        rarer = min(positives, negatives)
        raise TooFewLabelsError(
            f"There {'is' if rarer == 1 else 'are'} {counted(rarer, scarce)} among "
            f"{counted(len(labels), 'random training label')}; training begins with {LEAST} of each "
            "kind. Go on labelling."
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class OutOfFold:
    """Scores of the random items from classifiers that did not see them, and each one's fold."""

    scores: Floats
    folds: Ints


def out_of_fold(
    documents: Documents,
    rows: Ints,
    labels: Flags,
    random: Flags,
    *,
    folds: int,
    progress: Progress = lambda _message, _share: None,
) -> OutOfFold:
    """Cross-validation on the random items; items chosen otherwise help to train every fold."""
    random_rows = np.flatnonzero(random)
    fold = _dealt(labels[random_rows], folds)
    scores = np.empty(len(random_rows))
    for number in range(int(fold.max()) + 1):
        held = random_rows[fold == number]
        kept = np.setdiff1d(np.arange(len(rows)), held)
        scores[fold == number] = documents.fit(rows[kept], labels[kept]).at(rows[held])
        progress("cross-validating", 0.8 * (number + 1) / (fold.max() + 1))
    return OutOfFold(scores=scores, folds=fold)


def _dealt(labels: Flags, folds: int) -> Ints:
    """Folds with as many positives as possible each; always the same for the same labels."""
    least = min(int(labels.sum()), int((~labels).sum()))
    number = max(2, min(folds, least))
    rng = np.random.default_rng(0)
    fold = np.empty(len(labels), dtype=np.int64)
    for kind in (True, False):
        members = rng.permutation(np.flatnonzero(labels == kind))
        fold[members] = np.arange(len(members)) % number
    return fold


def crossed_counts(scores: Floats, labels: Flags, folds: Ints, claim: Claim) -> Counts:
    """The confusion matrix of flags that did not see the item's own fold."""
    flagged = crossed_flags(scores, labels, folds, claim)
    tp = int((flagged & labels).sum())
    fp, fn = int(flagged.sum()) - tp, int(labels.sum()) - tp
    return Counts(tp=tp, fp=fp, fn=fn, tn=len(labels) - tp - fp - fn)


def crossed_flags(scores: Floats, labels: Flags, folds: Ints, claim: Claim) -> Flags:
    """Which items are flagged if every fold is calibrated and cut as the other folds say."""
    flagged = np.zeros(len(labels), dtype=np.bool_)
    for number in range(int(folds.max()) + 1):
        held = folds == number
        curve = _curve(scores[~held], labels[~held])
        cut = best_cut(curve.at(scores[~held]), claim)
        flagged[held] = curve.at(scores[held]) >= cut
    return flagged


def _curve(scores: Floats, labels: Flags) -> Calibrator:
    """Scores to probabilities; nearly flat where the scores do not yet tell relevant items."""
    try:
        if scores.min() == scores.max():  # no text has a word that tells anything
            raise InputError("All scores are equal.")
        return platt(Labelled(scores=scores, labels=labels))
    except InputError:
        share = (labels.sum() + 1) / (len(labels) + 2)
        odds, scale = float(np.log(share / (1 - share))), float(scores.std()) or 1.0
        return Calibrator(
            name="flat",
            curve=Logistic(slope=0.05, shift=odds, centre=float(scores.mean()), scale=scale),
        )


def _rounded(scores: Floats) -> Floats:
    """Single precision: what a file keeps is what was computed with."""
    return scores.astype(np.float32).astype(np.float64)


def bands(scores: Floats, threshold: float) -> tuple[Band, ...]:
    """The collection in bands of neighbouring scores, with the positives the scores promise."""
    rows: list[Band] = []
    for predicted, cuts in ((False, NEGATIVE_CUTS), (True, POSITIVE_CUTS)):
        side = np.sort(scores[(scores >= threshold) == predicted])
        ends = [0, *(round(len(side) * (1 - share)) for share in cuts), len(side)]
        rows += [
            Band(predicted=predicted, items=stop - start, expected=float(side[start:stop].sum()))
            for start, stop in pairwise(ends)
            if stop > start
        ]
    return tuple(rows)
