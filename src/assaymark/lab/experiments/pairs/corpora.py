"""Pairs of classifiers on real collections whose labels are all known."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assaymark.errors import InputError
from assaymark.lab.corpora import Kind, columns_in, kind_named, select
from assaymark.lab.experiments.pairs.worlds import PairWorld
from assaymark.lab.tasks import Task, TaskResult, rng_of
from assaymark.lab.worlds import Flags
from assaymark.learners.linear import fit, vectors
from assaymark.pair_recall.keyword_filters import find_neighbours, match_sql, read_terms, terms_sql
from assaymark.pair_recall.overlap import CellSample
from assaymark.pair_recall.stats.allocation import allocate
from assaymark.pair_recall.stats.capture_recapture import recall_from_pair
from assaymark.pair_recall.two_views import by_halves, by_vocabulary
from assaymark.pool import open_pool
from assaymark.pool.sources import quoted
from assaymark.records.pool import Columns

TRAINING = 4000
MOST = 40_000  # items of a collection that are used, a random part of a larger one
SAMPLES = 200  # labelled samples per pair
LABELS = 1000


@dataclass(frozen=True, kw_only=True)
class PairSource:
    """A collection with two text columns, and topics from frequent to rare."""

    kind: Kind
    first: str
    second: str
    chosen: tuple[str, ...]


SOURCES = (
    PairSource(kind=kind_named("spamassassin"), first="subject", second="body", chosen=("spam",)),
    PairSource(
        kind=kind_named("reuters21578"),
        first="title",
        second="body",
        chosen=("acq", "money-fx", "crude", "grain", "trade", "interest"),
    ),
    PairSource(
        kind=kind_named("arxiv_cs"),
        first="title",
        second="abstract",
        chosen=("cs.NI", "cs.SY", "cs.GT", "cs.DS", "cs.CR", "eess.IV", "cs.SC"),  # the last: 0.8 %
    ),
)
SEEDS = {
    "2012_Sandy_Hurricane": ("sandy", "#sandy"),
    "2013_Alberta_Floods": ("calgary", "#calgary", "alberta", "#alberta"),
    "2013_Boston_Bombings": ("boston", "#boston"),
    "2013_Oklahoma_Tornado": ("oklahoma", "#oklahoma"),
    "2013_Queensland_Floods": ("queensland", "#queensland"),
    "2013_West_Texas_Explosion": ("texas", "#texas"),
}
TWEETS = kind_named("crisislex_t6").columns
VIEWS = ("columns", "vocabulary", "halves", "words and characters")
SCORES = ("jaccard", "tversky", "overlap", "pmi")


@dataclass(frozen=True, kw_only=True, eq=False)
class Documents:
    """Texts in two columns with their topics."""

    source: PairSource
    first: NDArray[Any]
    second: NDArray[Any]
    topics: NDArray[Any]

    def labels(self, topic: str) -> Flags:
        """Which items have the topic."""
        return np.array([topic in topics.split(";") for topics in self.topics], dtype=np.bool_)


def recognised(path: Path) -> PairSource | str:
    """The collection in a file: one with two text columns, or "tweets"."""
    columns = columns_in(path)
    if columns >= TWEETS:
        return "tweets"
    for source in SOURCES:
        if source.kind.columns <= columns:
            return source
    known = "; ".join(f"{s.kind.name}: {', '.join(sorted(s.kind.columns))}" for s in SOURCES)
    raise InputError(
        f"{path.name!r} is not a collection that `pairs` knows: its columns are "
        f"{', '.join(sorted(columns))}. Known ones: {known}; crisislex_t6: {', '.join(sorted(TWEETS))}."
    )


@lru_cache(maxsize=1)
def read_documents(path: Path) -> Documents:
    """The texts and topics of a collection with two text columns."""
    source = recognised(path)
    if isinstance(source, str):
        raise InputError(f"{path.name!r} has one text column only.")
    texts = f"coalesce({source.first}, ''), coalesce({source.second}, '')"
    rows = select(path, f"{texts}, {source.kind.topics}", source.kind.where)
    if len(rows) > MOST:
        chosen = np.sort(
            rng_of(42, "part", source.kind.name).choice(len(rows), MOST, replace=False)
        )
        rows = [rows[i] for i in chosen]
    columns = [np.array([row[k] for row in rows], dtype=object) for k in range(3)]
    return Documents(source=source, first=columns[0], second=columns[1], topics=columns[2])


@lru_cache(maxsize=2)
def features(path: Path, view: str) -> tuple[Any, Any]:
    """TF-IDF of both views of every item. Weights come from all texts; they do not see labels."""
    documents = read_documents(path)
    if view == "columns":
        pairs = [documents.first, documents.second]
    else:
        joined = [f"{a} {b}" for a, b in zip(documents.first, documents.second, strict=True)]
        if view == "words and characters":
            return vectors().fit_transform(joined), vectors(4).fit_transform(joined)
        cut = by_vocabulary if view == "vocabulary" else by_halves
        views = [cut([text]) for text in joined]
        pairs = [np.array([v[k] for v in views], dtype=object) for k in (0, 1)]
    return vectors().fit_transform(pairs[0]), vectors().fit_transform(pairs[1])


def world_of(flags: Sequence[Flags], labels: Flags) -> PairWorld:
    """The cells of two classifiers, with the truth."""
    inside = {
        f"{a}{b}": (flags[0] == bool(a)) & (flags[1] == bool(b)) for a in (1, 0) for b in (1, 0)
    }
    return PairWorld(
        positives={name: int((mask & labels).sum()) for name, mask in inside.items()},
        items={name: int(mask.sum()) for name, mask in inside.items()},
    )


@dataclass(frozen=True, kw_only=True)
class LearnedTask(Task):
    """Two learners on two views of one topic, on one random split into training and population."""

    shown = "{0.path.stem} {0.topic}, {0.view}, split {0.split}"

    path: Path
    topic: str
    view: str
    split: int
    seed: int


def run_learned(task: LearnedTask) -> TaskResult:
    """Train on up to 4,000 items, apply to all others, compare with the truth."""
    documents = read_documents(task.path)
    views = features(task.path, task.view)
    labels = documents.labels(task.topic)
    order = rng_of(task.seed, "split", task.path.stem, str(task.split)).permutation(len(labels))
    cut = min(TRAINING, round(0.3 * len(order)))
    known, rest = order[:cut], order[cut:]
    flags = []
    for view in views:
        learner, threshold = fit(view[known], labels[known], folds=3)
        flags.append(learner.predict_proba(view[rest])[:, 1] >= threshold)
    world = world_of(flags, labels[rest])
    return {
        "pair": _described(
            world,
            collection=documents.source.kind.name,
            topic=task.topic,
            built=task.view,
            task=task,
        )
    }


@dataclass(frozen=True, kw_only=True)
class KeywordTask(Task):
    """Seed terms and their neighbours for one event among tweets of six events."""

    shown = "{0.topic}, neighbours by {0.view}"

    path: Path
    topic: str
    view: str
    split: int = 0
    seed: int = 42
    top: int = 30


def run_keywords(task: KeywordTask) -> TaskResult:
    """Find the neighbours in the engine and count the cells against the truth."""
    pool = open_pool(str(task.path), Columns(id="tweet_id", text=("text",)))
    try:
        seeds = read_terms(pool, SEEDS[task.topic])
        near = find_neighbours(pool, 1, seeds, score=task.view, top=task.top)
        a = match_sql("terms", seeds)
        b = match_sql("terms", [[n.term] for n in near])
        rows = pool.select(
            f"WITH t AS (SELECT {terms_sql('text')} AS terms, "
            f"(on_topic = 1 AND event = {quoted(task.topic)}) AS label FROM everything) "
            f"SELECT CAST({a} AS INTEGER), CAST({b} AS INTEGER), count(*), "
            "count(*) FILTER (WHERE label) FROM t GROUP BY ALL"
        )
    finally:
        pool.close()
    items = {f"{x}{y}": 0 for x in (1, 0) for y in (1, 0)}
    positives = dict(items)
    for x, y, n, k in rows:
        items[f"{x}{y}"], positives[f"{x}{y}"] = int(n), int(k)
    world = PairWorld(positives=positives, items=items)
    return {
        "pair": _described(
            world, collection="crisislex_t6", topic=task.topic, built=task.view, task=task
        )
    }


def _described(
    world: PairWorld, *, collection: str, topic: str, built: str, task: Any
) -> dict[str, Any]:
    """The truth beside the estimate with all labels, and how often a sample of labels covers."""
    recalls, overlap = world.recalls, world.overlap
    row = {
        "collection": collection,
        "topic": topic,
        "built": built,
        "split": task.split,
        "prevalence": sum(world.positives.values()) / sum(world.items.values()),
        "recall_a": recalls[0],
        "recall_b": recalls[1],
        "estimate_a": overlap[0],
        "estimate_b": overlap[1],
        "delta1": world.delta1,
        "delta2": world.delta2,
    }
    return row | _sampled(world, rng_of(task.seed, "labels", task.name))


def _sampled(world: PairWorld, rng: np.random.Generator) -> dict[str, Any]:
    cells = {name: CellSample(items=world.items[name]) for name in ("11", "10", "01")}
    labels = allocate(cells, LABELS)
    hits, errors, runs = np.zeros(2), 0.0, 0
    for _ in range(SAMPLES):
        try:
            recall = recall_from_pair(world.sample(labels, rng)).recalls[0]
        except InputError:
            continue
        runs += 1
        hits += (
            recall.low <= world.overlap[0] <= recall.high,
            recall.band_low <= world.recalls[0] <= recall.band_high,
        )
        errors += (recall.recall - world.recalls[0]) ** 2
    if not runs:
        return {"samples": 0, "interval": None, "band": None, "rmse": None}
    return {
        "samples": runs,
        "interval": float(hits[0] / runs),
        "band": float(hits[1] / runs),
        "rmse": float(np.sqrt(errors / runs)),
    }


def tasks_of(path: Path, seed: int, splits: int) -> list[LearnedTask | KeywordTask]:
    """Every pair that can be built on a collection: all views once, two columns on every split."""
    source = recognised(path)
    if isinstance(source, str):
        return [KeywordTask(path=path, topic=t, view=s, seed=seed) for s in SCORES for t in SEEDS]
    return [
        LearnedTask(path=path, topic=topic, view=view, split=split, seed=seed)
        for view in VIEWS
        for topic in source.chosen
        for split in range(splits if view == "columns" else 1)
    ]


def run_pair(task: LearnedTask | KeywordTask) -> TaskResult:
    """One pair on a real collection."""
    return run_keywords(task) if isinstance(task, KeywordTask) else run_learned(task)
