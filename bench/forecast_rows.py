"""Rows of forecasts held against what happened, and how they are summed and kept."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import beta

Row = dict[str, Any]
POWER = 0.93


def average(mode: str, used: Any, forecast: float) -> Row:
    """Labels used on average over those forecast, for one claim; `error` is that of its logarithm."""
    ratio = float(used.mean() / forecast)
    error = float(used.std() / used.mean() / math.sqrt(len(used)))
    return one_row("average", mode, 1.0, 0.9 <= ratio <= 1.1) | {
        "ratio": ratio, "error": error, "runs": len(used),
    }  # fmt: skip


def one_row(name: str, mode: str, promised: float | None, kept: object) -> Row:
    return {
        "forecast": name, "mode": mode, "promised": promised, "kept": bool(kept), "ratio": None,
        "weight": 1.0,
    }  # fmt: skip


def averaged(own: list[Row]) -> Row:
    """The geometric mean over claims of labels used over those forecast, with its 95 % interval."""
    logs = [math.log(row["ratio"]) for row in own]
    ratio = math.exp(sum(logs) / len(logs))
    wide = 1.96 * math.sqrt(sum(row["error"] ** 2 for row in own)) / len(own)
    return {
        "measured": round(ratio, 4),
        "low": round(ratio * math.exp(-wide), 4),
        "high": round(ratio * math.exp(wide), 4),
        "cases": sum(row["runs"] for row in own),
        "plans": sum(row["runs"] for row in own),
        "held": sum(row["kept"] for row in own),
    }


def summed(rows: list[Row], collection: str, runs_of: int) -> list[Row]:
    """One row per forecast and mode."""
    found = []
    for key in sorted({(row["forecast"], row["mode"]) for row in rows}):
        own = [row for row in rows if (row["forecast"], row["mode"]) == key]
        held, cases = sum(row["kept"] for row in own), len(own)
        low = beta.ppf(0.025, held, cases - held + 1) if held else 0.0
        high = beta.ppf(0.975, held + 1, cases - held) if held < cases else 1.0
        weights = np.array([row["weight"] for row in own])
        share = float((weights * [row["kept"] for row in own]).sum() / weights.sum())
        ratios = [row["ratio"] for row in own if row["ratio"] is not None]
        found.append(
            {
                "forecast": key[0],
                "mode": key[1],
                "collection": collection,
                "worlds": runs_of,
                "promised": round(float(np.mean([row["promised"] for row in own])), 4),
                "measured": round(share, 4),
                "low": round(float(low), 4),
                "high": round(float(high), 4),
                "held": held,
                "cases": cases,
                "plans": round(float(weights.sum())),
                "ratio_sixth": _quantile(ratios, weights, 1 / 6) if ratios else None,
                "ratio_median": _quantile(ratios, weights, 0.5) if ratios else None,
                "ratio_five_sixths": _quantile(ratios, weights, 5 / 6) if ratios else None,
            }
            | (averaged(own) if key[0] == "average" else {})
        )
    return found


def _quantile(values: list[float], weights: Any, share: float) -> float:
    """The weighted quantile: plans count alike, whatever their number of looks."""
    order = np.argsort(values)
    passed = np.cumsum(weights[order]) / weights.sum()
    return round(float(np.array(values)[order][np.searchsorted(passed, share)]), 3)


def keep(path: Path, rows: list[Row]) -> None:
    """Put the rows in the place of those of the same forecast, mode and collection."""
    old = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    both = {(r["forecast"], r["mode"], r["collection"]): r for r in [*old, *rows]}
    text = json.dumps([both[key] for key in sorted(both)], ensure_ascii=False, indent=1) + "\n"
    path.write_text(text, encoding="utf-8", newline="\n")
