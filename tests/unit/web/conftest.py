"""Loads every page before the first test.

A server loads its pages in a thread while it answers. Under pytest loading means parsing, because
assaymark is a plug-in whose modules pytest rewrites, and Python 3.11 breaks when two threads parse
at once ("AST constructor recursion depth mismatch").
"""

import importlib
import pkgutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import assaymark.web.pages
import assaymark.web.programs
from assaymark.web.rooms import FORECASTS
from worlds_on_disk import Answer

for _room in (assaymark.web.pages, assaymark.web.programs):
    for _page in pkgutil.iter_modules(_room.__path__, f"{_room.__name__}."):
        importlib.import_module(_page.name)
for _step in (FORECASTS, "assaymark.certification.drawing", "assaymark.composite.drawing"):
    importlib.import_module(_step)


@pytest.fixture(autouse=True)
def _no_thread_outlives_its_project(tmp_path: Path) -> Iterator[None]:
    """A server works ahead for the first dashboard in a thread; the folder stays until it is done."""
    yield
    for thread in threading.enumerate():
        if thread.name == "prepare":
            thread.join(timeout=300)


@pytest.fixture
def drawn(assaymark: Callable[..., Answer], project: Path) -> Path:
    """A project with a plan and 20 items drawn."""
    assaymark("plan", "f1 >= 0.8", "--seed", "s", "-p", project)
    assert assaymark("draw", 20, "-p", project).code == 0
    return project
