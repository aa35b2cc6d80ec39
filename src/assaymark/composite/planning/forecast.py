"""What a claim may cost, before any label: from the share of disagreement, or from the scores."""

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from assaymark.claims.cells import subjects
from assaymark.claims.language.grammar import parse
from assaymark.claims.language.tree import Comparison, Gap, Part, Threshold
from assaymark.claims.rows import RowPart
from assaymark.composite.planning.rehearsing import (
    LOW,
    Labels,
    labels_of_limit,
    of_the_worst,
    rehearsed,
    rehearsed_rungs,
    rehearsed_wins,
    row_labels,
)
from assaymark.composite.planning.worlds import (
    Wanted,
    by_scores,
    claimed_figures,
    closer,
    group_figures,
    world_ahead,
)
from assaymark.composite.rows import row_test
from assaymark.composite.sealed import SealedClaim
from assaymark.errors import InputError
from assaymark.hints import option
from assaymark.stats.score_guided.kl_projection import Floats

WINS = {"b is right in 2 of 3 of them": 2 / 3, "b is right in 3 of 5 of them": 3 / 5}
LEAST = 30
AHEAD = 0.05


@dataclass(frozen=True, kw_only=True)
class PartForecast:
    """What is expected of a part: its figure by the scores, and labels that it should need.

    `items` are those whose labels count for it, `positives` those believed to be among them, `value`
    the figure, or the gap, if the scores are right; None without scores. `labels` are those among its
    items if the scores are right, None where they say that it is false, and `needed` those in the world
    that the forecast assumes. `wins` are the labels by the share of
    disagreements that a classifier wins.
    """

    part: str
    group: tuple[str, ...]
    items: int
    positives: int | None
    value: float | None
    labels: int | None
    needed: int | None
    wins: Mapping[str, int] | None = None

    @property
    def name(self) -> str:
        """The part with its group."""
        return " ".join([self.part, *(f"[{value}]" for value in self.group)])


@dataclass(frozen=True, kw_only=True)
class ClaimForecast:
    """What a claim of several parts may cost: by the scores, and if it is `ahead` of what is claimed.

    `ahead` and `expect`, the value that somebody expects, are those of the worst part; the others are
    better by what the scores say.
    """

    parts: tuple[PartForecast, ...]
    labels: Labels | None
    needed: Labels | None
    ahead: float
    expect: float | None = None

    @property
    def expected(self) -> int | None:
        """Labels to expect: by what somebody expects, else by the scores, else if it is good enough."""
        by_scores = None if self.expect is not None else self.labels
        best = self.needed if by_scores is None else by_scores
        return None if best is None else best.typical

    @property
    def false_parts(self) -> tuple[PartForecast, ...]:
        """The parts that look false if the scores are right."""
        return tuple(p for p in self.parts if p.value is not None and p.labels is None)

    @property
    def looks_false(self) -> bool:
        """Whether nobody expects anything, and the scores alone say that the claim is false."""
        return self.expect is None and bool(self.false_parts)


@dataclass(frozen=True, kw_only=True)
class RungForecast:
    """Labels for one cut-off fixed beforehand, and for reaching it on the ladder."""

    cutoff: float
    items: int
    fixed: int | None
    ladder: Labels | None


def expected_labels(sealed: SealedClaim) -> dict[str, Labels] | None:
    """Labels by the share of disagreements that b wins; None where the metric does not tell."""
    if sealed.kind != "comparison" or sealed.metric != "accuracy":
        return None
    return {when: _labels_of_wins(sealed, share) for when, share in WINS.items()}


def _labels_of_wins(sealed: SealedClaim, share: float) -> Labels:
    limit = labels_of_share(sealed.disagree, sealed.level, share)
    return rehearsed_wins(sealed, share) or labels_of_limit(limit, sealed.disagree)


def labels_of_share(disagree: int | None, level: float, share: float) -> int:
    """Labels until b is shown to be better where it wins this share of the disagreements.

    ln(1/level) over the divergence of that share from a half: what a bet gains from one label.
    """
    gain = share * math.log(2 * share) + (1 - share) * math.log(2 * (1 - share))
    labels = max(LEAST, math.ceil(-math.log(level) / gain))
    return labels if disagree is None else min(disagree, labels)


def expected_margin(sealed: SealedClaim, value: float) -> float:
    """How far the expected value of every part lies beyond its target, at least."""
    margins = []
    for leaf in sealed.statements[0].tree.parts:
        if not isinstance(leaf, Threshold):
            raise InputError(
                f"'{leaf}' is about two figures, so one expected value does not fit it. Leave "
                f"{option('expect')} out."
            )
        gap = value - float(leaf.target)
        margins.append(gap if leaf.side == "lower" else -gap)
    if min(margins) <= 0:
        raise InputError(
            f"With an expected value of {value:g}, '{sealed.claim}' would not hold: expect a "
            "better value, or choose an easier target."
        )
    return min(margins)


def forecast_claim(
    sealed: SealedClaim, *, expect: float | None = None, ahead: float | None = None
) -> ClaimForecast:
    """What a conjunction may cost, by the scores and if its worst part is as good as expected or needed.

    `ahead` is how much better than claimed the worst part is taken to be, where no value is expected.
    """
    if expect is not None:
        ahead = expected_margin(sealed, expect)
    elif ahead is None:
        ahead = _usual_margin(sealed)
    worlds = _worlds(sealed, _wanted(expect, ahead)) if sealed.is_scored else None
    labels = needed = None
    if worlds is not None:
        labels = costs(sealed, worlds.scores)
        needed = None if worlds.needed is None else costs_needed(sealed, worlds.needed)
    parts = []
    for number, part in enumerate(sealed.compiled[0].parts):
        value = None if worlds is None else worlds.values[number]
        parts.append(_part(sealed, part, number, value, labels, needed))
    return ClaimForecast(
        parts=tuple(parts),
        labels=None if labels is None else labels.all,
        needed=None if needed is None else needed.all,
        ahead=ahead,
        expect=expect,
    )


def labels_in(sealed: SealedClaim, shares: Floats) -> Labels | None:
    """Labels for all parts in a world of these shares; None where a part is false there."""
    return costs(sealed, shares).all


@dataclass(frozen=True, kw_only=True)
class Costs:
    """Labels of a claim in a world, and of each part; None where it is false there."""

    all: Labels | None
    parts: tuple[int | None, ...]


def costs(sealed: SealedClaim, shares: Floats) -> Costs:
    """Rehearsed where every part holds, and the claim is not too large; else the parts' own limits."""
    limits = _limits(sealed, shares)
    known = [limit for limit in limits if limit is not None]
    if len(known) < len(limits):
        return Costs(all=None, parts=limits)
    course = rehearsed(sealed, shares)
    if course is not None:
        return Costs(all=course.labels, parts=course.parts)
    return Costs(all=labels_of_limit(_total(sealed, known), sealed.items), parts=limits)


def costs_needed(sealed: SealedClaim, world: Floats) -> Costs:
    """The costs in a world that is known by its worst part alone.

    All items, where the claim holds in it and its rows cannot prove that.
    """
    cost = costs(sealed, world)
    if cost.all is not None:
        labels = of_the_worst(sealed, cost.all)
        share = labels.typical / max(1, cost.all.typical)
        parts = [None if one is None else math.ceil(share * one - 1e-9) for one in cost.parts]
        return Costs(all=labels, parts=tuple(parts))
    margins = [figure.margin(world) for figure in claimed_figures(sealed)]
    if not margins or any(margin is None or margin <= 0 for margin in margins):
        return cost
    low = math.ceil(LOW * sealed.items)
    labels = Labels(typical=sealed.items, low=low, bad_luck=sealed.items)
    return replace(cost, all=labels)


def _limits(sealed: SealedClaim, shares: Floats) -> tuple[int | None, ...]:
    test, start, limits = row_test(sealed), 0, list[int | None]()
    for part in sealed.compiled[0].parts:
        rows = range(start, start + len(part.rows))
        start += len(part.rows)
        limits.append(_need(part, row_labels(test, shares, rows)))
    return tuple(limits)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Worlds:
    """The figures of the parts by the scores, and worlds in which they are so and as good as needed."""

    values: tuple[float | None, ...]
    scores: Floats
    needed: Floats | None


def _wanted(expect: float | None, ahead: float) -> Wanted:
    """How much better than claimed each figure is expected to be, where it is the worst."""
    if expect is None:
        return lambda _: ahead
    return lambda figure: figure.sign * (expect - figure.target)


def _worlds(sealed: SealedClaim, wanted: Wanted) -> _Worlds:
    scores, parts = by_scores(sealed), sealed.compiled[0].parts
    leaf = parse(parts[0].text).parts[0]
    if isinstance(leaf, Gap):
        values = [figure(scores) for _, figure in group_figures(sealed, leaf)]
        known = [value for value in values if value is not None]
        gap = max(known) - min(known) if len(known) == len(values) else None
        needed = closer(sealed, leaf, float(leaf.limit) / 2)
        return _Worlds(values=(gap,), scores=scores, needed=needed)
    worst: dict[int, tuple[float, float]] = {}
    for figure in claimed_figures(sealed):
        margin, value = figure.margin(scores), figure.value(scores)
        if margin is not None and value is not None:
            worst[figure.part] = min(worst.get(figure.part, (margin, value)), (margin, value))
    each = [worst[number][1] if number in worst else None for number in range(len(parts))]
    world = None if None in each else world_ahead(sealed, wanted)
    return _Worlds(values=tuple(each), scores=scores, needed=world)


def _usual_margin(sealed: SealedClaim) -> float:
    """How much better than claimed a part is taken to be: 0.05, or half of what can be."""
    rooms = [
        (1.0 - float(leaf.target) if leaf.side == "lower" else float(leaf.target)) / 2
        for leaf in sealed.statements[0].tree.parts
        if isinstance(leaf, Threshold)
    ]
    return float(f"{min([AHEAD, *rooms]):.2g}")


def _part(
    sealed: SealedClaim,
    part: RowPart,
    number: int,
    value: float | None,
    labels: Costs | None,
    needed: Costs | None,
) -> PartForecast:
    cells, leaf = sealed.cells, parse(part.text).parts[0]
    domain = sorted({cell for row in part.rows for cell in row.domain})
    klass = subjects(leaf.figure, cells)[0].klass if isinstance(leaf, Threshold) else None
    return PartForecast(
        part=part.text,
        group=part.group,
        items=cells.items(domain),
        positives=cells.believed(klass, domain) if klass is not None else None,
        value=value,
        labels=None if labels is None else labels.parts[number],
        needed=None if needed is None else needed.parts[number],
        wins=_wins(sealed, leaf, cells.items(domain)),
    )


def _need(part: RowPart, labels: Floats) -> int | None:
    """Labels until the rows of a part are proved together, if each takes this many alone.

    Of a mixture one bundle is enough. Wealths of a gap multiply, so that progress on its rows adds
    up; groups are taken to be labelled alike.
    """
    if part.combinator == "mixture":
        need = float(labels.reshape(len(part.weights), -1).max(axis=1).min())
    elif part.combinator == "gap":
        speed = min(sum(1.0 / labels[row] for row in product) for product in part.products)
        need = len(part.constants["groups"]) / speed if speed > 0 else math.inf
    else:
        need = float(labels.max())
    return _whole(need)


def _total(sealed: SealedClaim, limits: list[int]) -> int:
    """Labels for all parts: groups add up, parts of one group share their labels."""
    most: dict[tuple[str, ...], int] = {}
    for part, labels in zip(sealed.compiled[0].parts, limits, strict=True):
        most[part.group] = max(most.get(part.group, 0), labels)
    return sum(most.values())


def _wins(sealed: SealedClaim, leaf: Part, items: int) -> dict[str, int] | None:
    """Labels for "better in accuracy"; where parts are named, for the name that comes first."""
    if not isinstance(leaf, Comparison) or leaf.figure.metric != "accuracy" or leaf.offset:
        return None
    named = sealed.family == "named"
    level = sealed.level / (len(sealed.compiled[0].parts) if named else 1)
    return {when: labels_of_share(items, level, share) for when, share in WINS.items()}


def forecast_rungs(sealed: SealedClaim) -> list[RungForecast]:
    """For every cut-off its price as a fixed threshold and as a rung that all before it must pass.

    By the scores; a rung that they call false has no price.
    """
    order = sealed.compiled[0].constants["order"]
    limits, climbs = [math.inf] * len(order), list[Labels]()
    if sealed.is_scored and sealed.judged == "any time":
        test, shares = row_test(sealed), by_scores(sealed)
        limits = row_labels(test, shares, range(len(test.rows))).tolist()
        true = len(list(itertools.takewhile(math.isfinite, limits)))
        climbs = (rehearsed_rungs(sealed, shares, true) or []) if true else []
    rungs = []
    for place, name in enumerate(order):
        above = sealed.columns.rungs.index(name)
        rungs.append(
            RungForecast(
                cutoff=float(name),
                items=sum(s.items for s in sealed.strata if s.predictions[above] == "1"),
                fixed=_whole(limits[place]),
                ladder=climbs[place] if place < len(climbs) else None,
            )
        )
    return rungs


def _whole(labels: float | None) -> int | None:
    return None if labels is None or math.isinf(labels) else math.ceil(labels)
