"""Pages that can be run: their console blocks are typed into a shell and the answers compared.

In a ```console block a line that begins with "$ " is a command, and the lines up to the next one
are its output. "…" in an output line stands for anything (hashes, times). A ```python block whose
first line is "# name.py" is a file that the reader saves before going on.

A line that is only an assaymark command (and `; echo "exit code $?"`) runs inside this process through
the same `main`, which saves the start-up; every other line runs in a real shell.
"""

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from assaymark.cli import main

DOCS = Path(__file__).parents[2] / "docs"
ECHO = '; echo "exit code $?"'
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class Command:
    """A command of a page and the output that the page shows."""

    line: str
    shown: tuple[str, ...]


def fences(text: str) -> Iterator[tuple[str, str]]:
    """Language and content of each fenced block, in order."""
    for found in FENCE.finditer(text):
        yield found.group(1), found.group(2)


def commands(block: str) -> list[Command]:
    """The commands of a console block."""
    found: list[Command] = []
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        line, *shown = part.rstrip("\n").split("\n")
        found.append(Command(line=line, shown=tuple(text.rstrip() for text in shown)))
    return found


def type_in(line: str, folder: Path) -> tuple[str, ...]:
    """What comes back for this line in this folder, both streams together."""
    plain = line.removesuffix(ECHO)
    if plain.startswith("assaymark ") and not re.search(r"[;|&$<]|> ", plain.replace(">= ", "")):
        code, text = _assaymark(shlex.split(plain), folder)
        text += f"exit code {code}" if plain != line else ""
    else:
        text = _shell(line, folder)
    return tuple(part.rstrip() for part in text.rstrip("\n").split("\n") if text)


def _assaymark(words: list[str], folder: Path) -> tuple[object, str]:
    stream = io.StringIO()
    with (
        contextlib.chdir(folder),
        mock.patch.object(sys, "argv", words),
        contextlib.redirect_stdout(stream),
        contextlib.redirect_stderr(stream),
    ):
        try:
            main()
        except SystemExit as stop:
            return stop.code or 0, stream.getvalue()
    return 0, stream.getvalue()


def _shell(line: str, folder: Path) -> str:
    here = Path(sys.executable).parent
    settings = {
        **os.environ,
        "PATH": f"{here}{os.pathsep}{os.environ['PATH']}",
        "PYTHONUTF8": "1",
        "NO_COLOR": "1",
    }
    done = subprocess.run(
        ["bash", "-c", line],
        cwd=folder,
        env=settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=1800,
        check=False,
    )
    return done.stdout


def same(shown: tuple[str, ...], actual: tuple[str, ...]) -> bool:
    """Whether the output is the page's, "…" standing for anything within a line."""
    if len(shown) != len(actual):
        return False
    patterns = [".*".join(map(re.escape, line.split("…"))) for line in shown]
    return all(re.fullmatch(p, line) for p, line in zip(patterns, actual, strict=True))


def run_page(page: Path, folder: Path) -> int:
    """Follow the page in the folder; fails at the first answer that differs. Counts the commands."""
    number = 0
    written = page.read_text(encoding="utf-8")
    if "$ python docs/" in written:
        (folder / "docs").symlink_to(DOCS)
    for language, block in fences(written):
        if language == "python" and (name := re.match(r"# (\w+\.py)\n", block)):
            (folder / name.group(1)).write_text(block, encoding="utf-8")
        if language != "console":
            continue
        for command in commands(block):
            actual = type_in(command.line, folder)
            difference = "\n".join(
                [f"$ {command.line}", "shown:", *command.shown, "actual:", *actual]
            )
            assert same(command.shown, actual), difference
            number += 1
    return number
