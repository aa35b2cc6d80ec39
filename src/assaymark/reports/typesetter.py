"""Typst, which sets PDF and turns drawings into PNG: optional, one sentence where it is missing."""

import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

from assaymark.drawing.marks import Figure
from assaymark.drawing.svg import svg
from assaymark.drawing.themes import PAPER
from assaymark.errors import InputError

PAGE = '#set page(width: auto, height: auto, margin: 10pt)\n#image("figure.svg")\n'


def typesetter() -> Any:
    """The module `typst`; slow to load, and most commands typeset nothing."""
    try:
        return import_module("typst")
    except ModuleNotFoundError as error:
        raise InputError(
            "PDF and PNG need typst, which is not installed. Install it with: "
            "pip install 'assaymark[pdf]', or write HTML or SVG."
        ) from error


def png(figure: Figure) -> bytes:
    """The figure as a PNG of twice its size."""
    typst = typesetter()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "figure.typ"
        source.write_text(PAGE, encoding="utf-8")
        source.with_suffix(".svg").write_text(svg(figure, theme=PAPER), encoding="utf-8")
        made = typst.compile(source, format="png", ignore_system_fonts=True, ppi=192)
    first: bytes = made[0] if isinstance(made, list) else made
    return first
