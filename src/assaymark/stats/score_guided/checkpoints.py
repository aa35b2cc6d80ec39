"""Walks that go on from where they were: a label more costs a block, not the whole way.

One idea: a walk chooses its stakes at the start of each block and forgets nothing else. So a copy
of it at every block's start is kept, and the same test over draws that begin as before is taken up
at the last block that is the same. The blocks are those of a walk from the first draw on, and so
is every number, to the last bit.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from assaymark.stats.score_guided.kl_projection import Floats
from assaymark.stats.score_guided.marks import Mark, Steps
from assaymark.stats.score_guided.supermartingale import Draws, WeightedTest, check_draws, walk

MOST_WALKS = 8
Walking = TypeVar("Walking", bound=Steps)


@dataclass(frozen=True, kw_only=True, eq=False)
class Walked:
    """A walk that was made: its draws, the log wealth after each, where its blocks began, its end."""

    draws: Draws
    log: Floats
    marks: tuple[Mark, ...]
    end: Steps

    def __getstate__(self) -> dict[str, Any]:
        # half of the rows are mirrors that nobody plays: their wealth is kept once
        moves = np.logical_or.reduce(self.log != self.log[:, :1], axis=1)
        return vars(self) | {"log": (moves, self.log[:, :1], self.log[moves])}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        moves, start, moved = kept["log"]
        log = np.repeat(start, len(kept["draws"]), axis=1)
        log[moves] = moved
        vars(self).update(kept | {"log": log})


@dataclass(frozen=True, kw_only=True, eq=False)
class NamedWalk:
    """A walk with the name of its test."""

    name: Hashable
    walk: Walked


_kept: OrderedDict[Hashable, Walked] = OrderedDict()
_lock = threading.Lock()


def log_wealth(test: Hashable, draws: Draws, *, start: Callable[[], Steps]) -> Floats:
    """The log wealth of every row after each draw, as `start().follow(…)` gives it.

    `test` names the walk that `start` begins: the same name must mean the same tests. The answer
    must not be written to.
    """
    return _walked(test, draws, start=start).log


def state_after(test: Hashable, draws: Draws, *, start: Callable[[], Walking]) -> Walking:
    """A copy of the state after these draws, to be asked what comes next."""
    end: Walking = _walked(test, draws, start=start).end.copy()  # type: ignore[assignment]
    return end


def next_sampling(test: WeightedTest, draws: Draws) -> Floats:
    """The chances for a batch drawn when this prefix is labelled, as `sampling` gives them."""
    check_draws(test, draws)
    made = state_after(("sampling", test), draws, start=lambda: walk(test).without_bets())
    return made.sampling()


def longest_walk() -> NamedWalk | None:
    """The walk over the most draws that was made here, to be kept for later; None without any."""
    with _lock:
        if not _kept:
            return None
        name, walk = max(_kept.items(), key=lambda one: len(one[1].draws))
    return NamedWalk(name=name, walk=replace(walk, marks=walk.marks[-1:]))


def take_up(known: NamedWalk) -> None:
    """Go on from a walk that was kept, as far as the draws asked for are its own."""
    known.walk.log.flags.writeable = False
    with _lock:
        made = _kept.get(known.name)
        if made is None or len(made.draws) < len(known.walk.draws):
            _kept[known.name] = known.walk


def _walked(test: Hashable, draws: Draws, *, start: Callable[[], Steps]) -> Walked:
    """The walk over these draws, from the last block on that is the same as last time."""
    with _lock:
        before = _kept.get(test)
        walk = _go_on(before, draws) if before is not None else None
        if walk is None:
            walk = _walk_on(start(), draws, log=None, marks=())
        _kept[test] = walk
        _kept.move_to_end(test)
        while len(_kept) > MOST_WALKS:
            _kept.popitem(last=False)
    return walk


def _go_on(before: Walked, draws: Draws) -> Walked | None:
    same = same_draws(before.draws, draws)
    if same == len(draws) == len(before.draws):
        return before
    marks = tuple(mark for mark in before.marks if mark.drawn <= same)
    if not marks:
        return None
    return _walk_on(marks[-1].steps.copy(), draws, log=before.log, marks=marks[:-1])


def _walk_on(steps: Steps, draws: Draws, *, log: Floats | None, marks: tuple[Mark, ...]) -> Walked:
    done, checkpoints = steps.drawn, list(marks)
    rest = Draws(
        strata=draws.strata[done:], labels=draws.labels[done:], sampling=draws.sampling[done:]
    )
    news = steps.follow(rest, checkpoints)
    whole = news if log is None else np.concatenate([log[:, :done], news], axis=1)
    whole.flags.writeable = False
    # the caller may write to what it handed over; what is compared with later must not change
    return Walked(draws=draws.copy(), log=whole, marks=tuple(checkpoints), end=steps)


def same_draws(one: Draws, other: Draws) -> int:
    """How many draws from the first on are the same in both."""
    count = min(len(one), len(other))
    differ = (
        (one.strata[:count] != other.strata[:count])
        | (one.labels[:count] != other.labels[:count])
        | np.any(one.sampling[:count] != other.sampling[:count], axis=1)
    )
    return int(np.argmax(differ)) if differ.any() else count
