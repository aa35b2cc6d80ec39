"""The application: which address leads to which page."""

import asyncio
import contextlib
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Scope

from assaymark.errors import AssaymarkError, InputError
from assaymark.labelling.desk import Desk
from assaymark.labelling.settings import read_settings
from assaymark.labelling.texts import Shelf
from assaymark.ledger.events import review_of
from assaymark.project.attachments import FOLDER, Attachments
from assaymark.project.folder import Project
from assaymark.project.users import Known, Role, server_key
from assaymark.web import attachments
from assaymark.web.access.connections import say_shortage_once
from assaymark.web.access.guard import BURST, RATE, Buckets, Guard, Place, TooLargeError
from assaymark.web.access.proxy import Front
from assaymark.web.access.sessions import Ended, Sessions, start_links
from assaymark.web.assets import load_assets, load_templates, version_of
from assaymark.web.intake import AttachmentUploads
from assaymark.web.pages import entering, labelling
from assaymark.web.pieces import PIECE
from assaymark.web.programs.hooks_out import tell_on
from assaymark.web.rooms import begin_loading, prepare, room
from assaymark.web.runner import Runner
from assaymark.web.site import Site, on_gone, on_refusal, on_trouble, pages_of, refuse


@dataclass(frozen=True, kw_only=True)
class Options:
    """How a project is served. `links` are the secrets of the links that are printed, by role.

    `auto_draw` is None where the lead of a project decides it on the page.
    `files` is the folder of pictures and PDFs that texts name; else the project's own `files`.
    """

    annotator: str | None = None
    twice: float | None = None
    minutes: float = 15.0
    auto_draw: bool | None = False
    hosts: tuple[str, ...] = ()
    secure: bool = False
    root: str = ""
    front: Front = field(default_factory=Front)
    links: Mapping[Role, str] = field(default_factory=start_links)
    files: Path | None = None
    rate: float = RATE
    burst: float = BURST


def make_app(
    project: Project, options: Options, *, clock: Callable[[], float] = time.time
) -> ASGIApp:
    """The page of a project."""
    folder = project.folder
    sessions = Sessions(
        server_key(folder), Known(folder), links=options.links, ended=Ended(folder, now=clock())
    )
    site = make_site(project, options, sessions, clock=clock)
    return site_app(site, options)


def make_site(
    project: Project,
    options: Options,
    sessions: Sessions,
    *,
    home: str | None = None,
    clock: Callable[[], float] = time.time,
) -> Site:
    """What serves a project; `home` is the address of the list of projects it belongs to."""
    settings = read_settings(project.folder)
    share = settings.twice if options.twice is None else options.twice
    begin_loading()
    desk = Desk(project, clock=clock, share=share, minutes=options.minutes)
    if options.twice is not None:
        _refuse_settled(desk, options.twice)
    assets = load_assets()
    return Site(
        served=project,
        runner=Runner(desk),
        shelf=Shelf(project),
        sessions=sessions,
        settings=settings,
        templates=load_templates(),
        assets=assets,
        version=version_of(assets),
        clock=clock,
        attempts=Buckets(rate=1 / 3, burst=10, clock=clock),
        annotator=options.annotator,
        uploads=AttachmentUploads(Attachments(project.folder / FOLDER)),
        files=options.files or project.folder / "files",
        draws=options.auto_draw,
        secure=options.secure,
        root=options.root,
        home=home,
        front=options.front,
    )


@contextlib.contextmanager
def running(site: Site) -> Iterator[None]:
    """The project held open while its pages are served."""
    with site.served.ledger.held():
        threading.Thread(target=prepare, args=(site,), name="prepare", daemon=True).start()
        yield
    site.uploads.close()
    site.runner.close()


@contextlib.asynccontextmanager
async def telling(site: Site) -> AsyncIterator[None]:
    """Webhooks are called as long as the server runs."""
    task = asyncio.create_task(tell_on(site))
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


def site_app(site: Site, options: Options, *, lasts: bool = True) -> ASGIApp:
    """The pages of a site behind their guard; with `lasts` the site opens and closes with them."""

    @contextlib.asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        say_shortage_once(asyncio.get_running_loop())
        with running(site) if lasts else contextlib.nullcontext():
            async with telling(site) if lasts else contextlib.nullcontext():
                yield

    app = Starlette(routes=ROUTES, lifespan=lifespan, exception_handlers=HANDLERS)
    app.state.site = site
    return guarded(app, options, who=site.who, clock=site.clock, limits=LIMITS)


def guarded(
    app: ASGIApp,
    options: Options,
    *,
    who: Callable[[Scope], str],
    clock: Callable[[], float],
    limits: Mapping[str, int] | None = None,
) -> ASGIApp:
    """An application behind the guard that every request passes."""
    place = Place(
        hosts=frozenset(host.lower() for host in options.hosts),
        root=options.root,
        secure=options.secure,
    )
    failures = Buckets(rate=options.rate, burst=options.burst, clock=clock)
    return Guard(app, place=place, failures=failures, who=who, limits=limits or {})


def _refuse_settled(desk: Desk, share: float) -> None:
    """Refuse another share to be read twice than the one that a review began with."""
    work = review_of(desk.state)
    if work is not None and work.twice != share:
        raise InputError(
            f"The share of records that two people read was settled when this review began: "
            f"{work.opened.twice}. A record counts only when all its readers have read it, so it cannot "
            "change."
        )


async def _too_large(_request: Request, _error: Exception) -> Response:
    return PlainTextResponse("The request is too long.", status_code=413)


async def _missing(request: Request, _error: Exception) -> Response:
    return refuse(request, "There is no such page.", status=404)


async def asset(request: Request) -> Response:
    """A script or style from memory; browsers keep it until its address changes."""
    file = pages_of(request).assets.get(request.path_params["name"])
    if file is None:
        return PlainTextResponse("There is no such file.", status_code=404)
    return Response(
        file.body,
        media_type=file.type,
        headers={"cache-control": "public, max-age=31536000, immutable"},
    )


async def alive(_request: Request) -> Response:
    """Whether the server answers at all."""
    return PlainTextResponse("ok")


HANDLERS: Mapping[Any, Any] = {
    AssaymarkError: on_refusal,
    OSError: on_trouble,
    ClientDisconnect: on_gone,
    TooLargeError: _too_large,
    404: _missing,
    405: _missing,
}

LIMITS = {
    "/items/import": 20_000_000,
    "/files/piece": PIECE + 1_000,
    "/api/v1/labels": 5_000_000,
    "/api/v1/hooks/label-studio": 5_000_000,
}
"""Addresses that take longer requests than the others, in bytes."""

ROUTES = [
    Route("/", entering.home),
    Route("/enter", entering.show, methods=["GET"]),
    Route("/enter", entering.enter, methods=["POST"]),
    Route("/leave", entering.leave, methods=["POST"]),
    Route("/label", labelling.show),
    Route("/label/hand", labelling.hand, methods=["POST"]),
    Route("/label/answer", labelling.answer, methods=["POST"]),
    Route("/label/release", labelling.release, methods=["POST"]),
    Route("/label/back", labelling.back, methods=["POST"]),
    Route("/label/file", attachments.show),
    Route("/watch", room("pages.watching", "show")),
    Route("/watch/news", room("pages.watching", "news")),
    Route("/watch/doubt", room("pages.watching", "doubt")),
    Route("/watch/numbers", room("pages.watching", "numbers")),
    Route("/watch/draw", room("pages.watching", "draw"), methods=["POST"]),
    Route("/watch/certify", room("pages.watching", "certify"), methods=["POST"]),
    Route("/watch/train", room("pages.training", "go_on"), methods=["POST"]),
    Route("/watch/stop", room("pages.training", "stop"), methods=["POST"]),
    Route("/watch/survey/{survey}", room("pages.surveys", "act"), methods=["POST"]),
    Route("/watch/progress", room("pages.training", "progress")),
    Route("/review", room("pages.reviewing", "show")),
    Route("/review/news", room("pages.reviewing", "news")),
    Route("/review/next", room("pages.reviewing", "go_on"), methods=["POST"]),
    Route("/review/certify", room("pages.reviewing", "certify"), methods=["POST"]),
    Route("/plan", room("pages.planning", "show")),
    Route("/plan/forecast", room("pages.planning", "forecast"), methods=["POST"]),
    Route("/plan/seal", room("pages.planning", "seal"), methods=["POST"]),
    Route("/plan/words", room("pages.claiming", "forecast"), methods=["POST"]),
    Route("/plan/words/seal", room("pages.claiming", "seal"), methods=["POST"]),
    Route("/plan/abandon", room("pages.planning", "abandon"), methods=["POST"]),
    Route("/plan/settings", room("pages.planning", "settings"), methods=["POST"]),
    Route("/decide", room("pages.deciding", "show")),
    Route("/decide", room("pages.deciding", "decide"), methods=["POST"]),
    Route("/items", room("pages.items", "show")),
    Route("/items/one", room("pages.items", "one")),
    Route("/items/overdue", room("pages.absence", "count"), methods=["POST"]),
    Route("/items/assign", room("pages.items", "assign"), methods=["POST"]),
    Route("/items/labels.csv", room("pages.label_files", "labels")),
    Route("/items/waiting.{form}", room("pages.label_files", "waiting")),
    Route("/items/import", room("pages.label_files", "bring_in"), methods=["POST"]),
    Route("/files", room("pages.attaching", "show")),
    Route("/files/state", room("pages.attaching", "state")),
    Route("/files/begin", room("pages.attaching", "begin_upload"), methods=["POST"]),
    Route("/files/piece", room("pages.attaching", "add_piece"), methods=["POST"]),
    Route("/connect", room("programs.connecting", "show")),
    Route("/connect/program", room("programs.connecting", "add"), methods=["POST"]),
    Route("/connect/remove", room("programs.connecting", "remove"), methods=["POST"]),
    Route("/connect/hook", room("programs.connecting", "tell"), methods=["POST"]),
    Route("/connect/label-studio", room("programs.connecting", "label_studio"), methods=["POST"]),
    Route("/api/v1/openapi.json", room("programs.endpoints", "describe")),
    Route("/api/v1/status", room("programs.endpoints", "status")),
    Route("/api/v1/items", room("programs.endpoints", "items")),
    Route("/api/v1/labels", room("programs.endpoints", "labels"), methods=["POST"]),
    Route("/api/v1/draw", room("programs.endpoints", "draw"), methods=["POST"]),
    Route("/api/v1/look", room("programs.endpoints", "look"), methods=["POST"]),
    Route(
        "/api/v1/hooks/label-studio",
        room("programs.endpoints", "label_studio"),
        methods=["POST"],
    ),
    Route("/read", room("pages.reading", "show")),
    Route("/read/certificate.json", room("pages.reading", "certificate")),
    Route("/read/report.{form}", room("pages.reading", "report")),
    Route("/static/{version}/{name}", asset),
    Route("/alive", alive),
]
