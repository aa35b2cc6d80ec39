"""SARIF: alerts of detection rules, each an item that is predicted positive."""

from collections import Counter
from pathlib import Path
from typing import Any

from assaymark.errors import InputError
from assaymark.files.tool_output.rows import Choices, ConvertedPool, read_json, refuse_version

VERSIONS = ("2.1.0",)


def convert(path: Path, choices: Choices) -> ConvertedPool:
    """One row per result: its rule, its message, where it is, and the code it points at."""
    log = read_json(path)
    if not isinstance(log, dict) or not isinstance(log.get("runs"), list):
        raise InputError(f"{path.name!r} is no SARIF: it has no runs.")
    refuse_version(path, log.get("version"), VERSIONS)
    results = [one for run in log["runs"] for one in run.get("results") or ()]
    alerts = [one for one in results if one.get("kind", "fail") == "fail"]
    remarks: tuple[str, ...] = ()
    if len(alerts) < len(results):
        remarks = (f"{len(results) - len(alerts):,} results that are no alerts were left out.",)
    rows = [_row(one) for one in alerts if choices.rule in (None, one.get("ruleId"))]
    return alert_pool(rows, remarks)


def alert_pool(rows: list[dict[str, Any]], remarks: tuple[str, ...] = ()) -> ConvertedPool:
    """Alerts as a pool: all predicted positive, the rule as the group."""
    if not rows:
        raise InputError("The file holds no alert.")
    counts: Counter[str] = Counter()
    for row in rows:
        counts[row["id"]] += 1
        if counts[row["id"]] > 1:  # the same rule at the same place
            row["id"] += f" ({counts[row['id']]})"
    text = tuple(name for name in rows[0] if name not in ("id", "alert", "rule"))
    rules = len({row["rule"] for row in rows})
    return ConvertedPool(
        rows=tuple(rows),
        prediction="alert",
        text=("rule", *text),
        group="rule",
        remarks=(*remarks, f"{len(rows):,} alerts of {rules:,} rules."),
    )


def _row(one: dict[str, Any]) -> dict[str, Any]:
    place = ((one.get("locations") or [{}])[0].get("physicalLocation")) or {}
    region = place.get("region") or {}
    rule = str(one.get("ruleId") or (one.get("rule") or {}).get("id") or "without a rule")
    uri = str((place.get("artifactLocation") or {}).get("uri") or "")
    line = region.get("startLine")
    where = f"{uri}:{line}" if line else uri
    message = one.get("message") or {}
    return {
        "id": f"{rule} {where}".strip(),
        "rule": rule,
        "alert": 1,
        "message": str(message.get("text") or message.get("id") or ""),
        "place": where,
        "code": str((region.get("snippet") or {}).get("text") or ""),
    }
