"""What programs can do: see where things stand, fetch items, send labels, draw, look."""

import asyncio
import json
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from assaymark.claims.record import plain
from assaymark.errors import InputError
from assaymark.files.labels import LabelRow
from assaymark.labelling.blocking import NEW_ITEMS, blocking_items
from assaymark.labelling.desk import Desk
from assaymark.labelling.recording import Labelled, label, label_file
from assaymark.labelling.texts import text_sources
from assaymark.overview.recorded import latest_on_record, subject_of
from assaymark.project.folder import Project
from assaymark.web.pages.drawing_on import draw_next
from assaymark.web.programs.access import limited, program, program_now
from assaymark.web.programs.description import openapi
from assaymark.web.site import body, site_of

MOST_ITEMS = 500
MOST_LABELS = 10_000


async def describe(request: Request) -> Response:
    """The interface as OpenAPI 3.1; it holds nothing of the project."""
    return JSONResponse(openapi(site_of(request).root))


def _status(desk: Desk) -> dict[str, Any]:
    desk.catch_up()
    return {
        **plain(latest_on_record(desk.state)),
        "waiting": len(desk.queue.waiting),
        "unread": desk.queue.unread(desk.state),
        "conflicts": len(desk.queue.disputed),
        "labelled": len(desk.queue.begun),
        "event": desk.state.head.seq if desk.state.head else 0,
    }


@program("read")
async def status(request: Request) -> Response:
    """Where the plan stands by what is recorded; no look is taken."""
    return JSONResponse(await site_of(request).runner.ask(_status))


@program("label")
async def items(request: Request) -> Response:
    """Items that wait for a label, with their texts; never a score, a prediction or a label."""
    site = site_of(request)
    most = limited(request.query_params.get("limit"), MOST_ITEMS, 100)

    def waiting(desk: Desk) -> tuple[list[str], Any]:
        desk.catch_up()
        assigned = desk.queue.assigned
        return [i for i in desk.queue.waiting if i not in assigned][:most], text_sources(desk.state)

    open_items, sources = await site.runner.ask(waiting)
    await asyncio.to_thread(site.shelf.fetch, sources, open_items)
    rows = [{"id": item, "fields": dict(site.shelf.fields(sources, item))} for item in open_items]
    return JSONResponse({"items": rows})


@program("label")
async def labels(request: Request) -> Response:
    """Record labels, all of them or none."""
    site, asked = site_of(request), await body(request)
    entries = asked.get("labels")
    if not isinstance(entries, list) or not entries or len(entries) > MOST_LABELS:
        raise InputError(f"'labels' must be a list of 1 to {MOST_LABELS:,} labels.")
    classes = await site.runner.ask(lambda desk: desk.state.classes)
    usual = program_now(request).name
    rows = [_row(one, place, usual, classes) for place, one in enumerate(entries)]
    correct = asked.get("correct") is True
    done = await asyncio.to_thread(partial(label, site.project, rows, correct=correct))
    await site.runner.ask(Desk.catch_up)
    return JSONResponse(counts(done))


def counts(done: Labelled) -> dict[str, Any]:
    """What became of labels."""
    names = ("recorded", "skipped", "corrected", "unchanged", "not_drawn", "disputed")
    return {name: getattr(done, name) for name in names}


def _row(one: Any, place: int, usual: str, classes: tuple[str, ...]) -> LabelRow:
    if not isinstance(one, dict) or not isinstance(one.get("id"), str) or not one["id"]:
        raise InputError(f"Label {place + 1} needs an id.")
    name = one.get("annotator", usual)
    if not isinstance(name, str) or not name.strip() or len(name) > 64 or not name.isprintable():
        raise InputError(f"Label {place + 1} needs the name of who gave it.")
    return LabelRow(item=one["id"], label=_value(one.get("label"), place, classes), annotator=name)


def _value(value: Any, place: int, classes: tuple[str, ...]) -> int | None:
    if value is None:
        return None
    if classes and isinstance(value, str) and value in classes:
        return classes.index(value)
    if not classes and not isinstance(value, bool) and value in (0, 1):
        return int(value)
    known = ", ".join(classes[:10]) if classes else "1, 0"
    raise InputError(f"Label {place + 1} must be one of {known} or null, got {str(value)[:40]!r}.")


@program("lead")
async def draw(request: Request) -> Response:
    """Draw the next items of the plan, with a warning where earlier items keep them from counting."""
    site, asked = site_of(request), await body(request)
    count = asked.get("count")
    if count is not None and (not isinstance(count, int) or isinstance(count, bool)):
        raise InputError("'count' must be a whole number.")
    await site.runner.ask(Desk.catch_up)
    blocking = await site.runner.ask(lambda desk: blocking_items(desk.state))
    warning = None if blocking is None else f"{blocking.sentence} {NEW_ITEMS}"
    return JSONResponse({"drawn": await draw_next(site, count), "warning": warning})


@program("lead")
async def look(request: Request) -> Response:
    """The verdict of now. It is a look, and is recorded if labels changed."""
    site = site_of(request)
    dossier = await asyncio.to_thread(site.watch.look)
    await site.runner.ask(Desk.catch_up)
    subject = await site.runner.ask(lambda desk: subject_of(desk.state))
    return JSONResponse(
        {
            "tone": dossier.answer.tone,
            "sentence": str(dossier.answer),
            "claim": dossier.claim_text or (subject and subject.claim),
            "point": dossier.point,
            "bound": dossier.bound,
            "confidence": dossier.confidence or (subject and subject.confidence),
        }
    )


CREATED, UPDATED = "ANNOTATION_CREATED", "ANNOTATION_UPDATED"


@program("label")
async def label_studio(request: Request) -> Response:
    """One event: a created or updated annotation is recorded; other events are acknowledged."""
    site, asked = site_of(request), await body(request)
    action = asked.get("action")
    if action not in (CREATED, UPDATED):
        return JSONResponse(
            {"recorded": 0, "ignored": f"action {str(action)[:40]!r} holds no label"}
        )
    task, annotation = asked.get("task"), asked.get("annotation")
    if not isinstance(task, dict) or not isinstance(annotation, dict):
        raise InputError("An annotation event holds the task and the annotation. Send the payload.")
    text = json.dumps([{**task, "annotations": [annotation]}]).encode()
    done = await asyncio.to_thread(record_export, site.project, text, correct=action == UPDATED)
    await site.runner.ask(Desk.catch_up)
    return JSONResponse(counts(done))


def record_export(project: Project, text: bytes, *, correct: bool) -> Labelled:
    """Record the annotations of tasks, by the reader of Label Studio's own exports."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tasks.json"
        path.write_bytes(text)
        asked: dict[str, Any] = {"annotator": "Label Studio", "form": "label-studio"}
        return label_file(project, path, correct=correct, **asked)
