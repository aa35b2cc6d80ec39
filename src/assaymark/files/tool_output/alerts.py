"""A table of alerts: each row is one, with a column that names the rule."""

import csv
from pathlib import Path

from assaymark.errors import InputError
from assaymark.files.tool_output.rows import Choices, ConvertedPool, column_name
from assaymark.files.tool_output.sarif import alert_pool

RULES = ("rule", "rule_id", "rule_name", "signature", "detection")
IDS = ("id", "alert_id", "event_id", "uid")


def convert(path: Path, choices: Choices) -> ConvertedPool:
    """The rows of the table; every column but id and rule is text to read."""
    with path.open(newline="", encoding="utf-8-sig") as stream:
        table = list(csv.DictReader(stream))
    if not table:
        raise InputError(f"{path.name!r} holds no alert.")
    rule = _column(path, table[0], choices.rule, RULES, "--rule")
    item = _column(path, table[0], choices.id, IDS, "--id")
    rows = [
        {
            "id": row[item],
            "rule": row[rule],
            "alert": 1,
            **{column_name(n): v or "" for n, v in row.items() if n not in (item, rule, None)},
        }
        for row in table
    ]
    return alert_pool(rows)


def _column(
    path: Path, row: dict[str, str], named: str | None, usual: tuple[str, ...], option: str
) -> str:
    lowered = {name.lower(): name for name in row if name is not None}
    for name in (named,) if named else usual:
        if name.lower() in lowered:
            return lowered[name.lower()]
    raise InputError(f"Which column of {path.name!r}? Say {option}: {', '.join(row)}.")
