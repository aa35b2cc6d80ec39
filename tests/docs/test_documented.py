"""Every command, bound, metric, event and error has its place in the reference."""

import html
import importlib
import pkgutil
import re

import click
import pytest
from pages import DOCS

import assaymark
from assaymark.claims.ratio_metrics import NUMERATORS
from assaymark.cli import cli
from assaymark.errors import AssaymarkError
from assaymark.ledger.events import KINDS
from assaymark.stats.binomial_bounds import METHODS


def _reference(name: str) -> str:
    return (DOCS / "reference" / name).read_text(encoding="utf-8")


def _errors(kind: type[AssaymarkError]) -> set[str]:
    for module in pkgutil.walk_packages(assaymark.__path__, "assaymark."):
        if not module.name.startswith(("assaymark.__main__", "assaymark.lab")):
            importlib.import_module(module.name)
    return {kind.__name__}.union(*(_errors(child) for child in kind.__subclasses__()))


def _commands() -> dict[str, click.Command]:
    """Every command by the words that call it, those of groups too."""
    found = dict(cli.commands)
    for name, command in cli.commands.items():
        if isinstance(command, click.Group):
            found |= {f"{name} {own}": part for own, part in command.commands.items()}
    return found


@pytest.mark.parametrize("name", sorted(_commands()))
def test_every_command_and_option_is_documented(name: str) -> None:
    text = _reference("commands.md")
    assert f"## assaymark {name}\n" in text
    section = text.split(f"## assaymark {name}\n")[1].split("\n## ")[0]
    options = [option for option in _commands()[name].params if option.param_type_name == "option"]
    for option in options:
        assert any(spelling in section for spelling in option.opts), option.name


@pytest.mark.parametrize("name", sorted(METHODS))
def test_every_bound_is_documented(name: str) -> None:
    assert f"| `{name}` |" in _reference("bounds.md")
    explained = (DOCS / "explanation" / "exact-bounds.md").read_text(encoding="utf-8")
    assert f"`{name}`" in explained


@pytest.mark.parametrize("name", sorted(NUMERATORS))
def test_every_metric_is_documented(name: str) -> None:
    assert f"`{name}`" in _reference("bounds.md")


@pytest.mark.parametrize("name", sorted(KINDS))
def test_every_event_is_documented(name: str) -> None:
    assert f"## {name}\n" in _reference("events.md")


@pytest.mark.parametrize("name", sorted(_errors(AssaymarkError)))
def test_every_error_is_documented(name: str) -> None:
    assert f"| `{name}` |" in _reference("errors.md")


def test_the_readme_tells_the_labels_of_the_picture() -> None:
    """The demo's picture is drawn from a run; the sentence below it says the same number."""
    picture = (DOCS / "pictures/demo.svg").read_text(encoding="utf-8")
    text = html.unescape(re.sub(r"<[^>]+>", "", picture)).replace("\xa0", " ")
    bought = re.search(r"Labels bought: ([\d,]+)\.", text)
    assert bought is not None
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    assert f"was proved with {bought.group(1)} labels" in readme
