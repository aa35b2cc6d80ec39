"""Buttons of a training: refit and hand out more, or stop and seal the plan that judges it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from assaymark.claims.claim import Claim
from assaymark.claims.results import counted
from assaymark.errors import AssaymarkError, ConflictError
from assaymark.labelling.desk import Desk
from assaymark.labelling.spending import Spending, spending
from assaymark.ledger.events import State, settings_of, training_of
from assaymark.training.freeze import NotAgreedError, stop_training, train_on
from assaymark.training.sealed_cost import SealedCost
from assaymark.training.settings import TrainingRequest
from assaymark.web.asking import Question, ask
from assaymark.web.numbers import count_of, share_of
from assaymark.web.pages.drawing_on import draw_when_low
from assaymark.web.site import form, only, refuse, site_of

BUSY = "training"


class EndedError(AssaymarkError):
    """The server ends, so what it was about to work out is given up."""


@dataclass(kw_only=True)
class Work:
    """What the server works out just now, shown to whoever watches. Ended, it stops at its next word."""

    stage: str = "beginning"
    ended: bool = False

    def progress(self, message: str, share: float | None) -> None:
        """Called by the step from its own thread."""
        if self.ended:
            raise EndedError("The server was ended meanwhile.")
        self.stage = message if share is None else f"{message}, {share:.0%}"


@only("lead")
async def go_on(request: Request) -> Response:
    """Refit on all training labels and hand out the next items. The command line's own step."""
    site = site_of(request)
    asked = await form(request)
    state = await asyncio.to_thread(site.project.state)
    change = TrainingRequest(
        claim=_lowered(state, share_of(asked, "target")),
        budget=count_of(asked, "budget"),
        insist=asked.get("insist") == "yes" or None,
    )
    return await _worked(request, partial(train_on, site.project, change, write=False))


def _lowered(state: State, target: float | None) -> Claim | None:
    """The claim of the training with another target; None where the target stays."""
    work = training_of(state)
    if work is None or target is None:
        return None
    return replace(settings_of(work).goal.claim, target=target)


@only("lead")
async def stop(request: Request) -> Response:
    """Freeze the classifier and seal its plan; what that will cost is shown first."""
    site = site_of(request)
    if (await form(request)).get("sure") == "yes":
        sealed = await _worked(request, partial(stop_training, site.project))
        draw_when_low(site)  # the first items of its plan
        return sealed
    costs: list[SealedCost] = []

    def agree(cost: SealedCost) -> bool:
        costs.append(cost)
        return False

    try:
        answer = await _worked(request, partial(stop_training, site.project, agree=agree))
    except NotAgreedError:
        so_far = await site.runner.ask(lambda desk: spending(desk.state, site.settings))
        return ask(request, _freeze_question(costs[0], so_far))
    return answer  # the classifier was frozen before, and only its plan was missing


def _freeze_question(cost: SealedCost, so_far: Spending) -> Question:
    flagged = (
        f"The classifier flags {cost.flagged:,} of {counted(cost.items, 'item')} "
        f"({cost.flagged / max(cost.items, 1):.0%}) for reading."
    )
    money: tuple[str, ...] = (f"{so_far.sentence}.",) if so_far.sentence else ()
    if cost.expected is not None and so_far.cost:
        price = f"{cost.expected * so_far.cost:,.0f} {so_far.currency}"
        money += (f"The labels to come will cost about {price}.",)
    return Question(
        title="Freeze the classifier and seal the plan?",
        sentences=(flagged, cost.sentence, *money),
        action="/watch/stop",
        fields={"sure": "yes"},
        yes="Freeze and seal",
    )


@only("lead")
async def progress(request: Request) -> Response:
    """What a refit is doing; empty where none is under way."""
    work: Work | None = site_of(request).busy.get(BUSY)
    return JSONResponse({"stage": "" if work is None else work.stage})


async def _worked(request: Request, step: Callable[..., Any]) -> Response:
    """Do one step away from the readers' requests; a second one must wait for it."""
    site = site_of(request)
    if BUSY in site.busy:
        raise ConflictError(
            f"The classifier is being trained at this moment ({site.busy[BUSY].stage}). Wait until it is "
            "done, then look again."
        )
    work = site.busy[BUSY] = Work()
    try:
        await asyncio.to_thread(step, progress=work.progress)
    except asyncio.CancelledError:  # the server ends and waits no longer
        work.ended = True
        return refuse(request, "The server ends; the classifier was not trained on.", status=503)
    finally:
        del site.busy[BUSY]
    await site.runner.ask(Desk.catch_up)
    return RedirectResponse("/watch", status_code=303)
