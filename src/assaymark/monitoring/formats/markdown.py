"""A Markdown summary for a pull request."""

from assaymark.monitoring.gate import Gate, GatedClaim

MARKS = {"certified": "✅", "refuted": "❌", "undecided": "⏳", "stale": "🕰️", "tampered": "⛔"}


def markdown(gate: Gate) -> str:
    """The gate as a heading and a table."""
    lines = [
        f"### assaymark gate: {MARKS[gate.outcome]} {gate.outcome} ({gate.today})",
        "",
        "| claim | outcome | labels | expires | reason |",
        "|---|---|---|---|---|",
        *(_row(claim) for claim in gate.claims),
    ]
    return "\n".join(lines) + "\n"


def _row(claim: GatedClaim) -> str:
    cells = (
        f"**{_cell(claim.name)}**: {_cell(claim.claim)}",
        f"{MARKS[claim.outcome]} {claim.outcome}",
        f"{claim.labels:,}",
        claim.expires or "–",
        _cell(claim.reason),
    )
    return f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    """The text in one cell: nothing in it can end the cell, or be taken for markup."""
    shown = text.replace("\\", "\\\\").replace("\n", " ").replace("\r", " ")
    for mark in "|<>`*_[]":
        shown = shown.replace(mark, f"\\{mark}")
    return shown
