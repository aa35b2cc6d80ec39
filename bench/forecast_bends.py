"""The bend of the calibration line that score-guided forecasts rehearse beside the straight line.

    python bench/forecast_bends.py --data FOLDER --keep docs/evidence/forecast-bends.json

It is the one constant of these forecasts that is fitted. Each collection is forecast with the one that
the others choose: the least sum of squares, over collections, of the mean log of labels used over those
forecast. Used are those of the race on record (`forecast_laps.py`), of claims with margins of 0.02 and
more. A row is one choice: `without` which collection, the `bend`, and for that collection what every
bend gives. The row without any is the program's.
"""

import argparse
import json
from pathlib import Path

import numpy as np

from assaymark.lab.corpora import read_collection
from assaymark.lab.experiments.certify_race.entrants import Course
from assaymark.lab.experiments.certify_race.experiment import race_topics
from forecast_laps import LAPS, LEAST_MARGIN, courses_of
from forecast_rows import Row

BENDS = (0.2, 0.3, 0.4, 0.5, 0.6)


def logs_of(path: Path, laps: list[Row]) -> list[float]:
    """The mean log of labels used over those forecast in one collection, with every bend."""
    courses = (
        one for topic in race_topics(read_collection(path)) for one in courses_of(path, topic, laps)
    )
    logs = [logs_of_claim(lap, course) for lap, course in courses if course.ideal]
    return [float(one) for one in np.mean(logs, axis=0)]


def logs_of_claim(lap: Row, course: Course) -> list[float]:
    """The log of labels used over those forecast with every bend."""
    walks = course.rehearsed((0.0, *BENDS)).labels.reshape(1 + len(BENDS), -1)
    line, *bent = walks.mean(axis=1).tolist()
    return [float(np.log(2 * lap["mean"] / (line + one))) for one in bent]


def chosen(logs: dict[str, list[float]]) -> list[Row]:
    """For each collection the bend that the others choose; without any the one that all choose."""
    rows = []
    for without in (*logs, None):
        squares = np.sum([np.square(log) for name, log in logs.items() if name != without], axis=0)
        ratios = (
            dict(zip(map(str, BENDS), np.exp(logs[without]).round(3).tolist(), strict=True))
            if without
            else {}
        )
        rows.append({"without": without, "bend": BENDS[int(np.argmin(squares))], "ratios": ratios})
    return rows


def main() -> None:
    """Choose, print and keep the choice."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--keep", type=Path)
    asked = parser.parse_args()
    laps = json.loads(LAPS.read_text(encoding="utf-8"))
    laps = [lap for lap in laps if lap["entrant"] == "method 2" and lap["margin"] >= LEAST_MARGIN]
    logs = {path.stem: logs_of(path, laps) for path in sorted(asked.data.glob("*.parquet"))}
    rows = chosen(logs)
    for row in rows:
        print(row, flush=True)
    if asked.keep:
        text = json.dumps(rows, indent=1) + "\n"
        asked.keep.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
