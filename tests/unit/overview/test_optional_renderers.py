"""The base install draws every chart; without typst one sentence says what PDF and PNG need."""

import sys
import tomllib
from pathlib import Path

import pytest

from assaymark.drawing.marks import Line, Plot, figure
from assaymark.drawing.scales import Axis
from assaymark.drawing.svg import svg
from assaymark.errors import InputError
from assaymark.reports.typesetter import png, typesetter

FIGURE = figure(Plot(x=Axis(), y=Axis(), marks=(Line(points=((0, 0), (1, 1))),)))


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with the base install alone."""
    for name in ("vl_convert", "altair", "typst"):
        monkeypatch.setitem(sys.modules, name, None)  # an import of it now fails


def test_a_chart_is_drawn_by_the_base_install(bare: None) -> None:
    assert svg(FIGURE).startswith("<svg")


@pytest.mark.parametrize("use", [typesetter, lambda: png(FIGURE)])
def test_pdf_and_png_name_their_extra(bare: None, use) -> None:
    with pytest.raises(InputError, match=r"^PDF and PNG need typst.*'assaymark\[pdf\]', or write"):
        use()


def test_the_base_install_names_no_renderer() -> None:
    """What a plain `pip install assaymark` brings."""
    text = (Path(__file__).parents[3] / "pyproject.toml").read_text(encoding="utf-8")
    needed = " ".join(tomllib.loads(text)["project"]["dependencies"])
    assert not [name for name in ("typst", "vl-convert", "altair") if name in needed]
