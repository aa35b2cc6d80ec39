"""What the benches of the page share: a served project, and annotators who label as scripts do."""

import asyncio
import json
import os
import re
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress
from functools import cache
from pathlib import Path

import httpx
import numpy as np

from assaymark.certification.drawing import draw_batch
from assaymark.certification.sealing import PlanRequest, seal_plan
from assaymark.claims.ratio_metrics import parse_claim
from assaymark.files.labels import LabelRow
from assaymark.lab.demo import Tickets, make_tickets, write_tickets
from assaymark.labelling.recording import label
from assaymark.project.folder import Project
from assaymark.project.registration import init
from assaymark.records.pool import Columns
from measure import ASSAYMARK

TRIES = 5


@cache
def tickets() -> Tickets:
    """The collection that is served."""
    return make_tickets(100_000, np.random.default_rng(42))


def project(folder: Path, *, labels: int = 0) -> Project:
    """An anytime plan with so many labels, and as many more items drawn as may be."""
    write_tickets(tickets(), folder / "tickets.parquet")
    columns = Columns(id="id", score="score", threshold=0.5, text=("text",))
    init(folder / "work", pool=str(folder / "tickets.parquet"), columns=columns)
    found = Project(folder=folder / "work")
    seal_plan(found, PlanRequest(claim=parse_claim("f1 >= 0.8399"), seed="bench"))
    truth = dict(zip(tickets().ids, tickets().relevant.tolist(), strict=True))
    done = 0
    while True:  # draws run only so far ahead of the labels
        draw_batch(found, count=30_000, write=False)
        new = found.state().attempt.order[done:labels]
        if not new:
            return found
        label(found, [LabelRow(item=i, label=int(truth[i]), annotator="before") for i in new])
        done += len(new)


class Server:
    def __init__(self, folder: Path) -> None:
        start = time.perf_counter()
        command = [ASSAYMARK, "serve", "--port", "0", "--json", "-p", folder]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=sys.stderr, text=True
        )
        said = json.loads(self.process.stdout.readline())
        self.url = said["url"].rstrip("/")
        self.tokens = {role: link.rpartition("=")[2] for role, link in said["links"].items()}
        urllib.request.urlopen(f"{self.url}/alive", timeout=30).close()
        self.started = time.perf_counter() - start

    def cpu(self) -> float | None:
        """Seconds of processor time so far, which say more than a clock on a busy machine."""
        stat = Path(f"/proc/{self.process.pid}/stat")
        if not stat.exists():
            return None
        fields = stat.read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


class Annotator:
    """Answers by a rule that anybody can check afterwards; remembers what was acknowledged."""

    def __init__(self, server: "Server", name: str, pause: float) -> None:
        self.web = httpx.AsyncClient(base_url=server.url, timeout=30, follow_redirects=True)
        self.name, self.pause = name, pause
        self.token = server.tokens["annotator"]
        self.acknowledged: dict[str, str] = {}
        self.times: list[float] = []

    async def enter(self) -> None:
        asked = {"token": self.token, "name": self.name}
        await self.web.post("/enter", data=asked, follow_redirects=False)
        page = await self.web.get("/label")
        mark = re.search(r'assaymark-token" content="(\w+)"', page.text).group(1)
        self.web.headers.update({"x-assaymark-token": mark, "accept": "application/json"})

    async def ask(self, path: str, body: dict[str, object]) -> httpx.Response:
        """Send it, and again where the connection was lost, as the page does."""
        for _ in range(TRIES - 1):
            with suppress(httpx.TransportError):
                return await self.web.post(path, json=body)
            await asyncio.sleep(self.pause)
        return await self.web.post(path, json=body)

    async def work(self, until: float) -> None:
        items: list[dict[str, str]] = []
        while time.perf_counter() < until:
            await asyncio.sleep(self.pause)
            if not items:  # the next ones are being drawn
                items = (await self.ask("/label/hand", {})).json()["items"]
                continue
            item, rest = items[0], items[1:]
            word = word_for(item["id"])
            asked = {"item": item["id"], "ticket": item["ticket"], "answer": word, "seconds": 1.0,
                     "keep": [{"id": o["id"], "ticket": o["ticket"]} for o in rest]}  # fmt: skip
            start = time.perf_counter()
            answer = await self.ask("/label/answer", asked)
            self.times.append(time.perf_counter() - start)
            found = answer.json()
            if answer.status_code == 409 and "is closed" in found.get("error", ""):
                return  # a look refuted the claim: the plan takes no more labels
            if not found.get("saved"):
                raise SystemExit(f"{self.name}: {answer.status_code} {found}")
            self.acknowledged[item["id"]] = word
            items = found["items"]


def word_for(item: str) -> str:
    return ("relevant", "not", "unclear")[int(item[1:]) % 3]


def wrong(folder: Path, people: list[Annotator]) -> dict[str, int]:
    """Acknowledged answers that the ledger lacks, holds twice, or gives to somebody else."""
    labels = {"relevant": 1, "not": 0, "unclear": None}
    state = Project(folder=folder).state()
    mine = [
        (item, one.name, labels[word]) for one in people for item, word in one.acknowledged.items()
    ]
    return {
        "lost": sum(name not in state.answers.get(item, {}) for item, name, _ in mine),
        "changed": sum(
            state.answers.get(item, {}).get(name, label) != label for item, name, label in mine
        ),
        "doubled": sum(len(given) > 1 for given in state.answers.values()),
        "acknowledged": len(mine),
        "recorded": len(state.answers),
    }


def p95(times: list[float]) -> float:
    return float(np.quantile(times, 0.95))
