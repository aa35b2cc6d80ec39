"""Run the steps that are not finished yet, and write the records and pages of evidence.

    python bench/evidence/run.py [--size small|full] [--data FOLDER] [--minutes M] [--only STEP]

Interrupted, it goes on where it was. A record is replaced only by one that rests on real data where
the other did not, or on at least as many runs.
"""

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE.parent), str(ROOT / "docs")]

import evidence_pages  # noqa: E402
from evidence_records import RESULTS, written  # noqa: E402

from evidence import estimates, limits, papers, race, validity  # noqa: E402
from evidence.steps import FULL, SMALL, Done, MissingDataError, files_of, finished, run  # noqa: E402

WORK = ROOT / "build" / "evidence"


def main() -> int:
    """Run, collect, write."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--size", choices=("small", "full"), default="small")
    options.add_argument("--data", type=Path)
    options.add_argument("--minutes", type=float, help="stop after so many; the next call goes on")
    options.add_argument("--only", help="run this step alone")
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--work", type=Path, default=WORK, help="where the lab leaves its tables")
    asked = options.parse_args()
    end = None if asked.minutes is None else time.monotonic() + 60 * asked.minutes
    steps = SMALL if asked.size == "small" else (*SMALL, *FULL)
    done, left = [], []
    for step in steps:
        try:
            files = files_of(step, asked.data)
        except MissingDataError as missing:
            print(f"left out: {missing}")
            left.append(step.name)
            continue
        found = finished(step, asked.work, files)
        wanted = asked.only in (None, step.name)
        if found is None and wanted and (end is None or time.monotonic() < end):
            limit = None if end is None else max(5.0, end - time.monotonic())
            print(f"running {step.command}", flush=True)
            if run(step, asked.work, files, jobs=asked.jobs, limit=limit):
                found = finished(step, asked.work, files)
        if found is None:
            print(f"not finished: {step.name}")
            left.append(step.name)
            continue
        print(
            f"{step.name}: {found.seconds:.0f} s, {found.cpu_seconds or 0:.0f} s of processor time"
        )
        done.append(found)
    collect(done, whole=asked.only is None)
    note_runs(done)
    evidence_pages.write()
    print(f"{len(done)} of {len(steps)} steps finished; records and pages are in docs/evidence")
    return 0 if not left or asked.size == "full" else 1


def note_runs(done: list[Done]) -> None:
    """Which steps stand behind the figures; a step that another run finished stays finished."""
    path = RESULTS / "runs-lab.json"
    before = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    known = {row["command"]: row for row in before if row["finished"]}
    mine = {one.step.command: one for one in done}
    rows = []
    for size, steps in (("small", SMALL), ("full", FULL)):
        for step in steps:
            one = mine.get(step.command)
            new = {
                "step": step.name,
                "size": size,
                "command": step.command,
                "finished": one is not None,
                "seconds": None if one is None else one.seconds,
                "cpu_seconds": None if one is None else one.cpu_seconds,
                "machine": None if one is None else one.machine,
            }
            rows.append(new if one is not None else known.get(step.command, new))
    path.write_text(written(rows), encoding="utf-8")


def collect(done: list[Done], *, whole: bool) -> None:
    """The records of every paper, joined with what was measured before."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    for paper, rows in papers.records(done).items():
        path = RESULTS / f"papers-{paper}.json"
        before = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
        path.write_text(written(merged(before, rows, whole=whole)), encoding="utf-8")
    for name, rows in (("performance-limits", limits), ("validity-lab", validity)):
        found = rows.records(done)
        if found:
            path = RESULTS / f"{name}.json"
            before = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
            path.write_text(written(joined(before, found)), encoding="utf-8")

    for name, kept in race.records(done).items():
        path = RESULTS / f"{name}.json"
        before = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
        others = [row for row in before if "certify-race" not in row["command"]]
        path.write_text(written([*kept, *others]), encoding="utf-8")
    for name, text in race.tables(done).items():
        (RESULTS / f"{name}.json").write_text(text, encoding="utf-8")
    collect_estimates(done)


def collect_estimates(done: list[Done]) -> None:
    """Errors of estimates: figures of pools that were not run today stay."""
    if not estimates.finished_steps(done):
        return
    path = RESULTS / "performance-estimates.json"
    now = estimates.records(done)
    commands = {row["command"] for row in now}
    kept = [row for row in _read(path) if row["command"] not in commands]
    path.write_text(written([*now, *kept]), encoding="utf-8")
    path = RESULTS / f"{estimates.TABLE}.json"
    path.write_text(estimates.cells(done, _read(path)), encoding="utf-8")


def _read(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else found


def merged(
    before: list[dict[str, Any]], now: list[dict[str, Any]], *, whole: bool = True
) -> list[dict[str, Any]]:
    """Today's rows, each kept as it was where the older figure says more.

    Rows that today cannot have (a collection that is not at hand) stay, after their place. Where not
    the whole set was asked for, every row and its place stay.
    """
    known, names = {row["row"]: row for row in before}, {row["row"] for row in now}
    kept = [row for row in before if row["row"] not in names and (_real(row) or not whole)]
    places = {_place(row) for row in kept}
    found: list[dict[str, Any]] = []
    for row in now:
        if row["row"] in known:
            found.append(known[row["row"]] if _says_more(known[row["row"]], row) else row)
        elif row["ours"] is not None or _place(row) not in places:
            found.append(row)
    for row in kept:
        same = [i for i, one in enumerate(found) if _place(one) == _place(row)]
        found.insert(same[-1] + 1 if same else len(found), row)
    if not whole:
        places = {name: place for place, name in enumerate(known)}
        found.sort(key=lambda row: places.get(row["row"], len(places)))
    return found


def joined(before: list[dict[str, Any]], now: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Today's records, and those of other runs of the lab that today's data cannot have."""

    def name(row: dict[str, Any]) -> tuple[Any, ...]:
        return row.get("what"), row.get("promise"), row.get("world")

    names = {name(row) for row in now}
    return [*now, *(row for row in before if name(row) not in names)]


def _place(row: dict[str, Any]) -> str:
    return str(row["row"]).split(",")[0]


def _real(row: dict[str, Any]) -> bool:
    """Whether the figure rests on a collection, or on figures that the paper prints."""
    names = {"the paper's", *(name for step in FULL for name in step.files)}
    return row["ours"] is not None and any(name in (row["data"] or "") for name in names)


def _says_more(old: dict[str, Any], new: dict[str, Any]) -> bool:
    def weight(row: dict[str, Any]) -> tuple[bool, bool, int]:
        return row["ours"] is not None, _real(row), row["runs"] or 0

    return weight(old) > weight(new)


if __name__ == "__main__":
    sys.exit(main())
