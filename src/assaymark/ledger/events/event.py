"""What every event is, and the registry of those that can happen.

An event is registered once, where its class stands: what follows from it, and when it cannot have
happened.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from assaymark.claims.canonical import canonical, read_json
from assaymark.claims.record import Record, restored, stored
from assaymark.errors import InputError, VerificationError, message_of

if TYPE_CHECKING:
    from assaymark.ledger.events.chain import Entry
    from assaymark.ledger.events.state import State

E = TypeVar("E", bound="Event")
E_co = TypeVar("E_co", bound="Event", covariant=True)


@dataclass(frozen=True, kw_only=True)
class Event(Record):
    """Something that happened. `body` is what the ledger stores of it."""

    @property
    def kind(self) -> str:
        """The event's name in the ledger."""
        return type(self).__name__

    def body(self) -> str:
        """The event as canonical JSON."""
        return canonical(stored(self))


@dataclass(frozen=True, kw_only=True)
class Answered(Event):
    """What every answer may carry: how long it took, a remark, and when another tool took it.

    Each is left out where there is none. So is `question` where the project asks only one.
    """

    item: str
    annotator: str
    seconds: float | None = None
    note: str | None = None
    answered: str | None = None
    question: str | None = None

    @property
    def decision(self) -> int | None:
        """The label that settles a disagreement, where this answer does."""
        return None

    @property
    def withdraws(self) -> bool:
        """Whether the answer takes back that the item is relevant."""
        return False


def check_file_name(name: str) -> None:
    """Refuse the name of a project file that leads out of the folder: a stranger may have written it.

    >>> check_file_name("reserve/plan-1-1.parquet")
    """
    # Windows drops dots and blanks at the end of a name, and gives ":" a meaning of its own
    odd = any(part != part.rstrip(". ") or not part for part in name.split("/"))
    if odd or "\\" in name or ":" in name or not name.isprintable():
        raise InputError(f"{name[:80]!r} is no name of a file inside a project folder.")


@dataclass(frozen=True, kw_only=True)
class Stamped(Generic[E_co]):
    """An event with its number in the ledger and its time."""

    seq: int
    time: str
    event: E_co


def stamped(event: E, entry: "Entry") -> Stamped[E]:
    """The event as its entry was sealed."""
    return Stamped(seq=entry.seq, time=entry.time, event=event)


@dataclass(frozen=True, kw_only=True)
class Kind:
    """An event, what follows from it, and the rule that names its fault if it cannot have happened."""

    event: type[Event]
    follows: "Callable[[State, Any, Entry], None]"
    fault: "Callable[[State, Any], str | None]"


KINDS: dict[str, Kind] = {}


def register(
    event: type[Event],
    *,
    follows: "Callable[[State, Any, Entry], None]",
    fault: "Callable[[State, Any], str | None]",
) -> None:
    """Add an event to those that can happen."""
    KINDS[event.__name__] = Kind(event=event, follows=follows, fault=fault)


def read_event(kind: str, body: str) -> Any:
    """The event that was stored under this kind.

    A kind whose shape changes gets a number: `Kind/2`. One without a number is the first.
    """
    if kind not in KINDS:
        raise VerificationError(_unknown(kind, body))
    try:
        return restored(KINDS[kind].event, read_json(body))
    except (InputError, TypeError, ValueError, AttributeError) as error:
        raise VerificationError(
            f"An event of kind '{kind}' cannot be read: {message_of(error)}"
        ) from error


def _unknown(kind: str, body: str) -> str:
    try:
        software = read_json(body).get("software")
    except (ValueError, AttributeError):
        software = None
    reader = f"assaymark {software} or newer" if software else "a newer assaymark"
    return (
        f"The ledger holds an event of kind '{kind}', which this version of assaymark does not know. "
        f"Install {reader} to read it."
    )
