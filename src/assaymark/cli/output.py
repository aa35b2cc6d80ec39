"""What people and scripts see: short aligned blocks, or one JSON object."""

import json
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])

COLOURS = {"good": "green", "wait": "yellow", "bad": "red"}


def json_option(command: Command) -> Command:
    """Adds --json: one JSON object on standard output and nothing else."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")(command)


def project_option(command: Command) -> Command:
    """Adds -p/--project: the project folder, the current one by default."""
    return click.option(
        "-p",
        "--project",
        "folder",
        type=click.Path(file_okay=False, path_type=Path),
        default=Path(),
        help="Project folder (default: the current one).",
    )(command)


def spark_option(command: Command) -> Command:
    """Adds --master: where the Spark is that reads the pool."""
    return click.option(
        "--master",
        metavar="URL",
        help="Spark's address, for a pool read by spark (default: $ASSAYMARK_SPARK).",
    )(command)


def engine_option(command: Command) -> Command:
    """Adds --engine and --master: what reads a pool that belongs to no project."""
    return click.option(
        "--engine",
        default="duckdb",
        show_default=True,
        help="duckdb or spark: what reads the pool.",
    )(spark_option(command))


def show_json(value: dict[str, Any]) -> None:
    """One JSON object on standard output."""
    click.echo(json.dumps(value, ensure_ascii=False, allow_nan=False))


def headline(text: str, tone: str | None = None) -> None:
    """The first line of an answer."""
    click.echo(click.style(text, fg=COLOURS.get(tone or ""), bold=True))


def rows(pairs: list[tuple[str, str]]) -> None:
    """Name and value, aligned."""
    width = max((len(name) for name, _ in pairs), default=0)
    for name, value in pairs:
        click.echo(f"  {name:<{width}}  {value}")


def quoted(path: object) -> str:
    """A path that can be pasted into a shell."""
    return shlex.quote(str(path))


def advise(text: str) -> None:
    """What to do next."""
    click.echo(f"Next: {text}")


def fail(error: object) -> None:
    """One sentence about what is wrong; as JSON too where that was asked for."""
    if "--json" in sys.argv:
        show_json({"error": str(error)})
    click.echo(f"Error: {error}", err=True)


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[str, float | None], None]]:
    """A bar on standard error for work that takes time; silent where nobody watches."""
    if not sys.stderr.isatty():
        yield lambda _message, _share: None
        return
    from rich.console import Console
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
            bar.update(task, description=f"{title}: {message}", total=total, completed=share or 0)

        yield tell
