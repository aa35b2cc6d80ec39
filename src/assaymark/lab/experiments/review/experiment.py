"""The experiment: share read and runs below the target, for every rule, topic and target."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from assaymark.lab.corpora import Collection, frequent_topics, learning, read_collection
from assaymark.lab.experiments.review.courses import Course
from assaymark.lab.experiments.review.rules import RULES, play
from assaymark.lab.outcome import Outcome
from assaymark.lab.tasks import Order, Task, TaskResult, rng_of, run_all
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
class ReviewTask(Task):
    """One run of every rule on one topic, for all targets."""

    shown = "{0.path.stem} {0.topic}, run {0.run}"

    path: Path
    topic: str
    targets: tuple[str, ...]
    run: int
    seed: int
    full: bool = False


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


def one_run(task: ReviewTask) -> TaskResult:
    """What every rule read and reached in one run; all read the same course of one ranking."""
    collection, features = _material(task.path, task.seed, full=task.full)
    truth = collection.labels(task.topic)
    seed = int(rng_of(task.seed, "review", task.topic, str(task.run)).integers(2**32))
    ends = play(Course(truth, features, seed), tuple(map(Fraction, task.targets)), seed)
    rules = {
        target: {name: {"read": end.read, "recall": end.recall} for name, end in stops.items()}
        for target, stops in zip(task.targets, ends.values(), strict=True)
    }
    return {"relevant": int(truth.sum()), "items": len(truth), "rules": rules}


def review(order: Order) -> Outcome:
    """Certified end, peeking, QBCB, knee, dry runs and reading everything on the same rankings."""
    size = size_of(full=order.full)
    runs = order.runs or size.runs
    tasks: list[ReviewTask] = []
    for path in order.data or (MADE,):
        collection, _ = _material(path, order.seed, full=order.full)
        for topic in _topics(collection, size):
            tasks += [
                ReviewTask(
                    path=path,
                    topic=topic,
                    targets=size.targets,
                    run=run,
                    seed=order.seed,
                    full=order.full,
                )
                for run in range(runs)
            ]
    rows = _rows(tasks, run_all(one_run, tasks, order))
    means = summary(rows)
    return Outcome(
        name="review",
        tables={"rules": rows, "means": means},
        sentences=tuple(
            _sentence(means, collection, target)
            for collection in dict.fromkeys(row["collection"] for row in means)
            for target in size.targets
        ),
        settings={"runs": runs, "seed": order.seed, "items": size.items},
    )


def _topics(collection: Collection, size: Size) -> tuple[str, ...]:
    """Topics from the most frequent to a rare one, evenly spread over the list of them."""
    names = frequent_topics(collection, count=len(collection.shares()), least=size.rarest)
    places = np.linspace(0, len(names) - 1, size.topics).round().astype(int)
    return tuple(dict.fromkeys(names[place] for place in places))


def _rows(tasks: Sequence[ReviewTask], results: Sequence[TaskResult]) -> list[dict[str, Any]]:
    rows = []
    groups: dict[tuple[str, str], list[TaskResult]] = {}
    for task, result in zip(tasks, results, strict=True):
        groups.setdefault((task.path.stem, task.topic), []).append(result)
    for (collection, topic), runs in groups.items():
        for target in runs[0]["rules"]:
            for rule in RULES:
                ends = [run["rules"][target][rule] for run in runs]
                rows.append(
                    {
                        "collection": collection,
                        "topic": topic,
                        "items": runs[0]["items"],
                        "relevant": runs[0]["relevant"],
                        "target": float(target),
                        "rule": rule,
                        "share_read": float(np.mean([e["read"] for e in ends]) / runs[0]["items"]),
                        "below": sum(e["recall"] < float(target) - 1e-12 for e in ends),
                        "runs": len(ends),
                    }
                )
    return rows


def summary(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Means over the topics: share read, and runs that ended below the target."""
    groups: dict[tuple[str, float, str], list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault((row["collection"], row["target"], row["rule"]), []).append(row)
    return [
        {
            "collection": collection,
            "target": target,
            "rule": rule,
            "topics": len(own),
            "items": own[0]["items"],
            "share_read": float(np.mean([row["share_read"] for row in own])),
            "below": sum(row["below"] for row in own),
            "runs": sum(row["runs"] for row in own),
        }
        for (collection, target, rule), own in groups.items()
    ]


def _sentence(rows: Sequence[dict[str, Any]], collection: str, target: str) -> str:
    own = [r for r in rows if (r["collection"], r["target"]) == (collection, float(target))]
    parts = [
        f"{row['rule']} reads {row['share_read']:.0%} and ends below it in {row['below']} of "
        f"{row['runs']} runs"
        for row in own
    ]
    return f"{collection}, {own[0]['topics']} topics, recall {target}: {'; '.join(parts)}."
