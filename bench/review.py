"""Reviews: first ranking and refit of 100,000 abstracts, status, and keys while it refits.

python bench/review.py          100,000 abstracts
python bench/review.py 20000    a shorter run
"""

import csv
import os
import random
import re
import sys
import tempfile
import threading
import time
from contextlib import closing
from pathlib import Path

import httpx
import numpy as np

from assaymark.ledger.events import LabelRecorded, ReviewDrawn
from assaymark.project.folder import Project
from assaymark.reviewing.handing import next_items
from assaymark.reviewing.starting import Start, start
from assaymark.reviewing.stats import Batch, RowWealth, draws_of, log_wealth, set_digest
from measure import assaymark, report
from serve_page import Server, p95

ITEMS = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
LABELS = 10_000


def seconds(work) -> float:
    """Seconds of processor time, of all threads: other work on the machine adds little to them."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def status_of(folder: Path) -> float:
    """Processor time of the command, the cheapest of three."""
    return min(assaymark("review", "status", "--json", "-p", folder).cpu for _ in range(3))


def make(folder: Path) -> Path:
    """Abstracts of about 120 words; one in fifty is relevant."""
    rng = random.Random(42)
    words = [f"w{i}" for i in range(30_000)]
    shares = 1 / np.arange(1, len(words) + 1)
    chosen = np.random.default_rng(42).choice(words, p=shares / shares.sum(), size=(ITEMS, 120))
    path = folder / "pool.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        out = csv.writer(stream)
        out.writerow(["id", "abstract"])
        for number in range(ITEMS):
            text = " ".join(chosen[number])
            topic = number % 50 == 0 and rng.random() < 0.9
            out.writerow([f"r{number:06}", f"{text} telescope galaxy" if topic else text])
    return path


def labelled(project: Project) -> None:
    """10,000 labels, half of them random draws, written as the commands write them."""
    ids = [f"r{i:06}" for i in range(ITEMS)]
    with project.writing() as session:
        work = session.state.reviews[0]
        number = len(work.batches)
        free = [item for item in ids if item not in work.handed]
        directed, drawn = tuple(free[: LABELS // 2]), tuple(free[LABELS // 2 : LABELS])
        inside = [item for item in ids if item not in work.outside]
        session.record(
            ReviewDrawn(
                review=1, batch=number + 1, handout=work.handouts + 1, route="random",
                items=drawn, file="handout-b.csv", sha256="", n=len(inside), digest=set_digest(inside),
            ),
            ReviewDrawn(
                review=1, batch=number + 2, handout=work.handouts + 1, route="directed",
                items=directed, file="handout-b.csv", sha256="",
            ),
        )  # fmt: skip
        for item in (*directed, *drawn):
            label = int(int(item[1:]) % 50 == 0)
            session.record(LabelRecorded(item=item, annotator="a", value=label))


def signed(server: Server, role: str) -> httpx.Client:
    web = httpx.Client(base_url=server.url, follow_redirects=True, timeout=600)
    asked = {"token": server.tokens[role], "name": role}
    web.post("/enter", data=asked, follow_redirects=False)
    mark = re.search(r'assaymark-token" content="(\w+)"', web.get("/label").text).group(1)
    web.headers.update({"x-assaymark-token": mark, "accept": "application/json"})
    return web


def used_by(process: int) -> float:
    """Seconds of processor time that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def keys_while_refitting(folder: Path) -> tuple[list[float], list[float], float]:
    """Seconds from an answer to the next item: alone and during a refit, and the server's CPU alone."""
    server = Server(folder)
    calm: list[float] = []
    busy: list[float] = []
    try:
        lead, reader = signed(server, "lead"), signed(server, "annotator")
        with closing(lead), closing(reader):
            refit = threading.Thread(
                target=lambda: lead.post("/review/next", data={"count": "50"}), daemon=True
            )
            items = reader.post("/label/hand", json={}).json()["items"]
            before, each = used_by(server.process.pid), 0.0
            while items and (not busy or refit.is_alive()):
                if len(calm) == 15 and not refit.is_alive():
                    each = (used_by(server.process.pid) - before) / len(calm)
                    refit.start()
                asked = {"item": items[0]["id"], "ticket": items[0]["ticket"], "answer": "not"}
                begun = time.perf_counter()
                items = reader.post("/label/answer", json=asked).json()["items"]
                (busy if refit.is_alive() else calm).append(time.perf_counter() - begun)
                time.sleep(0.05)
            refit.join()
    finally:
        server.kill()
    return calm, busy, each


def main() -> int:
    good = True
    print(f"      (load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores)")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pool = make(folder)
        request = Start(pool=str(pool), id="id", text=("abstract",), known="r000000,r000050")
        start(folder / "work", request)
        project = Project(folder=folder / "work", resumes=True)  # as commands that label
        empty = status_of(folder / "work")
        first = seconds(lambda: next_items(project, count=50))
        good &= report(f"review: first ranking of {ITEMS:,} abstracts, CPU", first, 60, " s")
        labelled(project)
        again = seconds(lambda: next_items(project, count=50))
        good &= report(
            f"review: refit, re-rank and hand out at {LABELS:,} labels, CPU", again, 5, " s"
        )
        status = status_of(folder / "work")
        print(f"      review status: {status:.3f} s CPU as a command, {empty:.3f} s without labels")
        good &= report(
            f"review: status at {LABELS:,} labels beyond one without labels, CPU",
            status - empty, 0.3, " s",
        )  # fmt: skip
        next_items(project, count=1000, write=False)  # something to read while it refits
        calm, busy, each = keys_while_refitting(folder / "work")
        print(f"      key to next item, nothing else: p95 {p95(calm):.3f} s of {len(calm)}, wall")
        good &= report("review: key to next item, CPU of the server", each, 0.1, " s")
        good &= report(
            "review: key to next item while it refits, 95 % of keys, wall", p95(busy), 0.1, " s"
        )
        print(f"      slowest of them {max(busy):.3f} s")
    hits = tuple(i % 500 == 499 for i in range(LABELS))
    row = RowWealth(row=100)
    one = seconds(lambda: [row.add(left=90_000 - i, relevant=20, hit=False) for i in range(1000)])
    good &= report("review: wealth per irrelevant label, CPU", one / 1000 * 1e6, 50, " µs")
    draws = draws_of([Batch(items=90_000, found=20, hits=hits)])
    good &= report(
        "review: replay of 10,000 draws after a hit, CPU",
        seconds(lambda: log_wealth(draws, 100)) * 1e3,
        50,
        " ms",
    )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
