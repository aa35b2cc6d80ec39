"""promptfoo: the results of an evaluation, as `promptfoo eval -o output.json` writes them."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

from assaymark.errors import InputError
from assaymark.files.tool_output.rows import (
    Choices,
    ConvertedPool,
    Judged,
    as_text,
    column_name,
    judged_pool,
    read_json,
    refuse_version,
)
from assaymark.hints import option

VERSIONS = (2, 3)
ERROR = 2  # the reason of a failure in which nothing was asserted


def convert(path: Path, choices: Choices) -> ConvertedPool:
    """The results of one prompt and provider, with pass or fail as the verdict."""
    log = read_json(path)
    inner = log.get("results") if isinstance(log, dict) else None
    if not isinstance(inner, dict) or not isinstance(inner.get("results"), list):
        raise InputError(f"{path.name!r} holds no results of promptfoo.")
    refuse_version(path, inner.get("version"), VERSIONS)
    remarks: list[str] = []
    results = _one_prompt(path, inner["results"], choices, remarks)
    results = _one_repeat(path, results, choices, remarks)
    return judged_pool([_judged(i, one) for i, one in enumerate(results)], choices, remarks)


def _one_prompt(
    path: Path, results: list[dict[str, Any]], choices: Choices, remarks: list[str]
) -> list[dict[str, Any]]:
    prompts = sorted({int(one.get("promptIdx", 0)) for one in results})
    if choices.prompt is None and len(prompts) > 1:
        raise InputError(
            f"{path.name!r} has {len(prompts)} prompts for the same tests. Each is a system of its own: take "
            f"one with {option('prompt')}, from {prompts[0]} to {prompts[-1]}."
        )
    wanted = prompts[0] if choices.prompt is None and prompts else choices.prompt
    if prompts and wanted not in prompts:
        raise InputError(f"{path.name!r} has no prompt {wanted}.")
    if len(prompts) > 1:
        remarks.append(f"Prompt {wanted} of {len(prompts)} was taken: one answer per test.")
    return [one for one in results if int(one.get("promptIdx", 0)) == wanted]


def _one_repeat(
    path: Path, results: list[dict[str, Any]], choices: Choices, remarks: list[str]
) -> list[dict[str, Any]]:
    """One run of every test: `--repeat` gives each run a number of its own, and the same variables."""
    runs: Counter[str] = Counter()
    numbered = []
    for one in sorted(results, key=lambda one: int(one.get("testIdx", 0))):
        question = json.dumps(one.get("vars") or {}, sort_keys=True)
        runs[question] += 1
        numbered.append((runs[question], one))
    most = max(runs.values(), default=1)
    if choices.epoch is None and most == 1:
        return results
    if choices.epoch is None:
        raise InputError(
            f"{path.name!r} has tests with the same variables up to {most} times, as repeated runs have: "
            f"answers to one question are not independent items. Take one of them: {option('epoch', 1)}."
        )
    kept = [one for number, one in numbered if number == choices.epoch]
    if not kept:
        raise InputError(f"{path.name!r} has no run {choices.epoch} of a test; it has {most}.")
    remarks.append(f"Run {choices.epoch} of up to {most} was taken: one answer per test.")
    return kept


def _judged(place: int, one: dict[str, Any]) -> Judged:
    grading = one.get("gradingResult") or {}
    value = grading.get("pass", one.get("success"))
    response = one.get("response") or {}
    if one.get("failureReason") == ERROR or (one.get("error") and response.get("output") is None):
        value = None  # no answer, so nothing was judged
    texts = {column_name(name): as_text(text) for name, text in (one.get("vars") or {}).items()}
    texts["answer"] = as_text(response.get("output"))
    name = one.get("testIdx", place)
    return Judged(id=f"test-{name}", value=value, texts=texts, where=f"test {name}")
