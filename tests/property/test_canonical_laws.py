"""Canonical JSON: the bytes of RFC 8785, what it refuses, and what comes back."""

import json
from dataclasses import dataclass

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from assaymark.claims.canonical import canonical
from assaymark.claims.record import Record, rebuild, stored
from assaymark.errors import InputError
from assaymark.records.pool import Histogram

WORDS = st.text(st.characters(exclude_categories=["Cs"]))
NUMBERS = st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | WORDS,
    lambda inner: st.lists(inner) | st.dictionaries(WORDS, inner),
    max_leaves=20,
)


@given(VALUES)
def test_the_bytes_are_those_of_the_standard(value) -> None:
    assert canonical(value).encode() == rfc8785.dumps(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1"),
        (1e-7, "1e-7"),
        (1e-5, "0.00001"),
        (1e21, "1e+21"),
        (333333333.33333329, "333333333.3333333"),
        (
            {"\u20ac": 1, "\r": 2, "\U0001f600": 3, "\ufb33": 4},
            '{"\\r":2,"\u20ac":1,"\U0001f600":3,"\ufb33":4}',
        ),
    ],
)
def test_examples_that_python_writes_otherwise(value, text) -> None:
    assert canonical(value) == text


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"id": "a\ud800b"}, "lone surrogate"),
        ({"\udc00": 1}, "lone surrogate"),
        ([float("nan")], "not finite"),
        ([float("-inf")], "not finite"),
        ([2**53], "safe integer"),
    ],
)
def test_what_cannot_be_canonical_is_refused(value, said) -> None:
    with pytest.raises(InputError, match=said):
        canonical(value)


@dataclass(frozen=True, kw_only=True)
class Noun(Record):
    share: float
    shares: tuple[float, ...] = ()
    missing: int | None


def test_what_is_stored_comes_back() -> None:
    """Whole floats as floats, sums beyond 2^53 as whole numbers, absent fields as None."""
    found = Histogram(edges=(0, 2**20), counts=(9_000_000,), sums=(2**53 + 1,))
    text = canonical(stored(found))
    assert '"sums":["9007199254740993"]' in text
    assert rebuild(Histogram, json.loads(text)) == found
    noun = Noun(share=1.0, shares=(0.0, 2.0), missing=None)
    assert canonical(stored(noun)) == '{"share":1,"shares":[0,2]}'
    again = rebuild(Noun, json.loads(canonical(stored(noun))))
    assert again == noun
    assert type(again.share) is type(again.shares[0]) is float


def test_unknown_fields_and_second_spellings_are_refused() -> None:
    with pytest.raises(InputError, match="knows no field 'more'"):
        rebuild(Noun, {"share": 1, "more": 2})
    with pytest.raises(InputError, match="not how a whole number is stored"):
        rebuild(Histogram, {"edges": [0], "counts": ["5"], "sums": [1]})
