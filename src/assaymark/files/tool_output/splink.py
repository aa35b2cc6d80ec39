"""Splink: predictions as a pool of pairs, each with both records side by side."""

from pathlib import Path

from assaymark.errors import InputError
from assaymark.files.tool_output.rows import Choices, ConvertedPool
from assaymark.hints import option
from assaymark.pool.scored import ScoreColumns, ScoreFile
from assaymark.pool.sources import named, quoted

SCORE = "match_probability"
KEYS = ("unique_id", "source_dataset")


def convert(path: Path, choices: Choices) -> ConvertedPool:
    """One row per pair: an id, the match probability, and both records as one JSON text."""
    with ScoreFile(str(path), ScoreColumns(score=SCORE), what="predictions") as file:
        fields = _fields(path, tuple(file.types))
        key = choices.id or "unique_id"
        if f"{key}_l" not in file.types:
            raise InputError(
                f"{path.name!r} has no columns {key}_l and {key}_r. Say {option('id', 'NAME')}."
            )
        file.refuse_bad_scores()
        sides = [_record(fields, side) for side in ("l", "r")]
        rows = file.rows(
            f"SELECT {_pair_id(file.types, key)}, {file.score}, "
            f"to_json({{'left': {sides[0]}, 'right': {sides[1]}}}) FROM {file.reader}"
        )
    return ConvertedPool(
        rows=tuple({"id": i, SCORE: score, "pair": str(pair)} for i, score, pair in rows),
        score=SCORE,
        text=("pair",),
        remarks=(f"Fields side by side: {', '.join(fields)}.",),
    )


def _fields(path: Path, columns: tuple[str, ...]) -> list[str]:
    """What both records have: columns with the endings _l and _r, without comparison levels."""
    both = [name[:-2] for name in columns if name.endswith("_l") and f"{name[:-2]}_r" in columns]
    fields = [name for name in both if name not in KEYS and not name.startswith(("tf_", "bf_"))]
    if not fields:
        raise InputError(
            f"{path.name!r} has no columns of both records (such as first_name_l and first_name_r). Let "
            "Splink keep them: retain_matching_columns, additional_columns_to_retain."
        )
    return fields


def _record(fields: list[str], side: str) -> str:
    parts = (f"{quoted(name)}: CAST({named(f'{name}_{side}')} AS VARCHAR)" for name in fields)
    return f"{{{', '.join(parts)}}}"


def _pair_id(types: dict[str, str], key: str) -> str:
    names = [f"{key}_l", f"{key}_r"]
    if "source_dataset_l" in types:
        names = ["source_dataset_l", f"{key}_l", "source_dataset_r", f"{key}_r"]
    return " || '|' || ".join(f"CAST({named(name)} AS VARCHAR)" for name in names)
