"""Lock files: what lies beside a locked claim file, and how it agrees with the ledger."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assaymark.claims.canonical import canonical, read_json
from assaymark.claims.record import Record, stored
from assaymark.errors import InputError, VerificationError
from assaymark.ledger.events import Attempt, Entry, State

KIND = "assaymark lock"


@dataclass(frozen=True, kw_only=True)
class Lock(Record):
    """What lies beside a locked claim file: which event of which ledger holds its terms."""

    name: str
    file: str
    plan: int
    event: int
    hash: str


def lock_of(attempt: Attempt, entries: Sequence[Entry]) -> Lock:
    """The lock of a plan, from the ledger."""
    assert attempt.lock is not None, "asked of a locked plan"  # noqa: S101
    seq, event = attempt.lock
    return Lock(
        name=event.name, file=event.file, plan=event.plan, event=seq, hash=entries[seq - 1].hash
    )


def write_lock(lock: Lock) -> str:
    """The lock as canonical JSON text."""
    return canonical({"kind": KIND, "schema": lock.schema, **stored(lock)}) + "\n"


def latest_lock(state: State, name: str) -> Attempt | None:
    """The latest plan that a claim file of this name was locked to."""
    found = [attempt for attempt in state.attempts if attempt.lock and attempt.lock[1].name == name]
    return found[-1] if found else None


def read_lock(path: Path) -> Lock | None:
    """The lock in this file; None where there is no file."""
    if not path.exists():
        return None
    try:
        data = read_json(path.read_bytes().decode("utf-8"))
        if not isinstance(data, dict) or data.pop("kind", None) != KIND:
            raise ValueError("its 'kind' says otherwise")
    except (OSError, ValueError) as error:
        raise VerificationError(f"The file {str(path)!r} is not a usable lock: {error}.") from error
    return _lock(path, data)


def _lock(path: Path, data: dict[str, Any]) -> Lock:
    schema = data.get("schema")
    if isinstance(schema, int) and schema > Lock.schema:
        raise InputError(
            f"The lock {str(path)!r} has schema {schema}, and this version of assaymark reads schemas up "
            f"to {Lock.schema}. Install a newer assaymark to read it."
        )
    try:
        return Lock.from_dict(data)
    except (ValueError, TypeError) as error:
        raise VerificationError(f"The file {str(path)!r} is not a usable lock: {error}.") from error
