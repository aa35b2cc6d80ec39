"""The optional renderers: vl-convert for charts, typst for PDF; one sentence where one is missing."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from assaymark.errors import InputError

NOT_DRAWN = "This chart is not drawn, because its renderer is not installed: pip install 'assaymark[charts]'."


def can_draw() -> bool:
    """Whether the chart renderer is installed."""
    return find_spec("vl_convert") is not None


def chart_renderer() -> Any:
    """vl-convert, which draws charts; slow to load, and most commands draw nothing."""
    return _needed("vl_convert", "Drawing a chart", "vl-convert-python", "charts")


def typesetter() -> Any:
    """Typst, which sets PDF; slow to load."""
    return _needed("typst", "A report as PDF", "typst", "pdf")


def _needed(module: str, purpose: str, package: str, extra: str) -> Any:
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise InputError(
            f"{purpose} needs {package}, which is not installed. Install it with: "
            f"pip install 'assaymark[{extra}]'."
        ) from error
