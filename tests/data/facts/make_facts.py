"""Writes the inputs and the facts of a few tiny projects, one of every mode and design.

Run once with the statistics that are to be kept: `python tests/data/facts/make_facts.py`. Every later
version has to reproduce the facts, which `tests/replication/test_facts.py` checks.
"""

import csv
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))

from facts_of_projects import CASES, facts  # noqa: E402


def write_pools() -> None:
    """One pool of 600 scored items with its truth."""
    rng = np.random.default_rng(7)
    truth = (rng.random(600) < 0.25).astype(int)
    scores = np.round(1 / (1 + np.exp(-rng.normal(4.0 * truth - 2.0, 1.2))), 3)
    with (HERE / "pool.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "score", "predicted"])
        writer.writerows([f"d{i:03d}", s, int(s >= 0.5)] for i, s in enumerate(scores))
    with (HERE / "truth.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "label"])
        writer.writerows([f"d{i:03d}", y] for i, y in enumerate(truth))


def written(found: dict[str, Any]) -> str:
    """JSON with one line for each draw and each look."""
    parts = []
    for key, value in found.items():
        rows = value if key in ("strata", "draws", "chances", "looks") else None
        text = json.dumps(value) if rows is None else _rows(rows)
        parts.append(f"{json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _rows(rows: list[Any]) -> str:
    return "[\n " + ",\n ".join(json.dumps(row) for row in rows) + "\n]" if rows else "[]"


def main() -> None:
    """Write pool, truth and the facts of every case."""
    write_pools()
    for name in CASES:
        with tempfile.TemporaryDirectory() as folder:
            found = facts(name, Path(folder) / "work")
        (HERE / f"{name}.json").write_text(written(found), encoding="utf-8")


if __name__ == "__main__":
    main()
