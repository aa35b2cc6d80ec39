"""Any evaluation as JSON lines: one object per answer, with a verdict or a score."""

from pathlib import Path
from typing import Any

from assaymark.claims.canonical import read_json
from assaymark.errors import InputError
from assaymark.files.tool_output.rows import (
    Choices,
    ConvertedPool,
    Judged,
    as_text,
    column_name,
    id_of,
    judged_pool,
)
from assaymark.hints import option

IDS = ("id", "sample_id", "item_id", "custom_id", "uid")
VERDICTS = ("verdict", "passed", "pass", "correct", "success", "score")
EPOCHS = ("epoch", "run", "repeat", "trial")


def convert(path: Path, choices: Choices) -> ConvertedPool:
    """The answers with their verdicts; every other field is text to read."""
    records = _records(path)
    if not records:
        raise InputError(f"{path.name!r} holds no answer.")
    item = _field(path, records, choices.id, IDS, "an id", option("id"))
    verdict = _field(path, records, choices.verdict, VERDICTS, "a verdict", option("verdict"))
    remarks: list[str] = []
    records, epoch = _one_epoch(path, records, choices, remarks)
    hidden = {item, verdict, epoch}
    texts = [name for name in records[0][1] if name not in hidden]
    answers = [
        Judged(
            id=id_of(record.get(item), f"Line {number} of {path.name!r}"),
            value=record.get(verdict),
            texts={column_name(name): as_text(record.get(name)) for name in texts},
            where=f"line {number}",
        )
        for number, record in records
    ]
    return judged_pool(answers, choices, remarks)


Lines = list[tuple[int, dict[str, Any]]]


def _records(path: Path) -> Lines:
    records: Lines = []
    with path.open(encoding="utf-8-sig") as stream:
        for number, line in enumerate(stream, start=1):
            if not line.strip():
                continue
            try:
                record = read_json(line)
            except (ValueError, RecursionError) as error:
                raise InputError(f"Line {number} of {path.name!r} is not JSON: {error}.") from error
            if not isinstance(record, dict):
                raise InputError(f"Line {number} of {path.name!r} is not a JSON object.")
            records.append((number, record))
    return records


def _field(
    path: Path,
    records: Lines,
    named: str | None,
    usual: tuple[str, ...],
    what: str,
    asked: str,
) -> str:
    first = records[0][1]
    if named is not None:
        if named not in first:
            raise InputError(f"{path.name!r} has no field {named!r}. Fields: {', '.join(first)}.")
        return named
    field = next((name for name in usual if name in first), None)
    if field is None:
        raise InputError(
            f"No field of {path.name!r} is called like {what}. Say which with {asked}: {', '.join(first)}."
        )
    return field


def _one_epoch(
    path: Path, records: Lines, choices: Choices, remarks: list[str]
) -> tuple[Lines, str | None]:
    name = next((epoch_field for epoch_field in EPOCHS if epoch_field in records[0][1]), None)
    if name is None:
        return records, None
    epochs = {record.get(name) for _, record in records}
    if choices.epoch is None and len(epochs) > 1:
        raise InputError(
            f"{path.name!r} has {len(epochs)} values in {name!r}: answers to one question are not "
            f"independent items. Take one of them: {option('epoch', 1)}."
        )
    if choices.epoch is None:
        return records, name
    kept = [(number, one) for number, one in records if str(one.get(name)) == str(choices.epoch)]
    if not kept:
        raise InputError(f"{path.name!r} has no {name} {choices.epoch}.")
    remarks.append(f"{name} {choices.epoch} of {len(epochs)} was taken: one answer per item.")
    return kept, name
