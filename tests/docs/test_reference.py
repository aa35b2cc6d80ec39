"""The reference is what the code says, and links lead somewhere."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest
from pages import DOCS

LINK = re.compile(r"\]\(([^)\s]+)\)")
PAGES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_reference_is_fresh(generator: ModuleType) -> None:
    """If this fails, run: make docs."""
    assert generator.stale(generator.reference()) == []


def test_a_changed_page_is_stale(generator: ModuleType) -> None:
    pages = generator.reference()
    pages["errors.md"] += "More.\n"
    assert "errors.md" in generator.stale(pages)


def test_the_reference_does_not_depend_on_the_terminal(
    generator: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = generator.reference()
    monkeypatch.setenv("COLUMNS", "40")
    assert generator.reference() == before


def _anchors(page: Path) -> set[str]:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    heads = re.findall(r"^#+ (.+)$", text, flags=re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("name", [name for name in PAGES if "templates" not in name])
def test_links_lead_somewhere(name: str) -> None:
    page = DOCS / name
    for link in LINK.findall(page.read_text(encoding="utf-8")):
        if link.startswith("http"):
            continue
        place, _, anchor = link.partition("#")
        target = (page.parent / place).resolve() if place else page
        assert target.exists(), f"{name} links to {link}"
        assert not anchor or anchor in _anchors(target), f"{name} links to {link}"


def test_the_map_reaches_every_page() -> None:
    """From index.md one can walk to every page."""
    seen: set[Path] = set()
    ahead = [DOCS / "index.md"]
    while ahead:
        page = ahead.pop()
        seen.add(page)
        links = [link.partition("#")[0] for link in LINK.findall(page.read_text(encoding="utf-8"))]
        near = {(page.parent / link).resolve() for link in links if link.endswith(".md")}
        ahead += [other for other in near if other.is_relative_to(DOCS) and other not in seen]
    assert {DOCS / name for name in PAGES if "templates" not in name} - seen == set()
