"""Scored populations for triage: sketched ones, a vendor's scores, and the diffusion machine's."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assaymark.lab.corpora import read_collection
from assaymark.lab.experiments.triage.diffusion import train_machine
from assaymark.lab.tasks import rng_of
from assaymark.stats.labelled_scores import Labelled

ITEMS = 40_000
CALIBRATION = 300


@dataclass(frozen=True, kw_only=True, eq=False)
class TriageWorld:
    """A population with all labels known, and other labelled scores to calibrate with."""

    name: str
    target: float
    population: Labelled
    training: Labelled
    binary: float


@dataclass(frozen=True, kw_only=True)
class TriageSketch:
    """A world to make: two normal score distributions this far apart, or a collection's."""

    name: str
    target: float = 0.9
    distance: float | None = None
    prevalence: float = 0.4
    bent: bool = False
    path: Path | None = None
    topic: str = ""
    trained_on: int = 0


SKETCHES = (
    TriageSketch(name="two bells, easy", distance=2.0),
    TriageSketch(name="two bells, hard", distance=1.2),
    TriageSketch(name="two bells, rare", distance=2.5, prevalence=0.08, target=0.97),
    TriageSketch(name="bent scores with ties", distance=2.0, bent=True),
)


def sketches_of(path: Path) -> tuple[TriageSketch, ...]:
    """The worlds of a collection."""
    name = read_collection(path).name
    if name == "spamassassin":
        return tuple(
            TriageSketch(
                name=f"spam, {size} training mails", path=path, topic="spam", trained_on=size,
                target=target,
            )
            for size, target in ((40, 0.9), (1000, 0.98))
        )  # fmt: skip
    if name == "davidson_perspective":
        return (
            TriageSketch(name="offensive, vendor", path=path, topic="offensive", target=0.95),
            TriageSketch(name="hate, vendor", path=path, topic="hate", target=0.96),
        )
    return ()


def make(sketch: TriageSketch, seed: int) -> TriageWorld:
    """The world of a sketch."""
    rng = rng_of(seed, "triage world", sketch.name)
    if sketch.path is None:
        return _bells(sketch, rng)
    collection = read_collection(sketch.path)
    labels = collection.labels(sketch.topic)
    order = rng.permutation(len(labels))
    if collection.scores is not None:
        chosen, rest = order[:CALIBRATION], order[CALIBRATION:]
        scores = collection.scores
        return _world(sketch, scores[chosen], labels[chosen], scores[rest], labels[rest], cut=0.5)
    size = sketch.trained_on
    half = size // 2 if size < 2 * CALIBRATION else size - CALIBRATION
    train, held, rest = order[:half], order[half:size], order[size:]
    machine = train_machine(collection.texts[train], labels[train])
    return _world(
        sketch,
        machine.scores(collection.texts[held]),
        labels[held],
        machine.scores(collection.texts[rest]),
        labels[rest],
        cut=0.0,
    )


def _bells(sketch: TriageSketch, rng: np.random.Generator) -> TriageWorld:
    labels = rng.random(ITEMS + CALIBRATION) < sketch.prevalence
    half = (sketch.distance or 0.0) / 2
    scores = rng.normal(np.where(labels, half, -half), 1.0)
    cut = float(np.log((1 - sketch.prevalence) / sketch.prevalence) / (2 * half))
    if sketch.bent:
        # an over-confident classifier that rounds: many ties at both ends
        scores, cut = np.round(1 / (1 + np.exp(-3 * scores)), 2), 1 / (1 + np.exp(-3 * cut))
    first = slice(CALIBRATION)
    rest = slice(CALIBRATION, None)
    return _world(sketch, scores[first], labels[first], scores[rest], labels[rest], cut=cut)


def _world(
    sketch: TriageSketch,
    known: NDArray[Any],
    known_labels: NDArray[np.bool_],
    scores: NDArray[Any],
    labels: NDArray[np.bool_],
    *,
    cut: float,
) -> TriageWorld:
    return TriageWorld(
        name=sketch.name,
        target=sketch.target,
        population=Labelled(scores=np.asarray(scores, dtype=np.float64), labels=labels),
        training=Labelled(scores=np.asarray(known, dtype=np.float64), labels=known_labels),
        binary=float(((scores >= cut) == labels).mean()),
    )
