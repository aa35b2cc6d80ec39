"""Several projects in one server: which there are, and the pages of each, opened when first asked for."""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from assaymark.certification.view.answer import claim_sentence, upper_first
from assaymark.composite.wording import sealed_words, verdict_of
from assaymark.composite.work import current_claim
from assaymark.errors import AssaymarkError, InputError, message_of
from assaymark.labelling.settings import read_settings
from assaymark.project.connections import program_of
from assaymark.project.folder import Project
from assaymark.project.users import USERS, Role
from assaymark.web.access.connections import say_shortage_once
from assaymark.web.access.guard import Place
from assaymark.web.app import Options, make_site, running, site_app, telling
from assaymark.web.intake import AttachmentUploads
from assaymark.web.programs.access import token_of
from assaymark.web.site import Pages, Site
from assaymark.web.start.beginning import projects_in
from assaymark.web.start.uploads import Uploads
from assaymark.web.wording import for_page

ADDRESS = re.compile(r"/p/([A-Za-z0-9][A-Za-z0-9._-]{0,63})(?:/|$)")
PURPOSES = {
    "audit": "An audit",
    "claim": "A claim of several parts",
    "estimate": "An estimate",
    "recall": "Recall from pairs",
    "sentinel": "A check for drift",
    "training": "A classifier in training",
    "triage": "A triage",
}
LARGE = 5_000_000  # bytes of a ledger that is not read to say where a project stands


@dataclass(frozen=True, kw_only=True)
class Opened:
    """A project whose pages are served."""

    site: Site
    app: ASGIApp


@dataclass(frozen=True, kw_only=True)
class Listed:
    """A project as the start page lists it."""

    name: str
    title: str
    about: str


@dataclass(kw_only=True)
class Workspace(Pages):
    """A folder of projects, and the tables from which new ones begin."""

    folder: Path
    options: Options
    uploads: Uploads
    attaching: dict[str, AttachmentUploads] = field(default_factory=dict)
    opened: dict[str, Opened] = field(default_factory=dict)
    opening: asyncio.Lock = field(default_factory=asyncio.Lock)
    beginning: bool = False
    stack: contextlib.AsyncExitStack = field(default_factory=contextlib.AsyncExitStack)

    @property
    def title(self) -> str:
        """The name of the folder."""
        return self.folder.resolve().name

    def first_page(self, role: Role) -> str:
        """The list of projects; whoever labels, and finds one project only, begins there at once."""
        projects = list(projects_in(self.folder)) if role == "annotator" else []
        return f"/p/{projects[0]}/label" if len(projects) == 1 else "/"

    def listed(self, role: Role) -> list[Listed]:
        """The projects, in the order of their names."""
        return [_listed(name, path, role) for name, path in projects_in(self.folder).items()]

    async def project(self, name: str) -> ASGIApp:
        """The pages of the project of that name."""
        async with self.opening:
            if name not in self.opened:
                self.opened[name] = await asyncio.to_thread(self._open, name)
                site = self.opened[name].site
                self.stack.enter_context(running(site))
                await self.stack.enter_async_context(telling(site))
            return self.opened[name].app

    def _open(self, name: str) -> Opened:
        path = projects_in(self.folder)[name]
        if (path / USERS).exists():
            raise InputError(
                f"The project {name!r} has users of its own. Serve it by itself, so that they sign in there."
            )
        options = replace(self.options, root=f"{self.root}/p/{name}")
        sessions = self.sessions.within(name)
        site = make_site(Project(folder=path), options, sessions, home=self.root, clock=self.clock)
        return Opened(site=site, app=site_app(site, options, lasts=False))

    @contextlib.asynccontextmanager
    async def lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        """Close all projects when the server ends."""
        say_shortage_once(asyncio.get_running_loop())
        async with self.stack:
            yield
        self.uploads.close()
        for beside in self.attaching.values():
            beside.close()


def workspace_of(request: HTTPConnection) -> Workspace:
    """The workspace that this request belongs to."""
    workspace: Workspace = request.app.state.site
    return workspace


def _listed(name: str, path: Path, role: Role) -> Listed:
    try:
        title = read_settings(path).title or name
        about = _about(path, role)
    except (AssaymarkError, OSError) as error:
        return Listed(name=name, title=name, about=f"cannot be read: {error}")
    return Listed(name=name, title=title, about=about)


def _about(path: Path, role: Role) -> str:
    """What the project is for, and how many items are labelled; nothing where reading takes long.

    Whoever labels learns nothing of a claim or its verdict.
    """
    ledger = path / "ledger.sqlite"
    if (path / USERS).exists():
        return "has users of its own: serve it by itself"
    if not ledger.is_file() or ledger.stat().st_size > LARGE:
        return ""
    state = Project(folder=path).state()
    settled = sum(state.labelled(item) for item in {**state.answers, **state.decided})
    labels = f"{settled:,} labelled"
    if role == "annotator":
        return labels
    if state.attempt is not None:
        ending = "" if state.attempt.open else f", {state.attempt.outcome_word}"
        return f"{claim_sentence(state.attempt.plan.claim)}{ending} · {labels}"
    claim = current_claim(state)
    if claim is not None:
        ending = "" if claim.open else ", not established"
        if claim.reports("certificate") and claim.last_look is not None:
            word = verdict_of(claim.last_look.facts)[1]
            ending = ", certified" if word == "Established" else f", certified: {word.lower()}"
        return f"{upper_first(sealed_words(claim.sealed))}{ending} · {labels}"
    if state.reviews:
        ending = ", certified" if state.reviews[-1].certificates else ""
        return f"A review{ending} · {labels}"
    purposes = [work.survey.purpose for work in state.surveys]
    return f"{PURPOSES[purposes[-1]]} · {labels}" if purposes else "No plan yet"


class Dispatch:
    """Sends a request to the project that its address names, and everything else to the start page."""

    def __init__(self, workspace: Workspace, start: ASGIApp) -> None:
        self._workspace = workspace
        self._start = start
        self._place = Place(root=workspace.root)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        app = self._start
        if scope["type"] == "http":
            path = self._place.put(scope)["path"].removeprefix(self._workspace.root)
            match = ADDRESS.match(path)
            if match and self._may_open(match[1], scope):
                app = await self._opened(match[1])
        await app(scope, receive, send)

    async def _opened(self, name: str) -> ASGIApp:
        try:
            return await self._workspace.project(name)
        except (AssaymarkError, OSError) as error:
            text = f"The project cannot be opened: {for_page(message_of(error))}"
            return PlainTextResponse(text, status_code=503)

    def _may_open(self, name: str, scope: Scope) -> bool:
        """Whether the project is there, and somebody asks who has come in."""
        workspace = self._workspace
        if name in workspace.opened:
            return True
        try:
            path = projects_in(workspace.folder).get(name)
            if path is None or (path / USERS).exists():
                return False
            asked = HTTPConnection(scope)
            token = token_of(asked.headers.get("authorization"))
            known = token is not None and program_of(path, token) is not None
            return known or workspace.session(asked) is not None
        except (AssaymarkError, OSError):
            return False
