"""The plan page: a claim as a sentence, what it costs, and one button that seals it."""

import asyncio
import math
from dataclasses import replace
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from assaymark.certification.certificate.words import known_words
from assaymark.certification.forecasts.prospect import Prospect, chance_curves, prospect, usual
from assaymark.certification.planning.forecast_words import (
    floor_words,
    needed_words,
    read_all_words,
)
from assaymark.certification.report.charts import power_chart
from assaymark.certification.sealing import (
    PlanRequest,
    abandon_plan,
    expected_of,
    seal_plan,
)
from assaymark.certification.view.answer import claim_sentence
from assaymark.claims.defaults import POWER
from assaymark.claims.ratio_metrics import parse_claim
from assaymark.claims.results import Forecast, ModeForecast, percent
from assaymark.composite.looks import abandon_claim
from assaymark.composite.wording import sealed_words
from assaymark.errors import InputError, PlanError
from assaymark.labelling.desk import Desk
from assaymark.labelling.settings import Settings, write_settings
from assaymark.ledger.events import Attempt, is_frozen, review_of, settings_of, training_of
from assaymark.overview.protocols import PROTOCOLS
from assaymark.project.folder import Project, registered_pool
from assaymark.records.modes import kind_of
from assaymark.records.plan import Expectation
from assaymark.records.seeds import source_in_words
from assaymark.web.charts import picture
from assaymark.web.numbers import FieldError, number_of, share_of
from assaymark.web.pages.claiming import open_claim, words_of
from assaymark.web.pages.drawing_on import draw_when_low
from assaymark.web.site import body, form, only, person_of, site_of, unfinished, wants_json
from assaymark.web.wording import for_page

MODES = {
    "fixed": ("fixed", "simple", "Judged once, when all labels are there."),
    "budget": ("budget", "simple", "Judged on the way; ends at the number you promise."),
    "anytime": ("anytime", "simple", "Judged whenever you look; ends when you like."),
    "score-guided": (
        "anytime",
        "weighted",
        "Sampled more often where the scores are uncertain; judged whenever you look.",
    ),
    "ceiling": (
        "budget",
        "weighted",
        "As score-guided, but ends at the number you promise. For those who are sure of what they expect.",
    ),
}
TEXTS = (
    "title", "criteria", "relevant", "not_relevant", "cannot_tell", "currency", "matter", "classifier",
    "roles", "protocol",
)  # fmt: skip
TITLES = {
    "fixed": "Fixed",
    "budget": "Budget",
    "anytime": "Anytime",
    "score-guided": "Score-guided",
    "ceiling": "Score-guided with a ceiling",
}


@only("lead")
async def show(request: Request) -> Response:
    """The page; an open plan is shown as sealed."""
    site = site_of(request)
    start = await asyncio.to_thread(usual, site.project)
    attempt, expected = await site.runner.ask(_attempt)
    learning = await site.runner.ask(_learning)
    words = await site.runner.ask(lambda desk: words_of(desk, start))
    claimed = await site.runner.ask(open_claim)
    predicts = await site.runner.ask(lambda desk: registered_pool(desk.state).columns.predicts)
    return site.page(
        request,
        "plan.html",
        start=start,
        attempt=attempt,
        seed_source=source_in_words,
        known_words=known_words,
        expected=expected,
        learning=learning,
        words=words,
        predicts=predicts,
        review=await site.runner.ask(_review),
        claimed=claimed,
        claim_sentence=claim_sentence,
        claimed_words=sealed_words(claimed) if claimed is not None else "",
        settled_twice=await site.runner.ask(_settled_twice),
        draws=site.draws,
        modes=MODES,
        titles=TITLES,
        percent=percent,
        protocols=[(name, title) for name, (title, _) in PROTOCOLS.items()],
    )


def _attempt(desk: Desk) -> tuple[Attempt | None, int | None]:
    desk.catch_up()
    return desk.state.attempt, expected_of(desk.state)


def _review(desk: Desk) -> dict[str, str] | None:
    """Target and confidence of the review that the project is, if it is one."""
    work = review_of(desk.state)
    if work is None:
        return None
    sure = percent(float(work.opened.confidence))
    return {"target": percent(float(work.opened.target)), "confidence": sure}


def _settled_twice(desk: Desk) -> float | None:
    """The share that two people read, where a review settled it when it began."""
    work = review_of(desk.state)
    return None if work is None else work.twice


def _learning(desk: Desk) -> str:
    """The claim that a training under way is for; its plan is sealed when training stops."""
    work = training_of(desk.state)
    attempt = desk.state.attempt
    if work is None or (attempt is not None and attempt.open):
        return ""
    return (
        ""
        if work.freezes and not is_frozen(desk.state)
        else claim_sentence(settings_of(work).goal.claim)
    )


@only("lead")
async def forecast(request: Request) -> Response:
    """What the claim would cost, in labels and money."""
    site, asked = site_of(request), await body(request)
    try:
        plan_request = _plan_request(asked)
        outlook = await asyncio.to_thread(prospect, site.project, plan_request)
    except (InputError, PlanError) as error:
        return unfinished(error)
    return JSONResponse(_forecast_json(outlook, site.settings, plan_request))


def _plan_request(asked: dict[str, Any]) -> PlanRequest:
    mode, design, _ = MODES.get(str(asked.get("mode") or ""), (None, None, ""))
    return PlanRequest(
        claim=parse_claim(_claim_text(asked)),
        mode=mode,
        design=design,
        confidence=share_of(asked, "confidence") or 0.95,
        power=share_of(asked, "power") or POWER,
        expectation=_expectation(asked),
        anyway=asked.get("anyway") == "yes",
    )


def _claim_text(asked: dict[str, Any]) -> str:
    metric, target = str(asked.get("metric") or ""), share_of(asked, "target")
    if target is None:
        raise FieldError("target", "A claim needs a number, such as 0.75 or 75 %.")
    if not 0 < target < 1:
        raise FieldError("target", "The target must lie above 0 and below 1 (100 %).")
    sign = "<=" if metric in ("elusion", "prevalence") else ">="
    return f"{metric} {sign} {target:g}"


def _expectation(asked: dict[str, Any]) -> Expectation | None:
    precision, recall = share_of(asked, "precision"), share_of(asked, "recall")
    if precision is None or recall is None:
        return None
    for name, value in (("precision", precision), ("recall", recall)):
        if value == 0:
            raise FieldError(name, f"Expect a {name} above 0: with 0 the classifier finds nothing.")
    return Expectation(precision=precision, recall=recall, prevalence=None)


def _forecast_json(
    outlook: Prospect, settings: Settings, plan_request: PlanRequest
) -> dict[str, Any]:
    cost = outlook.forecast
    if cost is None:
        return {"rows": [], "curves": {}, "recommended": None, "sentence": _UNKNOWN, "wall": None}
    priced = cost.if_needed or cost
    rows = [_row(name, mode, settings) for name, mode in priced.modes.items() if name in MODES]
    named = TITLES.get(cost.recommended or "")
    recommendation = f"Recommended: {named}, because {cost.why}." if named else ""
    wall = floor_words(cost)
    return {
        "rows": rows,
        "curves": _curves(outlook, plan_request),
        "recommended": cost.recommended,
        "looks_false": bool(cost.looks_false),
        "sentence": for_page(_doubt(cost) or read_all_words(cost) or recommendation),
        "wall": wall,
    }


def _doubt(cost: Forecast) -> str | None:
    """That the claim looks false, and what the table shows then."""
    if cost.looks_false is None or cost.if_needed is None:
        return cost.looks_false
    return f"{cost.looks_false} {needed_words(cost) or ''} That is what the table shows."


def _curves(outlook: Prospect, plan_request: PlanRequest) -> dict[str, str]:
    """A picture of the chance to pass for each mode, with what is usual and what bad luck costs."""
    cost = outlook.forecast
    if cost is None:
        return {}
    charts = {
        name: power_chart(
            curve, mode=cost.modes[name], power=plan_request.power, floor=cost.elusion_floor
        )
        for name, curve in chance_curves(outlook, power=plan_request.power).items()
    }
    return {name: str(picture(chart) or "") for name, chart in charts.items()}


_UNKNOWN = "Say what precision and recall you expect, and the cost appears here."


def _row(name: str, mode: ModeForecast, settings: Settings) -> dict[str, Any]:
    labels = {"expected": mode.expected, "usual": mode.median, "unlucky": mode.quantile}
    return {
        "mode": name,
        "title": TITLES[name],
        "about": MODES[name][2],
        "reason": None if mode.reason is None else for_page(mode.reason),
        **{key: None if n is None else f"{math.ceil(n):,}" for key, n in labels.items()},
        "money": None
        if mode.expected is None or not settings.cost
        else f"{math.ceil(mode.expected) * settings.cost:,.0f} {settings.currency}",
    }


@only("lead")
async def seal(request: Request) -> Response:
    """Seal the plan: the same step as the command line's."""
    site, fields = site_of(request), await form(request)
    if fields.get("mode") not in MODES:
        raise InputError("Choose how the claim will be judged.")
    mode, design, _ = MODES[fields["mode"]]
    promise = kind_of(mode, design).promise
    await asyncio.to_thread(
        _seal_as_shown, site.project, _plan_request(dict(fields)), promise=promise
    )
    await site.runner.ask(Desk.catch_up)
    draw_when_low(site)
    if wants_json(request):
        return JSONResponse({"where": "/watch"})
    return RedirectResponse("/watch", status_code=303)


def _seal_as_shown(project: Project, plan_request: PlanRequest, *, promise: bool) -> None:
    """Seal the size that the table shows: where nobody says what to expect, it is what the scores say."""
    if promise and plan_request.expectation is None and plan_request.budget is None:
        plan_request = replace(plan_request, expectation=usual(project).expectation)
    seal_plan(project, plan_request)


@only("lead")
async def abandon(request: Request) -> Response:
    """Close the open plan for good, with a reason."""
    site, fields = site_of(request), await form(request)
    reason = fields.get("reason", "")[:2000]
    if await asyncio.to_thread(abandon_claim, site.project, reason) is None:
        await asyncio.to_thread(abandon_plan, site.project, reason)
    await site.runner.ask(Desk.catch_up)
    return RedirectResponse("/plan", status_code=303)


@only("lead")
async def settings(request: Request) -> Response:
    """Keep what the labelling page says, and what a label costs."""
    site, fields = site_of(request), await form(request)
    texts: dict[str, Any] = {
        name: fields[name].replace("\r\n", "\n").strip() for name in TEXTS if name in fields
    }
    twice, cost = number_of(fields, "twice"), number_of(fields, "cost")
    changed = replace(
        site.settings,
        **texts,
        twice=site.settings.twice if twice is None else twice / 100,
        cost=cost or 0.0 if "cost" in fields else site.settings.cost,
        auto_draw=fields.get("auto_draw") == "yes"
        if site.draws is None
        else site.settings.auto_draw,
    )
    if changed != site.settings:
        keep = partial(write_settings, by=person_of(request).name, time=site.project.now())
        await asyncio.to_thread(keep, site.project.folder, changed)
    site.settings = changed
    await site.runner.ask(lambda desk: _read_twice(desk, changed.twice))
    if wants_json(request):
        return JSONResponse({"saved": True, "title": site.title})
    return RedirectResponse("/plan#page", status_code=303)


def _read_twice(desk: Desk, share: float) -> None:
    desk.queue.share = share
    desk.queue.reset(desk.state)
