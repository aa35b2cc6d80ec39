"""A question before a step that cannot be taken back: what it does and costs, and two buttons."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from starlette.requests import Request
from starlette.responses import Response

from assaymark.web.site import pages_of


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is asked; "yes" sends `fields` to `action`, and "no" leads `back`.

    Without an `action` there is nothing to say yes to: only the way `back`, by its name.
    """

    title: str
    sentences: tuple[str, ...]
    action: str = ""
    yes: str = ""
    back_name: str = "Go back"
    fields: Mapping[str, str] = field(default_factory=dict)
    back: str = "/watch"


def ask(request: Request, question: Question) -> Response:
    """The question as a page; it works without a script."""
    site = pages_of(request)
    return site.page(
        request,
        "ask.html",
        question=question,
    )
