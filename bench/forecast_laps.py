"""Today's forecasts against the runs of the race that are on record, by share of the pool and collection.

    python bench/forecast_laps.py --data reuters21578.parquet … --keep docs/evidence/forecasts.json
    python bench/forecast_laps.py --data reuters21578.parquet … --bends 0 0.1 0.2

`docs/evidence/results/race-laps.json` has the labels that every claim took in every mode, and how often
it passed. The pools are built again from the collections, and the planner that exists now says what it
would have said. Fixed plans are left out: what they use is known beforehand (`bench/forecasts.py` draws
their items). With `--runs` score-guided claims are certified so many times more, for the typical
number and that of bad luck, which the laps do not tell.

One constant of score-guided forecasts is fitted: the bend of the calibration line. Each collection is
forecast with the one that the others choose (`HELD_OUT`): the least sum of squares, over collections,
of the mean log of labels used over those forecast, which `--bends` shows.
"""

import argparse
import json
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from assaymark.certification.planning import guided_forecast
from assaymark.lab.corpora import read_collection
from assaymark.lab.experiments.certify_race.entrants import ENTRANTS, Course
from assaymark.lab.experiments.certify_race.experiment import race_topics, real_world
from assaymark.lab.experiments.certify_race.forecasts import FORECASTS
from assaymark.lab.tasks import rng_of
from assaymark.lab.worlds import claim_below
from forecast_rows import POWER, Row, keep, one_row, summed

LAPS = Path(__file__).parents[1] / "docs" / "evidence" / "results" / "race-laps.json"
SEED = 42
MODES = {
    "budget": "budget",
    "anytime": "anytime",
    "method 2": "score-guided",
    "method 2, ceiling": "score-guided with a ceiling",
}
BANDS = (
    (0.05, "below 5 % of the pool"),
    (0.2, "5 to 20 % of the pool"),
    (0.5, "20 to 50 % of the pool"),
    (9.0, "above 50 % of the pool"),
)
HELD_OUT = {
    "arxiv_cs": 0.14,
    "crisislex_t6": 0.18,
    "davidson_perspective": 0.17,
    "goemotions": 0.20,
    "newsgroups20": 0.15,
    "reuters21578": 0.16,
    "spamassassin": 0.17,
}
LEAST_MARGIN = 0.02  # of claims that are certified more often: nearer ones take a pool each


def rows_of(lap: Row, course: Course, runs: int) -> list[Row]:
    """Average and chance to pass of one claim in one mode, with the share of the pool it is told to take."""
    said = FORECASTS[lap["entrant"]](course)
    mode = MODES[lap["entrant"]]
    if not said.predicted:
        return []
    band = next(name for end, name in BANDS if said.predicted / course.items < end)
    error = 0.6 / float(np.sqrt(lap["runs"]))  # labels of such plans scatter by about six tenths
    ratio = lap["mean"] / said.predicted
    rows = [
        one_row("average", mode, 1.0, 0.9 <= ratio <= 1.1)
        | {"ratio": ratio, "error": error, "runs": lap["runs"]}
    ]
    if said.chance is not None:
        passed = round(lap["pass_rate"] * lap["runs"])
        rows += [
            one_row("chance to pass", mode, said.chance, run < passed) for run in range(lap["runs"])
        ]
    if runs and lap["entrant"].startswith("method 2") and lap["margin"] >= LEAST_MARGIN:
        rows += luck(lap, course, runs)
    return [row | {"band": band} for row in rows]


def luck(lap: Row, course: Course, runs: int) -> Iterator[Row]:
    """Whether new runs of a score-guided claim ended within the typical number and that of bad luck."""
    rng = rng_of(SEED, "luck", lap["world"], lap["metric"], lap["margin"], lap["entrant"])
    mode, end = MODES[lap["entrant"]], course.ceiling
    hedged = lap["entrant"] == "method 2, ceiling"
    said = course.to_a_ceiling(course.scored, end or 1) if hedged else course.guided(course.scored)
    for labels in ENTRANTS[lap["entrant"]](course, runs, rng).used:
        yield one_row("typical", mode, 0.5, labels <= (said.median or 0))
        if not hedged:  # with a ceiling it is the ceiling, which nobody exceeds
            yield one_row("bad luck", mode, POWER, labels <= (said.quantile or 0))


def of_topic(path: Path, topic: str, bend: float, laps: list[Row], runs: int) -> list[Row]:
    """The rows of one pool."""
    guided_forecast.BEND = bend
    guided_forecast._rehearsed.cache_clear()
    world = real_world(path, topic, SEED)
    courses: dict[tuple[str, float], Course] = {}
    found: list[Row] = []
    for lap in (lap for lap in laps if lap["world"] == world.name):
        key = (lap["metric"], lap["margin"])
        if key not in courses:
            claim = claim_below(world, lap["margin"], name=lap["metric"])
            courses[key] = Course(world=world, claim=claim)
        rows = rows_of(lap, courses[key], runs)
        found += [row | {"collection": path.stem, "world": topic} for row in rows]
    return found


def main() -> None:
    """Recompute the forecasts and print both beside each other."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, nargs="+", required=True)
    parser.add_argument("--laps", type=Path, default=LAPS)
    parser.add_argument("--runs", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--bends", type=float, nargs="+")
    parser.add_argument("--keep", type=Path)
    asked = parser.parse_args()
    laps = json.loads(asked.laps.read_text(encoding="utf-8"))
    wanted = {"method 2"} if asked.bends else set(MODES)
    laps = [lap for lap in laps if lap["entrant"] in wanted]
    tasks = [(path, topic) for path in asked.data for topic in race_topics(read_collection(path))]
    with ProcessPoolExecutor(asked.jobs) as pool:
        if asked.bends:
            ratios = {}
            for bend in asked.bends:
                work = [pool.submit(of_topic, *task, bend, laps, 0) for task in tasks]
                ratios[bend] = by_collection([row for one in work for row in one.result()])
            return print(*chosen(ratios), sep="\n")
        work = [
            pool.submit(of_topic, path, topic, HELD_OUT[path.stem], laps, asked.runs)
            for path, topic in tasks
        ]
        results = list(grouped([row for one in work for row in one.result()]))
    for row in results:
        print(*(f"{value}" for value in row.values()), sep="  ", flush=True)
    if asked.keep:
        keep(asked.keep, results)
    return None


def by_collection(rows: list[Row]) -> dict[str, float]:
    """The mean log of labels used over those forecast."""
    names = sorted({row["collection"] for row in rows})
    own = {
        name: [r["ratio"] for r in rows if r["collection"] == name and r["ratio"]] for name in names
    }
    return {name: float(np.mean(np.log(ratios))) for name, ratios in own.items()}


def chosen(ratios: dict[float, dict[str, float]]) -> Iterator[str]:
    """For each collection what every bend gives, and the bend that the others choose."""
    bends = sorted(ratios)
    grid = np.arange(bends[0], bends[-1] + 0.005, 0.01)
    line = {
        name: np.interp(grid, bends, [ratios[bend][name] for bend in bends])
        for name in ratios[bends[0]]
    }
    for name in (*line, None):
        best = int(np.argmin(sum(one**2 for other, one in line.items() if other != name)))
        shown = "all together" if name is None else f"{name} {np.exp(line[name][best]):.3f} at"
        yield f"{shown} {grid[best]:.2f}"


def grouped(rows: list[Row]) -> Any:
    """Rows of every share of the pool and of every collection, and all together."""
    for key, names in (
        ("collection", sorted({row["collection"] for row in rows})),
        ("band", [name for _, name in BANDS]),
    ):
        for name in names:
            own = [row for row in rows if row[key] == name]
            where = f"race: {name}"
            yield from summed(own, where, len({row["world"] for row in own}))
    yield from summed(rows, "race: all", len({row["world"] for row in rows}))


if __name__ == "__main__":
    main()
