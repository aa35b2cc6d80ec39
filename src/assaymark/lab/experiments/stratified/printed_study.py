"""The paper's own tables and figures on one pool: error against labels, ratios by stratifier and K.

Source: Kumar and Raj (2016), section 4, figures 2 to 9. Samples are drawn with replacement; the
learning allocations run as printed, without a guard, and with ours. `paper_vr` is the paper's
measure, the mean of the variance that a stratified sample estimates of itself over that of a random
sample; `true_vr` compares errors.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from assaymark.estimation.stats.neyman_allocation import Tuning
from assaymark.estimation.stats.stratified_estimator import (
    estimated_variance,
    random_variance,
    stratified_point,
)
from assaymark.estimation.stats.stratifiers import PAPER, stratify
from assaymark.lab.experiments.stratified.pools import EstimationPool
from assaymark.lab.experiments.stratified.runs import Truth, sample, truth_of

SIZES = (100, 200, 300, 400, 600, 800)
NUMBERS = tuple(range(2, 11))
FEWER = (2, 6, 10)
TARGET = 0.01
LAST = (5, 10)  # n_ini and n_step of the last figure
# the paper's allocations, with n_ini and n_step
WAYS: dict[str, tuple[str, Tuning]] = {
    "PRO": ("proportional", Tuning(guard=False)),
    "EQU": ("equal", Tuning(guard=False)),
    "OPT-A1": ("optimal-once", Tuning(first=10, guard=False)),
    "OPT-A2": ("optimal-steps", Tuning(first=5, step=10, guard=False)),
    "OPT-A1, guarded": ("optimal-once", Tuning(first=10)),
    "OPT-A2, guarded": ("optimal-steps", Tuning(first=5, step=10)),
}
TUNINGS = {
    **{f"{n}-A1": ("optimal-once", Tuning(first=n, guard=False)) for n in (5, 10, 20)},
    **{
        f"{n}-{step}": ("optimal-steps", Tuning(first=n, step=step, guard=False))
        for n in (5, 10)
        for step in (10, 20)
    },
}


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One way at one number of labels: mean absolute error, and both ratios to random sampling."""

    labels: int
    error: float
    paper_vr: float
    true_vr: float


def cell(
    truth: Truth, labels: int, way: tuple[str, Tuning], *, runs: int, rng: np.random.Generator
) -> Cell:
    """This many samples of this size."""
    samples = sample(truth, labels, way[0], runs=runs, rng=rng, tuning=way[1], replace=True)
    point = stratified_point(truth.sizes, samples.labelled, samples.correct)
    variance = estimated_variance(truth.sizes, samples.labelled, samples.correct)
    hits = rng.binomial(labels, truth.accuracy, size=runs) / labels
    simple = random_variance(truth.accuracy, items=int(truth.sizes.sum()), labels=labels)
    return Cell(
        labels=labels,
        error=float(np.abs(point - truth.accuracy).mean()),
        paper_vr=float(variance.mean() / (hits * (1 - hits) / (labels - 1)).mean()),
        true_vr=float(((point - truth.accuracy) ** 2).mean() / simple),
    )


def study(pool: EstimationPool, *, runs: int, rng: np.random.Generator) -> list[dict[str, Any]]:
    """Figures 2 to 6: every stratifier, allocation and K, at every number of labels."""
    binned = pool.binned()
    rows = []
    for stratifier in PAPER:
        for wanted in (k for k in NUMBERS if k <= len(binned.axis.z)):
            truth = truth_of(pool, binned, stratify(binned.axis, stratifier, wanted))
            for name, way in WAYS.items():
                if name.startswith("OPT-A2") and wanted not in FEWER:
                    continue
                for labels in SIZES:
                    if labels > way[1].first * len(truth.sizes):
                        result = cell(truth, labels, way, runs=runs, rng=rng)
                        setting = {"stratifier": stratifier, "allocation": name, "strata": wanted}
                        rows.append({"pool": pool.name, **setting, **vars(result)})
    return rows


def random_errors(pool: EstimationPool, *, runs: int, rng: np.random.Generator) -> dict[int, float]:
    """The mean absolute error of simple random samples, by their size."""
    return {
        n: float(np.abs(rng.binomial(n, pool.accuracy, size=runs) / n - pool.accuracy).mean())
        for n in SIZES
    }


def labels_for(errors: dict[int, float]) -> float | None:
    """Labels at which the error reaches the target, on the line through log errors and log sizes.

    Errors fall with the root of the labels, so the line is nearly straight; None where the target
    lies more than a factor of four beyond the sizes that were run.
    """
    sizes = np.log(np.array(list(errors)))
    logs = np.log(np.maximum(np.array(list(errors.values())), 1e-9))
    slope, start = np.polyfit(sizes, logs, 1)
    if slope >= 0:
        return None
    log_labels = (np.log(TARGET) - start) / slope
    near = np.log(min(errors) / 4) <= log_labels <= np.log(4 * max(errors))
    return float(np.exp(log_labels)) if near else None


def one_percent(
    pool: EstimationPool,
    rows: list[dict[str, Any]],
    errors: dict[int, float],
) -> list[dict[str, Any]]:
    """Labels for a mean error of one point: at random, and by each of the paper's ways."""
    at_random = labels_for(errors)
    groups: dict[tuple[str, str, int], dict[int, float]] = {}
    for row in rows:
        key = (row["stratifier"], row["allocation"], row["strata"])
        groups.setdefault(key, {})[row["labels"]] = row["error"]
    lines = []
    for (stratifier, allocation, strata), members in groups.items():
        needed = labels_for(members) if len(members) >= 3 else None
        saved = None if needed is None or at_random is None else 1 - needed / at_random
        lines.append(
            {
                "pool": pool.name,
                "stratifier": stratifier,
                "allocation": allocation,
                "strata": strata,
                "random": at_random,
                "labels": needed,
                "saved": saved,
            }
        )
    return lines


def tuned(
    pool: EstimationPool, stratifier: str, *, runs: int, rng: np.random.Generator
) -> list[dict[str, Any]]:
    """Figures 7 and 8: OPT-A1 by n_ini, and OPT-A2 by n_ini and n_step, K = 6."""
    binned = pool.binned()
    truth = truth_of(pool, binned, stratify(binned.axis, stratifier, min(6, len(binned.axis.z))))
    return [
        {"pool": pool.name, "stratifier": stratifier, "way": name, **vars(result)}
        for name, way in TUNINGS.items()
        for labels in SIZES
        if labels > way[1].first * len(truth.sizes)
        for result in [cell(truth, labels, way, runs=runs, rng=rng)]
    ]


def last_figure(
    pool: EstimationPool, *, runs: int, rng: np.random.Generator
) -> list[dict[str, Any]]:
    """Figure 9: equal size, K = 6, OPT-A2 with 5 first labels and steps of 10."""
    binned = pool.binned()
    truth = truth_of(pool, binned, stratify(binned.axis, "equal-size", min(6, len(binned.axis.z))))
    way = ("optimal-steps", Tuning(first=LAST[0], step=LAST[1], guard=False))
    return [vars(cell(truth, labels, way, runs=runs, rng=rng)) for labels in SIZES]
