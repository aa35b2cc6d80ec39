"""Sign in and out: by the link printed at the start, by a user's token, or at a proxy in front."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from assaymark.errors import AssaymarkError
from assaymark.project.users import Role, checked_name
from assaymark.web.access.sessions import LASTS
from assaymark.web.site import Pages, form, only, pages_of, person_of


async def home(request: Request) -> Response:
    """Send everybody to the page of their role."""
    person = pages_of(request).person(request)
    if person is None:
        return RedirectResponse("/enter", status_code=303)
    return RedirectResponse(pages_of(request).first_page(person.role), status_code=303)


async def show(request: Request) -> Response:
    """The form. A link that carries a token is exchanged for a cookie, and leaves the address."""
    site = pages_of(request)
    token = request.query_params.get("token")
    if token is not None:
        return _by_token(request, token, name="")
    session = site.session(request)
    if session is not None and session.person is not None:
        return RedirectResponse(site.first_page(session.role), status_code=303)
    if session is None and _crossed(request):
        return site.page(request, "enter.html", form="again", problem=None)
    if site.front.name(request.scope) is not None:
        problem = (
            "You are signed in at the proxy, but nobody of that name is a user of this project."
        )
        return _again(request, f"{problem} Ask the lead to add you.", status=403)
    return _form(request)


def _crossed(request: Request) -> bool:
    """Whether the browser holds its cookie back, because a page elsewhere led here."""
    crossed = request.headers.get("sec-fetch-site") == "cross-site"
    return crossed and "again" not in request.query_params


async def enter(request: Request) -> Response:
    """Exchange a token for a cookie; after a link's token, take the name."""
    site, fields = pages_of(request), await form(request)
    token, name = fields.get("token", "").strip(), fields.get("name", "")
    if token:
        return _by_token(request, token, name=name)
    session = site.session(request)
    if not site.sessions.open or session is None:
        return _again(request, "A token is needed here.", status=403)
    return _by_name(request, session.role, name)


def _by_token(request: Request, token: str, *, name: str) -> Response:
    site = pages_of(request)
    if site.sessions.open:
        role = site.sessions.link(token)
        if role is not None:
            person = site.person(request)
            name = name or site.annotator or (person.name if person else "")
            return _by_name(request, role, name) if name else _enter(site, "", role, "/enter")
    else:
        user = site.sessions.user(token)
        if user is not None:
            return _enter(site, user.name, user.role, site.first_page(user.role))
    # a right token is never refused, however often others at this address were wrong
    if not site.attempts.take(site.front.address(request.scope)):
        return _again(request, "Too many attempts. Wait half a minute.", status=429)
    return _again(request, "This token is not known. Ask the lead for a new one.", status=403)


def _by_name(request: Request, role: Role, name: str) -> Response:
    try:
        site = pages_of(request)
        return _enter(site, checked_name(name), role, site.first_page(role))
    except AssaymarkError as error:
        return _again(request, error.message, status=400)


def _form(request: Request, *, problem: str | None = None, status: int = 200) -> Response:
    site = pages_of(request)
    kind = "token"
    if site.sessions.open:
        kind = "link" if site.session(request) is None else "name"
    return site.page(request, "enter.html", status=status, form=kind, problem=problem)


def _again(request: Request, problem: str, *, status: int) -> Response:
    return _form(request, problem=problem, status=status)


def _enter(site: Pages, name: str, role: Role, where: str) -> Response:
    answer = RedirectResponse(where, status_code=303)
    answer.set_cookie(
        site.sessions.cookie_name,
        site.sessions.cookie(name, role, now=site.clock()),
        max_age=LASTS,
        path=site.cookie_path,
        httponly=True,
        samesite="strict",
        secure=site.secure,
    )
    return answer


@only("annotator", "lead", "reader")
async def leave(request: Request) -> Response:
    """Sign out: the session ends on the server, and what was in hand is given back."""
    site, name = pages_of(request), person_of(request).name
    session = site.session(request)
    if session is not None:
        site.sessions.end(session, now=site.clock())
    await site.release(name)
    answer = RedirectResponse("/enter", status_code=303)
    answer.delete_cookie(
        site.sessions.cookie_name,
        path=site.cookie_path,
        httponly=True,
        samesite="strict",
        secure=site.secure,
    )
    return answer
