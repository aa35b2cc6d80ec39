"""Ten million rows of parquet: init and plan against the scans they cannot avoid."""

import shutil
import sys
import tempfile
from pathlib import Path

import duckdb

from measure import assaymark, best, report, run

ROWS = 10_000_000
DATA = Path(__file__).parent / "data"


def make(rows: int) -> Path:
    path = DATA / f"pool-{rows}.parquet"
    if not path.exists():
        DATA.mkdir(exist_ok=True)
        duckdb.sql(
            f"""COPY (SELECT (i * 2654435761) % 4611686018427387847 AS id,
                       power(random(), 4) AS score,
                       'text of item number ' || i AS body
                FROM range({rows}) t(i)) TO '{path}' (FORMAT parquet, COMPRESSION zstd)"""
        )
    return path


def query(sql: str, repeats: int = 3):
    code = f"import duckdb; duckdb.connect().execute({sql!r}).fetchall()"
    return best(lambda: run([sys.executable, "-c", code]), repeats)


def main() -> bool:
    path = make(ROWS)
    work = Path(tempfile.mkdtemp())
    good = True
    empty = query("SELECT 1")
    floor = query(f"SELECT count(*), min(score), max(score), avg(score) FROM '{path}'")
    distinct = query(f"SELECT count(DISTINCT id) FROM '{path}'")
    ticket = query(f"SELECT max(sha256('seed:' || id)) FROM '{path}'")
    options = ["--id", "id", "--score", "score", "--threshold", "0.5", "--text", "body"]

    def init():
        shutil.rmtree(work / "p", ignore_errors=True)
        return assaymark("init", work / "p", "--pool", path, *options)

    begun = best(init)
    unavoidable = floor.cpu + distinct.cpu - 2 * empty.cpu
    good &= report(
        f"init, {ROWS:,} rows: CPU over scan + distinct ids",
        (begun.cpu - empty.cpu) / unavoidable,
        4,
        " ×",
    )
    code = (
        "from assaymark.pool import open_pool; from assaymark.records.pool import Columns; "
        "from assaymark.records.plan import Stratum; "
        f"open_pool({str(path)!r}, Columns(id='id', score='score', threshold=0.5, text=('body',)))"
        f".reserve('seed', strata=[Stratum(items={ROWS})], limits=[5000])"
    )
    tickets = best(lambda: run([sys.executable, "-c", code]))
    passes = ticket.cpu - empty.cpu
    good &= report(
        "plan's ticket pass: CPU over a bare sha256 scan",
        (tickets.cpu - empty.cpu) / passes,
        1.5,
        " ×",
    )
    planned = assaymark("plan", "f1 >= 0.75", "--mode", "fixed", "--budget", 5000, "-p", work / "p")
    good &= report("peak memory of init and plan", max(begun.peak_gb, planned.peak_gb), 2, " GB")
    drawn = assaymark("draw", 500, "-o", work / "b.csv", "-p", work / "p")
    good &= report("draw of 500, wall with start-up", drawn.wall, 1, " s")
    print(
        f"      (floor {floor.cpu:.2f} s, distinct {distinct.cpu:.2f} s, sha256 {ticket.cpu:.2f} s, "
        f"init {begun.cpu:.2f} s, plan {planned.cpu:.2f} s of CPU)"
    )
    shutil.rmtree(work)
    return good


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
