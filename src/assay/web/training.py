"""Buttons of a training: refit and hand out more, or stop and seal the plan that judges it."""

import asyncio
from functools import partial

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from assay.steps.desk import Desk
from assay.steps.training_freeze import stop_training, train_on
from assay.steps.training_settings import TrainWish
from assay.web.site import form, only, site_of


@only("lead")
async def go_on(request: Request) -> Response:
    """Refit on all training labels and hand out the next items. The command line's own step."""
    site = site_of(request)
    asked = await form(request)
    wish = TrainWish(insist=asked.get("insist") == "yes")
    await asyncio.to_thread(partial(train_on, site.project, wish, write=False))
    await site.runner.ask(Desk.catch_up)
    return RedirectResponse("/watch", status_code=303)


@only("lead")
async def stop(request: Request) -> Response:
    """Freeze the classifier and seal its plan."""
    site = site_of(request)
    await asyncio.to_thread(stop_training, site.project)
    await site.runner.ask(Desk.catch_up)
    return RedirectResponse("/watch", status_code=303)
