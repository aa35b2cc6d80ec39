"""What a certification that is computed step by step offers to whoever wants to take it up again."""

from dataclasses import dataclass
from typing import Any, Protocol, Self

from assaymark.stats.score_guided.kl_projection import Floats


class Steps(Protocol):
    """The state of a certification after `drawn` draws; what it holds is replaced, never edited."""

    drawn: int

    def copy(self) -> Self:
        """A state of its own that goes on from here."""
        ...

    def follow(self, draws: Any, marks: "list[Mark]") -> Floats:
        """The log wealth of every row after each further draw; block starts go to `marks`."""
        ...


@dataclass(frozen=True, kw_only=True, eq=False)
class Mark:
    """A state as it was when a block began, after this many draws."""

    drawn: int
    steps: Steps
