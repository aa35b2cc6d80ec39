"""Values that many cells and rows share are worked on once: exact fractions are slow."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import TypeVar

Value = TypeVar("Value")
Made = TypeVar("Made")
MOST = 20_000


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


def shared(make: Callable[[Value], Made]) -> Callable[[Value], Made]:
    """The function, called once for each tuple, whoever asks.

    Tuples are compared by identity, since fractions are slow to compare, and are kept with what
    was made of them: as long as one is known, no other can have its identity. Anything else may
    change, so it is worked on every time.

    >>> shared(sum)((1, 2))
    3
    """
    known: dict[int, tuple[Value, Made]] = {}

    @wraps(make)
    def ask(value: Value) -> Made:
        if not isinstance(value, tuple):
            return make(value)
        answer = known.get(id(value))
        if answer is None:
            if len(known) >= MOST:
                known.clear()
            answer = known[id(value)] = (value, make(value))
        return answer[1]

    return ask
