"""SARIF: alerts of detection rules, each an item that is predicted positive."""

from collections import Counter
from pathlib import Path
from typing import Any

from assaymark.claims.results import counted
from assaymark.errors import InputError
from assaymark.files.tool_output.rows import Choices, ConvertedPool, read_json, refuse_version

VERSIONS = ("2.1.0",)


def convert(path: Path, choices: Choices) -> ConvertedPool:
    """One row per result: its rule, its message, where it is, and the code it points at."""
    log = read_json(path)
    if not isinstance(log, dict) or not isinstance(log.get("runs"), list):
        raise InputError(f"{path.name!r} is no SARIF: it has no runs.")
    refuse_version(path, log.get("version"), VERSIONS)
    results = [(one, _rule(one, run)) for run in log["runs"] for one in run.get("results") or ()]
    alerts = [(one, rule) for one, rule in results if one.get("kind", "fail") == "fail"]
    remarks: tuple[str, ...] = ()
    if others := len(results) - len(alerts):
        what = "result that is no alert was" if others == 1 else "results that are no alerts were"
        remarks = (f"{others:,} {what} left out.",)
    rows = [_row(one, rule) for one, rule in alerts if choices.rule in (None, rule)]
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
        remarks=(*remarks, f"{counted(len(rows), 'alert')} of {counted(rules, 'rule')}."),
    )


def _rule(one: dict[str, Any], run: dict[str, Any]) -> str:
    """The rule of a result, which names it or says its place in the list of the tool."""
    reference = one.get("rule") or {}
    name = one.get("ruleId") or reference.get("id")
    place = one.get("ruleIndex", reference.get("index"))
    if name is None and type(place) is int and place >= 0:
        rules = _listed_rules(run.get("tool") or {}, reference.get("toolComponent") or {})
        if place >= len(rules):
            raise InputError(
                f"A result names rule number {place}, and its tool lists {counted(len(rules), 'rule')}. "
                "Export the file again."
            )
        name = rules[place].get("id")
    return str(name or "without a rule")


def _listed_rules(tool: dict[str, Any], component: dict[str, Any]) -> list[dict[str, Any]]:
    """The rules of the tool, or of the extension that a result refers to."""
    number, extensions = component.get("index"), tool.get("extensions") or []
    if number is None:
        return (tool.get("driver") or {}).get("rules") or []
    return extensions[number].get("rules") or [] if 0 <= number < len(extensions) else []


def _row(one: dict[str, Any], rule: str) -> dict[str, Any]:
    place = ((one.get("locations") or [{}])[0].get("physicalLocation")) or {}
    region = place.get("region") or {}
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
