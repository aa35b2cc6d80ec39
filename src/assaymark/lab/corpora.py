"""Real collections that the user brings as parquet files, and text classifiers trained on them.

Which collection a file is, is recognised by its columns; nothing is ever downloaded.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assaymark.errors import InputError
from assaymark.lab.outcome import extra
from assaymark.lab.worlds import Flags, Floats, World
from assaymark.learners.linear import best_threshold
from assaymark.pool.duckdb import connect
from assaymark.pool.sources import quoted

TRAINING = 5_000
TRUTH_SHARE = 0.7  # of a collection is the population; classifiers are trained on the rest
FOLDS = 5
# arXiv categories that are assigned mostly as second ones, or twice under two names.
CROSS_LISTED = frozenset(
    {"cs.LG", "cs.AI", "cs.CL", "cs.CV", "stat.ML", "math.IT", "stat.TH", "eess.SY", "cs.NA"}
)


@dataclass(frozen=True, kw_only=True)
class Kind:
    """How a known collection is read: the columns that give it away, its text and its topics."""

    name: str
    columns: frozenset[str]
    text: str
    topics: str
    where: str = "true"
    score: str | None = None


KINDS = (
    Kind(
        name="arxiv_cs",
        columns=frozenset({"title", "abstract", "categories"}),
        text="title || ' ' || abstract",
        topics="categories",
    ),
    Kind(
        name="reuters21578",
        columns=frozenset({"title", "body", "topics", "topics_attr"}),
        text="coalesce(title, '') || ' ' || coalesce(body, '')",
        topics="coalesce(topics, '')",
        where="topics_attr = 'YES'",  # the others may have topics that nobody wrote down
    ),
    Kind(
        name="davidson_perspective",
        columns=frozenset({"text", "class", "perspective_toxicity"}),
        text="text",
        topics="CASE class WHEN 0 THEN 'hate;offensive' WHEN 1 THEN 'offensive' ELSE '' END",
        where="perspective_toxicity IS NOT NULL",
        score="perspective_toxicity",
    ),
    Kind(
        name="spamassassin",
        columns=frozenset({"subject", "body", "is_spam"}),
        text="coalesce(subject, '') || ' ' || coalesce(body, '')",
        topics="CASE WHEN is_spam THEN 'spam' ELSE '' END",
    ),
    Kind(
        name="goemotions",
        columns=frozenset({"text", "labels", "split"}),
        text="text",
        topics="coalesce(labels, '')",
    ),
    Kind(
        name="crisislex_t6",
        columns=frozenset({"tweet_id", "text", "event", "on_topic"}),
        text="text",
        topics="CASE WHEN on_topic THEN 'on-topic' ELSE '' END",
    ),
    Kind(
        name="newsgroups20",
        columns=frozenset({"label", "text", "split"}),
        text="text",
        topics="label",
    ),
)


def kind_named(name: str) -> Kind:
    """The known collection of this name."""
    return next(kind for kind in KINDS if kind.name == name)


@dataclass(frozen=True, kw_only=True, eq=False)
class Collection:
    """Texts with their topics; scores where a vendor gave some."""

    name: str
    texts: NDArray[Any]
    topics: NDArray[Any]
    scores: Floats | None

    def labels(self, topic: str) -> Flags:
        """Which items have the topic."""
        return np.array([topic in topics.split(";") for topics in self.topics], dtype=np.bool_)

    def shares(self) -> dict[str, float]:
        """The share of items of every topic, the most frequent first."""
        names, counts = np.unique(
            [name for topics in self.topics for name in topics.split(";") if name],
            return_counts=True,
        )
        order = np.argsort(-counts, kind="stable")
        return {str(names[i]): float(counts[i]) / len(self.topics) for i in order}


def columns_in(path: Path) -> set[str]:
    """The names of a parquet file's columns."""
    if not path.is_file():
        raise InputError(f"There is no file {str(path)!r}. Give --data a parquet file.")
    return {str(row[0]) for row in _rows(f"DESCRIBE FROM {_source(path)}")}


def select(path: Path, values: str, where: str = "true") -> list[tuple[Any, ...]]:
    """These values of the file's rows, in their order."""
    return _rows(f"SELECT {values} FROM {_source(path)} WHERE {where}")


def _source(path: Path) -> str:
    return f"read_parquet({quoted(str(path))})"


def _rows(query: str) -> list[tuple[Any, ...]]:
    connection = connect()
    try:
        connection.execute("SET preserve_insertion_order = true")
        return connection.execute(query).fetchall()
    finally:
        connection.close()


@lru_cache(maxsize=4)
def read_collection(path: Path) -> Collection:
    """The collection in a parquet file. Refused where the columns are not those of a known one."""
    kind = _kind(path, columns_in(path))
    score = f", {kind.score}" if kind.score else ""
    rows = select(path, f"{kind.text}, {kind.topics}{score}", kind.where)
    scores = np.array([row[2] for row in rows], dtype=np.float64) if kind.score else None
    return Collection(
        name=kind.name,
        texts=np.array([row[0] for row in rows], dtype=object),
        topics=np.array([row[1] for row in rows], dtype=object),
        scores=scores,
    )


def _kind(path: Path, columns: set[str]) -> Kind:
    for kind in KINDS:
        if kind.columns <= columns:
            return kind
    known = "; ".join(f"{kind.name}: {', '.join(sorted(kind.columns))}" for kind in KINDS)
    raise InputError(
        f"{path.name!r} is not a collection the lab knows: its columns are "
        f"{', '.join(sorted(columns))}. Known collections and their columns: {known}."
    )


def frequent_topics(collection: Collection, *, count: int, least: float = 0.01) -> tuple[str, ...]:
    """The most frequent topics that hold at least this share of the items, and at most half."""
    names = [
        name
        for name, share in collection.shares().items()
        if least <= share <= 0.5 and name not in CROSS_LISTED
    ]
    return tuple(names[:count])


@dataclass(frozen=True, kw_only=True, eq=False)
class Corpus:
    """A collection with TF-IDF features, split into a population and what may be trained on."""

    collection: Collection
    features: Any
    truth: NDArray[np.int64]
    training: NDArray[np.int64]


@lru_cache(maxsize=2)
def load_corpus(path: Path, seed: int) -> Corpus:
    """The collection, its features and its split; read once per process."""
    collection = read_collection(path)
    order = np.random.default_rng(seed).permutation(len(collection.texts))
    cut = round(TRUTH_SHARE * len(order))
    return Corpus(
        collection=collection,
        features=_features(collection.texts),
        truth=np.sort(order[:cut]),
        training=order[cut:],
    )


def _features(texts: NDArray[Any]) -> Any:
    # weights of words come from all texts, as in the paper; they do not see labels
    text = learning("feature_extraction.text")
    return text.TfidfVectorizer(
        min_df=10, max_df=0.3, sublinear_tf=True, max_features=20_000, dtype=np.float32
    ).fit_transform(texts)


def learning(module: str) -> Any:
    """A module of scikit-learn."""
    return extra(f"sklearn.{module}", to="train classifiers")


def balanced_learner() -> Any:
    """Logistic regression that weighs both classes equally, so that it finds rare ones early."""
    linear = learning("linear_model")
    return linear.LogisticRegression(
        solver="liblinear", dual=True, class_weight="balanced", C=10.0, tol=0.05, random_state=0
    )


def trained_world(
    corpus: Corpus, topic: str, rng: np.random.Generator, *, training: int = TRAINING
) -> World:
    """The population as a classifier sees it that was trained on this many random other items.

    The threshold is the best for F1 on out-of-fold scores of the training items.
    """
    selection = learning("model_selection")
    linear = learning("linear_model")
    labels = corpus.collection.labels(topic)
    size = min(training, len(corpus.training))
    chosen = rng.choice(corpus.training, size=size, replace=False)
    learner = linear.LogisticRegression(solver="liblinear", dual=True, C=10.0, random_state=0)
    known, targets = corpus.features[chosen], labels[chosen]
    folds = selection.StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    honest = selection.cross_val_predict(learner, known, targets, cv=folds, method="predict_proba")
    threshold = best_threshold(honest[:, 1], targets)
    learner.fit(known, targets)
    scores = learner.predict_proba(corpus.features[corpus.truth])[:, 1].astype(np.float64)
    return World(
        name=f"{corpus.collection.name} {topic}",
        labels=labels[corpus.truth],
        predicted=scores >= threshold,
        scores=scores,
    )


def vendor_worlds(collection: Collection, thresholds: tuple[float, ...]) -> tuple[World, ...]:
    """The population as a vendor's scores see it, for every topic and threshold."""
    if collection.scores is None:
        return ()
    return tuple(
        World(
            name=f"{collection.name} {topic} at {threshold:g}",
            labels=collection.labels(topic),
            predicted=collection.scores >= threshold,
            scores=collection.scores,
        )
        for topic in collection.shares()
        for threshold in thresholds
    )
