"""Kill -9 in the middle of twenty people labelling: every acknowledged label must be there."""

import asyncio
import contextlib
import shutil
import sys
import tempfile
import time
from pathlib import Path

import httpx

from assaymark.project.folder import Project
from measure import report
from serve_page import Annotator, Server, project, wrong

ROUNDS = 4
PATIENCE = 120.0  # seconds


async def interrupted(server: Server, round_number: int) -> list[Annotator]:
    people = [Annotator(server, f"round {round_number} person {i}", 0.01) for i in range(20)]
    for one in people:
        await one.enter()

    async def work(one: Annotator) -> None:
        with contextlib.suppress(httpx.HTTPError):
            await one.work(time.perf_counter() + PATIENCE)

    tasks = [asyncio.create_task(work(one)) for one in people]
    until = time.perf_counter() + PATIENCE
    while not any(one.acknowledged for one in people) and time.perf_counter() < until:
        await asyncio.sleep(0.01)  # a busy machine may take long over the first answer
    await asyncio.sleep(2 + 0.37 * round_number)
    server.kill()
    await asyncio.gather(*tasks)
    return people


def main() -> bool:
    work = Path(tempfile.mkdtemp())
    found = project(work, labels=1_000)
    people: list[Annotator] = []
    for number in range(ROUNDS):
        people += asyncio.run(interrupted(Server(found.folder), number))
    counts = wrong(found.folder, people)
    Project(folder=found.folder).ledger.entries()  # the chain is whole
    print(f"      ({ROUNDS} kills: {counts})")
    shutil.rmtree(work)
    bad = counts["lost"] + counts["changed"] + counts["doubled"]
    met = report("acknowledged labels lost, changed or doubled by kill -9", bad, 0)
    return met and counts["acknowledged"] > 0  # else nothing was put to the test


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
