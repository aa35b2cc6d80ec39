"""Sign in and out: a name on this machine, a token from elsewhere."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from assaymark.errors import AssaymarkError
from assaymark.steps.users import checked_name
from assaymark.web.sessions import COOKIE, LASTS
from assaymark.web.site import HOME, Site, form, only, person_of, site_of


async def home(request: Request) -> Response:
    """Send everybody to the page of their role."""
    site = site_of(request)
    person = site.person(request)
    if person is None:
        return RedirectResponse("/enter", status_code=303)
    return RedirectResponse(HOME[person.role], status_code=303)


async def show(request: Request) -> Response:
    """The form; on this machine with a name given at the start, straight in."""
    site = site_of(request)
    if site.sessions.open and site.annotator:
        return _enter(site, site.annotator, "/")
    return site.page(request, "enter.html", open=site.sessions.open, problem=None)


async def enter(request: Request) -> Response:
    """Exchange a token, or a name on this machine, for a cookie."""
    site = site_of(request)
    fields = await form(request)
    if site.sessions.open:
        try:
            return _enter(site, checked_name(fields.get("name", "")), "/")
        except AssaymarkError as error:
            return _again(request, str(error), status=400)
    client = request.client.host if request.client else "unknown"
    if not site.attempts.take(client):
        return _again(request, "Too many attempts. Wait half a minute.", status=429)
    user = site.sessions.user(fields.get("token", ""))
    if user is None:
        return _again(request, "This token is not known. Ask the lead for a new one.", status=403)
    return _enter(site, user.name, HOME[user.role])


def _again(request: Request, problem: str, *, status: int) -> Response:
    site = site_of(request)
    return site.page(request, "enter.html", status=status, open=site.sessions.open, problem=problem)


def _enter(site: Site, name: str, where: str) -> Response:
    answer = RedirectResponse(where, status_code=303)
    answer.set_cookie(
        COOKIE,
        site.sessions.cookie(name, now=site.clock()),
        max_age=LASTS,
        httponly=True,
        samesite="strict",
        secure=site.secure,
    )
    return answer


@only("annotator", "lead", "reader")
async def leave(request: Request) -> Response:
    """Sign out, and give back what was in hand."""
    site, name = site_of(request), person_of(request).name
    await site.runner.ask(lambda desk: desk.release(name))
    answer = RedirectResponse("/enter", status_code=303)
    answer.delete_cookie(COOKIE, httponly=True, samesite="strict", secure=site.secure)
    return answer
