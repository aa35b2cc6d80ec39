"""Where a project keeps its ledger and finds its pool, when that is not in or beside its folder."""

import contextlib
import json
from pathlib import Path
from typing import Any

from assaymark.claims.canonical import read_json
from assaymark.errors import InputError
from assaymark.files.places import write_safely
from assaymark.hints import command, option
from assaymark.ledger import Ledger, open_ledger

LEDGER = "ledger.sqlite"
SEED_PART = "seed.part"
"""This side's part of a seed, until it is revealed."""
PLACE = "project.json"
"""Names the ledger, or the pool, that lies elsewhere on this machine. Never holds a password."""


def is_project(folder: Path) -> bool:
    """Whether the folder belongs to a project."""
    return (folder / LEDGER).is_file() or "ledger" in _place(folder)


def ledger_of(folder: Path) -> Ledger:
    """The ledger of the project in this folder; refused where the folder is not one."""
    if not is_project(folder):
        raise InputError(
            f"{str(folder)!r} is not an assaymark project (it has no {LEDGER}). Run {command('init')} "
            f"first, or name the project with {option('project', 'DIR')}."
        )
    return named_ledger(str(_place(folder).get("ledger", LEDGER)), folder)


def named_ledger(address: str, folder: Path) -> Ledger:
    """The ledger at this address; in a database it bears the folder's name unless #name is given."""
    return open_ledger(address, folder=folder, name=folder.absolute().name)


def private_folder(folder: Path) -> None:
    """Make the project folder, or take the one that is there, and close it to everybody else."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise InputError(f"The folder {str(folder)!r} cannot be made: {error.strerror}.") from error
    with contextlib.suppress(OSError):  # somebody else's folder, or a disk without such rights
        folder.chmod(0o700)


def remember_ledger(folder: Path, ledger: Ledger) -> None:
    """Have the folder say where its ledger is, in one step."""
    place = {key: value for key, value in _place(folder).items() if key != "ledger"}
    if ledger.address != LEDGER:
        place["ledger"] = ledger.address
    _write(folder, place)


def remember_pool(folder: Path, pool: str) -> None:
    """Have the folder say where the pool is on this machine."""
    _write(folder, {**_place(folder), "pool": str(Path(pool).expanduser().absolute())})


def pool_place(folder: Path) -> str | None:
    """Where the folder says the pool is on this machine; None where the ledger is right."""
    place = _place(folder).get("pool")
    return None if place is None else str(place)


def _place(folder: Path) -> dict[str, Any]:
    path = folder / PLACE
    if not path.is_file():
        return {}
    try:
        return dict(read_json(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError) as error:
        raise InputError(
            f"The file {PLACE} of the project cannot be read. It should hold JSON such as "
            '{"ledger": "postgresql://user@host/database#name"}.'
        ) from error


def _write(folder: Path, place: dict[str, Any]) -> None:
    path = folder / PLACE
    if not place:
        path.unlink(missing_ok=True)
        return
    write_safely(path, json.dumps(place, indent=1) + "\n")
