"""Where to look next: the chances per stratum for a segment of draws.

One idea: aim at the row that will be decided last, or, among separate domains, at the one most
likely to fail. Which row is aimed at may depend on every earlier label; no proof rests on it.

Groups, rows on separate strata, share a segment: draws whose labels are not known yet wait, and a
group with enough of them waiting gets no more. Aimed at one group at a time, a segment that knows only
half of the labels would go on with a group long after its proof is reached.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from assaymark.stats.betting.open_block import Outlook
from assaymark.stats.betting.race import Race
from assaymark.stats.betting.rules import Gap, Mixture, One, Ordered
from assaymark.stats.betting.sealed import RowTest, check_draws
from assaymark.stats.score_guided.kl_projection import Floats
from assaymark.stats.score_guided.many_saddles import guided_samplings
from assaymark.stats.score_guided.supermartingale import Draws
from assaymark.stats.score_guided.wealth import Flags, Ints
from assaymark.stats.score_guided.wealth import Recipe as FirstRecipe

ASIDE = 0.2  # of the chances go to other open rows that share strata with the row aimed at
FIRST = FirstRecipe()
LEAST = 30  # draws that may wait in a group of which nothing is known
SHARE = 0.5  # and of those whose labels are known, where there are more
CAUTION = 1.5  # times the labels that a group should still need may wait
FAINTEST = 1e-3


def chances(test: RowTest, draws: Draws, *, aim: int | None = None) -> Floats:
    """The chances per stratum computed from these labels, for a whole segment. Store them.

    `aim` is the row to look for; left out, the test's rule chooses it.
    """
    check_draws(test, draws)
    race = Race(test)
    race.feed(draws)
    return next_chances(race, aim=aim)


def next_chances(race: Race, *, aim: int | None = None) -> Floats:
    """The chances after the draws fed so far. Asking changes nothing."""
    view = race.outlook()
    wanted = open_rows(race, view)
    row = row_to_aim_at(race, view, wanted) if aim is None else aim
    if row is None:
        left = race.remaining * race.test.book.inside[: len(race.test.rows)].any(axis=0)
        even: Floats = left / max(1, int(left.sum()))
        return even
    rows = np.flatnonzero(wanted).tolist()
    return _chances_of(race, view, [_aim(race, row, rows)])[0]


Aim = tuple[int, list[int]]
"""The row to look for, and the others that have strata in common with it and some beyond."""


def _aim(race: Race, row: int, rows: list[int]) -> Aim:
    return row, [other for other in rows if other != row and _spills(race, row, other)]


def _chances_of(race: Race, view: Outlook, aims: list[Aim]) -> list[Floats]:
    """The chances for each aim: most for its row, with a share for the other rows.

    The chances of a row follow what would decide it; those of the others only size and Neyman.
    """
    rows = [row for aim, others in aims for row in (aim, *others)]
    guided = [first for _, others in aims for first in (True, *[False] * len(others))]
    samplings = guided_samplings(
        view.belief[rows],
        pull=view.pull[rows],
        need=np.where(guided, view.need[rows], 0.0),
        margin=race.test.recipe.caution * view.unit[rows],
        recipe=FIRST,
    )
    chances = list[Floats]()
    each = iter(_in_strata(race, rows, samplings))
    for _, others in aims:
        mine, rest = next(each), [next(each) for _ in others]
        chances.append((1.0 - ASIDE) * mine + ASIDE * np.mean(rest, axis=0) if rest else mine)
    return chances


def _in_strata(race: Race, rows: list[int], samplings: Floats) -> Iterator[Floats]:
    """The chances of every row in terms of all strata."""
    for row, sampling in zip(rows, samplings, strict=True):
        chances = np.zeros(len(race.remaining) + 1)
        chances[race.test.book.where[row]] = sampling
        yield chances[:-1]


def open_rows(race: Race, view: Outlook) -> Flags:
    """Rows that still want draws: neither settled nor stopped, or short of the fewest draws."""
    count, book = len(race.test.rows), race.test.book
    fewest = np.minimum(race.test.recipe.fewest, book.inside[:count] @ book.sizes)
    going = ~race.stopped[:count] | (race.made[:count] < fewest)
    refuted = race.stopped[count:] & race.test.played[count:]
    still: Flags = view.unsettled[:count] & going & ~refuted & (view.reach[:count] > 0)
    return still


def _spills(race: Race, row: int, other: int) -> bool:
    """Whether the other row shares strata with this one and has some of its own beyond it."""
    left = race.remaining > 0
    mine, theirs = race.test.book.inside[row] & left, race.test.book.inside[other] & left
    return bool((mine & theirs).any() and (theirs & ~mine).any())


def row_to_aim_at(race: Race, view: Outlook, wanted: Flags) -> int | None:
    """The row of these to look for, by the rule of the test; None where nothing is left."""
    rule = race.test.rule
    if isinstance(rule, Ordered):
        return _along(view, rule, wanted)
    if isinstance(rule, One):
        return 0 if view.reach[0] > 0 else None
    rows = np.flatnonzero(wanted)
    if isinstance(rule, Mixture):
        best = rule.ways[int(np.argmax(rule.shares))]
        rows = rows[np.isin(rows, best)] if np.isin(rows, best).any() else rows
    if len(rows) == 0:
        return None
    clear = clearness(view, rows)
    if isinstance(rule, Gap):
        return _weakest_cell(race, rule, rows, clear)
    if len(rows) == 1:
        return int(rows[0])
    inside = race.test.book.inside[rows]
    if np.any(inside != inside[0]):
        return int(rows[np.argmin(clear)])
    to_go = np.maximum(race.test.log_needed - race.log[rows], 0.1)
    return int(rows[np.argmax(to_go / np.maximum(clear, 1e-4) ** 2)])


def clearness(view: Outlook, rows: Ints) -> Floats:
    """Believed margin over σ of each row: how many standard deviations of a draw it has to spare."""
    pull, belief = view.pull[rows], view.belief[rows]
    margin = (pull * belief).sum(axis=1) - view.need[rows]
    ratio: Floats = margin / np.maximum(
        (pull * np.sqrt(belief * (1.0 - belief))).sum(axis=1), 1e-12
    )
    return ratio


def _along(view: Outlook, rule: Ordered, wanted: Flags) -> int | None:
    """The claim while it is open; along a ladder the furthest row that is believed to hold well."""
    rows = np.flatnonzero(wanted)
    if len(rows) == 0:
        return None
    if rule.ahead is None:
        return rule.claim if wanted[rule.claim] else int(rows[0])
    margin = (view.pull * view.belief).sum(axis=1)[rows] - view.need[rows]
    clear = rows[margin >= rule.ahead * view.unit[rows]]
    return int(clear[-1]) if len(clear) else int(rows[0])


def _weakest_cell(race: Race, rule: Gap, rows: Ints, clear: Floats) -> int:
    """Of the cells still open, the one whose better row has least to spare."""
    score = dict(zip(map(int, rows), map(float, clear), strict=True))
    best: tuple[float, int] | None = None
    for cell in rule.cells:
        live = [(score[row], row) for row in cell if row in score]
        if live and race.log[list(cell)].sum() < race.test.log_needed:
            best = max(live) if best is None else min(best, max(live))
    return int(rows[0]) if best is None else best[1]


def shared_chances(race: Race, waiting: Ints, length: int) -> Floats:
    """The chances of a segment of this length; `waiting` are draws per stratum not fed to the race.

    The group most likely to fail comes first, each up to what may wait in it. What is left when all
    of them are full is shared in the same proportion.
    """
    view = race.outlook()
    wanted = open_rows(race, view)
    clear = np.full(len(wanted), np.inf)
    clear[wanted] = clearness(view, np.flatnonzero(wanted))
    groups = _demands(race, _apart(race, wanted), clear)
    if len(groups) < 2:
        return next_chances(race)
    strata = _strata_of(race, [group.rows for group in groups])
    most = _most_waiting(race, groups, strata)
    room = np.maximum(most - strata @ waiting, 0.0)
    share = np.zeros(len(groups))
    for place in np.argsort([group.margin for group in groups], kind="stable"):
        rest = length - share.sum()
        if rest == 0:
            break  # for the others too
        share[place] = min(room[place], rest)
    share += (length - share.sum()) * most / most.sum()
    parts = [(group, part) for group, part in zip(groups, share / length, strict=True) if part > 0]
    aims = [_aim(race, _row_of(race, view, group), group.rows) for group, _ in parts]
    total = np.zeros(len(race.remaining))
    for mine, (_, part) in zip(_chances_of(race, view, aims), parts, strict=True):
        total += part * mine
    chances: Floats = total / total.sum()
    return chances


@dataclass(frozen=True, kw_only=True)
class _Group:
    """Rows that share strata, and what they want: `labels` to be decided, if they have a `margin`.

    `aim` is the row to look for, where the rule of the test does not choose it.
    """

    rows: list[int]
    margin: float
    labels: float
    aim: int | None = None


def _row_of(race: Race, view: Outlook, group: _Group) -> int:
    """The row of the group to look for."""
    if group.aim is not None:
        return group.aim
    flags = np.zeros(len(race.test.rows), dtype=bool)
    flags[group.rows] = True
    return int(row_to_aim_at(race, view, flags) or 0)


def _apart(race: Race, wanted: Flags) -> list[list[int]]:
    """The wanted rows in groups that have no stratum in common."""
    book, groups = race.test.book, dict[int, list[int]]()
    owner = np.full(len(race.remaining) + 1, -1)
    for row in np.flatnonzero(wanted).tolist():
        mine = book.where[row]
        others = [group for group in dict.fromkeys(owner[mine].tolist()) if group >= 0]
        rows = sorted([row, *(one for group in others for one in groups.pop(group))])
        for group in others:
            owner[owner == group] = row
        owner[mine] = row
        owner[-1] = -1  # the last place is none
        groups[row] = rows  # the last of the groups, whatever it was before
    return list(groups.values())


def _strata_of(race: Race, groups: list[list[int]]) -> Flags:
    """Which strata the rows of each group live on."""
    rows, starts = _in_line(groups)
    strata: Flags = np.logical_or.reduceat(race.test.book.inside[rows], starts, axis=0)
    return strata


def _in_line(groups: list[list[int]]) -> tuple[list[int], list[int]]:
    """The rows of all groups in one line, and where each group begins in it."""
    starts = list(accumulate(map(len, groups[:-1]), initial=0))
    return [row for rows in groups for row in rows], starts


def _demands(race: Race, groups: list[list[int]], clear: Floats) -> list[_Group]:
    """What each group wants: every row of it, or in a gap the cells that are proved by it."""
    if isinstance(race.test.rule, Gap):
        return _demands_of_gap(race, race.test.rule, groups, clear)
    if not groups:
        return []
    rows, starts = _in_line(groups)
    margins = np.minimum.reduceat(clear[rows], starts)
    to_go = np.maximum(race.test.log_needed - race.log[rows], 0.0)
    labels = np.where(margins > 0, np.maximum.reduceat(_labels(to_go, clear[rows]), starts), np.inf)
    return [
        _Group(rows=mine, margin=margin, labels=number)
        for mine, margin, number in zip(groups, margins.tolist(), labels.tolist(), strict=True)
    ]


def _demands_of_gap(race: Race, rule: Gap, groups: list[list[int]], clear: Floats) -> list[_Group]:
    """A cell of a gap is proved by the better of its rows; groups that prove none are left out."""
    place = {row: number for number, rows in enumerate(groups) for row in rows}
    cells: list[list[tuple[float, int, float]]] = [[] for _ in groups]
    for cell in rule.cells:
        to_go = race.test.log_needed - float(race.log[list(cell)].sum())
        live = [(float(clear[row]), row) for row in cell if row in place]
        if live and to_go > 0:
            margin, row = max(live)
            cells[place[row]].append((margin, row, to_go))
    few = _drawn_inside(race, groups) < race.test.recipe.fewest  # both rows of a cell need these
    demands = []
    for rows, mine, short in zip(groups, cells, few.tolist(), strict=True):
        if not mine and not short:
            continue
        margin, aim, _ = min(mine, default=(0.0, max(rows, key=lambda row: float(clear[row])), 0.0))
        wealth, margins = (np.array([one[k] for one in mine]) for k in (2, 0))
        labels = 1.0 if not mine else np.inf if margin <= 0 else _labels(wealth, margins).max()
        demands.append(_Group(rows=rows, margin=margin, labels=float(labels), aim=aim))
    return demands


def _labels(to_go: Floats, margin: Floats) -> Floats:
    """How many labels bring each of these log wealths there, with a margin above 0."""
    labels: Floats = 2.0 * to_go / np.maximum(margin, FAINTEST) ** 2
    return labels


def _drawn_inside(race: Race, groups: list[list[int]]) -> Ints:
    inside, drawn = race.test.book.inside, race.test.book.sizes - race.remaining
    return np.array([int(drawn[inside[rows].any(axis=0)].sum()) for rows in groups])


def _most_waiting(race: Race, groups: list[_Group], strata: Flags) -> Floats:
    """How many draws may wait in each group: not far more than it should need to be decided."""
    known = strata @ (race.test.book.sizes - race.remaining)
    most = np.maximum(float(LEAST), SHARE * known)
    labels = np.array([group.labels for group in groups])
    wanted = np.maximum(np.maximum(labels, race.test.recipe.fewest - known), 1.0)
    most = np.where(labels < np.inf, np.minimum(most, CAUTION * wanted), most)
    limited: Floats = np.minimum(most, strata @ race.remaining)
    return limited
