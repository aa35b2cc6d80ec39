"""Cut-offs from labelled scores: read the files, fix the path, judge the labels, tell it all."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from assaymark import __version__
from assaymark.errors import InputError
from assaymark.hints import option
from assaymark.pool.scored import ScoreColumns, Scored, ScoreFile, read_scored
from assaymark.pool.tables import file_digest
from assaymark.stats.calibration import Calibrator, as_given, calibrate
from assaymark.stats.labelled_scores import Floats, Labelled, labelled
from assaymark.triaging.stats.class_promises import certify_precision, certify_rates, side_regions
from assaymark.triaging.stats.cutoffs import automated_share, checked_target, fewest_labels
from assaymark.triaging.stats.fixed_sequence import certify, regions, too_few
from assaymark.triaging.stats.optimal_cutoffs import by_hindsight
from assaymark.triaging.stats.score_histogram import curve_of, histogram
from assaymark.triaging.triage import Thresholds, Triage, calibration_words
from assaymark.triaging.triage_answer import TriageAnswer, TriageQuestion, WeighedErrors

CALIBRATION_SHARE = 0.25


@dataclass(frozen=True, kw_only=True, eq=False)
class Placed:
    """What is known before the labels that prove: the curve, and scores to place the path by."""

    calibrator: Calibrator
    scores: Floats
    how: str


def find_thresholds(question: TriageQuestion) -> TriageAnswer:
    """Cut-offs by the rule that was asked for, with the promise that the rule makes."""
    columns = ScoreColumns(score=question.score, label=question.label, id=question.id)
    dev = read_scored(question.dev, columns, what="development file")
    _refuse_twice(dev)
    if question.train is not None:
        _refuse_training(question, dev)
    data = labelled(dev.scores, _labels_of(dev))
    pool = _read_pool(question, dev)
    if question.rule in ("certified", "empirical"):
        checked_target(question.target, majority=data.majority)
    triage, used, how = FINDERS[question.rule](question, data, pool)
    counted = pool if pool is not None else used.scores
    thresholds = Thresholds(
        rule=triage.rule,
        target=triage.target,
        delta=triage.delta,
        certified=triage.certified,
        cutoffs=triage.cutoffs,
        score=question.score,
        promise=triage.promise,
        labels=triage.labels,
        automated_share=automated_share(counted, triage.cutoffs),
        placed_by=how,
        sources=tuple(_named(path) for path in (question.dev, question.pool, question.train)
                      if path),
        software=__version__,
    )  # fmt: skip
    miss, false_alarm = question.costs
    return TriageAnswer(
        triage=triage,
        thresholds=thresholds,
        counted_on="pool" if pool is not None else "development",
        curve=curve_of(used),
        histogram=histogram(counted, triage.cutoffs),
        weighed=WeighedErrors(
            utility=triage.tally.utility(question.weights),
            detection_cost=triage.tally.detection_cost(miss=miss, false_alarm=false_alarm),
        ),
    )


def _labels_of(dev: Scored) -> Any:
    if dev.labels is None:
        raise AssertionError("labels were asked for")
    return dev.labels


def _refuse_twice(dev: Scored) -> None:
    if dev.ids is None:
        return
    ids, times = np.unique(dev.ids.astype(str), return_counts=True)
    if len(ids) < len(dev.ids):
        raise InputError(
            f"{len(dev.ids) - len(ids):,} development items are there more than once (for example "
            f"{str(ids[times > 1][0])!r}). A label proves something once: keep one row per item."
        )


def _refuse_training(question: TriageQuestion, dev: Scored) -> None:
    """Refuse labels that would both place the path and prove."""
    train = str(question.train)
    if _bytes(train) == _bytes(question.dev):
        raise InputError(
            f"{option('train')} and {option('dev')} are the same file. The curve must not know "
            "the labels that prove: leave "
            f"{option('train')} out, and a quarter of the development labels calibrates."
        )
    if dev.ids is None:
        return
    columns = ScoreColumns(score=question.score, label=question.label)
    with ScoreFile(train, columns, what="training file") as file:
        if question.id not in file.types:
            return
    known = read_scored(train, replace(columns, id=question.id), what="training file").ids
    both = set(dev.ids.tolist()).intersection([] if known is None else known.tolist())
    if both:
        raise InputError(
            f"{len(both):,} development items are in the training file too (for example "
            f"{min(both)!r}). The curve must not know the labels that prove: leave them out of one."
        )


def _named(path: str) -> str:
    file = Path(path)
    return f"{file.name} {file_digest(file)}" if file.is_file() else path


def _bytes(path: str) -> str:
    file = Path(path)
    return file_digest(file) if file.is_file() else path


def _read_pool(question: TriageQuestion, dev: Scored) -> Floats | None:
    if question.pool is None:
        return None
    columns = ScoreColumns(score=question.score, id=question.id)
    pool = read_scored(question.pool, columns, what="pool")
    if dev.ids is None or pool.ids is None:
        raise AssertionError("ids were asked for")
    both = set(dev.ids.tolist()).intersection(pool.ids.tolist())
    if both:
        raise InputError(
            f"{len(both):,} development items are in the pool too (for example {min(both)!r}). The path "
            "of regions must not know the labelled items: leave them out of the pool."
        )
    if np.ptp(pool.scores) == 0:
        raise InputError(
            f"All pool scores are {pool.scores[0]:g}: a constant score cannot tell easy items from hard "
            "ones. Use the classifier's score, not its yes or no."
        )
    return pool.scores


def _placed(
    question: TriageQuestion, data: Labelled, pool: Floats | None
) -> tuple[Placed, Labelled]:
    """The curve and the path's scores, and the labels that are left to prove with."""
    if question.train is not None:
        columns = ScoreColumns(score=question.score, label=question.label)
        train = read_scored(question.train, columns, what="training file")
        known = labelled(train.scores, _labels_of(train), what="training")
        curve = (
            as_given(known.scores)
            if question.calibrator == "none"
            else calibrate(question.calibrator, known)
        )
        used, rest, how = known.scores, data, "the training file"
    elif question.calibrator == "none" and pool is not None:
        curve, used, rest, how = as_given(data.scores), pool, data, "the pool"
    else:
        used_for, rest = split(data, seed=question.seed)
        how = f"{used_for.size:,} of the development labels, set aside at random"
        used = used_for.scores
        curve = (
            as_given(data.scores)
            if question.calibrator == "none"
            else calibrate(question.calibrator, used_for)
        )
    where = "the pool's scores" if pool is not None else how
    calibrated = calibration_words(question.calibrator)
    placed = calibrated if question.calibrator == "none" else f"{calibrated} on {how}"
    sentence = f"{placed}; the path follows {where}"
    scores = pool if pool is not None else used
    return Placed(calibrator=curve, scores=scores, how=sentence), rest


def split(data: Labelled, *, seed: int) -> tuple[Labelled, Labelled]:
    """A random quarter to calibrate with, and the rest to prove with."""
    order = np.random.default_rng(seed).permutation(data.size)
    size = round(CALIBRATION_SHARE * data.size)
    first, rest = order[:size], order[size:]
    return (
        labelled(data.scores[first], data.labels[first], what="calibration"),
        labelled(data.scores[rest], data.labels[rest]),
    )


Solution = tuple[Triage, Labelled, str]
Finder = Callable[[TriageQuestion, Labelled, Floats | None], Solution]


def _refuse_too_few(question: TriageQuestion, data: Labelled) -> None:
    """Say how many labels it takes before a quarter of too few is split off to calibrate with."""
    fewest = fewest_labels(question.target, question.delta)
    spared = question.train is not None or (question.calibrator == "none" and question.pool)
    proving = 1 if spared else 1 - CALIBRATION_SHARE
    if data.size < fewest:
        raise InputError(too_few(data.size, fewest, question.target, question.delta, proving))


def _certified(question: TriageQuestion, data: Labelled, pool: Floats | None) -> Solution:
    _refuse_too_few(question, data)
    placed, rest = _placed(question, data, pool)
    path = regions(placed.calibrator, placed.scores)
    triage = certify(
        rest, path, target=question.target, delta=question.delta, proving=rest.size / data.size
    )
    return triage, rest, placed.how


def _precision(question: TriageQuestion, data: Labelled, pool: Floats | None) -> Solution:
    _refuse_too_few(question, data)
    placed, rest = _placed(question, data, pool)
    paths = (
        side_regions(placed.calibrator, placed.scores, accept=True),
        side_regions(placed.calibrator, placed.scores, accept=False),
    )
    triage = certify_precision(rest, paths, target=question.target, delta=question.delta)
    return triage, rest, placed.how


def _sides(question: TriageQuestion, data: Labelled, pool: Floats | None) -> Solution:
    triage = certify_rates(data, target=question.target, delta=question.delta, pool=pool)
    return triage, data, "order statistics of the development scores, per class"


def _empirical(question: TriageQuestion, data: Labelled, _pool: Floats | None) -> Solution:
    triage = by_hindsight(data, target=question.target, delta=question.delta)
    return triage, data, "an exhaustive search of the development labels"


FINDERS: dict[str, Finder] = {
    "certified": _certified,
    "empirical": _empirical,
    "sides": _sides,
    "precision": _precision,
}
