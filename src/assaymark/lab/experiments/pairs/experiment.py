"""The experiment `pairs`: recall of rare topics from classifiers that overlap.

Tables 3–5 of the paper recomputed; coverage of the interval and of the band in worlds of known
dependence; the stratified design against the paper's; labels against unbiased sampling; and pairs
on real collections, on many random splits as in the paper's Figure 5.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from assaymark.lab.experiments.pairs.corpora import recognised, run_pair, tasks_of
from assaymark.lab.experiments.pairs.figures import cost_figure, dependence_figure, split_figure
from assaymark.lab.experiments.pairs.social import (
    averages,
    headline,
    run_thresholds,
    social_tasks,
    threshold_tasks,
)
from assaymark.lab.experiments.pairs.tables import recomputed, tally
from assaymark.lab.experiments.pairs.worlds import (
    CoverageTask,
    DesignTask,
    run_coverage,
    run_designs,
    savings,
)
from assaymark.lab.outcome import Outcome
from assaymark.lab.tasks import Order, run_all, worked_on

SPLITS, SPLITS_FULL = 5, 100  # the second as in the paper
DELTAS = (0.8, 0.85, 0.9, 1.0, 1.05, 1.1, 1.25)
BUDGETS = (200, 1000, 2000)
RECALLS = ((0.7, 0.6), (0.4, 0.75))
SIMULATED = 400  # samples per world for every 5 runs


def pairs(order: Order) -> Outcome:
    """Everything the method promises, beside what it does."""
    splits = order.runs or (SPLITS_FULL if order.full else SPLITS)
    samples = max(100, SIMULATED * splits // SPLITS if splits < SPLITS else SIMULATED * 5)
    coverage = [
        result["coverage"]
        for result in run_all(run_coverage, _coverage_tasks(order, samples), order, most=0.3)
    ]
    designs = [
        result["design"]
        for result in run_all(run_designs, _design_tasks(order, samples), order, most=0.4)
    ]
    real: list[dict[str, Any]] = []
    thresholds: list[dict[str, Any]] = []
    for path in order.data:
        order.progress(f"reading {path.name}", None)
        tasks = worked_on(
            path,
            tasks_of(path, order.seed, splits),
            needs="texts with topics of which pairs are made",
        )
        real += [result["pair"] for result in run_all(run_pair, tasks, order)]
        source = recognised(path)
        lowered = (
            social_tasks(path, order.seed, splits)
            if isinstance(source, str)
            else threshold_tasks(path, source.chosen, order.seed, 1)
        )
        found_at = run_all(run_thresholds, lowered, order)
        thresholds += [row for result in found_at for row in result["rows"]]
    social = [row for row in thresholds if row["built"] == "social" and row["factor"] == 1.0]
    tables = recomputed()
    summary = summarise(real)
    cost = savings()
    figures = {"cost": cost_figure(cost)}
    if real:
        figures |= {"dependence": dependence_figure(summary), "splits": split_figure(summary)}
    return Outcome(
        name="pairs",
        tables={
            "tables": tables,
            "coverage": coverage,
            "designs": designs,
            "cost": cost,
            "real": real,
            "summary": summary,
            "thresholds": thresholds,
            "averages": averages([*real, *social]),
            "headline": headline([*real, *social]),
        },
        figures=figures,
        sentences=_sentences(tally(tables), coverage, designs, cost, summary),
        settings={"splits": splits, "samples": samples, "seed": order.seed},
    )


def _coverage_tasks(order: Order, samples: int) -> list[CoverageTask]:
    return [
        CoverageTask(recalls=recalls, delta=delta, labels=labels, runs=samples, seed=order.seed)
        for recalls in RECALLS
        for delta in DELTAS
        for labels in BUDGETS
    ]


def _design_tasks(order: Order, samples: int) -> list[DesignTask]:
    return [
        DesignTask(recall=recall, labels=labels, runs=samples, seed=order.seed)
        for recall in (0.5, 0.7, 0.95)
        for labels in (200, 1000)
    ]


def summarise(real: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Per collection, topic and way of building: mean over the splits, and their spread."""
    groups: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for row in real:
        groups.setdefault((row["collection"], row["topic"], row["built"]), []).append(row)
    return [_summary_row(key, rows) for key, rows in groups.items()]


def _summary_row(key: tuple[str, str, str], rows: list[dict[str, Any]]) -> dict[str, Any]:
    errors = np.array([row["estimate_a"] - row["recall_a"] for row in rows])
    spread = 1.96 * float(errors.std(ddof=1)) / np.sqrt(len(rows)) if len(rows) > 1 else 0.0
    deltas = [row["delta1"] for row in rows]
    return {
        "collection": key[0],
        "topic": key[1],
        "built": key[2],
        "splits": len(rows),
        "prevalence": _mean(rows, "prevalence"),
        "recall_a": _mean(rows, "recall_a"),
        "estimate_a": _mean(rows, "estimate_a"),
        "recall_b": _mean(rows, "recall_b"),
        "estimate_b": _mean(rows, "estimate_b"),
        "error": float(errors.mean()),
        "error_low": float(errors.mean()) - float(spread),
        "error_high": float(errors.mean()) + float(spread),
        "worst": float(np.abs(errors).max()),
        "delta1": float(np.mean(deltas)),
        "delta1_low": float(min(deltas)),
        "delta1_high": float(max(deltas)),
        "interval": _mean(rows, "interval"),
        "band": _mean(rows, "band"),
    }


def _mean(rows: list[dict[str, Any]], name: str) -> float | None:
    known = [row[name] for row in rows if row[name] is not None]
    return float(np.mean(known)) if known else None


def _sentences(
    agreement: dict[str, int],
    coverage: list[dict[str, Any]],
    designs: list[dict[str, Any]],
    cost: list[dict[str, Any]],
    summary: list[dict[str, Any]],
) -> tuple[str, ...]:
    inside = [row for row in coverage if 0.85 <= row["delta"] <= 1.25]
    said = [
        f"tables 3–5: {agreement['exact']} cells agree exactly, {agreement['rounding']} within "
        f"rounding, {agreement['no']} not",
        f"95 % sampling interval covers δ1·recall in {min(r['interval'] for r in coverage):.3f} to "
        f"{max(r['interval'] for r in coverage):.3f} of the samples; the recall itself in as few as "
        f"{min(r['plain'] for r in coverage):.3f}",
        f"the band covers the recall in at least {min(r['band'] for r in inside):.3f} where δ1 lies "
        f"in it, with labels outside {min(r['combined'] for r in inside):.3f}",
    ]
    said += [
        f"RMSE at {row['labels']:,} labels, recall {row['recall']:g}: {row['paper']:.4f} as in the "
        f"paper, {row['halves']:.4f} stratified in halves, {row['allocated']:.4f} allocated"
        for row in designs
    ]
    said += [
        f"prevalence {row['prevalence']:g}: {row['unbiased']:,} labels unbiased, {row['pair']:,} by "
        f"the pair if independent ({row['saving']:,.0f}×); in RMSE terms at δ1 = {row['delta']:g} "
        f"{row['honest_saving']:,.0f}×"
        for row in cost
    ]
    said += [
        f"{row['collection']} {row['topic']}, {row['built']}: estimate {row['estimate_a']:.3f}, truth "
        f"{row['recall_a']:.3f}, δ1 {row['delta1']:.2f}, {row['splits']} splits"
        for row in summary
    ]
    return tuple(said)
