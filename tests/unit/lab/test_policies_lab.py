"""The experiment `policies`: runs on made texts, resumes, and tells the truth it was built on."""

import math
from pathlib import Path

import numpy as np
import pytest

from assaymark.lab.experiments.policies import experiment
from assaymark.lab.experiments.policies.fixed_tests import (
    PointsTask,
    Stop,
    blind_oracle,
    claim_of,
    fixed_test,
    paper_stop,
    points,
    sighted_oracle,
)
from assaymark.lab.experiments.policies.growth import (
    MADE,
    GrowthTask,
    Sight,
    grow,
    make_features,
    sights_of,
)
from assaymark.lab.experiments.policies.rules import (
    YardstickTask,
    measure,
    spread,
    stopping_look,
)
from assaymark.lab.tasks import Order
from assaymark.records.training import TrainingGoal
from assaymark.stats.binomial_bounds import pass_counts


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("growth")
    make_features(MADE, place, 5)
    return place


def task(folder: Path, **more: object) -> GrowthTask:
    settings = {
        "path": MADE,
        "topic": "bridges",
        "repeat": 0,
        "seed": 5,
        "sampling": "random",
        "most": 700,
        "every": False,
    }
    return GrowthTask(**{**settings, **more}, features=folder)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def grown(folder: Path) -> dict[str, object]:
    return grow(task(folder))


@pytest.fixture(scope="module")
def run(grown: dict[str, object]) -> tuple[Sight, ...]:
    return sights_of(grown)


def test_a_run_knows_the_truth_of_every_look(run: tuple[Sight, ...]) -> None:
    """Cells and bands count the same population, and the same positives in it."""
    for sight in run:
        tp, fp, fn, _ = sight.truth.cells
        flagged = [band.predicted for band in sight.look.bands]
        assert sum(sight.positives) == tp + fn
        assert sum(h for h, p in zip(sight.positives, flagged, strict=True) if p) == tp
        assert sum(band.items for band in sight.look.bands if band.predicted) == tp + fp
        assert sight.truth.total == 4200


def test_active_runs_keep_a_random_part(folder: Path) -> None:
    """Three in ten of what comes after the first model are random, and cross-validation uses those."""
    last = sights_of(grow(task(folder, sampling="uncertainty", most=400)))[-1].look
    assert last.labels > last.random
    assert last.random / last.labels == pytest.approx(0.4, abs=0.12)
    assert last.counts.total == last.random


def test_fine_steps_are_steps_of_twenty(folder: Path) -> None:
    """The full version looks after every 20 labels."""
    assert task(folder, every=True, most=200).sizes(500) == list(range(40, 201, 20))


def test_the_clairvoyant_pays_less_when_guided(
    run: tuple[Sight, ...], grown: dict[str, object], folder: Path
) -> None:
    """Score-guided certification needs fewer labels in all than the best fixed test."""
    target = round(0.85 * max(sight.f1 for sight in run), 3)
    found = measure(YardstickTask(growth=task(folder), target=target, found=grown))
    assert found["guided"] < found["fixed"]
    assert found["guided_at"] <= found["fixed_at"]


def test_policies_stop_where_they_say(run: tuple[Sight, ...]) -> None:
    """The split stops at the first look from 30 % of the budget on, while the claim looks true."""
    target = 0.6 * max(sight.f1 for sight in run)
    goal = TrainingGoal(claim=claim_of(target), budget=1000, policy="split")
    stop = stopping_look(goal, run)
    assert stop.look.labels == min(s.look.labels for s in run if s.look.labels >= 300)


POINTS = [
    {"labels": 100, "size": None, "passed": None},
    {"labels": 200, "size": 700, "passed": False},
    {"labels": 300, "size": 300, "passed": False},
    {"labels": 400, "size": 400, "passed": True},
    {"labels": 500, "size": None, "passed": None},
]


def test_the_stops_of_the_paper() -> None:
    """First, wait and oracles on five looks that can be checked by hand."""
    assert paper_stop(POINTS) == Stop(total=900, passed=False, labels=200)
    assert paper_stop(POINTS, wait=2) == Stop(total=800, passed=True, labels=400)
    assert paper_stop(POINTS, wait=3) == Stop(total=None, passed=False)
    assert blind_oracle(POINTS) == Stop(total=600, passed=False, labels=300)
    assert sighted_oracle(POINTS) == Stop(total=800, passed=True, labels=400)


def test_the_paper_is_repeated_with_three_plans(
    run: tuple[Sight, ...], grown: dict[str, object], folder: Path
) -> None:
    """The printed plan asks for fewer labels than the exact one: its interval is too narrow."""
    target = round(0.85 * max(sight.f1 for sight in run), 3)
    found = points(PointsTask(growth=task(folder), target=target, found=grown))
    sizes = {
        way: np.median([p["size"] for p in looks if p["size"] is not None])
        for way, looks in found.items()
    }
    assert list(sizes) == ["exact", "mended", "printed"]
    assert sizes["printed"] < sizes["mended"]
    assert sizes["printed"] < sizes["exact"]


def test_the_fixed_test_passes_as_often_as_it_should(run: tuple[Sight, ...]) -> None:
    """At the target itself it passes in at most 5 % of 4,000 tests (alarm by chance: 1e-6)."""
    sight = run[-1]
    rng = np.random.default_rng(1)
    passes = sum(fixed_test(sight, claim_of(sight.f1), 400, rng) for _ in range(4000))
    assert passes <= 4000 * 0.05 + 5 * math.sqrt(4000 * 0.05 * 0.95)
    assert pass_counts(0.5, 10, 0.05)[10] == 9


def test_errors_are_those_of_topics() -> None:
    """With one value per topic the error is the usual one; values of one topic are no new evidence."""
    values = [[1.0], [2.0], [4.0], [7.0]]
    mean, error = spread(values)
    assert mean == 3.5
    assert error == pytest.approx(np.std([1, 2, 4, 7], ddof=1) / 2)
    assert spread([own * 50 for own in values])[1] == pytest.approx(error)
    assert math.isnan(spread([])[0])


def test_the_experiment_runs_and_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All tables and figures come out; a second run with the same folder computes nothing again."""
    monkeypatch.setattr(experiment, "SAMPLINGS", {"random": 1.0})
    monkeypatch.setattr(experiment, "TOPICS", 1)
    monkeypatch.setattr(experiment, "MOST", 500)
    order = Order(runs=1, seed=5, folder=tmp_path)
    first = experiment.policies(order)
    assert set(first.figures) == {"optimism", "one-run", "ideal", "waiting", "success-and-total"}
    rows = {(row["policy"], row["budget"]): row for row in first.tables["policies"]}
    assert rows["split", 2.0]["never_attempted"] == 0.0
    assert {row["paper"] for row in first.tables["paper"]} == {29.48, 79.46, 43.21, 27.14, 38.08}

    def never(_task: object) -> dict[str, object]:
        raise AssertionError("computed again")

    for name in ("grow", "measure", "judge", "points"):
        monkeypatch.setattr(experiment, name, never)
    assert experiment.policies(order).tables == first.tables
