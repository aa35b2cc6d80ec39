"""Recall from pairs: neighbours of seed terms over a million short texts, and the estimators."""

import sys
import time
from pathlib import Path

import duckdb

from assaymark.pair_recall.overlap import CellSample
from assaymark.pair_recall.stats.capture_recapture import recall_from_pair
from assaymark.pair_recall.stats.outside_union import with_outside
from assaymark.pair_recall.stats.three_lists import TRIPLE_CELLS, recall_from_triple
from measure import assaymark, report

ROWS = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
DATA = Path(__file__).parent / "data"


def make(rows: int) -> Path:
    """Texts of 12 words from 200,000, frequent ones first; a topic of one in a thousand."""
    path = DATA / f"texts-{rows}.parquet"
    if not path.exists():
        DATA.mkdir(exist_ok=True)
        words = ", ".join(
            f"'w' || CAST(floor(power(random(), 5) * 200000) AS INTEGER) || '{' '}'"
            for _ in range(12)
        )
        duckdb.sql(
            f"""COPY (SELECT i AS id, concat({words}, CASE WHEN i % 1000 = 0 THEN 'mars ' ELSE '' END,
                CASE WHEN (i % 1000 = 0 AND random() < 0.6) OR random() < 0.0005 THEN 'rover' ELSE '' END)
                AS body FROM range({rows}) t(i)) TO '{path}' (FORMAT parquet, COMPRESSION zstd)"""
        )
    return path


def milliseconds(function, repeats: int = 200) -> float:
    function()
    best = float("inf")
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(repeats):
            function()
        best = min(best, (time.perf_counter() - start) / repeats)
    return 1000 * best


def main() -> bool:
    path = make(ROWS)
    cost = assaymark("keywords", "--pool", path, "--text", "body", "--seed-terms", "mars,#mars")
    good = report(f"neighbours of a seed set, {ROWS:,} short texts, wall", cost.wall, 60, " s")
    good &= report("the same, peak memory", cost.peak_gb, 2, " GB")
    pair = {name: CellSample(items=9000, labels=300, positives=150) for name in ("11", "10", "01")}
    every = pair | {"00": CellSample(items=1_000_000, labels=500, positives=1)}
    triple = {name: CellSample(items=900, labels=100, positives=50) for name in TRIPLE_CELLS}
    good &= report("estimate from a pair", milliseconds(lambda: recall_from_pair(pair)), 1, " ms")
    joined = milliseconds(lambda: with_outside(recall_from_pair(pair), every))
    good &= report("estimate with labels outside", joined, 1, " ms")
    good &= report(
        "estimate from three", milliseconds(lambda: recall_from_triple(triple)), 1, " ms"
    )
    return good


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
