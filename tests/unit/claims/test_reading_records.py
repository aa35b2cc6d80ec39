"""Stored records come back as their constructor makes them, and nothing else is taken for one."""

from dataclasses import dataclass, field

import pytest

from assaymark.claims.canonical import read_json
from assaymark.claims.record import maker, restored, stored
from assaymark.errors import InputError


@dataclass(frozen=True, kw_only=True)
class Plain:
    """Only sets its fields."""

    name: str
    note: str | None
    size: int = 3
    parts: tuple[int, ...] = (1, 2)


@dataclass(frozen=True, kw_only=True)
class Checked:
    """Looks at what it is given, and makes a list of its own."""

    share: float
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.share > 1:
            raise InputError("A share is at most 1.")


@pytest.mark.parametrize(
    "record",
    [
        Plain(name="a", note=None),
        Plain(name="b", note="x", size=2**60, parts=()),
        Checked(share=1.0),
    ],
)
def test_what_is_stored_comes_back_equal(record: object) -> None:
    twin = restored(type(record), stored(record))
    assert twin == record
    assert repr(twin) == repr(record)


def test_absent_fields_have_their_defaults() -> None:
    assert restored(Plain, {"name": "a"}) == Plain(name="a", note=None)
    first, second = restored(Checked, {"share": 0.5}), restored(Checked, {"share": 0.5})
    assert first.notes == []
    assert first.notes is not second.notes


def test_what_a_constructor_refuses_is_refused() -> None:
    with pytest.raises(InputError, match="at most 1"):
        restored(Checked, {"share": 2.0})


def test_a_field_too_many_or_too_few_is_refused() -> None:
    with pytest.raises(InputError, match="no field 'colour' of a Plain"):
        restored(Plain, {"name": "a", "colour": "red"})
    with pytest.raises(InputError, match="no field 'colour' of a Plain"):
        restored(Plain, {"colour": "red"})  # as many fields as there should be
    with pytest.raises(TypeError, match="name"):
        restored(Plain, {"note": "x"})


def test_a_record_that_was_made_without_its_constructor_is_frozen_too() -> None:
    made = maker(Plain)({"name": "a", "note": None, "size": 1, "parts": ()})
    assert made == Plain(name="a", note=None, size=1, parts=())
    with pytest.raises(AttributeError):
        made.name = "b"


def test_text_is_read_whole_or_not_at_all() -> None:
    assert read_json(' {"a": [1, "x"]}\n') == read_json('{"a":[1,"x"]}') == {"a": [1, "x"]}
    for text in ('{"a":1},{"a":2}', '{"a":1}x', "", " ", "{", '{"a":}', "[" * 100_000):
        with pytest.raises(ValueError):  # noqa: PT011 - the words are Python's
            read_json(text)
