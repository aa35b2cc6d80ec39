"""Which commands there are, and where each is: a command loads its own module and no other."""

from collections.abc import Iterator, Mapping
from importlib import import_module

import click

from assaymark.terminal.output import LONGEST

# what belongs together stands together in the help, in the order of the work
PARTS = {
    "Prove a claim": {
        "size": "cli.sizing",
        "convert": "cli.convert",
        "init": "cli.project",
        "plan": "cli.planning",
        "compare": "composite.cli.commands",
        "cutoff": "composite.cli.commands",
        "draw": "cli.feeding",
        "label": "cli.feeding",
        "serve": "cli.serve",
        "users": "cli.serve",
        "status": "cli.story",
        "look": "cli.story",
        "certify": "cli.story",
        "verify": "cli.verifying",
        "report": "cli.report",
        "key": "cli.story",
        "witness": "cli.story",
    },
    "Find everything relevant": {"review": "cli.review"},
    "Gate a release": {
        "lock": "monitoring.cli.gating",
        "gate": "monitoring.cli.gating",
        "watch": "monitoring.cli.watch",
        "sentinel": "monitoring.cli.sentinel",
        "export": "monitoring.cli.export",
    },
    "Estimate, find, train, automate": {
        "bound": "certification.cli",
        "estimate": "estimation.cli.estimate",
        "doctor": "estimation.cli.doctor",
        "train": "training.cli.train",
        "recall": "pair_recall.cli.recall",
        "keywords": "pair_recall.cli.pairs",
        "pair": "pair_recall.cli.pairs",
        "triage": "triaging.cli.triage",
    },
    "Keep a project safe": dict.fromkeys(
        ("check", "backup", "restore", "move", "join"), "cli.operations"
    ),
    "See it work": {"demo": "cli.story", "lab": "cli.lab"},
}
COMMANDS = {name: module for part in PARTS.values() for name, module in part.items()}


class Commands(Mapping[str, click.Command]):
    """Every command by its name, imported when it is asked for."""

    def __getitem__(self, name: str) -> click.Command:
        command: click.Command = getattr(import_module(f"assaymark.{COMMANDS[name]}"), name)
        return command

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class Parted(click.Group):
    """A group whose help lists its commands in parts, each with its whole first sentence."""

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, part by part."""
        for title, names in PARTS.items():
            listed = [
                (name, self.commands[name].get_short_help_str(limit=LONGEST)) for name in names
            ]
            with formatter.section(title):
                formatter.write_dl(listed)
