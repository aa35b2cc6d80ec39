"""Words against social signals, thresholds that are lowered, and averages over several pairs.

Source: Bommannavar, Kolcz and Rajaraman (2014), sections 6.1.2, 6.1.3 and 8. Authors of tweets are
not at hand; hashtags, mentions and links are what the tweets themselves have of social signals.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assaymark.lab.experiments.pairs.corpora import SEEDS, features, read_documents, world_of
from assaymark.lab.experiments.pairs.worlds import PairWorld
from assaymark.lab.tasks import Task, TaskResult, rng_of
from assaymark.lab.worlds import Flags
from assaymark.learners.linear import fit, vectors
from assaymark.pool.duckdb import connect
from assaymark.pool.sources import quoted

TRAINING = 4000
FACTORS = (4.0, 2.0, 1.0, 0.5, 0.25, 0.1)  # of the threshold that is best for F1
SIGNAL = re.compile(r"https?://\S+|[@#]\w+")
HOST = re.compile(r"https?://([^/\s]+)")
LEAST = 20  # flagged by both, or the pair says nothing


def words_and_signals(text: str) -> tuple[str, str]:
    """The words of a tweet, and its hashtags, mentions and hosts as words of their own.

    >>> words_and_signals("Stay safe @red_cross #sandy http://t.co/x")
    ('Stay safe', 'at_red_cross tag_sandy host_t_co')
    """
    marks = {"@": "at_", "#": "tag_"}
    signals = []
    for part in SIGNAL.findall(text):
        host = HOST.match(part)
        signals.append(
            "host_" + re.sub(r"\W", "_", host.group(1)) if host else marks[part[0]] + part[1:]
        )
    return " ".join(SIGNAL.sub(" ", text).split()), " ".join(signals)


@dataclass(frozen=True, kw_only=True)
class ThresholdTask(Task):
    """Two learners on two views of one topic, with every threshold on one split."""

    shown = "{0.path.stem} {0.topic}, {0.view}, thresholds, split {0.split}"

    path: Path
    topic: str
    view: str
    split: int
    seed: int


def social_tasks(path: Path, seed: int, splits: int) -> list[ThresholdTask]:
    """Every event of the tweets: status and social signals."""
    return [
        ThresholdTask(path=path, topic=topic, view="social", split=split, seed=seed)
        for topic in SEEDS
        for split in range(splits)
    ]


def threshold_tasks(
    path: Path, topics: Sequence[str], seed: int, splits: int
) -> list[ThresholdTask]:
    """Two text columns of each topic."""
    return [
        ThresholdTask(path=path, topic=topic, view="columns", split=split, seed=seed)
        for topic in topics
        for split in range(splits)
    ]


@lru_cache(maxsize=1)
def _tweets(path: Path) -> tuple[Any, Any, NDArray[Any]]:
    connection = connect()
    try:
        rows = connection.execute(
            "SELECT text, CASE WHEN on_topic = 1 THEN event ELSE '' END "
            f"FROM read_parquet({quoted(str(path))}) ORDER BY tweet_id"
        ).fetchall()
    finally:
        connection.close()
    parts = [words_and_signals(row[0]) for row in rows]
    views = [vectors().fit_transform([part[k] for part in parts]) for k in (0, 1)]
    return views[0], views[1], np.array([row[1] for row in rows], dtype=object)


def _views(task: ThresholdTask) -> tuple[Any, Any, Flags]:
    if task.view == "social":
        first, second, events = _tweets(task.path)
        return first, second, np.asarray(events == task.topic, dtype=np.bool_)
    first, second = features(task.path, task.view)
    return first, second, read_documents(task.path).labels(task.topic)


def run_thresholds(task: ThresholdTask) -> TaskResult:
    """The pair at the usual thresholds and at multiples of them."""
    first, second, labels = _views(task)
    order = rng_of(task.seed, "thresholds", task.path.stem, str(task.split)).permutation(
        len(labels)
    )
    cut = min(TRAINING, round(0.3 * len(order)))
    known, rest = order[:cut], order[cut:]
    scored = []
    for side in (first, second):
        learner, threshold = fit(side[known], labels[known], folds=3)
        scored.append((learner.predict_proba(side[rest])[:, 1], threshold))
    rows = []
    for factor in FACTORS:
        flags = [scores >= factor * threshold for scores, threshold in scored]
        world = world_of(flags, labels[rest])
        if world.items["11"] >= LEAST and world.positives["11"] > 0:
            about = {"collection": task.path.stem, "topic": task.topic, "built": task.view}
            rows.append({**about, "split": task.split, "factor": factor, **_figures(world)})
    return {"rows": rows}


def _figures(world: PairWorld) -> dict[str, Any]:
    flagged = [world.items["11"] + world.items[cell] for cell in ("10", "01")]
    hits = [world.positives["11"] + world.positives[cell] for cell in ("10", "01")]
    return {
        "recall_a": world.recalls[0],
        "recall_b": world.recalls[1],
        "precision_a": hits[0] / flagged[0],
        "precision_b": hits[1] / flagged[1],
        "estimate_a": world.overlap[0],
        "estimate_b": world.overlap[1],
        "delta1": world.delta1,
        "prevalence": sum(world.positives.values()) / sum(world.items.values()),
    }


def averages(real: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Positives by each pair of a topic against the truth, and by their average (section 8).

    A pair counts the true number divided by δ1, whatever its classifiers.
    """
    groups: dict[tuple[str, str], dict[str, list[float]]] = {}
    for row in real:
        group = groups.setdefault((row["collection"], row["topic"]), {})
        group.setdefault(row["built"], []).append(1 / row["delta1"])
    averaged = []
    for (collection, topic), ways in groups.items():
        counts = [float(np.mean(values)) for values in ways.values()]
        errors = [abs(count - 1) for count in counts]
        averaged.append(
            {
                "collection": collection,
                "topic": topic,
                "pairs": len(counts),
                "mean_single": float(np.mean(errors)),
                "best_single": min(errors),
                "worst_single": max(errors),
                "averaged": abs(float(np.mean(counts)) - 1),
            }
        )
    return averaged


def headline(real: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """How many estimates lie within .10 of the recall, and within 15 % of it, by way of building."""
    lines = []
    for built in dict.fromkeys(row["built"] for row in real):
        members = [row for row in real if row["built"] == built]
        gaps = [
            (abs(row[f"estimate_{side}"] - row[f"recall_{side}"]), row[f"recall_{side}"])
            for row in members
            for side in ("a", "b")
        ]
        lines.append(
            {
                "built": built,
                "estimates": len(gaps),
                "within_0.10": float(np.mean([gap <= 0.10 for gap, _ in gaps])),
                "within_15_percent": float(np.mean([gap <= 0.15 * truth for gap, truth in gaps])),
                "median_error": float(np.median([gap for gap, _ in gaps])),
                "worst_error": max(gap for gap, _ in gaps),
            }
        )
    return lines
