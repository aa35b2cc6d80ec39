"""One story told on every engine: the same batches, summaries and certificates."""

import itertools
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import duckdb
import pytest

from assaymark.certification.drawing import draw_batch
from assaymark.certification.issuing import certify
from assaymark.certification.looks import look
from assaymark.certification.sealing import PlanRequest, seal_plan
from assaymark.certification.verification import verify
from assaymark.claims.ratio_metrics import parse_claim
from assaymark.errors import AssaymarkError, InputError, VerificationError
from assaymark.files.labels import LabelRow
from assaymark.labelling.recording import label
from assaymark.pool import open_pool
from assaymark.project.folder import Project
from assaymark.project.registration import init
from assaymark.records.plan import Stratum
from assaymark.records.pool import Columns
from spark_cluster import missing, until
from worlds_on_disk import write_world

COLUMNS = Columns(id="id", score="score", threshold=0.5, text=("body",))


def write_folder(folder: Path, *, items: int = 3000):
    """A world as a folder of three parquet files."""
    folder.mkdir(parents=True)
    world = write_world(folder / "world.csv", items=items)
    for part in range(3):
        duckdb.sql(
            f"COPY (SELECT * FROM read_csv('{world.path}') WHERE CAST(right(id, 2) AS INT) % 3 = {part}) "
            f"TO '{folder}/{part}.parquet'"
        )
    world.path.unlink()
    return world


def write_pool(path: Path, items: int) -> Path:
    """Many rows for little time: whole ids, skewed scores, small row groups."""
    duckdb.sql(
        f"COPY (SELECT (i * 2654435761) % 4611686018427387847 AS id, "
        f"power(((i * 7919) % 10007) / 10007, 3) AS score, 'text ' || i AS body FROM range({items}) t(i)) "
        f"TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE 20000)"
    )
    return path


def clock():
    ticks = itertools.count()
    return lambda: f"2026-01-01T00:00:{next(ticks):02d}.000Z"


def tell(folder: Path, world, pool: str, engine: str, spark=None) -> Path:
    """The whole story from init to certificate with a clock of its own."""
    now = clock()
    init(folder, pool=pool, columns=COLUMNS, engine=engine, connection=spark, now=now)
    project = Project(folder=folder, now=now, connection=spark)
    seal_plan(project, PlanRequest(claim=parse_claim("accuracy >= 0.9"), seed="story"))
    while look(project).verdict.decision == "continue":
        batch = draw_batch(project, count=100)
        label(
            project, [LabelRow(item=i, label=world.truth[i], annotator="kim") for i in batch.items]
        )
    certify(project, output=folder / "certificate.json")
    return folder


def written(folder: Path):
    """What a project has put down, without what must differ: the engine's name and the hashes over it."""
    certificate = json.loads((folder / "certificate.json").read_text())
    for part, key in ((certificate["ledger"], "head"), (certificate, "hash")):
        assert len(part.pop(key)) == 64
    events = []
    for entry in Project(folder=folder).ledger.entries():
        body = json.loads(entry.body)
        if entry.kind == "PoolRegistered":
            assert body["pool"].pop("engine") in ("duckdb", "spark")
        if entry.kind == "CertificateIssued":
            assert len(body.pop("certificate")) == 64
        events.append((entry.kind, entry.time, body))
    batches = {path.name: path.read_bytes() for path in sorted(folder.glob("batch-*.csv"))}
    return certificate, events, batches


def test_the_engines_tell_the_same_story(tmp_path, cluster, monkeypatch) -> None:
    """Summary, fingerprint, plan, reserve, batches, looks and certificate, all alike.

    A stranger without Spark can verify the certificate from the files.
    """
    world = write_folder(tmp_path / "pool")
    duck = tell(tmp_path / "duck", world, str(tmp_path / "pool"), "duckdb")
    spark = tell(tmp_path / "spark", world, str(tmp_path / "pool"), "spark", cluster.session)
    for one, other in zip(written(duck), written(spark), strict=True):
        assert one == other
    assert verify(spark / "certificate.json", project=Project(folder=spark)).status.startswith(
        "verified"
    )
    monkeypatch.setattr("assaymark.pool.spark.session.is_installed", lambda: False)
    monkeypatch.setattr("assaymark.pool.spark.engine.SparkPool.__init__", None)
    found = verify(spark / "certificate.json", project=Project(folder=spark))
    assert found.status.startswith("verified")
    assert "files and summary are those that were registered" in str(found.checks)


def test_a_table_that_changed_after_the_plan_is_refused_by_name(tmp_path, cluster) -> None:
    """Another row of the same score in the same class would not show in any count."""
    session = cluster.session
    path = write_pool(tmp_path / "rows.parquet", 3000)
    session.sql("DROP TABLE IF EXISTS papers")
    session.read.parquet(f"file://{path}").write.saveAsTable("papers")
    now = clock()
    init(tmp_path / "p", pool="papers", columns=COLUMNS, engine="spark", now=now)
    project = Project(folder=tmp_path / "p", now=now)
    registered = project.state().pool
    assert registered.source == "table:papers"
    assert [(file.name, file.size) for file in registered.files] == [("table:papers", 3000)]
    changed = session.read.parquet(f"file://{path}").replace(
        {"text 7": "text seven"}, subset=["body"]
    )
    session.sql("DROP TABLE papers")
    changed.write.saveAsTable("papers")
    wish = PlanRequest(claim=parse_claim("accuracy >= 0.9"), seed="s")
    with pytest.raises(VerificationError, match="The pool changed after init: 'table:papers'"):
        seal_plan(project, wish)
    session.sql("DROP TABLE papers")
    with pytest.raises(InputError, match="There is no pool at 'papers'"):
        seal_plan(project, wish)
    assert not project.has_pool(registered)
    assert [entry.kind for entry in project.ledger.entries()] == ["PoolRegistered"]
    assert not (tmp_path / "p" / "reserve").exists()


@pytest.mark.parametrize("engine", ["duckdb", "spark"])
def test_files_that_changed_or_went_missing_are_refused_by_name(tmp_path, engine, request) -> None:
    if engine == "spark":
        request.getfixturevalue("cluster")
    write_folder(tmp_path / "pool", items=300)
    init(tmp_path / "p", pool=str(tmp_path / "pool"), columns=COLUMNS, engine=engine)
    project = Project(folder=tmp_path / "p")
    wish = PlanRequest(claim=parse_claim("accuracy >= 0.9"), seed="s")
    kept = (tmp_path / "pool" / "1.parquet").read_bytes()
    (tmp_path / "pool" / "1.parquet").unlink()
    with pytest.raises(VerificationError, match=r"'1\.parquet' is missing"):
        seal_plan(project, wish)
    (tmp_path / "pool" / "1.parquet").write_bytes(kept)
    (tmp_path / "pool" / "2.parquet").write_bytes(kept)
    with pytest.raises(AssaymarkError, match=r"'2\.parquet' is not what was registered"):
        seal_plan(project, wish)
    assert not (tmp_path / "p" / "reserve").exists()


@pytest.mark.slow  # waits for Spark to notice, and to start another
def test_an_executor_killed_in_the_ticket_pass_changes_no_ticket(tmp_path, cluster) -> None:
    path = write_pool(tmp_path / "pool.parquet", 1_500_000)
    columns = Columns(id="id", score="score", threshold=0.5)
    strata = [Stratum(items=1_500_000)]
    expected = open_pool(str(path), columns).reserve("s", strata=strata, limits=[5000])
    pool = open_pool(str(path), columns, engine="spark", connection=cluster.session)
    until(lambda: bool(cluster.executors()))
    found = []
    job = threading.Thread(
        target=lambda: found.extend(pool.reserve("s", strata=strata, limits=[5000]))
    )
    before = cluster.stages()
    job.start()
    cluster.wait_for_tasks(beyond=before)
    victim = cluster.executors()[0]
    os.kill(victim, signal.SIGKILL)
    assert job.is_alive()  # it was the middle of the pass
    job.join(3000)
    assert found == expected
    assert victim not in cluster.executors()
    pool.close()


def start_plan(folder: Path, address: str) -> "subprocess.Popen[bytes]":
    command = [
        sys.executable,
        "-W",
        "ignore",
        "-m",
        "assaymark",
        "plan",
        "accuracy >= 0.9",
        "--mode",
        "fixed",
    ]
    command += ["--budget", "2000", "--seed", "s", "--master", address, "-p", str(folder)]
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command, stdout=quiet, stderr=quiet, start_new_session=True)


@pytest.mark.slow  # a driver of its own is started, killed and started again
def test_a_client_killed_in_the_ticket_pass_leaves_nothing_half_written(tmp_path, cluster) -> None:
    """Through Spark Connect; the same command afterwards gives the tickets that DuckDB gives."""
    path = write_pool(tmp_path / "pool.parquet", 800_000)
    init(
        tmp_path / "p", pool=str(path), columns=COLUMNS, engine="spark", connection=cluster.session
    )
    before = cluster.stages()
    killed = start_plan(tmp_path / "p", cluster.connect)
    cluster.wait_for_tasks(beyond=before)
    killed.kill()
    killed.wait()
    project = Project(folder=tmp_path / "p")
    assert [entry.kind for entry in project.ledger.entries()] == ["PoolRegistered"]
    assert not (tmp_path / "p" / "reserve").exists()
    assert start_plan(tmp_path / "p", cluster.connect).wait() == 0
    stored = project.state().attempts[0].reserves[0]
    init(tmp_path / "d", pool=str(path), columns=COLUMNS)
    wish = PlanRequest(claim=parse_claim("accuracy >= 0.9"), mode="fixed", budget=2000, seed="s")
    seal_plan(Project(folder=tmp_path / "d"), wish)
    assert stored == Project(folder=tmp_path / "d").state().attempts[0].reserves[0]


@pytest.mark.slow
def test_a_driver_killed_at_any_moment_leaves_nothing_half_written(tmp_path) -> None:
    """assaymark and its JVM together, from before Spark has started to the middle of the passes."""
    if (reason := missing()) is not None:
        pytest.skip(f"Spark cannot be started: {reason}")
    path = write_pool(tmp_path / "pool.parquet", 3_000_000)
    init(tmp_path / "p", pool=str(path), columns=COLUMNS)
    init(tmp_path / "s", pool=str(path), columns=COLUMNS, engine="spark", connection="local[2]")
    project = Project(folder=tmp_path / "s")
    for seconds in (2, 6, 9, 12, 15):
        driver = start_plan(tmp_path / "s", "local[2]")
        time.sleep(seconds)
        if driver.poll() is None:
            os.killpg(driver.pid, signal.SIGKILL)
        driver.wait()
        kinds = [entry.kind for entry in project.ledger.entries()]
        assert kinds in (["PoolRegistered"], ["PoolRegistered", "PlanSealed", "ReserveStored"])
        if len(kinds) > 1:
            break
    else:
        assert start_plan(tmp_path / "s", "local[2]").wait() == 0
    wish = PlanRequest(claim=parse_claim("accuracy >= 0.9"), mode="fixed", budget=2000, seed="s")
    seal_plan(Project(folder=tmp_path / "p"), wish)
    stored = Project(folder=tmp_path / "p").state().attempts[0].reserves
    assert stored == project.state().attempts[0].reserves


def test_two_machines_drawing_at_once_never_draw_an_item_twice(tmp_path, cluster) -> None:
    """They share the ledger; the reserve is drawn by Spark and read by each."""
    write_folder(tmp_path / "pool")
    init(tmp_path / "p", pool=str(tmp_path / "pool"), columns=COLUMNS, engine="spark")
    project = Project(folder=tmp_path / "p")
    seal_plan(
        project,
        PlanRequest(
            claim=parse_claim("accuracy >= 0.9"), mode="anytime", design="simple", seed="s"
        ),
    )
    command = [sys.executable, "-m", "assaymark", "draw", "40", "-p", str(tmp_path / "p"), "--json"]
    batches = []
    for _ in range(2):
        machines = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(2)]
        batches += [json.loads(machine.communicate()[0])["items"] for machine in machines]
    drawn = [item for batch in batches for item in batch]
    assert len(drawn) == len(set(drawn)) == 160
    assert set(drawn) == set(project.state().attempt.order)
