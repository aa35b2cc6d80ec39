"""Chained events per second with many writers, fairness among them, and the time of a replay."""

import argparse
import multiprocessing
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from measure import report

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from assaymark.ledger import Ledger, open_ledger
from assaymark.ledger.events import LabelRecorded, replay
from postgres import binaries, running_server

NOON = "2026-01-01T12:00:00.000Z"
CONTEXT = multiprocessing.get_context("spawn")


def _write(ledger: Ledger, who: int, until: float, counts: list[int]) -> None:
    head = None
    while time.time() < until:
        event = LabelRecorded(item=f"{who}-{counts[who]}", value=1, annotator=f"a{who}")
        with ledger.writing(after=head) as writer:
            writer.append([event], time=NOON)
        head = writer.entries[-1]
        counts[who] += 1


def _group(address: str, folder: str, threads: int, seconds: float, ready: Any, out: Any) -> None:
    """Some of the writers: threads of one process, each with a connection of its own."""
    ledger = open_ledger(address, folder=Path(folder), name="bench")
    counts = [0] * threads
    ready.wait()
    until = time.time() + seconds
    people = [
        threading.Thread(target=_write, args=(ledger, who, until, counts)) for who in range(threads)
    ]
    with ledger.held():
        for person in people:
            person.start()
        for person in people:
            person.join()
    out.put(counts)


def crowd(address: str, folder: str, groups: int, threads: int, seconds: float) -> list[int]:
    """How many events each of the writers appended."""
    out, ready = CONTEXT.Queue(), CONTEXT.Barrier(groups)
    processes = [
        CONTEXT.Process(target=_group, args=(address, folder, threads, seconds, ready, out))
        for _ in range(groups)
    ]
    for process in processes:
        process.start()
    counts = [count for _ in processes for count in out.get(timeout=300)]
    for process in processes:
        process.join()
    return counts


def throughput(
    name: str, ledger: Ledger, folder: str, *, groups: int, threads: int, seconds: float, bar: float
) -> bool:
    """Events per second and the poorest writer's share, with nothing lost."""
    counts = crowd(ledger.address, folder, groups, threads, seconds)
    lost = sum(counts) - len(ledger.entries())
    mean = sum(counts) / len(counts)
    rate = sum(counts) / seconds
    print(
        f"      {name}: {rate:,.0f} events/s; a writer {min(counts)} to {max(counts)}, lost {lost}"
    )
    good = report(f"{name}: bar of {bar:g} events/s over the rate", bar / rate, 1.0)
    fair = report(f"{name}: mean over the poorest writer", mean / max(min(counts), 1), 3.0)
    return good and fair and lost == 0


def replayed(folder: str, events: int) -> bool:
    """Reading, checking and replaying a long ledger."""
    ledger = open_ledger("long.sqlite", folder=Path(folder), name="long")
    ledger.create()
    with ledger.writing() as writer:
        writer.append(
            [LabelRecorded(item=f"doc-{i}", value=i % 2, annotator="kim") for i in range(events)],
            time=NOON,
        )
    start = time.perf_counter()
    replay(ledger.entries())
    return report(f"replay of {events:,} events", time.perf_counter() - start, 2.0, " s")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--events", type=int, default=100_000)
    arguments = parser.parse_args()
    good, seconds = True, arguments.seconds
    with tempfile.TemporaryDirectory() as folder:
        good &= replayed(folder, arguments.events)
        file = open_ledger("ledger.sqlite", folder=Path(folder), name="bench")
        file.create()
        good &= throughput(
            "SQLite, 8 processes",
            file,
            folder,
            groups=8,
            threads=1,
            seconds=seconds,
            bar=500,
        )
        if binaries() is None:
            print("      PostgreSQL is not installed: not measured")
            return 1
        with running_server() as server:
            database = open_ledger(server.url, folder=Path(folder), name="bench")
            database.create()
            good &= throughput(
                "PostgreSQL, 50 connections",
                database,
                folder,
                groups=5,
                threads=10,
                seconds=seconds,
                bar=150,
            )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
