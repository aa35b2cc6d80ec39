"""The pages that answer one question each show commands that exist, and a claim that can be read."""

import shlex

import click
import pytest
from pages import DOCS

from assaymark.claims.language.grammar import parse
from assaymark.cli import cli

LINES = sorted(
    {
        line
        for page in (DOCS / "questions").glob("*.md")
        for line in page.read_text(encoding="utf-8").splitlines()
        if line.startswith("assaymark ")
    }
)


@pytest.mark.parametrize("line", LINES)
def test_a_command_of_a_question_is_understood(line: str) -> None:
    _, name, *rest = shlex.split(line)
    command = cli.commands[name]
    if isinstance(command, click.Group) and rest[0] in command.commands:
        command = command.commands[rest.pop(0)]
    spellings = {text for option in command.params for text in option.opts}
    assert {word for word in rest if word.startswith("-")} <= spellings
    for word in rest:
        if ">=" in word or "<=" in word:
            parse(word)


def test_every_question_is_asked_on_the_first_page() -> None:
    first = (DOCS / "index.md").read_text(encoding="utf-8")
    for page in (DOCS / "questions").glob("*.md"):
        title = page.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
        assert f"- [{title}](questions/{page.name})" in first
