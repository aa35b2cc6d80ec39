"""The race on real collections: bars, forecasts and errors of estimates, and the tables behind them."""

import json
import math
from collections.abc import Sequence
from typing import Any

from evidence.book import Row, table
from evidence.limits import LIMIT, NAMES, SHOWN
from evidence.steps import Done

KEPT = ("world", "metric", "margin", "entrant", "runs", "mean", "ninety", "pass_rate", "predicted",
        "unlucky", "chance", "items", "ideal", "of_fixed", "of_anytime")  # fmt: skip
RIVALS = ("Sawade", "OASIS", "AIPW", "random")
ALL = "F1, precision and recall at every margin"


def finished_race(done: Sequence[Done]) -> Done | None:
    """The race on real collections, if it was run to its end."""
    races = [one for one in done if one.step.experiment == "certify-race" and one.step.files]
    return races[-1] if races else None


def records(done: Sequence[Done]) -> dict[str, list[Row]]:
    """Records of performance by the name of their file; nothing where the race was not finished."""
    race = finished_race(done)
    if race is None:
        return {}
    return {
        "performance-method2": [*_bars(race), *_forecasts(race)],
        "performance-estimates": _errors(race),
    }


def tables(done: Sequence[Done]) -> dict[str, str]:
    """The tables behind the records, one line for each claim and way, and for each estimate."""
    race = finished_race(done)
    if race is None:
        return {}
    laps = [{name: _short(lap[name]) for name in KEPT} for lap in table(race, "laps")]
    errors = [{name: _short(cell) for name, cell in row.items()} for row in table(race, "errors")]
    return {"race-laps": _lines(laps), "race-errors": _lines(errors)}


def _lines(rows: list[Row]) -> str:
    body = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    return f"[\n{body}\n]\n"


def _short(value: Any) -> Any:
    return float(f"{value:.4g}") if isinstance(value, float) else value


def _record(race: Done, what: str, measured: float, bar: float | None, **more: Any) -> Row:
    usual = {"unit": "ratio", "ratio": None, "limit": None}
    return {
        "what": what, "measured": _short(measured), "bar": bar, **usual, **more,
        "command": race.step.command, "machine": race.machine,
    }  # fmt: skip


def _bars(race: Done) -> list[Row]:
    rows = []
    for bar in table(race, "bars"):
        what = (
            f"{NAMES[bar['metric']]}, margins {bar['margins']}, {bar['claims']} claims, {bar['pools']}, "
            f"{SHOWN[bar['entrant']]}: {bar['figure']}"
        )
        over = {} if bar["ideal"] is None else {
            "ratio": _short(bar["measured"] / bar["ideal"]), "limit": LIMIT,
        }  # fmt: skip
        rows.append(_record(race, what, bar["measured"], bar["bar"], **over))
    return rows


def _forecasts(race: Done) -> list[Row]:
    rows = []
    for row in table(race, "forecasts"):
        of = f"{ALL}, {row['claims']} claims in real pools, {SHOWN[row['entrant']]}"
        what = f"{of}: labels used over the average forecast from raw scores and the true value"
        rows.append(_record(race, what, row["used_of_predicted"], None))
        if row["within_unlucky"] is not None and "ceiling" not in row["entrant"]:  # it ends there
            what = f"{of}: share of runs within the forecast for bad luck"
            rows.append(_record(race, what, row["within_unlucky"], 0.93, unit="share"))
    return rows


def _errors(race: Done) -> list[Row]:
    rows, cells = [], table(race, "errors")
    for metric, labels in sorted({(cell["metric"], cell["labels"]) for cell in cells}):
        own = [cell for cell in cells if (cell["metric"], cell["labels"]) == (metric, labels)]
        ratios = [cell["ours"] / min(cell[name] for name in RIVALS) for cell in own]
        best = sum(ratio <= 1 for ratio in ratios)
        open_ = [ratio for ratio in ratios if ratio > 0]  # elsewhere every item was read
        of = f"error of {NAMES[metric]} at {labels} labels over that of the best rival"
        mean = math.exp(sum(map(math.log, open_)) / len(open_))
        what = f"{of}, geometric mean of {len(open_)} pools; best in {best} of {len(ratios)}"
        rows.append(_record(race, what, mean, 1.0))
        rows.append(_record(race, f"{of}, worst of {len(ratios)} pools", max(ratios), 1.0))
    return rows
