"""Fixtures shared by all tests: a small project, and the command line in process."""

import contextlib
import gc
import io
import os
import secrets
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from unittest import mock

import duckdb
import pytest
from hypothesis import settings

import postgres
import spark_cluster
from assaymark.certification.drawing import draw_batch
from assaymark.certification.sealing import PlanRequest, seal_plan
from assaymark.claims.ratio_metrics import parse_claim
from assaymark.cli import main
from assaymark.labelling.recording import label_file
from assaymark.ledger.head import settle_heads
from assaymark.project.folder import Project
from assaymark.project.registration import init
from assaymark.records.pool import Columns
from measured import Measured, add_count, interval
from repeatable import Seeds
from worlds_on_disk import Answer, World, write_labels, write_world

# examples are decided by the test's name alone, so that a run can be repeated; no time limits
settings.register_profile("assaymark", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("assaymark")

SEEDS = Seeds()

# processes that the tests start find what others compiled
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# enumerations make millions of small objects without cycles, and looking for some took a twentieth
gc.set_threshold(50_000, 20, 20)

# thousands of small ledgers, each waiting for its disk at every commit: in memory where there is room
IN_MEMORY = Path("/dev/shm")
if IN_MEMORY.is_dir() and shutil.disk_usage(IN_MEMORY).free > 4 * 2**30:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(IN_MEMORY))


@pytest.fixture(scope="session")
def _measurements() -> Measured:
    return Measured()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of a run that measures validity, only the tests that measure it."""
    if os.environ.get("ASSAYMARK_VALIDITY"):
        kept = [item for item in items if "measured" in getattr(item, "fixturenames", ())]
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = kept


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Share the tests among processes as `distribution.py` says."""
    from distribution import Distribution

    return Distribution(config, log)


@pytest.fixture
def measured(_measurements: Measured, request: pytest.FixtureRequest) -> Callable[..., None]:
    """Note how often a promise failed in a world: a share found by enumeration, or a count of runs."""
    address = (
        f"{Path(request.path).relative_to(Path(__file__).parents[1])}::{request.function.__name__}"
    )

    def note(
        promise: str, world: str, wrong: float, *, nominal: float, runs: int | None = None
    ) -> None:
        share = float(wrong) if runs is None else wrong / runs
        low, high = (share, share) if runs is None else interval(int(wrong), runs)
        if runs is not None:  # long calibrations keep them: bench/calibrate.py
            add_count(request.node.user_properties, world, int(wrong), runs, float(nominal))
        _measurements.add(
            {
                "promise": promise,
                "world": world,
                "nominal": round(float(nominal), 8),
                "measured": round(share, 8),
                "low": round(low, 8),
                "high": round(high, 8),
                "runs": runs,
                "test": address,
                "size": "exact" if runs is None else "full" if _slow(request) else "small",
            }
        )

    return note


def _slow(request: pytest.FixtureRequest) -> bool:
    return request.node.get_closest_marker("slow") is not None


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """What a test draws without a seed is decided by its name."""
    SEEDS.begin(item.nodeid)


@pytest.fixture(scope="session", autouse=True)
def _same_seeds() -> Iterator[None]:
    with mock.patch.object(secrets, "token_hex", SEEDS.token_hex):
        yield


@pytest.fixture(scope="session", autouse=True)
def _one_duckdb() -> Iterator[None]:
    """One DuckDB for all connections of a test process: starting one costs more than most queries.

    Views and tables of the pools are temporary, and those belong to a connection.
    """
    start = duckdb.connect
    with start() as shared:
        shared.execute("SET threads = 1")  # the test processes share the cores

        def connect(*arguments: object, **settings: object) -> duckdb.DuckDBPyConnection:
            return start(*arguments, **settings) if arguments or settings else shared.cursor()

        with mock.patch.object(duckdb, "connect", connect):
            yield


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


@pytest.fixture(scope="session")
def command() -> Callable[..., Answer]:
    """Runs a command line in this process, for what is made once for several tests."""

    def run(*arguments: object) -> Answer:
        code, out, err = 0, io.StringIO(), io.StringIO()
        with (
            mock.patch.object(sys, "argv", ["assaymark", *map(str, arguments)]),
            mock.patch.dict(os.environ, {"ASSAYMARK_DEBUG": "1"}),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            try:
                main()
            except SystemExit as stop:
                code = stop.code if isinstance(stop.code, int) else 1
        return Answer(code, out.getvalue(), err.getvalue())

    return run


@pytest.fixture(scope="session")
def registered_world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A small pool with a project `work` beside it, made once; every test has its own copy."""
    world = write_world(tmp_path_factory.mktemp("registered") / "pool.csv")
    columns = Columns(id="id", score="score", threshold=0.5, text=("body",))
    init(world.path.with_name("work"), pool=str(world.path), columns=columns)
    settle_heads()
    return world


@pytest.fixture(scope="session")
def labelled_place(registered_world: World, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of it whose fixed plan of 300 draws is fully labelled from the truth."""
    place = tmp_path_factory.mktemp("labelled")
    shutil.copytree(registered_world.path.parent, place, dirs_exist_ok=True)
    project = Project(folder=place / "work")
    seal_plan(
        project, PlanRequest(claim=parse_claim("f1 >= 0.8"), mode="fixed", budget=300, seed="s")
    )
    drawn = draw_batch(project, output=place / "b.csv").items
    truth = {item: registered_world.truth[item] for item in drawn}
    label_file(project, write_labels(place / "labels.csv", truth))
    settle_heads()
    return place


@pytest.fixture
def world(tmp_path: Path, registered_world: World) -> World:
    return replace(registered_world, path=Path(shutil.copy(registered_world.path, tmp_path)))


@pytest.fixture
def project(world: World, tmp_path: Path, registered_world: World) -> Path:
    """A project on the small world, registered and nothing more."""
    return Path(shutil.copytree(registered_world.path.with_name("work"), tmp_path / "work"))


@pytest.fixture
def labelled(world: World, tmp_path: Path, labelled_place: Path) -> Path:
    """A project whose fixed plan of 300 draws is fully labelled from the truth."""
    shutil.copytree(labelled_place, tmp_path, dirs_exist_ok=True)
    return tmp_path / "work"


@pytest.fixture(scope="session")
def cluster(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[spark_cluster.Cluster]:
    """Spark with a separate executor, started once for all tests that `distribution.SPARK` names.

    The long tests kill executors, and have two of them; each warms up a Java of its own.
    """
    reason = spark_cluster.missing()
    if reason is not None:
        pytest.skip(f"Spark cannot be started: {reason}")
    if "PYTEST_XDIST_WORKER" in os.environ:  # a second cluster in another process is a mistake
        (tmp_path_factory.getbasetemp().parent / "only one Spark").touch(exist_ok=False)
    long = any(item.get_closest_marker("slow") for item in request.session.items)
    folder = tmp_path_factory.mktemp("spark")
    with spark_cluster.cluster(folder, executors=2 if long else 1) as running:
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
