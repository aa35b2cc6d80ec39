"""Door 2, append-only: events behind one protocol, hash-chained, durable before acknowledged."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol
from urllib.parse import parse_qsl, urlsplit

from assaymark.errors import InputError
from assaymark.hints import option
from assaymark.ledger.events import Entry, Event
from assaymark.ledger.head import Head
from assaymark.plugins import Registry, takes


class Writer(Protocol):
    """The ledger while nobody else can write to it. `entries` are those after the known head."""

    entries: list[Entry]

    def append(self, events: Sequence[Event], *, time: str) -> None:
        """Add these events to the end; all become durable together, or none does."""
        ...

    def copy(self, entries: Sequence[Entry]) -> None:
        """Add entries of another ledger as they are: hashes, times and all."""
        ...

    def retire(self, moved_to: str) -> None:
        """Close the ledger for good when the lock is given back: its events live on elsewhere."""
        ...


class Ledger(Protocol):
    """What every store of events can do."""

    @property
    def address(self) -> str:
        """Where it is, as people write it; never with a password."""
        ...

    def create(self) -> None:
        """Make an empty ledger unless there is one."""
        ...

    def entries(self, after: Entry | None = None) -> list[Entry]:
        """All events in order, or those after a known head, once their chain was checked."""
        ...

    def remembered(self) -> Head | None:
        """The head kept beside the ledger at the last commit; None where none is kept."""
        ...

    def writing(self, after: Entry | None = None) -> AbstractContextManager[Writer]:
        """The ledger, locked, for reading on from a known head and appending in one go."""
        ...

    def held(self) -> AbstractContextManager[None]:
        """The ledger kept ready by somebody who will write often. Locks nothing."""
        ...


ENDING = ".sqlite"
SECRET = (
    "password",
    "sslpassword",
    "passfile",
    "scram_client_key",
    "scram_server_key",
    "oauth_client_secret",
)
"""What the query of a PostgreSQL address may not hold: the project remembers the address."""


def open_ledger(address: str, *, folder: Path, name: str) -> Ledger:
    """The ledger at this address: a file of the project folder, or a PostgreSQL database.

    `name` tells the ledgers of one database apart, unless the address ends in #name.
    """
    scheme, mark, _ = address.partition("://")
    if not mark:
        _refuse_path(address)
        from assaymark.ledger.sqlite import SqliteLedger

        return SqliteLedger(folder / address)
    if scheme in LEDGERS:
        return LEDGERS[scheme](address, name)
    if scheme in LEDGERS.refused:
        LEDGERS.find("ledger", scheme)
    raise InputError(
        f"A ledger cannot be kept at {scheme}://…. Give postgresql://user@host/database, or leave "
        f"{option('ledger')} out to keep it in the project folder."
    )


def _postgres(address: str, name: str) -> Ledger:
    _refuse_secrets(address)
    from assaymark.ledger.postgres import PostgresLedger

    return PostgresLedger.at(address, name=name)


LEDGERS: Registry[Callable[[str, str], Ledger]] = Registry(
    "assaymark.ledgers",
    {"postgresql": _postgres, "postgres": _postgres},
    takes("address", "name"),
)
"""Opens a ledger in a database, by the scheme of its address."""


def _refuse_path(name: str) -> None:
    """Refuse a file elsewhere: the project remembers a name, and would not find the file again."""
    plain = name.endswith(ENDING) and not name.startswith(".") and name.isprintable()
    if not plain or any(mark in name for mark in "/\\:"):
        shown = (
            "such an address" if {"@", "="} & set(name) else repr(name)
        )  # it may hold a password
        raise InputError(
            f"A ledger cannot be kept at {shown}. Give the name of a file of the project folder that "
            f"ends in {ENDING}, such as ledger{ENDING}, or postgresql://user@host/database."
        )


def _refuse_secrets(address: str) -> None:
    try:
        address.encode()
        parts = urlsplit(address)
        keys = [key.strip().lower() for key, _ in parse_qsl(parts.query, keep_blank_values=True)]
    except ValueError as error:
        raise InputError(
            "The ledger's address cannot be read. Give it as postgresql://user@host/database#name."
        ) from error
    if set("@?=/") & set(parts.fragment):  # a password that holds # ends up here
        raise InputError(
            "The name of a ledger, after # in its address, holds none of @ ? = /. A password does not "
            "belong into the address."
        )
    secret = next((key for key in SECRET if key in keys), None)
    if secret:
        raise InputError(
            f"Leave {secret} out of the ledger's address, because the project remembers it. Give the "
            "password by the environment variable PGPASSWORD or the file ~/.pgpass."
        )
