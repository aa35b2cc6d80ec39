"""The tables of `policies`: figures per policy, per wait and per size, with errors over topics."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assaymark.lab.experiments.policies.growth import GrowthTask, sights_of
from assaymark.lab.experiments.policies.rules import (
    FACTORS,
    spread,
)
from assaymark.lab.tasks import TaskResult

Row = dict[str, Any]
Totals = dict[tuple[str, str, str], float]
Group = tuple[str, str]  # collection and sampling


@dataclass(frozen=True, kw_only=True)
class Curve:
    """One run with everything that was found out about it."""

    task: GrowthTask
    found: TaskResult
    target: float
    yardstick: TaskResult
    verdict: TaskResult
    points: TaskResult

    @property
    def collection(self) -> str:
        """Where the topic comes from."""
        return self.task.path.stem


def topic_of(task: GrowthTask) -> tuple[str, str]:
    """Collection and topic of a run."""
    return task.path.stem, task.topic


def sampled_topic(task: GrowthTask) -> tuple[str, str, str]:
    """Collection, topic and sampling of a run."""
    return (*topic_of(task), task.sampling)


def by_topic(curves: Iterable[Curve], value: Callable[[Curve], float | None]) -> list[list[float]]:
    """The values of all curves, topic by topic."""
    parts: dict[tuple[str, str], list[float]] = {}
    for curve in curves:
        figure = value(curve)
        if figure is not None:
            parts.setdefault(topic_of(curve.task), []).append(figure)
    return list(parts.values())


def figures(values: list[list[float]]) -> tuple[float | None, float | None]:
    """The mean and its error over topics, rounded; None where there is none."""
    mean, error = spread(values)
    return tuple(None if np.isnan(x) else round(x, 4) for x in (mean, error))  # type: ignore[return-value]


def policy_rows(curves: Sequence[Curve], totals: Totals) -> list[Row]:
    """Every policy at every budget, by collection and sampling."""
    rows = []
    groups = dict.fromkeys((c.collection, c.task.sampling) for c in curves)
    for collection, sampling in groups:
        mine = [c for c in curves if (c.collection, c.task.sampling) == (collection, sampling)]
        for factor in FACTORS:
            for policy in dict.fromkeys(e["policy"] for e in mine[0].verdict["endings"]):
                rows.append(_policy_row(mine, totals, policy, factor))
    return rows


def _policy_row(curves: Sequence[Curve], totals: Totals, policy: str, factor: float) -> Row:
    def ending(curve: Curve) -> TaskResult:
        return next(
            e
            for e in curve.verdict["endings"]
            if e["policy"] == policy and e["factor"] == factor
        )  # fmt: skip

    def relative(curve: Curve) -> float | None:
        total = ending(curve)["total"]
        return None if total is None else float(total) / totals[sampled_topic(curve.task)]

    success, success_error = figures(by_topic(curves, lambda c: ending(c)["passed"]))
    total, total_error = figures(by_topic(curves, relative))
    never, _ = figures(by_topic(curves, lambda c: float(ending(c)["total"] is None)))
    optimism, _ = figures(by_topic(curves, lambda c: ending(c)["optimism"]))
    return {
        "collection": curves[0].collection,
        "sampling": curves[0].task.sampling,
        "budget": factor,
        "policy": policy,
        "runs": len(curves),
        "never_attempted": never,
        "success": success,
        "success_error": success_error,
        "total": total,
        "total_error": total_error,
        "optimism": optimism,
    }


def saving_rows(curves: Sequence[Curve], totals: Totals, grown: Mapping[Group, int]) -> list[Row]:
    """What a clairvoyant saves by score-guided certification, and by active training on top.

    Only runs that reach the target have a ratio; `grown` tells how many there were of each
    collection and sampling, so that a ratio of the lucky ones is seen to be one.
    """

    def guided(curve: Curve) -> float | None:
        pair = curve.yardstick["guided"], curve.yardstick["fixed"]
        return pair[0] / pair[1] if all(pair) else None

    def against_random(curve: Curve) -> float | None:
        mine, random = curve.yardstick["guided"], totals.get((*topic_of(curve.task), "random"))
        return mine / random if mine and random else None

    rows = []
    for collection, sampling in dict.fromkeys((c.collection, c.task.sampling) for c in curves):
        members = [c for c in curves if (c.collection, c.task.sampling) == (collection, sampling)]
        random = sampling == "random"
        values = by_topic(members, guided if random else against_random)
        ratio, error = figures(values)
        name = "score-guided of fixed test" if random else f"{sampling} of random training"
        rows.append(
            {
                "collection": collection,
                "clairvoyant's total": name,
                "ratio": ratio,
                "error": error,
                "runs": sum(map(len, values)),
                "of": grown[collection, sampling],
            }
        )
    return rows


def topic_rows(curves: Sequence[Curve], totals: Totals) -> list[Row]:
    """The topics, their targets and what a clairvoyant pays on the runs that reach them."""
    rows = []
    for key in dict.fromkeys(sampled_topic(c.task) for c in curves):
        mine = [c for c in curves if sampled_topic(c.task) == key]
        fixed = [c.yardstick["fixed"] for c in mine if c.yardstick["fixed"]]
        at = [c.yardstick["guided_at"] for c in mine if c.yardstick["guided_at"]]
        rows.append(
            {
                "collection": key[0],
                "topic": key[1],
                "sampling": key[2],
                "runs": len(mine),
                "positives": _positives(mine[0]),
                "reached": sum(c.yardstick["guided"] is not None for c in mine),
                "target": mine[0].target,
                "clairvoyant": round(totals[key]),
                "trains": round(float(np.mean(at))),
                "with a fixed test": round(float(np.mean(fixed))) if fixed else None,
            }
        )
    return rows


def _positives(curve: Curve) -> float:
    """The share of positives among the items that claims are about."""
    truth = sights_of(curve.found)[0].truth
    tp, _, fn, _ = truth.cells
    return round((tp + fn) / truth.total, 4)
