"""Pools for the experiment on stratified estimation: real ones that the user brings, and made ones.

A pool here is one classifier's predictions on items whose labels are all known: how sure it is of
each prediction (a probability, or a margin), the predicted class, and whether it is right.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assaymark.estimation.stats.confidence_axis import BinnedItems, bin_items
from assaymark.lab.corpora import learning, load_corpus, read_collection, vendor_worlds
from assaymark.lab.worlds import Sketch, World, make_world

NEWS_TRAINING = 4_000
NEWS_HALF = 10  # of its twenty groups
SVM_TOPICS = ("cs.NI", "cs.GT", "cs.AR", "eess.IV")
SVM_TRAINING = 5_000
VENDOR = (("offensive", 0.5), ("offensive", 0.8), ("hate", 0.8))
MARGINS = "margins"
REUTERS_TRAINING = 400  # so that a random sample needs about as many labels as in the paper
REUTERS_TOPICS = ("earn", "acq")
NEWS_SVM = 600  # so that its accuracy is that of the paper's middle collection
# the same learner with less and less to learn from, for the dependence on true accuracy
ACCURACIES = {"all": 1.0, "a quarter": 0.25, "a sixteenth": 0.0625}


@dataclass(frozen=True, kw_only=True, eq=False)
class EstimationPool:
    """One classifier on one collection: confidence, predicted class and correctness of each item."""

    name: str
    z: NDArray[np.float64]
    group: NDArray[np.int64]
    correct: NDArray[np.bool_]
    share: bool
    real: bool

    @property
    def accuracy(self) -> float:
        """The truth that every run estimates."""
        return float(self.correct.mean())

    def binned(self) -> BinnedItems:
        """The pool on the axis of confidence."""
        return bin_items(self.z, self.group, share=self.share)


def of_world(world: World, *, real: bool) -> EstimationPool:
    """A world with probabilities as scores, as an estimation pool."""
    if world.scores is None:
        raise AssertionError("an estimation pool has scores")
    return EstimationPool(
        name=world.name,
        z=np.where(world.predicted, world.scores, 1 - world.scores),
        group=world.predicted.astype(np.int64),
        correct=world.labels == world.predicted,
        share=True,
        real=real,
    )


@lru_cache(maxsize=4)
def real_pools(path: Path, seed: int) -> tuple[EstimationPool, ...]:
    """The pools that a known collection gives; none from a collection without a recipe."""
    collection = read_collection(path)
    if collection.name == "davidson_perspective":
        wanted = {f"{collection.name} {topic} at {cut:g}" for topic, cut in VENDOR}
        worlds = vendor_worlds(collection, (0.5, 0.8))
        return tuple(of_world(world, real=True) for world in worlds if world.name in wanted)
    if collection.name == "newsgroups20":
        return (news_pool(path, seed, 1.0, "newsgroups20 halves"), _news_svm(path, seed))
    if collection.name == "reuters21578":
        return (_reuters_pool(path, seed),)
    if collection.name == "arxiv_cs":
        return tuple(_svm_pool(path, topic, seed) for topic in SVM_TOPICS)
    return ()


def news_pool(path: Path, seed: int, part: float, name: str) -> EstimationPool:
    """Ten newsgroups against the other ten: logistic regression on a part of 4,000 items."""
    corpus = load_corpus(path, seed)
    groups = sorted({str(topic) for topic in corpus.collection.topics})
    labels = np.isin(corpus.collection.topics, groups[:NEWS_HALF])
    order = np.random.default_rng(seed).permutation(len(labels))
    train, rest = order[:NEWS_TRAINING], np.sort(order[NEWS_TRAINING:])
    train = train[: max(50, round(part * NEWS_TRAINING))]
    linear: Any = learning("linear_model")
    learner = linear.LogisticRegression(solver="liblinear", dual=True, C=1.0, random_state=0)
    learner.fit(corpus.features[train], labels[train])
    scores = learner.predict_proba(corpus.features[rest])[:, 1].astype(np.float64)
    predicted = scores >= 0.5
    return of_world(
        World(name=name, labels=labels[rest], predicted=predicted, scores=scores), real=True
    )


def _news_svm(path: Path, seed: int) -> EstimationPool:
    """The same halves by a linear support vector machine with fewer items to learn from."""
    corpus = load_corpus(path, seed)
    groups = sorted({str(topic) for topic in corpus.collection.topics})
    labels = np.isin(corpus.collection.topics, groups[:NEWS_HALF])
    order = np.random.default_rng(seed).permutation(len(labels))
    rows = (order[:NEWS_SVM], np.sort(order[NEWS_TRAINING:]))
    return _margins(f"newsgroups20 halves ({MARGINS})", corpus.features, labels, *rows)


def _reuters_pool(path: Path, seed: int) -> EstimationPool:
    """Two large topics of newswire against all others: logistic regression on 400 items."""
    corpus = load_corpus(path, seed)
    labels = np.any([corpus.collection.labels(topic) for topic in REUTERS_TOPICS], axis=0)
    train = corpus.training[:REUTERS_TRAINING]
    linear: Any = learning("linear_model")
    learner = linear.LogisticRegression(solver="liblinear", dual=True, C=1.0, random_state=0)
    learner.fit(corpus.features[train], labels[train])
    scores = learner.predict_proba(corpus.features[corpus.truth])[:, 1].astype(np.float64)
    world = World(
        name=f"reuters21578 {' or '.join(REUTERS_TOPICS)}",
        labels=labels[corpus.truth],
        predicted=scores >= 0.5,
        scores=scores,
    )
    return of_world(world, real=True)


def _svm_pool(path: Path, topic: str, seed: int) -> EstimationPool:
    """A linear support vector machine: its scores are margins, not probabilities."""
    corpus = load_corpus(path, seed)
    labels = corpus.collection.labels(topic)
    name = f"{corpus.collection.name} {topic} ({MARGINS})"
    train = corpus.training[:SVM_TRAINING]
    return _margins(name, corpus.features, labels, train, corpus.truth)


def _margins(
    name: str, features: Any, labels: NDArray[np.bool_], train: Any, rest: Any
) -> EstimationPool:
    svm: Any = learning("svm")
    learner = svm.LinearSVC(C=1.0, random_state=0)
    learner.fit(features[train], labels[train])
    margin = learner.decision_function(features[rest]).astype(np.float64)
    return EstimationPool(
        name=name,
        z=np.abs(margin),
        group=(margin > 0).astype(np.int64),
        correct=(margin > 0) == labels[rest],
        share=False,
        real=True,
    )


def made_pools(rng: np.random.Generator) -> tuple[EstimationPool, ...]:
    """Synthetic and adversarial pools: honest, over-confident, upside down, tied, spiked, useless."""
    sketches = (
        Sketch(items=20_000, prevalence=0.2, f1=0.8, quality=2.0),
        Sketch(items=20_000, prevalence=0.05, f1=0.7, quality=2.0),
        Sketch(items=20_000, prevalence=0.2, f1=0.8, calibration="over-confident"),
        Sketch(items=20_000, prevalence=0.2, f1=0.8, trap="upside down"),
        Sketch(items=20_000, prevalence=0.2, f1=0.8, ties=True),
        Sketch(items=20_000, prevalence=0.2, f1=0.8, quality=0.0),
    )
    pools = [of_world(make_world(sketch, rng), real=False) for sketch in sketches]
    return (*pools, _spiked(rng), _hidden(rng))


def _spiked(rng: np.random.Generator) -> EstimationPool:
    """Seven items in ten have a score of exactly 0 or 1; one in a hundred of them is wrong."""
    items = 20_000
    z = np.where(rng.random(items) < 0.7, 1.0, 0.5 + 0.5 * rng.random(items))
    wrong = rng.random(items) < np.where(z == 1.0, 0.01, 1 - z)
    group = (rng.random(items) < 0.3).astype(np.int64)
    return EstimationPool(
        name="spikes at 0 and 1", z=z, group=group, correct=~wrong, share=True, real=False
    )


def _hidden(rng: np.random.Generator) -> EstimationPool:
    """All errors lie where the classifier is surest: scores that mislead as much as they can."""
    items = 20_000
    z = 0.5 + 0.5 * np.sqrt(rng.random(items))
    wrong = (z > np.quantile(z, 0.9)) & (rng.random(items) < 0.3)
    group = (rng.random(items) < 0.3).astype(np.int64)
    return EstimationPool(
        name="errors where it is surest", z=z, group=group, correct=~wrong, share=True, real=False
    )
