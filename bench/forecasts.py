"""Forecasts against what happened: every row of docs/evidence/forecasts.json.

    python bench/forecasts.py --data FOLDER --keep docs/evidence/forecasts.json
    python bench/forecasts.py --data FOLDER --parts simple ahead race

`simple`: chances to pass, labels on average, in the typical and bad case, of plans on simple samples.
`ahead`: labels ahead (`forecast_ahead.py`). `race`: today's forecasts against runs of the lab's race, each
collection with the bend that the others chose (`forecast_laps.py`).

One row per collection, mode and forecast: `promised` is the share that the forecast states, `held` of
`cases` kept it, `low` and `high` are the exact 95 % interval of that share. Looks of one plan depend on
each other, so `measured` weighs plans, not looks; the interval then is too narrow, and `plans` says why.
Of the average, `measured` is the labels used over those forecast, the geometric mean over claims.
"""

import argparse
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import forecast_ahead
import forecast_laps
from assaymark.certification.planning.forecast import forecast
from assaymark.claims.ratio_metrics import binomial_test
from assaymark.lab.worlds import World
from assaymark.stats.binomial_bounds import pass_counts
from assaymark.stats.sequential.alpha_spending import spending_boundary, spending_test
from assaymark.stats.sequential.beta_mixture import mixture_boundary, mixture_test
from forecast_rows import POWER, Row, average, keep, one_row, summed
from forecast_worlds import FARTHEST, MADE, asked_of, claim_words, made, real, told_rate

COLLECTIONS = ("reuters21578", "davidson_perspective", "newsgroups20", "spamassassin")
MADE_POOLS, TOPICS = 9, 3
MADE_RUNS, RUNS = 100, 60


def chances(world: World, words: str, seed: int, runs: int) -> Iterator[Row]:
    """Simulated simple plans where the expectation is true: passed, and within typical and bad luck.

    Items are drawn with replacement, and what is counted are different ones, as plans do.
    """
    claim, known, cells = asked_of(world, words)
    test, pool = binomial_test(claim), int(cells.sum())
    told = forecast(claim, known, items=pool)
    fixed, budget, anytime = (told.modes[name] for name in ("fixed", "budget", "anytime"))
    if test is None or fixed.labels is None or budget.labels is None or anytime.quantile is None:
        return
    planned = int(budget.informative or 0)
    far = max(math.ceil(1.2 * FARTHEST / told_rate(cells, test)), budget.labels, fixed.labels)
    lines = {
        "budget": spending_boundary(spending_test(claim, confidence=0.95, planned=planned)),
        "anytime": mixture_boundary(mixture_test(claim, confidence=0.95), FARTHEST),
    }
    least = pass_counts(test.null_share, fixed.labels, 0.05)
    rng, used = np.random.default_rng(seed), {name: [] for name in told.modes}
    won, matters = np.array(test.success), np.array(test.success) | np.array(test.failure)
    for _ in range(runs):
        items = rng.integers(pool, size=far)
        kinds = np.searchsorted(np.cumsum(cells), items, side="right")
        place = np.flatnonzero(matters[kinds])
        wins = won[kinds][place]
        early = wins[place < fixed.labels]
        whole = fixed.labels >= pool  # then every item is read, and the claim is true
        passed = whole or early.sum() >= least[len(early)]
        yield one_row("chance to pass", "fixed", fixed.power, passed)
        used["fixed"].append(pool if whole else len(np.unique(items[: fixed.labels])))
        for name, mode in (("budget", budget), ("anytime", anytime)):
            at = lines[name].first_pass(wins)
            draws = int(place[at - 1]) + 1 if at else far
            if mode.labels:
                yield one_row(
                    "chance to pass", name, mode.power, at is not None and draws <= mode.labels
                )
                if at is None:
                    draws = min(mode.labels, int(place[planned - 1]) + 1)
            labels = len(np.unique(items[:draws]))
            used[name].append(labels)
            passed = at is not None or labels == pool
            yield one_row("typical", name, 0.5, passed and labels <= (mode.median or 0))
            yield one_row("bad luck", name, POWER, passed and labels <= (mode.quantile or 0))
    for name, labels in used.items():
        yield average(name, np.array(labels), told.modes[name].expected or 1.0)


def measured(worlds: list[World], runs: int) -> list[Row]:
    """Forecasts of simple plans in these pools against their runs."""
    rows: list[Row] = []
    for seed, world in enumerate(worlds):
        rows += chances(world, claim_words(world, seed), seed, runs)
    return summed(rows, worlds[0].name, len(worlds))


PARTS = ("simple", "ahead", "race")


def main() -> None:
    """Measure every part, print and keep it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--keep", type=Path)
    asked = parser.parse_args()
    parts = {"simple": simple, "ahead": ahead, "race": forecast_laps.raced}
    for part in asked.parts:
        for rows in parts[part](asked.data):
            for row in rows:
                print(*(f"{value}" for value in row.values()), sep="  ", flush=True)
            if asked.keep:
                keep(asked.keep, rows)


def pools(data: Path) -> Iterator[list[World]]:
    """Nine made pools, then those of every collection that is reported."""
    yield [made(seed) for seed in range(MADE_POOLS)]
    for name in COLLECTIONS:
        yield list(real(data / f"{name}.parquet", TOPICS, 1))


def simple(data: Path) -> Iterator[list[Row]]:
    """Chances to pass, labels on average, in the typical and bad case, of plans on simple samples."""
    for worlds in pools(data):
        yield measured(worlds, MADE_RUNS if worlds[0].name == MADE else RUNS)


def ahead(data: Path) -> Iterator[list[Row]]:
    """Labels ahead, of simple and score-guided plans."""
    for worlds in pools(data):
        yield forecast_ahead.measured(worlds)


if __name__ == "__main__":
    main()
