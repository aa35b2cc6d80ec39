"""Items that have any number of labels at once (tags): a set of them is one class, with one name."""

import itertools
from collections.abc import Iterable, Sequence
from functools import lru_cache

SEPARATOR = ";"
MOST_TAGS = 8
"""A set is one outcome, so n tags have 2ⁿ of them."""


def set_name(members: Iterable[str], tags: Sequence[str]) -> str:
    """The one name of a set: its tags in the order of the list. The empty set has no name.

    >>> set_name({"sport", "news"}, ["news", "sport"])
    'news; sport'
    """
    inside = set(members)
    return f"{SEPARATOR} ".join(tag for tag in tags if tag in inside)


def all_sets(tags: Sequence[str]) -> tuple[str, ...]:
    """The names of all sets but the empty one, small ones first.

    >>> all_sets(["a", "b"])
    ('a', 'b', 'a; b')
    """
    sizes = range(1, len(tags) + 1)
    return tuple(
        set_name(chosen, tags) for size in sizes for chosen in itertools.combinations(tags, size)
    )


@lru_cache(maxsize=4096)
def members(name: str) -> frozenset[str]:
    """The tags of a set.

    >>> sorted(members("news; sport"))
    ['news', 'sport']
    """
    return frozenset(filter(None, map(str.strip, name.split(SEPARATOR))))
