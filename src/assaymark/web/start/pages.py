"""The start page: choose a project, or a table to begin one with; name its columns; begin."""

import asyncio
import math
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from assaymark.claims.ratio_metrics import metric
from assaymark.errors import AssaymarkError, ConflictError, EngineError, InputError, message_of
from assaymark.pool.preview import Finding, Table
from assaymark.project.class_names import with_classes
from assaymark.project.tables import sheet_name, sheets_beside
from assaymark.records.pool import Columns
from assaymark.web.display import visible
from assaymark.web.intake import ACCEPTED
from assaymark.web.numbers import cut_off_of, field_of
from assaymark.web.pieces import PIECE, piece_of
from assaymark.web.site import body, only, person_of, refuse
from assaymark.web.start.attaching import compared
from assaymark.web.start.beginning import Beginning, begin, columns_for
from assaymark.web.start.workspace import workspace_of
from assaymark.web.wording import for_page

MOST_TEXTS = 20
PLAIN = {"0", "1", "0.0", "1.0", "true", "false"}
METRICS = ("accuracy", "f1", "recall", "precision")


@only("lead", "annotator", "reader")
async def show(request: Request) -> Response:
    """Projects for everybody; tables and the upload for the lead."""
    here, person = workspace_of(request), person_of(request)
    tables = await asyncio.to_thread(here.uploads.tables) if person.leads else {}
    return here.page(
        request,
        "start.html",
        projects=await asyncio.to_thread(here.listed, person.role),
        tables=[visible(name) for name in list(tables)[:200]],
        piece=PIECE,
    )


@only("lead")
async def begin_upload(request: Request) -> Response:
    """A new upload: its id."""
    asked = await body(request)
    name, size = asked.get("name"), asked.get("size")
    if not isinstance(name, str) or not isinstance(size, int) or isinstance(size, bool):
        raise InputError("An upload needs the file's name and its size.")
    key = await asyncio.to_thread(workspace_of(request).uploads.begin, name, size)
    return JSONResponse({"upload": key})


@only("lead")
async def add_piece(request: Request) -> Response:
    """The next piece of an upload; the last one answers with the table's name."""
    key, at, piece = await piece_of(request)
    arrived, table = await asyncio.to_thread(workspace_of(request).uploads.add, key, at, piece)
    return JSONResponse({"arrived": arrived, "table": table})


@only("lead")
async def show_table(request: Request) -> Response:
    """The columns of a table and its first ten rows, to say which column is what."""
    here = workspace_of(request)
    name = request.query_params.get("name", "")

    def read() -> Any:
        with Table(path) as table:
            return table.preview()

    path = await asyncio.to_thread(here.uploads.readable, name)
    tables = await asyncio.to_thread(here.uploads.tables)
    try:
        preview = await asyncio.to_thread(read)
    except EngineError as error:  # the table's fault, not the server's
        return refuse(request, message_of(error), status=400)
    return here.page(
        request,
        "table.html",
        table=name,
        shown_table=visible(name),
        usual_title=visible(name).split(".", 1)[0].replace("-", " ").strip().capitalize(),
        rows=preview.rows,
        columns=[visible(column.name) for column in preview.columns],
        names=[column.name for column in preview.columns],
        first=[[visible(cell) for cell in row] for row in preview.first],
        guess=preview.guess,
        metrics=[(key, metric(key).title) for key in METRICS],
        piece=PIECE,
        accepted=ACCEPTED,
        others=[(other, visible(other)) for other in tables if other != name][:200],
        sheet=sheet_name(path.name),
        sheets=sheets_beside(tables, path.name),
    )


@only("lead")
async def check(request: Request) -> Response:
    """What is wrong with the table, for the columns as they are named now."""
    here, asked = workspace_of(request), await body(request)
    path = await asyncio.to_thread(here.uploads.readable, _text(asked, "table"))
    attachments = here.uploads.attachments(_text(asked, "table"))
    prediction = _text(asked, "prediction")
    values: list[str] = []
    names = False  # whether decisions are spelled by names, of two verdicts or of classes
    files: dict[str, Any] | None = None

    def read() -> list[dict[str, Any]]:
        nonlocal values, names, files
        with Table(path) as table:
            files = compared(table, _texts(asked), attachments)
            values = table.values(prediction) if prediction else []
            names = bool(prediction) and not {value.lower() for value in values} <= PLAIN
            names = names or bool(prediction and not values)
            columns = columns_for(_text(asked, "purpose"), _columns(asked))
            if asked.get("classes") is True and columns.prediction is not None:
                remarks = (*table.check(replace(columns, prediction=None)), _classes(path, columns))
            else:
                remarks = (*table.check(columns), *_blind(columns, asked))
        if _text(asked, "purpose") == "review":  # it merges records that are alike
            remarks = tuple(
                replace(one, level="careful") if one.level == "wrong" else one for one in remarks
            )
        return [asdict(replace(one, sentence=visible(one.sentence))) for one in remarks]

    try:
        findings, field = await asyncio.to_thread(read), None
    except (AssaymarkError, ValueError) as error:
        findings = [{"level": "wrong", "sentence": visible(for_page(message_of(error)))}]
        field = _field(error)
    reply = {"findings": findings, "values": values if names else [], "names": names}
    return JSONResponse({**reply, "field": field, "files": files})


def _classes(path: Path, columns: Columns) -> Finding:
    """The classes that are predicted; refused where the column holds none."""
    names = with_classes(str(path), columns, predicted_by=[columns.prediction or ""]).classes or ()
    shown = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
    return Finding(level="fine", sentence=f"{len(names):,} classes: {shown}.")


def _blind(columns: Columns, asked: dict[str, Any]) -> list[Finding]:
    """That nothing of the classifier is named, where that is what the question is about."""
    purpose = _text(asked, "purpose")
    if purpose == "triage" and columns.score is None:
        sentence = "Choose the score of the classifier: triage decides by it."
        return [Finding(level="wrong", sentence=sentence)]
    if columns.predicts or purpose not in ("prove", "estimate"):
        return []
    sentence = (
        "Choose the score of the classifier or its decision: without one it cannot be judged."
        if columns.score is None
        else "Say from which score on an item is predicted relevant (cut-off)."
    )
    return [Finding(level="wrong", sentence=sentence)]


def _field(error: Exception) -> str | None:
    return field_of(error) if isinstance(error, AssaymarkError) else None


@only("lead")
async def start(request: Request) -> Response:
    """Begin the project; where to go on. One at a time: it reads the whole table."""
    here, asked = workspace_of(request), await body(request)
    if here.beginning:
        raise ConflictError(
            "Another project is being made at this moment. Try again when it is there."
        )
    title = _text(asked, "title").strip()
    if not title:
        raise InputError("Give the project a name.")
    screened = _text(asked, "screened")
    here.beginning = True
    try:
        beginning = Beginning(
            table=await asyncio.to_thread(here.uploads.readable, _text(asked, "table")),
            title=title,
            columns=_columns(asked),
            classes=asked.get("classes") is True,
            purpose=_text(asked, "purpose"),
            asked=asked,
            attachments=here.uploads.attachments(_text(asked, "table")),
            screened=await asyncio.to_thread(here.uploads.table, screened) if screened else None,
        )
        name, page = await asyncio.to_thread(begin, here.folder, beginning)
    except EngineError as error:
        raise InputError(message_of(error)) from error
    finally:
        here.beginning = False
    return JSONResponse({"where": f"/p/{name}{page}"})


def _columns(asked: dict[str, Any]) -> Columns:
    groups = asked.get("groups") or []
    if not isinstance(groups, list) or not all(isinstance(name, str) for name in groups):
        raise InputError("'groups' must be a list of columns.")
    score, prediction = _text(asked, "score"), _text(asked, "prediction")
    threshold = cut_off_of(asked, "threshold") if score and not prediction else None
    if not _text(asked, "id"):
        raise InputError("Choose the column that holds the ids.")
    if threshold is not None and not math.isfinite(threshold):
        raise InputError("A cut-off is a number.")
    return Columns(
        id=_text(asked, "id"),
        score=score or None,
        prediction=prediction or None,
        threshold=threshold,
        text=_texts(asked),
        positive=_text(asked, "positive") or None if prediction else None,
        groups=tuple(groups) or None,
    )


def _texts(asked: dict[str, Any]) -> tuple[str, ...]:
    texts = asked.get("text") or []
    if not isinstance(texts, list) or not all(isinstance(name, str) for name in texts):
        raise InputError("'text' must be a list of columns.")
    if len(texts) > MOST_TEXTS:
        raise InputError(f"At most {MOST_TEXTS} columns can be shown to reviewers.")
    return tuple(texts)


def _text(asked: dict[str, Any], name: str) -> str:
    value = asked.get(name)
    if value is None:
        return ""
    if not isinstance(value, str) or len(value) > 1_000:
        raise InputError(f"'{name}' must be a short text.")
    return value
