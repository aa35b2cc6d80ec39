"""How long `watch` takes on a million new scores, and `doctor` on a million rows. Limit: 5 s each.

python bench/watch.py [ROWS]
"""

import json
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


def write_rows(place: Path, rows: int) -> None:
    """A million scores in parquet and CSV, and labels by two annotators with gaps."""
    sql = (
        "SELECT 'n' || i AS id, round(least(greatest(hash(i) % 10000 / 10000.0, 0.01), 0.99), 4) AS score, "
        "CAST(hash(i + 7) % 10000 / 10000.0 < 0.2 AS INTEGER) AS label, 'a' || (i % 5) AS who "
        f"FROM range({rows}) t(i)"
    )
    for name, form in (("new.parquet", "parquet"), ("new.csv", "csv")):
        duckdb.sql(f"COPY ({sql}) TO '{place / name}' (FORMAT {form})")


def timed(*words: object) -> float:
    command = [sys.executable, "-m", "assaymark", *map(str, words), "--json"]
    seconds = []
    for _ in range(RUNS):
        start = time.perf_counter()
        done = subprocess.run(command, capture_output=True, check=False)
        seconds.append(time.perf_counter() - start)
        assert done.returncode in (0, 5), done.stderr
        assert json.loads(done.stdout)
    return min(seconds)


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    place = Path(tempfile.mkdtemp(prefix="assaymark-watch-"))
    try:
        (place / "claims").mkdir()
        certify_claim(place, 0, write_pool(place / "pool.csv"))
        settle_heads()
        write_rows(place, rows)
        work = place / "work-0"
        doctor = (
            "--score",
            "score",
            "--threshold",
            0.5,
            "--id",
            "id",
            "--annotator",
            "who",
            "--random",
        )
        figures = {
            f"watch, {form}": timed("watch", place / f"new.{form}", "-p", work)
            for form in ("parquet", "csv")
        } | {
            f"doctor, {form}": timed("doctor", place / f"new.{form}", *doctor)
            for form in ("parquet", "csv")
        }
    finally:
        shutil.rmtree(place)
    print(f"{rows:,} rows, start of Python included, best of {RUNS}:")
    for name, seconds in figures.items():
        word = "kept" if seconds <= LIMIT else "MISSED"
        print(f"{name:<16} {seconds:6.2f} s (limit {LIMIT:g} s: {word})")


if __name__ == "__main__":
    main()
