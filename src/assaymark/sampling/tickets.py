"""Which item comes next: a pure function of the seed, so that a stranger can repeat it.

An item's ticket is SHA-256 of "seed:id"; items are taken lowest ticket first. The simple design
draws with replacement in law: at draw t one of the k items drawn before comes again with
chance k/N, decided by the seed; otherwise the next unused ticket is taken. The weighted design
draws without replacement: the seed picks a stratum by the stored chances, then its next ticket.
"""

import hashlib
import itertools
from collections.abc import Sequence
from dataclasses import dataclass


def ticket(seed: str, item: str) -> str:
    """The item's ticket: lowercase hex SHA-256 of "seed:id".

    >>> ticket("s", "1")[:8]
    '1b25f38c'
    """
    return hashlib.sha256(f"{seed}:{item}".encode()).hexdigest()


def blind_order(seed: str, items: Sequence[str]) -> list[str]:
    """These items in an order that tells nothing about where they were drawn from."""
    return sorted(items, key=lambda item: ticket(f"{seed}:order", item))


def uniform(seed: str, purpose: str, number: int) -> float:
    """The seed's number in [0, 1) for this purpose and draw."""
    return int(hashlib.sha256(f"{seed}:{purpose}:{number}".encode()).hexdigest()[:16], 16) / 2**64


@dataclass(frozen=True, kw_only=True)
class Draw:
    """One draw: the stratum, and the item's place in it.

    A new item's place is that in the ticket order of its stratum; a repeat's is that in the order
    of first draws.
    """

    number: int
    place: int
    repeat: bool = False
    stratum: int = 0


def simple_draws(
    seed: str, *, domain: int, drawn: int, known: int, new: int, last: int | None
) -> tuple[Draw, ...]:
    """The next draws of the simple design: `new` new items and the repeats among and after them.

    `drawn` draws were made before, of `known` different items out of `domain`; draw number `last`
    is the last that the plan makes. Without a last one, drawing ends when every item is known.
    """
    draws: list[Draw] = []
    quota = known + new
    for number in itertools.count(drawn + 1):
        if number > last if last is not None else known == domain:
            break
        step = simple_draw(seed, domain=domain, number=number, known=known)
        if not step.repeat and known == quota:
            break
        draws.append(step)
        known += not step.repeat
    return tuple(draws)


def simple_draw(seed: str, *, domain: int, number: int, known: int) -> Draw:
    """Draw `number` of the simple design when `known` different items were drawn before."""
    if uniform(seed, "repeat", number) < known / domain:
        which = int(known * uniform(seed, "which", number))
        return Draw(number=number, place=which, repeat=True)
    return Draw(number=number, place=known, repeat=False)


def simple_until(seed: str, *, domain: int, drawn: int, known: int, size: int) -> int:
    """How many new items the draws after `drawn`, up to draw number `size`, will ask for."""
    start = known
    for number in range(drawn + 1, size + 1):
        known += not simple_draw(seed, domain=domain, number=number, known=known).repeat
    return known - start


def weighted_draws(
    seed: str, *, sampling: Sequence[float], sizes: Sequence[int], taken: Sequence[int], new: int
) -> tuple[Draw, ...]:
    """The next draws of the weighted design, with these chances per stratum.

    `taken` items of each stratum were drawn before. A stratum that runs empty on the way is left
    out, and its chances are shared among the others.
    """
    import numpy as np

    from assaymark.stats.score_guided.wealth import (
        draw_strata,  # simple draws start faster without them
    )

    drawn, used = sum(taken), np.array(taken, dtype=np.int64)
    left = np.array(sizes, dtype=np.int64) - used
    count = min(new, int(left.sum()))
    uniforms = [uniform(seed, "stratum", drawn + i + 1) for i in range(count)]
    strata = draw_strata(np.array(sampling), left, np.array(uniforms)).tolist() if count else []
    draws = []
    for i, k in enumerate(strata):
        draws.append(Draw(number=drawn + i + 1, place=int(used[k]), stratum=k))
        used[k] += 1
    return tuple(draws)
