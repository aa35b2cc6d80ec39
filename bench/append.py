"""One more label into a long ledger: a command reads on from the state that the last one kept.

python bench/append.py                  200,000 events
python bench/append.py --events 20000   a short run

CPU seconds of `assaymark label` on one label, beyond those of the same command in a project with a
handful of events; and of `assaymark check`, which reads everything and must say the same of both.
"""

import argparse
import csv
import os
import sys
import tempfile
from pathlib import Path

from assaymark.files.labels import LabelRow
from assaymark.labelling.recording import label
from assaymark.project.folder import Project
from house import _write_pool
from measure import assaymark, report

LIMIT = 0.2  # seconds beyond start-up


def begun(folder: Path, items: int) -> tuple[Path, list[str]]:
    """A project whose simple plan has drawn that many items."""
    folder.mkdir()
    pool, work = folder / "pool.csv", folder / "work"
    _write_pool(pool, items + items // 10)
    batch = folder / "batch.csv"
    columns = ("--id", "id", "--score", "score", "--threshold", 0.5)
    for command in (
        ("init", work, "--pool", pool, *columns),
        ("plan", "accuracy >= 0.6", "--mode", "fixed", "--budget", items, "-p", work),
        ("draw", "-o", batch, "-p", work),
    ):
        assaymark(*command)
    with batch.open(newline="", encoding="utf-8-sig") as stream:
        return work, [row["id"] for row in csv.DictReader(stream)]


def filled(work: Path, drawn: list[str], events: int) -> None:
    """Label by as many people as it takes, and leave the last item open."""
    rows, person = events, 0
    while rows > 0:
        person += 1
        now = drawn[: min(rows, len(drawn) - 1)]
        given = [LabelRow(item=item, label=1, annotator=f"person {person}") for item in now]
        label(Project(folder=work), given)
        rows -= len(now)


def one_label(work: Path, item: str, who: str) -> float:
    file = work.parent / "one.csv"
    file.write_text(f"id,label\n{item},1\n", encoding="utf-8")
    return assaymark("label", file, "--annotator", who, "-p", work).cpu


def main() -> bool:
    parser = argparse.ArgumentParser()
    parser.add_argument("--events", type=int, default=200_000)
    events = parser.parse_args().events
    with tempfile.TemporaryDirectory() as place:
        os.environ["XDG_CACHE_HOME"] = str(Path(place) / "cache")
        small, few = begun(Path(place) / "small", 50)
        long, many = begun(Path(place) / "long", events // 2)
        filled(long, many, events)
        started = min(one_label(small, few[-1], f"p{i}") for i in range(3))
        first = one_label(long, many[-1], "a")  # reads everything and keeps it
        later = min(one_label(long, many[-1], f"b{i}") for i in range(3))
        for work in (small, long):
            assaymark("check", "-p", work)
    report(f"first label after {events:,} events, beyond start-up", first - started, 60, " s CPU")
    return report(
        f"next label after {events:,} events, beyond start-up", later - started, LIMIT, " s CPU"
    )


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
