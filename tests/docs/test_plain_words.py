"""What people read is plain modern English: none of the words that a newcomer stumbled over."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from pages import DOCS

SOURCE = DOCS.parent / "src" / "assaymark"
WORDS = re.compile(
    r"\b(told|anew|mend|mends|wish|wishes|on record|rests? on|speaks? for|so many|"
    r"no number will do|in life|the lot|rings|meets this fate)\b",
    re.IGNORECASE,
)
NAMES = frozenset(
    ["found", "told", "seen", "given", "own", "wish", "wishes", "anew", "mend", "mended"]
)
# the lab and its records speak of papers in their words
PROGRAMS = sorted(path for path in SOURCE.rglob("*.py") if "lab" not in path.parts)
PAGES = [
    DOCS.parent / "README.md",
    *(
        path
        for path in DOCS.rglob("*.md")
        if not {"decisions", "evidence", "templates"} & set(path.parts)
    ),
]


parsed = cache(ast.parse)


def messages(path: Path) -> Iterator[str]:
    """Sentences in a program; not its docstrings, names or queries."""
    tree = parsed(path.read_text(encoding="utf-8"))
    notes = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) and id(node) not in notes else None
        if isinstance(text, str) and " " in text and "SELECT " not in text:
            yield text


def docstrings(path: Path) -> Iterator[str]:
    for node in ast.walk(parsed(path.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            yield ast.get_docstring(node) or ""


def visible(template: str) -> str:
    """The text of a template without its tags and expressions."""
    return re.sub(r"\{[{%#].*?[}%#]\}|<[^>]*>", " ", template, flags=re.DOTALL)


def prose(page: str) -> str:
    """A page without its blocks of code, names in code and addresses."""
    without = re.sub(r"^```.*?^```$", "", page, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`]*`|\([^() ]*\)", "", without)


def private_words(text: str) -> list[str]:
    """The words that a newcomer would not understand, in order."""
    return [match.group(0) for match in WORDS.finditer(" ".join(text.split()))]


def parameters(program: str) -> Iterator[str]:
    """The names in signatures, of functions and of classes."""
    for node in ast.walk(parsed(program)):
        if isinstance(node, ast.arg):
            yield node.arg
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name.strip("_").lower()


def test_signatures_are_nouns_of_the_trade() -> None:
    bad = {
        path.relative_to(SOURCE).as_posix(): sorted(
            NAMES.intersection(parameters(path.read_text(encoding="utf-8")))
        )
        for path in SOURCE.rglob("*.py")
    }
    assert {name: words for name, words in bad.items() if words} == {}


def test_messages_are_plain() -> None:
    bad = {
        path.relative_to(SOURCE).as_posix(): private_words(" | ".join(messages(path)))
        for path in PROGRAMS
    }
    assert {name: words for name, words in bad.items() if words} == {}


def test_docstrings_are_plain() -> None:
    bad = {
        path.relative_to(SOURCE).as_posix(): private_words(" | ".join(docstrings(path)))
        for path in SOURCE.rglob("*.py")
    }
    assert {name: words for name, words in bad.items() if words} == {}


def test_templates_are_plain() -> None:
    bad = {
        path.name: private_words(visible(path.read_text(encoding="utf-8")))
        for path in SOURCE.rglob("*.html")
    }
    assert {name: words for name, words in bad.items() if words} == {}


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(DOCS.parent).as_posix())
def test_pages_are_plain(page: Path) -> None:
    assert private_words(prose(page.read_text(encoding="utf-8"))) == []


def test_the_scan_sees_a_word() -> None:
    assert [*parameters("class Wish:\n    def _told(self, seen): ...")] == [
        "wish", "told", "self", "seen",
    ]  # fmt: skip
    assert private_words(prose("It is **on\nrecord**, `told` and (told)")) == ["on record"]
    assert private_words(visible("<p class='told'>anew {{ told }}</p>")) == ["anew"]
