"""Only shells speak of options and commands: everything else gives hints as data."""

import ast
import re
from pathlib import Path

import click
import pytest

import assaymark
from assaymark.cli import cli
from assaymark.hints import command, for_command_line, for_python, option, switch
from assaymark.web.wording import for_page

SOURCE = Path(assaymark.__file__).parent
SHELLS = {"terminal", "lab"}  # and every cli.py and cli/
OWN = {
    "hints.py": "spells them",
    "web/access/guard.py": "speaks of the server's own start",
    "pool/spark/session.py": "an option of Java",
    "files/tool_output/inspect_log.py": "names a command of another tool",
    "drawing/themes.py": "a variable of CSS",
    "reviewing/certificate.py": "the name of the document's kind",
    "monitoring/lock_files.py": "the name of the file's kind",
    "monitoring/formats/junit.py": "the name of the tool in its own output",
    "monitoring/formats/markdown.py": "the name of the tool in its own output",
    "monitoring/formats/sarif.py": "the name of the tool in its own output",
}


COMMANDS = "|".join(sorted(cli.commands))
RAW = re.compile(
    rf"(?<![\w-])--[a-z][a-z-]*|(?<![\w-])-[po](?= [\w{{]|[,.:;])|\bassaymark (?:{COMMANDS})\b"
)


def _is_shell(place: Path) -> bool:
    return place.parts[0] in SHELLS or "cli" in place.with_suffix("").parts


def _modules() -> list[str]:
    places = (path.relative_to(SOURCE) for path in sorted(SOURCE.rglob("*.py")))
    return [p.as_posix() for p in places if not _is_shell(p) and p.as_posix() not in OWN]


def _texts(source: str) -> list[tuple[int, str]]:
    """Every text of a module but its docstrings, with its line."""
    tree = ast.parse(source)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        and isinstance(node.body[0], ast.Expr)
    }
    return [
        (node.lineno, node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in docstrings
    ]


def _raw(source: str) -> list[tuple[int, str]]:
    return [(line, text) for line, text in _texts(source) if RAW.search(text)]


def test_no_message_outside_the_shells_speaks_of_an_option_or_a_command() -> None:
    """Python and the page say the same sentences, and neither has options."""
    found = {name: _raw((SOURCE / name).read_text(encoding="utf-8")) for name in _modules()}
    assert {name: texts for name, texts in found.items() if texts} == {}


@pytest.mark.parametrize(
    "source",
    [
        'raise InputError("Give --budget N.")',
        'raise InputError("Name it with -p DIR.")',
        'raise InputError("Choose another name with -o.")',
        'raise InputError(f"{name}: assaymark draw.")',
    ],
)
def test_the_check_finds_what_it_looks_for(source: str) -> None:
    """A check that cannot fail would prove nothing."""
    assert _raw(source)


def test_places_that_are_left_out_still_need_it() -> None:
    """An exemption ends when its reason does."""
    assert [name for name in OWN if not _raw((SOURCE / name).read_text(encoding="utf-8"))] == [
        "hints.py"  # its words are put together
    ]


def test_a_hint_is_spelled_by_each_shell_in_its_own_words() -> None:
    """The same mark, three readers."""
    text = f"{option('pilot', 'TP,FP')}; {switch('restore-zeros')}; {command('draw', pending=True)}"
    assert for_command_line(text) == "--pilot TP,FP; --restore-zeros; assaymark draw --pending"
    assert for_python(text) == "pilot=(TP, FP); restore_zeros=True; open_items()"
    assert for_page(text) == "“pilot”; “restore zeros”; go on under “Label”"


def test_a_command_that_python_lacks_is_named_without_its_options() -> None:
    """Python never speaks of an option."""
    text = command("triage audit", thresholds="FILE", project="DIR")
    assert for_python(text) == "assaymark triage audit on the command line"
    assert for_command_line(text) == "assaymark triage audit --thresholds FILE -p DIR"


def test_a_claim_is_quoted_for_the_shell_and_for_python() -> None:
    """What has spaces is one argument."""
    text = command("plan", "f1 >= 0.75", "…")
    assert for_command_line(text) == 'assaymark plan "f1 >= 0.75" …'
    assert for_python(text) == 'claim("f1 >= 0.75", …)'


def test_a_value_cannot_forge_a_mark() -> None:
    """Names of files come from strangers."""
    assert (
        for_command_line(command("triage", output="a⟧⟦¦draw¦")) == 'assaymark triage -o "a???draw?"'
    )


def test_an_error_speaks_python_by_itself() -> None:
    """Whoever prints an error in a notebook sees parameters."""
    error = assaymark.AssaymarkError(f"Give {option('expect', 0.8)}.")
    assert str(error) == "Give expect=0.8."
    assert for_command_line(error.message) == "Give --expect 0.8."


def _hinted(source: str) -> list[str]:
    """The commands that hints name, where they are written out."""
    return [
        node.args[0].value
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "command"
        and node.args
        and isinstance(node.args[0], ast.Constant)
    ]


def _exists(words: str) -> bool:
    group: click.Command | None = cli
    for word in words.split():
        group = group.commands.get(word) if isinstance(group, click.Group) else None
    return group is not None


def test_every_command_that_a_hint_names_exists() -> None:
    """Advice that ends in "No such command" is worse than none."""
    hinted = {
        words
        for path in SOURCE.rglob("*.py")
        for words in _hinted(path.read_text(encoding="utf-8"))
    }
    assert len(hinted) > 20
    assert [words for words in sorted(hinted) if not _exists(words)] == []
