"""Label Studio: a JSON list of tasks in, its JSON (or JSON-MIN) export out."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from assaymark.claims.canonical import read_json
from assaymark.errors import InputError
from assaymark.files.answers import ITEM, Answer, cell_text
from assaymark.files.decoding import Glimpse, read_text
from assaymark.files.formats.jsonl import first_object, object_answer
from assaymark.files.places import BatchRow, write_safely
from assaymark.files.spelling import Names

CONTROL = "label"


def fits(glimpse: Glimpse) -> bool:
    """Whether this is a JSON list, or a task by itself."""
    if glimpse.text.startswith("["):
        return True
    return bool({"annotations", "completions"} & set(first_object(glimpse) or ()))


def read(path: Path, _names: Names) -> Iterator[Answer]:
    """An answer for every annotation of every task. Predictions and drafts are not answers."""
    for number, task in enumerate(_tasks(path), start=1):
        place = f"task {number}"
        if not isinstance(task, dict):
            yield Answer(place=place, fault="it is not a JSON object")
        elif "data" in task or "annotations" in task:
            yield from _task_answers(task, place)
        else:
            yield _flat_answer(task, place)


def _tasks(path: Path) -> list[Any]:
    try:
        tasks = read_json(read_text(path))
    except (ValueError, RecursionError) as error:
        raise InputError(f"The label file {path.name!r} is not JSON: {error}.") from error
    return tasks if isinstance(tasks, list) else [tasks]


def _task_answers(task: dict[str, Any], place: str) -> Iterator[Answer]:
    data = task.get("data")
    data = data if isinstance(data, dict) else {}
    annotations = task.get("annotations", task.get("completions")) or []
    if not isinstance(annotations, list) or not all(isinstance(a, dict) for a in annotations):
        yield Answer(place=place, fault="its annotations are not a list of objects")
        return
    try:
        item = cell_text(data.get(ITEM, data.get("id")))
    except InputError as error:
        yield Answer(place=place, fault=str(error))
        return
    if not item and annotations:
        yield Answer(place=place, fault=f"its data has no '{ITEM}', so nobody knows the item")
        return
    if not annotations:
        yield Answer(place=place, item=item)
    for annotation in annotations:
        yield _annotation_answer(annotation, item, place)


def _annotation_answer(annotation: dict[str, Any], item: str, place: str) -> Answer:
    try:
        return Answer(
            place=place,
            item=item,
            label=_choice(annotation),
            annotator=_annotator(annotation.get("completed_by")),
            time=cell_text(annotation.get("updated_at") or annotation.get("created_at")),
            seconds=_seconds(annotation.get("lead_time")),
        )
    except InputError as error:
        return Answer(place=place, fault=str(error))


def _choice(annotation: dict[str, Any]) -> str:
    if annotation.get("was_cancelled") or annotation.get("skipped"):
        return "?"
    chosen: dict[str, list[Any]] = {}
    for part in annotation.get("result") or []:
        value = part.get("value") if isinstance(part, dict) else None
        if isinstance(value, dict) and "choices" in value:
            choices = value["choices"]
            chosen[str(part.get("from_name"))] = choices if isinstance(choices, list) else [choices]
    if len(chosen) > 1 and CONTROL in chosen:
        chosen = {CONTROL: chosen[CONTROL]}
    if len(chosen) > 1:
        raise InputError(
            f"it answers several questions ({', '.join(sorted(chosen))}), and none is named '{CONTROL}'"
        )
    return _only(next(iter(chosen.values()), []))


def _only(choices: list[Any]) -> str:
    if len(choices) > 1:
        raise InputError(f"it chooses {len(choices)} labels: {', '.join(map(str, choices))}")
    return cell_text(choices[0]) if choices else ""


def _seconds(value: Any) -> float | None:
    usable = isinstance(value, int | float) and 0 <= value < float("inf")
    return float(value) if usable and not isinstance(value, bool) else None


def _annotator(value: Any) -> str:
    """The annotator's address, or their number, as Label Studio's own exports name them."""
    if isinstance(value, dict):
        value = value.get("email") or value.get("id")
    return cell_text(value)


def _flat_answer(record: dict[str, Any], place: str) -> Answer:
    """A task of the JSON-MIN export, in which the tool's own number is called id."""
    if ITEM not in record and "annotation_id" in record:
        return Answer(place=place, fault=f"it has no '{ITEM}', so nobody knows the item")
    label, stamp = record.get(CONTROL), record.get("updated_at")
    if record.get("annotation_id") and CONTROL not in record:
        fault = f"it has no '{CONTROL}'; name the question so, or export as JSON"
        return Answer(place=place, fault=fault)
    if isinstance(label, dict):
        label = label.get("choices")
    if isinstance(label, list):
        try:
            label = _only(label)
        except InputError as error:
            return Answer(place=place, fault=str(error))
    return object_answer({**record, "label": label, "time": stamp or record.get("time")}, place)


def write(path: Path, rows: Sequence[BatchRow], columns: Sequence[str]) -> None:
    """A list of tasks whose data are the item's id and its texts."""
    if ITEM in columns:
        raise InputError(f"A text column cannot be called '{ITEM}' here: the id is called so.")
    tasks = [
        {"data": {ITEM: row["id"], **{name: row.get(name) or "" for name in columns}}}
        for row in rows
    ]
    lines = (json.dumps(task, ensure_ascii=False) for task in tasks)
    write_safely(path, "[\n" + ",\n".join(lines) + "\n]\n")
