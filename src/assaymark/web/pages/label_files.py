"""Labels in and out as files: the lead's, on the page of items."""

import asyncio
import re
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from assaymark.claims.results import counted
from assaymark.errors import InputError
from assaymark.files.formats.delimited import csv_text
from assaymark.files.spelling import label_names
from assaymark.files.tools import WRITERS
from assaymark.labelling.desk import Desk
from assaymark.labelling.recording import label_file
from assaymark.labelling.texts import Sources
from assaymark.project.users import checked_name
from assaymark.web.pages.drawing_on import draw_when_low
from assaymark.web.pages.items import ItemRow, listing
from assaymark.web.site import Site, file_response, only, person_of, refuse, site_of

EXPORTS = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}

ANSWERS = ("id", "label", "annotator", "note", "decision")


@only("lead")
async def labels(request: Request) -> Response:
    """Every answer as a table that `label` reads: id, label, annotator, note."""
    site = site_of(request)
    items = await site.runner.ask(listing)
    if items.hidden:
        return refuse(
            request, "The answers are handed out when the last label is there.", status=403
        )
    text = csv_text(ANSWERS, (row for one in items.rows for row in _answers(one, items.classes)))
    return file_response(text.encode(), EXPORTS["csv"], "labels.csv")


def _answers(row: ItemRow, classes: tuple[str, ...]) -> Iterator[dict[str, str | None]]:
    """A line for every answer to an item."""
    notes = dict(row.notes)
    decision = "" if row.decision is None else str(row.decision)
    for name, label in row.answers or ():
        answer = "?" if label is None else classes[label] if classes else str(label)
        line = (row.item, answer, name, notes.get(name, ""), decision)
        yield dict(zip(ANSWERS, line, strict=True))


@only("lead")
async def waiting(request: Request) -> Response:
    """The items that wait, with their texts, to be labelled elsewhere."""
    site, kind = site_of(request), request.path_params["form"]
    if kind not in EXPORTS:
        return refuse(request, "There is no such page.", status=404)
    open_items = await site.runner.ask(listing)
    items = [row.item for row in open_items.rows if row.state == "waiting"]
    if not items:
        return refuse(request, "No item is waiting.", status=404)
    text = await asyncio.to_thread(_written, site, open_items.sources, items, kind)
    return file_response(text, EXPORTS[kind], f"items.{kind}")


def _written(site: Site, sources: Sources, items: Iterable[str], kind: str) -> bytes:
    rows: list[dict[str, str | None]] = []
    columns: dict[str, None] = {}
    for item in items:
        fields = site.shelf.fields(sources, item)
        columns |= dict.fromkeys(name for name, _ in fields)
        rows.append({"id": item, **dict(fields)})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"items.{kind}"
        WRITERS.find("format", kind).write(path, rows, list(columns))
        return path.read_bytes()


def _plain(name: str) -> str:
    """The name as messages may repeat it, and as a file may be called."""
    return re.sub(r"[^\w -]", "_", name)[:60] or "labels"


@only("lead")
async def bring_in(request: Request) -> Response:
    """Labels of a file, all of them or none: the same step as the command line's."""
    site, query = site_of(request), request.query_params
    given = Path(query.get("name", "").replace("\\", "/"))
    ending = given.suffix.lower()
    if not ending or len(ending) > 12 or not ending[1:].isalnum():
        raise InputError("A file of labels has an ending such as .csv, .xlsx, .json or .ris.")
    annotator = checked_name(query.get("annotator") or person_of(request).name)
    text = await request.body()
    if not text:
        raise InputError("The file is empty.")
    correct, form = query.get("correct") == "yes", query.get("format") or "auto"
    names = label_names(id_column=query.get("id_column"), label_column=query.get("label_column"))

    def step() -> Any:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{_plain(given.stem)}{ending}"
            path.write_bytes(text)
            return label_file(
                site.project, path, annotator=annotator, form=form, names=names, correct=correct
            )

    done = await asyncio.to_thread(step)
    await site.runner.ask(Desk.catch_up)
    draw_when_low(site)
    parts = [
        f"{counted(done.recorded, 'label')} recorded",
        *([f"{done.skipped:,} cannot tell"] if done.skipped else []),
        *([f"{done.corrected:,} corrected"] if done.corrected else []),
        *([f"{done.unchanged:,} known before"] if done.unchanged else []),
        *([_left_out(done.not_drawn)] if done.not_drawn else []),
        *([f"{done.disputed:,} in conflict"] if done.disputed else []),
    ]
    return JSONResponse({"done": ", ".join(parts) + "."})


def _left_out(items: int) -> str:
    return f"{items:,} left out because {'it was' if items == 1 else 'they were'} not drawn"
