"""Frozen dataclasses to plain JSON values and back, with a schema number on top."""

import dataclasses
import functools
import types
import typing
from collections.abc import Callable
from typing import Any, ClassVar, Self

from assaymark.errors import InputError

SCHEMA = 1


def plain(value: Any) -> Any:
    """The value as dicts, lists, text, numbers and None."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    return value


def rebuild(kind: Any, value: Any) -> Any:
    """The value that `plain` made from a `kind`, as a `kind` again."""
    return None if value is None else _builder(kind)(value)


Builder = Callable[[Any], Any]


@functools.cache
def _builder(kind: Any) -> Builder:
    """How to rebuild a kind; worked out once, because ledgers hold many of the same."""
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        return _builder(next(a for a in args if a is not type(None)))
    if origin is tuple:
        return lambda value: tuple(rebuild(args[0], item) for item in value)
    if origin is dict:
        return lambda value: {key: rebuild(args[1], item) for key, item in value.items()}
    if dataclasses.is_dataclass(kind):
        return _record_builder(kind)
    return float if kind is float else _as_it_is


def _as_it_is(value: Any) -> Any:
    return value


def _record_builder(kind: Any) -> Builder:
    hints = typing.get_type_hints(kind)
    builders = {field.name: _builder(hints[field.name]) for field in dataclasses.fields(kind)}
    nested = {name: build for name, build in builders.items() if build is not _as_it_is}

    def build(value: dict[str, Any]) -> Any:
        found = {name: value[name] for name in builders if name in value}
        for name, make in nested.items():
            if found.get(name) is not None:
                try:
                    found[name] = make(found[name])
                except (TypeError, KeyError, AttributeError) as error:
                    raise InputError(f"the field '{name}' cannot be read: {error}") from error
        return kind(**found)

    return build


class Record:
    """A frozen noun that can be written as JSON and read back unchanged."""

    schema: ClassVar[int] = SCHEMA

    def to_dict(self) -> dict[str, Any]:
        """Plain values with the schema number beside them."""
        return {"schema": self.schema, **plain(self)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """The noun that `to_dict` wrote. Refuses a schema newer than this program."""
        found = data.get("schema", cls.schema)
        if found > cls.schema:
            raise InputError(
                f"This {cls.__name__.lower()} has schema {found}, and this version of assaymark reads "
                f"schemas up to {cls.schema}. Install a newer assaymark to read it."
            )
        body = {key: value for key, value in data.items() if key != "schema"}
        return typing.cast(Self, rebuild(cls, body))
