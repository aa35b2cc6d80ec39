"""Labels to certify F1 at small and large margins: method 1, method 2, and simple sampling.

    python bench/method2.py --data DIRECTORY [--runs 20] [--most 8000]

DIRECTORY holds the collections as parquet files. Columns: mean labels as a multiple of the ideal
ln(1/level)/V*, the 90 % quantile, and the share of runs that passed. Runs that did not pass count
with the labels they used.
"""

import argparse
from pathlib import Path

import numpy as np

from assaymark.lab.corpora import load_corpus, read_collection, trained_world, vendor_worlds
from assaymark.lab.experiments.certify_race.entrants import ENTRANTS, Course
from assaymark.lab.row_runs import certify_rows
from assaymark.lab.tasks import rng_of
from assaymark.lab.weighted_runs import certify_pool
from assaymark.lab.worlds import claim_below, cut_world
from assaymark.stats.betting.binary import binary_test
from assaymark.stats.betting.hedge import ceiling
from assaymark.stats.betting.recipe import THREE_PARTS
from assaymark.stats.score_guided.forecast import forecast
from assaymark.stats.score_guided.supermartingale import weighted_test

LEVEL, MARGINS = 0.05, (0.02, 0.05, 0.10)
TRAINED = {"newsgroups20.parquet": ("sci.space",), "reuters21578.parquet": ("crude", "acq")}
VENDOR = "davidson_perspective.parquet"


def worlds(data: Path):
    for file, topics in TRAINED.items():
        if (data / file).is_file():
            corpus = load_corpus(data / file, 42)
            for topic in topics:
                yield trained_world(corpus, topic, rng_of(42, "race", topic))
    if (data / VENDOR).is_file():
        yield from vendor_worlds(read_collection(data / VENDOR), (0.5,))


def entrants(claim, cut, ideal, most):
    """Name and a function from a seed to (labels, passed)."""
    first = weighted_test(claim, cut.strata)
    end = ceiling(ideal, level=LEVEL)

    def one(seed):
        run = certify_pool(first, cut.labels, np.random.default_rng(seed), most=most)
        return run.labels, run.decision == "pass"

    def two(**more):
        test = binary_test(claim, cut.strata, level=LEVEL, bounds=False, **more).test

        def run(seed):
            found = certify_rows(test, cut.labels, np.random.default_rng(seed), most=most)
            return found.labels, found.ruling.decision == "pass"

        return run

    yield "method 1", one
    yield "method 2", two()
    yield "method 2, three parts", two(recipe=THREE_PARTS)
    if end <= most:
        yield f"method 2, ceiling {end}", two(ceiling=end)


def simple_anytime(world, claim, runs):
    found = ENTRANTS["anytime"](Course(world=world, claim=claim), runs, np.random.default_rng(42))
    return np.array(found.used), found.passed / runs


def show(name, labels, passed, ideal):
    mean, high = labels.mean() / ideal, np.quantile(labels, 0.9) / ideal
    print(f"  {name:28} {mean:6.2f} {high:6.2f} {passed:5.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--most", type=int, default=8000)
    given = parser.parse_args()
    for world in worlds(given.data):
        for margin in MARGINS:
            if world.value() - margin < 0.05:
                continue
            claim = claim_below(world, margin)
            cut = cut_world(world, claim)
            ideal = forecast(weighted_test(claim, cut.strata), cut.rates).ideal
            print(f"{world.name}: {claim}, {world.items} items, ideal {ideal:.0f}", flush=True)
            for name, run in entrants(claim, cut, ideal, given.most):
                found = np.array([run(seed) for seed in range(given.runs)])
                show(name, found[:, 0], found[:, 1].mean(), ideal)
            show("simple, anytime", *simple_anytime(world, claim, given.runs), ideal)


if __name__ == "__main__":
    main()
