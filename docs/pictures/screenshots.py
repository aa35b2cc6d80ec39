"""Pictures of every page: light and dark, desktop and phone. Needs Chromium; run by hand.

    python docs/pictures/screenshots.py

Serves a generated collection, labels part of it from the known truth, and writes small PNGs to
docs/pictures/page/, and page one of a report to docs/pictures/report.png.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright

from assaymark.certification.drawing import draw_batch
from assaymark.certification.issuing import certify
from assaymark.certification.looks import look
from assaymark.certification.sealing import PlanRequest, seal_plan
from assaymark.certification.view.people import read_story
from assaymark.claims.ratio_metrics import parse_claim
from assaymark.files.labels import LabelRow
from assaymark.lab.demo import Tickets, make_tickets, write_tickets
from assaymark.labelling.recording import label
from assaymark.labelling.settings import Settings, write_settings
from assaymark.overview.dossier import dossier_of
from assaymark.overview.matter import matter_of
from assaymark.overview.report_content import report_of
from assaymark.project.folder import Project
from assaymark.project.registration import init
from assaymark.records.pool import Columns
from assaymark.reports.pdf import typeset

PAGE = Path(__file__).parent / "page"
OUT = Path(tempfile.mkdtemp())  # takes the place of PAGE when all are made
SIZES = {"desktop": (1280, 860), "phone": (390, 780)}
TITLES = {
    "refunds": "Tickets about refunds",
    "new": "Refunds, second quarter",
    "done": "Refunds, first quarter",
}
CRITERIA = (
    "Relevant: the writer asks for money back, in whatever words, for anything they bought or were "
    "charged for.\nNot relevant: replacements, delivery dates, invoices, questions about prices.\n"
    "If a ticket asks for a refund and for something else, it is relevant."
)


def project(
    folder: Path, tickets: Tickets, name: str, *, rounds: int, finish: bool = False
) -> Project:
    columns = Columns(id="id", score="score", threshold=0.5, text=("text",))
    init(folder / name, pool=str(folder / "tickets.parquet"), columns=columns)
    found = Project(folder=folder / name)
    settings = Settings(
        title=TITLES[name], criteria=CRITERIA, cost=0.8, twice=0.1,
        relevant="Refund", not_relevant="Not a refund",
    )  # fmt: skip
    write_settings(found.folder, settings)
    truth = dict(zip(tickets.ids, tickets.relevant.tolist(), strict=True))
    if rounds == 0:
        return found
    seal_plan(found, PlanRequest(claim=parse_claim("f1 >= 0.75"), seed="pictures"))
    for number in range(rounds):
        batch = draw_batch(found, write=False)
        flip = 3 if number + 1 < rounds else 0  # the last conflict waits for a decision
        rows = [
            LabelRow(item=item, label=int(truth[item]), annotator=("kim", "lee")[i % 2])
            for i, item in enumerate(batch.items)
        ]
        again = [
            LabelRow(
                item=item, label=int(truth[item]) ^ (i == flip), annotator=("lee", "kim")[i % 2]
            )
            for i, item in enumerate(batch.items[: len(batch.items) // 5])
        ]
        label(found, [*rows, *(again if number % 4 == 0 else [])])
        disputed = [i for i in batch.items if found.state().disputed(i)]
        if number + 1 < rounds:
            label(found, [LabelRow(item=i, label=int(truth[i]), annotator="ann") for i in disputed],
                  adjudicate=True)  # fmt: skip
        decision = look(found).verdict.decision
        if decision != "continue" and finish:
            certify(found)
            return found
    draw_batch(found, write=False)
    return found


def screens(browser: Browser) -> Iterator[tuple[str, Page]]:
    """A fresh page for every size and theme, with the ending of its pictures' names."""
    for size, (width, height) in SIZES.items():
        for theme in ("light", "dark"):
            context = browser.new_context(
                viewport={"width": width, "height": height}, color_scheme=theme,
                device_scale_factor=1 if size == "desktop" else 1.5,
            )  # fmt: skip
            yield f"{size}-{theme}.png", context.new_page()
            context.close()


def enter(page: Page, link: str) -> None:
    page.goto(link)
    page.fill("#name", "Kim")
    page.click("text=Begin")


def shoot(browser: Browser, url: str, link: str, pages: dict[str, str]) -> None:
    for ending, page in screens(browser):
        if "/enter" in pages:
            page.goto(link)
            page.screenshot(path=OUT / f"{pages['/enter']}-{ending}")
        enter(page, link)
        for path, name in pages.items():
            if path == "/enter":
                continue
            page.goto(f"{url}{path}")
            page.wait_for_load_state("networkidle")
            if path == "/label":
                page.fill("#find", "the")
                page.keyboard.press("Enter")
            whole = path in ("/watch", "/plan", "/connect")
            page.screenshot(path=OUT / f"{name}-{ending}", full_page=whole)


def shoot_start(browser: Browser, url: str, link: str) -> None:
    """The start page of the folder, and a table on its way to a project."""
    for ending, page in screens(browser):
        enter(page, link)
        page.wait_for_selector("#upload")
        page.screenshot(path=OUT / f"start-{ending}", full_page=True)
        page.goto(f"{url}/start/table?name=tickets.parquet")
        page.wait_for_selector("#findings .fine")
        page.screenshot(path=OUT / f"table-{ending}", full_page=True)


def report_page(made: Project) -> None:
    """Page one of a report."""
    story = read_story(made.ledger.entries())
    pages = typeset(report_of(dossier_of(made, story), matter_of(made, story)), form="png")
    (PAGE.parent / "report.png").write_bytes(pages[0])


def serve(folder: Path) -> tuple[subprocess.Popen[str], str, str]:
    """A server of the folder, its address and the lead's link."""
    command = [
        Path(sys.executable).with_name("assaymark"), "serve", "--port", "0", "--json", "-p", folder,
    ]  # fmt: skip
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    said = json.loads(server.stdout.readline())
    url = said["url"].rstrip("/")
    urllib.request.urlopen(f"{url}/alive", timeout=30).close()
    return server, url, said["links"]["lead"]


def main() -> None:
    chromium = shutil.which("chromium") or sys.exit("Chromium is not installed.")
    work = Path(tempfile.mkdtemp()) / "reviews"  # the name that the start page shows
    work.mkdir()
    tickets = make_tickets(20_000, np.random.default_rng(11))
    write_tickets(tickets, work / "tickets.parquet")
    shown = {
        project(work, tickets, "refunds", rounds=9): {
            "/label": "label", "/watch": "watch", "/decide": "decide", "/items": "items",
            "/connect": "connect",
        },
        project(work, tickets, "new", rounds=0): {"/enter": "enter", "/plan": "plan"},
        project(work, tickets, "done", rounds=60, finish=True): {
            "/read": "read", "/watch": "established",
        },
    }  # fmt: skip
    report_page(next(made for made in shown if made.folder.name == "done"))
    with sync_playwright() as runner:
        browser = runner.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        for found, pages in shown.items():
            server, url, link = serve(found.folder)
            shoot(browser, url, link, pages)
            server.kill()
            server.wait()
        server, url, link = serve(work)
        shoot_start(browser, url, link)
        server.kill()
        server.wait()
        browser.close()
    shutil.rmtree(work.parent)
    shutil.rmtree(PAGE, ignore_errors=True)
    shutil.move(OUT, PAGE)
    print(f"{len(list(PAGE.iterdir()))} pictures in {PAGE}")


if __name__ == "__main__":
    main()
