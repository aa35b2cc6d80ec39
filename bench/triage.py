"""Triage: the exact optimum, the yield curve, and routing against a copy by the same engine."""

import json
import shutil
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from assaymark.stats.labelled_scores import labelled
from assaymark.triaging.stats.optimal_cutoffs import best_cutoffs, sweep, yield_curve
from measure import ASSAYMARK, best, report, run
from pool import make, query

ROWS = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
CUTS = {
    "schema": 1, "rule": "empirical", "target": 0.9, "delta": 0.1, "certified": False,
    "cutoffs": {"low": 0.05, "high": 0.8}, "score": "score", "promise": "none", "labels": 500,
    "automated_share": 0.5, "placed_by": "bench", "sources": [], "software": "bench",
}  # fmt: skip


def data(size: int):
    rng = np.random.default_rng(42)
    labels = rng.random(size) < 0.4
    return labelled(rng.normal(labels * 1.0, 1.0), labels)


def seconds(work) -> float:
    took = []
    for _ in range(3):
        start = time.perf_counter()
        work()
        took.append(time.perf_counter() - start)
    return min(took)


def routing(folder: Path) -> bool:
    path = make(ROWS)
    (folder / "cuts.json").write_text(json.dumps(CUTS), encoding="utf-8")
    empty = query("SELECT 1")
    copied = query(
        f"COPY (SELECT * FROM '{path}') TO '{folder}/copy.parquet' (FORMAT parquet, COMPRESSION zstd)"
    )

    def route():
        shutil.rmtree(folder / "routed", ignore_errors=True)
        words = ["--thresholds", folder / "cuts.json", "--pool", path, "--id", "id"]
        return run([ASSAYMARK, "triage", "route", *words, "-o", folder / "routed"])

    routed = best(route)
    print(f"      (copy {copied.cpu:.2f} s, routing {routed.cpu:.2f} s of CPU with start-up)")
    ratio = (routed.cpu - empty.cpu) / (copied.cpu - empty.cpu)
    return report(f"routing {ROWS:,} rows: CPU over a copy by DuckDB", ratio, 3, " ×")


def main() -> bool:
    good = True
    for size, bar in ((500, 0.001), (1_000_000, 1.0)):
        items = data(size)
        took = seconds(lambda items=items: best_cutoffs(sweep(items), 0.9))
        good &= report(f"exact optimum of {size:,} labels", took, bar, " s")
    items = data(100_000)
    targets = [round(0.5 + 0.01 * k, 2) for k in range(50)]
    took = seconds(lambda: yield_curve(sweep(items), targets))
    good &= report("yield curve of 50 targets, 100,000 labels", took, 1, " s")
    folder = Path(tempfile.mkdtemp())
    good &= routing(folder)
    shutil.rmtree(folder)
    return good


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
