"""How many labels rows should need if the beliefs they are sealed with are right.

One idea: the log wealth of a row grows by about margin²/(2σ²) per label, where σ is the spread of a
draw under the chances in use. Only forecasts use this; no proof rests on it.
"""

import numpy as np

from assaymark.stats.betting.race import Race
from assaymark.stats.betting.sealed import RowTest
from assaymark.stats.score_guided.kl_projection import Floats, project

EDGE = 1e-5
EVEN = 0.1  # of the chances follow size, as in the draws themselves


def labels_to_expect(
    test: RowTest, *, margin: float | None = None, aim: int | None = None
) -> Floats:
    """Labels until each row reaches 1/level; infinite where it is not believed to hold.

    With a `margin`, the beliefs are moved until every row holds by this much of its metric. With
    `aim` all labels are drawn for that row, otherwise for each row by itself.
    """
    view, count = Race(test).outlook(), len(test.rows)
    pull, belief, need = view.pull[:count], view.belief[:count], view.need[:count]
    if margin is not None:
        belief = _moved(pull, belief, need + margin * view.unit[:count])
    spread = pull * np.sqrt(belief * (1.0 - belief))
    chance = _chances(spread, pull)
    if aim is not None:
        chance = _seen_from(test, chance[aim], aim)
    variance = np.divide(
        spread**2, chance, out=np.where(spread > 0, np.inf, 0.0), where=chance > 0
    ).sum(axis=1)
    room = (pull * belief).sum(axis=1) - need
    inside = test.book.inside[:count] @ test.book.sizes
    least = np.minimum(test.recipe.fewest, inside)
    needed = 2.0 * test.log_needed * variance / np.maximum(room, 1e-9) ** 2
    labels: Floats = np.where(room > 0, np.clip(needed, least, inside), np.inf)
    return labels


def _moved(pull: Floats, belief: Floats, level: Floats) -> Floats:
    """The nearest rates at which every row has this much help."""
    total = pull.sum(axis=1)
    inside = np.clip(level, EDGE * total, (1.0 - EDGE) * total)
    sampling = np.divide(pull, total[:, None], out=np.zeros_like(pull), where=pull > 0)
    moved: Floats = np.clip(
        project(belief, pull=pull, sampling=sampling, level=inside), EDGE, 1.0 - EDGE
    )
    return moved


def _chances(spread: Floats, pull: Floats) -> Floats:
    """Neyman's chances in each row's domain, with a share by size."""
    neyman = spread / np.maximum(spread.sum(axis=1, keepdims=True), 1e-300)
    even = pull / np.maximum(pull.sum(axis=1, keepdims=True), 1e-300)
    chances: Floats = (1.0 - EVEN) * neyman + EVEN * even
    return chances


def _seen_from(test: RowTest, chance: Floats, aim: int) -> Floats:
    """The chances of one row's strata as every other row sees them."""
    by_stratum = np.zeros(len(test.sizes) + 1)
    by_stratum[test.book.where[aim]] = chance
    by_stratum[-1] = 0.0
    by_row: Floats = by_stratum[test.book.where[: len(test.rows)]]
    return by_row
