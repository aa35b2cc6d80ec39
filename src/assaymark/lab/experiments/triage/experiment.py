"""The experiment `triage`: does each rule keep its promise, and how much does it automate?

Development labels are drawn again and again from populations whose labels are all known; each
rule sets its cut-offs, and the population says whether the promise was kept. Beside the rules
stands the oracle: the best cut-offs on the population itself. The tables of Kraaij, Raaijmakers
and Elzinga (2009) are repeated in kind.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from assaymark.errors import InputError
from assaymark.lab import vega_lite as vega
from assaymark.lab.experiments.triage.printed_tables import printed_tasks, run_printed
from assaymark.lab.experiments.triage.worlds import (
    SKETCHES,
    TriageSketch,
    TriageWorld,
    make,
    sketches_of,
)
from assaymark.lab.outcome import Outcome
from assaymark.lab.tasks import Order, TaskResult, rng_of, run_all, worked_on
from assaymark.lab.vega_lite import FONTS, Spec
from assaymark.stats.calibration import platt
from assaymark.stats.labelled_scores import Labelled
from assaymark.triaging.stats.class_promises import certify_precision, certify_rates, side_regions
from assaymark.triaging.stats.cutoffs import checked_target, decided, few_errors, tally
from assaymark.triaging.stats.fixed_sequence import certify, regions
from assaymark.triaging.stats.optimal_cutoffs import best_cutoffs, sweep, yield_curve
from assaymark.triaging.stats.targeted_labels import aim, certify_drawn
from assaymark.triaging.triage import Cutoffs, Tally

LOOK: dict[str, Any] = {
    **vega.frame(legend=FONTS | {"orient": "bottom"}),
    "padding": vega.room(right=24, above=8, below=8),
    "width": 420,
    "height": 220,
}
RUNS = 100
SIZES = (100, 200, 500, 1000)
DELTA = 0.1
DEVELOPMENT = 500
SAMPLE = 1000
NOTHING = Cutoffs(low=None, high=None)
TARGETS = tuple(round(0.6 + 0.01 * k, 2) for k in range(40))


@dataclass(frozen=True, kw_only=True, eq=False)
class Round:
    """One world with what is fixed before labels, and one sample of development labels."""

    world: TriageWorld
    known: dict[str, Any]
    development: Labelled
    rng: np.random.Generator


def fixed_before(world: TriageWorld) -> dict[str, Any]:
    """The paths, placed by the population's scores without labels."""
    curve, scores = platt(world.training), world.population.scores
    return {
        "path": regions(curve, scores),
        "sides": tuple(side_regions(curve, scores, accept=side) for side in (True, False)),
        "aim": aim(curve, scores, target=world.target),
    }


def _empirical(it: Round) -> Cutoffs:
    return best_cutoffs(sweep(it.development), it.world.target)


def _uncorrected(it: Round) -> Cutoffs:
    """The paper's search with an exact bound at each pair, but none for the search."""
    data, target = it.development, it.world.target
    best, most = NOTHING, 0
    for wanted in np.arange(target, 0.9975, 0.005):
        cutoffs = best_cutoffs(sweep(data), round(float(wanted), 3))
        counts = tally(data, cutoffs)
        if (
            counts.automated > most
            and few_errors(counts.errors, counts.automated, 1 - target) <= DELTA
        ):
            best, most = cutoffs, counts.automated
    return best


def _certified(it: Round) -> Cutoffs:
    return certify(it.development, it.known["path"], target=it.world.target, delta=DELTA).cutoffs


def _targeted(it: Round) -> Cutoffs:
    """As many labels, drawn inside the region that might be automated."""
    aimed, everyone = it.known["aim"], it.world.population
    accept, reject = decided(everyone.scores, aimed.widest.cutoffs)
    inside = np.flatnonzero(accept | reject)
    size = min(it.development.size, len(inside))
    chosen = it.rng.choice(inside, size, replace=False)
    data = Labelled(scores=everyone.scores[chosen], labels=everyone.labels[chosen])
    return certify_drawn(
        data, aimed.path, target=it.world.target, delta=DELTA, pool=everyone.size
    ).cutoffs


def _precision(it: Round) -> Cutoffs:
    return certify_precision(
        it.development, it.known["sides"], target=it.world.target, delta=DELTA
    ).cutoffs


def _sides(it: Round) -> Cutoffs:
    return certify_rates(it.development, target=it.world.target, delta=DELTA).cutoffs


def _misses_accuracy(counts: Tally, target: float) -> bool:
    return counts.accuracy is not None and counts.accuracy < target


def _misses_precision(counts: Tally, target: float) -> bool:
    both = (counts.precision_accept, counts.precision_reject)
    return any(value is not None and value < target for value in both)


def _misses_rates(counts: Tally, target: float) -> bool:
    return any(
        rate is not None and rate > 1 - target + 1e-12 for rate in (counts.type_1, counts.type_2)
    )


@dataclass(frozen=True, kw_only=True)
class LabRule:
    """A rule under test and how its promise is broken."""

    choose: Callable[[Round], Cutoffs]
    broken: Callable[[Tally, float], bool]
    promised: bool = True


RULES = {
    "empirical": LabRule(choose=_empirical, broken=_misses_accuracy, promised=False),
    "uncorrected bound": LabRule(choose=_uncorrected, broken=_misses_accuracy, promised=False),
    "certified": LabRule(choose=_certified, broken=_misses_accuracy),
    "targeted": LabRule(choose=_targeted, broken=_misses_accuracy),
    "precision": LabRule(choose=_precision, broken=_misses_precision),
    "sides": LabRule(choose=_sides, broken=_misses_rates),
}


@dataclass(frozen=True, kw_only=True)
class TriageTask:
    """One world, all sizes and rules."""

    sketch: TriageSketch
    runs: int
    seed: int

    @property
    def name(self) -> str:
        """What to show while it runs."""
        return self.sketch.name


def run_world(task: TriageTask) -> TaskResult:
    """Every rule at every size on one world, and the tables in kind."""
    world = make(task.sketch, task.seed)
    known = fixed_before(world)
    everyone = sweep(world.population)
    oracle = tally(world.population, best_cutoffs(everyone, world.target))
    rows = [
        row for size in SIZES for row in _rules(world, known, size, task, oracle.automated_share)
    ]
    curve = [
        {"world": world.name, "target": p.target, "yield": p.automated_share}
        for p in yield_curve(everyone, TARGETS)
    ]
    return {"rows": rows, "in_kind": _in_kind(world, task), "curve": curve}


def _sample(world: TriageWorld, size: int, rng: np.random.Generator) -> Labelled:
    chosen = rng.choice(world.population.size, size, replace=False)
    return Labelled(scores=world.population.scores[chosen], labels=world.population.labels[chosen])


def _rules(
    world: TriageWorld, known: dict[str, Any], size: int, task: TriageTask, oracle: float
) -> list[dict[str, Any]]:
    broken = dict.fromkeys(RULES, 0)
    shares: dict[str, list[float]] = {name: [] for name in RULES}
    for number in range(task.runs):
        rng = rng_of(task.seed, "triage run", world.name, str(size), str(number))
        it = Round(world=world, known=known, development=_sample(world, size, rng), rng=rng)
        for name, rule in RULES.items():
            try:
                if rule.broken is _misses_accuracy:
                    checked_target(world.target, majority=it.development.majority)
                cutoffs = rule.choose(it)
            except InputError:  # refused: everything goes to people
                cutoffs = NOTHING
            counts = tally(world.population, cutoffs)
            broken[name] += rule.broken(counts, world.target)
            shares[name].append(counts.automated_share)
    return [
        {
            "world": world.name,
            "target": world.target,
            "labels": size,
            "rule": name,
            "runs": task.runs,
            "broken": broken[name],
            "broken_share": broken[name] / task.runs,
            "yield": float(np.mean(shares[name])),
            "nothing": float(np.mean(np.array(shares[name]) == 0)),
            "oracle": oracle,
            "binary_accuracy": world.binary,
        }
        for name in RULES
    ]


def _in_kind(world: TriageWorld, task: TriageTask) -> list[dict[str, Any]]:
    """Tables 3 to 5 in kind: the paper's rule from 500 labels, on the rest and on three samples."""
    rng = rng_of(task.seed, "triage tables", world.name)
    order = rng.permutation(world.population.size)
    parts = {"development": order[:DEVELOPMENT], "test": order[DEVELOPMENT:]}
    for letter in "ABC":
        parts[f"sample {letter}"] = rng.choice(order[DEVELOPMENT:], SAMPLE, replace=False)
    data = {
        name: Labelled(scores=world.population.scores[rows], labels=world.population.labels[rows])
        for name, rows in parts.items()
    }
    cutoffs = best_cutoffs(sweep(data["development"]), world.target)
    rows = []
    for name, labelled in data.items():
        counts = tally(labelled, cutoffs)
        rows.append(
            {
                "world": world.name,
                "target": world.target,
                "items": labelled.size,
                "on": name,
                "positives": int(labelled.labels.sum()),
                "binary_accuracy": world.binary,
                "accuracy": counts.accuracy,
                "yield": counts.automated_share,
            }
        )
    return rows


def triage(order: Order) -> Outcome:
    """Every rule on sketched worlds and on every collection given."""
    runs = order.runs or RUNS
    sketches = [*SKETCHES]
    for path in order.data:
        order.progress(f"reading {path.name}", None)
        sketches += worked_on(path, sketches_of(path), needs="scores of a vendor or spam and ham")
    tasks = [TriageTask(sketch=sketch, runs=runs, seed=order.seed) for sketch in sketches]
    results = run_all(run_world, tasks, order)
    printed = [task for path in order.data for task in printed_tasks(path, order.seed, runs)]
    rows = [row for part in results for row in part["rows"]]
    curve = [row for part in results for row in part["curve"]]
    return Outcome(
        name="triage",
        tables={
            "rules": rows,
            "in-kind": [row for part in results for row in part["in_kind"]],
            "yield-curve": curve,
            "printed": [
                row for part in run_all(run_printed, printed, order) for row in part["rows"]
            ],
        },
        figures={"yield-plot": yield_figure(curve)},
        sentences=_sentences(rows),
        settings={"runs": runs, "seed": order.seed, "delta": DELTA, "sizes": list(SIZES)},
    )


def _sentences(rows: list[dict[str, Any]]) -> tuple[str, ...]:
    said = []
    for name in RULES:
        members = [row for row in rows if row["rule"] == name]
        worst = max(members, key=lambda row: row["broken"])
        total = sum(row["broken"] for row in members) / sum(row["runs"] for row in members)
        of = np.mean([row["yield"] / row["oracle"] for row in members if row["oracle"]])
        said.append(
            f"{name}: promise broken in {100 * total:.1f}% of runs (worst {100 * worst['broken_share']:.0f}%"
            f", {worst['world']}, {worst['labels']} labels); yield {of:.2f} of the oracle's"
        )
    return tuple(said)


def yield_figure(curve: list[dict[str, Any]]) -> Spec:
    """The yield plot: one line per world, with dashes of its own."""
    names = list(dict.fromkeys(row["world"] for row in curve))
    dashes = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [12, 3], [4, 2, 1, 2], [3, 5], [10, 2, 2, 2]]
    legend = {"columns": 2, "orient": "bottom", "symbolSize": 400, "labelLimit": 300}
    world = vega.name("world", sort=names, legend=legend)
    percent = {"format": ".0%"}
    wanted = {"domain": [0.6, 1], "nice": False}
    return vega.figure(
        "What could be automated at each accuracy",
        look=LOOK,
        data=vega.rows(curve),
        mark={"type": "line", "strokeWidth": 1.6},
        encoding={
            "x": vega.number("target", title="wanted accuracy", scale=wanted, axis=percent),
            "y": vega.number(
                "yield", title="share automated (yield)", scale={"domain": [0, 1]}, axis=percent
            ),
            "color": {**world, "scale": {"domain": names}},
            "strokeDash": {**world, "scale": {"domain": names, "range": dashes[: len(names)]}},
        },
    )
