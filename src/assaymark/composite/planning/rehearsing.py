"""What a claim of several parts takes in an assumed world: its own course, rehearsed a few dozen times.

One idea: parts of one group share labels, groups share segments, and averages and gaps are proved by
rows that none of them states. No sum over parts knows that; the course does it (`stats.rehearsal`).
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from assaymark.composite.course import aim_of
from assaymark.composite.rows import row_test
from assaymark.composite.sealed import SealedClaim
from assaymark.stats.betting.recipe import Recipe
from assaymark.stats.betting.renewal import SEVERAL
from assaymark.stats.betting.rules import Gap
from assaymark.stats.betting.sealed import RowTest
from assaymark.stats.rehearsal.courses import CourseRehearsal, Manner, Units, World, rehearse_rows
from assaymark.stats.score_guided.kl_projection import Floats, saddle

EDGE = 1e-4
MEAN = (1.1, 12)  # a proof takes this many times the limit, and this many labels more


def row_labels(test: RowTest, shares: Floats, rows: Sequence[int]) -> Floats:
    """The information limit of each of these rows by itself; infinite where it does not hold here.

    No test of a row can beat ln(1/level)/V* labels on average, where V* is how fast the best chances
    tell the world from the nearest one in which the row is false. A row by itself comes close to it.

    The world itself is what is expected, never what the bets begin with: those mix the scores with
    having no opinion, which makes every claim look harder than the scores say it is.
    """
    book, which = test.book, np.array(rows, dtype=np.int64)
    where, whole = book.where[which], book.whole[which]
    place = np.minimum(where, len(shares) - 1)
    belief = np.clip((book.help[which] * shares[place]).sum(axis=2), EDGE, 1.0 - EDGE)
    sizes = np.append(np.array(test.sizes, dtype=np.float64), 0.0)[where]
    pull = book.value[which] * sizes / whole[:, None]
    need = book.required[which].astype(np.float64) / (book.scale[which] * whole)
    labels = [
        _labels(test, pull=pull[r], need=float(need[r]), belief=belief[r], sizes=sizes[r])
        for r in range(len(which))
    ]
    return np.array(labels)


def _labels(test: RowTest, *, pull: Floats, need: float, belief: Floats, sizes: Floats) -> float:
    total, inside = float(pull.sum()), float(sizes[pull > 0].sum())
    if need <= 0:
        return 0.0
    if float((pull * belief).sum()) <= need or need >= total:
        return np.inf
    fastest = saddle(belief, pull=pull / total, need=need / total)
    draws = MEAN[0] * test.log_needed / fastest.speed + MEAN[1]
    labels = labels_in_pool(draws, sampling=fastest.sampling, sizes=sizes)
    return min(inside, max(labels, min(float(test.recipe.fewest), inside)))


def labels_in_pool(ideal: float, *, sampling: Floats, sizes: Floats) -> float:
    """The labels without replacement that tell as much as `ideal` draws with it.

    n_k labels of stratum k leave the variance q_k²(1/n_k − 1/N_k), in which q_k are its chances and
    N_k its items (the finite population correction). Labels follow the chances, n_k = m·q_k, but a
    stratum that is used up has nothing left to tell; m is raised until 1/ideal is all that is left.

    >>> one = np.ones(1)
    >>> labels_in_pool(1000.0, sampling=one, sizes=1000 * one)
    500.0
    """
    going = (sampling > 0) & (sizes > 0)
    q, items = sampling[going], sizes[going]
    left, pace = np.ones(len(q), dtype=np.bool_), 0.0
    while left.any():
        information = float((q[left] ** 2 / items[left]).sum())
        pace = float(q[left].sum()) / (1.0 / ideal + information)
        used_up = left & (pace * q >= items)
        if not used_up.any():
            break
        left &= ~used_up
    return float(np.where(left, pace * q, items).sum())


RUNS, FEWEST_RUNS = 48, 6
WORK = 1_200  # runs × rows that a rehearsal may hold: a second or less
HARDEST = 24  # cells of a gap that are rehearsed: the others are proved on the way
BAD_LUCK = 0.93
LOW = 0.45  # the low end of the range, as a share of the typical number
LIMIT_LOW, LIMIT_HIGH = 0.3, 1.7
GROUPS, OTHERS = 0.45, 0.75
"""What claims took of the number rehearsed for the worst part: of groups and gaps, and of the rest.

Scores differ less between groups, and between sure items and others, than classifiers do. Measured on
CrisisLex, 20 newsgroups and Davidson, which also chose `LOW`; the evidence reports other collections.
"""
SEED = 20_260
FEWEST = Recipe().fewest


@dataclass(frozen=True, kw_only=True)
class Labels:
    """What a claim takes: half of the runs end within `typical`, 93 in 100 within `bad_luck`.

    `low` is the low end of the range that is printed. Where only the worst part is known, `typical`
    allows for the others, and `bad_luck` is that of others no better than their scores say. Where a
    claim is too large to be rehearsed, all three are factors on the limits of its parts.
    """

    typical: int
    low: int
    bad_luck: int
    rehearsed: bool = True


@dataclass(frozen=True, kw_only=True, eq=False)
class ClaimRehearsal:
    """Labels for all parts, and for each one those in its own strata."""

    labels: Labels
    parts: tuple[int, ...]


def rehearsed(sealed: SealedClaim, shares: Floats) -> ClaimRehearsal | None:
    """The labels until every part is proved; None where the claim is too large to be rehearsed.

    *Assumes* that every part holds in this world, and that there is no budget.
    """
    test, ends = _open_ended(sealed), [len(part.rows) for part in sealed.compiled[0].parts]
    stops = itertools.accumulate(ends, initial=0)
    units: Units = tuple(tuple(range(*pair)) for pair in itertools.pairwise(stops))
    if isinstance(test.rule, Gap):
        test = _hardest(test, shares)
        units = test.rule.cells if isinstance(test.rule, Gap) else units
    course = _course(sealed, test, shares, units, tuple(range(len(units))))
    if course is None:
        return None
    inside = np.where(np.isfinite(course.inside), course.inside, course.ends[:, None])
    parts = np.median(inside, axis=0)
    if isinstance(test.rule, Gap):
        parts = parts.max(keepdims=True)
    each = tuple(math.ceil(labels - 1e-9) for labels in parts)
    return ClaimRehearsal(labels=labels_of(course.ends), parts=each)


def rehearsed_rungs(sealed: SealedClaim, shares: Floats, rungs: int) -> list[Labels] | None:
    """The labels until each of the first cut-offs is reached, with all before it."""
    test = _open_ended(sealed)
    units: Units = tuple((row,) for row in range(rungs))
    course = _course(sealed, test, shares, units, tuple(range(rungs)))
    if course is None:
        return None
    times = np.maximum.accumulate(np.minimum(course.times, course.ends[:, None]), axis=1)
    return [labels_of(column) for column in times.T]


def rehearsed_wins(sealed: SealedClaim, share: float) -> Labels | None:
    """The labels until b is shown to be better, where it is right in this share of disagreements."""
    cells = sealed.cells
    kinds = len(cells.labels)
    shares = np.full((len(sealed.strata), kinds), 1.0 / kinds)
    for number, stratum in enumerate(cells.cells):
        a, b = (cells.labels.index(name) for name in stratum.predictions[:2])
        if a != b:
            shares[number] = 0.0
            shares[number, [a, b]] = 1.0 - share, share
    units: Units = tuple(
        sealed.row_numbers[place]
        for place, one in enumerate(sealed.statements)
        if one.winner == "b" and one.offset <= 0
    )
    course = _course(sealed, _open_ended(sealed), shares, units, tuple(range(len(units))))
    return None if course is None else labels_of(course.ends)


def labels_of(ends: Floats) -> Labels:
    """Typical, and with bad luck, of these runs."""
    typical, bad = (math.ceil(float(np.quantile(ends, share)) - 1e-9) for share in (0.5, BAD_LUCK))
    low = max(math.ceil(LOW * typical), min(FEWEST, int(ends.min())))
    return Labels(typical=typical, low=low, bad_luck=bad)


def labels_of_limit(limit: int, items: int) -> Labels:
    """The same from the sum of the parts' limits, where nothing could be rehearsed."""
    bad = min(items, math.ceil(LIMIT_HIGH * limit))
    return Labels(
        typical=min(items, limit), low=math.ceil(LIMIT_LOW * limit), bad_luck=bad, rehearsed=False
    )


def of_the_worst(sealed: SealedClaim, labels: Labels) -> Labels:
    """The labels of a world that is known by its worst part alone: the other parts are mostly better."""
    if not labels.rehearsed:
        return labels
    parts = sealed.compiled[0].parts
    grouped = parts[0].combinator == "gap" or len({part.group for part in parts}) > 1
    items: dict[tuple[str, ...], set[int]] = {}
    for part in parts:
        inside = items.setdefault(part.group, set())
        inside.update(cell for row in part.rows for cell in row.domain)
    fewest = sum(min(FEWEST, sealed.cells.items(sorted(cells))) for cells in items.values())
    share = GROUPS if grouped else OTHERS
    typical = min(labels.typical, max(fewest, math.ceil(share * labels.typical)))
    low = min(typical, max(fewest, math.ceil(LOW * typical)))
    # rows that only suffice for a mean over classes may prove nothing, and then all is read
    mean = any(leaf.figure.metric.startswith("macro") for leaf in sealed.statements[0].tree.parts)
    bad_luck = sealed.items if mean else labels.bad_luck
    return replace(labels, typical=typical, low=low, bad_luck=bad_luck)


def _course(
    sealed: SealedClaim, test: RowTest, shares: Floats, units: Units, wanted: tuple[int, ...]
) -> CourseRehearsal | None:
    runs = min(RUNS, WORK // test.book.count)
    if runs < FEWEST_RUNS:
        return None
    groups: dict[tuple[str, ...], list[int]] = {}
    for number, stratum in enumerate(sealed.strata):
        groups.setdefault(stratum.groups, []).append(number)
    manner = Manner(
        lead=SEVERAL if sealed.lead == "several" else 0,
        shared=sealed.allocation == "shared",
        aim=(lambda race: aim_of(sealed, race)) if sealed.kind == "comparison" else None,
        most=sealed.items,
    )
    world = World(shares=shares, blocks=tuple(map(tuple, groups.values())))
    return rehearse_rows(
        test,
        world,
        manner=manner,
        units=units,
        wanted=wanted,
        runs=runs,
        rng=np.random.default_rng(SEED),
    )


def _open_ended(sealed: SealedClaim) -> RowTest:
    return replace(row_test(sealed), ceiling=None)


def _hardest(test: RowTest, shares: Floats) -> RowTest:
    """The test with the cells of the gap that are hardest to prove in this world, and their rows."""
    if not isinstance(test.rule, Gap):
        return test
    speed = 1.0 / np.maximum(row_labels(test, shares, range(len(test.rows))), 1e-9)
    cells = sorted(test.rule.cells, key=lambda cell: float(speed[list(cell)].sum()))[:HARDEST]
    rows = sorted({row for cell in cells for row in cell})
    place = {row: number for number, row in enumerate(rows)}
    count = len(test.rows)
    opening = test.opening
    return replace(
        test,
        rows=replace(test.rows, rows=tuple(test.rows.rows[row] for row in rows)),
        rule=Gap(cells=tuple(tuple(place[row] for row in cell) for cell in cells)),
        opening=opening and tuple(opening[row + side] for side in (0, count) for row in rows),
    )
