"""Today's forecasts against the runs of the race that are on record, by share of the pool and collection.

`docs/evidence/results/race-laps.json` has the labels that every claim took in every mode, and how often
it passed. The pools are built again from the collections, and the planner that exists now says what it
would have said. Fixed plans are left out: what they use is known beforehand (`forecasts.py` draws their
items). Score-guided claims are certified `RUNS` times more, for the typical number and that of
bad luck, which the laps do not tell.

Each collection is forecast with the bend of the calibration line that the others chose
(`forecast_bends.py`).
"""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from assaymark.certification.planning import guided_forecast
from assaymark.lab.corpora import read_collection
from assaymark.lab.experiments.certify_race.entrants import ENTRANTS, Course
from assaymark.lab.experiments.certify_race.experiment import race_topics, real_world
from assaymark.lab.experiments.certify_race.forecasts import FORECASTS
from assaymark.lab.tasks import rng_of
from assaymark.lab.worlds import claim_below
from forecast_rows import POWER, Row, one_row, summed

EVIDENCE = Path(__file__).parents[1] / "docs" / "evidence"
LAPS, CHOICE = EVIDENCE / "results" / "race-laps.json", EVIDENCE / "forecast-bends.json"
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
RUNS = 20  # of each claim, for the typical number and that of bad luck
LEAST_MARGIN = 0.02  # of claims that are certified more often: nearer ones take a pool each


def rows_of(lap: Row, course: Course) -> list[Row]:
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
    if lap["entrant"].startswith("method 2") and lap["margin"] >= LEAST_MARGIN:
        rows += luck(lap, course)
    return [row | {"band": band} for row in rows]


def luck(lap: Row, course: Course) -> Iterator[Row]:
    """Whether new runs of a score-guided claim ended within the typical number and that of bad luck."""
    rng = rng_of(SEED, "luck", lap["world"], lap["metric"], lap["margin"], lap["entrant"])
    mode, end = MODES[lap["entrant"]], course.ceiling
    hedged = lap["entrant"] == "method 2, ceiling"
    said = course.to_a_ceiling(course.scored, end or 1) if hedged else course.guided(course.scored)
    for labels in ENTRANTS[lap["entrant"]](course, RUNS, rng).used:
        yield one_row("typical", mode, 0.5, labels <= (said.median or 0))
        if not hedged:  # with a ceiling it is the ceiling, which nobody exceeds
            yield one_row("bad luck", mode, POWER, labels <= (said.quantile or 0))


def courses_of(path: Path, topic: str, laps: list[Row]) -> Iterator[tuple[Row, Course]]:
    """The laps of one pool with their claims."""
    world = real_world(path, topic, SEED)
    courses: dict[tuple[str, float], Course] = {}
    for lap in (lap for lap in laps if lap["world"] == world.name):
        key = (lap["metric"], lap["margin"])
        if key not in courses:
            claim = claim_below(world, lap["margin"], name=lap["metric"])
            courses[key] = Course(world=world, claim=claim)
        yield lap, courses[key]


def of_topic(path: Path, topic: str, bend: float, laps: list[Row]) -> list[Row]:
    """The rows of one pool."""
    guided_forecast.BENDS = (0.0, bend)
    found: list[Row] = []
    for lap, course in courses_of(path, topic, laps):
        rows = rows_of(lap, course)
        found += [row | {"world": topic} for row in rows]
    return found


def raced(data: Path) -> Iterator[list[Row]]:
    """Rows of every collection, then by share of the pool, then all together."""
    laps = [lap for lap in json.loads(LAPS.read_text(encoding="utf-8")) if lap["entrant"] in MODES]
    choice = json.loads(CHOICE.read_text(encoding="utf-8"))
    bends = {row["without"]: row["bend"] for row in choice}
    rows: list[Row] = []
    for path in sorted(data.glob("*.parquet")):
        topics = race_topics(read_collection(path))
        own = [row for topic in topics for row in of_topic(path, topic, bends[path.stem], laps)]
        rows += own
        yield together(own, path.stem)
    for _, band in BANDS:
        yield together([row for row in rows if row["band"] == band], band)
    yield together(rows, "all")


def together(rows: list[Row], where: str) -> list[Row]:
    """One row per forecast and mode."""
    return summed(rows, f"race: {where}", len({row["world"] for row in rows}))
