"""How many labels a claim of several parts needs, without a pool."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from scipy.stats import norm

from assaymark.certification.forecasts.calculators import size
from assaymark.claims.checks import open_share
from assaymark.claims.language.tree import ClaimTree, Comparison, Figure, Threshold
from assaymark.claims.metrics import AVERAGES
from assaymark.claims.pictures import InSentence
from assaymark.composite.planning.forecast import LEAST
from assaymark.errors import InputError
from assaymark.hints import option
from assaymark.records.plan import Expectation

TWO_SIDED, POWER = float(norm.ppf(0.975)), float(norm.ppf(0.8))


@dataclass(frozen=True, kw_only=True)
class PartSize:
    """Labels for one part at the whole confidence; `groups` of them where it is to hold in every."""

    part: str
    labels: int | None
    mode: str | None


@dataclass(frozen=True, kw_only=True)
class SeveralSize(InSentence):
    """Labels for all parts: those of one group share their labels, groups add up."""

    parts: tuple[PartSize, ...]
    groups: int
    labels: int | None
    bonferroni: int | None

    def __str__(self) -> str:
        if self.labels is None:
            false = ", ".join(part.part for part in self.parts if part.labels is None)
            return f"No number of labels: {false} looks false."
        return f"About {self.labels:,} labels for all parts together."


@dataclass(frozen=True, kw_only=True)
class ComparisonSize(InSentence):
    """Labels for one classifier against another, beside tests that are judged once.

    `both` looks for better and worse at once, `one` for one direction only. The others have a
    chance of .8 to succeed at a two-sided level of .05.
    """

    differ: float
    gap: float
    both: int
    one: int
    sign_test: int
    mcnemar: int

    @property
    def labels(self) -> int:
        """Labels to expect on average, better and worse looked for at once."""
        return self.both

    def __str__(self) -> str:
        return f"About {self.both:,} labels where the two differ ({self.one:,} for one direction)."


def size_of_parts(
    tree: ClaimTree,
    expectation: Callable[[str], Expectation],
    *,
    groups: int | None,
    confidence: float,
    power: float,
) -> SeveralSize:
    """Labels for a claim of several parts, by the forecast of each part alone."""
    if tree.every and groups is None:
        raise InputError(
            f"How many groups are there? Give {option('groups', 'N')}: each costs about as much "
            "as a claim of its own."
        )
    count = groups or 1
    parts = tuple(_part(leaf, expectation, confidence, power) for leaf in tree.parts)
    most = _most(parts)
    share = 1.0 - (1.0 - confidence) / (count * len(parts))
    corrected = _most(tuple(_part(leaf, expectation, share, power) for leaf in tree.parts))
    return SeveralSize(
        parts=parts,
        groups=count,
        labels=None if most is None else most * count,
        bonferroni=None if corrected is None else corrected * count,
    )


def _most(parts: tuple[PartSize, ...]) -> int | None:
    labels = [part.labels for part in parts if part.labels is not None]
    return max(labels) if len(labels) == len(parts) else None


def _part(
    leaf: object, expectation: Callable[[str], Expectation], confidence: float, power: float
) -> PartSize:
    if not isinstance(leaf, Threshold) or leaf.figure.metric in AVERAGES:
        raise InputError(_no_forecast(leaf))
    plain = str(replace(leaf, figure=Figure(metric=leaf.figure.metric)))
    cost = size(plain, expectation(plain), confidence=confidence, power=power)
    mode = None if cost.recommended is None else cost.modes[cost.recommended]
    labels = None if mode is None or mode.expected is None else math.ceil(mode.expected)
    return PartSize(part=str(leaf), labels=labels, mode=cost.recommended)


def _no_forecast(leaf: object) -> str:
    return (
        f"'{leaf}' cannot be forecast without a pool: begin a project and plan it there; the cost "
        "is shown before anything is sealed."
    )


def size_of_comparison(
    leaf: Comparison, *, differ: float | None, gap: float | None, confidence: float
) -> ComparisonSize:
    """Labels until b is shown to exceed a by the claim's offset, from the share that differs."""
    if leaf.figure.metric != "accuracy" or len(leaf.figure.names) > 1 or leaf.figure.every_class:
        raise InputError(_no_forecast(leaf))
    if differ is None or gap is None:
        raise InputError(
            "What a comparison costs follows from how often the predictions differ and from the gap "
            f"that you expect: {option('differ', '0.06')} and {option('gap', '0.02')}."
        )
    open_share("differ", differ)
    if not -differ <= gap <= differ or gap <= float(leaf.offset):
        raise InputError(
            f"A gap of {gap:g} cannot prove '{leaf}' where {differ:g} of the predictions differ: it must "
            f"be more than {float(leaf.offset):g} and at most {differ:g}."
        )
    wins, need = (differ + gap) / (2 * differ), (1 + leaf.offset / Fraction(str(differ))) / 2
    alpha = 1.0 - confidence
    return ComparisonSize(
        differ=differ,
        gap=gap,
        both=_labels(wins, float(need), alpha / 2),
        one=_labels(wins, float(need), alpha),
        sign_test=_sign_test(wins, float(need)),
        mcnemar=math.ceil(
            (TWO_SIDED + POWER) ** 2 * (differ - gap**2) / (gap - float(leaf.offset)) ** 2
        ),
    )


def _labels(wins: float, need: float, level: float) -> int:
    """ln(1/level) over the divergence of the wins from what the claim needs."""
    if need <= 0:
        return 0
    gain = _term(wins, need) + _term(1 - wins, 1 - need)
    return max(LEAST, math.ceil(-math.log(level) / gain))


def _term(share: float, other: float) -> float:
    return share * math.log(share / other) if share > 0 else 0.0


def _sign_test(wins: float, need: float) -> int:
    if need <= 0:
        return 0
    spread = TWO_SIDED * math.sqrt(need * (1 - need)) + POWER * math.sqrt(wins * (1 - wins))
    return math.ceil((spread / (wins - need)) ** 2)
