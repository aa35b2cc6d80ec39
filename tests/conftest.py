"""Fixtures shared by all tests: a small project, and the command line in process."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

import postgres
import spark_cluster
from assaymark.cli import main
from worlds_on_disk import Answer, World, write_labels, write_world

# examples are decided by the test's name alone, so that a run can be repeated; no time limits
settings.register_profile("assaymark", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("assaymark")


@pytest.fixture
def assaymark(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Answer]:
    """Runs a command line in this process."""

    def run(*arguments: object) -> Answer:
        monkeypatch.setattr(sys, "argv", ["assaymark", *map(str, arguments)])
        monkeypatch.setenv("ASSAYMARK_DEBUG", "1")
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 1
        captured = capsys.readouterr()
        return Answer(code, captured.out, captured.err)

    return run


@pytest.fixture
def world(tmp_path: Path) -> World:
    return write_world(tmp_path / "pool.csv")


@pytest.fixture
def project(world: World, tmp_path: Path, assaymark: Callable[..., Answer]) -> Path:
    """A project on the small world, registered and nothing more."""
    folder = tmp_path / "work"
    done = assaymark(
        "init", folder, "--pool", world.path, "--id", "id", "--score", "score",
        "--threshold", 0.5, "--text", "body",
    )  # fmt: skip
    assert done.code == 0, done.err
    return folder


@pytest.fixture
def labelled(world: World, project: Path, tmp_path: Path, assaymark: Callable[..., Answer]) -> Path:
    """A project whose fixed plan of 300 draws is fully labelled from the truth."""
    assert (
        assaymark(
            "plan", "f1 >= 0.8", "--mode", "fixed", "--budget", 300, "--seed", "s", "-p", project
        ).code
        == 0
    )
    drawn = assaymark("draw", "-o", tmp_path / "b.csv", "-p", project, "--json").json["items"]
    labels = write_labels(tmp_path / "labels.csv", {item: world.truth[item] for item in drawn})
    assert assaymark("label", labels, "-p", project).code == 0
    return project


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[spark_cluster.Cluster]:
    """Spark with separate executors, started once; mark its tests xdist_group("spark")."""
    reason = spark_cluster.missing()
    if reason is not None:
        pytest.skip(f"Spark cannot be started: {reason}")
    with spark_cluster.cluster(tmp_path_factory.mktemp("spark")) as running:
        yield running


@contextlib.contextmanager
def _postgres_or_skip() -> Iterator[postgres.Server]:
    with contextlib.ExitStack() as stack:
        try:
            running = stack.enter_context(postgres.running_server())
        except postgres.UnreachableError as error:
            pytest.skip(str(error))
        yield running


@pytest.fixture(scope="module")
def server() -> Iterator[postgres.Server]:
    """A PostgreSQL for the tests of one file; skipped where it cannot be run."""
    with _postgres_or_skip() as running:
        yield running


@pytest.fixture
def own_server() -> Iterator[postgres.Server]:
    """A PostgreSQL for one test that stops or breaks it."""
    with _postgres_or_skip() as running:
        yield running
