"""The application of a folder of projects: its start page, and every project below /p/NAME."""

import time
from collections.abc import Callable
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from assaymark.project.users import Known, server_key
from assaymark.web.access.guard import Buckets
from assaymark.web.access.sessions import Ended, Sessions
from assaymark.web.app import HANDLERS, Options, alive, asset, guarded
from assaymark.web.assets import load_assets, load_templates, version_of
from assaymark.web.pages import entering
from assaymark.web.pieces import PIECE
from assaymark.web.site import pages_of, refuse
from assaymark.web.start import attaching, pages
from assaymark.web.start.uploads import Uploads
from assaymark.web.start.workspace import Dispatch, Workspace


def make_start_app(
    folder: Path, options: Options, *, clock: Callable[[], float] = time.time
) -> ASGIApp:
    """The start page of a folder, and the pages of every project in it."""
    assets = load_assets()
    workspace = Workspace(
        sessions=Sessions(
            server_key(folder), Known(folder), links=options.links, ended=Ended(folder, now=clock())
        ),
        templates=load_templates(),
        assets=assets,
        version=version_of(assets),
        clock=clock,
        attempts=Buckets(rate=1 / 3, burst=10, clock=clock),
        annotator=options.annotator,
        secure=options.secure,
        root=options.root,
        home=options.root,
        front=options.front,
        folder=folder,
        options=options,
        uploads=Uploads(folder),
    )
    app = Starlette(routes=ROUTES, lifespan=workspace.lifespan, exception_handlers=HANDLERS)
    app.state.site = workspace
    limits = dict.fromkeys(("/start/upload/piece", "/start/files/piece"), PIECE + 1_000)
    start = guarded(app, options, who=workspace.who, clock=clock, limits=limits)
    return Dispatch(workspace, start)


async def stranger(request: Request) -> Response:
    """A project that is not there, or asked for by somebody who has not come in."""
    if pages_of(request).session(request) is None:
        return RedirectResponse("/enter", status_code=303)
    return refuse(request, "There is no such project here.", status=404)


ROUTES = [
    Route("/", pages.show),
    Route("/enter", entering.show, methods=["GET"]),
    Route("/enter", entering.enter, methods=["POST"]),
    Route("/leave", entering.leave, methods=["POST"]),
    Route("/start/upload/begin", pages.begin_upload, methods=["POST"]),
    Route("/start/upload/piece", pages.add_piece, methods=["POST"]),
    Route("/start/table", pages.show_table),
    Route("/start/check", pages.check, methods=["POST"]),
    Route("/start/files/begin", attaching.begin_upload, methods=["POST"]),
    Route("/start/files/piece", attaching.add_piece, methods=["POST"]),
    Route("/start/begin", pages.start, methods=["POST"]),
    # a project opens for those who have come in; until then its sign-in is that of the folder
    Route("/p/{name}/enter", entering.show, methods=["GET"]),
    Route("/p/{name}/enter", entering.enter, methods=["POST"]),
    Route("/p/{name}", stranger),
    Route("/p/{name}/{rest:path}", stranger),
    Route("/static/{version}/{name}", asset),
    Route("/alive", alive),
]
