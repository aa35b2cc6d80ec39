"""What a page points at exists: files, headings, tests and scripts; and it shows public names only."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pages import DOCS

ROOT = DOCS.parent
PAGES = [
    *ROOT.glob("*.md"),
    *(page for page in DOCS.rglob("*.md") if "templates" not in page.parts),
]
LINK = re.compile(r"\]\(([^)\s]+)\)|src=\"([^\"]+)\"")
SCRIPT = re.compile(r"`(?:python )?((?:bench|tests|docs)/[\w/.-]+\.\w+)")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
HIDDEN = re.compile(r"^\s*(?:from|import) (assaymark\.[\w.]+)", re.MULTILINE)


def headings(page: str) -> set[str]:
    """The anchors of a page, as GitHub and the site make them."""
    titles = re.findall(r"^#+ (.*)$", FENCE.sub("", page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title).strip().lower().replace(" ", "-") for title in titles}


def broken(page: Path) -> Iterator[str]:
    """Links and names of files that lead nowhere."""
    prose = FENCE.sub("", page.read_text(encoding="utf-8"))
    for match in LINK.finditer(prose):
        address, _, anchor = (match[1] or match[2]).partition("#")
        target = page.parent / address if address else page
        if address.startswith(("http", "mailto")):
            continue
        if not target.exists() or (
            anchor and anchor not in headings(target.read_text(encoding="utf-8"))
        ):
            yield match[0]
    yield from (name for name in SCRIPT.findall(prose) if not (ROOT / name).exists())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    assert list(broken(page)) == []


def test_examples_use_what_is_covered_by_the_versions() -> None:
    """Only the lab's own tickets and the page on what a gain is look behind the front door."""
    shown = {
        (page.name, name)
        for page in PAGES
        for name in HIDDEN.findall(page.read_text(encoding="utf-8"))
    }
    assert shown == {
        ("claims.md", "assaymark.claims.ratio_metrics"),
        ("tutorial.md", "assaymark.lab.demo"),
    }


def test_a_broken_link_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A title\n[a](#a-title) [b](#b) [c](c.md) `tests/no.py`\n", encoding="utf-8")
    assert list(broken(page)) == ["](#b)", "](c.md)", "tests/no.py"]
