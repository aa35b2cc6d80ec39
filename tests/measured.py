"""What tests measure of a promise: how often it failed, kept as records of validity.

With ASSAYMARK_VALIDITY=FILE in the environment the worst of each promise and world is written there:
`make validity` does it. Without it nothing is kept, and the tests assert as always.
"""

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scipy.special import betaincinv


def interval(wrong: int, runs: int) -> tuple[float, float]:
    """Clopper and Pearson's 95 % interval of a share."""
    low = float(betaincinv(wrong, runs - wrong + 1, 0.025)) if wrong else 0.0
    high = float(betaincinv(wrong + 1, runs - wrong, 0.975)) if wrong < runs else 1.0
    return low, high


def add_count(
    properties: list[tuple[str, object]], world: str, errors: int, runs: int, level: float
) -> None:
    """What a test counted in a world, and as its result the worst of all worlds that it counted in."""
    counts = [value for name, value in properties if name == "counts"]
    known: list[dict[str, Any]] = counts[-1] if counts else []  # type: ignore[assignment]
    known = [*known, {"world": world, "errors": errors, "runs": runs, "level": level}]
    worst = max(known, key=lambda one: one["errors"] / (one["runs"] * one["level"]))
    properties += [("counts", known)]
    properties += [(name, worst[name]) for name in ("errors", "runs", "level")]


@dataclass(kw_only=True)
class Measured:
    """Records by promise, world and test; of several the worst is kept."""

    records: dict[tuple[str, str, str], dict[str, Any]] = field(default_factory=dict)

    def add(self, record: dict[str, Any]) -> None:
        """Keep it, unless a worse one is known."""
        key = (record["promise"], record["world"], record["test"])
        old = self.records.get(key)
        ratio = record["measured"] / record["nominal"]
        if old is None or ratio > old["measured"] / old["nominal"]:
            self.records[key] = record
            self.write()  # at once: a run that is cut off keeps what it found

    def write(self) -> None:
        """To the file that was asked for, beside what other runs wrote there."""
        asked = os.environ.get("ASSAYMARK_VALIDITY")
        if not asked or not self.records:
            return
        path = Path(asked)
        if path.exists():
            for record in json.loads(path.read_text(encoding="utf-8")):
                self.records.setdefault(
                    (record["promise"], record["world"], record["test"]), record
                )
        rows = sorted(self.records.values(), key=lambda r: (r["promise"], r["world"], r["test"]))
        path.write_text(json.dumps(rows, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
