"""Files that appear whole or not at all, and never in the place of another."""

import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from assaymark.errors import InputError

BatchRow = dict[str, str | None]
"""One item to label: its id and its texts by column."""


def joined(row: BatchRow, columns: Sequence[str]) -> str:
    """The texts of these columns one after the other, for tools that show a single text."""
    return "\n\n".join(text for name in columns if (text := row.get(name)))


def refuse_existing(path: Path, *, because: str = "may hold labels") -> None:
    """Refuse to write over a file, or where there is no folder for it."""
    if path.exists():
        raise InputError(
            f"{str(path)!r} exists already and {because}. Choose another name, or remove it first."
        )
    if not path.parent.is_dir():
        raise InputError(f"There is no folder {str(path.parent)!r} to write {path.name!r} into.")


KEPT = "is not written over"
"""Why a file that holds no labels stays as it is."""
PRIVATE = 0o600
"""Rights of what holds items or settings: nobody else on the machine reads it."""
SHARED = 0o666
"""Rights of what is made to be handed on, less what the user's umask takes away."""


def write_safely(path: Path, text: str, *, mode: int = PRIVATE) -> None:
    """The whole file or nothing of it: written beside its place, then moved there."""
    with part_of(path, mode=mode) as part, part.open("w", encoding="utf-8", newline="") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())


@contextmanager
def part_of(path: Path, *, mode: int = PRIVATE) -> Iterator[Path]:
    """A new file beside the place to write it in; moved to its name when all went well.

    Its name is random and it is made with O_EXCL, so that a link laid in its place beforehand
    leads nowhere and two writers do not share it.
    """
    part = path.with_name(f".{path.name[:100]}-{secrets.token_hex(8)}.part")
    try:
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
        yield part
        part.replace(path)
    except OSError as error:
        raise InputError(f"{path.name!r} cannot be written: {error.strerror or error}.") from error
    finally:
        part.unlink(missing_ok=True)
