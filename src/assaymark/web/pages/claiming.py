"""Claims of several parts on the plan page: words that can be clicked, their cost, and the seal."""

import asyncio
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from assaymark.certification.forecasts.prospect import Usual
from assaymark.certification.view.answer import upper_first
from assaymark.claims.direction import wrong_way_parts
from assaymark.claims.language.tree import quoted
from assaymark.claims.results import counted
from assaymark.composite.planning.forecast import ClaimForecast, PartForecast, forecast_claim
from assaymark.composite.planning.forecast_words import cost_lines, doubt, part_price
from assaymark.composite.planning.sealing import Terms, draft_conjunction, seal_conjunction
from assaymark.composite.sealed import SealedClaim
from assaymark.composite.work import current_claim
from assaymark.errors import InputError, PlanError
from assaymark.labelling.desk import Desk
from assaymark.project.folder import registered_pool
from assaymark.records.pool import RegisteredPool
from assaymark.web.numbers import share_of
from assaymark.web.pages.drawing_on import draw_when_low
from assaymark.web.site import body, form, only, site_of, unfinished
from assaymark.web.wording import for_page

MOST_WORDS = 30


@dataclass(frozen=True, kw_only=True)
class Words:
    """The words that can be clicked, by kind: what is claimed, of what, how much, and where."""

    start: str
    classes: tuple[str, ...]
    tags: bool
    kinds: tuple[tuple[str, tuple[str, ...]], ...]


def words_of(desk: Desk, start: Usual) -> Words:
    """The words for the project's pool: its metrics, classes and group columns."""
    pool = registered_pool(desk.state)
    columns = pool.columns
    classes, groups = columns.tags or columns.classes or (), columns.groups or ()
    figures = ("accuracy", "recall", "precision", "f1") if classes else _metrics(start)
    if classes:
        figures += ("macro f1", "macro recall")
    kinds = [
        ("Figure", figures),
        ("How much", (">= 0.7", ">= 0.8", ">= 0.9", ">= 0.95")),
        ("And", ("and",)),
    ]
    if classes:
        names = tuple(f"of {quoted(name)}" for name in classes[:MOST_WORDS])
        kinds.insert(1, ("Of what", ("of every class", *names)))
    if groups:
        kinds.append(("Where", tuple(f"in every {quoted(name)}" for name in groups)))
    return Words(start=_example(pool), classes=classes, tags=bool(columns.tags), kinds=tuple(kinds))


def _metrics(start: Usual) -> tuple[str, ...]:
    wanted = ("recall", "precision", "f1", "accuracy", "elusion")
    return tuple(name for name in wanted if name in dict(start.metrics))


def _example(pool: RegisteredPool) -> str:
    if pool.columns.classes:
        return "recall of every class >= 0.7"
    if pool.columns.groups:
        return f"recall >= 0.8 in every {quoted(pool.columns.groups[0])}"
    return "recall >= 0.8 and precision >= 0.7"


def open_claim(desk: Desk) -> SealedClaim | None:
    """The claim of several parts that is open, if there is one."""
    work = current_claim(desk.state)
    return work.sealed if work is not None and work.open else None


@only("lead")
async def forecast(request: Request) -> Response:
    """What the words mean and what they would cost; nothing is sealed."""
    site, asked = site_of(request), await body(request)
    claim = str(asked.get("claim") or "")
    try:
        expect = share_of(asked, "expect")
        draft = await asyncio.to_thread(draft_conjunction, site.project, claim, _terms(asked))
        cost = await asyncio.to_thread(_cost, draft, expect)
    except (InputError, PlanError) as error:
        return unfinished(error)
    return JSONResponse(cost)


def _terms(asked: dict[str, Any]) -> Terms:
    confidence = asked.get("confidence") or 0.95
    try:
        return Terms(confidence=float(confidence))
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"'confidence' must be a number, got {str(confidence)[:40]!r}.") from error


def _cost(draft: SealedClaim, expect: float | None) -> dict[str, Any]:
    forecast = forecast_claim(draft, expect=expect)
    lines = cost_lines(draft, forecast)
    sentence = " ".join(f"{upper_first(name)}: {text}." for name, text in lines)
    if forecast.looks_false:
        sentence = for_page(doubt(draft, forecast))
    question = wrong_way_parts(draft.statements[0].tree)
    return {
        "claim": draft.claim,
        "parts": [_part(part, forecast) for part in forecast.parts],
        "sentence": f"{question} {sentence}" if question else sentence,
        "doubtful": forecast.looks_false or question is not None,
    }


def _part(part: PartForecast, forecast: ClaimForecast) -> list[str]:
    return [part.name, counted(part.items, "item"), part_price(part, forecast) or "–"]


@only("lead")
async def seal(request: Request) -> Response:
    """Seal the words: the same step as the command line's."""
    site, fields = site_of(request), await form(request)
    await asyncio.to_thread(
        seal_conjunction,
        site.project,
        fields.get("claim", ""),
        _terms(dict(fields)),
        expect=share_of(fields, "expect"),
        anyway=fields.get("anyway") == "yes",
    )
    await site.runner.ask(Desk.catch_up)
    draw_when_low(site)
    return RedirectResponse("/watch", status_code=303)
