"""Forecasts of claims of several parts against the labels that runs really take, on real collections.

    python bench/claim_forecasts.py --data FOLDER --runs 12 --keep docs/evidence/claim-forecasts.json

A classifier is trained on 1,000 items of a collection; its raw scores are all that a plan knows of the
rest. Claims are set a few points below the truth, so they hold. `expected` is the forecast for somebody
who expects what is true of the worst part (of a cut-off: by the scores), `known` the rehearsal for whom
the rate of every stratum is known. `used` are the labels of simulated runs, half of which ended by then;
`inside` those in the printed range, `lucky` those within the number for bad luck. CrisisLex, 20
newsgroups and Davidson (`--collections`) chose the constants; the others had no part in choosing anything.
"""

import argparse
import json
import statistics
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from assaymark.claims.language.tree import Gap
from assaymark.composite.judging import Ruled
from assaymark.composite.planning.forecast import costs_needed, forecast_rungs
from assaymark.composite.planning.rehearsing import (
    Labels,
    rehearsed,
    rehearsed_rungs,
    rehearsed_wins,
)
from assaymark.composite.planning.worlds import (
    claimed_figures,
    closer,
    group_figures,
    world_ahead,
)
from assaymark.composite.sealed import SealedClaim
from assaymark.stats.betting.path import RowPath
from claim_cases import CHOOSING, REPORTED, Case, Scored
from claim_runs import Outcomes, run_claim

Row = dict[str, Any]
When = Callable[[Ruled, RowPath], int | None]


def true_shares(sealed: SealedClaim, outcomes: Outcomes) -> np.ndarray:
    """The true share of every outcome per stratum."""
    kinds = len(sealed.cells.labels)
    counts = np.array(
        [np.bincount(each, minlength=kinds)[:kinds] for each in outcomes], dtype=float
    )
    return counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)


def expected(sealed: SealedClaim, truth: np.ndarray) -> Labels | None:
    """The forecast for somebody who expects what is true of the worst part, or of the gap."""
    leaf = sealed.statements[0].tree.parts[0]
    if isinstance(leaf, Gap):
        values = [value(truth) or 0.0 for _, value in group_figures(sealed, leaf)]
        world = closer(sealed, leaf, max(values) - min(values))
    else:
        margin = min(figure.margin(truth) or 0.0 for figure in claimed_figures(sealed))
        world = world_ahead(sealed, lambda _: margin)
    return None if world is None else costs_needed(sealed, world).all


def forecasts_of(case: Case) -> tuple[Labels | None, Labels | None, str]:
    """The forecast, the rehearsal in the true world, and more words for the claim."""
    sealed, truth = case.sealed, true_shares(case.sealed, case.outcomes)
    if case.kind == "comparison":
        wins = _share_of_wins(sealed, case.outcomes)
        told = rehearsed_wins(sealed, wins)
        return told, told, f" ({wins:.0%} of {sealed.disagree})"
    if case.kind == "cut-off":
        place = _furthest(sealed, case.outcomes)
        if place is None:
            return None, None, ""
        told = forecast_rungs(sealed)[place]
        known = rehearsed_rungs(sealed, truth, place + 1)
        return told.ladder, known[-1] if known else None, f" ({told.cutoff:g})"
    course = rehearsed(sealed, truth)
    return expected(sealed, truth), None if course is None else course.labels, ""


def _share_of_wins(sealed: SealedClaim, outcomes: Outcomes) -> float:
    """Of the items that the classifiers judge differently, those in which the new one is right."""
    names, wins = sealed.cells.labels, 0
    for cell, labels in zip(sealed.cells.cells, outcomes, strict=True):
        if cell.predictions[0] != cell.predictions[1]:
            wins += int((labels == names.index(cell.predictions[1])).sum())
    return wins / sealed.disagree


def _furthest(sealed: SealedClaim, outcomes: Outcomes) -> int | None:
    """The furthest cut-off with a forecast whose recall, like that of all before, has points to spare."""
    order = [str(name) for name in sealed.compiled[0].constants["order"]]
    positives = [int((labels == 1).sum()) for labels in outcomes]
    furthest = None
    for place, told in enumerate(forecast_rungs(sealed)):
        above = sealed.columns.rungs.index(order[place])
        pairs = zip(positives, sealed.strata, strict=True)
        kept = sum(count for count, stratum in pairs if stratum.predictions[above] == "1")
        if (
            told.ladder is None
            or told.ladder.typical >= sealed.items
            or kept / sum(positives) < 0.83
        ):
            break
        furthest = place
    return furthest


def _end_of(case: Case) -> When:
    """When a run has shown what the forecast is about."""
    if case.kind != "cut-off":
        return lambda found, _: found.decided_at
    rows = 1 + (_furthest(case.sealed, case.outcomes) or 0)

    def reached(_: Ruled, path: RowPath) -> int | None:
        times = [time for time in path.passed_at[:rows] if time is not None]
        return max(times) if len(times) == rows else None

    return reached


def measured(case: Case, *, runs: int) -> Row | None:
    """Labels of simulated runs beside the forecasts; None where there is no forecast."""
    told, known, more = forecasts_of(case)
    if told is None:
        return None
    seed = zlib.crc32(f"{case.collection} {case.claim}".encode())
    when = _end_of(case)
    used = [
        run_claim(case.sealed, case.outcomes, np.random.default_rng([seed, k]), when=when)[1]
        for k in range(runs)
    ]
    return {
        "collection": case.collection, "kind": case.kind, "claim": case.claim + more,
        "expected": told.typical, "low": told.low, "bad_luck": told.bad_luck,
        "rehearsed": told.rehearsed, "known": None if known is None else known.typical,
        "used": round(statistics.median(used)), "least": min(used), "most": max(used), "runs": runs,
        "inside": sum(told.low <= n <= told.bad_luck for n in used),
        "lucky": sum(n <= told.bad_luck for n in used),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--runs", type=int, default=12)
    parser.add_argument(
        "--collections", nargs="*", default=list(REPORTED), choices=[*CHOOSING, *REPORTED]
    )
    parser.add_argument("--kinds", nargs="*", help="these alone")
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    rows: dict[tuple[str, str], Row] = {}
    if options.keep and options.keep.exists():
        kept = json.loads(options.keep.read_text(encoding="utf-8"))
        rows = {(row["collection"], row["claim"]): row for row in kept}
    for name in options.collections:
        for case in Scored(options.data, name).cases():
            if options.kinds and case.kind not in options.kinds:
                continue
            row = measured(case, runs=options.runs)
            if row is None:
                continue
            rows[row["collection"], row["claim"]] = row
            print(json.dumps(row), flush=True)
            if options.keep:
                options.keep.write_text(
                    json.dumps([*rows.values()], indent=1) + "\n", encoding="utf-8"
                )


if __name__ == "__main__":
    main()
