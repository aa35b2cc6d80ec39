"""How a batch is shown that was handed out, and how its labels get in."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from assaymark.claims.results import counted
from assaymark.terminal.output import advise, headline, quoted, rows

FILL = "fill in the column 'label'"


class Batch(Protocol):
    """Items to label. Without a file every one of them has a label already."""

    @property
    def items(self) -> Sequence[str]:
        """The items that need a label."""

    @property
    def known(self) -> int:
        """How many were drawn that have one."""

    @property
    def path(self) -> Path | None:
        """The file to fill in."""


def show_batch(
    batch: Batch,
    title: str,
    folder: Path,
    *,
    lines: Sequence[tuple[str, str]] = (),
    fill: str = FILL,
    flags: str = "",
    done: str = "",
    then: str = "",
) -> None:
    """What was handed out. `done` is the next command where nothing is left to label.

    `then` is the command after the labels are in, where that is not said by the one that takes them.
    """
    headline(f"{title} to label")
    file = ("file", str(batch.path or "none: every item has a label already"))
    known = f"{counted(batch.known, 'item')}, not handed out again"
    rows([file, *([("labelled before", known)] if batch.known else []), *lines])
    if batch.path is None:
        advise(f"assaymark {done or then} -p {quoted(folder)}")
        return
    advise_labels(batch.path, folder, fill=fill, flags=flags, then=then)


def advise_labels(
    path: Path, folder: Path, *, fill: str = FILL, flags: str = "", then: str = ""
) -> None:
    """How the labels of this file get in. The commands end the line, so that it can be pasted."""
    filled = quoted(path) if "'label'" in fill else "FILE"
    after = f"; assaymark {then} -p {quoted(folder)}" if then else ""
    advise(f"{fill}, then: assaymark label {filled}{flags} -p {quoted(folder)}{after}")
