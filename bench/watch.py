"""How long `watch` takes on a million new scores, and `doctor` on a million rows. Limit: 5 s each.

`doctor` is asked twice: of a random sample, and of labels that weights repair, with a collection of
twice as many rows.

python bench/watch.py [ROWS]
"""

import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

from assaymark.ledger.head import settle_heads
from gate import certify_claim, write_pool

LIMIT = 5.0  # seconds
RUNS = 3
FORMS = ("parquet", "csv")


def write_rows(place: Path, rows: int) -> None:
    """Scores with labels by five annotators, and a collection of twice as many, in both formats."""
    for name, count in (("new", rows), ("collection", 2 * rows)):
        sql = (
            "SELECT 'n' || i AS id, "
            "round(least(greatest(hash(i) % 10000 / 10000.0, 0.01), 0.99), 4) AS score, "
            "CAST(hash(i + 7) % 10000 / 10000.0 < 0.2 AS INTEGER) AS label, 'a' || (i % 5) AS who "
            f"FROM range({count}) t(i)"
        )
        for form in FORMS:
            duckdb.sql(f"COPY ({sql}) TO '{place / name}.{form}' (FORMAT {form})")


def timed(*words: object) -> tuple[float, float]:
    """The best time of a few runs, and the least processor time of one."""
    command = [sys.executable, "-m", "assaymark", *map(str, words), "--json"]
    seconds, work = [], []
    for _ in range(RUNS):
        start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, capture_output=True, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(time.perf_counter() - start)
        work.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        assert done.returncode in (0, 5), done.stderr
        assert json.loads(done.stdout)
    return min(seconds), min(work)


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    place = Path(tempfile.mkdtemp(prefix="assaymark-watch-"))
    try:
        (place / "claims").mkdir()
        certify_claim(place, 0, write_pool(place / "pool.csv"))
        settle_heads()
        write_rows(place, rows)
        work = place / "work-0"
        doctor = ("--score", "score", "--threshold", 0.5, "--id", "id", "--annotator", "who")
        figures = {}
        for form in FORMS:
            new, pool = place / f"new.{form}", place / f"collection.{form}"
            weighted = ("--strata", "prediction", "--pool", pool)
            figures[f"watch, {form}"] = timed("watch", new, "-p", work)
            figures[f"doctor, random, {form}"] = timed("doctor", new, *doctor, "--random")
            figures[f"doctor, weights, {form}"] = timed("doctor", new, *doctor, *weighted)
    finally:
        shutil.rmtree(place)
    print(f"{rows:,} rows, start of Python included, best of {RUNS}:")
    for name, (seconds, work) in figures.items():
        word = "kept" if seconds <= LIMIT else "MISSED"
        print(
            f"{name:<24} {seconds:6.2f} s, {work:5.2f} s of processor time (limit {LIMIT:g} s: {word})"
        )


if __name__ == "__main__":
    main()
