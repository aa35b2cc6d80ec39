"""Every spelling that the page on stability calls deprecated still works, and says the same as the new one."""

import json
import re
import sys
from collections.abc import Callable
from functools import partial

import click
from pages import DOCS

import assaymark as package
from assaymark.certification.planning import PlanRequest
from assaymark.claims.ratio_metrics import parse_claim
from assaymark.cli import cli

sys.path.insert(0, str(DOCS.parent / "bench"))
from house import lost, options

PAGE = (DOCS / "reference" / "stability.md").read_text(encoding="utf-8")
BENCH = DOCS.parent / "bench"
TABLE = PAGE.split("## Deprecated spellings\n")[1].split("\n## ")[0]
ROWS = re.findall(r"^\| `([^`]+)` \| `([^`]+)` \|$", TABLE, re.MULTILINE)


def _options(command: click.Command) -> list[click.Option]:
    """The options of a command and of those in it."""
    inner = command.commands.values() if isinstance(command, click.Group) else ()
    own = [option for option in command.params if isinstance(option, click.Option)]
    return own + [option for part in inner for option in _options(part)]


def _connection() -> None:
    """Wherever one of the two is an option, so is the other, for the same parameter."""
    spellings = [set(option.opts) for option in _options(cli)]
    assert {"--connection", "--master"} in spellings
    assert not [both for both in spellings if len(both & {"--connection", "--master"}) == 1]


def _mode() -> None:
    claim = parse_claim("f1 >= 0.7")
    assert PlanRequest(claim=claim, mode="weighted") == PlanRequest(
        claim=claim, mode="score-guided"
    )


def _design() -> None:
    claim = parse_claim("f1 >= 0.7")
    old, new = (PlanRequest(claim=claim, design=name) for name in ("weighted", "score-guided"))
    assert old == new


def _method() -> None:
    # as under the command line itself: click keeps the help option that it made first
    parse = partial(cli.commands["size"].make_context, **cli.context_settings)
    old, new = (
        parse("size", ["f1 >= 0.7", "--method", name]).params for name in ("mended", "corrected")
    )
    assert old == new


def _audit() -> None:
    assert package.Audit is package.Certification


WORKS: dict[tuple[str, str], Callable[[], None]] = {
    ("--master URL", "--connection URL"): _connection,
    ("plan --mode weighted", "plan --mode score-guided"): _mode,
    ("plan --design weighted", "plan --design score-guided"): _design,
    ("size --method mended", "size --method corrected"): _method,
    ("assaymark.Audit", "assaymark.Certification"): _audit,
}


def test_every_deprecated_spelling_works() -> None:
    assert sorted(ROWS) == sorted(WORKS)
    for works in WORKS.values():
        works()


def test_no_page_but_the_reference_uses_them() -> None:
    """The reference is written from the code, which has both spellings of a name."""
    pages = [page for page in DOCS.rglob("*.md") if "reference" not in page.parts]
    used = {
        (page.name, name)
        for page in pages
        for name, _ in ROWS
        if name.removesuffix(" URL") in page.read_text(encoding="utf-8")
    }
    assert used == set()


def test_what_could_be_asked_for_before_the_move_can_be_asked_for_now() -> None:
    before = json.loads((BENCH / "house_before.json").read_text(encoding="utf-8"))
    known = before["options of commands"]
    assert lost(options(cli), known) == []
    assert lost({"plan": ["--seed"]}, {"plan": ["--mode", "--seed"], "look": []}) == [
        "plan --mode",
        "look",
    ]
