"""An option is declared once, as the default of a parameter."""

from dataclasses import dataclass
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from assaymark.terminal.options import argument, option, with_options


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """Options of several commands."""

    least: int = option("The fewest.", default=3, least=1)
    shares: tuple[float, ...] = option("Repeatable.", "--share")


@click.command()
@with_options
def command(
    *,
    place: Path | None = argument(),
    sizes: Sizes,
    name_of: str = option("It has a name.", "-n"),
    short: int | None = option("Without a long name.", "-s", long=False),
    quiet: bool = option("A flag."),
) -> None:
    """Show what was given."""
    click.echo(f"{place} {sizes.least} {sizes.shares} {name_of} {short} {quiet}")  # noqa: TID251


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (["-n", "a"], "None 3 () a None False\n"),
        (
            ["b", "--name-of", "c", "--share", "0.5", "--share", "1", "-s", "2", "--quiet"],
            "b 3 (0.5, 1.0) c 2 True\n",
        ),
    ],
)
def test_what_the_annotation_says_is_not_said_again(given: list[str], shown: str) -> None:
    assert CliRunner().invoke(command, given).output == shown


@pytest.mark.parametrize(
    ("given", "refusal"),
    [
        ([], "Missing option '-n' / '--name-of'"),
        (["-n", "a", "--least", "0"], "0 is not in the range x>=1"),
        (["-n", "a", "--short", "1"], "No such option"),
    ],
)
def test_what_was_not_declared_is_refused(given: list[str], refusal: str) -> None:
    assert refusal in CliRunner().invoke(command, given).output


def test_a_default_is_shown_in_the_help() -> None:
    assert "The fewest.  [default: 3; x>=1]" in CliRunner().invoke(command, ["--help"]).output
