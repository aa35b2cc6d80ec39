"""What triage writes and reads: thresholds, the routed pool, the yield plot."""

import json
from pathlib import Path
from typing import Any

from assaymark.claims.canonical import read_json
from assaymark.drawing.svg import svg
from assaymark.drawing.themes import FILE
from assaymark.errors import InputError, PlanError
from assaymark.files.places import KEPT, SHARED, refuse_existing, write_safely
from assaymark.hints import command, option
from assaymark.pool import Progress, silent
from assaymark.pool.scored import ScoreColumns
from assaymark.pool.sources import settle
from assaymark.reports.typesetter import png, typesetter
from assaymark.triaging.report import yield_chart
from assaymark.triaging.routing import Routed, route
from assaymark.triaging.stats.sample_size import labels_to_pass
from assaymark.triaging.triage import SizeForecast, Thresholds

PLOTS = (".svg", ".png")


def write_thresholds(path: Path, thresholds: Thresholds) -> None:
    """The thresholds as a JSON file; nothing is overwritten."""
    refuse_existing(path, because=KEPT)
    text = json.dumps(thresholds.to_dict(), ensure_ascii=False, indent=1, allow_nan=False)
    write_safely(path, text + "\n")


def read_thresholds(path: Path) -> Thresholds:
    """The thresholds of a file that assaymark triage wrote."""
    if not path.is_file():
        raise InputError(
            f"There is no file {str(path)!r}. Write one with: {command('triage', '…', output=path)}"
        )
    try:
        return Thresholds.from_dict(read_json(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError, AttributeError, KeyError) as error:
        raise InputError(
            f"{path.name!r} is no file of thresholds. Write one with: {command('triage', '…', output='FILE')}"
        ) from error


def route_pool(
    thresholds: Thresholds,
    *,
    pool: str,
    columns: ScoreColumns,
    folder: Path,
    engine: str = "duckdb",
    connection: object = None,
    progress: Progress = silent,
) -> Routed:
    """Part a pool by these thresholds; refused where they promise nothing and were not chosen so."""
    if not thresholds.certified and thresholds.rule != "empirical":
        raise PlanError(
            "These thresholds certify nothing, so everything would go to people. Label more items "
            f"and run {command('triage')} again, or choose {option('rule', 'empirical')}, which "
            "promises nothing."
        )
    return route(
        settle(pool, engine),
        columns,
        thresholds.cutoffs,
        folder,
        engine=engine,
        connection=connection,
        progress=progress,
    )


def write_plot(path: Path, result: dict[str, Any]) -> None:
    """The yield plot as .svg or .png."""
    refuse_existing(path, because=KEPT)
    refuse_plot(path)
    chart = yield_chart(result)
    if path.suffix == ".png":
        path.write_bytes(png(chart.figure))
    else:
        drawn = svg(chart.figure, theme=FILE, title=chart.title, about=chart.caption)
        write_safely(path, drawn, mode=SHARED)


def refuse_plot(path: Path) -> None:
    """Refuse a plot whose name ends in something that is not a form of plot."""
    if path.suffix not in PLOTS:
        raise InputError(f"A plot is written as {' or '.join(PLOTS)}, got {path.name!r}.")
    if path.suffix == ".png":
        typesetter()  # refuses where it is missing


def size(*, target: float, expected: float, delta: float, power: float) -> SizeForecast:
    """How many labels of automated items a certificate will need."""
    return labels_to_pass(expected, target=target, delta=delta, power=power)
