"""Label Studio as the front end, against a running one: four calls, then an annotation comes back.

    label-studio start --port 8098 …           in an environment of its own
    python bench/label_studio.py --url http://127.0.0.1:8098 --token TOKEN

Makes a small project, connects it on the page as a lead would, annotates three tasks by Label
Studio's own interface, and waits for the labels; then changes one, skips one, and catches up.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx

from assaymark.certification.drawing import draw_batch
from assaymark.certification.sealing import PlanRequest, seal_plan
from assaymark.claims.ratio_metrics import parse_claim
from assaymark.project.folder import Project
from assaymark.project.registration import init
from assaymark.records.pool import Columns
from assaymark.web.programs.label_studio import LabelStudio
from measure import report

WAIT = 120.0


def project(folder: Path) -> Project:
    rows = ["id,score,body", *(f"d{n},{n / 40:.3f},text {n}" for n in range(40))]
    (folder / "pool.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    columns = Columns(id="id", score="score", threshold=0.5, text=("body",))
    init(folder / "work", pool=str(folder / "pool.csv"), columns=columns)
    made = Project(folder=folder / "work")
    seal_plan(made, PlanRequest(claim=parse_claim("accuracy >= 0.7"), seed="studio"))
    draw_batch(made, count=6, write=False)
    return made


def connect(link: str, url: str, studio: str, token: str, number: str = "") -> str:
    """What the page says after the lead has pressed Connect; with a number, to catch up."""
    with httpx.Client(follow_redirects=True, timeout=300) as web:
        web.get(link)
        web.post(f"{url}/enter", data={"name": "Ann"})
        page = web.get(f"{url}/connect").text
        mark = re.search(r'assaymark-token" content="(\w+)"', page).group(1)
        asked = {"mark": mark, "url": studio, "token": token, "back": url, "project": number}
        answer = web.post(f"{url}/connect/label-studio", data=asked)
        return re.sub(r"<[^>]+>", " ", re.search(r"<main.*?</main>", answer.text, re.S).group(0))


def arrived(made: Project, wanted: dict[str, int | None]) -> bool:
    until = time.perf_counter() + WAIT
    while time.perf_counter() < until:
        answers = made.afresh().state().answers
        if all(label in answers.get(item, {}).values() for item, label in wanted.items()):
            return True
        time.sleep(0.5)
    return False


def annotate(studio: httpx.Client, number: int) -> dict[str, int | None]:
    """Three annotations by Label Studio's own interface; which label each item should have."""
    found = studio.get("/api/tasks", params={"project": number, "page_size": 10}).json()
    tasks = found["tasks"] if isinstance(found, dict) else found
    wanted: dict[str, int | None] = {}
    for place, task in enumerate(tasks[:3]):
        choice = ("relevant", "not relevant", "relevant")[place]
        value = {"choices": [choice]}
        result = [{"from_name": "label", "to_name": "text-1", "type": "choices", "value": value}]
        where = f"/api/tasks/{task['id']}/annotations/"
        sent = studio.post(where, json={"result": result, "was_cancelled": place == 2})
        sent.raise_for_status()
        wanted[task["data"]["assaymark_id"]] = (1, 0, None)[place]
        if place == 0:
            value["choices"] = ["not relevant"]
            changed = studio.patch(
                f"/api/annotations/{sent.json()['id']}/", json={"result": result}
            )
            changed.raise_for_status()
            wanted[task["data"]["assaymark_id"]] = 0
    return wanted


def main() -> bool:
    parser = argparse.ArgumentParser()
    parser.add_argument("--url", required=True)
    parser.add_argument("--token", required=True)
    asked = parser.parse_args()
    work = Path(tempfile.mkdtemp())
    made = project(work)
    command = [
        Path(sys.executable).with_name("assaymark"),
        "serve",
        "--port",
        "0",
        "--json",
        "-p",
        made.folder,
    ]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        said = json.loads(server.stdout.readline())
        told = connect(said["links"]["lead"], said["url"].rstrip("/"), asked.url, asked.token)
        number = int(re.search(r"Project (\d+) in Label Studio has 6 tasks", told).group(1))
        headers = LabelStudio(url=asked.url, token=asked.token)._authorization("/")
        studio = httpx.Client(base_url=asked.url, headers=headers, timeout=120)
        wanted = annotate(studio, number)
        good = report("labels of Label Studio that did not come back", not arrived(made, wanted), 0)
        link, url = said["links"]["lead"], said["url"].rstrip("/")
        told = connect(link, url, asked.url, asked.token, str(number))
        again = re.search(r"Caught up: 0 labels recorded, 3 known before", told)
        good &= report("labels that an export changes after the hook", again is None, 0)
    finally:
        server.kill()
        server.wait()
        shutil.rmtree(work)
    return good


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
