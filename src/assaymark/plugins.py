"""Registries that other packages can add to by entry points; a bad plug-in is refused by name.

Built-ins are registered where the registry stands. A package adds to it with an entry point of the
registry's group; what breaks the contract or takes a name that is in use is left out, and whoever
asks for it learns why. Nothing else is affected.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from inspect import signature
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from assaymark.claims.checks import choice
from assaymark.errors import InputError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Entry = TypeVar("Entry")


class Registry(Mapping[str, Entry], Generic[Entry]):
    """Name to entry: the built-ins, then what installed packages offer under `group`.

    `contract` turns what an entry point loads into an entry. It raises TypeError or ValueError
    where the contract is broken, and gives None where the plug-in offers nothing of this kind.
    Packages are looked at when a name is first asked for that is not built in, or at listing.
    """

    def __init__(
        self,
        group: str,
        built_in: Mapping[str, Entry],
        contract: Callable[[Any], Entry | None],
        *,
        reserved: Collection[str] = (),
    ) -> None:
        self.group = group
        self.built_in = dict(built_in)
        self._contract = contract
        self._taken = {*built_in, *reserved}

    @cached_property
    def _offered(self) -> tuple[dict[str, Entry], dict[str, str]]:
        from importlib.metadata import entry_points  # what is built in needs none

        entries: dict[str, Entry] = {}
        refused: dict[str, str] = {}
        points = sorted(entry_points(group=self.group), key=lambda point: (point.name, point.value))
        for point in points:
            place = _package(point)
            if point.name in self._taken or point.name in entries:
                refused[f"{point.name} of {place}"] = f"the name {point.name!r} is in use already"
                continue
            try:
                entry = self._contract(point.load())
            except (Exception, SystemExit) as error:  # noqa: BLE001 - a stranger's code
                name = f"{point.name} of {place}" if point.name in refused else point.name
                refused[name] = f"{type(error).__name__}: {error}"
                continue
            if entry is not None:
                entries[point.name] = entry
        return entries, refused

    @property
    def plugged(self) -> tuple[str, ...]:
        """The names that installed packages added."""
        return tuple(self._offered[0])

    @property
    def refused(self) -> dict[str, str]:
        """Plug-ins that were left out, and why."""
        return self._offered[1]

    def find(self, word: str, name: str, *, also: tuple[str, ...] = ()) -> Entry:
        """The entry of this name, or the sentence that says why there is none.

        `also` are words that the user may choose besides, and that never come here.
        """
        if name in self:
            return self[name]
        if name in self.refused:
            raise InputError(
                f"The plug-in {name!r} of {self.group} is refused: {self.refused[name]}. Correct or "
                f"remove its package, or choose one of {', '.join(self)}."
            )
        return self[choice(word, name, (*also, *self))]

    def __getitem__(self, name: str) -> Entry:
        if name in self.built_in:
            return self.built_in[name]
        return self._offered[0][name]

    def __iter__(self) -> Iterator[str]:
        yield from self.built_in
        yield from self._offered[0]

    def __len__(self) -> int:
        return len(self.built_in) + len(self._offered[0])


def _package(point: "EntryPoint") -> str:
    return point.dist.name if point.dist is not None else point.module


def takes(*places: str) -> Callable[[Any], Any]:
    """A contract: something that can be called with this many arguments, in this order.

    >>> takes("address", "name")(lambda address: None)
    Traceback (most recent call last):
    TypeError: it must be callable with (address, name)
    """

    def contract(offered: Any) -> Any:
        try:
            signature(offered).bind(*places)
        except (TypeError, ValueError) as error:
            raise TypeError(f"it must be callable with ({', '.join(places)})") from error
        return offered

    return contract
