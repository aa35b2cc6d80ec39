"""Learning curves for the experiment `policies`: one classifier that grows, looked at again and again.

The population is the part of the collection that training never draws from, so active training
does not drain it. A run keeps what a policy may see at each look and, beside it, the truth.
"""

import math
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assaymark.claims.claim import Counts
from assaymark.claims.ratio_metrics import parse_claim
from assaymark.lab.corpora import TRUTH_SHARE, Collection, read_collection
from assaymark.lab.tasks import Task, TaskResult, rng_of
from assaymark.lab.texts import made_collection
from assaymark.learners.active_selection import next_rows, sampled
from assaymark.learners.cross_validation import Study, TooFewLabelsError, study
from assaymark.learners.documents import LinearDocuments
from assaymark.learners.features import Features, Ints, has_features, open_features, vectorise
from assaymark.records.training import Band, TrainingLook

Flags = NDArray[np.bool_]
FIRST = 40
STEP = 20
GROWTH = 1.1
CHUNK = 5_000
# F1 is made as high as possible whatever the target, so targets can be set when all is known.
CLAIM = parse_claim("f1 >= 0.5")
MADE = Path("made")


@dataclass(frozen=True, kw_only=True)
class GrowthTask(Task):
    """One run on one topic up to `most` labels; `every` looks after each 20 labels."""

    shown = "{0.topic}, {0.sampling}, run {0.repeat}"

    path: Path
    topic: str
    repeat: int
    seed: int
    sampling: str
    most: int
    every: bool
    features: Path = field(repr=False)

    def sizes(self, available: int) -> list[int]:
        """Training labels at each look."""
        most = min(self.most, available)
        if self.every:
            return list(range(FIRST, most + 1, STEP))
        steps = int(math.log(most / FIRST) / math.log(GROWTH)) + 1
        return sorted({round(FIRST * GROWTH**k) for k in range(steps)})


@dataclass(frozen=True, kw_only=True)
class Sight:
    """One look with the truth beside it: confusion cells, and positives in each band."""

    look: TrainingLook
    truth: Counts
    positives: tuple[int, ...]

    @property
    def f1(self) -> float:
        """The true F1 of the classifier in the population."""
        tp, fp, fn, _ = self.truth.cells
        return 2 * tp / max(1, 2 * tp + fp + fn)

    @property
    def cross_validated(self) -> float:
        """F1 as cross-validation has it."""
        tp, fp, fn, _ = self.look.counts.cells
        return 2 * tp / max(1, 2 * tp + fp + fn)


def collection_at(path: Path, seed: int) -> Collection:
    """The collection in the file, or the made one."""
    return made_collection(seed) if path == MADE else read_collection(path)


def make_features(path: Path, folder: Path, seed: int) -> None:
    """The features of a collection, made once and shared by all runs."""
    texts = collection_at(path, seed).texts
    if has_features(folder, items=len(texts)):
        return
    starts = range(0, len(texts), CHUNK)
    batches = (
        ([str(k) for k in range(s, min(s + CHUNK, len(texts)))], list(texts[s : s + CHUNK]))
        for s in starts
    )
    vectorise(batches, folder, items=len(texts))


@lru_cache(maxsize=2)
def _opened(folder: Path) -> Features:
    return open_features(folder)


def grow(task: GrowthTask) -> TaskResult:
    """The looks of one run, as plain lists."""
    features = _opened(task.features)
    labels = collection_at(task.path, task.seed).labels(task.topic)
    population = np.zeros(len(labels), dtype=np.bool_)
    order = np.random.default_rng(task.seed).permutation(len(labels))
    population[order[: round(TRUTH_SHARE * len(order))]] = True
    rng = rng_of(task.seed, "growth", task.path.name, task.topic, str(task.repeat))
    queue = rng.permutation(np.flatnonzero(~population))
    run = _Run(
        documents=LinearDocuments(features=features),
        labels=labels,
        population=population,
        queue=queue,
    )
    for size in task.sizes(len(queue)):
        run.add(size, task.sampling)
        run.look()
    return {"sights": run.sights}


@dataclass(kw_only=True, eq=False)
class _Run:
    documents: LinearDocuments
    labels: Flags
    population: Flags
    queue: Ints
    rows: list[int] = field(default_factory=list)
    random: list[bool] = field(default_factory=list)
    sights: list[TaskResult] = field(default_factory=list)
    last: Study | None = None

    def add(self, size: int, sampling: str) -> None:
        taken = self.population.copy()
        taken[self.rows] = True
        chosen = next_rows(
            self.queue,
            taken,
            number=size - len(self.rows),
            sampling=sampling,
            scores=self.last.scores if self.last else None,
            threshold=self.last.look.threshold if self.last else 0.5,
        )
        self.rows += [one.row for one in chosen]
        self.random += [one.random for one in chosen]

    def look(self) -> None:
        rows = np.array(self.rows, dtype=np.int64)
        try:
            self.last = study(
                self.documents,
                rows,
                self.labels[rows],
                sampled(self.queue, rows, np.array(self.random)),
                CLAIM,
                pool=self.population,
            )
        except TooFewLabelsError:
            return
        self.sights.append(_sight(self.last, self.labels[self.population], self.population))


def _sight(study: Study, truth: Flags, population: Flags) -> TaskResult:
    look, scores = study.look, study.scores[population]
    flagged = scores >= look.threshold
    tp = int((flagged & truth).sum())
    fp, fn = int(flagged.sum()) - tp, int(truth.sum()) - tp
    ordered = truth[np.lexsort((scores, flagged))]  # the order in which bands follow each other
    ends = np.cumsum([band.items for band in look.bands])
    hits = np.diff(np.concatenate([[0], np.cumsum(ordered)[ends - 1]]))
    return {
        "labels": look.labels,
        "random": look.random,
        "positives": look.positives,
        "counts": list(look.counts.cells),
        "threshold": look.threshold,
        "bands": [[b.predicted, b.items, b.expected, int(h)] for b, h in zip(look.bands, hits, strict=True)],
        "truth": [tp, fp, fn, len(truth) - tp - fp - fn],
    }  # fmt: skip


def sights_of(result: TaskResult) -> tuple[Sight, ...]:
    """The looks of a run that was kept."""
    return tuple(_read(one) for one in result["sights"])


def _read(one: TaskResult) -> Sight:
    cells = ("tp", "fp", "fn", "tn")
    bands = tuple(
        Band(predicted=predicted, items=items, expected=expected)
        for predicted, items, expected, _ in one["bands"]
    )
    look = TrainingLook(
        labels=one["labels"],
        random=one["random"],
        positives=one["positives"],
        counts=Counts(**dict(zip(cells, one["counts"], strict=True))),
        bands=bands,
        threshold=one["threshold"],
    )
    return Sight(
        look=look,
        truth=Counts(**dict(zip(cells, one["truth"], strict=True))),
        positives=tuple(band[3] for band in one["bands"]),
    )
