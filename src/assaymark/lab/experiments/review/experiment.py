"""The experiment: share read and runs below the target, for every rule, topic and target."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from assaymark.lab.corpora import Collection, frequent_topics, learning, read_collection
from assaymark.lab.experiments.review.readers import RULES
from assaymark.lab.outcome import Outcome
from assaymark.lab.tasks import Found, Order, rng_of, run_all
from assaymark.lab.texts import made_collection

MADE = Path("made")
ITEMS = 3_000  # of a collection, taken by chance unless it is run in full
TOPICS = 3
TARGETS = ("0.8", "0.95")


@dataclass(frozen=True, kw_only=True)
class ReviewTask:
    """One run of every rule on one topic with one target."""

    path: Path
    topic: str
    target: str
    run: int
    seed: int
    full: bool = False

    @property
    def name(self) -> str:
        """What to show while it runs."""
        return f"{self.path.stem} {self.topic} at {self.target}, run {self.run}"


@lru_cache(maxsize=2)
def _material(path: Path, seed: int, *, full: bool) -> tuple[Collection, Any]:
    """Part of a collection, or all of it, with its features."""
    whole = made_collection(seed) if path == MADE else read_collection(path)
    rng = rng_of(seed, "review", path.name)
    chosen = np.sort(rng.permutation(len(whole.texts))[: None if full else ITEMS])
    part = Collection(
        name=whole.name, texts=whole.texts[chosen], topics=whole.topics[chosen], scores=None
    )
    vectors = learning("feature_extraction.text").TfidfVectorizer(sublinear_tf=True, min_df=2)
    return part, vectors.fit_transform(part.texts)


def one_run(task: ReviewTask) -> Found:
    """What every rule read and reached in one run; all begin with the same seeds."""
    collection, features = _material(task.path, task.seed, full=task.full)
    truth = collection.labels(task.topic)
    found: Found = {"relevant": int(truth.sum()), "items": len(truth)}
    for name, rule in RULES.items():
        rng = rng_of(task.seed, "review", task.topic, task.target, str(task.run))
        end = rule(truth, features, Fraction(task.target), rng)
        found[name] = {"read": end.read, "recall": end.recall}
    return found


def review(order: Order) -> Outcome:
    """Certified end, peeking, QBCB, knee, fifty in a row and reading everything, same rankings."""
    runs = order.runs or 5
    tasks: list[ReviewTask] = []
    for path in order.data or (MADE,):
        collection, _ = _material(path, order.seed, full=order.full)
        for topic in _topics(collection):
            tasks += [
                ReviewTask(
                    path=path, topic=topic, target=target, run=run, seed=order.seed, full=order.full
                )
                for target in TARGETS
                for run in range(runs)
            ]
    found = run_all(one_run, tasks, order)
    rows = _rows(tasks, found)
    return Outcome(
        name="review",
        tables={"rules": rows},
        sentences=tuple(_sentence(rows, target) for target in TARGETS),
        settings={"runs": runs, "seed": order.seed, "items": None if order.full else ITEMS},
    )


def _topics(collection: Collection) -> tuple[str, ...]:
    """The most frequent topic, a middling one and a rare one."""
    names = frequent_topics(collection, count=len(collection.shares()))
    places = np.linspace(0, len(names) - 1, TOPICS).round().astype(int)
    return tuple(dict.fromkeys(names[place] for place in places))


def _rows(tasks: Sequence[ReviewTask], found: Sequence[Found]) -> list[dict[str, Any]]:
    rows = []
    keys = dict.fromkeys((task.path.stem, task.topic, task.target) for task in tasks)
    for collection, topic, target in keys:
        own = [
            f for t, f in zip(tasks, found, strict=True)
            if (t.path.stem, t.topic, t.target) == (collection, topic, target)
        ]  # fmt: skip
        for name in RULES:
            below = [f[name]["recall"] < float(target) - 1e-12 for f in own]
            rows.append(
                {
                    "collection": collection,
                    "topic": topic,
                    "relevant": own[0]["relevant"],
                    "target": float(target),
                    "rule": name,
                    "share_read": float(np.mean([f[name]["read"] / f["items"] for f in own])),
                    "below_target": float(np.mean(below)),
                    "runs": len(own),
                }
            )
    return rows


def _sentence(rows: Sequence[dict[str, Any]], target: str) -> str:
    told = []
    for name in RULES:
        own = [row for row in rows if row["rule"] == name and row["target"] == float(target)]
        read = np.mean([row["share_read"] for row in own])
        below = np.average([row["below_target"] for row in own], weights=[r["runs"] for r in own])
        told.append(f"{name} reads {read:.0%} and misses in {below:.0%} of the runs")
    return f"For recall {target}: {'; '.join(told)}."
