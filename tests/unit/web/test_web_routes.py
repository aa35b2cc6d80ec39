"""Pages are loaded by name when somebody asks for them: every name leads to one."""

import importlib
import inspect

import pytest

from assaymark.web.app import ROUTES

NAMED = [
    (route.path, inspect.getclosurevars(route.endpoint).nonlocals)
    for route in ROUTES
    if route.endpoint.__qualname__.startswith("room.")
]


@pytest.mark.parametrize(("path", "named"), NAMED, ids=[path for path, _ in NAMED])
def test_every_address_leads_to_a_page(path, named):
    pages = importlib.import_module(f"assaymark.web.{named['module']}")
    assert inspect.iscoroutinefunction(getattr(pages, named["name"]))


def test_most_pages_are_loaded_by_name():
    assert len(NAMED) > 40
