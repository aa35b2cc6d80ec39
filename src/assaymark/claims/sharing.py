"""Values that many cells share are worked on once: exact fractions are slow."""

from collections.abc import Callable, Mapping
from typing import TypeVar

Value = TypeVar("Value")
Made = TypeVar("Made")


def made_once(values: Mapping[int, Value], make: Callable[[Value], Made]) -> dict[int, Made]:
    """`make` of every value, called once for each object, however many cells share it.

    >>> pair = (1, 2)
    >>> made_once({0: pair, 7: pair}, sum)
    {0: 3, 7: 3}
    """
    known: dict[int, Made] = {}
    cache: dict[int, Made] = {}
    for cell, value in values.items():
        if id(value) not in known:
            known[id(value)] = make(value)
        cache[cell] = known[id(value)]
    return cache
