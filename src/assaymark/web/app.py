"""The application: which address leads to which page."""

import asyncio
import contextlib
import threading
import time
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from assaymark.errors import AssaymarkError, InputError
from assaymark.labelling.desk import Desk
from assaymark.labelling.settings import read_settings
from assaymark.labelling.texts import Shelf
from assaymark.ledger.events import review_of
from assaymark.project.folder import Project
from assaymark.project.users import Known, Role, server_key
from assaymark.web import entering, labelling
from assaymark.web.access.connections import say_shortage_once
from assaymark.web.access.ended_sessions import Ended
from assaymark.web.access.guard import Guard, Place, TooLargeError
from assaymark.web.access.proxy import Front
from assaymark.web.access.rate_limits import BURST, RATE, Buckets
from assaymark.web.access.sessions import Sessions, start_links
from assaymark.web.assets import load_assets, load_templates, version_of
from assaymark.web.rooms import prepare, room
from assaymark.web.runner import Runner
from assaymark.web.site import Site, on_gone, on_refusal, on_trouble, refuse, site_of


@dataclass(frozen=True, kw_only=True)
class Options:
    """How a project is served. `links` are the secrets of the links that are printed, by role."""

    annotator: str | None = None
    twice: float | None = None
    minutes: float = 15.0
    auto_draw: bool = False
    hosts: tuple[str, ...] = ()
    secure: bool = False
    root: str = ""
    front: Front = field(default_factory=Front)
    links: Mapping[Role, str] = field(default_factory=start_links)
    rate: float = RATE
    burst: float = BURST


def make_app(
    project: Project, options: Options, *, clock: Callable[[], float] = time.time
) -> ASGIApp:
    """The page of a project."""
    folder = project.folder
    settings = read_settings(folder)
    share = settings.twice if options.twice is None else options.twice
    desk = Desk(project, clock=clock, share=share, minutes=options.minutes)
    if options.twice is not None:
        _refuse_settled(desk, options.twice)
    assets = load_assets()
    site = Site(
        served=project,
        runner=Runner(desk),
        shelf=Shelf(project),
        sessions=Sessions(
            server_key(folder),
            Known(folder),
            links=options.links,
            ended=Ended(folder, now=clock()),
        ),
        settings=settings,
        templates=load_templates(),
        assets=assets,
        version=version_of(assets),
        clock=clock,
        attempts=Buckets(rate=1 / 3, burst=10, clock=clock),
        annotator=options.annotator,
        auto_draw=options.auto_draw,
        secure=options.secure,
        root=options.root,
        front=options.front,
    )

    @contextlib.asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        say_shortage_once(asyncio.get_running_loop())
        with project.ledger.held():
            threading.Thread(target=prepare, args=(site,), name="prepare", daemon=True).start()
            yield
        site.runner.close()

    app = Starlette(
        routes=ROUTES,
        lifespan=lifespan,
        exception_handlers={
            AssaymarkError: on_refusal,
            OSError: on_trouble,
            ClientDisconnect: on_gone,
            TooLargeError: _too_large,
            404: _missing,
            405: _missing,
        },
    )
    app.state.site = site
    place = Place(
        hosts=frozenset(host.lower() for host in options.hosts),
        root=options.root,
        secure=options.secure,
    )
    failures = Buckets(rate=options.rate, burst=options.burst, clock=clock)
    return Guard(app, place=place, failures=failures, who=site.who)


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
    found = site_of(request).assets.get(request.path_params["name"])
    if found is None:
        return PlainTextResponse("There is no such file.", status_code=404)
    return Response(
        found.body,
        media_type=found.type,
        headers={"cache-control": "public, max-age=31536000, immutable"},
    )


async def alive(_request: Request) -> Response:
    """Whether the server answers at all."""
    return PlainTextResponse("ok")


ROUTES = [
    Route("/", entering.home),
    Route("/enter", entering.show, methods=["GET"]),
    Route("/enter", entering.enter, methods=["POST"]),
    Route("/leave", entering.leave, methods=["POST"]),
    Route("/label", labelling.show),
    Route("/label/hand", labelling.hand, methods=["POST"]),
    Route("/label/answer", labelling.answer, methods=["POST"]),
    Route("/label/back", labelling.back, methods=["POST"]),
    Route("/watch", room("watching", "show")),
    Route("/watch/news", room("watching", "news")),
    Route("/watch/doubt", room("watching", "doubt")),
    Route("/watch/draw", room("watching", "draw"), methods=["POST"]),
    Route("/watch/certify", room("watching", "certify"), methods=["POST"]),
    Route("/watch/train", room("training", "go_on"), methods=["POST"]),
    Route("/watch/stop", room("training", "stop"), methods=["POST"]),
    Route("/watch/progress", room("training", "progress")),
    Route("/review", room("reviewing", "show")),
    Route("/review/news", room("reviewing", "news")),
    Route("/review/next", room("reviewing", "go_on"), methods=["POST"]),
    Route("/review/certify", room("reviewing", "certify"), methods=["POST"]),
    Route("/plan", room("planning", "show")),
    Route("/plan/forecast", room("planning", "forecast"), methods=["POST"]),
    Route("/plan/seal", room("planning", "seal"), methods=["POST"]),
    Route("/plan/abandon", room("planning", "abandon"), methods=["POST"]),
    Route("/plan/settings", room("planning", "settings"), methods=["POST"]),
    Route("/decide", room("deciding", "show")),
    Route("/decide", room("deciding", "decide"), methods=["POST"]),
    Route("/read", room("reading", "show")),
    Route("/read/certificate.json", room("reading", "certificate")),
    Route("/read/report.{form}", room("reading", "report")),
    Route("/static/{version}/{name}", asset),
    Route("/alive", alive),
]
