"""Where to look next: the chances per stratum for a segment of draws.

One idea: aim at the row that will be decided last, or, among separate domains, at the one most
likely to fail. Which row is aimed at may depend on every earlier label; no proof depends on it.

Groups, rows on separate strata, share a segment: draws whose labels are not known yet wait, and a
group with enough of them waiting gets no more. Aimed at one group at a time, a segment that knows only
half of the labels would go on with a group long after its proof is reached.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Protocol

import numpy as np

from assaymark.stats.betting.book import Book
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


class Known(Protocol):
    """What chances are computed from: a race, or one of many that are rehearsed together."""

    @property
    def test(self) -> RowTest:
        """The rows."""

    @property
    def remaining(self) -> Ints:
        """The items left in every stratum."""

    @property
    def stopped(self) -> Flags:
        """Which rows, and then which mirrors, have reached their goal."""

    @property
    def log(self) -> Floats:
        """The log wealth of every row."""

    @property
    def made(self) -> Ints:
        """The draws in the domain of every row."""

    def outlook(self) -> Outlook:
        """Needs, pulls and beliefs of every row."""


def chances(test: RowTest, draws: Draws, *, aim: int | None = None) -> Floats:
    """The chances per stratum computed from these labels, for a whole segment. Store them.

    `aim` is the row to look for; left out, the test's rule chooses it.
    """
    check_draws(test, draws)
    race = Race(test)
    race.feed(draws)
    return next_chances(race, aim=aim)


def next_chances(race: Known, *, aim: int | None = None) -> Floats:
    """The chances after the draws fed so far. Asking changes nothing."""
    view = race.outlook()
    best = next_aim(race, view, aim=aim)
    if best is None:
        left = race.remaining * race.test.book.inside[: len(race.test.rows)].any(axis=0)
        even: Floats = left / max(1, int(left.sum()))
        return even
    chances: Floats = _chances_of(race, view, [best])[0]
    return chances


Aim = tuple[int, list[int]]
"""The row to look for, and the others that have strata in common with it and some beyond."""


def next_aim(race: Known, view: Outlook, *, aim: int | None = None) -> Aim | None:
    """The row to look for, `aim` or the rule's own choice, and those beside it; None: nothing is left."""
    wanted = open_rows(race, view)
    row = row_to_aim_at(race, view, wanted) if aim is None else aim
    return None if row is None else _aims(race, [(row, np.flatnonzero(wanted).tolist())])[0]


def _aims(race: Known, wanted: list[tuple[int, list[int]]]) -> list[Aim]:
    """An aim for each of these rows, with those of the others that it spills into."""
    pairs = [(row, other) for row, rows in wanted for other in rows if other != row]
    spilling = {pair for pair, spills in zip(pairs, _spills(race, pairs), strict=True) if spills}
    return [(row, [other for other in rows if (row, other) in spilling]) for row, rows in wanted]


def _chances_of(race: Known, view: Outlook, aims: list[Aim]) -> Floats:
    """A line of chances for each aim: most for its row, with a share for the other rows.

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
    each = np.zeros((len(rows), len(race.remaining) + 1))
    np.put_along_axis(each, race.test.book.where[rows], samplings, axis=1)
    starts = list(accumulate((1 + len(others) for _, others in aims), initial=0))
    chances = each[starts[:-1], :-1]
    for line, (start, stop) in enumerate(pairwise(starts)):
        if stop > start + 1:
            rest = np.mean(each[start + 1 : stop, :-1], axis=0)
            chances[line] = (1.0 - ASIDE) * chances[line] + ASIDE * rest
    return chances


def open_rows(race: Known, view: Outlook) -> Flags:
    """Rows that still want draws: neither settled nor stopped, or short of the fewest draws."""
    count = len(race.test.rows)
    going = ~race.stopped[:count] | (race.made[:count] < race.test.fewest)
    refuted = race.stopped[count:] & race.test.played[count:]
    still: Flags = view.unsettled[:count] & going & ~refuted & (view.reach[:count] > 0)
    return still


def _spills(race: Known, pairs: list[tuple[int, int]]) -> list[bool]:
    """Whether the other row of each pair shares strata with the first and has some of its own beyond."""
    if not pairs:
        return []
    left = race.test.book.inside & (race.remaining > 0)
    mine, theirs = left[[one for one, _ in pairs]], left[[other for _, other in pairs]]
    spill: Flags = np.any(mine & theirs, axis=1) & np.any(theirs & ~mine, axis=1)
    return [bool(one) for one in spill]


def row_to_aim_at(race: Known, view: Outlook, wanted: Flags) -> int | None:
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
    clear = _clear(view, rows)
    if isinstance(rule, Gap):
        return _weakest_cell(race, rule, rows, clear[rows])
    return _hardest(race, [rows.tolist()], clear)[0]


def _clear(view: Outlook, rows: Ints) -> Floats:
    """The clearness of these rows, each at its own number."""
    clear = np.full(len(view.need), np.inf)
    clear[rows] = clearness(view, rows)
    return clear


def _hardest(race: Known, groups: list[list[int]], clear: Floats) -> list[int]:
    """The row of each group that will be decided last; on unlike domains the one most likely to fail."""
    to_go = np.maximum(race.test.log_needed - race.log[: len(clear)], 0.1)
    longest = (to_go / np.maximum(clear, 1e-4) ** 2).tolist()
    domains, spare = race.test.book.domain_number.tolist(), clear.tolist()
    return [
        min(rows, key=spare.__getitem__)
        if len({domains[row] for row in rows}) > 1
        else max(rows, key=longest.__getitem__)
        for rows in groups
    ]


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


def _weakest_cell(race: Known, rule: Gap, rows: Ints, clear: Floats) -> int:
    """Of the cells still open, the one whose better row has least to spare."""
    score = dict(zip(map(int, rows), map(float, clear), strict=True))
    best: tuple[float, int] | None = None
    for cell in rule.cells:
        live = [(score[row], row) for row in cell if row in score]
        if live and race.log[list(cell)].sum() < race.test.log_needed:
            best = max(live) if best is None else min(best, max(live))
    return int(rows[0]) if best is None else best[1]


def shared_chances(race: Known, waiting: Ints, length: int) -> Floats:
    """The chances of a segment of this length; `waiting` are draws per stratum not fed to the race.

    The group most likely to fail comes first, each up to what may wait in it. What is left when all
    of them are full is shared in the same proportion.
    """
    view = race.outlook()
    shares, aims = shared_aims(race, view, waiting, length)
    if not aims:
        return next_chances(race)
    total = np.add.reduce(shares[:, None] * _chances_of(race, view, aims), axis=0)
    chances: Floats = total / total.sum()
    return chances


def shared_aims(race: Known, view: Outlook, waiting: Ints, length: int) -> tuple[Floats, list[Aim]]:
    """The aims of a segment and the share of each; none where there are no two groups."""
    wanted = open_rows(race, view)
    clear = _clear(view, np.flatnonzero(wanted))
    groups = _demands(race, _apart(race, wanted), clear)
    if len(groups) < 2:
        return np.empty(0), []
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
    taken = np.flatnonzero(share > 0)
    some = [groups[place] for place in taken]
    rows = _rows_of(race, view, some, clear)
    aims = _aims(race, [(row, one.rows) for row, one in zip(rows, some, strict=True)])
    return share[taken] / length, aims


@dataclass(frozen=True, kw_only=True)
class _Group:
    """Rows that share strata, and what they want: `labels` to be decided, if they have a `margin`.

    `aim` is the row to look for, where the rule of the test does not choose it.
    """

    rows: list[int]
    margin: float
    labels: float
    aim: int | None = None


def _rows_of(race: Known, view: Outlook, groups: list[_Group], clear: Floats) -> list[int]:
    """The row of each group to look for."""
    if not isinstance(race.test.rule, Ordered | One | Mixture):
        hardest = _hardest(race, [group.rows for group in groups], clear)
        return [
            row if group.aim is None else group.aim
            for row, group in zip(hardest, groups, strict=True)
        ]
    rows = []
    for group in groups:
        flags = np.zeros(len(race.test.rows), dtype=bool)
        flags[group.rows] = True
        rows.append(int(row_to_aim_at(race, view, flags) or 0))
    return rows


def _apart(race: Known, wanted: Flags) -> list[list[int]]:
    """The wanted rows in groups that have no stratum in common."""
    return [list(rows) for rows in _grouped(race.test.book, wanted.tobytes())]


@lru_cache(maxsize=8)
def _grouped(book: Book, wanted: bytes) -> tuple[tuple[int, ...], ...]:
    """The same; from one segment to the next the same rows are wanted nearly always."""
    groups, owner = dict[int, list[int]](), np.full(len(book.sizes) + 1, -1)
    for row in np.flatnonzero(np.frombuffer(wanted, dtype=np.bool_)).tolist():
        mine = book.where[row]
        others = [group for group in dict.fromkeys(owner[mine].tolist()) if group >= 0]
        rows = sorted([row, *(one for group in others for one in groups.pop(group))])
        for group in others:
            owner[owner == group] = row
        owner[mine] = row
        owner[-1] = -1  # the last place is none
        groups[row] = rows  # the last of the groups, whatever it was before
    return tuple(map(tuple, groups.values()))


def _strata_of(race: Known, groups: list[list[int]]) -> Flags:
    """Which strata the rows of each group live on."""
    rows, starts = _in_line(groups)
    strata: Flags = np.logical_or.reduceat(race.test.book.inside[rows], starts, axis=0)
    return strata


def _in_line(groups: list[list[int]]) -> tuple[list[int], list[int]]:
    """The rows of all groups in one line, and where each group begins in it."""
    starts = list(accumulate(map(len, groups[:-1]), initial=0))
    return [row for rows in groups for row in rows], starts


def _demands(race: Known, groups: list[list[int]], clear: Floats) -> list[_Group]:
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


def _demands_of_gap(race: Known, rule: Gap, groups: list[list[int]], clear: Floats) -> list[_Group]:
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


def _drawn_inside(race: Known, groups: list[list[int]]) -> Ints:
    inside, drawn = race.test.book.inside, race.test.book.sizes - race.remaining
    return np.array([int(drawn[inside[rows].any(axis=0)].sum()) for rows in groups])


def _most_waiting(race: Known, groups: list[_Group], strata: Flags) -> Floats:
    """How many draws may wait in each group: not far more than it should need to be decided."""
    known = strata @ (race.test.book.sizes - race.remaining)
    most = np.maximum(float(LEAST), SHARE * known)
    labels = np.array([group.labels for group in groups])
    wanted = np.maximum(np.maximum(labels, race.test.recipe.fewest - known), 1.0)
    most = np.where(labels < np.inf, np.minimum(most, CAUTION * wanted), most)
    limited: Floats = np.minimum(most, strata @ race.remaining)
    return limited
