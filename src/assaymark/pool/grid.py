"""A fine grid on the score axis that every engine computes alike, and bins cut from it.

A score s in [low, high] becomes u = (s − low)/(high − low), then x = √(u/2) below one half and
1 − √((1−u)/2) above, then floor(16384·x). The grid is finest at both ends, where classifiers pile
up their scores. Subtraction, division and square root are correctly rounded everywhere, so two
engines give the same integers. Tied scores share a position, so no cut ever splits them.
"""

from collections.abc import Sequence

from assaymark.records.pool import Histogram

STEPS = 16384
BINS = 500  # per predicted class, at most


def grid_sql(score: str, low: float, high: float) -> str:
    """SQL for the grid position of a finite score in [low, high]; any SQL engine's square root."""
    if high <= low:
        return "0"
    u = unit_sql(score, low, high)
    # abs() changes no value in the range; before DuckDB 2.0 both branches are computed for every row
    x = f"CASE WHEN {u} < 0.5 THEN sqrt(abs({u}) / 2) ELSE 1 - sqrt(abs(1 - {u}) / 2) END"
    return f"least({STEPS - 1}, CAST(floor({STEPS} * ({x})) AS INTEGER))"


def unit_sql(score: str, low: float, high: float) -> str:
    """SQL for the score mapped from its range onto [0, 1]."""
    if high <= low:
        return "0.0"
    # typed literals: a bare 0.1 would be an exact decimal in some engines
    return f"(({score} - CAST({low!r} AS DOUBLE)) / CAST({high - low!r} AS DOUBLE))"


def score_of(position: int, low: float, high: float) -> float:
    """The score at a grid position: where its items begin.

    >>> score_of(8192, 0.0, 1.0)
    0.5
    """
    x = position / STEPS
    u = 2 * x * x if x < 0.5 else 1 - 2 * (1 - x) ** 2
    return low + (high - low) * u


def merge(positions: Sequence[int], counts: Sequence[int], sums: Sequence[int]) -> Histogram:
    """At most BINS bins of about equal count from the fine grid; a spike keeps a bin of its own."""
    target = max(1, sum(counts) // BINS)
    edges: list[int] = []
    merged_counts: list[int] = []
    merged_sums: list[int] = []
    for position, count, total in zip(positions, counts, sums, strict=True):
        if not edges or merged_counts[-1] + count > target:
            edges.append(position)
            merged_counts.append(0)
            merged_sums.append(0)
        merged_counts[-1] += count
        merged_sums[-1] += total
    return Histogram(
        edges=(*edges, STEPS) if edges else (),
        counts=tuple(merged_counts),
        sums=tuple(merged_sums),
    )
