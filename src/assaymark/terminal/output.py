"""What people and scripts see: short aligned blocks, or one JSON object."""

import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import click

from assaymark.errors import AssaymarkError
from assaymark.hints import for_command_line, for_shell
from assaymark.terminal.encoding import shows_everything

FILE = click.Path(dir_okay=False, path_type=Path)
DIRECTORY = click.Path(file_okay=False, path_type=Path)

# what a terminal obeys instead of showing: C0 and C1 controls (tab and line feed apart), marks that
# turn the direction of text, separators that some terminals break lines at, and halves of characters
UNSAFE = re.compile(
    "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ud800-\\udfff]"
)
PROJECT = "ASSAYMARK_PROJECT"
COLOURS = {"good": "green", "wait": "yellow", "bad": "red"}


_project: str | None = None  # of the command that is running: hints are about it


def remembered_project(
    _context: click.Context | None, _option: click.Parameter | None, folder: Path | None
) -> Path | None:
    """The folder, kept for the commands that hints name; the current one needs no naming."""
    global _project
    _project = None if folder is None or folder == Path() else str(folder)
    return folder


def as_typed(text: str) -> str:
    """The text with the hints in it as commands for the project at hand."""
    return for_command_line(text, project=_project)


def project_of_environment() -> Path | None:
    """The project that $ASSAYMARK_PROJECT names, for commands that also work without one."""
    place = os.environ.get(PROJECT)
    return Path(place) if place else None


def printable(text: object) -> str:
    """The text with every control character written out, as Python would: nothing steers a terminal.

    >>> print(printable("id \\x1b[2J gone"))
    id \\x1b[2J gone
    """
    shown = as_typed(str(text))
    return UNSAFE.sub(lambda match: repr(match.group())[1:-1], shown)


def say(
    text: object = "", *, tone: str | None = None, bold: bool = False, err: bool = False
) -> None:
    """Print a text; the only way to the terminal, because ids and columns come from strangers."""
    shown = printable(text)
    if tone is not None or bold:
        shown = click.style(shown, fg=COLOURS.get(tone or ""), bold=bold)
    click.echo(shown, err=err)  # noqa: TID251 - this is the one place


def warn(text: object) -> None:
    """Print a warning."""
    mark = click.style("Warning: ", fg=COLOURS["wait"], bold=True)
    click.echo(mark + printable(text))  # noqa: TID251 - the mark is ours, the text is cleaned


def show_json(value: Mapping[str, object]) -> None:
    """One JSON object on standard output."""
    # on a terminal that lacks characters JSON's own escapes keep every value exact
    escaped = not shows_everything(sys.stdout)
    text = json.dumps(_spelled(value), ensure_ascii=escaped, allow_nan=False)
    # what JSON allows in a text as it is, and a terminal obeys
    safe = UNSAFE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)
    click.echo(safe)  # noqa: TID251 - cleaned in JSON's own way


def _spelled(value: object) -> object:
    """The value with the hints in its texts as commands, and paths as texts."""
    if isinstance(value, str | Path):
        return as_typed(str(value))
    if isinstance(value, dict):
        return {key: _spelled(one) for key, one in value.items()}
    return [_spelled(one) for one in value] if isinstance(value, (list, tuple)) else value


def headline(text: str, tone: str | None = None) -> None:
    """The first line of an answer."""
    say(_line(text), tone=tone, bold=True)


def rows(pairs: list[tuple[str, str]]) -> None:
    """Name and value, aligned."""
    width = max((len(name) for name, _ in pairs), default=0)
    for name, value in pairs:
        say(f"  {_line(name):<{width}}  {_line(value)}")


def _line(text: object) -> str:
    """The text in one line, so that no value can pose as a line of ours."""
    return str(text).replace("\n", "\\n")


def quoted(path: object) -> str:
    """A path that can be pasted into a shell."""
    return for_shell(path)


def advise(text: str) -> None:
    """What to do next."""
    say(f"Next: {text}")


class Obstacle(Protocol):
    """What keeps labels from counting, in words."""

    @property
    def sentence(self) -> str:
        """What does not count, because of which items."""

    @property
    def last_resort(self) -> str | None:
        """What can be done where a reviewer is away."""

    @property
    def remedy(self) -> str:
        """How to settle it."""


def show_blocking(blocking: Obstacle) -> None:
    """What keeps labels from counting, before anything else; the next step is to settle it."""
    say(f"  {blocking.sentence}", tone="wait")
    if last_resort := blocking.last_resort:
        say(f"  {last_resort}")
    advise(blocking.remedy)


def asks() -> bool:
    """Whether somebody sits at the terminal who can be asked."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def confirmed(question: str) -> bool:
    """Ask a question that is answered yes or no; no unless said otherwise."""
    return click.confirm(printable(question), default=False)


def fail(error: object) -> None:
    """One sentence about what is wrong; as JSON too where that was asked for."""
    text = error.message if isinstance(error, AssaymarkError) else str(error)
    if "--json" in sys.argv:
        show_json({"error": text})
    pointer = re.search(r"\n(  [^\n]*)\n( +\^+)\Z", text)  # a claim and the word that is wrong
    sentence = text[: pointer.start()] if pointer else text
    say(f"Error: {_line(sentence)}", err=True)
    for line in pointer.groups() if pointer else ():
        say(line, err=True)


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[str, float | None], None]]:
    """A bar on standard error for work that takes time; silent where nobody watches."""
    if not sys.stderr.isatty():
        yield lambda _message, _share: None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)

        def tell(message: str, share: float | None) -> None:
            total = None if share is None else 1.0
            text = escape(printable(f"{title}: {message}"))
            bar.update(task, description=text, total=total, completed=share or 0)

        yield tell


LONGEST = 200  # characters of a sentence in a list of commands


class WholeSentences(click.Group):
    """A group that lists its commands without cutting their sentences off."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands in their order."""
        known = [(name, self.commands[name]) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl([(n, c.get_short_help_str(limit=LONGEST)) for n, c in known])
