"""The tables of `policies`: figures per policy, per wait and per size, with errors over topics."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assaymark.lab.experiments.policies.growth import GrowthTask
from assaymark.lab.experiments.policies.rules import (
    FACTORS,
    Stop,
    blind_oracle,
    paper_stop,
    sighted_oracle,
    spread,
)
from assaymark.lab.tasks import Found

# Figures of the paper in per cent: section 6.1 and 6.2.
PAPER = {
    "never within budget": 29.48,
    "success of first-in-budget": 79.46,
    "saving of the blind oracle": 43.21,
    "failures of the blind oracle": 27.14,
    "saving of the sighted oracle": 38.08,
}

Row = dict[str, Any]
Totals = dict[tuple[str, str, str], float]
Group = tuple[str, str]  # collection and sampling


@dataclass(frozen=True, kw_only=True)
class Curve:
    """One run with everything that was found out about it."""

    task: GrowthTask
    found: Found
    target: float
    yardstick: Found
    verdict: Found

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


def _by_topic(curves: Iterable[Curve], value: Callable[[Curve], float | None]) -> list[list[float]]:
    parts: dict[tuple[str, str], list[float]] = {}
    for curve in curves:
        found = value(curve)
        if found is not None:
            parts.setdefault(topic_of(curve.task), []).append(found)
    return list(parts.values())


def _figures(values: list[list[float]]) -> tuple[float | None, float | None]:
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
    def ending(curve: Curve) -> Found:
        return next(
            e
            for e in curve.verdict["endings"]
            if e["policy"] == policy and e["factor"] == factor
        )  # fmt: skip

    def relative(curve: Curve) -> float | None:
        total = ending(curve)["total"]
        return None if total is None else float(total) / totals[sampled_topic(curve.task)]

    success, success_error = _figures(_by_topic(curves, lambda c: ending(c)["passed"]))
    total, total_error = _figures(_by_topic(curves, relative))
    never, _ = _figures(_by_topic(curves, lambda c: float(ending(c)["total"] is None)))
    optimism, _ = _figures(_by_topic(curves, lambda c: ending(c)["optimism"]))
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


def paper_rows(curves: Sequence[Curve]) -> list[Row]:
    """The paper's figures, all runs with random training of all collections together."""
    mine = [curve for curve in curves if curve.task.sampling == "random"]
    first = {id(c): paper_stop(c.verdict["paper"]) for c in mine}
    tried = [c for c in mine if first[id(c)].total is not None]

    def saving(stop: Stop, curve: Curve) -> float | None:
        before = first[id(curve)].total
        return None if stop.total is None or before is None else 1 - stop.total / before

    found = {
        "never within budget": _by_topic(mine, lambda c: float(first[id(c)].total is None)),
        "success of first-in-budget": _by_topic(tried, lambda c: float(first[id(c)].passed)),
        "saving of the blind oracle": _by_topic(
            tried, lambda c: saving(blind_oracle(c.verdict["paper"]), c)
        ),
        "failures of the blind oracle": _by_topic(
            tried, lambda c: float(not blind_oracle(c.verdict["paper"]).passed)
        ),
        "saving of the sighted oracle": _by_topic(
            tried, lambda c: saving(sighted_oracle(c.verdict["paper"]), c)
        ),
    }
    rows = []
    for name, values in found.items():
        mean, error = _figures(values)
        rows.append(
            {
                "figure": name,
                "paper": PAPER[name],
                "ours": None if mean is None else round(100 * mean, 2),
                "error": None if error is None else round(100 * error, 2),
            }
        )
    return rows


def wait_rows(curves: Sequence[Curve], waits: Sequence[int]) -> list[Row]:
    """Figures 5 to 7: what waiting saves, how often it succeeds, how often it misses its chance."""
    mine = [curve for curve in curves if curve.task.sampling == "random"]
    rows = []
    for wait in waits:
        stops = {id(c): paper_stop(c.verdict["paper"], wait=wait) for c in mine}
        tried = [c for c in mine if stops[id(c)].total is not None]

        def saving(curve: Curve, stops: dict[int, Stop] = stops) -> float | None:
            before = paper_stop(curve.verdict["paper"]).total
            now = stops[id(curve)].total
            return None if before is None or now is None else 1 - now / before

        def passed(curve: Curve, stops: dict[int, Stop] = stops) -> float:
            return float(stops[id(curve)].passed)

        def missed(curve: Curve, stops: dict[int, Stop] = stops) -> float:
            return float(stops[id(curve)].total is None)

        row: Row = {"wait": wait}
        for name, group, value in (
            ("saving", tried, saving),
            ("success", tried, passed),
            ("never", mine, missed),
        ):
            row[name], row[f"{name}_error"] = _figures(_by_topic(group, value))
        rows.append(row)
    return rows


def optimism_rows(curves: Sequence[Curve]) -> list[Row]:
    """Figure 3: cross-validated less true F1, by training size."""
    mine = [curve for curve in curves if curve.task.sampling == "random"]
    sizes = sorted({point["labels"] for c in mine for point in c.verdict["paper"]})
    rows = []
    for size in sizes[:: max(1, len(sizes) // 60)]:
        gaps = [
            p["cross_validated"] - p["f1"]
            for c in mine
            for p in c.verdict["paper"]
            if p["labels"] == size
        ]
        if len(gaps) >= min(5, len(mine)):
            low, middle, high = (float(q) for q in np.quantile(gaps, (0.1, 0.5, 0.9)))
            rows.append(
                {
                    "labels": size,
                    "mean": round(float(np.mean(gaps)), 4),
                    "low": round(low, 4),
                    "median": round(middle, 4),
                    "high": round(high, 4),
                }
            )
    return rows


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
        own = [c for c in curves if (c.collection, c.task.sampling) == (collection, sampling)]
        random = sampling == "random"
        values = _by_topic(own, guided if random else against_random)
        ratio, error = _figures(values)
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
                "reached": sum(c.yardstick["guided"] is not None for c in mine),
                "target": mine[0].target,
                "clairvoyant": round(totals[key]),
                "trains": round(float(np.mean(at))),
                "with a fixed test": round(float(np.mean(fixed))) if fixed else None,
            }
        )
    return rows
