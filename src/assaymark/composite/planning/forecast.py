"""What a claim may cost, before any label: from the share of disagreement, or from the scores."""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from assaymark.claims.cells import subjects
from assaymark.claims.language.grammar import parse
from assaymark.claims.language.tree import Comparison, Gap, Part, Threshold
from assaymark.claims.rows import RowPart
from assaymark.composite.planning.limits import row_labels
from assaymark.composite.planning.worlds import (
    ClaimedFigure,
    by_scores,
    claimed_figures,
    closer,
    group_figures,
    world_ahead,
)
from assaymark.composite.rows import row_test
from assaymark.composite.sealed import SealedClaim
from assaymark.errors import InputError
from assaymark.stats.betting.sealed import RowTest
from assaymark.stats.score_guided.kl_projection import Floats

WINS = {"b is right in 2 of 3 of them": 2 / 3, "b is right in 3 of 5 of them": 3 / 5}
LEAST = 30
AHEAD = 0.05


@dataclass(frozen=True, kw_only=True)
class PartForecast:
    """What is expected of a part: its figure by the scores, and labels that it should need.

    `items` are those whose labels count for it, `positives` those believed to be among them, `value`
    the figure, or the gap, if the scores are right; None without scores. `labels` are those for this
    part if the scores are right, None where they say that it is false, and `needed` those if it is as
    much better than claimed as the forecast assumes. `wins` are the labels by the share of
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

    @property
    def whole(self) -> bool:
        """Whether all of its items will have to be read."""
        return self.needed is not None and self.needed >= self.items


@dataclass(frozen=True, kw_only=True)
class ClaimForecast:
    """What a claim of several parts may cost: by the scores, and if it is `ahead` of what is claimed.

    `expect` is the value that somebody expects of every part. Draws serve the parts of one group
    together, and groups add up.
    """

    parts: tuple[PartForecast, ...]
    labels: int | None
    needed: int | None
    ahead: float
    expect: float | None = None

    @property
    def expected(self) -> int | None:
        """Labels to expect: by what somebody expects, else by the scores, else if it is good enough."""
        by_scores = None if self.expect is not None else self.labels
        return self.needed if by_scores is None else by_scores

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
    ladder: int | None


def expected_labels(sealed: SealedClaim) -> dict[str, int] | None:
    """Labels by the share of disagreements that b wins; None where the metric does not tell.

    ln(1/level) over the divergence of that share from a half: what a bet gains from one label.
    """
    if sealed.kind != "comparison" or sealed.metric != "accuracy":
        return None
    return {when: labels_of_share(sealed.disagree, sealed.level, s) for when, s in WINS.items()}


def labels_of_share(disagree: int | None, level: float, share: float) -> int:
    """Labels until b is shown to be better where it wins this share of the disagreements."""
    gain = share * math.log(2 * share) + (1 - share) * math.log(2 * (1 - share))
    labels = max(LEAST, math.ceil(-math.log(level) / gain))
    return labels if disagree is None else min(disagree, labels)


def expected_margin(sealed: SealedClaim, value: float) -> float:
    """How far the expected value of every part lies beyond its target, at least."""
    margins = []
    for leaf in sealed.statements[0].tree.parts:
        if not isinstance(leaf, Threshold):
            raise InputError(f"'{leaf}' has no single value to expect.")
        gap = value - float(leaf.target)
        margins.append(gap if leaf.side == "lower" else -gap)
    if min(margins) <= 0:
        raise InputError(
            f"With an expected value of {value:g}, '{sealed.claim}' would not hold: expect more, or "
            "claim less."
        )
    return min(margins)


def forecast_claim(
    sealed: SealedClaim, *, expect: float | None = None, ahead: float | None = None
) -> ClaimForecast:
    """What a conjunction may cost, by the scores and if it is as good as expected or as needed.

    `ahead` is how much better than claimed every part is taken to be, where no value is expected.
    """
    if expect is not None:
        ahead = expected_margin(sealed, expect)
    elif ahead is None:
        ahead = _usual_margin(sealed)
    test = row_test(sealed) if sealed.is_scored else None
    stops = list(itertools.accumulate((len(p.rows) for p in sealed.compiled[0].parts), initial=0))
    figures: dict[int, list[ClaimedFigure]] = {}
    for figure in claimed_figures(sealed):
        figures.setdefault(figure.part, []).append(figure)
    parts = []
    for number, part in enumerate(sealed.compiled[0].parts):
        rows = range(stops[number], stops[number + 1])
        leaf = parse(part.text).parts[0]
        worlds = None if test is None else _worlds(sealed, leaf, figures.get(number, []), ahead)
        parts.append(_part(sealed, part, leaf, rows, test, worlds))
    return ClaimForecast(
        parts=tuple(parts),
        labels=_total(parts, lambda part: part.labels),
        needed=_total(parts, lambda part: part.needed),
        ahead=ahead,
        expect=expect,
    )


def labels_in(sealed: SealedClaim, shares: Floats) -> int | None:
    """Labels for all parts in a world of these shares; None where a part is false there."""
    test, start = row_test(sealed), 0
    most: dict[tuple[str, ...], int] = {}
    for part in sealed.compiled[0].parts:
        rows = range(start, start + len(part.rows))
        start += len(part.rows)
        labels = _need(part, row_labels(test, shares, rows))
        if labels is None:
            return None
        most[part.group] = max(most.get(part.group, 0), labels)
    return sum(most.values())


@dataclass(frozen=True, kw_only=True, eq=False)
class _Worlds:
    """The figure of a part by the scores, and worlds in which it is so and as good as needed."""

    value: float | None
    scores: Floats
    needed: Floats | None


def _worlds(sealed: SealedClaim, leaf: Part, figures: list[ClaimedFigure], ahead: float) -> _Worlds:
    scores = by_scores(sealed)
    if isinstance(leaf, Gap):
        values = [figure(scores) for _, figure in group_figures(sealed, leaf)]
        known = [value for value in values if value is not None]
        gap = max(known) - min(known) if len(known) == len(values) else None
        return _Worlds(value=gap, scores=scores, needed=closer(sealed, leaf, float(leaf.limit) / 2))
    if not figures:
        return _Worlds(value=None, scores=scores, needed=None)
    margins = [(figure.margin(scores), figure) for figure in figures]
    known_margins = [(margin, figure) for margin, figure in margins if margin is not None]
    worst = min(known_margins, key=lambda pair: pair[0])[1] if known_margins else None
    return _Worlds(
        value=None if worst is None else worst.value(scores),
        scores=scores,
        needed=world_ahead(sealed, figures, ahead),
    )


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
    leaf: Part,
    rows: Sequence[int],
    test: RowTest | None,
    worlds: _Worlds | None,
) -> PartForecast:
    cells = sealed.cells
    domain = sorted({cell for row in part.rows for cell in row.domain})
    klass = subjects(leaf.figure, cells)[0].klass if isinstance(leaf, Threshold) else None
    labels = needed = None
    if test is not None and worlds is not None:
        labels = _need(part, row_labels(test, worlds.scores, rows))
        if worlds.needed is not None:
            needed = _need(part, row_labels(test, worlds.needed, rows))
    return PartForecast(
        part=part.text,
        group=part.group,
        items=cells.items(domain),
        positives=cells.believed(klass, domain) if klass is not None else None,
        value=None if worlds is None else worlds.value,
        labels=labels,
        needed=needed,
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


def _total(
    parts: list[PartForecast], labels_of: Callable[[PartForecast], int | None]
) -> int | None:
    """Labels for all parts: groups add up, parts of one group share their labels."""
    most: dict[tuple[str, ...], int] = {}
    for part in parts:
        labels = labels_of(part)
        if labels is None:
            return None
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
    labels = None
    if sealed.is_scored:
        test = row_test(sealed)
        labels = row_labels(test, by_scores(sealed), range(len(test.rows)))
    rungs = []
    for place, name in enumerate(order):
        above = sealed.columns.rungs.index(name)
        climb = None if labels is None else float(max(labels[: place + 1]))
        fixed = None if labels is None else float(labels[place])
        rungs.append(
            RungForecast(
                cutoff=float(name),
                items=sum(s.items for s in sealed.strata if s.predictions[above] == "1"),
                fixed=_whole(fixed),
                ladder=_whole(climb),
            )
        )
    return rungs


def _whole(labels: float | None) -> int | None:
    return None if labels is None or math.isinf(labels) else math.ceil(labels)
