"""What all pages share: the project, who is asking, and how answers look."""

import json
import threading
import urllib.parse
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from jinja2 import Environment
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from assaymark.errors import AssaymarkError, InputError
from assaymark.steps.desk import ConflictError
from assaymark.steps.project import Project
from assaymark.steps.settings import Settings
from assaymark.steps.texts import Shelf
from assaymark.steps.users import Role
from assaymark.web.assets import Asset
from assaymark.web.guard import Buckets
from assaymark.web.runner import Runner
from assaymark.web.sessions import COOKIE, Person, Sessions

if TYPE_CHECKING:
    from assaymark.steps.watch import Watch

Handler = Callable[[Request], Awaitable[Response]]
HOME = {"annotator": "/label", "lead": "/watch", "reader": "/read"}


@dataclass(kw_only=True)
class Site:
    """One served project."""

    project: Project
    runner: Runner
    shelf: Shelf
    sessions: Sessions
    settings: Settings
    templates: Environment
    assets: dict[str, Asset]
    version: str
    clock: Callable[[], float]
    attempts: Buckets
    annotator: str | None = None
    auto_draw: bool = False
    secure: bool = False
    busy: dict[str, Any] = field(default_factory=dict)
    opening: threading.Lock = field(default_factory=threading.Lock)
    watching: "Watch | None" = None

    @property
    def watch(self) -> "Watch":
        """What the lead sees of the project."""
        from assaymark.steps.watch import (
            Watch,
        )  # loads the statistics, which labelling can do without

        with self.opening:
            if self.watching is None:
                self.watching = Watch(self.project)
            return self.watching

    def person(self, request: Request) -> Person | None:
        """Who is asking; None where they have not signed in."""
        return self.sessions.person(request.cookies.get(COOKIE), now=self.clock())

    def mark(self, request: Request) -> str:
        """What forms of this session send along."""
        return self.sessions.form_mark(request.cookies.get(COOKIE, ""))

    def page(self, request: Request, name: str, *, status: int = 200, **values: Any) -> Response:
        """A template, filled."""
        text = self.templates.get_template(name).render(
            {
                "version": self.version,
                "person": None,
                "mark": "",
                "here": request.url.path,
                "settings": self.settings,
                "title": self.settings.title or self.project.folder.resolve().name,
                **values,
            }
        )
        return HTMLResponse(text, status_code=status)


def site_of(request: Request) -> Site:
    """The site that this request belongs to."""
    found: Site = request.app.state.site
    return found


def only(*roles: Role) -> Callable[[Handler], Handler]:
    """Lets a page be seen by these roles; others are sent to sign in or told so."""

    def wrap(handler: Handler) -> Handler:
        async def checked(request: Request) -> Response:
            site = site_of(request)
            person = site.person(request)
            if person is None:
                return _ask_to_enter(request)
            if person.role not in roles:
                return refuse(request, f"This page is for: {', '.join(roles)}.", status=403)
            if request.method == "POST":
                await check_mark(request)
            request.state.person = person
            return await handler(request)

        return checked

    return wrap


def person_of(request: Request) -> Person:
    """The person that `only` let in."""
    found: Person = request.state.person
    return found


def wants_json(request: Request) -> bool:
    """Whether a script is asking."""
    return request.headers.get("accept", "").startswith("application/json")


def _ask_to_enter(request: Request) -> Response:
    if wants_json(request) or request.method != "GET":
        return refuse(request, "You are signed out. Reload the page to sign in.", status=401)
    return RedirectResponse("/enter", status_code=303)


class ForeignFormError(AssaymarkError):
    """A form that one of our own pages did not send."""


async def check_mark(request: Request) -> None:
    """Refuse a form or script that does not carry its session's mark."""
    given = request.headers.get("x-assaymark-token")
    if given is None and not _is_json(request):
        given = (await form(request)).get("mark")
    site = site_of(request)
    if not site.sessions.fits(given, site.mark(request)):
        raise ForeignFormError("This form is out of date. Reload the page and try again.")


def _is_json(request: Request) -> bool:
    return request.headers.get("content-type", "").startswith("application/json")


async def form(request: Request) -> dict[str, str]:
    """The fields of a form; each once."""
    if not hasattr(request.state, "form"):
        text = (await request.body()).decode("utf-8", "replace")
        request.state.form = dict(urllib.parse.parse_qsl(text, keep_blank_values=True))
    found: dict[str, str] = request.state.form
    return found


async def body(request: Request) -> dict[str, Any]:
    """The JSON object that a script sent."""
    if not _is_json(request):
        raise InputError("Send application/json.")
    try:
        found = json.loads(await request.body())
    except ValueError as error:
        raise InputError(f"The request is not JSON: {error}.") from error
    if not isinstance(found, dict):
        raise InputError("The request must be one JSON object.")
    return found


def refuse(request: Request, message: str, *, status: int) -> Response:
    """One clear sentence, as JSON for scripts and as a page for people."""
    if wants_json(request):
        return JSONResponse({"error": message}, status_code=status)
    site = site_of(request)
    person = site.person(request)
    return site.page(
        request, "message.html", status=status, message=message, person=person,
        mark=site.mark(request),
    )  # fmt: skip


STATUS: dict[type[AssaymarkError], int] = {ConflictError: 409, ForeignFormError: 403}


async def on_refusal(request: Request, error: Exception) -> Response:
    """An error of ours becomes the sentence it carries."""
    status = next((code for kind, code in STATUS.items() if isinstance(error, kind)), 400)
    return refuse(request, str(error), status=status)
