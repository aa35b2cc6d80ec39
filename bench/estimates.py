"""Intervals of estimates of F1, precision and recall: what they cover and how wide they are.

    python bench/estimates.py --data FOLDER [FILE …] [--samples 800] [--keep RECORD.json]
    python bench/estimates.py --show RECORD.json [--page PAGE.md]

Pools and samples are those of `assaymark lab estimate-errors`, which has the errors: topics of the
race, topics that chose nothing, made worlds that set traps; fixed and renewed chances. An interval for
reading covers if the truth costs less likelihood than its ends; of the guaranteed figures a bettor at
the truth plays on either side, at every look. Metrics that the sample was not drawn for are counted as
`estimate` prints them, without scores. Pools that are read whole are left out.
"""

import argparse
import itertools
import json
import math
import time
from collections import defaultdict
from pathlib import Path

import numpy as np

from assaymark.claims.claim import Claim
from assaymark.claims.ratio_metrics import metric
from assaymark.estimation.estimate import EstimateDesign, EstimateStratum, Part
from assaymark.estimation.evidence import Answers, estimate
from assaymark.estimation.stats.guaranteed_interval import (
    guarantee,
    interval_recipe,
    margin_unit,
)
from assaymark.estimation.stats.rank_strata import fixed_chances
from assaymark.estimation.stats.reading_intervals import StrataCounts, profile_cost
from assaymark.lab.corpora import load_corpus, read_collection, trained_world, vendor_worlds
from assaymark.lab.experiments.certify_race.experiment import TOPICS as RACE
from assaymark.lab.experiments.estimate_errors.estimators import (
    Question,
    fixed_samples,
    renewed_samples,
)
from assaymark.lab.experiments.estimate_errors.experiment import DRAWS, FRESH, MADE
from assaymark.lab.tasks import rng_of
from assaymark.lab.worlds import World, cut_world, make_world
from assaymark.stats.score_guided.supermartingale import tests_at, walk, weighted_test
from estimate_tables import COMPARED, METRICS, SIZES, lines, write_page

SEED = 11
WAYS = {"fixed": fixed_samples, "renewed": lambda ask, rng: renewed_samples(ask, rng)[0]}
VENDOR = {"race": (0.5, 0.8), "fresh": (0.65,)}
LEVELS = (0.05, 0.025)
COST = 1.959964**2 / 2  # of log likelihood, where the interval for reading ends
STEPS = 14  # halvings on the way to an end


def real_worlds(paths):
    files = {p.stem: p for path in paths for p in ([path] if path.is_file() else path.iterdir())}
    for name, path in sorted(files.items()):
        if name == "davidson_perspective":
            for where, cuts in VENDOR.items():
                yield from ((one, where) for one in vendor_worlds(read_collection(path), cuts))
        elif name in RACE:
            corpus = load_corpus(path, 42)
            for where, topics in (("race", RACE[name]), ("fresh", FRESH.get(name, ()))):
                for one in topics:
                    yield trained_world(corpus, one, rng_of(42, "rivals", one)), where


def made_worlds():
    for name, sketch in MADE.items():
        one = make_world(sketch, rng_of(42, "cover", name))
        yield (
            World(name=name, labels=one.labels, predicted=one.predicted, scores=one.scores),
            "made",
        )


def counts_of(samples, rows):
    return StrataCounts(
        predicted=samples.side,
        sizes=samples.size,
        labelled=samples.taken[rows],
        positives=samples.found[rows],
    )


def read_own(ask, samples, truth):
    """Samples with an interval, how many lie above and below the truth; mean width of the first 50."""
    shown = np.flatnonzero((samples.found.sum(axis=1) > 0) | (ask.metric != "recall"))
    ratio, counts = metric(ask.metric), counts_of(samples, shown)
    above, below = (
        profile_cost(ratio, counts, np.full(len(shown), truth), lower=lower) > COST
        for lower in (True, False)
    )
    some = shown[:50]
    counts = counts_of(samples, some)
    points = np.clip(samples.by_means()[some], 0, 1)
    low, high = (_end(ratio, counts, points, lower=lower) for lower in (True, False))
    width = float((high - low).mean()) if len(some) else None
    return [len(shown), int(above.sum()), int(below.sum())], width


def _end(ratio, counts, points, *, lower):
    near, far = points, np.full(len(points), 0.0 if lower else 1.0)
    for _ in range(STEPS):
        middle = (near + far) / 2
        over = profile_cost(ratio, counts, middle, lower=lower) > COST
        near, far = np.where(over, near, middle), np.where(over, middle, far)
    return far


def design_of(world, name, labels):
    """The design of an estimate without its guarantee, which is counted apart."""
    cut = cut_world(world, Claim(metric=name, side="lower", target=0.5))
    strata = tuple(
        EstimateStratum(
            name=str(k),
            items=one.size,
            parts=(Part(items=one.size, prediction=one.predicted),),
            prediction=one.predicted,
            mean_score=one.mean_score,
            doubt=None,
        )
        for k, one in enumerate(cut.strata)
    )
    return EstimateDesign(
        metric=name, sampling="fixed", strata=strata, stratifier="rank", allocation="chances",
        confidence=0.95, labels=labels, within=None,
    )  # fmt: skip


def answers_of(design, labelled, positives):
    strata = np.repeat(np.arange(len(labelled)), labelled)
    place = np.arange(len(strata)) - np.repeat(np.cumsum(labelled) - labelled, labelled)
    side = np.array([int(bool(one.prediction)) for one in design.strata])
    labels = (place < positives[strata]).astype(np.int64)
    return Answers(strata=strata, predicted=side[strata], labels=labels, waiting=0)


def read_sides(ask, samples, part):
    """The same of the metrics that the sample was not drawn for, as `estimate` prints them."""
    if ask.metric == "precision":
        return {}  # its strata hold one predicted class
    design, counts = design_of(ask.world, ask.metric, ask.labels), defaultdict(lambda: [0, 0, 0])
    for labelled, positives in zip(samples.taken[:part], samples.found[:part], strict=True):
        found = estimate(design, answers_of(design, labelled, positives), tell=lambda *_: None)
        for one in found.metrics:
            if one.metric != ask.metric and one.low is not None and one.high is not None:
                truth = ask.world.value(one.metric)
                wrong = (1, one.low > truth + 1e-12, one.high < truth - 1e-12)
                pairs = zip(counts[one.metric], wrong, strict=True)
                counts[one.metric] = [a + int(b) for a, b in pairs]
    return dict(counts)


def bet(ask, way, runs, rng, *, width):
    """Runs, how often a bettor at the truth was ever rich (side x level), and the width of one."""
    cut = cut_world(ask.world, Claim(metric=ask.metric, side="lower", target=0.5))
    unit = margin_unit(
        ask.metric, cut.strata, fixed_chances(ask.metric, cut.strata),
        labels=ask.labels, confidence=0.95,
    )  # fmt: skip
    tests = [
        weighted_test(
            Claim(metric=ask.metric, side=side, target=0.5),
            cut.strata,
            recipe=interval_recipe(unit),
        )
        for side in ("lower", "upper")
    ]
    truth = [ask.world.value(ask.metric)]
    rows = tests_at(tests[0], truth).joined(tests_at(tests[1], truth))
    errors, wide = np.zeros((2, 2), dtype=int), None
    for run in range(runs):
        draws = DRAWS[way](ask.metric, cut, ask.labels, rng)
        log = walk(tests[0], rows).feed(draws.strata, draws.labels, draws.sampling)
        errors += log.max(axis=1, initial=0.0)[:, None] >= [-math.log(one) for one in LEVELS]
        if width and run == 0:
            proved = guarantee(ask.metric, cut.strata, draws, unit=unit)
            wide = 1.0 if proved.low is None else proved.high - proved.low
    return {"runs": runs, "errors": errors.tolist(), "width": wide}


def cells_of(world, where, asked):
    for name, labels in itertools.product(METRICS, SIZES):
        items = int(world.predicted.sum()) if name == "precision" else world.items
        if labels >= items:
            continue
        ask = Question(world=world, metric=name, labels=labels, runs=asked.samples)
        key, truth = (world.name, name, str(labels)), world.value(name)
        row = {"world": world.name, "where": where, "metric": name, "labels": labels}
        row |= {"samples": asked.samples, "cover": {}, "width": {}, "sides": {}, "bets": {}}
        for way, draw in WAYS.items():
            samples = draw(ask, rng_of(SEED, *key, way))
            row["cover"][way], row["width"][way] = read_own(ask, samples, truth)
            if labels in COMPARED:
                row["sides"][way] = read_sides(ask, samples, asked.part)
                row["bets"][way] = bet(
                    ask, way, asked.part, rng_of(SEED, *key, way, "bets"),
                    width=where == "fresh" and labels == COMPARED[0],
                )  # fmt: skip
        yield row


def record(cells):
    """The cells as JSON, one line each, to four digits."""
    short = json.loads(json.dumps(cells), parse_float=lambda text: float(f"{float(text):.4g}"))
    return json.dumps(short).replace('{"world"', '\n{"world"') + "\n"


def measure(asked):
    worlds = itertools.chain(made_worlds(), real_worlds(asked.data or ()))
    start, cells = time.process_time(), []
    for world, where in worlds:
        cells += cells_of(world, where, asked)
        print(f"{time.process_time() - start:5.0f} s  {world.name}", flush=True)
        if asked.keep:
            asked.keep.write_text(record(cells), encoding="utf-8")
    return cells


def main():
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--data", type=Path, nargs="+", help="folders or files of collections")
    asked.add_argument("--samples", type=int, default=800, help="samples a cell")
    asked.add_argument("--part", type=int, default=6, help="of them with dear intervals")
    asked.add_argument("--keep", type=Path, help="write the record here")
    asked.add_argument("--show", type=Path, help="show a record instead of measuring")
    asked.add_argument("--page", type=Path, help="write the tables into this page")
    asked = asked.parse_args()
    cells = json.loads(asked.show.read_text(encoding="utf-8")) if asked.show else measure(asked)
    print("\n".join(lines(cells)))
    if asked.page:
        write_page(asked.page, cells)


if __name__ == "__main__":
    main()
