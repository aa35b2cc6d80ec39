"""Strangers, reviewers and a lead send junk to every route while people label: nothing may break.

python bench/attack_page.py                two minutes
python bench/attack_page.py --seconds 30   a short run
"""

import argparse
import asyncio
import collections
import contextlib
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx

from assaymark.cli.serve import _bound, _run
from assaymark.terminal.output import show_json
from assaymark.web.app import ROUTES, Options
from assaymark.web.start.app import ROUTES as START
from assaymark.web.start.app import make_start_app
from measure import report
from serve_page import Annotator, Server, p95, project, wrong

HONEST, ATTACKERS = 5, 8
BEFORE = 2_000  # labels, so that a thousand items are drawn ahead of them
GIANT = "9" * 5_000
TEXTS = ("", "x", "\ud800", "\udfff half", "é" * 400, "\x00\x1b[31m", "relevant", "not", "../../users.json",
         "<script>", "9" * 400, "nan", "1e999", "-0", "' OR 1=1 --", "\u202e", "😀" * 50)  # fmt: skip
HARMFUL = {
    "/plan/abandon",
    "/plan/seal",
    "/plan/settings",
    "/connect/hook",
    "/connect/label-studio",
    "/items/assign",
    "/watch/survey/{survey}",
}  # with a right mark they would do their work
SLOW = {
    "/items",
    "/watch",
    "/watch/draw",
    "/watch/doubt",
    "/watch/numbers",
    "/plan/forecast",
    "/read/report.{form}",
}


class Unlimited(Server):
    """The page as the command serves it, but failures may be as frequent as they like."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, __file__, "--serve", str(folder)]
        self.errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 - read when the server has ended
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=self.errors, text=True
        )
        said = json.loads(self.process.stdout.readline())
        self.host, self.tokens = said["url"], said["tokens"]
        self.url = f"{self.host}/p/{folder.name}"  # one of several projects of this server

    def tracebacks(self) -> int:
        self.errors.seek(0)
        return self.errors.read().count("Traceback (most recent call last)")


def serve(folder: Path) -> None:
    options = Options(rate=1e9, burst=1e9, auto_draw=True)
    bound = _bound("127.0.0.1", 0)
    show_json({"url": f"http://127.0.0.1:{bound.getsockname()[1]}", "tokens": dict(options.links)})
    _run(make_start_app(folder.parent, options), bound, None, None)


def value(chance: random.Random, depth: int = 0) -> object:
    """Any JSON value, most of them unwelcome."""
    kind = chance.randrange(8 if depth < 3 else 5)
    if kind < 3:
        return chance.choice(TEXTS)
    if kind < 5:
        return chance.choice([None, True, -1, 0, 0.5, 10**400, float("nan"), float("inf"), 2**63])
    if kind == 5:
        return [value(chance, depth + 1) for _ in range(chance.randrange(4))]
    names = ("id", "ticket", "item", "answer", "x")
    return {name: value(chance, depth + 1) for name in names if chance.random() < 0.6}


QUERY = ("name", "item", "search", "page", "field", "limit", "state", "upload", "at")
TOKENS = [b"Bearer x", b"Token \xff", b"Bearer", b"x" * 3_000]
FIELDS = ("item", "ticket", "answer", "keep", "seconds", "note", "correcting", "before",
          "metric", "target", "precision", "recall", "confidence", "power", "mode", "reason",
          "name", "token", "table", "id", "score", "prediction", "threshold", "text", "purpose", "title",
          "size", "count", "person", "labels", "action", "task", "annotation", "url", "right")  # fmt: skip


def body(chance: random.Random, known: dict[str, object]) -> bytes:
    """The body of a request: broken JSON, or an object with junk among what fits."""
    kind = chance.randrange(10)
    if kind == 0:
        return chance.choice(
            [b"[" * 50_000, b'{"a":' * 9_000, b"\xff\xfe\x00", b"", b"null", b"[]",
             b'{"seconds":' + GIANT.encode() + b"}", b'{"target":' + GIANT.encode() + b"}"]
        )  # fmt: skip
    found = {name: value(chance) for name in FIELDS if chance.random() < 0.4}
    if kind > 4:
        found |= known
        if kind > 6:
            found[chance.choice(FIELDS)] = value(chance)
    return json.dumps(found).encode()


class Attacker:
    """Sends whatever comes to mind to every route; remembers what was taken for an answer."""

    def __init__(self, server: Server, number: int) -> None:
        self.chance = random.Random(number)
        self.role = (None, "annotator", "lead")[number % 3]
        self.name, self.server = f"attacker {number}", server
        self.web = httpx.AsyncClient(base_url=server.url, timeout=60)
        self.codes: collections.Counter[int] = collections.Counter()
        self.faults: list[str] = []
        self.acknowledged: dict[str, str] = {}
        self.items: list[dict[str, object]] = []
        self.mark = ""

    async def enter(self) -> None:
        if self.role is not None:
            asked = {"token": self.server.tokens[self.role], "name": self.name}
            await self.web.post("/enter", data=asked)
            page = await self.web.get("/label")
            self.mark = re.search(r'assaymark-token" content="(\w+)"', page.text).group(1)

    async def work(self, until: float) -> None:
        while time.perf_counter() < until:
            start = self.chance.random() < 0.25
            route = self.chance.choice(START if start else ROUTES)
            if route.path not in SLOW or self.chance.random() < 0.05:
                method = "POST" if "POST" in route.methods else "GET"
                await self.send(route.path, method, self.server.host if start else self.server.url)

    async def send(self, route: str, method: str, base: str) -> None:
        path = base + re.sub(r"\{[^}]*\}", lambda _: self.part(), route)
        asked = self.request(route)
        if method == "GET" and self.chance.random() < 0.5:
            asked["params"] = {
                name: str(value(self.chance)).encode("utf-8", "replace").decode() for name in QUERY
            }
        try:
            answer = await self.web.request(method, path, **asked)
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
            self.codes[0] += 1
            if isinstance(error, httpx.ReadTimeout):
                self.faults.append(f"{method} {path[:60]}: no answer")
            return
        self.codes[answer.status_code] += 1
        if answer.status_code >= 500:
            self.faults.append(f"{method} {path[:60]}: {answer.status_code} {answer.text[:120]}")
        self.learn(route, asked, answer)
        if route == "/leave" and answer.status_code == 303:
            await self.enter()

    def part(self) -> str:
        return self.chance.choice(
            ["0", "1", GIANT, "-1", "%ff", "%ed%a0%80", "html", "page.css", "%00"]
        )

    def request(self, route: str) -> dict[str, object]:
        chance, headers = self.chance, []
        if chance.random() < 0.9 and route not in HARMFUL:
            headers.append((b"x-assaymark-token", self.mark.encode()))
        if chance.random() < 0.2:
            junk = [b"\xe9.\xe9", b"x.y", b"=;=", b"a" * 4_000, b"assaymark_session=\xff\xfe"]
            headers.append((b"cookie", chance.choice(junk)))
        if chance.random() < 0.2:
            headers.append(
                (
                    b"authorization",
                    chance.choice([b"Bearer x", b"Token \xff", b"Bearer", b"x" * 3_000]),
                )
            )
        headers.append((b"accept", chance.choice([b"application/json", b"text/html", b"\xff"])))
        if chance.random() < 0.25:
            fields = {
                name: str(value(chance)) for name in (*FIELDS, "mark") if chance.random() < 0.4
            }
            form = httpx.QueryParams(
                {k: v.encode("utf-8", "replace").decode() for k, v in fields.items()}
            )
            headers.append((b"content-type", b"application/x-www-form-urlencoded"))
            return {"headers": headers, "content": str(form).encode()}
        known = {**chance.choice(self.items), "answer": "not"} if self.items else {}
        headers.append((b"content-type", b"application/json"))
        return {"headers": headers, "content": body(chance, known)}

    def learn(self, route: str, asked: dict[str, object], answer: httpx.Response) -> None:
        if not route.startswith("/label/") or answer.status_code != 200:
            return
        with contextlib.suppress(ValueError, TypeError, AttributeError):
            found = answer.json()
            if found.get("saved") and found["outcome"] in ("recorded", "corrected"):
                sent = json.loads(asked["content"])
                self.acknowledged[sent["item"]] = sent["answer"]
            items = found.get("items") or []
            self.items = [{"item": i["id"], "ticket": i["ticket"]} for i in items] or self.items


async def attack(server: Unlimited, seconds: float) -> tuple[list[Attacker], list[Annotator]]:
    attackers = [Attacker(server, number) for number in range(ATTACKERS)]
    honest = [Annotator(server, f"person {number}", 0.2) for number in range(HONEST)]
    for one in [*attackers, *honest]:
        await one.enter()
    until = time.perf_counter() + seconds
    await asyncio.gather(*(one.work(until) for one in [*attackers, *honest]))
    return attackers, honest


def main() -> bool:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--serve", type=Path)
    asked = parser.parse_args()
    if asked.serve is not None:
        serve(asked.serve)
        return True
    work = Path(tempfile.mkdtemp())
    found = project(work, labels=BEFORE)
    server = Unlimited(found.folder)
    try:
        attackers, honest = asyncio.run(attack(server, asked.seconds))
    finally:
        server.kill()
    codes = sum((one.codes for one in attackers), collections.Counter())
    faults = [fault for one in attackers for fault in one.faults]
    counts = wrong(found.folder, [*attackers, *honest])
    times = [t for one in honest for t in one.times]
    print(
        f"      {codes.total():,} hostile requests to {len([*ROUTES, *START])} routes, {asked.seconds:g} s: ",
        end="",
    )
    print(", ".join(f"{n:,} × {code or 'not sent'}" for code, n in sorted(codes.items())))
    print(
        f"      {len(times):,} answers of {HONEST} people meanwhile, p95 {p95(times):.3f} s; {counts}"
    )
    for fault in faults[:10]:
        print(f"      {fault}")
    good = report("answers 5xx, or none at all", len(faults), 0)
    good &= report("tracebacks of the server", server.tracebacks(), 0)
    bad = counts["lost"] + counts["changed"] + counts["doubled"]
    bad += abs(counts["recorded"] - BEFORE - counts["acknowledged"])
    shutil.rmtree(work)
    return good & report("labels lost, doubled or misattributed", bad, 0)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
