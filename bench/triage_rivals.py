"""Certified triage against MAPIE's risk control and a plain Learn-then-Test grid, on the same labels.

    pip install -e '.[lab]' -r bench/requirements.txt      (in an environment of its own)
    python bench/triage_rivals.py [RUNS] [COLLECTION.parquet …]

All get the same Platt probabilities, fitted outside the development labels, and the same labels.
The rivals choose among 100 pairs of cut-offs on the probability, with Bonferroni-Holm (MAPIE's
default) or plain Bonferroni over exact binomial tests (Learn then Test).
"""

import sys
import warnings
from pathlib import Path

import numpy as np
from mapie.risk_control import BinaryClassificationController, abstention_rate
from mapie.risk_control.risks import BinaryRisk

from assaymark.errors import InputError
from assaymark.lab.experiments.triage.experiment import (
    Round,
    _certified,
    _sample,
    _targeted,
    fixed_before,
)
from assaymark.lab.experiments.triage.worlds import SKETCHES, make, sketches_of
from assaymark.stats.calibration import platt
from assaymark.triaging.stats.cutoffs import few_errors, tally
from assaymark.triaging.triage import Cutoffs

DELTA = 0.1
SIZES = (200, 500, 1000)
PAIRS = np.array(
    [(low, high) for low in np.linspace(0.05, 0.5, 10) for high in np.linspace(0.5, 0.95, 10)]
)
DECIDED = BinaryRisk(
    risk_occurrence=lambda truth, answer: answer == truth,
    risk_condition=lambda _truth, answer: ~np.isnan(answer),
    higher_is_better=True,
)


def answers(q, low, high):
    q = np.asarray(q).ravel()
    return np.where(q >= high, 1.0, np.where(q < low, 0.0, np.nan))


def mapie(q, labels, target):
    controller = BinaryClassificationController(
        predict_function=answers,
        risk=DECIDED,
        target_level=target,
        confidence_level=1 - DELTA,
        best_predict_param_choice=abstention_rate,
        list_predict_params=PAIRS,
    )
    controller.calibrate(q.reshape(-1, 1), labels.astype(int))
    return controller.best_predict_param


def grid(q, labels, target):
    best, most = None, 0
    for low, high in PAIRS:
        given = answers(q, low, high)
        known = ~np.isnan(given)
        wrong = int((given[known] != labels[known]).sum())
        if known.sum() > most and few_errors(wrong, int(known.sum()), 1 - target) <= DELTA / len(
            PAIRS
        ):
            best, most = (low, high), int(known.sum())
    return best


def outcome(world, q, pair):
    if pair is None:
        return 0.0, False
    given = answers(q, *pair)
    known = ~np.isnan(given)
    right = (given[known] == world.population.labels[known]).mean() if known.any() else 1.0
    return float(known.mean()), bool(right < world.target)


def ours(world, choose, it):
    try:
        cutoffs = choose(it)
    except InputError:
        cutoffs = Cutoffs(low=None, high=None)
    seen = tally(world.population, cutoffs)
    return seen.automated_share, seen.accuracy is not None and seen.accuracy < world.target


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    warnings.simplefilter("ignore")
    sketches = [*SKETCHES, *(s for path in sys.argv[2:] for s in sketches_of(Path(path)))]
    print(f"{runs} samples each: yield, and how often the target was missed (risk {DELTA:g})")
    print(
        f"{'world':<28}{'labels':>7}{'certified':>16}{'targeted':>16}{'MAPIE':>16}{'LTT grid':>16}"
    )
    for sketch in sketches:
        world = make(sketch, 42)
        known, curve = fixed_before(world), platt(world.training)
        everyone = curve.at(world.population.scores)
        for size in SIZES:
            found = {"certified": [], "targeted": [], "MAPIE": [], "grid": []}
            for number in range(runs):
                rng = np.random.default_rng([42, size, number])
                dev = _sample(world, size, rng)
                it = Round(world=world, known=known, development=dev, rng=rng)
                q = curve.at(dev.scores)
                found["certified"].append(ours(world, _certified, it))
                found["targeted"].append(ours(world, _targeted, it))
                found["MAPIE"].append(outcome(world, everyone, mapie(q, dev.labels, world.target)))
                found["grid"].append(outcome(world, everyone, grid(q, dev.labels, world.target)))
            cells = "".join(
                f"{np.mean([share for share, _ in own]):>9.3f}{np.mean([bad for _, bad in own]):>7.2f}"
                for own in found.values()
            )
            print(f"{world.name:<28}{size:>7}{cells}", flush=True)


if __name__ == "__main__":
    main()
