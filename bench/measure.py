"""Run commands and functions; report wall time, CPU time and peak memory.

With ASSAYMARK_PERFORMANCE=FILE in the environment every reported figure is kept there as a record for
docs/evidence; a figure of the same name is replaced.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

ASSAYMARK = Path(sys.executable).with_name("assaymark")


@dataclass(frozen=True)
class Cost:
    wall: float
    cpu: float
    peak_gb: float


def run(command: Sequence[object]) -> Cost:
    """A command in a process of its own, with everything it used."""
    start = time.perf_counter()
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise SystemExit(f"{command} ended with {process.returncode}")
    return Cost(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1e6)


def assaymark(*arguments: object) -> Cost:
    return run([ASSAYMARK, *arguments])


def first_look(project: Path) -> float:
    """Processor time of a look for which no command before it kept state, wealth or course."""
    with tempfile.TemporaryDirectory() as cache, mock.patch.dict(os.environ, XDG_CACHE_HOME=cache):
        return assaymark("look", "-p", project).cpu


def best(measure: Callable[[], Cost], repeats: int = 3) -> Cost:
    """The cheapest of several runs: other work on the machine only ever adds."""
    return min((measure() for _ in range(repeats)), key=lambda cost: cost.wall)


def machine() -> str:
    """How many cores, and whether others were using them."""
    cores = os.cpu_count() or 1
    return f"{cores} cores {'loaded' if os.getloadavg()[0] > cores else 'idle'}"


def keep(
    name: str,
    value: float,
    bar: float | None,
    unit: str,
    *,
    command: str | None = None,
    anywhere: bool = False,
) -> None:
    """Keep a figure as a record, where that was asked for; a command with options names them.

    One that is the same `anywhere`, such as a number of labels, names no machine.
    """
    asked = os.environ.get("ASSAYMARK_PERFORMANCE")
    if not asked:
        return
    path = Path(asked)
    rows = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    own = {
        "what": name,
        "measured": float(f"{value:.4g}"),
        "bar": bar,
        "unit": unit.strip(),
        "ratio": None,
        "limit": None,
        "command": f"python bench/{command or Path(sys.argv[0]).name}",
        "machine": "any" if anywhere else machine(),
    }
    rows = [row for row in rows if row["what"] != name] + [own]
    path.write_text(json.dumps(rows, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def report(name: str, value: float, bar: float, unit: str = "") -> bool:
    """One line: the figure, its bar, what part of the bar it is, and whether it is met."""
    keep(name, value, bar, unit)
    good = value <= bar
    part = f", {value / bar:.0%} of it" if bar else ""
    print(f"{'ok  ' if good else 'OVER'}  {name:<58} {value:8.3f}{unit}  (bar {bar:g}{unit}{part})")
    return good
