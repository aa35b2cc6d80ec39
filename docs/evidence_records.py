"""Measured results: one file per topic in docs/evidence/results, joined into one file per kind.

A result is a flat record. `docs/evidence/papers.json` and its like are joined from
`results/papers-*.json`; the pages are written from them alone, so no page shows a number that is
not in a record.
"""

import json
from pathlib import Path
from typing import Any

Record = dict[str, Any]

FOLDER = Path(__file__).parent / "evidence"
RESULTS = FOLDER / "results"
FIELDS = {
    "papers": ("paper", "row", "theirs", "ours", "runs", "data", "why", "command"),
    "validity": (
        "promise",
        "world",
        "nominal",
        "measured",
        "low",
        "high",
        "runs",
        "test",
        "size",
    ),
    "peers": (
        "task",
        "peer",
        "version",
        "data",
        "confidence",
        "seed",
        "runs",
        "labels",
        "overclaim",
        "overclaim_peeking",
        "seconds",
        "wins",
        "command",
    ),
    "runs": ("step", "size", "command", "finished", "seconds", "cpu_seconds", "machine"),
    "performance": ("what", "measured", "bar", "unit", "ratio", "limit", "command", "machine"),
}
WORLDS = ("exact", "made", "adversary", "real")


class RecordError(ValueError):
    """A file of results that cannot be joined, with the reason."""


def read(kind: str, folder: Path = RESULTS) -> list[Record]:
    """All records of a kind, in the order of their files."""
    found = []
    for path in sorted(folder.glob(f"{kind}-*.json")):
        for record in json.loads(path.read_text(encoding="utf-8")):
            _check(kind, record, path)
            found.append(record)
    return found


def _check(kind: str, record: Record, path: Path) -> None:
    if set(record) != set(FIELDS[kind]):
        odd = sorted(set(record) ^ set(FIELDS[kind]))
        raise RecordError(f"{path.name}: fields missing or not known: {', '.join(odd)}.")
    nested = [name for name, value in record.items() if isinstance(value, list | dict)]
    if nested:
        raise RecordError(f"{path.name}: {', '.join(nested)} must be one value, not several.")
    if kind == "papers" and record["ours"] is None and not record["why"]:
        raise RecordError(f"{path.name}: {record['row']!r} has no figure and no reason.")
    if kind == "papers" and record["ours"] is not None and not record["command"]:
        raise RecordError(f"{path.name}: {record['row']!r} has a figure and no command.")
    if kind == "validity" and record["world"].split(":")[0] not in WORLDS:
        raise RecordError(f"{path.name}: a world begins with one of {', '.join(WORLDS)}.")


def written(records: list[Record]) -> str:
    """Records as they stand in a file."""
    return json.dumps(records, ensure_ascii=False, indent=1) + "\n"


def joined(folder: Path = RESULTS) -> dict[str, str]:
    """The text of each joined file, by its name."""
    return {f"{kind}.json": written(read(kind, folder)) for kind in FIELDS}
