"""Pages that can be run: their console blocks are typed into a shell and the answers compared.

In a ```console block a line that begins with "$ " is a command, and the lines up to the next one
are its output. "…" in an output line stands for anything (hashes, times). A ```python block whose
first line is "# name.py" is a file that the reader saves before going on.

An assaymark command runs inside this process through the same `main`, and `python FILE.py` as the main
module, which may start either again: the start-up of a program takes longer than what it does. So
they do behind `cd FOLDER &&`, in a plain loop, before a pipe, and with `> FILE` or
`; echo "exit code $?"` after them. Everything else runs in a real shell.
"""

import contextlib
import io
import os
import re
import runpy
import shlex
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO
from unittest import mock

from assaymark.cli import main

DOCS = Path(__file__).parents[2] / "docs"
ECHO = '; echo "exit code $?"'
MOVED = re.compile(r"cd (?P<place>\w+) && (?P<rest>.*)")
KEPT = re.compile(r"(?P<rest>.*) > (?P<file>\S+)")
LOOP = re.compile(
    r"(?:for (?P<name>\w+) in (?P<words>[\w ]+)|until (?P<until>[^;]+)); do (?P<body>[^\"&<>]+); done"
)
PIPED = re.compile(r"(?P<rest>[^|]*) \| (?P<filter>.*)")
PROGRAM = subprocess.run
SPECIAL = re.compile(r"[;|&<]|> ")
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
    return _shown(_run, line, folder)


def in_a_shell(line: str, folder: Path) -> tuple[str, ...]:
    """The same from a real shell alone."""
    return _shown(_shell, line, folder)


def _shown(run: Callable[..., int], line: str, folder: Path) -> tuple[str, ...]:
    stream = io.StringIO()
    run(line, folder, stream, stream)
    text = stream.getvalue()
    return tuple(part.rstrip() for part in text.rstrip("\n").split("\n") if text)


def _run(line: str, folder: Path, out: TextIO, err: TextIO) -> int:
    """Do what the line says; its exit code."""
    if line.endswith(ECHO):
        code = _run(line.removesuffix(ECHO), folder, out, err)
        out.write(f"exit code {code}\n")
        return 0
    if moved := MOVED.fullmatch(line):
        return _run(moved["rest"], folder / moved["place"], out, err)
    if (kept := KEPT.fullmatch(line)) and (LOOP.fullmatch(kept["rest"]) or ";" not in kept["rest"]):
        with (folder / kept["file"]).open("w", encoding="utf-8") as file:
            return _run(kept["rest"], folder, file, err)
    if loop := LOOP.fullmatch(line):
        return _loop(loop, folder, out, err)
    if (piped := PIPED.fullmatch(line)) and _ours(piped["rest"]):
        between = io.StringIO()
        _run(piped["rest"], folder, between, err)
        return _shell(piped["filter"], folder, out, err, given=between.getvalue())
    return _command(line, folder, out, err)


def _loop(loop: re.Match[str], folder: Path, out: TextIO, err: TextIO) -> int:
    """`for NAME in WORDS` or `until COMMAND`, with commands that hold no semicolon of their own."""
    body = loop["body"].split("; ")
    if loop["until"]:
        while _run(loop["until"], folder, out, err):
            for part in body:
                _run(part, folder, out, err)
    for word in (loop["words"] or "").split():
        for part in body:
            _run(part.replace(f"${loop['name']}", word), folder, out, err)
    return 0


def _command(line: str, folder: Path, out: TextIO, err: TextIO) -> int:
    if _ours(line):
        return _in_process(main, _words(line, folder), folder, out, err)
    if re.match(r"python \w+\.py\b", line) and not SPECIAL.search(line):
        words = shlex.split(line)[1:]
        code = _in_process(lambda: _script(folder / words[0]), words, folder, out, err)
        assert code == 0, (line, code)
        return code
    return _shell(line, folder, out, err)


def _ours(line: str) -> bool:
    """Whether the line is one assaymark command, with nothing left to do for a shell but its words."""
    return line.startswith("assaymark ") and not SPECIAL.search(line.replace(">= ", ""))


def _words(line: str, folder: Path) -> list[str]:
    if "$" not in line:
        return shlex.split(line)
    shown = io.StringIO()
    _shell(f"printf '%s\\0' {line}", folder, shown, shown)
    return shown.getvalue().split("\0")[:-1]


def _script(path: Path) -> None:
    with warnings.catch_warnings(), mock.patch.object(subprocess, "run", _started):
        warnings.simplefilter("ignore")
        runpy.run_path(str(path), run_name="__main__")


def _started(command: list[str], **options: Any) -> "subprocess.CompletedProcess[str]":
    """`subprocess.run` of a script on a page: assaymark and other scripts stay in this process."""
    python, *words = command
    if python != sys.executable or options.keys() - {"check", "capture_output"}:
        return PROGRAM(command, **options)
    here, stream = Path.cwd(), io.StringIO() if options.get("capture_output") else sys.stdout
    if words[:2] == ["-m", "assaymark"]:
        code = _in_process(main, words[1:], here, stream, stream)
    else:
        code = _in_process(lambda: _script(here / words[0]), words, here, stream, stream)
    done = subprocess.CompletedProcess(command, code)
    if options.get("check"):
        done.check_returncode()
    return done


def _in_process(
    program: Callable[[], None], words: list[str], folder: Path, out: TextIO, err: TextIO
) -> int:
    with (
        contextlib.chdir(folder),
        mock.patch.object(sys, "argv", words),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            program()
        except SystemExit as stop:
            return stop.code if isinstance(stop.code, int) else int(bool(stop.code))
    return 0


def _shell(line: str, folder: Path, out: TextIO, err: TextIO, *, given: str = "") -> int:
    here = Path(sys.executable).parent
    settings = {
        **os.environ,
        "PATH": f"{here}{os.pathsep}{os.environ['PATH']}",
        "PYTHONUTF8": "1",
        "NO_COLOR": "1",
    }
    done = PROGRAM(
        ["bash", "-c", line],
        cwd=folder,
        env=settings,
        input=given,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if out is err else subprocess.PIPE,
        encoding="utf-8",
        timeout=1800,
        check=False,
    )
    out.write(done.stdout)
    err.write(done.stderr or "")
    return done.returncode


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
