"""Take a ledger to another place, entry by entry, without touching its chain."""

from dataclasses import dataclass
from pathlib import Path

from assaymark.errors import InputError, LedgerError, PlanError
from assaymark.ledger import Ledger
from assaymark.ledger.events import Entry, check_story
from assaymark.project.folder import Project
from assaymark.project.place import (
    LEDGER,
    is_project,
    named_ledger,
    private_folder,
    remember_ledger,
    remember_pool,
)


@dataclass(frozen=True, kw_only=True)
class Moved:
    """Where a ledger went, and the head hash that it had before and has now."""

    before: str
    now: str
    events: int
    head: str


def move_ledger(project: Project, address: str) -> Moved:
    """Copy the ledger to this address, close the old one, and have the project say so.

    The old ledger is locked meanwhile, so nothing can be lost between the two. If it breaks off in
    the middle, the old ledger is still the project's, and the move can be repeated.
    """
    old = project.ledger
    new = named_ledger(address, project.folder)
    if new.address == old.address:
        raise PlanError(f"The ledger already is at {old.address}.")
    new.create()
    with old.writing() as source:
        copy_entries(source.entries, new)
        _read_back(project.folder, new, source.entries)
        source.retire(new.address)
        if old.address == LEDGER:  # before its file is renamed, or the folder would have no ledger
            remember_ledger(project.folder, new)
    remember_ledger(project.folder, new)
    head = source.entries[-1].hash if source.entries else ""
    return Moved(before=old.address, now=new.address, events=len(source.entries), head=head)


def copy_entries(entries: list[Entry], new: Ledger) -> None:
    """Fill an empty ledger with these entries; one that was begun by an earlier try is completed."""
    with new.writing() as target:
        known = len(target.entries)
        if target.entries != entries[:known]:
            raise InputError(
                f"The ledger {new.address!r} holds other events. Choose another name for this one: "
                "postgresql://…/database#name."
            )
        target.copy(entries[known:])


def _read_back(folder: Path, new: Ledger, entries: list[Entry]) -> None:
    """Refuse to go on unless the address that the project will remember leads to these entries."""
    if named_ledger(new.address, folder).entries() != entries:
        raise LedgerError(
            f"The ledger at {new.address!r} does not hold what was written to it. Nothing was moved: the "
            "project works on with its old ledger."
        )


def join(folder: Path, *, ledger: str, pool: str | None = None) -> Project:
    """A project folder on this machine for a ledger that others work on already."""
    if is_project(folder):
        raise InputError(f"{str(folder)!r} already is an assaymark project. Choose another folder.")
    store = named_ledger(ledger, folder)
    entries = store.entries()
    if not entries:
        raise InputError(f"The ledger {store.address!r} is empty: there is nothing to join.")
    check_story(entries)
    private_folder(folder)
    remember_ledger(folder, store)
    if pool is not None:
        remember_pool(folder, pool)
    return Project(folder=folder)
