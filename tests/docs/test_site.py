"""The documentation site: lists are lists, the version is said, and nothing comes from elsewhere."""

import re
import sys
from pathlib import Path

import pytest
from pages import DOCS

from assaymark import __version__
from site_on_disk import build_site

sys.path.insert(0, str(DOCS))
from site_hooks import on_page_markdown

pytest.importorskip("material", reason="mkdocs-material builds the site")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_site(tmp_path_factory.mktemp("site"))


def test_the_landing_page_lists_every_question(site: Path) -> None:
    text = (site / "index.html").read_text(encoding="utf-8")
    for page in (DOCS / "questions").glob("*.md"):
        assert f'<li><a href="questions/{page.stem}.html">' in re.sub(r"<li>\s*<p>", "<li>", text)
    assert f"assaymark {__version__}" in text
    assert 'src="pictures/demo.svg"' in text


def test_no_page_fetches_anything_from_elsewhere(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 60
    for page in pages:
        text = page.read_text(encoding="utf-8")
        fetched = re.findall(r'<(?:script|img|iframe)[^>]* src="([^"]+)"', text)
        fetched += re.findall(r'<link [^>]*rel="stylesheet"[^>]* href="([^"]+)"', text)
        assert [one for one in fetched if one.startswith(("http", "//"))] == [], page.name


def test_an_empty_line_is_put_before_lists_and_nowhere_else() -> None:
    text = "**Begin**\n- one\n  goes on\n- two\n\n```\nx\n- y\n```\nThen\n1. a\n2. b"
    lists = "**Begin**\n\n- one\n  goes on\n- two\n\n```\nx\n- y\n```\nThen\n\n1. a\n2. b"
    assert on_page_markdown(text) == lists
    assert on_page_markdown(lists) == lists
