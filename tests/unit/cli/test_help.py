"""The help of the whole program leaves nothing out."""

import subprocess
import sys

import click
import pytest

from assaymark.cli import cli
from assaymark.cli.commands import PARTS


def test_every_command_stands_in_one_part_of_the_help() -> None:
    listed = [name for names in PARTS.values() for name in names]
    assert sorted(listed) == sorted(cli.commands)


def test_no_sentence_of_the_help_is_cut_off(assaymark) -> None:
    assert "..." not in assaymark("--help").out.split("Options:")[1]


def _without_help(group: click.Group, before: str = "") -> list[str]:
    missing = []
    for name, command in group.commands.items():
        missing += [
            f"{before}{name} {part.opts[0]}"
            for part in command.params
            if isinstance(part, click.Option) and not (part.help or part.hidden)
        ]
        if isinstance(command, click.Group):
            missing += _without_help(command, f"{before}{name} ")
    return missing


@pytest.mark.parametrize("group", ["review", "triage", "sentinel", "users"])
def test_no_sentence_of_a_group_is_cut_off(assaymark, group: str) -> None:
    listed = assaymark(group, "-h").out.partition("Commands:")[2]
    assert listed.strip()
    assert "..." not in listed


def test_every_option_says_what_it_is_for() -> None:
    assert _without_help(cli) == []


def test_a_command_loads_its_own_module_and_no_other() -> None:
    script = (
        "import sys\n"
        "from assaymark.cli import cli\n"
        "cli.get_command(None, 'gate')\n"
        "print(*sorted(m for m in sys.modules if m.startswith('assaymark.') and '.cli' in m))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.split() == [
        "assaymark.cli",
        "assaymark.cli.commands",
        "assaymark.monitoring.cli",
        "assaymark.monitoring.cli.gating",
    ], done.stderr
