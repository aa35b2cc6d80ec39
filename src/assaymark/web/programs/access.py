"""Who is asking, when a program asks: a token in the Authorization header, and no cookie."""

import asyncio
from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from assaymark.errors import AssaymarkError, message_of
from assaymark.project.connections import Program, Right, program_of
from assaymark.web.site import STATUS, Handler, site_of
from assaymark.web.wording import for_page


def token_of(header: str | None) -> str | None:
    """The token of an Authorization header: "Bearer …", or "Token …" as Label Studio sends it.

    >>> token_of("Bearer abc")
    'abc'
    """
    kind, _, token = (header or "").partition(" ")
    return token.strip() if kind.lower() in ("bearer", "token") and token.strip() else None


def program(right: Right) -> Callable[[Handler], Handler]:
    """Lets programs with this right in; refusals are JSON. Browsers cannot send their tokens."""

    def wrap(handler: Handler) -> Handler:
        async def checked(request: Request) -> Response:
            site = site_of(request)
            token = token_of(request.headers.get("authorization"))
            try:
                caller = (
                    await asyncio.to_thread(program_of, site.served.folder, token)
                    if token
                    else None
                )
                if caller is None:
                    return refusal("A program needs its token: Authorization: Bearer TOKEN.", 401)
                if not caller.may(right):
                    return refusal(f"This token may {caller.right}, and {right} is needed.", 403)
                request.state.program = caller
                return await handler(request)
            except AssaymarkError as error:
                status = next((c for kind, c in STATUS.items() if isinstance(error, kind)), 400)
                return refusal(for_page(message_of(error)), status)

        return checked

    return wrap


def refusal(message: str, status: int) -> Response:
    """A refusal as programs read it."""
    return JSONResponse({"error": message}, status_code=status)


def program_now(request: Request) -> Program:
    """The program that was let in."""
    program: Program = request.state.program
    return program


def limited(value: Any, most: int, usual: int) -> int:
    """A number of things to send, between 1 and the most."""
    text = str(value or "")
    return min(max(int(text), 1), most) if text.isdecimal() and len(text) < 9 else usual
