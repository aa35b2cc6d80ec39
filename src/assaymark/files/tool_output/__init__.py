"""What other tools wrote, as rows of a pool: judges' logs, pairs of records, alerts of rules.

Each format is a function from a file and the choices of the user to a `ConvertedPool`.
"""

from collections.abc import Callable
from pathlib import Path

from assaymark.claims.checks import choice
from assaymark.errors import InputError
from assaymark.files.tool_output import alerts, eval_jsonl, inspect_log, promptfoo, sarif, splink
from assaymark.files.tool_output.rows import Choices, ConvertedPool
from assaymark.hints import option

Convert = Callable[[Path, Choices], ConvertedPool]
FORMATS: dict[str, tuple[str, Convert]] = {
    "inspect": ("Inspect's log of an evaluation, .json or .eval", inspect_log.convert),
    "promptfoo": ("promptfoo's output.json", promptfoo.convert),
    "eval-jsonl": ("one JSON object per answer, with a verdict or a score", eval_jsonl.convert),
    "splink": ("Splink's predictions: pairs of records, .parquet or .csv", splink.convert),
    "sarif": ("alerts of detection rules, SARIF 2.1.0", sarif.convert),
    "alerts": ("alerts of detection rules, .csv with a column for the rule", alerts.convert),
}
ENDINGS = {".eval": "inspect", ".sarif": "sarif", ".jsonl": "eval-jsonl", ".ndjson": "eval-jsonl"}


def convert(path: Path, form: str, choices: Choices) -> ConvertedPool:
    """The rows of a pool from this file."""
    if not path.is_file():
        raise InputError(f"There is no file {str(path)!r}.")
    name = find_format(path) if form == "auto" else choice("format", form, (*FORMATS, "auto"))
    what, read = FORMATS[name]
    try:
        return read(path, choices)
    except InputError:
        raise
    except (AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
        # values of another kind than the tool writes: nothing of such a file is taken
        raise InputError(
            f"{path.name!r} is not {what}, or is damaged: a value is of another kind than there."
        ) from error


def find_format(path: Path) -> str:
    """The format of a file, by its ending and what it begins with."""
    if path.suffix.lower() in ENDINGS:
        return ENDINGS[path.suffix.lower()]
    with path.open("rb") as stream:
        head = stream.read(100_000)
    for mark, name in (
        (b"unique_id_l", "splink"),
        (b'"evalId"', "promptfoo"),
        (b"sarif", "sarif"),
        (b'"samples"', "inspect"),
        (b'"eval"', "inspect"),
        (b'"runs"', "sarif"),
    ):
        if mark in head:
            return name
    if path.suffix.lower() == ".parquet":
        return "splink"
    raise InputError(
        f"{path.name!r} could be anything. Say what wrote it with {option('from')}: {', '.join(FORMATS)}."
    )
