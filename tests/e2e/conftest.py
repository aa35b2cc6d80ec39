"""A real server and a real browser. Skipped, with the reason, where there is no Chromium."""

import json
import os
import shutil
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from navigation import PATIENCE, follow

playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = os.environ.get("ASSAYMARK_CHROMIUM") or shutil.which("chromium")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run",
]  # fmt: skip
ASSAYMARK = Path(sys.executable).with_name("assaymark")


@pytest.fixture(scope="session")
def browser():
    if CHROMIUM is None:
        if os.environ.get("ASSAYMARK_REQUIRE_BROWSER"):
            pytest.fail("Chromium is missing and ASSAYMARK_REQUIRE_BROWSER is set.")
        pytest.skip("no Chromium: install it, or name it in ASSAYMARK_CHROMIUM")
    with playwright.sync_playwright() as runner:
        opened = runner.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield opened
        opened.close()


class Server:
    """`assaymark serve` in a process of its own; can be killed and started again on its port."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder, self.options = folder, options
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        command = [
            ASSAYMARK,
            "serve",
            "--port",
            str(self.port),
            "--json",
            "-p",
            self.folder,
            *self.options,
        ]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        said = json.loads(self.process.stdout.readline())
        assert said["url"].startswith(f"{self.url}/")
        self.links = said["links"]
        with urllib.request.urlopen(f"{self.url}/alive", timeout=300) as answer:
            assert answer.status == 200

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


@pytest.fixture
def serve():
    @contextmanager
    def started(folder: Path, *options: str) -> Iterator[Server]:
        server = Server(folder, *options)
        server.start()
        try:
            yield server
        finally:
            server.kill()

    return started


def fault(message) -> str:
    """What the console says went wrong, with the address that it speaks of."""
    return f"{message.text} {message.location.get('url', '')}".strip()


@pytest.fixture
def enter(browser):
    """A fresh browser context, signed in by a link; what goes wrong in the page is collected."""
    contexts = []

    def signed(server: Server, name: str = "kim", role: str = "lead", **options):
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.faults = []
        page.on("console", lambda m: page.faults.append(fault(m)) if m.type == "error" else None)
        page.on("pageerror", lambda e: page.faults.append(str(e)))
        page.on("dialog", lambda d: (page.faults.append(f"dialog {d.message}"), d.dismiss()))
        page.on(
            "request", lambda r: None if r.url.startswith(server.url) else page.faults.append(r.url)
        )
        page.goto(server.links[role])
        page.fill("#name", name)
        follow(page, "text=Begin")
        return page

    yield signed
    for context in contexts:
        context.close()
