"""Frozen dataclasses to plain JSON values and back, with a schema number on top."""

import dataclasses
import functools
import types
import typing
from collections.abc import Callable
from typing import Any, ClassVar, Self

from assaymark.claims.canonical import SAFE
from assaymark.errors import InputError

SCHEMA = 1


def plain(value: Any) -> Any:
    """The value as dicts, lists, text, numbers and None."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {name: plain(getattr(value, name)) for name in _names(type(value))}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    return value


def stored(value: Any) -> Any:
    """The value as it is stored: absent fields are left out, large whole numbers are text.

    Documents without a shape of their own (what a survey was asked and answered) are kept whole.
    A noun whose stored shape is another one says so by `to_shape`, and `shape` and `from_shape`
    read it back.

    >>> stored({"items": 2**53})
    {'items': '9007199254740992'}
    """
    kind = type(value)
    if kind is str or kind is bool or kind is float:
        return value
    if kind is int:
        return value if -SAFE < value < SAFE else str(value)
    if kind is tuple or kind is list:
        return list(value) if _are_plain(value) else [stored(item) for item in value]
    if isinstance(value, dict):
        return {str(key): stored(item) for key, item in value.items()}
    if dataclasses.is_dataclass(kind):
        if hasattr(kind, "to_shape"):
            return stored(value.to_shape())
        fields = {name: getattr(value, name) for name in _names(kind)}
        return {name: stored(item) for name, item in fields.items() if item is not None}
    return value


def _are_plain(values: tuple[Any, ...] | list[Any]) -> bool:
    """Whether all are numbers or texts that are stored as they are: long lists nearly always."""
    kinds = set(map(type, values))
    if kinds <= {str, bool, float}:
        return True
    return kinds == {int} and -SAFE < min(values) <= max(values) < SAFE


@functools.cache
def _names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind))


def rebuild(kind: Any, value: Any) -> Any:
    """The value that `plain` made from a `kind`, as a `kind` again."""
    return None if value is None else _builder(kind, shaped=False)(value)


def restored(kind: Any, value: Any) -> Any:
    """The value that `stored` made from a `kind`, as a `kind` again."""
    return None if value is None else _restorer(kind)(value)


Builder = Callable[[Any], Any]


@functools.cache
def _restorer(kind: Any) -> Builder:
    return _builder(kind, shaped=True)


@functools.cache
def _builder(kind: Any, *, shaped: bool) -> Builder:
    """How to rebuild a kind; worked out once, because ledgers hold many of the same."""
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        kinds = [arg for arg in args if arg is not type(None)]
        return _builder(kinds[0], shaped=shaped) if len(kinds) == 1 else _listed
    again = restored if shaped else rebuild
    if origin is tuple:
        return _tuple_builder(_builder(args[0], shaped=shaped))
    if origin is dict:
        return lambda value: {key: again(args[1], item) for key, item in value.items()}
    if shaped and hasattr(kind, "to_shape"):
        build = _builder(kind.shape, shaped=True)
        return lambda value: kind.from_shape(build(value))
    if dataclasses.is_dataclass(kind):
        return _record_builder(kind, shaped=shaped)
    simple: dict[Any, Builder] = {float: float, int: _whole}
    return simple.get(kind, _as_it_is)


def _tuple_builder(part: Builder) -> Builder:
    # what needs no work is taken over at once: histograms are long
    same = {_whole: {int}, float: {float}, _as_it_is: {str}}.get(part)

    def build(value: Any) -> Any:
        if same is not None and type(value) is list and set(map(type, value)) == same:
            return tuple(value)
        return tuple(None if item is None else part(item) for item in value)

    return build


def _as_it_is(value: Any) -> Any:
    return value


def _listed(value: Any) -> Any:
    """One of several kinds of plain values; a list of them is a tuple here."""
    return tuple(value) if type(value) is list else value


def _whole(value: Any) -> Any:
    """A whole number; those beyond 2^53 are stored as text, smaller ones never."""
    if type(value) is not str:
        return value
    number = int(value)
    if str(number) != value or abs(number) < SAFE:
        raise InputError(f"{value!r} is not how a whole number is stored.")
    return number


_SAME: dict[Builder, frozenset[type]] = {
    float: frozenset((float,)),
    _whole: frozenset((int,)),
    _listed: frozenset((int, str)),
}
"""What each of these builders gives back unchanged."""


def _record_builder(kind: Any, *, shaped: bool) -> Builder:
    hints = typing.get_type_hints(kind)
    builders = {
        field.name: _builder(hints[field.name], shaped=shaped) for field in dataclasses.fields(kind)
    }
    names = builders.keys()
    # what most values are is taken over as it is: ledgers hold many of the same
    nested = [
        (name, build, _SAME.get(build, frozenset()))
        for name, build in builders.items()
        if build is not _as_it_is
    ]
    nested.sort(key=lambda one: one[1] is not _whole)
    defaults, make = _defaults(kind, hints), maker(kind)

    def build(value: dict[str, Any]) -> Any:
        fields = defaults | value
        complete = fields.keys() == names
        if not complete and not names >= fields.keys():
            unknown = ", ".join(repr(name) for name in value if name not in builders)
            raise InputError(
                f"This version of assaymark knows no field {unknown} of a {kind.__name__}."
            )
        for name, part, same in nested:
            stored_as = value.get(name)
            if stored_as is None or type(stored_as) in same:
                continue
            try:
                fields[name] = part(stored_as)
            except (TypeError, KeyError, AttributeError) as error:
                raise InputError(f"the field '{name}' cannot be read: {error}") from error
        return make(fields) if complete else kind(**fields)

    return build


def _defaults(kind: Any, hints: dict[str, Any]) -> dict[str, Any]:
    """What fields are where they were not stored, but for those that are made each time."""
    defaults = {}
    for field in dataclasses.fields(kind):
        made = field.default_factory is not dataclasses.MISSING
        if field.default is not dataclasses.MISSING:
            defaults[field.name] = field.default
        elif type(None) in typing.get_args(hints[field.name]) and not made:
            defaults[field.name] = None  # what may be absent and has no value of its own is absent
    return defaults


def maker(kind: Any) -> Callable[[dict[str, Any]], Any]:
    """How to make a frozen dataclass from all of its fields, in a dictionary that becomes its own.

    Its constructor is slow: it is left out where it only sets the fields.
    """
    made = any(not field.init for field in dataclasses.fields(kind))
    if made or hasattr(kind, "__post_init__") or not kind.__dictoffset__:
        return lambda fields: kind(**fields)

    def make(fields: dict[str, Any]) -> Any:
        record = object.__new__(kind)
        object.__setattr__(record, "__dict__", fields)
        return record

    return make


class Record:
    """A frozen noun that can be written as JSON and read back unchanged."""

    schema: ClassVar[int] = SCHEMA

    def to_dict(self) -> dict[str, Any]:
        """Plain values with the schema number beside them."""
        return {"schema": self.schema, **plain(self)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """The noun that `to_dict` wrote. Refuses a schema newer than this program."""
        schema = data.get("schema", cls.schema)
        if schema > cls.schema:
            raise InputError(
                f"This {cls.__name__.lower()} has schema {schema}, and this version of assaymark reads "
                f"schemas up to {cls.schema}. Install a newer assaymark to read it."
            )
        body = {key: value for key, value in data.items() if key != "schema"}
        return typing.cast(Self, rebuild(cls, body))
