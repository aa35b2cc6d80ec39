"""Annotation events of Label Studio, as they come: each becomes a label, or is left out aloud."""

import asyncio
import json
import tempfile
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from assaymark.errors import InputError
from assaymark.labelling.desk import Desk
from assaymark.labelling.recording import Labelled, label_file
from assaymark.project.folder import Project
from assaymark.web.programs.access import program
from assaymark.web.programs.endpoints import counts
from assaymark.web.site import body, site_of

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
