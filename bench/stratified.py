"""Stratified estimation: how long strata, estimates and a cell of the lab take, and growth."""

import sys
import time

import numpy as np

from assaymark.estimation.stats.confidence_axis import bin_items
from assaymark.estimation.stats.reading_intervals import korn_graubard
from assaymark.estimation.stats.stratified_estimator import stratified_mean
from assaymark.estimation.stats.stratifiers import STRATIFIERS, stratify
from assaymark.lab.experiments.stratified.pools import made_pools
from assaymark.lab.experiments.stratified.runs import sample, score, truth_of
from measure import report

ITEMS = 200_000


def least(function, times: int = 5) -> float:
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - start)
    return best


def pool(items: int):
    rng = np.random.default_rng(42)
    score_of = rng.beta(0.3, 3, items)
    group = (score_of > 0.5).astype(np.int64)
    return np.where(group == 1, score_of, 1 - score_of), group


def main() -> bool:
    z, group = pool(ITEMS)
    good = report("bin 200,000 items", 1000 * least(lambda: bin_items(z, group)), 50, " ms")
    axis = bin_items(z, group).axis
    for name in STRATIFIERS:
        limit = 300 if name == "mixture" else 50
        cost = 1000 * least(lambda name=name: stratify(axis, name, 10))
        good &= report(f"stratify 200,000 items, {name}", cost, limit, " ms")
    cut = stratify(axis, "mixc", 40)
    n = np.full(cut.strata, 10)

    def estimate():
        stratified_mean(cut.sizes, n, n - 1)
        korn_graubard(cut.sizes, n, n - 1, promised=1 - cut.doubt)

    good &= report("estimate with interval", 1000 * least(estimate, 20), 1, " ms")
    one = made_pools(np.random.default_rng(42))[0]
    binned = one.binned()
    truth = truth_of(one, binned, stratify(binned.axis, "sqrt", 10))

    def cell():
        rng = np.random.default_rng(1)
        score(sample(truth, 400, "optimal-steps", runs=3000, rng=rng), rng)

    good &= report("3,000 runs of one lab cell (optimal in steps)", least(cell, 2), 5, " s")
    # the strata are cut on bins, so a hundred million items are as many bins with larger counts
    many = axis.__class__(**{**axis.__dict__, "counts": axis.counts * 500})
    ratio = least(lambda: stratify(many, "mixc", 40), 20) / least(
        lambda: stratify(axis, "mixc", 40), 20
    )
    good &= report("stratify 100 M items over 200,000, from the summary", ratio, 1.5, " ×")
    return bool(good)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
