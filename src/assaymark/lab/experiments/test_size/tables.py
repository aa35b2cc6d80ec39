"""Contingency tables to plan tests for: made to order, or of classifiers trained on a collection.

Bagdouri et al. (2013) took theirs from learning curves on Reuters newswire: 29 topics held by 3.1
to 47.4 % of the items, training sets that grow by 20 up to 10,000. A table there has as many items
as were trained on, so that is the size of a pilot here too; the paper does not say it.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from assaymark.claims.ratio_metrics import metric
from assaymark.errors import InputError
from assaymark.lab.corpora import FOLDS, Corpus, frequent_topics, load_corpus, trained_world
from assaymark.lab.tasks import rng_of

STEP = 20
SMALLEST, LARGEST = 500, 10_000
PREVALENCES = (0.031, 0.474)
BEST = 0.95
LEAST = 0.4
UNEVEN = 0.3  # how far apart precision and recall may be: 1/precision = (1 ± this)/F1
TOPICS = 29


@dataclass(frozen=True, kw_only=True)
class TableSketch:
    """A table to be made, by its number; of a collection if there is a path."""

    number: int
    seed: int
    path: Path | None = None

    @property
    def name(self) -> str:
        """What tells this table from others."""
        return f"table {self.number}" + (f" of {self.path.name}" if self.path else "")


@dataclass(frozen=True, kw_only=True)
class Population:
    """A table taken as an endless population: its shares of tp, fp, fn, tn, and a pilot's size."""

    name: str
    where: str
    shares: tuple[float, float, float, float]
    pilot: int

    @property
    def f1(self) -> float:
        """The true F1."""
        value = metric("f1").value(self.shares)
        if not value:
            raise AssertionError("a population to plan for has hits")
        return value


def make_population(sketch: TableSketch) -> Population:
    """The population of a sketch."""
    rng = rng_of(sketch.seed, "contingency table", sketch.name)
    if sketch.path is None:
        return _made(rng)
    return _trained(load_corpus(sketch.path, sketch.seed), rng)


def _made(rng: np.random.Generator) -> Population:
    low, high = np.log(PREVALENCES)
    prevalence = float(np.exp(rng.uniform(low, high)))
    # predicting everything positive already has this F1; nobody keeps a classifier below it
    f1 = float(rng.uniform(max(LEAST, 2 * prevalence / (1 + prevalence)), BEST))
    uneven = float(rng.uniform(-1, 1)) * min(UNEVEN, 0.9 * (1 - f1))
    shares = _shares(prevalence, f1, uneven)
    if shares[3] <= 0:
        shares = _shares(prevalence, f1, 0.0)
    return Population(
        name=f"prevalence {prevalence:.3f}, F1 {f1:.2f}",
        where="made",
        shares=shares,
        pilot=_size(rng, LARGEST),
    )


def _shares(prevalence: float, f1: float, uneven: float) -> tuple[float, float, float, float]:
    precision, recall = f1 / (1 + uneven), f1 / (1 - uneven)
    tp = prevalence * recall
    fp, fn = tp / precision - tp, prevalence - tp
    return tp, fp, fn, 1 - tp - fp - fn


def _size(rng: np.random.Generator, most: int) -> int:
    return STEP * int(rng.integers(SMALLEST // STEP, min(LARGEST, most) // STEP + 1))


def _trained(corpus: Corpus, rng: np.random.Generator) -> Population:
    """A random topic and a random training size; drawn again where too little could be learnt."""
    topics = frequent_topics(corpus.collection, count=TOPICS)
    if not topics or len(corpus.training) < SMALLEST:
        raise InputError(
            f"{corpus.collection.name} has {len(topics)} topics of at least 1 % and "
            f"{len(corpus.training)} items to train on; this experiment needs one topic and "
            f"{SMALLEST} items."
        )
    for _ in range(100):
        topic, size = str(rng.choice(topics)), _size(rng, len(corpus.training))
        if corpus.collection.labels(topic)[corpus.training].mean() * size < 4 * FOLDS:
            continue
        world = trained_world(corpus, topic, rng, training=size)
        tp, fp, fn, tn = (count / world.items for count in world.cells)
        if tp > 0:
            name = f"{world.name}, {size:,} trained on"
            shares = (tp, fp, fn, tn)
            return Population(name=name, where=corpus.collection.name, shares=shares, pilot=size)
    raise InputError(
        f"No classifier for a topic of {corpus.collection.name} found anything in 100 attempts. "
        "Bring a larger collection."
    )
