"""What all pages share: the project, who is asking, and how answers look."""

import json
import threading
import urllib.parse
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import Scope

from assaymark.errors import (
    AssaymarkError,
    ConflictError,
    EngineError,
    InputError,
    LedgerError,
    VerificationError,
    message_of,
)
from assaymark.labelling.desk import Desk
from assaymark.labelling.settings import Settings
from assaymark.labelling.texts import Shelf
from assaymark.project.attachments import Attachments
from assaymark.project.folder import Project
from assaymark.project.users import Role, UsersError
from assaymark.web.access.guard import Buckets
from assaymark.web.access.proxy import Front
from assaymark.web.access.sessions import Person, Session, Sessions
from assaymark.web.assets import Asset
from assaymark.web.intake import AttachmentUploads
from assaymark.web.numbers import field_of
from assaymark.web.runner import Runner
from assaymark.web.wording import for_page

if TYPE_CHECKING:
    from assaymark.overview.watch import Watch

Handler = Callable[[Request], Awaitable[Response]]
HOME = {"annotator": "/label", "lead": "/watch", "reader": "/read"}


@dataclass(kw_only=True)
class Pages:
    """What pages need, of one project or of the list of several: who is asking, how answers look."""

    sessions: Sessions
    templates: Environment
    assets: dict[str, Asset]
    version: str
    clock: Callable[[], float]
    attempts: Buckets
    annotator: str | None = None
    secure: bool = False
    root: str = ""
    home: str | None = None
    front: Front = field(default_factory=Front)

    @property
    def title(self) -> str:
        """What stands at the top of every page."""
        return ""

    def first_page(self, _role: Role) -> str:
        """Where somebody begins who has just signed in."""
        return "/"

    async def release(self, name: str) -> None:
        """Give back what was in this person's hands."""

    @property
    def cookie_path(self) -> str:
        """Where browsers send the session: to this project, or to all that are served together."""
        return (self.root if self.home is None else self.home) or "/"

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

    def values(self) -> dict[str, Any]:
        """What every template of these pages may use."""
        return {"settings": None}

    def page(self, request: Request, name: str, *, status: int = 200, **values: Any) -> Response:
        """A template, filled, for the person that was let in unless another is named."""
        if "person" not in values:
            person = getattr(request.state, "person", None)
            values |= {"person": person, "mark": self.mark(request) if person else ""}
        text = self.templates.get_template(name).render(
            {
                "version": self.version,
                "decides": False,
                "here": request.scope["path"].removeprefix(self.root),
                "root": self.root,
                "home": self.home,
                "title": self.title,
                **self.values(),
                **values,
            }
        )
        return HTMLResponse(text, status_code=status)


@dataclass(kw_only=True)
class Site(Pages):
    """One served project."""

    served: Project
    runner: Runner
    shelf: Shelf
    settings: Settings
    uploads: AttachmentUploads
    files: Path | None = None
    named_files: list[str] | None = None  # in the table, once somebody asked
    unclear_files: frozenset[str] | None = None  # names that the table uses for two paths
    uncompared: bool = False  # the table names too many files for that
    names_again: float = 0  # when the table may be asked again for the names of files
    naming: threading.Lock = field(default_factory=threading.Lock)
    draws: bool | None = None
    busy: dict[str, Any] = field(default_factory=dict)
    not_drawn: str = ""  # why the page could not draw by itself
    opening: threading.Lock = field(default_factory=threading.Lock)
    watching: "Watch | None" = None

    @property
    def title(self) -> str:
        """The project's title, or else the name of its folder."""
        return self.settings.title or self.served.folder.resolve().name

    @property
    def attachments(self) -> Attachments:
        """The pictures and PDFs that were uploaded."""
        return self.uploads.attachments

    @property
    def auto_draw(self) -> bool:
        """Whether items are drawn without anybody asking: as the server is set, else as the lead set it."""
        return self.settings.auto_draw if self.draws is None else self.draws

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

    def first_page(self, role: Role) -> str:
        """The page of this role."""
        return HOME[role]

    async def release(self, name: str) -> None:
        """Give back what was in this person's hands."""
        await self.runner.ask(lambda desk: desk.release(name))

    def values(self) -> dict[str, Any]:
        """The settings of the project."""
        return {"settings": self.settings}


def pages_of(request: Request) -> Pages:
    """The pages that this request belongs to, of a project or of the list of projects."""
    pages: Pages = request.app.state.site
    return pages


def site_of(request: Request) -> Site:
    """The site that this request belongs to."""
    site: Site = request.app.state.site
    return site


def _named(roles: tuple[Role, ...]) -> str:
    """Roles in a sentence: "the lead", "readers and the lead"."""
    words = {"lead": "the lead", "annotator": "reviewers", "reader": "readers of the result"}
    return " and ".join(words[role] for role in roles)


def only(*roles: Role) -> Callable[[Handler], Handler]:
    """Lets a page be seen by these roles; others are sent to sign in or refused."""

    def wrap(handler: Handler) -> Handler:
        async def checked(request: Request) -> Response:
            person = pages_of(request).person(request)
            if person is None:
                return _ask_to_enter(request)
            if person.role not in roles:
                return refuse(request, f"Only {_named(roles)} can open this page.", status=403)
            if request.method == "POST":
                await check_mark(request)
            request.state.person = person
            return await handler(request)

        return checked

    return wrap


def person_of(request: Request) -> Person:
    """The person that `only` let in."""
    person: Person = request.state.person
    return person


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
    mark = request.headers.get("x-assaymark-token")
    if mark is None and not _is_json(request):
        mark = (await form(request)).get("mark")
    site = pages_of(request)
    if not site.sessions.fits(mark, site.mark(request)):
        raise ForeignFormError("This form is out of date. Reload the page and try again.")


def _is_json(request: Request) -> bool:
    return request.headers.get("content-type", "").startswith("application/json")


async def form(request: Request) -> dict[str, str]:
    """The fields of a form; each once."""
    if not hasattr(request.state, "form"):
        text = (await request.body()).decode("utf-8", "replace")
        try:
            pairs = urllib.parse.parse_qsl(text, keep_blank_values=True, max_num_fields=1_000)
        except ValueError as error:
            raise InputError("The form has too many fields.") from error
        request.state.form = dict(pairs)
    fields: dict[str, str] = request.state.form
    return fields


async def body(request: Request) -> dict[str, Any]:
    """The JSON object that a script sent."""
    if not _is_json(request):
        raise InputError("Send application/json.")
    try:
        fields = _whole(json.loads(await request.body()))
    except (ValueError, RecursionError) as error:
        raise InputError(f"The request is not JSON that can be read: {error}.") from error
    if not isinstance(fields, dict):
        raise InputError("The request must be one JSON object.")
    return fields


def _whole(value: Any) -> Any:
    """The value with half characters (lone surrogates) replaced: a box that cuts an emoji sends them."""
    text = json.dumps(value, ensure_ascii=False)
    clean = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return value if clean == text else json.loads(clean)


def refuse(request: Request, message: str, *, status: int, field: str | None = None) -> Response:
    """One clear sentence, as JSON for scripts and as a page for people; `field` is what it is about."""
    if wants_json(request):
        reply = {"error": for_page(message)} | ({"field": field} if field else {})
        return JSONResponse(reply, status_code=status)
    site = pages_of(request)
    try:
        person, mark = site.person(request), site.mark(request)
    except (AssaymarkError, OSError):  # who is asking cannot be found out just now
        person, mark = None, ""
    return site.page(
        request, "message.html", status=status, message=message, person=person, mark=mark
    )


def file_response(text: bytes, kind: str, name: str) -> Response:
    """A file to be kept under this name."""
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type=kind, headers=headers)


def unfinished(error: AssaymarkError) -> Response:
    """What is still being typed cannot be read yet: the page asked as it should, so this is no failure."""
    field = field_of(error)
    return JSONResponse(
        {"error": for_page(message_of(error))} | ({"field": field} if field else {})
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
    field = field_of(error) if isinstance(error, AssaymarkError) else None
    return refuse(request, message_of(error), status=status, field=field)


async def on_trouble(request: Request, error: Exception) -> Response:
    """The machine's trouble with files or connections; pages try again."""
    reason = getattr(error, "strerror", None) or type(error).__name__
    return refuse(request, f"The project cannot be used just now: {reason}. Try again.", status=503)


async def on_gone(_request: Request, _error: Exception) -> Response:
    """Nobody waits for this answer any more."""
    return Response(status_code=400)
