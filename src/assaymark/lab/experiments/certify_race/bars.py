"""What the race is held against: shares of the fixed test, the worst claim, and forecasts."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

WIDE = (0.05, 0.10)  # margins that the shares of a fixed test are asked for

# metric, entrant, margins (None: all), which figure, and the limit it must not exceed
BARS: tuple[tuple[str, str, tuple[float, ...] | None, str, float], ...] = (
    ("f1", "method 2", WIDE, "of_fixed", 0.12),
    ("f1", "method 2", WIDE, "worst_of_fixed", 0.50),
    ("f1", "method 2, ceiling", WIDE, "of_fixed", 0.11),
    ("precision", "method 2, ceiling", WIDE, "of_fixed", 0.46),
    ("f1", "method 2", None, "worst_of_anytime", 1.15),
    ("precision", "method 2", None, "worst_of_anytime", 1.15),
    ("recall", "method 2", None, "worst_of_anytime", 1.15),
)
# A second yardstick, on rare classes of these collections: the fixed test counted in draws. It
# may draw an item again, and its labels are never more than the pool; its draws are.
FIRST = ("arxiv_cs", "newsgroups20", "davidson_perspective")
RARE, LEAST_F1 = 0.10, 0.25
EVERY, RARE_ONLY = "every pool", "rare classes, against draws"
FIGURES = {
    "of_draws": "labels as a share of the fixed test's draws, geometric mean",
    "worst_of_draws": "labels as a share of the fixed test's draws, worst claim",
    "of_fixed": "labels as a share of the fixed test, geometric mean",
    "worst_of_fixed": "labels as a share of the fixed test, worst claim",
    "worst_of_anytime": "labels over anytime on simple draws, worst claim (with new runs)",
}


def geometric(values: Sequence[float]) -> float:
    """The geometric mean."""
    return math.exp(float(np.mean(np.log(values))))


def race_bars(laps: Sequence[Any], again: Iterable[Any]) -> list[dict[str, Any]]:
    """Every bar beside what was measured: in every real pool, and in rare classes.

    The worst of many rough ratios is mostly bad luck, so claims that ran again count with new runs.
    """
    renewed = {(lap.world, lap.metric, lap.margin): lap for lap in again}
    real = [lap for lap in laps if lap.where == "real"]
    rows = [_row(EVERY, bar, real, renewed) for bar in BARS]
    rare = [lap for lap in real if _second_yardstick(lap)]
    rows += [
        _row(RARE_ONLY, (*bar[:3], bar[3].replace("of_fixed", "of_draws"), bar[4]), rare, renewed)
        for bar in BARS
        if bar[3].endswith("of_fixed")
    ]
    return [row for row in rows if row is not None]


def _second_yardstick(lap: Any) -> bool:
    """Precision does not depend on how rare a class is; it took part in all of those collections."""
    rare = lap.prevalence < RARE and lap.f1 >= LEAST_F1
    return lap.collection in FIRST and (rare or lap.metric == "precision")


def _row(
    pools: str,
    bar: tuple[str, str, tuple[float, ...] | None, str, float],
    laps: Sequence[Any],
    renewed: dict[tuple[str, str, float], Any],
) -> dict[str, Any] | None:
    metric, entrant, margins, figure, limit = bar
    mine = [
        lap
        for lap in laps
        if (lap.metric, lap.entrant) == (metric, entrant)
        and (margins is None or lap.margin in margins)
    ]
    if not mine:
        return None
    if figure == "worst_of_anytime":
        mine = [renewed.get((lap.world, lap.metric, lap.margin), lap) for lap in mine]
    name = figure.removeprefix("worst_")
    values = [getattr(lap, name) for lap in mine]
    measured = max(values) if figure.startswith("worst") else geometric(values)
    # no test on these strata can do better on average: the same figure with ln(1/alpha)/V* labels
    ideal = [getattr(lap, name) * lap.ideal / lap.mean for lap in mine if lap.ideal]
    return {
        "pools": pools,
        "metric": metric,
        "entrant": entrant,
        "margins": "all" if margins is None else " and ".join(f"{m:g}" for m in margins),
        "figure": FIGURES[figure],
        "claims": len(mine),
        "measured": measured,
        "bar": limit,
        "met": measured <= limit,
        "ideal": geometric(ideal) if ideal and not figure.startswith("worst") else None,
    }


def bar_sentence(row: dict[str, Any]) -> str:
    """One bar in words."""
    ideal = "" if row["ideal"] is None else f", {row['ideal']:.2f} at the information limit"
    return (
        f"{'ok' if row['met'] else 'MISSED'}: {row['pools']}, {row['metric']}, {row['entrant']}, margins "
        f"{row['margins']}: {row['figure']} {row['measured']:.2f} (bar {row['bar']:g}, "
        f"{row['claims']} claims{ideal})"
    )


def forecast_table(laps: Iterable[Any]) -> list[dict[str, Any]]:
    """Per place and entrant: labels used over those forecast, and how often bad luck was enough."""
    groups: dict[tuple[str, str], list[Any]] = {}
    for lap in laps:
        if lap.predicted:
            groups.setdefault((lap.where, lap.entrant), []).append(lap)
    return [
        {
            "where": where,
            "entrant": entrant,
            "claims": len(members),
            "used_of_predicted": geometric([lap.mean / lap.predicted for lap in members]),
            "least": min(lap.mean / lap.predicted for lap in members),
            "most": max(lap.mean / lap.predicted for lap in members),
            "within_unlucky": _mean([lap.within_unlucky for lap in members]),
        }
        for (where, entrant), members in groups.items()
    ]


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None
