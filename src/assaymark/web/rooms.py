"""Pages whose code loads slowly, because statistics stand behind it: not before the first visit.

People can label as soon as the server answers. What the other pages need is loaded meanwhile.
"""

import asyncio
import contextlib
import importlib
import sys
import threading
from types import ModuleType

from starlette.requests import Request
from starlette.responses import Response

from assaymark.errors import AssaymarkError
from assaymark.web.site import Handler, Site

ROOMS = tuple(
    f"pages.{name}"
    for name in ("watching", "deciding", "planning", "reading", "surveys", "label_files")
)
FORECASTS = "assaymark.certification.sealing"
DRAWING = "assaymark.certification.drawing"
_open: dict[str, ModuleType] = {}


def _enter(name: str) -> ModuleType:
    # whoever comes second waits at the import's own lock, so nobody sees half a module
    _open[name] = importlib.import_module(f"assaymark.web.{name}")
    return _open[name]


def room(module: str, name: str) -> Handler:
    """The page of that name, loaded when somebody asks for it."""

    async def page(request: Request) -> Response:
        pages = _open.get(module) or await asyncio.to_thread(_enter, module)
        answer: Response = await getattr(pages, name)(request)
        return answer

    return page


async def loaded(module: str) -> None:
    """Wait until a module is loaded, without holding anybody else up."""
    if module not in sys.modules:
        await asyncio.to_thread(importlib.import_module, module)


def begin_loading() -> None:
    """Load the code of the dashboard while the ledger is read: `serve` opens it in the browser."""
    threading.Thread(target=_enter, args=(ROOMS[0],), name="loading", daemon=True).start()


def prepare(site: Site) -> None:
    """Work out the dashboard and load all pages, while people begin to label."""
    _enter(ROOMS[0])
    with contextlib.suppress(AssaymarkError, OSError):  # whoever opens the dashboard will see it
        site.watch.prepare()
        site.watch.at_leisure()
        site.watch.numbers()
    for name in ROOMS[1:]:
        site.watch.at_leisure()
        _enter(name)
    for name in (FORECASTS, DRAWING):
        site.watch.at_leisure()
        importlib.import_module(name)
