"""Run commands and functions; report wall time, CPU time and peak memory."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

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


def best(measure: Callable[[], Cost], repeats: int = 3) -> Cost:
    """The cheapest of several runs: other work on the machine only ever adds."""
    return min((measure() for _ in range(repeats)), key=lambda cost: cost.wall)


def report(name: str, value: float, bar: float, unit: str = "") -> bool:
    """One line: the figure, its bar, and whether it is met."""
    good = value <= bar
    print(f"{'ok  ' if good else 'OVER'}  {name:<58} {value:8.3f}{unit}  (bar {bar:g}{unit})")
    return good
