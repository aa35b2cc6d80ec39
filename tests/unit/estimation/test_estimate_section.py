"""The section of a report about an estimate."""

from assaymark.estimation.report import estimate_section


def row(metric: str, low: float, high: float) -> dict[str, object]:
    names = {"metric": metric, "title": metric, "point": 0.1, "low": 0.05, "high": 0.2}
    return {**names, "guaranteed_low": low, "guaranteed_high": high}


def test_the_guaranteed_side_is_the_one_that_people_ask_for() -> None:
    """A table said "at least 0.005" of elusion, which is good when it is small."""
    metrics = [row("recall", 0.8, 0.95), row("elusion", 0.005, 0.0178), row("accuracy", 0.0, 0.9)]
    result = {"metrics": metrics, "labels": 100, "strata": ()}
    (table, *_) = estimate_section(result).tables
    column = table.header.index("guaranteed")
    told = [cells[column] for cells in table.rows]
    assert told == ["at least 0.8", "at most 0.0178", "at most 0.9"]
