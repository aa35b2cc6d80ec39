"""F1, recall and accuracy: root mean squared error of our sampling beside its rivals, same runs.

    python bench/rivals.py [COLLECTION.parquet …]

The rivals are those of `assaymark lab certify-race`; and, for accuracy, Angelopoulos et al. (2023),
*PPI++*, in a few lines. All draw with replacement; ours without.
"""

import sys
from pathlib import Path

import numpy as np

from assaymark.estimation.stats.default_strata import strata_wanted
from assaymark.estimation.stats.stratifiers import stratify
from assaymark.lab.corpora import load_corpus, read_collection, trained_world, vendor_worlds
from assaymark.lab.experiments.estimate_errors.estimators import RIVALS, Question, fixed
from assaymark.lab.experiments.stratified.pools import of_world
from assaymark.lab.experiments.stratified.runs import sample, score, truth_of
from assaymark.lab.tasks import rng_of
from assaymark.lab.worlds import Sketch, make_world

RUNS, SIZES = 300, (100, 200, 400, 800, 1600)
TOPICS = {"arxiv_cs": ("cs.NI", "cs.GT", "eess.IV"), "newsgroups20": ("sci.space",)}


def ppi_ratio(world, n, rng):
    """Mean squared error of PPI++ for accuracy over that of random sampling."""
    z = np.where(world.predicted, world.scores, 1 - world.scores)
    right = world.labels == world.predicted
    at = rng.integers(0, world.items, size=(RUNS, n))
    a, b = right[at].astype(float), z[at]
    cov = ((a - a.mean(1, keepdims=True)) * (b - b.mean(1, keepdims=True))).mean(1)
    power = np.clip(cov / np.maximum(b.var(1), 1e-12), 0, 1)
    point = a.mean(1) + power * (z.mean() - b.mean(1))
    truth = right.mean()
    return float(((point - truth) ** 2).mean() / (truth * (1 - truth) / n))


def worlds(paths):
    for prevalence in (0.02, 0.1):
        yield make_world(
            Sketch(prevalence=prevalence, f1=0.75), rng_of(42, "rivals", str(prevalence))
        )
    for path in paths:
        collection = read_collection(path)
        if collection.scores is not None:
            yield from vendor_worlds(collection, (0.8,))
            continue
        for topic in TOPICS.get(collection.name, ()):
            yield trained_world(load_corpus(path, 42), topic, rng_of(42, "rivals", topic))


def main() -> None:
    ways = {"ours": fixed, **RIVALS}
    ratios = {}
    for world in worlds([Path(name) for name in sys.argv[1:]]):
        print(f"== {world.name} (F1 {world.value('f1'):.3f}, recall {world.value('recall'):.3f})")
        for metric in ("f1", "recall"):
            truth = world.value(metric)
            for n in SIZES:
                rmse = {}
                for name, way in ways.items():
                    ask = Question(world=world, metric=metric, labels=n, runs=RUNS)
                    point = way(ask, rng_of(1, world.name, metric, str(n), name))
                    rmse[name] = float(np.sqrt(((point - truth) ** 2).mean()))
                for name, own in rmse.items():
                    ratios.setdefault((metric, n, name), []).append(own / rmse["ours"])
                print(f"  {metric:7} {n:5}  " + "  ".join(f"{a} {b:.4f}" for a, b in rmse.items()))
        pool = of_world(world, real=False)
        binned = pool.binned()
        for n in (100, 400):
            rng = rng_of(2, world.name, str(n))
            cut = stratify(binned.axis, "mixc", min(strata_wanted(n), len(binned.axis.z)))
            own = score(
                sample(truth_of(pool, binned, cut), n, "mass", runs=RUNS, rng=rng), rng
            ).true_vr
            print(f"  accuracy {n}: true VR mixc {own:.2f}, PPI++ {ppi_ratio(world, n, rng):.2f}")
    print("== error over ours, geometric mean over worlds")
    for (metric, n, name), own in ratios.items():
        if name != "ours":
            print(
                f"  {metric:7} {n:5} {name:7} {np.exp(np.mean(np.log(own))):.2f} (least {min(own):.2f})"
            )


if __name__ == "__main__":
    main()
