"""Protocols 2 and 3: a classifier that is retrained on more and more labels until a test likes it.

The target is 90 % of the best true F1 of the run; stopping while the true F1 is still below it is
premature. No bound for a fixed classifier promises anything here: every retraining is a new one.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assaymark.lab.corpora import Corpus, balanced_learner, load_corpus
from assaymark.lab.experiments.sequential_bias.looks import Floats, Ints, doubts
from assaymark.lab.tasks import TaskResult, rng_of

FIXED_TEST = 1_067
FIRST = 13
TARGET = 0.9
ENOUGH = 100
CONFIDENCE = 0.95


@dataclass(frozen=True, kw_only=True)
class TrainingTask:
    """One run on one topic; `both` grows test and training together, 10 and 10."""

    path: Path
    topic: str
    both: bool
    labels: int
    repeat: int
    seed: int
    levels: tuple[float, ...]

    @property
    def name(self) -> str:
        """What to show while it runs."""
        return f"{'both grow' if self.both else 'training grows'}, {self.topic}, run {self.repeat}"

    @property
    def sizes(self) -> list[tuple[int, int]]:
        """Training and test items at each look."""
        if self.both:
            return [(n, n) for n in range(10, self.labels // 2 + 1, 10)]
        return [(n, FIXED_TEST) for n in range(FIRST, self.labels - FIXED_TEST + 1, 20)]


@dataclass(frozen=True, kw_only=True, eq=False)
class Curve:
    """One learning curve: sizes, what the test showed, and the true F1, at each look."""

    training: Ints
    test: Ints
    counts: Ints
    truth: Floats


def learning_curve(task: TrainingTask, corpus: Corpus) -> Curve:
    """Retrain at every look and test; the true F1 is that in the whole population."""
    rng = rng_of(task.seed, corpus.collection.name, task.topic, str(task.both), str(task.repeat))
    labels = corpus.collection.labels(task.topic)
    most = min(task.sizes[-1][0], len(corpus.training))
    chosen = rng.choice(corpus.training, size=most, replace=False)
    known, targets = corpus.features[chosen], labels[chosen]
    population, truth = corpus.features[corpus.truth], labels[corpus.truth]
    tested = rng.permutation(len(truth))[: task.sizes[-1][1]]
    sizes = [size for size in task.sizes if size[0] <= most and size[1] <= len(tested)]
    counts, values = [], []
    for training, test in sizes:
        predicted = _predicted(known[:training], targets[:training], population)
        cells = _cells(predicted, truth)
        values.append(2 * cells[0] / max(1, 2 * cells[0] + cells[1] + cells[2]))
        counts.append(_cells(predicted[tested[:test]], truth[tested[:test]]))
    grown = np.array(sizes)
    return Curve(
        training=grown[:, 0], test=grown[:, 1], counts=np.array(counts), truth=np.array(values)
    )


def _predicted(known: Any, targets: NDArray[np.bool_], population: Any) -> NDArray[np.bool_]:
    if targets.all() or not targets.any():
        return np.full(population.shape[0], bool(targets.any()))
    learner = balanced_learner().fit(known, targets)
    weights = learner.coef_.ravel().astype(np.float32)
    return np.asarray(population @ weights + learner.intercept_[0] > 0)


def _cells(predicted: NDArray[np.bool_], labels: NDArray[np.bool_]) -> list[int]:
    tp = int((predicted & labels).sum())
    fp, fn = int(predicted.sum()) - tp, int(labels.sum()) - tp
    return [tp, fp, fn, len(labels) - tp - fp - fn]


def judge_curve(curve: Curve, levels: tuple[float, ...]) -> TaskResult:
    """Whether each bound, at each nominal level, stops while the truth is still below the target."""
    target = TARGET * float(curve.truth.max())
    short = curve.truth < target
    at_target, here = doubts(curve.counts, target), doubts(curve.counts, curve.truth)
    settled = (curve.training >= ENOUGH) & (curve.test >= ENOUGH)
    result: TaskResult = {"target": target, "points": int(settled.sum())}
    result["point"] = bool(_early(at_target.point, short, 0.5))
    for name, values, doubt in (
        ("beta", at_target.beta, here.beta),
        ("exact", at_target.exact, here.exact),
    ):
        result[f"early_{name}"] = [bool(_early(values, short, 1 - level)) for level in levels]
        result[f"covered_{name}"] = int((doubt[settled] >= 1 - CONFIDENCE).sum())
    return result


def _early(doubt: Floats, short: NDArray[np.bool_], tail: float) -> bool:
    crossed = np.flatnonzero(doubt < tail)
    return bool(crossed.size and short[crossed[0]])


def run_training(task: TrainingTask) -> TaskResult:
    """One learning curve, judged; the first run of a topic keeps the curve for the figure."""
    curve = learning_curve(task, load_corpus(task.path, task.seed))
    result = judge_curve(curve, task.levels)
    if task.repeat == 0:
        result["curve"] = {
            "training": curve.training.tolist(),
            "test": curve.test.tolist(),
            "counts": curve.counts.tolist(),
            "truth": curve.truth.tolist(),
        }
    return result
