"""Forecasts against what happened: chances to pass, labels in the typical and in the bad case, labels ahead.

    python bench/forecasts.py --worlds 20                            made pools
    python bench/forecasts.py --data reuters21578.parquet …          collections and classifiers as they are
    python bench/forecasts.py --race race/certify-race.json          score-guided plans, from the lab's race
    python bench/forecasts.py … --keep docs/evidence/forecasts.json  add what was found to the results

One row per collection, mode and forecast: `promised` is the share that the forecast states, `held` of
`cases` kept it, `low` and `high` are the exact 95 % interval of that share. Looks of one plan depend on
each other, so `measured` weighs plans, not looks; the interval then is too narrow, and `plans` says why.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import beta

import assaymark
from assaymark.certification.planning.forecast import forecast
from assaymark.claims.ratio_metrics import binomial_test, parse_claim
from assaymark.lab.corpora import (
    frequent_topics,
    load_corpus,
    read_collection,
    trained_world,
    vendor_worlds,
)
from assaymark.lab.worlds import World
from assaymark.records.plan import Expectation
from assaymark.stats.binomial_bounds import pass_counts
from assaymark.stats.sequential.alpha_spending import spending_boundary, spending_test
from assaymark.stats.sequential.beta_mixture import mixture_boundary, mixture_test

MARGINS = (0.04, 0.07, 0.1)
AHEAD = 2 / 3  # about two of three: what the range of labels ahead is made for
POWER = 0.93
ITEMS = 6000  # of a collection, at random: larger ones tell the same and take longer


def made(seed: int) -> World:
    """Scores, roughly calibrated, and truth of 4,000 items."""
    rng = np.random.default_rng(seed)
    score = rng.beta(0.3, (3, 2, 1)[seed % 3], 4000)
    sharp = (1.0, 0.7, 1.3)[seed % 3]
    odds = np.log((score + 1e-6) / (1 - score + 1e-6))
    truth = rng.random(4000) < 1 / (1 + np.exp(-sharp * odds))
    return World(name="made pools", labels=truth, predicted=score >= 0.3, scores=score)


def real(path: Path, topics: int, seed: int) -> Iterator[World]:
    """A collection as a classifier sees it that was trained on a part of it, or a vendor's scores."""
    collection, rng = read_collection(path), np.random.default_rng(seed)
    found = list(vendor_worlds(collection, (0.5, 0.8)))[:topics]
    if not found:
        corpus = load_corpus(path, seed)
        named = frequent_topics(collection, count=topics)
        found = [trained_world(corpus, topic, rng, training=1500) for topic in named]
    for world in found:
        chosen = rng.permutation(world.items)[:ITEMS]
        yield World(
            name=collection.name,
            labels=world.labels[chosen],
            predicted=world.predicted[chosen],
            scores=None if world.scores is None else world.scores[chosen],
        )


Row = dict[str, Any]


def labels_ahead(world: World, words: str, seed: int) -> Iterator[Row]:
    """At every look that gives a range: whether the labels that were still needed lay in it."""
    assert world.scores is not None
    threshold = float(world.scores[world.predicted].min())
    for mode, design in (("score-guided", "score-guided"), ("anytime", "simple")):
        work = assaymark.certify(
            y_score=world.scores, threshold=threshold, claim=words, mode="anytime", design=design,
            seed=seed, folder=":memory:", anyway=True,
        )  # fmt: skip
        seen = []
        while items := work.ask(60):
            work.tell([(item.id, int(world.labels[item.id])) for item in items])
            verdict = work.verdict()
            if verdict.decision != "continue":
                break
            if verdict.labels_ahead is not None:
                seen.append((verdict.labels, verdict.labels_expected or 0, verdict.labels_ahead))
        if verdict.decision != "pass":
            continue
        for labels, expected, (low, high) in seen:
            needed = verdict.labels - labels
            yield {
                "forecast": "labels ahead", "mode": mode, "promised": AHEAD,
                "kept": low <= needed <= high, "ratio": needed / max(expected - labels, 1),
                "weight": 1 / len(seen),
            }  # fmt: skip


def chances(world: World, words: str, seed: int, runs: int) -> Iterator[Row]:
    """Simulated simple plans where the expectation is true: passed, and within typical and bad luck."""
    claim = parse_claim(words)
    tp, fp, fn, _ = world.cells
    known = Expectation(
        precision=tp / (tp + fp), recall=tp / (tp + fn), prevalence=world.prevalence
    )
    told, test = forecast(claim, known), binomial_test(claim)
    fixed, budget, anytime = (told.modes[name] for name in ("fixed", "budget", "anytime"))
    if test is None or fixed.labels is None or budget.labels is None or anytime.quantile is None:
        return
    shares = np.array(world.cells) / world.items
    if claim.metric == "precision":  # drawn from what was predicted positive
        shares = shares * [1, 1, 0, 0] / shares[:2].sum()
    spending = spending_test(claim, confidence=0.95, planned=int(budget.informative or 0))
    horizon = 4 * int(fixed.informative or 500) + 50
    lines = {
        "budget": spending_boundary(spending),
        "anytime": mixture_boundary(mixture_test(claim, confidence=0.95), horizon),
    }
    least = pass_counts(test.null_share, fixed.labels, 0.05)
    rng, far = np.random.default_rng(seed), 4 * max(anytime.quantile, budget.labels)
    won, matters = np.array(test.success), np.array(test.success) | np.array(test.failure)
    for _ in range(runs):
        cells = rng.choice(4, size=far, p=shares)
        place = np.flatnonzero(matters[cells])
        wins = won[cells][place]
        early = wins[place < fixed.labels]
        yield _row("chance to pass", "fixed", fixed.power, early.sum() >= least[len(early)])
        for name, mode in (("budget", budget), ("anytime", anytime)):
            at = lines[name].first_pass(wins)
            used = far if at is None else int(place[at - 1]) + 1 if at else 0
            if mode.labels:
                yield _row("chance to pass", name, mode.power, used <= mode.labels)
            yield _row("typical", name, 0.5, used <= (mode.median or 0))
            yield _row("bad luck", name, POWER, used <= (mode.quantile or 0))


def _row(name: str, mode: str, promised: float | None, kept: object) -> Row:
    return {
        "forecast": name, "mode": mode, "promised": promised, "kept": bool(kept), "ratio": None,
        "weight": 1.0,
    }  # fmt: skip


def summed(rows: list[Row], collection: str, runs_of: int) -> list[Row]:
    """One row per forecast and mode."""
    found = []
    for key in sorted({(row["forecast"], row["mode"]) for row in rows}):
        own = [row for row in rows if (row["forecast"], row["mode"]) == key]
        held, cases = sum(row["kept"] for row in own), len(own)
        low = beta.ppf(0.025, held, cases - held + 1) if held else 0.0
        high = beta.ppf(0.975, held + 1, cases - held) if held < cases else 1.0
        weights = np.array([row["weight"] for row in own])
        share = float((weights * [row["kept"] for row in own]).sum() / weights.sum())
        ratios = [row["ratio"] for row in own if row["ratio"] is not None]
        found.append(
            {
                "forecast": key[0],
                "mode": key[1],
                "collection": collection,
                "worlds": runs_of,
                "promised": round(float(np.mean([row["promised"] for row in own])), 4),
                "measured": round(share, 4),
                "low": round(float(low), 4),
                "high": round(float(high), 4),
                "held": held,
                "cases": cases,
                "plans": round(float(weights.sum())),
                "ratio_sixth": _quantile(ratios, weights, 1 / 6) if ratios else None,
                "ratio_median": _quantile(ratios, weights, 0.5) if ratios else None,
                "ratio_five_sixths": _quantile(ratios, weights, 5 / 6) if ratios else None,
            }
        )
    return found


def _quantile(values: list[float], weights: Any, share: float) -> float:
    """The weighted quantile: plans count alike, whatever their number of looks."""
    order = np.argsort(values)
    passed = np.cumsum(weights[order]) / weights.sum()
    return round(float(np.array(values)[order][np.searchsorted(passed, share)]), 3)


def claim_words(world: World, seed: int) -> str:
    """A true claim a little below the classifier's value."""
    name = ("f1", "recall", "precision")[seed % 3]
    return f"{name} >= {max(0.05, world.value(name) - MARGINS[seed // 3 % 3]):.3f}"


def measured(worlds: list[World], runs: int, *, ahead: bool) -> list[Row]:
    rows: list[Row] = []
    for seed, world in enumerate(worlds):
        words = claim_words(world, seed)
        rows += chances(world, words, seed, runs)
        if ahead:
            rows += labels_ahead(world, words, seed)
    return summed(rows, worlds[0].name, len(worlds))


RACE = {
    "method 2": ("score-guided", "bad luck", "within_unlucky"),
    "method 2, ceiling": ("score-guided with a ceiling", "chance to pass", "pass_rate"),
}


def raced(laps: list[Row]) -> Iterator[list[Row]]:
    """The forecasts of score-guided plans in each collection of the lab's race."""
    for collection in sorted({lap["collection"] for lap in laps}):
        rows: list[Row] = []
        mine = [lap for lap in laps if lap["collection"] == collection]
        for lap in mine:
            mode, name, share = RACE.get(lap["entrant"], ("", "", ""))
            if mode and lap[share] is not None:
                kept = round(lap[share] * lap["runs"])
                rows += [_row(name, mode, POWER, run < kept) for run in range(lap["runs"])]
        yield summed(rows, collection, len({lap["world"] for lap in mine}))


def keep(path: Path, rows: list[Row]) -> None:
    """Add the rows to the results; of two of the same name the one with more cases stays."""
    old = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    ordered = sorted([*old, *rows], key=lambda row: row["cases"])
    both = {(r["forecast"], r["mode"], r["collection"]): r for r in ordered}
    text = json.dumps([both[key] for key in sorted(both)], ensure_ascii=False, indent=1) + "\n"
    path.write_text(text, encoding="utf-8", newline="\n")


def main() -> None:
    """Run the worlds and print what was measured."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--worlds", type=int, default=0)
    parser.add_argument("--data", type=Path, nargs="*", default=[])
    parser.add_argument("--topics", type=int, default=3)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--no-ahead", action="store_true")
    parser.add_argument("--race", type=Path)
    parser.add_argument("--keep", type=Path)
    asked = parser.parse_args()
    groups = [[made(seed) for seed in range(asked.worlds)]] if asked.worlds else []
    results = [
        measured(worlds, asked.runs, ahead=not asked.no_ahead)
        for worlds in [*groups, *(list(real(path, asked.topics, 1)) for path in asked.data)]
    ]
    if asked.race:
        results += raced(json.loads(asked.race.read_text(encoding="utf-8"))["laps"])
    for rows in results:
        for row in rows:
            print(*(f"{value}" for value in row.values()), sep="  ", flush=True)
        if asked.keep:
            keep(asked.keep, rows)


if __name__ == "__main__":
    main()
