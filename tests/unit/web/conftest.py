"""Loads every page before the first test.

A server loads its pages in a thread while it answers. Under pytest loading means parsing, because
assaymark is a plug-in whose modules pytest rewrites, and Python 3.11 breaks when two threads parse
at once ("AST constructor recursion depth mismatch").
"""

import importlib
import pkgutil

import assaymark.web.pages
import assaymark.web.programs
from assaymark.web.rooms import FORECASTS

for _room in (assaymark.web.pages, assaymark.web.programs):
    for _page in pkgutil.iter_modules(_room.__path__, f"{_room.__name__}."):
        importlib.import_module(_page.name)
for _step in (FORECASTS, "assaymark.certification.drawing", "assaymark.composite.drawing"):
    importlib.import_module(_step)
