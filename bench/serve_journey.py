"""From `assaymark serve` to the first certificate at a human's pace: a file of 20,000 rows, no terminal.

    python bench/serve_journey.py              a little under five minutes, most of it reading
    python bench/serve_journey.py --phone      the same on a phone, with taps in place of keys
    python bench/serve_journey.py --pace 0     as fast as the page goes

Needs Chromium. Every label takes a reader's time, every choice and every form a moment of thought.
The report is downloaded after the clock has stopped.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb
import numpy as np
from playwright.sync_api import Page, sync_playwright

from assaymark.lab.demo import make_tickets, write_tickets
from measure import report

ROWS, LIMIT = 20_000, 300.0
READ, THINK = 2.0, 2.5  # seconds to read a short ticket and press a key; to decide about a form
SCREENS = {"desktop": {"width": 1280, "height": 860}, "phone": {"width": 390, "height": 780}}
SAVED = "() => document.querySelector('#saved').textContent === 'saved ✓'"


def write_table(folder: Path) -> tuple[Path, dict[str, bool]]:
    tickets = make_tickets(ROWS, np.random.default_rng(11))
    write_tickets(tickets, folder / "tickets.parquet")
    path = folder / "tickets.csv"
    duckdb.sql(f"COPY (FROM '{folder}/tickets.parquet') TO '{path}' (HEADER)")
    return path, dict(zip(tickets.ids, map(bool, tickets.relevant), strict=True))


def label(page: Page, truth: dict[str, bool], pause: float) -> int:
    """Label what waits; how many items it were."""
    page.click("nav >> text=Label")
    done = 0
    while True:
        page.wait_for_function(
            "() => document.querySelector('#item [data-text]') || !document.querySelector('#done').hidden"
        )
        if page.is_visible("#done"):
            return done
        item = page.text_content("#item-id")
        time.sleep(pause)
        if page.viewport_size == SCREENS["phone"]:
            page.click(f"[data-answer={'relevant' if truth[item] else 'not'}]")
        else:
            page.keyboard.press("j" if truth[item] else "f")
        page.wait_for_function(
            f"() => document.querySelector('#item-id').textContent !== {json.dumps(item)}"
        )
        page.wait_for_function(SAVED)
        done += 1


def journey(page: Page, link: str, table: Path, truth: dict[str, bool], pace: float) -> int:
    """Upload, plan, label, certify; how many labels it took."""

    def think(times: float = 1.0) -> None:
        time.sleep(THINK * pace * times)

    page.goto(link)
    page.fill("#name", "Ann")
    think()
    page.click("text=Begin")
    page.set_input_files("#file", table)
    think()
    page.click("#upload button")
    page.wait_for_selector("#findings .fine")
    page.fill("#title", "Tickets about refunds")
    think(4)  # the columns are guessed; somebody looks at the ten rows all the same
    page.click("#go")
    page.wait_for_url("**/plan")
    page.select_option("[name=metric]", "accuracy")
    page.fill("[name=target]", "90 %")
    think(4)
    page.wait_for_selector("#cost input:checked")
    page.wait_for_function("() => !document.querySelector('#cost[aria-busy]')")
    page.click("#seal")
    think(2)
    page.click("#sealing button[value=yes]")
    page.wait_for_url("**/watch")
    labels = 0
    while not page.query_selector("text=Issue the certificate"):
        think()
        if not page.is_visible("a:has-text('waiting')"):  # the server may have drawn by itself
            page.click("text=Draw the next items")
            page.wait_for_selector("a:has-text('waiting')")
        labels += label(page, truth, READ * pace)
        page.click("nav >> text=Progress")
        page.wait_for_selector("h1.verdict")
    think()
    page.click("text=Issue the certificate")
    page.wait_for_selector("text=Download the certificate")
    return labels


def main() -> bool:
    parser = argparse.ArgumentParser()
    parser.add_argument("--phone", action="store_true")
    parser.add_argument("--pace", type=float, default=1.0, help="1: a human's, 0: none")
    asked = parser.parse_args()
    screen = "phone" if asked.phone else "desktop"
    chromium = shutil.which("chromium") or sys.exit("Chromium is not installed.")
    work = Path(tempfile.mkdtemp())
    table, truth = write_table(work)
    home = work / "served"
    home.mkdir()
    command = [
        Path(sys.executable).with_name("assaymark"),
        "serve",
        "--port",
        "0",
        "--json",
        "-p",
        home,
    ]
    begun = time.perf_counter()
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        link = json.loads(server.stdout.readline())["links"]["lead"]
        with sync_playwright() as runner:
            browser = runner.chromium.launch(
                executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
            )
            page = browser.new_page(viewport=SCREENS[screen], has_touch=asked.phone)
            page.set_default_timeout(120_000)
            labels = journey(page, link, table, truth, asked.pace)
            took = time.perf_counter() - begun
            with page.expect_download() as report_file:
                page.click("text=Report as HTML")
            assert "Tickets about refunds" in report_file.value.path().read_text(encoding="utf-8")
            browser.close()
    finally:
        server.kill()
        server.wait()
        shutil.rmtree(work)
    reading = asked.pace * READ * labels
    print(f"      {labels} labels, of which {reading:.0f} s of reading")
    return report(f"seconds from serve to a certificate, {ROWS:,} rows, {screen}", took, LIMIT)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
