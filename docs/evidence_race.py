"""The page of the race: labels to certify a claim, way by way. From docs/evidence/results."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Lap = dict[str, Any]
WAYS = {
    "budget": "budget, simple",
    "anytime": "anytime, simple",
    "weighted": "number 1",
    "method 2": "number 2",
    "method 2, ceiling": "number 2, ceiling",
}
METRICS = {"f1": "F1", "precision": "precision", "recall": "recall"}
HEAD = ("way", "of fixed", "of anytime, simple", "of ideal", "90 % of runs, of ideal", "passed")
BARS = ("labels as a share of the fixed test", "labels over anytime on simple draws")


def laps_on_record(folder: Path) -> list[Lap]:
    """Every claim and way of the race on real collections."""
    laps: list[Lap] = json.loads((folder / "race-laps.json").read_text(encoding="utf-8"))
    return laps


def geometric(values: Sequence[float]) -> float:
    """The geometric mean.

    >>> geometric([1, 4])
    2.0
    """
    return math.exp(math.fsum(map(math.log, values)) / len(values))


def _way(laps: Sequence[Lap], entrant: str) -> list[str]:
    own = [lap for lap in laps if lap["entrant"] == entrant]
    fixed, anytime = [one["of_fixed"] for one in own], [one["of_anytime"] for one in own]
    return [
        WAYS[entrant],
        f"{geometric(fixed):.2f} ({max(fixed):.2f})",
        f"{geometric(anytime):.2f} ({max(anytime):.2f})",
        f"{geometric([one['mean'] / one['ideal'] for one in own]):.2f}",
        f"{geometric([one['ninety'] / one['ideal'] for one in own]):.2f}",
        f"{100 * sum(one['pass_rate'] for one in own) / len(own):.0f} %",
    ]


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _ways(laps: Sequence[Lap]) -> list[str]:
    parts = []
    for metric, name in METRICS.items():
        for margin in sorted({lap["margin"] for lap in laps}, reverse=True):
            own = [lap for lap in laps if (lap["metric"], lap["margin"]) == (metric, margin)]
            pools = len({lap["world"] for lap in own})
            rows = [_way(own, entrant) for entrant in WAYS]
            parts += [f"### {name}, {margin} below the truth: {pools} pools", _table(HEAD, rows)]
    return parts


def _goals(folder: Path) -> list[list[str]]:
    """Each goal beside what was measured, and the information limit of the same claims."""
    text = (folder / "performance-method2.json").read_text(encoding="utf-8")
    rows = []
    for one in json.loads(text):
        if one["bar"] is None or not any(bar in one["what"] for bar in BARS):
            continue
        limit = "–" if one["ratio"] is None else f"{one['measured'] / one['ratio']:.2f}"
        met = "met" if one["measured"] <= one["bar"] else "missed"
        rows.append([one["what"], f"{one['measured']:.3g}", f"{one['bar']:.3g}", met, limit])
    return rows


def race_page(folder: Path, note: str) -> str:
    """Labels to certify a claim on real collections, way by way, and the goals of method 2."""
    laps = laps_on_record(folder)
    runs = {
        entrant: max(lap["runs"] for lap in laps if lap["entrant"] == entrant) for entrant in WAYS
    }
    pools = len({lap["world"] for lap in laps})
    f1 = [lap for lap in laps if lap["metric"] == "f1" and lap["margin"] in (0.05, 0.1)]
    limit = geometric([lap["ideal"] / lap["mean"] for lap in f1 if lap["entrant"] == "fixed"])
    parts = [
        note,
        "# The race: labels to certify a claim, way by way",
        f"{pools} pools of seven real collections. Claims are the true value minus a margin, at 95 % "
        f"confidence, {runs['method 2']} runs a claim (number 1: {runs['weighted']}), followed to six "
        "times the limit. Geometric means over claims, the worst claim in brackets; *ideal* is the "
        "information limit ln(1/level)/V* of draws with replacement. The worst of many means of 20 runs "
        "is partly bad luck. A claim whose margin leaves no target above 0.05 is counted nowhere. "
        "[How number 2 works](../explanation/score-guided-2.md). Every claim and way: "
        "[race-laps.json](results/race-laps.json).",
        "    assaymark lab certify-race --runs 20 --data …",
        *_ways(laps),
        "## Against the goals of the design",
        f"The goals come from rare classes of a few collections. Over every pool of the race a test that "
        f"draws with replacement cannot reach the goal for F1, whatever it does: the information limit "
        f"itself is {limit:.2f} of the fixed test, because frequent classes (crisis tweets, spam, "
        "offensive tweets) take part, where a fixed test is cheap. On rare classes, counted in draws, the "
        "goals are met. Claims that looked worst against simple draws were run again with 400 runs.",
        _table(("what", "measured", "goal", "", "information limit"), _goals(folder)),
    ]
    return "\n\n".join(parts) + "\n"
