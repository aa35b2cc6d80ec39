"""Forecasts against what happened: chances to pass, labels on average, in the typical and bad case, ahead.

    python bench/forecasts.py --worlds 20                            made pools
    python bench/forecasts.py --data reuters21578.parquet …          collections and classifiers as they are
    python bench/forecasts.py --worlds 18 --plans 40                 labels ahead of many budget plans
    python bench/forecasts.py --race race/certify-race.json          score-guided plans, from the lab's race
    python bench/forecasts.py … --keep docs/evidence/forecasts.json  add what was found to the results

One row per collection, mode and forecast: `promised` is the share that the forecast states, `held` of
`cases` kept it, `low` and `high` are the exact 95 % interval of that share. Looks of one plan depend on
each other, so `measured` weighs plans, not looks; the interval then is too narrow, and `plans` says why.
Of the average, `measured` is the labels used over those forecast, the geometric mean over claims.
`bench/forecast_laps.py` holds today's forecasts against runs of the race that are on record.
"""

import argparse
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import beta

import assaymark
from assaymark.certification.modes.labels_ahead import labels_by_the_walk, printed
from assaymark.certification.modes.sequential import BUDGET_TAIL
from assaymark.certification.planning.forecast import forecast
from assaymark.claims.claim import Claim
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
from assaymark.stats.sequential.stopping_boundary import Boundary
from assaymark.stats.sequential.walk_ahead import SIXTH, items_ahead

MARGINS = (0.04, 0.07, 0.1)
AHEAD = 2 / 3  # about two of three: what the range of labels ahead is made for
POWER = 0.93
MADE = "made pools"
ITEMS = 6000  # of a collection, at random: larger ones tell the same and take longer


def made(seed: int) -> World:
    """Scores, roughly calibrated, and truth of 4,000 items."""
    rng = np.random.default_rng(seed)
    score = rng.beta(0.3, (3, 2, 1)[seed % 3], 4000)
    sharp = (1.0, 0.7, 1.3)[seed % 3]
    odds = np.log((score + 1e-6) / (1 - score + 1e-6))
    truth = rng.random(4000) < 1 / (1 + np.exp(-sharp * odds))
    return World(name=MADE, labels=truth, predicted=score >= 0.3, scores=score)


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
    """At every look at a score-guided plan that gives a range: whether what was still needed lay in it."""
    assert world.scores is not None
    threshold = float(world.scores[world.predicted].min())
    work = assaymark.certify(
        y_score=world.scores, threshold=threshold, claim=words, mode="anytime", design="score-guided",
        seed=seed, folder=":memory:", anyway=True,
    )  # fmt: skip
    seen = []
    while items := work.ask(LOOK):
        work.tell([(item.id, int(world.labels[item.id])) for item in items])
        verdict = work.verdict()
        if verdict.decision != "continue":
            break
        if verdict.labels_ahead is not None:
            seen.append((verdict.labels, verdict.labels_expected or 0, verdict.labels_ahead))
    if verdict.decision == "pass":
        for labels, expected, ends in seen:
            needed, middle = verdict.labels - labels, expected - labels
            yield _ahead("score-guided", needed, middle, ends, len(seen))


def _ahead(mode: str, needed: int, middle: int, ends: tuple[int, int], looks: int) -> Row:
    return _row("labels ahead", mode, AHEAD, ends[0] <= needed <= ends[1]) | {
        "ratio": needed / max(middle, 1), "weight": 1 / looks,
    }  # fmt: skip


@dataclass(frozen=True, kw_only=True, eq=False)
class Walk:
    """The draws of one simple plan: which were new, and success or failure of the informative ones."""

    new: Any
    place: Any
    wins: Any
    pool: int

    def looks(
        self, boundary: Boundary, null: float, most: int | None, *, rng: Any = None
    ) -> list[tuple[int, Any]]:
        """Labels at each look up to the pass, with the labels that are told to lie ahead.

        With chance, at `SOME` of the looks.
        """
        at = boundary.first_pass(self.wins[: boundary.horizon])
        if at is None:
            return []
        labels, found = np.cumsum(self.new), []
        end = int(labels[self.place[at - 1]])
        numbers = np.arange(LOOK, end, LOOK)
        if rng is not None and len(numbers) > SOME:
            numbers = np.sort(rng.choice(numbers, SOME, replace=False))
        for number in numbers.tolist():
            draws = int(np.searchsorted(labels, number)) + 1
            seen = int(np.searchsorted(self.place, draws))
            wins = int(self.wins[:seen].sum())
            if (wins + 0.5) / (seen + 1) <= null or wins < null * seen or not seen:
                continue  # nothing is printed where the estimate does not meet the target
            tail = SIXTH if most is None else BUDGET_TAIL
            ahead = items_ahead(boundary, successes=wins, failures=seen - wins, tail=tail)
            if ahead is not None:
                low, middle, high = labels_by_the_walk(
                    ahead, rate=seen / draws, items=self.pool, labels=number,
                    most=None if most is None else most - draws,
                )  # fmt: skip
                ends = printed((low, high), self.pool - number)
                found.append((end - number, (middle, ends)))
        return found


def _asked(world: World, words: str) -> tuple[Claim, Expectation, "np.ndarray[Any, Any]"]:
    """The claim, the truth as what is expected, and the items of every cell that the claim is about."""
    claim = parse_claim(words)
    tp, fp, fn, _ = world.cells
    known = Expectation(
        precision=tp / (tp + fp), recall=tp / (tp + fn), prevalence=world.prevalence
    )
    return (
        claim,
        known,
        np.array(world.cells) * ([1, 1, 0, 0] if claim.metric == "precision" else 1),
    )


def chances(world: World, words: str, seed: int, runs: int, *, ahead: int = 0) -> Iterator[Row]:
    """Simulated simple plans where the expectation is true: passed, and within typical and bad luck.

    Items are drawn with replacement, and what is counted are different ones, as plans do. So many of
    them are looked at after every 60 labels for the labels `ahead`.
    """
    claim, known, cells = _asked(world, words)
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
    for run in range(runs):
        items = rng.integers(pool, size=far)
        kinds = np.searchsorted(np.cumsum(cells), items, side="right")
        place = np.flatnonzero(matters[kinds])
        wins = won[kinds][place]
        early = wins[place < fixed.labels]
        whole = fixed.labels >= pool  # then every item is read, and the claim is true
        passed = whole or early.sum() >= least[len(early)]
        yield _row("chance to pass", "fixed", fixed.power, passed)
        used["fixed"].append(pool if whole else len(np.unique(items[: fixed.labels])))
        for name, mode in (("budget", budget), ("anytime", anytime)):
            at = lines[name].first_pass(wins)
            draws = int(place[at - 1]) + 1 if at else far
            if mode.labels:
                yield _row(
                    "chance to pass", name, mode.power, at is not None and draws <= mode.labels
                )
                if at is None:
                    draws = min(mode.labels, int(place[planned - 1]) + 1)
            labels = len(np.unique(items[:draws]))
            used[name].append(labels)
            if run < ahead:
                new = np.zeros(far, dtype=bool)
                new[np.unique(items, return_index=True)[1]] = True
                walk = Walk(new=new, place=place, wins=wins, pool=pool)
                looks = walk.looks(lines[name], test.null_share, mode.labels)
                for needed, (middle, ends) in looks:
                    yield _ahead(name, needed, middle, ends, len(looks))
            passed = at is not None or labels == pool
            yield _row("typical", name, 0.5, passed and labels <= (mode.median or 0))
            yield _row("bad luck", name, POWER, passed and labels <= (mode.quantile or 0))
    for name, labels in used.items():
        yield average(name, np.array(labels), told.modes[name].expected or 1.0)


def budget_ahead(world: World, words: str, seed: int, plans: int) -> Iterator[Row]:
    """Many budget plans where the expectation is true, each looked at a few times."""
    claim, known, cells = _asked(world, words)
    test, pool = binomial_test(claim), int(cells.sum())
    mode = forecast(claim, known, items=pool).modes["budget"]
    if test is None or mode.labels is None or (mode.informative or 0) > LARGEST:
        return
    planned = int(mode.informative or 0)
    line = spending_boundary(spending_test(claim, confidence=0.95, planned=planned))
    won, matters = np.array(test.success), np.array(test.success) | np.array(test.failure)
    rng = np.random.default_rng(seed)
    for _ in range(plans):
        items = rng.integers(pool, size=mode.labels)
        kinds = np.searchsorted(np.cumsum(cells), items, side="right")
        place = np.flatnonzero(matters[kinds])
        new = np.zeros(mode.labels, dtype=bool)
        new[np.unique(items, return_index=True)[1]] = True
        walk = Walk(new=new, place=place, wins=won[kinds][place], pool=pool)
        looks = walk.looks(line, test.null_share, mode.labels, rng=rng)
        for needed, (middle, ends) in looks:
            yield _ahead("budget", needed, middle, ends, len(looks))


SOME, LARGEST = 4, 1200  # looks at one of many plans, and the items that count of the largest plan
WALKS, LOOK = 8, 60  # plans of each claim that are looked at, and the labels between two looks
FARTHEST = 12_000  # informative items that an anytime plan is followed to


def told_rate(cells: Any, test: Any) -> float:
    """The share of informative items."""
    told = np.array(test.success) | np.array(test.failure)
    return float(cells[told].sum() / cells.sum())


def average(mode: str, used: Any, forecast: float) -> Row:
    """Labels used on average over those forecast, for one claim; `error` is that of its logarithm."""
    ratio = float(used.mean() / forecast)
    error = float(used.std() / used.mean() / math.sqrt(len(used)))
    return _row("average", mode, 1.0, 0.9 <= ratio <= 1.1) | {
        "ratio": ratio, "error": error, "runs": len(used),
    }  # fmt: skip


def _row(name: str, mode: str, promised: float | None, kept: object) -> Row:
    return {
        "forecast": name, "mode": mode, "promised": promised, "kept": bool(kept), "ratio": None,
        "weight": 1.0,
    }  # fmt: skip


def averaged(own: list[Row]) -> Row:
    """The geometric mean over claims of labels used over those forecast, with its 95 % interval."""
    logs = [math.log(row["ratio"]) for row in own]
    ratio = math.exp(sum(logs) / len(logs))
    wide = 1.96 * math.sqrt(sum(row["error"] ** 2 for row in own)) / len(own)
    return {
        "measured": round(ratio, 4),
        "low": round(ratio * math.exp(-wide), 4),
        "high": round(ratio * math.exp(wide), 4),
        "cases": sum(row["runs"] for row in own),
        "plans": sum(row["runs"] for row in own),
        "held": sum(row["kept"] for row in own),
    }


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
            | (averaged(own) if key[0] == "average" else {})
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


def measured(worlds: list[World], runs: int, *, ahead: bool, plans: int = 0) -> list[Row]:
    rows: list[Row] = []
    if plans:
        for seed, world in enumerate(worlds):
            for claim in range(seed, 9, 3) if world.name != MADE else (seed,):
                rows += budget_ahead(world, claim_words(world, claim), claim, plans)
        return summed(rows, worlds[0].name, len(worlds))
    for seed, world in enumerate(worlds):
        words = claim_words(world, seed)
        rows += chances(world, words, seed, runs, ahead=WALKS if ahead else 0)
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
    parser.add_argument(
        "--plans", type=int, default=0, help="budget plans looked at, and nothing else"
    )
    parser.add_argument("--race", type=Path)
    parser.add_argument("--keep", type=Path)
    asked = parser.parse_args()
    groups = [[made(seed) for seed in range(asked.worlds)]] if asked.worlds else []
    results = [
        measured(worlds, asked.runs, ahead=not asked.no_ahead, plans=asked.plans)
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
