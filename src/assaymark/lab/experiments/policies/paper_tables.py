"""The tables that the paper on annotation cost has too: its figures by collection and by way."""

from collections.abc import Iterator, Sequence

import numpy as np

from assaymark.lab.experiments.policies.fixed_tests import (
    PAPER_BUDGET,
    WAYS,
    Stop,
    blind_oracle,
    claim_of,
    paper_stop,
    sighted_oracle,
)
from assaymark.lab.experiments.policies.growth import sights_of
from assaymark.lab.experiments.policies.rules import true_size
from assaymark.lab.experiments.policies.tables import Curve, Row, by_topic, figures

# Figures of the paper in per cent: sections 6.1 and 6.2.
PAPER = {
    "never within budget": 29.48,
    "success of first-in-budget": 79.46,
    "saving of the blind oracle": 43.21,
    "failures of the blind oracle": 27.14,
    "saving of the sighted oracle": 38.08,
}
SHOWN = 40  # looks of the ideal curve


def groups(curves: Sequence[Curve]) -> Iterator[tuple[str, str, list[Curve]]]:
    """Runs with random training by collection and way; collections are never pooled."""
    random = [curve for curve in curves if curve.task.sampling == "random"]
    for collection in dict.fromkeys(curve.collection for curve in random):
        for way in WAYS:
            yield collection, way, [c for c in random if c.collection == collection]


def paper_rows(curves: Sequence[Curve]) -> list[Row]:
    """The paper's figures beside ours, for every collection and way to plan and judge."""
    return [
        row
        for collection, way, mine in groups(curves)
        for row in _paper_rows(collection, way, mine)
    ]


def _paper_rows(collection: str, way: str, mine: Sequence[Curve]) -> list[Row]:
    first = {id(c): paper_stop(c.points[way]) for c in mine}
    tried = [c for c in mine if first[id(c)].total is not None]

    def saving(stop: Stop, curve: Curve) -> float | None:
        before = first[id(curve)].total
        return None if stop.total is None or before is None else 1 - stop.total / before

    columns = {
        "never within budget": by_topic(mine, lambda c: float(first[id(c)].total is None)),
        "success of first-in-budget": by_topic(tried, lambda c: float(first[id(c)].passed)),
        "saving of the blind oracle": by_topic(
            tried, lambda c: saving(blind_oracle(c.points[way]), c)
        ),
        "failures of the blind oracle": by_topic(
            tried, lambda c: float(not blind_oracle(c.points[way]).passed)
        ),
        "saving of the sighted oracle": by_topic(
            tried, lambda c: saving(sighted_oracle(c.points[way]), c)
        ),
    }
    rows = []
    for name, values in columns.items():
        mean, error = figures(values)
        rows.append(
            {
                "collection": collection,
                "way": way,
                "figure": name,
                "paper": PAPER[name],
                "ours": None if mean is None else round(100 * mean, 2),
                "error": None if error is None else round(100 * error, 2),
                "runs": len(mine),
            }
        )
    return rows


def wait_rows(curves: Sequence[Curve], waits: Sequence[int]) -> list[Row]:
    """Figures 5 to 7: what waiting saves, how often it succeeds, how often it misses its chance."""
    return [
        {"collection": collection, "way": way, **_wait_row(way, mine, wait)}
        for collection, way, mine in groups(curves)
        for wait in waits
    ]


def _wait_row(way: str, mine: Sequence[Curve], wait: int) -> Row:
    stops = {id(c): paper_stop(c.points[way], wait=wait) for c in mine}
    tried = [c for c in mine if stops[id(c)].total is not None]

    def saving(curve: Curve) -> float | None:
        before, now = paper_stop(curve.points[way]).total, stops[id(curve)].total
        return None if before is None or now is None else 1 - now / before

    row: Row = {"wait": wait, "runs": len(mine), "tried": len(tried)}
    row["saving"], row["saving_error"] = figures(by_topic(tried, saving))
    row["success"], row["success_error"] = figures(
        by_topic(tried, lambda c: float(stops[id(c)].passed))
    )
    row["never"], row["never_error"] = figures(
        by_topic(mine, lambda c: float(stops[id(c)].total is None))
    )
    return row


def optimism_rows(curves: Sequence[Curve]) -> list[Row]:
    """Figure 3: cross-validated less true F1, by collection and training size."""
    return [
        {"collection": collection, **row}
        for collection, way, mine in groups(curves)
        if way == WAYS[0]
        for row in _optimism(mine)
    ]


def _optimism(mine: Sequence[Curve]) -> list[Row]:
    looks = [point for c in mine for point in c.points[WAYS[0]]]
    sizes = sorted({point["labels"] for point in looks})
    rows = []
    for size in sizes[:: max(1, len(sizes) // 60)]:
        gaps = [p["cross_validated"] - p["f1"] for p in looks if p["labels"] == size]
        if len(gaps) >= min(5, len(mine)):
            low, middle, high = (round(float(q), 4) for q in np.quantile(gaps, (0.1, 0.5, 0.9)))
            mean = round(float(np.mean(gaps)), 4)
            rows.append({"labels": size, "mean": mean, "low": low, "median": middle, "high": high})
    return rows


def shown_curve(curves: Sequence[Curve]) -> Curve:
    """The run that is drawn: random training, with as many totals within the budget as possible."""
    random = [curve for curve in curves if curve.task.sampling == "random"]
    return max(random, key=lambda c: sum(p["size"] is not None for p in c.points[WAYS[0]]))


def one_run(curve: Curve) -> list[Row]:
    """Figures 2 and 4: every look of the run that is drawn."""
    name = f"{curve.collection}, {curve.task.topic}"
    return [{"run": name, **point} for point in curve.points[WAYS[0]]]


def stop_rows(curve: Curve, waits: Sequence[int]) -> list[Row]:
    """Figure 4: where the baseline, both oracles and the waiting policies stop in that run."""
    looks = curve.points[WAYS[0]]
    stops = {
        "baseline": paper_stop(looks),
        "blind oracle": blind_oracle(looks),
        "sighted oracle": sighted_oracle(looks),
        **{f"wait {wait}": paper_stop(looks, wait=wait) for wait in waits if wait},
    }
    return [
        {"policy": name, "labels": stop.labels, "total": stop.total, "passed": stop.passed}
        for name, stop in stops.items()
        if stop.total is not None
    ]


def ideal_rows(curve: Curve) -> list[Row]:
    """Figure 1 with a true classifier: its F1 and the total that its fixed test would need."""
    sights, claim = sights_of(curve.found), claim_of(curve.target)
    rows = []
    for sight in sights[:: max(1, len(sights) // SHOWN)]:
        size = true_size(sight, claim, most=4 * PAPER_BUDGET)
        total = None if size is None else sight.look.labels + size
        labels, f1 = sight.look.labels, round(sight.f1, 4)
        rows.append({"labels": labels, "f1": f1, "target": curve.target, "total": total})
    return rows
