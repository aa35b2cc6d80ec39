"""What a claim may cost, told before any label: from the share of disagreement, or from the scores."""

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass

from assaymark.claims.cells import subjects
from assaymark.claims.language.grammar import parse
from assaymark.claims.language.tree import Comparison, Part, Threshold
from assaymark.claims.rows import RowPart
from assaymark.composite.rows import row_test
from assaymark.composite.sealed import SealedClaim
from assaymark.errors import InputError
from assaymark.stats.betting.prospects import labels_to_expect
from assaymark.stats.score_guided.kl_projection import Floats

WINS = {"b is right in 2 of 3 of them": 2 / 3, "b is right in 3 of 5 of them": 3 / 5}
LEAST = 30


@dataclass(frozen=True, kw_only=True)
class PartForecast:
    """Labels that a part should need if the scores are right; None where they say it is false.

    `items` are those whose labels count for it, `positives` those believed to be among them, None
    without scores. `wins` are the labels by the share of disagreements that a classifier wins.
    """

    part: str
    group: tuple[str, ...]
    items: int
    positives: int | None
    labels: int | None
    wins: Mapping[str, int] | None = None

    @property
    def whole(self) -> bool:
        """Whether all of its items will have to be read."""
        return self.labels is not None and self.labels >= self.items


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


def expected_margins(sealed: SealedClaim, value: float) -> float:
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


def forecast_parts(sealed: SealedClaim, *, margin: float | None = None) -> list[PartForecast]:
    """A forecast for every part of a conjunction: by the scores, or if it holds by this margin."""
    cells, claim = sealed.cells, sealed.compiled[0]
    labels = labels_to_expect(row_test(sealed), margin=margin) if sealed.is_scored else None
    stops = list(itertools.accumulate((len(p.rows) for p in claim.parts), initial=0))
    parts = []
    for part, (start, stop) in zip(claim.parts, itertools.pairwise(stops), strict=True):
        need = None if labels is None else _joint_need(part, labels[start:stop], ahead=margin)
        domain = sorted({cell for row in part.rows for cell in row.domain})
        leaf = parse(part.text).parts[0]
        klass = subjects(leaf.figure, cells)[0].klass if isinstance(leaf, Threshold) else None
        parts.append(
            PartForecast(
                part=part.text,
                group=part.group,
                items=cells.items(domain),
                positives=cells.believed(klass, domain) if klass is not None else None,
                labels=None if need is None or math.isinf(need) else math.ceil(need),
                wins=_wins(sealed, leaf, cells.items(domain)),
            )
        )
    return parts


def _joint_need(part: RowPart, labels: Floats, *, ahead: float | None) -> float:
    """Labels until the rows of a part are proved together, if each takes so many alone.

    Of a mixture one bundle is enough. Wealths of a gap multiply, so that progress on its rows adds
    up; groups are taken to be labelled alike. A gap has no single value that could be ahead.
    """
    if part.combinator == "mixture":
        return float(labels.reshape(len(part.weights), -1).max(axis=1).min())
    if part.combinator != "gap":
        return float(labels.max())
    if ahead is not None:
        return math.inf
    speed = min(sum(1.0 / labels[row] for row in product) for product in part.products)
    return len(part.constants["groups"]) / speed if speed > 0 else math.inf


def _wins(sealed: SealedClaim, leaf: Part, items: int) -> dict[str, int] | None:
    """Labels for "better in accuracy"; where parts are named, for the name that comes first."""
    if not isinstance(leaf, Comparison) or leaf.figure.metric != "accuracy" or leaf.offset:
        return None
    named = sealed.family == "named"
    level = sealed.level / (len(sealed.compiled[0].parts) if named else 1)
    return {when: labels_of_share(items, level, share) for when, share in WINS.items()}


def total_labels(sealed: SealedClaim, parts: list[PartForecast]) -> int | None:
    """Labels for all parts: groups add up, parts of one group share their labels.

    None without scores, or where the scores say that a part is false.
    """
    if not sealed.is_scored or any(part.labels is None for part in parts):
        return None
    most: dict[tuple[str, ...], int] = {}
    for part in parts:
        most[part.group] = max(most.get(part.group, 0), part.labels or 0)
    return sum(most.values())


def forecast_rungs(sealed: SealedClaim) -> list[RungForecast]:
    """For every cut-off its price as a fixed threshold and as a rung that all before it must pass.

    By the scores; a rung that they call false has no price.
    """
    test, order = row_test(sealed), sealed.compiled[0].constants["order"]
    rungs = []
    for place, name in enumerate(order):
        above = sealed.columns.rungs.index(name)
        labels = labels_to_expect(test, aim=place) if sealed.is_scored else None
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
