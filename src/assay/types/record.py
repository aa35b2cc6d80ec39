"""Frozen dataclasses to plain JSON values and back, with a schema number on top."""

import dataclasses
import types
import typing
from typing import Any, ClassVar, Self

from assay.errors import InputError

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
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if value is None or kind is Any:
        return value
    if origin in (types.UnionType, typing.Union):
        return rebuild(next(a for a in args if a is not type(None)), value)
    if origin is tuple:
        return tuple(rebuild(args[0], item) for item in value)
    if origin is dict:
        return {key: rebuild(args[1], item) for key, item in value.items()}
    if dataclasses.is_dataclass(kind):
        return _rebuilt(kind, value)
    if kind is float:
        return float(value)
    return value


def _rebuilt(kind: Any, value: dict[str, Any]) -> Any:
    hints = typing.get_type_hints(kind)
    found = {}
    for field in dataclasses.fields(kind):
        if field.name in value:
            try:
                found[field.name] = rebuild(hints[field.name], value[field.name])
            except (TypeError, KeyError, AttributeError) as error:
                raise InputError(f"the field '{field.name}' cannot be read: {error}") from error
    return kind(**found)


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
                f"This {cls.__name__.lower()} has schema {found}, and this version of assay reads "
                f"schemas up to {cls.schema}. Install a newer assay to read it."
            )
        body = {key: value for key, value in data.items() if key != "schema"}
        return typing.cast(Self, rebuild(cls, body))
