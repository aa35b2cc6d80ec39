"""What each item adds to a metric's numerator and denominator, by its cell and label."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from assaymark.claims.cells import Cells, Subject
from assaymark.claims.metrics import ratio
from assaymark.claims.rows import Clause
from assaymark.claims.sharing import made_once, shared

Amounts = tuple[Fraction, ...]
Values = dict[int, Amounts]
Combined = tuple[Amounts, Amounts, Amounts]
"""Numerator and denominator, which are kept so that their identity stays theirs, and the sum."""
Factors = tuple[Fraction | int, Fraction | int]
MOST = 64


@dataclass(frozen=True, kw_only=True)
class Weighed:
    """Numerator and denominator of a figure per cell and label, over a scope of cells."""

    above: Values
    below: Values

    @property
    def clause(self) -> Clause:
        """The labels that show the denominator to be positive."""
        counting = made_once(self.below, _above_zero)
        return frozenset((c, o) for c, outcomes in counting.items() for o in outcomes)

    @property
    def is_known_positive(self) -> bool:
        """Whether some item adds to the denominator whatever its label."""
        return any(made_once(self.below, _is_positive).values())

    @property
    def is_label_free(self) -> bool:
        """Whether the denominator depends on predictions alone."""
        return all(made_once(self.below, lambda row: min(row) == max(row)).values())

    def combined(self, above: Fraction | int, below: Fraction | int) -> Values:
        """above·numerator + below·denominator."""
        known = _combinations((above, below))
        values: Values = {}
        for c, upper in self.above.items():
            lower = self.below[c]
            pair = (id(upper), id(lower))
            if pair not in known:
                both = tuple(above * a + below * b for a, b in zip(upper, lower, strict=True))
                known[pair] = (upper, lower, both)
            values[c] = known[pair][2]
        return values

    def known_denominator(self, cells: Cells) -> Fraction:
        """The denominator where it depends on predictions alone."""
        return sum((cells.cells[c].items * row[0] for c, row in self.below.items()), Fraction(0))


_combined: dict[Factors, dict[tuple[int, int], Combined]] = {}


def _combinations(factors: Factors) -> dict[tuple[int, int], Combined]:
    """Amounts that were combined so, by their identity: many groups share them."""
    if len(_combined) >= MOST:
        _combined.clear()
    return _combined.setdefault(factors, {})


@shared
def _is_positive(row: tuple[Fraction, ...]) -> bool:
    return min(row) > 0


@shared
def _above_zero(row: tuple[Fraction, ...]) -> list[int]:
    return [o for o, amount in enumerate(row) if amount > 0]


def weigh(subject: Subject, cells: Cells, scope: Sequence[int]) -> Weighed:
    """The figure's weights in these cells.

    Accuracy without a class counts a label that equals the prediction.
    """
    known: dict[str | None, tuple[Amounts, Amounts]] = {}
    above: Values = {}
    below: Values = {}
    for c in scope:
        guess = cells.cells[c].predictions[subject.classifier]
        key = _counted_as(guess, subject, cells)
        if key not in known:
            outcomes = (_outcome(guess, label, subject.klass, cells) for label in cells.labels)
            known[key] = _amounts(subject.metric, tuple(outcomes))
        above[c], below[c] = known[key]
    return Weighed(above=above, below=below)


@lru_cache(maxsize=4096)
def _amounts(metric: str, outcomes: tuple[int, ...]) -> tuple[Amounts, Amounts]:
    """Numerator and denominator by label, whose places in (tp, fp, fn, tn) these are."""
    kind = ratio(metric)
    return (
        tuple(kind.numerator[o] for o in outcomes),
        tuple(kind.denominator[o] for o in outcomes),
    )


def _counted_as(guess: str, subject: Subject, cells: Cells) -> str | None:
    """Predictions that count alike: for a class, all that are of it, and all others (None)."""
    if subject.klass is None:
        return guess
    return subject.klass if cells.has(guess, subject.klass) else None


def _outcome(guess: str, label: str, klass: str | None, cells: Cells) -> int:
    """The place in (tp, fp, fn, tn)."""
    if klass is None:
        return 0 if guess == label else 1
    if cells.has(guess, klass):
        return 0 if cells.has(label, klass) else 1
    return 2 if cells.has(label, klass) else 3


def total(*values: Values) -> Values:
    """The sum per cell and label; cells that share their amounts share the sum."""
    known: dict[tuple[int, ...], Amounts] = {}
    sums: Values = {}
    for c in values[0]:
        amounts = [v[c] for v in values]
        key = tuple(map(id, amounts))
        if key not in known:
            known[key] = tuple(map(_sum, zip(*amounts, strict=True)))
        sums[c] = known[key]
    return sums


def _sum(column: Sequence[Fraction]) -> Fraction:
    """The sum; most classes add nothing to a label, and adding fractions is slow."""
    return sum(filter(None, column), Fraction(0))


def guards(*figures: Weighed) -> tuple[Clause, ...]:
    """The clauses of the denominators that are not known to be positive, each once."""
    return tuple(dict.fromkeys(f.clause for f in figures if not f.is_known_positive))
