"""The race on real collections: bars and forecasts, and the table behind them."""

from collections.abc import Sequence

from evidence.book import Row, lines, record, short, table
from evidence.limits import LIMIT, NAMES, SHOWN
from evidence.steps import Done

KEPT = ("world", "metric", "margin", "entrant", "runs", "mean", "ninety", "pass_rate", "predicted",
        "unlucky", "chance", "items", "ideal", "of_fixed", "of_anytime")  # fmt: skip
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
    return {"performance-method2": [*_bars(race), *_forecasts(race)]}


def tables(done: Sequence[Done]) -> dict[str, str]:
    """The table behind the records, one line for each claim and way."""
    race = finished_race(done)
    if race is None:
        return {}
    laps = [{name: short(lap[name]) for name in KEPT} for lap in table(race, "laps")]
    return {"race-laps": lines(laps)}


def _bars(race: Done) -> list[Row]:
    rows = []
    for bar in table(race, "bars"):
        what = (
            f"{NAMES[bar['metric']]}, margins {bar['margins']}, {bar['claims']} claims, {bar['pools']}, "
            f"{SHOWN[bar['entrant']]}: {bar['figure']}"
        )
        over = {} if bar["ideal"] is None else {
            "ratio": short(bar["measured"] / bar["ideal"]), "limit": LIMIT,
        }  # fmt: skip
        rows.append(record(race, what, bar["measured"], bar["bar"], **over))
    return rows


def _forecasts(race: Done) -> list[Row]:
    rows = []
    for row in table(race, "forecasts"):
        of = f"{ALL}, {row['claims']} claims in real pools, {SHOWN[row['entrant']]}"
        what = f"{of}: labels used over the average forecast from raw scores and the true value"
        rows.append(record(race, what, row["used_of_predicted"], None))
        if row["within_unlucky"] is not None and "ceiling" not in row["entrant"]:  # it ends there
            what = f"{of}: share of runs within the forecast for bad luck"
            rows.append(record(race, what, row["within_unlucky"], 0.93, unit="share"))
    return rows
