"""What every engine keeps to when it writes: beside first, moved at the end, over nothing."""

import uuid
from pathlib import Path

from assaymark.errors import EngineError, InputError


def refuse_taken(path: Path) -> None:
    """Refuse a name that is taken."""
    if path.exists():
        raise InputError(
            f"{str(path)!r} exists already. Choose another name: nothing is overwritten."
        )


def refuse_ending(path: Path, engine: str = "spark") -> None:
    """Refuse a kind of file that this engine does not write."""
    if engine == "spark" and path.suffix.lower() != ".parquet":
        raise InputError(
            f"Spark writes parquet: give a name that ends in .parquet, not {path.name!r}."
        )


def beside(path: Path) -> Path:
    """A new name in the same folder, to write under until all is there; hidden, ends in .part."""
    return path.with_name(f".{path.name}-{uuid.uuid4().hex[:12]}.part")


def new_folder(path: Path) -> Path:
    """A new folder beside the one to be made."""
    part = beside(path)
    try:
        part.mkdir(parents=True)  # with the rights of any folder: other users' executors write here
    except OSError as error:
        raise InputError(
            f"The folder {str(path)!r} cannot be written: {error.strerror}."
        ) from error
    return part


def refuse_other_number(path: Path, written: int, expected: int) -> None:
    """Refuse a file that has not as many rows as there should be."""
    if written != expected:
        raise EngineError(
            f"{path.name!r} got {written:,} rows where {expected:,} were counted: the pool changed "
            "meanwhile, or this machine does not see all that was written. Nothing was kept; run it "
            "again, and write to a file system that all machines of the cluster share."
        )
