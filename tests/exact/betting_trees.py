"""Every order of draws of a tiny pool, weighed by its probability, for tests of rows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from assaymark.stats.betting.chances import next_chances
from assaymark.stats.betting.path import judged_path
from assaymark.stats.betting.race import Race
from assaymark.stats.betting.recipe import Recipe
from assaymark.stats.betting.rows import Row
from assaymark.stats.betting.sealed import RowTest
from assaymark.stats.score_guided.supermartingale import Draws
from assaymark.stats.score_guided.wealth import live_sampling

# New stakes before every draw, and no wait for the thirtieth label.
EACH = Recipe(first_block=1, block_share=1000, fewest=0)
Chooser = Callable[[Race], np.ndarray]


@dataclass(frozen=True, kw_only=True, eq=False)
class Leaf:
    """A beginning of draws (a leaf if complete): its probability, its draws, its log wealths."""

    chance: float
    strata: tuple[int, ...]
    outcomes: tuple[int, ...]
    stored: tuple
    log: np.ndarray
    race: Race

    @property
    def draws(self) -> Draws:
        width = len(self.race.remaining)
        return Draws(
            strata=np.array(self.strata, dtype=np.int64),
            labels=np.array(self.outcomes, dtype=np.int64),
            sampling=np.array(self.stored).reshape(-1, width),
        )

    @property
    def path(self):
        return judged_path(self.race.test, self.draws, self.log)

    def peaks(self) -> np.ndarray:
        """The highest wealth of every row and mirror on the way."""
        return np.exp(np.maximum(self.log.max(axis=1, initial=0.0), 0.0))


def nodes(
    test: RowTest,
    world: list[dict[int, int]],
    *,
    batch: int = 1,
    ahead: int = 0,
    chooser: Chooser = next_chances,
    most: int | None = None,
) -> Iterator[Leaf]:
    """Every beginning of every order of draws; `world[k]` counts the outcomes of stratum k.

    Chances are set per batch, from the labels known `ahead` draws before it.
    """
    race = Race(test)
    start = Leaf(
        chance=1.0, strata=(), outcomes=(), stored=(), log=np.zeros((len(race.log), 0)), race=race
    )
    yield from _after([start], world, batch, ahead, chooser, most or sum(test.sizes))


def _after(past, world, batch, ahead, chooser, most):
    now = past[-1]
    if len(now.strata) >= most:
        return
    stored = (
        now.stored[-1]
        if len(now.strata) % batch
        else chooser(past[-1 - min(ahead, len(past) - 1)].race)
    )
    live = live_sampling(stored, now.race.remaining)
    if live.sum() == 0:  # the batch's strata are used up
        stored = chooser(now.race)
        live = live_sampling(stored, now.race.remaining)
    for k in np.flatnonzero(live):
        seen = [o for s, o in zip(now.strata, now.outcomes, strict=True) if s == k]
        for outcome, count in world[k].items():
            left = count - seen.count(outcome)
            if left:
                share = float(live[k] * left / now.race.remaining[k])
                here = _step(now, int(k), outcome, stored, share)
                yield here
                yield from _after([*past, here], world, batch, ahead, chooser, most)


def _step(now: Leaf, k: int, outcome: int, stored, share: float) -> Leaf:
    race = now.race.copy()
    one = Draws(strata=np.array([k]), labels=np.array([outcome]), sampling=stored[None, :])
    log = np.concatenate([now.log, race.feed(one)], axis=1)
    return Leaf(
        chance=now.chance * share,
        strata=(*now.strata, k),
        outcomes=(*now.outcomes, outcome),
        stored=(*now.stored, stored),
        log=log,
        race=race,
    )


def leaves(test: RowTest, world, *, most: int | None = None, **how) -> list[Leaf]:
    """The complete orders of draws (or their first `most`)."""
    end = min(sum(test.sizes), most or sum(test.sizes))
    found = [node for node in nodes(test, world, most=most, **how) if len(node.strata) == end]
    np.testing.assert_allclose(sum(leaf.chance for leaf in found), 1.0, rtol=1e-12)
    return found


def mean_wealth(found: list[Leaf]) -> np.ndarray:
    """The expected wealth of every row and mirror after each draw."""
    return sum(leaf.chance * np.exp(leaf.log) for leaf in found)


def worst_ratio(found: list[Leaf], peak: Callable[[Leaf], float]) -> float:
    """The largest x·P(peak >= x) over all x above 1: at most 1 for a supermartingale's peak."""
    pairs = sorted(((peak(leaf), leaf.chance) for leaf in found), reverse=True)
    total, worst = 0.0, 0.0
    for height, chance in pairs:
        total += chance
        if height > 1 + 1e-9:
            worst = max(worst, height * total)
    return worst


def counting_row(strata: list[int], required, *, strict: bool = False, **more) -> Row:
    """At least so many items of these strata have outcome 1."""
    return Row(
        value=dict.fromkeys(strata, 1),
        help=dict.fromkeys(strata, (0, 1)),
        required=required,
        strict=strict,
        **more,
    )
