"""Assumed worlds: the shares of every outcome per stratum that a forecast takes for the truth.

One idea: scores say how items and groups of a pool differ, not how good the classifier is. So they are
taken as they are, or moved by one amount, towards what is predicted or away from it, until the worst of
the claimed figures has the value that somebody expects. The others are better by what the scores say.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from assaymark.claims.cells import Cells, Subject, subjects
from assaymark.claims.language.grammar import parse
from assaymark.claims.language.tree import Gap, Threshold
from assaymark.claims.metrics import AVERAGES
from assaymark.claims.weights import weigh
from assaymark.composite.sealed import SealedClaim
from assaymark.stats.score_guided.kl_projection import Floats

SURE = 1e-3  # no share is taken to be nearer to 0 or 1
STEEPEST, STEPS = 12.0, 40
Figure = Callable[[Floats], float | None]


@dataclass(frozen=True, kw_only=True, eq=False)
class ClaimedFigure:
    """What a part claims of its figure: how far it is ahead of the target, in a world of shares.

    `matters` are the strata whose labels its value depends on.
    """

    part: int
    leaf: Threshold
    matters: frozenset[int]
    value: Figure
    target: float
    sign: int

    def margin(self, shares: Floats) -> float | None:
        """How much better than claimed the figure is; None where it is undefined."""
        value = self.value(shares)
        return None if value is None else self.sign * (value - self.target)


def by_scores(sealed: SealedClaim) -> Floats:
    """The shares that the scores say, taken as probabilities."""
    return np.array(sealed.beliefs)


def claimed_figures(sealed: SealedClaim) -> list[ClaimedFigure]:
    """The figures of the parts that have a target, one for each class and group."""
    cells, tree = sealed.cells, sealed.statements[0].tree
    figures = []
    for number, part in enumerate(sealed.compiled[0].parts):
        leaf = parse(part.text).parts[0]
        if not isinstance(leaf, Threshold):
            continue
        scope = cells.groups(tree.every)[part.group] if tree.every else cells.everywhere
        figures += [
            ClaimedFigure(
                part=number,
                leaf=leaf,
                matters=_matters(subject, cells, scope),
                value=_figure(subject, cells, scope),
                target=float(leaf.target),
                sign=1 if leaf.side == "lower" else -1,
            )
            for subject in subjects(leaf.figure, cells)
        ]
    return figures


def group_figures(sealed: SealedClaim, leaf: Gap) -> list[tuple[tuple[int, ...], Figure]]:
    """The figure of every group that a gap is about, with its strata."""
    cells = sealed.cells
    return [
        (tuple(scope), _figure(subject, cells, scope))
        for scope in cells.groups(leaf.columns).values()
        for subject in subjects(leaf.figure, cells)
    ]


def _figure(subject: Subject, cells: Cells, scope: Sequence[int]) -> Figure:
    """The value of a figure in these strata as a function of the shares."""
    if subject.metric in AVERAGES:
        metric = AVERAGES[subject.metric]
        each = [
            _figure(replace(subject, metric=metric, klass=k), cells, scope) for k in cells.names
        ]
        return lambda shares: _mean([one(shares) for one in each])
    figure = weigh(subject, cells, scope)
    above, below = (_weights(side, cells) for side in (figure.above, figure.below))

    def value(shares: Floats) -> float | None:
        under = float((below * shares).sum())
        return float((above * shares).sum()) / under if under > 0 else None

    return value


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if len(known) == len(values) else None


def _weights(side: object, cells: Cells) -> Floats:
    weights = np.zeros((len(cells.cells), len(cells.labels)))
    for cell, gains in side.items():  # type: ignore[attr-defined]
        weights[cell] = [float(gain) * cells.cells[cell].items for gain in gains]
    return weights


def _matters(subject: Subject, cells: Cells, scope: Sequence[int]) -> frozenset[int]:
    """The strata whose labels the value of a figure depends on: of precision, those predicted so."""
    if subject.metric in AVERAGES:
        return frozenset(scope)
    figure = weigh(subject, cells, scope)
    sides = (figure.above, figure.below)
    return frozenset(k for side in sides for k, gains in side.items() if len(set(gains)) > 1)


Wanted = Callable[[ClaimedFigure], float]


def world_ahead(sealed: SealedClaim, wanted: Wanted) -> Floats:
    """A world in which the worst figure of each of the claim's words is ahead by what is wanted of it.

    Or as near to it as predictions and scores allow. Words that depend on fewer strata come first; the
    next ones are met by what is left to move.
    """
    world, moved = np.clip(by_scores(sealed), SURE, 1.0), frozenset[int]()
    words: dict[tuple[str, str], list[ClaimedFigure]] = {}
    for figure in claimed_figures(sealed):
        words.setdefault((figure.leaf.figure.metric, figure.leaf.side), []).append(figure)
    strata = [frozenset[int]().union(*(one.matters for one in each)) for each in words.values()]
    pairs = sorted(zip(words.values(), strata, strict=True), key=lambda pair: len(pair[1]))
    for figures, mine in pairs:
        world = _moved(sealed, world, tuple(mine - moved or mine), _room(figures, wanted))
        moved |= mine
    return world


def _room(figures: list[ClaimedFigure], wanted: Wanted) -> Callable[[Floats], float]:
    """By how much the worst of these figures is further ahead than is wanted."""

    def room(shares: Floats) -> float:
        known = [(figure.margin(shares), wanted(figure)) for figure in figures]
        return min(-1.0 if margin is None else margin - want for margin, want in known)

    return room


def closer(sealed: SealedClaim, leaf: Gap, gap: float) -> Floats | None:
    """A world in which the groups differ by this gap, in the order that the scores give them."""
    world, figures = np.clip(by_scores(sealed), SURE, 1.0), group_figures(sealed, leaf)
    values = [value(world) for _, value in figures]
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None
    centre, spread = (max(known) + min(known)) / 2, max(known) - min(known)
    for (strata, figure), value in zip(figures, known, strict=True):
        wanted = centre + (value - centre) * (gap / spread if spread > 0 else 0.0)
        world = _moved(sealed, world, strata, _beyond(figure, wanted))
    return world


def _beyond(figure: Figure, wanted: float) -> Callable[[Floats], float]:
    return lambda shares: (figure(shares) or 0.0) - wanted


def _moved(
    sealed: SealedClaim, world: Floats, strata: tuple[int, ...], room: Callable[[Floats], float]
) -> Floats:
    """The world with these strata moved towards their predictions until there is no room left."""
    cells, inside = sealed.cells, np.zeros((len(world), 1))
    inside[list(strata)] = 1.0
    right = np.array([[name in cell.predictions for name in cells.labels] for cell in cells.cells])

    def at(amount: float) -> Floats:
        moved = world * np.exp(amount * inside * right)
        shares: Floats = moved / moved.sum(axis=1, keepdims=True)
        return shares

    low, high = -STEEPEST, STEEPEST
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if room(at(middle)) < 0 else (low, middle)
    return at(high)
