"""How a segment of draws is shared among groups: rows on separate strata, each with labels to come.

One idea: draws whose labels are not known yet wait, and a group with enough of them waiting gets no
more. Aimed at one group at a time, a segment that knows only half of the labels would go on with a
group long after its proof is reached. Which group is drawn from is free; no proof rests on it.
"""

import numpy as np

from assaymark.stats.betting.chances import (
    chances_of,
    clearness,
    next_chances,
    open_rows,
    row_to_aim_at,
)
from assaymark.stats.betting.open_block import Outlook
from assaymark.stats.betting.race import Race
from assaymark.stats.score_guided.kl_projection import Floats
from assaymark.stats.score_guided.wealth import Flags, Ints

LEAST = 30  # draws that may wait in a group of which nothing is known
SHARE = 0.5  # and of those whose labels are known, where there are more
CAUTION = 1.5  # times the labels that a group should still need may wait
FAINTEST = 1e-3


def shared_chances(race: Race, waiting: Ints, length: int) -> Floats:
    """The chances of a segment of this length; `waiting` are draws per stratum not fed to the race.

    The group most likely to fail comes first, each up to what may wait in it. What is left when all
    of them are full is shared in the same proportion.
    """
    view = race.outlook()
    wanted = open_rows(race, view)
    groups = _apart(race, wanted)
    if len(groups) < 2:
        return next_chances(race)
    margins = [float(clearness(view, np.flatnonzero(group)).min()) for group in groups]
    most = np.array([_most_waiting(race, view, group) for group in groups])
    room = np.maximum(most - [_inside(race, group, waiting) for group in groups], 0.0)
    share = np.zeros(len(groups))
    for place in np.argsort(margins, kind="stable"):
        share[place] = min(room[place], length - share.sum())
    share += (length - share.sum()) * most / most.sum()
    total = np.zeros(len(race.remaining))
    for group, part in zip(groups, share / length, strict=True):
        if part > 0:
            row = row_to_aim_at(race, view, group)
            total += part * chances_of(race, view, int(row or 0), group)
    chances: Floats = total / total.sum()
    return chances


def _apart(race: Race, wanted: Flags) -> list[Flags]:
    """The wanted rows in groups that have no stratum in common."""
    groups: list[tuple[Flags, Flags]] = []
    for row in np.flatnonzero(wanted):
        strata = race.test.book.inside[row].copy()
        rows = np.zeros(len(wanted), dtype=bool)
        rows[row] = True
        for others, theirs in [g for g in groups if (g[1] & strata).any()]:
            rows, strata = rows | others, strata | theirs
        groups = [g for g in groups if not (g[1] & strata).any()] + [(rows, strata)]
    return [rows for rows, _ in groups]


def _inside(race: Race, group: Flags, counts: Ints) -> int:
    """How many of these counts per stratum belong to the group."""
    return int(counts[race.test.book.inside[np.flatnonzero(group)].any(axis=0)].sum())


def _most_waiting(race: Race, view: Outlook, group: Flags) -> float:
    """How many draws may wait in a group: not far more than it should need to be decided."""
    rows, sizes = np.flatnonzero(group), race.test.book.sizes
    known = _inside(race, group, sizes - race.remaining)
    most = max(float(LEAST), SHARE * known)
    margin = clearness(view, rows)
    if margin.min() > 0:
        to_go = 2.0 * np.maximum(race.test.log_needed - race.log[rows], 0.0)
        needed = float((to_go / np.maximum(margin, FAINTEST) ** 2).max())
        most = min(most, CAUTION * max(needed, race.test.recipe.fewest - known, 1.0))
    return min(most, float(_inside(race, group, race.remaining)))
