"""F1, recall and accuracy: root mean squared error of our sampling beside its rivals, same runs.

    python bench/rivals.py [COLLECTION.parquet …]

The rivals are written here in a few lines each, from their papers: Sawade et al. (2010), *Active
estimation of F-measures*; Marchant and Rubinstein (2017), *In search of an entity resolution OASIS*
(here with the scores' strata and in ten rounds); AIPW on Sawade's sampling; and, for accuracy,
Angelopoulos et al. (2023), *PPI++*. All draw with replacement; ours without.
"""

import sys
from pathlib import Path

import numpy as np

from assaymark.claims.claim import Claim
from assaymark.estimation.stats.default_strata import strata_wanted
from assaymark.estimation.stats.rank_strata import fixed_chances
from assaymark.estimation.stats.stratifiers import stratify
from assaymark.lab.corpora import load_corpus, read_collection, trained_world, vendor_worlds
from assaymark.lab.experiments.stratified.pools import of_world
from assaymark.lab.experiments.stratified.runs import sample, score, truth_of
from assaymark.lab.tasks import rng_of
from assaymark.lab.worlds import Sketch, cut_world, make_world

RUNS, SIZES = 300, (100, 200, 400, 800, 1600)
TOPICS = {"arxiv_cs": ("cs.NI", "cs.GT", "eess.IV"), "newsgroups20": ("sci.space",)}


def value(metric, tp, positives, predicted):
    below = predicted + positives if metric == "f1" else positives
    above = 2 * tp if metric == "f1" else tp
    return np.divide(above, below, out=np.zeros(np.shape(tp)), where=below > 0)


def ours(world, metric, n, rng):
    claim = Claim(metric=metric, side="lower", target=0.5)
    cut = cut_world(world, claim)
    q = fixed_chances(metric, cut.strata)
    size = np.array([s.size for s in cut.strata])
    hits = np.array([own.sum() for own in cut.labels])
    side = np.array([s.predicted for s in cut.strata])
    prior = np.array([s.mean_score for s in cut.strata])
    taken = np.minimum(rng.multinomial(n, q, size=RUNS), size)
    found = rng.hypergeometric(hits, size - hits, taken)
    rate = np.where(taken > 0, found / np.maximum(taken, 1), prior)
    total = size * rate
    return value(metric, total[:, side].sum(1), total.sum(1), world.predicted.sum())


def guess(world, metric):
    s, f = np.clip(world.scores, 1e-4, 1 - 1e-4), world.predicted
    return float(value(metric, (s * f).sum(), s.sum(), f.sum())), s


def sawade_q(world, metric):
    g, s = guess(world, metric)
    if metric == "f1":
        q = np.where(
            world.predicted, np.sqrt(s * (1 - g) ** 2 + 0.25 * (1 - s) * g**2), 0.5 * g * np.sqrt(s)
        )
    else:
        q = np.where(world.predicted, (1 - g) * np.sqrt(s), g * np.sqrt(s))
    return q / q.sum()


def pick(q, n, rng):
    edges = np.cumsum(q)
    return np.minimum(
        np.searchsorted(edges, rng.random((RUNS, n)) * edges[-1], side="right"), len(q) - 1
    )


def sawade(world, metric, n, rng):
    q = sawade_q(world, metric)
    at = pick(q, n, rng)
    w = 1 / q[at]
    y, f = world.labels[at], world.predicted[at]
    return value(metric, (w * y * f).sum(1), (w * y).sum(1), (w * f).sum(1))


def aipw(world, metric, n, rng):
    _, s = guess(world, metric)
    q = 0.9 * sawade_q(world, metric) + 0.1 / world.items
    at = pick(q, n, rng)
    gap = (world.labels[at] - s[at]) / (q[at] * n)
    f = world.predicted
    tp = np.clip((s * f).sum() + (gap * f[at]).sum(1), 0, f.sum())
    return np.clip(value(metric, tp, np.maximum(s.sum() + gap.sum(1), tp), f.sum()), 0, 1)


def oasis(world, metric, n, rng, strata=30, mix=1e-3):
    """Adaptive importance sampling over strata of the scores: ten rounds, optimistic start."""
    edges = np.unique(np.quantile(world.scores, 1 - np.geomspace(1, 1 / world.items, strata + 1)))
    k = np.clip(np.searchsorted(edges, world.scores, side="right") - 1, 0, len(edges) - 1)
    key, k = np.unique(2 * k + world.predicted, return_inverse=True)
    size = np.bincount(k).astype(float)
    f = key % 2 == 1
    hits = np.bincount(k, weights=world.labels)
    start = np.bincount(k, weights=world.scores) / size
    seen = np.zeros((RUNS, len(size))) + 2.0
    pos = seen * start
    sums = np.zeros((3, RUNS))
    for part in np.array_split(np.arange(n), 10):
        p = pos / seen
        g = value(metric, (size * p * f).sum(1), (size * p).sum(1), (size * f).sum())[:, None]
        a = np.where(f, np.sqrt(p * (1 - g) ** 2 + (0.25 if metric == "f1" else 0) * (1 - p) * g**2),
                     (0.5 if metric == "f1" else 1) * g * np.sqrt(p))  # fmt: skip
        q = size * a
        q = (1 - mix) * q / q.sum(1, keepdims=True) + mix * size / size.sum()
        draw = np.stack([rng.multinomial(len(part), own / own.sum()) for own in q])
        found = rng.binomial(draw, hits / size)
        w = (size / size.sum()) / q
        sums += [(w * found * f).sum(1), (w * found).sum(1), (w * draw * f).sum(1)]
        seen, pos = seen + draw, pos + found
    return value(metric, *sums)


def uniform(world, metric, n, rng):
    at = rng.integers(0, world.items, size=(RUNS, n))
    y, f = world.labels[at], world.predicted[at]
    return value(metric, (y * f).sum(1), y.sum(1), f.sum(1))


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
    ways = {"ours": ours, "sawade": sawade, "oasis": oasis, "aipw": aipw, "random": uniform}
    ratios = {}
    for world in worlds([Path(name) for name in sys.argv[1:]]):
        print(f"== {world.name} (F1 {world.value('f1'):.3f}, recall {world.value('recall'):.3f})")
        for metric in ("f1", "recall"):
            truth = world.value(metric)
            for n in SIZES:
                rmse = {}
                for name, way in ways.items():
                    point = way(world, metric, n, rng_of(1, world.name, metric, str(n), name))
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
