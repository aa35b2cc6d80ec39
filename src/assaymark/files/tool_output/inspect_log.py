"""Inspect: logs of evaluations, as JSON or as .eval archives."""

import json
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

from assaymark.errors import InputError
from assaymark.files.tool_output.rows import (
    Choices,
    ConvertedPool,
    Judged,
    as_text,
    id_of,
    judged_pool,
    read_json,
    refuse_version,
)
from assaymark.hints import option

VERSIONS = (1, 2)
LARGEST = 2_000_000_000  # bytes that an archive may unpack to

FREELY, DENSEST = 50_000_000, 100
"""An archive may unpack to this many bytes, and beyond that to no more than this many times its own size."""


def convert(path: Path, choices: Choices) -> ConvertedPool:
    """The samples of a log with the verdict of one scorer."""
    header, samples = _archive(path) if zipfile.is_zipfile(path) else _plain(path)
    refuse_version(path, header.get("version", 1), VERSIONS)
    remarks: list[str] = []
    if (header.get("status") or "success") != "success":
        remarks.append(f"The log says that the run ended with {header['status']!r}.")
    samples = _one_epoch(path, samples, choices, remarks)
    scorer = _scorer(path, samples, choices)
    return judged_pool([_judged(one, scorer) for one in samples], choices, remarks)


def _plain(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    log = read_json(path)
    if not isinstance(log, dict) or not isinstance(log.get("samples"), list):
        raise InputError(f"{path.name!r} holds no samples. Write the log with its samples.")
    return log, log["samples"]


def _archive(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(member.file_size for member in archive.infolist())
            packed = sum(member.compress_size for member in archive.infolist())
            if size > LARGEST or size > FREELY + DENSEST * packed:
                raise ValueError(f"its {packed:,} bytes unpack to {size:,}")
            names = archive.namelist()
            header = json.loads(archive.read("header.json")) if "header.json" in names else {}
            inside = sorted(name for name in names if name.startswith("samples/"))
            samples = [json.loads(archive.read(name)) for name in inside]
    # RuntimeError: encrypted, or packed in a way that Python's zipfile does not know
    except (RuntimeError, zipfile.BadZipFile, ValueError, KeyError) as error:
        raise InputError(
            f"The archive {path.name!r} cannot be read ({error}). Write the log as JSON: inspect log "
            "convert --to json."
        ) from error
    return header, samples


def _one_epoch(
    path: Path, samples: list[dict[str, Any]], choices: Choices, remarks: list[str]
) -> list[dict[str, Any]]:
    epochs = sorted({int(one.get("epoch", 1)) for one in samples})
    if choices.epoch is not None:
        if choices.epoch not in epochs:
            listed = ", ".join(map(str, epochs))
            raise InputError(f"{path.name!r} has no epoch {choices.epoch}; it has {listed}.")
        remarks.append(f"Epoch {choices.epoch} of {len(epochs)} was taken: one answer per item.")
        return [one for one in samples if one.get("epoch", 1) == choices.epoch]
    if len(epochs) > 1:
        raise InputError(
            f"{path.name!r} has {len(epochs)} epochs: every item is there {len(epochs)} times, and answers "
            f"to one question are not independent items. Take one of them: {option('epoch', 1)}."
        )
    return samples


def _scorer(path: Path, samples: list[dict[str, Any]], choices: Choices) -> str:
    names = Counter(name for one in samples for name in (one.get("scores") or {}))
    if choices.scorer is not None and choices.scorer in names:
        return choices.scorer
    listed = ", ".join(sorted(names)) or "none"
    if choices.scorer is not None:
        raise InputError(
            f"{path.name!r} has no scorer {choices.scorer!r}. Scorers in it: {listed}."
        )
    if len(names) != 1:
        raise InputError(
            f"{path.name!r} has {len(names)} scorers ({listed}). Say which with {option('scorer')}."
        )
    return str(next(iter(names)))


def _judged(one: dict[str, Any], scorer: str) -> Judged:
    score = (one.get("scores") or {}).get(scorer)
    value = score.get("value") if isinstance(score, dict) else score
    messages = one.get("messages") or one.get("input")
    texts = {"transcript": as_text(messages)}
    if not one.get("messages"):
        texts["answer"] = _completion(one)
    texts["target"] = as_text(one.get("target"))
    name = id_of(one.get("id"), "A sample of the log")
    return Judged(id=name, value=value, texts=texts, where=f"sample {name}")


def _completion(one: dict[str, Any]) -> str:
    output = one.get("output") or {}
    choices = output.get("choices") or [{}]
    return as_text((choices[0].get("message") or {}).get("content", output.get("completion")))
