"""How often each bound tells the truth: exact enumeration over all samples, no randomness.

    python docs/measure_coverage.py            the table of docs/explanation/exact-bounds.md
    python docs/measure_coverage.py --quick    samples of 100 only
    python docs/measure_coverage.py --stratified    the exact bound on a sample it is not made for

For each population (prevalence, F1 with precision = recall) and each sample size, walk through
the samples that can happen, add up the chance of those whose one-sided lower bound at 95 % lies
at or below the true F1. Samples with a chance below 1e-9 are left out; what was left out is at
most the stated `missing`. The normal approximations have no width where a sample shows no
variation, and assaymark refuses them there. Such samples are counted as the bare formula has it
(the bound is the point), and their chance is shown as `no width`.
"""

import argparse
from collections.abc import Iterator
from functools import cache

import numpy as np
from scipy.special import gammaln
from scipy.stats import binom

from assaymark.claims.claim import Counts
from assaymark.claims.ratio_metrics import metric
from assaymark.errors import InputError
from assaymark.stats.beta_posterior import cells, chance_below, from_expectation, from_pilot
from assaymark.stats.binomial_bounds import METHODS, exact_low

TAIL = 0.05
NEGLIGIBLE = 1e-9
F1 = metric("f1")


def samples(size: int, shares: tuple[float, ...]) -> Iterator[tuple[Counts, float]]:
    """All samples of this size with a chance that matters, and their chances."""
    reach = [_reach(size, share) for share in shares[:3]]
    tp, fp, fn = (axis.ravel() for axis in np.meshgrid(*reach, indexing="ij"))
    tn = size - tp - fp - fn
    keep = tn >= 0
    table = np.stack([tp, fp, fn, tn], axis=1)[keep]
    log = gammaln(size + 1) - gammaln(table + 1).sum(axis=1) + table @ np.log(shares)
    for row, chance in zip(table.tolist(), np.exp(log).tolist(), strict=True):
        if chance > NEGLIGIBLE:
            yield Counts(tp=row[0], fp=row[1], fn=row[2], tn=row[3]), chance


def _reach(size: int, share: float) -> np.ndarray:
    middle, spread = size * share, np.sqrt(size * share * (1 - share))
    low, high = int(max(0, middle - 7 * spread - 7)), int(min(size, middle + 7 * spread + 7))
    return np.arange(low, high + 1)


def covers(name: str, counts: Counts, truth: float) -> bool:
    """Whether the method's lower bound lies at or below the truth."""
    if name == "beta" and counts.tp:
        return counts.fn >= least_missed(counts.total, counts.tp, counts.fp, truth)
    if METHODS[name].binomial_only:
        return binomial_low(name, counts.tp, counts.fp + counts.fn) <= truth
    return METHODS[name].ends(F1, counts, TAIL)[0] <= truth


@cache
def least_missed(size: int, tp: int, fp: int, truth: float) -> int:
    """From how many misses on the beta bound covers the truth: more misses, lower bound.

    The bound is the quantile at TAIL, so it lies below the truth iff this chance is enough.
    """
    low, high = 0, size - tp - fp
    while low < high:
        fn = (low + high) // 2
        counts = Counts(tp=tp, fp=fp, fn=fn, tn=size - tp - fp - fn)
        enough = chance_below(F1, from_pilot(counts), truth) >= TAIL
        low, high = (low, fn) if enough else (fn + 1, high)
    return low


@cache
def binomial_low(name: str, hits: int, mistakes: int) -> float:
    """The lower bound of a method that sees nothing but hits and mistakes."""
    return METHODS[name].ends(F1, Counts(tp=hits, fp=mistakes, fn=0, tn=0), TAIL)[0]


def coverage(size: int, prevalence: float, truth: float) -> dict[str, tuple[float, float]]:
    """For each method: the chance to cover, and the chance of a sample that it refuses."""
    belief = from_expectation(precision=truth, recall=truth, prevalence=prevalence)
    hit, refused = dict.fromkeys(METHODS, 0.0), dict.fromkeys(METHODS, 0.0)
    total = 0.0
    for counts, chance in samples(size, cells(belief)):
        total += chance
        for name in METHODS:
            try:
                hit[name] += chance * covers(name, counts, truth)
            except InputError:
                hit[name] += chance * ((F1.value(counts.cells) or 0.0) <= truth)
                refused[name] += chance
    print(f"n {size:>5}  prevalence {prevalence:<5} F1 {truth:<4} missing {1 - total:.1e}", end="")
    return {name: (hit[name] / total, refused[name] / total) for name in METHODS}


def stratified(each: int = 150, prevalence: float = 0.03, truth: float = 0.7) -> float:
    """Coverage of the exact bound when `each` items of either predicted class were labelled."""
    belief = from_expectation(precision=truth, recall=truth, prevalence=prevalence)
    found = np.arange(each + 1)
    hits, missed = (binom.pmf(found, each, rate) for rate in belief.rates)
    share = exact_low(found[:, None], each + found[None, :], TAIL)
    covered = 2 * share / (1 + share) <= truth
    return float(hits @ covered @ missed)


def main() -> None:
    """Print one line per population and size, then the range of each method."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="samples of 100 only")
    parser.add_argument("--stratified", action="store_true", help="a sample of another design")
    options = parser.parse_args()
    if options.stratified:
        print(f"{100 * stratified():.2g} % of all such samples")
        return
    quick = options.quick
    grid = [(100, p) for p in (0.03, 0.1, 0.3)]
    grid += [] if quick else [(300, 0.03), (300, 0.1), (300, 0.3), (1000, 0.03)]
    found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in METHODS}
    for size, prevalence in grid:
        for truth in (0.5, 0.7, 0.9):
            answer = coverage(size, prevalence, truth)
            for name, (share, refused) in answer.items():
                found[name].append((share, refused, size * prevalence))
                print(f"  {name} {share:.4f}", end="")
            print(flush=True)
    for name, rows in found.items():
        rich = [share for share, _, positives in rows if positives >= 29.9]
        rest = [share for share, _, positives in rows if positives < 29.9]
        refused = max(row[1] for row in rows)
        print(
            f"{name:<15} fewer than 30 positives expected: {_range(rest)}   "
            f"30 or more: {_range(rich)}   no width up to {100 * refused:.1f} %"
        )


def _range(shares: list[float]) -> str:
    return f"{100 * min(shares):.1f}–{100 * max(shares):.1f} %" if shares else "–"


if __name__ == "__main__":
    main()
