"""Lock files: what lies beside a locked claim file, and how it agrees with the ledger."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assaymark.claims.canonical import canonical, read_json
from assaymark.claims.record import Record, stored
from assaymark.errors import InputError, VerificationError
from assaymark.ledger.events import Attempt, Entry, State, SurveyWork

KIND = "assaymark lock"


@dataclass(frozen=True, kw_only=True)
class Lock(Record):
    """What lies beside a locked claim file: which event of which ledger holds its terms.

    A claim of several parts is sealed as a `survey`, any other as a `plan`.
    """

    name: str
    file: str
    plan: int | None = None
    survey: int | None = None
    event: int
    hash: str


Sealed = Attempt | SurveyWork
"""What a claim file was locked to: a plan, or the survey of a claim of several parts."""


def lock_of(sealed: Sealed, entries: Sequence[Entry]) -> Lock:
    """The lock of what was sealed, from the ledger."""
    assert sealed.lock is not None, "asked of a locked plan"  # noqa: S101
    seq, event = sealed.lock.seq, sealed.lock.event
    return Lock(
        name=event.name,
        file=event.file,
        plan=event.plan,
        survey=event.survey,
        event=seq,
        hash=entries[seq - 1].hash,
    )


def write_lock(lock: Lock) -> str:
    """The lock as canonical JSON text."""
    return canonical({"kind": KIND, "schema": lock.schema, **stored(lock)}) + "\n"


def latest_lock(state: State, name: str) -> Sealed | None:
    """The latest plan or survey that a claim file of this name was locked to."""
    works: list[Sealed] = [*state.attempts, *state.surveys]
    by_event = {work.lock.seq: work for work in works if work.lock and work.lock.event.name == name}
    return by_event[max(by_event)] if by_event else None


def read_lock(path: Path) -> Lock | None:
    """The lock in this file; None where there is no file."""
    if not path.exists():
        return None
    try:
        data = read_json(path.read_bytes().decode("utf-8"))
        if not isinstance(data, dict) or data.pop("kind", None) != KIND:
            raise ValueError("its 'kind' says otherwise")
    except OSError as error:
        raise VerificationError(
            f"The lock {str(path)!r} cannot be read: {error.strerror}."
        ) from error
    except ValueError as error:
        raise VerificationError(f"The file {str(path)!r} is not a usable lock: {error}.") from error
    return _lock(path, data)


def _lock(path: Path, data: dict[str, Any]) -> Lock:
    schema = data.get("schema", Lock.schema)
    if type(schema) is not int or schema < 1:
        raise VerificationError(
            f"The file {str(path)!r} is not a usable lock: its schema is {schema!r}."
        )
    if schema > Lock.schema:
        raise InputError(
            f"The lock {str(path)!r} has schema {schema}, and this version of assaymark reads schemas up "
            f"to {Lock.schema}. Install a newer assaymark to read it."
        )
    try:
        return Lock.from_dict(data)
    except (ValueError, TypeError) as error:
        raise VerificationError(f"The file {str(path)!r} is not a usable lock: {error}.") from error
