"""Where to look next: the chances per stratum for a segment of draws.

One idea: aim at the row that will be decided last, or, among separate domains, at the one most
likely to fail. Which row is aimed at may depend on every earlier label; no proof rests on it.
"""

import numpy as np

from assaymark.stats.betting.open_block import Outlook
from assaymark.stats.betting.race import Race
from assaymark.stats.betting.rules import Gap, Mixture, One, Ordered
from assaymark.stats.betting.sealed import RowTest, check_draws
from assaymark.stats.score_guided.kl_projection import Floats
from assaymark.stats.score_guided.supermartingale import Draws
from assaymark.stats.score_guided.walk import guided_sampling
from assaymark.stats.score_guided.wealth import Flags, Ints
from assaymark.stats.score_guided.wealth import Recipe as FirstRecipe

ASIDE = 0.2  # of the chances go to other open rows that share strata with the row aimed at
FIRST = FirstRecipe()


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
    return chances_of(race, view, row, wanted)


def chances_of(race: Race, view: Outlook, row: int, wanted: Flags) -> Floats:
    """The chances for one row, with a share for other wanted rows that have strata in common."""
    mine = _guided(race, view, row, guided=True)
    others = [r for r in np.flatnonzero(wanted) if r != row and _spills(race, row, int(r))]
    if not others:
        return mine
    rest = np.mean([_guided(race, view, int(r), guided=False) for r in others], axis=0)
    mixed: Floats = (1.0 - ASIDE) * mine + ASIDE * rest
    return mixed


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


def _guided(race: Race, view: Outlook, row: int, *, guided: bool) -> Floats:
    """The chances for one row, in terms of all strata; unguided ones follow size and Neyman only."""
    sampling = guided_sampling(
        view.belief[row],
        pull=view.pull[row],
        need=float(view.need[row]) if guided else 0.0,
        margin=race.test.recipe.caution * float(view.unit[row]),
        recipe=FIRST,
    )
    chances = np.zeros(len(race.remaining) + 1)
    chances[race.test.book.where[row]] = sampling
    return chances[:-1]


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
