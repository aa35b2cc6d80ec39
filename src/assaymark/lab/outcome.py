"""What an experiment leaves behind: tables as JSON and CSV, figures as Vega-Lite, SVG and PNG."""

import csv
import json
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from assaymark.errors import InputError


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """Tables (rows of plain values), figures (Vega-Lite), and what they say in sentences."""

    name: str
    tables: dict[str, list[dict[str, Any]]]
    sentences: tuple[str, ...]
    figures: dict[str, dict[str, Any]] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Written:
    """Which files were written; `missing` says why there are no figures, if there are none."""

    files: tuple[str, ...]
    missing: str | None = None


def write_outcome(outcome: Outcome, folder: Path) -> Written:
    """Write every table and, where the drawing library is installed, every figure."""
    folder.mkdir(parents=True, exist_ok=True)
    files = [_write_json(outcome, folder)]
    for name, rows in outcome.tables.items():
        path = folder / f"{outcome.name}-{name}.csv"
        with path.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.DictWriter(stream, list(rows[0]) if rows else [])
            writer.writeheader()
            writer.writerows(rows)
        files.append(path)
    try:
        for name, spec in outcome.figures.items():
            files += draw(spec, folder / f"{outcome.name}-{name}")
    except InputError as error:
        return Written(files=tuple(map(str, files)), missing=str(error))
    return Written(files=tuple(map(str, files)))


def _write_json(outcome: Outcome, folder: Path) -> Path:
    path = folder / f"{outcome.name}.json"
    body = {"experiment": outcome.name, "settings": outcome.settings, **outcome.tables}
    path.write_text(
        json.dumps(body, indent=1, ensure_ascii=False, allow_nan=False), encoding="utf-8"
    )
    return path


def draw(spec: dict[str, Any], stem: Path) -> list[Path]:
    """The figure as Vega-Lite, SVG and PNG; checked by altair first."""
    altair = extra("altair", to="draw figures")
    vl_convert = extra("vl_convert", to="draw figures")
    checked = altair.Chart.from_dict(spec).to_json()
    written = {
        ".vl.json": checked,
        ".svg": vl_convert.vegalite_to_svg(checked),
    }
    for suffix, text in written.items():
        Path(f"{stem}{suffix}").write_text(text, encoding="utf-8")
    Path(f"{stem}.png").write_bytes(vl_convert.vegalite_to_png(checked, scale=2))
    return [Path(f"{stem}{suffix}") for suffix in (*written, ".png")]


def extra(module: str, *, to: str) -> Any:
    """The module, or the sentence that says what it is for and how to get it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise InputError(
            f"To {to} the lab needs {module.split('.')[0]}, which is not installed. "
            "Install it with: pip install 'assaymark[lab]'."
        ) from error
