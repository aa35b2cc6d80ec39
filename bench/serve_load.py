"""Annotators at once: key-to-next time, lost or doubled labels, dashboard, start, page weight.

python bench/serve_load.py                 50 annotators for two minutes
python bench/serve_load.py --minutes 0.25  a short run
"""

import argparse
import asyncio
import os
import re
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import httpx

from measure import report
from serve_page import Annotator, Server, p95, project, wrong


async def crowd(server: Server, number: int, pause: float, seconds: float) -> list[Annotator]:
    people = [Annotator(server, f"person {i:02d}", pause) for i in range(number)]
    for one in people:
        await one.enter()
    until = time.perf_counter() + seconds
    await asyncio.gather(*(one.work(until) for one in people))
    return people


def weight() -> float:
    """Everything the labelling page loads, in kilobytes."""
    static = files("assaymark.web") / "static"
    names = ("page.css", "theme.js", "label.js", "icon.svg")
    page = (files("assaymark.web") / "templates" / "label.html").read_bytes()
    return (sum(len((static / name).read_bytes()) for name in names) + len(page)) / 1000


@dataclass(frozen=True, kw_only=True)
class Opened:
    """Seconds to open the dashboard: at first, after a label (best of nine), with nothing new.

    `numbers` is when its four numbers were there too; `work` is the server's processor time for a label
    and the look after it, `begun` that of the start and the first dashboard.
    """

    first: float
    numbers: float
    begun: float | None
    fresh: float
    same: float
    work: float | None


def dashboard(server: Server) -> Opened:
    with httpx.Client(base_url=server.url, follow_redirects=True, timeout=60) as web:
        asked = {"token": server.tokens["lead"], "name": "lead"}
        web.post("/enter", data=asked, follow_redirects=False)
        start = time.perf_counter()
        first, begun = _opened(web), server.cpu()
        assert web.get("/watch/numbers").status_code == 200
        numbers = time.perf_counter() - start
        mark = re.search(r'assaymark-token" content="(\w+)"', web.get("/label").text).group(1)
        headers = {"x-assaymark-token": mark, "accept": "application/json"}
        items = web.post("/label/hand", json={}, headers=headers).json()["items"]
        fresh, before = [], server.cpu()
        for _ in range(9):
            item = {"item": items[0]["id"], "ticket": items[0]["ticket"], "answer": "not"}
            items = web.post("/label/answer", json=item, headers=headers).json()["items"]
            fresh.append(_opened(web))
        after = server.cpu()
        return Opened(
            first=first,
            numbers=numbers,
            begun=begun,
            fresh=min(fresh),
            same=min(_opened(web) for _ in range(5)),
            work=None if before is None or after is None else (after - before) / 9,
        )


def _opened(web: httpx.Client) -> float:
    start = time.perf_counter()
    assert web.get("/watch").status_code == 200
    return time.perf_counter() - start


def main() -> bool:
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=2.0)
    minutes = parser.parse_args().minutes
    work = Path(tempfile.mkdtemp())
    found = project(work, labels=10_000)
    server = Server(found.folder)
    used = server.cpu()
    try:
        print(
            f"      (others busy on this machine: load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores)"
        )
        good = report("start of the server at 10,000 labels", server.started, 2.0, " s")
        if used is not None:
            print(f"      (processor time of the start: {used:.2f} s)")
        good &= report("weight of the labelling page", weight(), 300, " kB")
        seen = dashboard(server)
        good &= report("first dashboard at 10,000 labels, with its look", seen.first, 1.0, " s")
        if used is not None and seen.begun is not None:
            print(f"      (processor time since the start: {seen.begun - used:.2f} s)")
        good &= report(
            "its four numbers at 10,000 labels, for the first time", seen.numbers, 2.0, " s"
        )
        good &= report("dashboard at 10,000 labels, after a label", seen.fresh, 0.2, " s")
        if seen.work is not None:
            print(f"      (processor time for the label and the look: {seen.work:.2f} s)")
        good &= report("dashboard at 10,000 labels, unchanged", seen.same, 0.3, " s")
        few = asyncio.run(crowd(server, 20, 0.5, 15))
        times = [t for one in few for t in one.times]
        good &= report(
            f"key to next item, p95 of {len(times):,}, 20 annotators", p95(times), 0.1, " s"
        )
        many = asyncio.run(crowd(server, 50, 0.4, 60 * minutes))
        counts = wrong(found.folder, [*few, *many])
        times = [t for one in many for t in one.times]
        print(
            f"      50 annotators for {minutes:g} min: {len(times):,} answers, p95 {p95(times):.3f} s; "
            + ", ".join(f"{name} {count:,}" for name, count in counts.items())
        )
        bad = counts["lost"] + counts["changed"] + counts["doubled"]
        bad += abs(counts["recorded"] - 10_009 - counts["acknowledged"])
        return good & report("labels lost, doubled or misattributed", bad, 0)
    finally:
        server.kill()
        shutil.rmtree(work)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
