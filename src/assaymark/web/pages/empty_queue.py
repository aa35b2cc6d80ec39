"""What the labelling page says to somebody who has nothing to label: where the work stands, truly.

Reviewers learn nothing of the verdict: who knows that a claim is nearly proven labels otherwise.
"""

from dataclasses import dataclass
from typing import Any

from assaymark.claims.results import counted
from assaymark.labelling.desk import Desk
from assaymark.ledger.events import training_of
from assaymark.web.access.sessions import Person
from assaymark.web.pages.drawing_on import established

COMING = "The first items are being drawn. This page goes on by itself when they are there."


@dataclass(frozen=True, kw_only=True)
class Standing:
    """A headline, a sentence, and for the lead the page on which to go on."""

    title: str
    text: str
    where: str = ""
    go: str = ""


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """Whether the page draws by itself, and why it could not when it last tried."""

    automatic: bool
    trouble: str = ""


def standing(desk: Desk, person: Person, drawing: Drawing) -> dict[str, Any]:
    """What to tell somebody who has, or soon will have, nothing to label."""
    reply = _for_lead if person.leads else _for_reviewer
    now = reply(desk, person, drawing)
    stop = person.leads and established(desk) and bool(desk.queue.waiting)
    return {
        "title": now.title,
        "text": now.text,
        "where": now.where,
        "go": now.go,
        "mine": bool(desk.history.get(person.name)),
        "hint": "Enough is known: you can stop here. What is left is not needed for the claim."
        if stop
        else "",
    }


def _for_reviewer(desk: Desk, person: Person, drawing: Drawing) -> Standing:
    on = "This page goes on by itself when there is more."
    if _nothing_begun(desk):
        planned = desk.state.attempt is not None or bool(desk.state.surveys)
        coming = planned and drawing.automatic and not drawing.trouble
        text = COMING if coming else f"The lead has not drawn items yet. {on}"
        return Standing(title="Nothing to label yet", text=text)
    if _closed(desk):
        return Standing(title="The work is done", text="No more labels are needed. Thank you.")
    left = _left(desk, person)
    if left is not None:
        return Standing(title=left[0], text=f"{left[1]} {on}")
    return Standing(
        title="All items are labelled",
        text=f"Nothing is waiting for you, and you can stop here. {on}",
    )


def _for_lead(desk: Desk, person: Person, drawing: Drawing) -> Standing:
    state, attempt = desk.state, desk.state.attempt
    if attempt is None and not state.surveys and not state.reviews:
        return Standing(
            title="Nothing to label yet",
            text="No plan is sealed.",
            where="/plan",
            go="Plan a claim",
        )
    if _closed(desk):
        done = attempt is not None and attempt.outcome == "certified"
        text = "The claim is certified." if done else "The plan is closed."
        return Standing(title="The work is done", text=text, where="/read", go="Result")
    if established(desk):
        return Standing(
            title="Enough is known",
            text="No more labels are needed for what can be certified now.",
            where="/watch",
            go="Progress",
        )
    if _nothing_begun(desk):
        sealed = f"The plan is sealed, and no items are drawn. {drawing.trouble}".rstrip()
        return Standing(
            title="Nothing to label yet",
            text=COMING if drawing.automatic and not drawing.trouble else sealed,
            where="/watch",
            go="Draw the first items",
        )
    if desk.queue.disputed:
        waiting = counted(len(desk.queue.disputed), "item")
        return Standing(
            title="Conflicts wait for a decision",
            text=f"Reviewers differ about {waiting}, and what was drawn later does not count before.",
            where="/decide",
            go="Conflicts",
        )
    left = _left(desk, person)
    if left is not None:
        twice = " Invite somebody, or have fewer items read twice." if left[2] else ""
        return Standing(title=left[0], text=left[1] + twice, where="/plan#page", go="Plan")
    text = "See what is proven by now, or draw more items."
    if attempt is None and training_of(state) is not None:
        text = "Let the classifier learn from them on the next page, and see what is advised."
    elif attempt is None and not any(one.survey.purpose == "claim" for one in state.surveys):
        text = "See on the next page what they say."
    return Standing(title="All items are labelled", text=text, where="/watch", go="Progress")


def _left(desk: Desk, person: Person) -> tuple[str, str, bool] | None:
    """What is still to be read, and why not by this person; whether it wants a second reviewer."""
    waiting = len(desk.queue.waiting)
    mine = desk.queue.answered_by(desk.state, person.name)
    if not waiting:
        return None
    if mine == waiting:
        verb = "waits" if mine == 1 else "wait"
        text = f"{counted(mine, 'item')} that you labelled {verb} for a second reviewer."
        return "You have read everything", text, True
    elsewhere = counted(waiting - mine, "item")
    return (
        "Nothing for you right now",
        f"{elsewhere} {'is' if waiting - mine == 1 else 'are'} open on another reviewer's screen.",
        False,
    )


def _nothing_begun(desk: Desk) -> bool:
    """Whether there was never anything to label."""
    attempt = desk.state.attempt
    drawn = attempt is not None and bool(attempt.draws)
    surveyed = any(work.order for work in desk.state.surveys)
    return not drawn and not surveyed and not desk.state.reviews


def _closed(desk: Desk) -> bool:
    attempt = desk.state.attempt
    return attempt is not None and not attempt.open and not desk.queue.waiting
