"""Where many runs look next: the chances of `stats.betting.chances`, asked for all runs at once."""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from assaymark.stats.betting.chances import ASIDE, FIRST, Aim, Known, next_aim, shared_aims
from assaymark.stats.betting.open_block import Outlook
from assaymark.stats.betting.race import LOWEST
from assaymark.stats.betting.sealed import RowTest
from assaymark.stats.score_guided.kl_projection import Floats
from assaymark.stats.score_guided.many_saddles import guided_samplings
from assaymark.stats.score_guided.wealth import Flags, Ints

AimOf = Callable[[Known], int | None]


@dataclass(frozen=True, kw_only=True, eq=False)
class Moment:
    """What is known of every run (first axis) after some draws; arrays are replaced, never written to."""

    left: Ints
    need: Floats
    log: Floats
    made: Ints
    stopped: Flags
    shares: Floats
    counts: Floats

    def some(self, runs: Flags) -> "Moment":
        """The same of these runs."""
        return Moment(**{field.name: getattr(self, field.name)[runs] for field in fields(self)})

    def later(self, **changed: Any) -> "Moment":
        """The moment with these arrays in place of its own."""
        return replace(self, **changed)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Run:
    """One run as `chances` sees a race."""

    test: RowTest
    remaining: Ints
    stopped: Flags
    log: Floats
    made: Ints
    view: Outlook

    def outlook(self) -> Outlook:
        """Needs, pulls and beliefs of every row."""
        return self.view


def outlook_of(test: RowTest, now: Moment) -> Outlook:
    """`Race.outlook` with an axis for runs."""
    book = test.book
    rows = slice(0, book.count)
    where, whole = book.where[rows], book.whole[rows]
    runs = len(now.left)
    left = np.concatenate([now.left, np.zeros((runs, 1), dtype=np.int64)], axis=1)[:, where]
    pull = book.value[rows] * left / whole[:, None]
    place = np.minimum(where, now.shares.shape[1] - 1)
    belief = np.einsum("jwo,rjwo->rjw", book.help[rows], now.shares[:, place])
    expected = now.counts + now.left[:, :, None] * now.shares
    none = np.zeros((runs, 1, expected.shape[2]))
    among = np.concatenate([expected, none], axis=1)[:, book.sloped]
    unit = book.base + np.einsum("jwo,rjwo->rj", book.slopes, among)
    return Outlook(
        left=left,
        pull=pull,
        belief=np.clip(belief, LOWEST, 1.0 - LOWEST),
        need=now.need,
        reach=pull.sum(axis=2),
        unit=unit / whole,
    )


def many_chances_of_rows(
    test: RowTest,
    then: Moment,
    waiting: Ints,
    length: int,
    *,
    shared: bool,
    aim: AimOf | None,
) -> Floats:
    """The chances per run and stratum, from what was known then; `waiting` were drawn since."""
    runs = _runs(test, then)
    wanted = [
        _wanted(run, own, waiting[number], length, shared=shared, aim=aim)
        for number, (run, own) in enumerate(runs)
    ]
    return _sampled(runs, wanted)


Share = tuple[Aim, float]


def _wanted(
    run: _Run, view: Outlook, waiting: Ints, length: int, *, shared: bool, aim: AimOf | None
) -> list[Share]:
    if shared:
        shares, aims = shared_aims(run, view, waiting, length)
        if aims:
            return list(zip(aims, shares.tolist(), strict=True))
    one = next_aim(run, view, aim=None if aim is None else aim(run))
    return [] if one is None else [(one, 1.0)]


def _runs(test: RowTest, then: Moment) -> list[tuple[_Run, Outlook]]:
    view, none = outlook_of(test, then), np.zeros(test.book.count, dtype=np.bool_)
    pairs = []
    for number in range(len(then.left)):
        own = Outlook(
            left=view.left[number],
            pull=view.pull[number],
            belief=view.belief[number],
            need=view.need[number],
            reach=view.reach[number],
            unit=view.unit[number],
        )
        run = _Run(
            test=test,
            remaining=then.left[number],
            stopped=np.concatenate([then.stopped[number], none]),
            log=then.log[number],
            made=then.made[number],
            view=own,
        )
        pairs.append((run, own))
    return pairs


def _sampled(runs: list[tuple[_Run, Outlook]], wanted: list[list[Share]]) -> Floats:
    """The chances of all runs, the samplings of their rows found together."""
    asked = [
        (number, row, row == aim, part * _part(others, is_aim=row == aim))
        for number, shares in enumerate(wanted)
        for (aim, others), part in shares
        for row in (aim, *others)
    ]
    test, strata = runs[0][0].test, len(runs[0][0].remaining)
    chances = np.zeros((len(runs), strata + 1))
    if not asked:
        return chances[:, :-1]
    views = [(runs[number][1], row) for number, row, _, _ in asked]
    need = [
        view.need[row] if guided else 0.0
        for (view, row), (_, _, guided, _) in zip(views, asked, strict=True)
    ]
    samplings = guided_samplings(
        np.array([view.belief[row] for view, row in views]),
        pull=np.array([view.pull[row] for view, row in views]),
        need=np.array(need),
        margin=test.recipe.caution * np.array([view.unit[row] for view, row in views]),
        recipe=FIRST,
    )
    for (number, row, _, share), sampling in zip(asked, samplings, strict=True):
        chances[number, test.book.where[row]] += share * sampling
    return chances[:, :-1]


def _part(others: list[int], *, is_aim: bool) -> float:
    if not others:
        return 1.0
    return 1.0 - ASIDE if is_aim else ASIDE / len(others)
