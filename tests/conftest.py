"""Fixtures shared by all tests: small pools with known truth, and the command line in process."""

import csv
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

import spark_cluster
from assay.cli import main

# examples are decided by the test's name alone, so that a run can be repeated; no time limits
settings.register_profile("assay", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("assay")


@dataclass(frozen=True)
class Answer:
    """What a command printed and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        return json.loads(self.out)


@pytest.fixture
def assay(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Answer]:
    """Runs a command line in this process."""

    def run(*arguments: object) -> Answer:
        monkeypatch.setattr(sys, "argv", ["assay", *map(str, arguments)])
        monkeypatch.setenv("ASSAY_DEBUG", "1")
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 1
        captured = capsys.readouterr()
        return Answer(code, captured.out, captured.err)

    return run


@dataclass(frozen=True)
class World:
    """A pool on disk whose truth is known."""

    path: Path
    truth: dict[str, int]
    scores: dict[str, float]


def write_world(path: Path, *, items: int = 2000, seed: int = 42, prevalence: float = 0.2) -> World:
    """A CSV pool of scored items; scores separate the classes well but not perfectly."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(items) < prevalence).astype(int)
    scores = np.round(1 / (1 + np.exp(-rng.normal(4.0 * truth - 2.0, 1.0))), 4)
    ids = [f"doc-{number:05d}" for number in range(items)]
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "score", "prediction", "body"])
        for name, score in zip(ids, scores, strict=True):
            writer.writerow([name, score, int(score >= 0.5), f"text of {name}, with a comma"])
    return World(
        path,
        dict(zip(ids, truth.tolist(), strict=True)),
        dict(zip(ids, scores.tolist(), strict=True)),
    )


@pytest.fixture
def world(tmp_path: Path) -> World:
    return write_world(tmp_path / "pool.csv")


def write_labels(path: Path, labels: dict[str, object], **extra: str) -> Path:
    """A label file: id, label and whatever else is given."""
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "label", *extra])
        for item, label in labels.items():
            writer.writerow([item, label, *extra.values()])
    return path


@pytest.fixture
def project(world: World, tmp_path: Path, assay: Callable[..., Answer]) -> Path:
    """A project on the small world, registered and nothing more."""
    folder = tmp_path / "work"
    done = assay(
        "init", folder, "--pool", world.path, "--id", "id", "--score", "score",
        "--threshold", 0.5, "--text", "body",
    )  # fmt: skip
    assert done.code == 0, done.err
    return folder


@pytest.fixture
def labelled(world: World, project: Path, tmp_path: Path, assay: Callable[..., Answer]) -> Path:
    """A project whose fixed plan of 300 draws is fully labelled from the truth."""
    assert (
        assay(
            "plan", "f1 >= 0.8", "--mode", "fixed", "--budget", 300, "--seed", "s", "-p", project
        ).code
        == 0
    )
    drawn = assay("draw", "-o", tmp_path / "b.csv", "-p", project, "--json").json["items"]
    labels = write_labels(tmp_path / "labels.csv", {item: world.truth[item] for item in drawn})
    assert assay("label", labels, "-p", project).code == 0
    return project


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[spark_cluster.Cluster]:
    """Spark with separate executors, started once; mark its tests xdist_group("spark")."""
    reason = spark_cluster.missing()
    if reason is not None:
        pytest.skip(f"Spark cannot be started: {reason}")
    with spark_cluster.cluster(tmp_path_factory.mktemp("spark")) as running:
        yield running
