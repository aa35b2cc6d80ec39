"""What a change touches, from the registries themselves: the table in CONTRIBUTING.md.

A place is `module:name` below `assaymark`; several places are a change that is not one registration.
"""

import importlib
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import assaymark

CONTRIBUTING = Path(__file__).parents[1] / "CONTRIBUTING.md"
BEGIN = "<!-- Written by docs/generate.py from the registries (docs/changes.py). -->\n"
END = "<!-- The table ends here. -->\n"


@dataclass(frozen=True, kw_only=True)
class Change:
    """A change that people make, where it is registered, and what a reader should know."""

    name: str
    places: tuple[str, ...]
    note: str = ""

    def registered(self) -> str:
        """The names that stand there today, where they are few."""
        found = place(self.places[0])
        if not isinstance(found, Collection) or isinstance(found, str) or len(found) > 12:
            return ""
        return ", ".join(str(getattr(one, "name", one)) for one in found)


def place(text: str) -> object:
    """What stands at module:name."""
    module, name = text.split(":")
    return getattr(importlib.import_module(f"assaymark.{module}"), name)


def file_of(text: str) -> str:
    """The source file of a place, below src/assaymark."""
    module = importlib.import_module(f"assaymark.{text.split(':')[0]}")
    return Path(module.__file__ or "").relative_to(assaymark.__path__[0]).as_posix()


CHANGES = (
    Change(
        name="metric",
        places=("claims.metrics:RATIOS",),
        note="numerator and denominator; one that is good when small: `SMALL_IS_GOOD` beside it",
    ),
    Change(name="bound", places=("stats.binomial_bounds:METHODS",)),
    Change(name="policy", places=("training.stats.stopping_policy:POLICIES",), note="or a plug-in"),
    Change(
        name="label format",
        places=("files.tools:READERS",),
        note="or a plug-in; one that is written too: `WRITERS` beside it",
    ),
    Change(name="pool engine", places=("pool:ENGINES",), note="or a plug-in"),
    Change(name="ledger", places=("ledger:LEDGERS",), note="or a plug-in"),
    Change(
        name="event",
        places=("ledger.events.event:KINDS",),
        note="`register` beside its class: what follows from it, when it cannot have happened; what the "
        "state keeps of it is a field of `ledger/events/state.py`",
    ),
    Change(
        name="survey kind",
        places=("records.survey_kinds:SURVEY_KINDS",),
        note="and the capability that it is for",
    ),
    Change(
        name="mode",
        places=("records.modes:KINDS", "certification.modes:MODES", "stats.methods:METHODS"),
        note="a kind, an object, a numbered method; its golden project; to be forecast beside the others: "
        "`certification/planning/simple_forecast.py`",
    ),
    Change(
        name="chart",
        places=("certification.report.annex:scores_section",),
        note="or a section in the `report` of another capability: report and PDF draw what a section "
        "holds, the page too where it shows the section",
    ),
    Change(
        name="command",
        places=("cli.commands:COMMANDS",),
        note="its name and its module; the module lies in the `cli` of its capability",
    ),
    Change(
        name="class claim",
        places=("claims.metrics:AVERAGES",),
        note="an average over classes; new words for claims that exist: `claims/language/grammar.py`",
    ),
    Change(
        name="comparison",
        places=(
            "claims.language.tree:KINDS",
            "claims.language.grammar:parse",
            "claims.linear:compile_claim",
            "claims.truth:part_holds",
        ),
        note="a noun, its words, its rows, its truth; new words for one that exists: the grammar alone",
    ),
    Change(
        name="plug-in",
        places=("plugins:Registry",),
        note="an entry point of its own package: [plug-ins](docs/reference/plugins.md)",
    ),
    Change(name="default power", places=("claims.defaults:POWER",)),
)


def table() -> str:
    """The changes, how many files each touches, and where."""
    rows = ["| change | files | where | registered today |", "|---|---|---|---|"]
    for change in CHANGES:
        where = ", ".join(f"`{file_of(at)}`, `{at.split(':')[1]}`" for at in change.places)
        told = f"{where}; {change.note}" if change.note else where
        rows.append(f"| {change.name} | {len(change.places)} | {told} | {change.registered()} |")
    return "\n".join(rows) + "\n"


def filled(text: str) -> str:
    """CONTRIBUTING with the table as the code has it."""
    before, rest = text.split(BEGIN)
    return before + BEGIN + table() + END + rest.split(END)[1]
