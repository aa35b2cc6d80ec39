"""Which row to look for next. It may follow from every label so far; no proof rests on it."""

import numpy as np

from assaymark.composite.sealed import SealedClaim
from assaymark.stats.betting.chances import clearness
from assaymark.stats.betting.race import Race


def aim_of(sealed: SealedClaim, race: Race) -> int | None:
    """In a comparison: the hardest open row of the side that looks better; None: the rule's own.

    With a margin on a metric whose margin rows live on more items, those rows come first, since
    they are bet on only if all of their items can be drawn.
    """
    if sealed.kind != "comparison":
        return None
    numbers = sealed.row_numbers
    view = race.outlook()
    open_rows = view.unsettled[: len(race.test.rows)] & ~race.stopped[: len(race.test.rows)]
    sides = [
        [r for r in numbers[i] if open_rows[r]]
        for i, s in enumerate(sealed.statements)
        if s.offset == (-sealed.margin if sealed.margin and not sealed.chained else 0)
    ]
    sides = [rows for rows in sides if rows]
    if not sides:
        return None
    worst = [float(clearness(view, np.array(rows)).min()) for rows in sides]
    rows = np.array(sides[int(np.argmax(worst))])
    return int(rows[np.argmin(clearness(view, rows))])
