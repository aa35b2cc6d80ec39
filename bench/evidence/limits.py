"""Labels against the information limit ln(1/0.05)/V*, from the race of the lab."""

from collections.abc import Sequence

from evidence.book import Row, table
from evidence.steps import Done

LIMIT = "information limit ln(1/0.05)/V* on these strata"
SHOWN = {
    "method 2": "score-guided",
    "method 2, ceiling": "score-guided with a ceiling",
    "weighted": "score-guided, method 1",
    "weighted, no scores": "score-guided without scores, method 1",
    "anytime": "anytime, simple sample",
    "budget": "budget, simple sample",
    "fixed": "fixed, simple sample",
    "ALPHA, informative": "ALPHA, rebuilt",
}
NAMES = {"f1": "F1", "precision": "precision", "recall": "recall"}


def records(done: Sequence[Done]) -> list[Row]:
    """A record per way, margin and kind of pool of every finished race: geometric means over claims."""
    rows = []
    for one in done:
        if one.step.experiment == "certify-race":
            own = [row for row in table(one, "summary") if row["entrant"] in SHOWN]
            rows += [_record(one, row) for row in own if row["of_ideal"] is not None]
    return rows


def _record(done: Done, row: Row) -> Row:
    ratio = float(f"{row['of_ideal']:.3g}")
    margin = "all margins" if row["margin"] == "all" else f"margin {row['margin']}"
    where = "made pools" if row["where"] == "synthetic" else done.data
    return {
        "what": f"labels to certify {NAMES[row['metric']]}, {margin}, {SHOWN[row['entrant']]}, "
        f"{row['claims']} claims on {where}, {done.step.runs} runs each",
        "measured": ratio,
        "bar": None,
        "unit": "times the limit",
        "ratio": ratio,
        "limit": LIMIT,
        "command": done.step.command,
        "machine": "any",
    }
