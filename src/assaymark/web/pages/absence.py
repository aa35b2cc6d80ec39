"""Items whose reviewer is away: shown with what it costs to count them as "cannot tell", then asked."""

import asyncio

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from assaymark.claims.results import counted
from assaymark.errors import InputError
from assaymark.labelling.desk import Desk
from assaymark.labelling.overdue import Overdue, count_as_unclear, in_days, overdue
from assaymark.web.asking import Question, ask
from assaymark.web.numbers import number_of
from assaymark.web.pages.drawing_on import draw_when_low
from assaymark.web.site import form, only, person_of, site_of


@only("lead")
async def count(request: Request) -> Response:
    """Count items without an answer for some days as "cannot tell", once the lead has seen the cost."""
    site, asked = site_of(request), await form(request)
    days = number_of(asked, "days")
    if days is None:
        raise InputError("Say for how many days the items have waited.")
    if asked.get("sure") != "yes":
        late = await asyncio.to_thread(overdue, site.project, days)
        if not late.items:
            raise InputError(f"No drawn item has been without an answer for {in_days(days)}.")
        return ask(request, _question(late))
    name = person_of(request).name
    await asyncio.to_thread(count_as_unclear, site.project, days, annotator=name)
    await site.runner.ask(Desk.catch_up)
    draw_when_low(site)  # what was held up can go on
    return RedirectResponse("/items?state=unclear", status_code=303)


def _question(late: Overdue) -> Question:
    return Question(
        title=f"Count {counted(len(late.items), 'item')} as cannot tell?",
        sentences=(late.cost, "It is recorded in your name."),
        action="/items/overdue",
        fields={"days": f"{late.days:g}", "sure": "yes"},
        yes="Count as cannot tell",
        back="/items?state=waiting#away",
    )
