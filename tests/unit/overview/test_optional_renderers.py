"""Without the optional renderers everything works but the pictures, and one sentence says what to install."""

import sys
from importlib.util import find_spec as real_find_spec
from pathlib import Path

import pytest

from assaymark.errors import InputError
from assaymark.reports import renderer
from assaymark.reports.render import svg


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with the base install alone."""
    gone = ("vl_convert", "typst")
    for name in gone:
        monkeypatch.setitem(sys.modules, name, None)  # an import of it now fails
    monkeypatch.setattr(
        renderer, "find_spec", lambda name: None if name in gone else real_find_spec(name)
    )


def test_a_chart_that_cannot_be_drawn_says_so_in_its_place(bare: None) -> None:
    drawn = svg({"mark": "bar"})
    assert drawn.startswith("<svg")
    assert "pip install 'assaymark[charts]'" in drawn


def test_a_plot_asked_for_by_name_is_refused_in_one_sentence(bare: None) -> None:
    with pytest.raises(InputError, match=r"vl-convert-python.*pip install 'assaymark\[charts\]'"):
        renderer.chart_renderer()


def test_pdf_names_its_extra(bare: None) -> None:
    with pytest.raises(InputError, match=r"^A report as PDF needs typst.*'assaymark\[pdf\]'\.$"):
        renderer.typesetter()


def test_the_base_install_names_neither_renderer() -> None:
    """What a plain `pip install assaymark` brings."""
    import tomllib

    text = (Path(__file__).parents[3] / "pyproject.toml").read_text(encoding="utf-8")
    needed = " ".join(tomllib.loads(text)["project"]["dependencies"])
    assert "typst" not in needed
    assert "vl-convert" not in needed
