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


@dataclass(frozen=True, kw_only=True)
class Size:
    """How much of a collection is read: records taken by chance, topics, targets, runs of each.

    Topics hold at least the share `rarest` of the records.
    """

    items: int
    topics: int
    targets: tuple[str, ...]
    runs: int
    rarest: float


SMALL = Size(items=3_000, topics=3, targets=("0.8", "0.95"), runs=5, rarest=0.01)
FULL = Size(items=20_000, topics=12, targets=("0.8", "0.9", "0.95"), runs=3, rarest=0.003)


def size_of(*, full: bool) -> Size:
    """What a short run, or a full one, reads."""
    return FULL if full else SMALL


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
    """Part of a collection with its features."""
    whole = made_collection(seed) if path == MADE else read_collection(path)
    rng = rng_of(seed, "review", path.name)
    chosen = np.sort(rng.permutation(len(whole.texts))[: size_of(full=full).items])
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
    size = size_of(full=order.full)
    runs = order.runs or size.runs
    tasks: list[ReviewTask] = []
    for path in order.data or (MADE,):
        collection, _ = _material(path, order.seed, full=order.full)
        for topic in _topics(collection, size):
            tasks += [
                ReviewTask(
                    path=path, topic=topic, target=target, run=run, seed=order.seed, full=order.full
                )
                for target in size.targets
                for run in range(runs)
            ]
    found = run_all(one_run, tasks, order)
    rows = _rows(tasks, found)
    return Outcome(
        name="review",
        tables={"rules": rows},
        sentences=tuple(
            _sentence(rows, collection, target)
            for collection in dict.fromkeys(row["collection"] for row in rows)
            for target in size.targets
        ),
        settings={"runs": runs, "seed": order.seed, "items": size.items},
    )


def _topics(collection: Collection, size: Size) -> tuple[str, ...]:
    """Topics from the most frequent to a rare one, evenly spread over the list of them."""
    names = frequent_topics(collection, count=len(collection.shares()), least=size.rarest)
    places = np.linspace(0, len(names) - 1, size.topics).round().astype(int)
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


def _sentence(rows: Sequence[dict[str, Any]], collection: str, target: str) -> str:
    told = []
    mine = [r for r in rows if (r["collection"], r["target"]) == (collection, float(target))]
    for name in RULES:
        own = [row for row in mine if row["rule"] == name]
        read = np.mean([row["share_read"] for row in own])
        below = np.average([row["below_target"] for row in own], weights=[r["runs"] for r in own])
        told.append(f"{name} reads {read:.0%} and misses in {below:.0%} of the runs")
    topics = len({row["topic"] for row in mine})
    return f"{collection}, {topics} topics, recall {target}: {'; '.join(told)}."
