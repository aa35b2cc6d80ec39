"""What all pages share: the project, who is asking, and how answers look."""

import json
import threading
import urllib.parse
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from jinja2 import Environment
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import Scope

from assaymark.errors import (
    AssaymarkError,
    EngineError,
    InputError,
    LedgerError,
    VerificationError,
    message_of,
)
from assaymark.labelling.desk import ConflictError, Desk
from assaymark.labelling.settings import Settings
from assaymark.labelling.texts import Shelf
from assaymark.project.folder import Project
from assaymark.project.users import Role, UsersError
from assaymark.web.access.proxy import Front
from assaymark.web.access.rate_limits import Buckets
from assaymark.web.access.sessions import Person, Session, Sessions
from assaymark.web.assets import Asset
from assaymark.web.runner import Runner
from assaymark.web.wording import for_page

if TYPE_CHECKING:
    from assaymark.overview.watch import Watch

Handler = Callable[[Request], Awaitable[Response]]
HOME = {"annotator": "/label", "lead": "/watch", "reader": "/read"}


@dataclass(kw_only=True)
class Site:
    """One served project."""

    served: Project
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
    root: str = ""
    front: Front = field(default_factory=Front)
    busy: dict[str, Any] = field(default_factory=dict)
    opening: threading.Lock = field(default_factory=threading.Lock)
    watching: "Watch | None" = None

    @property
    def project(self) -> Project:
        """The served project, for one step: steps run in several threads."""
        return self.served.afresh()

    @property
    def watch(self) -> "Watch":
        """What the lead sees of the project."""
        from assaymark.overview.watch import (
            Watch,
        )  # loads the statistics, which labelling can do without

        with self.opening:
            if self.watching is None:
                self.watching = Watch(self.project, lambda: self.runner.call(Desk.snapshot))
            return self.watching

    def session(self, request: HTTPConnection) -> Session | None:
        """The session of this request: as a proxy in front says, else by its cookie."""
        named = self.front.name(request.scope)
        person = self.sessions.named(named) if named is not None else None
        if person is not None:
            return Session(id=f"proxy {person.name}", role=person.role, person=person)
        cookie = request.cookies.get(self.sessions.cookie_name)
        return self.sessions.session(cookie, now=self.clock())

    def person(self, request: HTTPConnection) -> Person | None:
        """Who is asking; None where they have not signed in."""
        session = self.session(request)
        return session.person if session is not None else None

    def who(self, scope: Scope) -> str:
        """Whose failures these are: a session that the server vouches for, else an address."""
        try:
            session = self.session(HTTPConnection(scope))
        except (AssaymarkError, OSError):  # the page will say so
            session = None
        return f"session {session.id}" if session else f"from {self.front.address(scope)}"

    def mark(self, request: Request) -> str:
        """What forms of this session send along."""
        session = self.session(request)
        return self.sessions.form_mark(session.id if session else "")

    def page(self, request: Request, name: str, *, status: int = 200, **values: Any) -> Response:
        """A template, filled."""
        text = self.templates.get_template(name).render(
            {
                "version": self.version,
                "person": None,
                "decides": False,
                "mark": "",
                "here": request.scope["path"].removeprefix(self.root),
                "root": self.root,
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
        found = _whole(json.loads(await request.body()))
    except (ValueError, RecursionError) as error:
        raise InputError(f"The request is not JSON that can be read: {error}.") from error
    if not isinstance(found, dict):
        raise InputError("The request must be one JSON object.")
    return found


def _whole(value: Any) -> Any:
    """The value with half characters (lone surrogates) replaced: a box that cuts an emoji sends them."""
    text = json.dumps(value, ensure_ascii=False)
    clean = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return value if clean == text else json.loads(clean)


def refuse(request: Request, message: str, *, status: int) -> Response:
    """One clear sentence, as JSON for scripts and as a page for people."""
    if wants_json(request):
        return JSONResponse({"error": for_page(message)}, status_code=status)
    site = site_of(request)
    try:
        person, mark = site.person(request), site.mark(request)
    except (AssaymarkError, OSError):  # who is asking cannot be found out just now
        person, mark = None, ""
    return site.page(
        request, "message.html", status=status, message=message, person=person, mark=mark
    )


STATUS: dict[type[AssaymarkError], int] = {
    ConflictError: 409,
    ForeignFormError: 403,
    # what is stored cannot be used just now: nobody's request is at fault, and pages try again
    LedgerError: 503,
    EngineError: 503,
    VerificationError: 503,
    UsersError: 503,
}


async def on_refusal(request: Request, error: Exception) -> Response:
    """An error of ours becomes the sentence it carries."""
    status = next((code for kind, code in STATUS.items() if isinstance(error, kind)), 400)
    return refuse(request, message_of(error), status=status)


async def on_trouble(request: Request, error: Exception) -> Response:
    """The machine's trouble with files or connections; pages try again."""
    told = getattr(error, "strerror", None) or type(error).__name__
    return refuse(request, f"The project cannot be used just now: {told}. Try again.", status=503)


async def on_gone(_request: Request, _error: Exception) -> Response:
    """Nobody waits for this answer any more."""
    return Response(status_code=400)
