"""What a claim says once every label is known: the figures themselves, in exact fractions.

Rows that only suffice for a claim (F1 against F1, macro averages, gaps) may fail although it holds.
When everything was labelled there is nothing left to bet on, and this decides.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from assaymark.claims.cells import Cells, Subject, subjects
from assaymark.claims.language.tree import Comparison, Gap, Part, Threshold, Within
from assaymark.claims.linear import both_ways, rivals
from assaymark.claims.metrics import AVERAGES
from assaymark.claims.rows import Tally
from assaymark.claims.weights import weigh


def figure_value(
    subject: Subject, cells: Cells, scope: Sequence[int], tally: Tally
) -> Fraction | None:
    """The figure in these cells; None where its denominator is 0."""
    if subject.metric in AVERAGES:
        metric = AVERAGES[subject.metric]
        each = [
            figure_value(replace(subject, metric=metric, klass=name), cells, scope, tally)
            for name in cells.names
        ]
        known = [value for value in each if value is not None]
        return sum(known, Fraction(0)) / len(each) if len(known) == len(each) else None
    figure = weigh(subject, cells, scope)
    inside = [(c, o, n) for (c, o), n in tally.items() if c in figure.below]
    below = sum((n * figure.below[c][o] for c, o, n in inside), Fraction(0))
    above = sum((n * figure.above[c][o] for c, o, n in inside), Fraction(0))
    return above / below if below else None


def part_holds(leaf: Part, cells: Cells, scope: Sequence[int], tally: Tally) -> bool:
    """Whether the part is true; one whose figure is undefined is not."""
    if isinstance(leaf, Within):
        return all(part_holds(one, cells, scope, tally) for one in both_ways(leaf))
    if isinstance(leaf, Comparison):
        return all(_exceeds(leaf, pair, cells, scope, tally) for pair in rivals(leaf, cells))
    if isinstance(leaf, Gap):
        return all(_close(leaf, subject, cells, tally) for subject in subjects(leaf.figure, cells))
    return all(_reaches(leaf, one, cells, scope, tally) for one in subjects(leaf.figure, cells))


def _reaches(
    leaf: Threshold, subject: Subject, cells: Cells, scope: Sequence[int], tally: Tally
) -> bool:
    value = figure_value(subject, cells, scope, tally)
    if value is None:
        return False
    return value >= leaf.target if leaf.side == "lower" else value <= leaf.target


def _exceeds(
    leaf: Comparison,
    pair: tuple[Subject, Subject],
    cells: Cells,
    scope: Sequence[int],
    tally: Tally,
) -> bool:
    first, second = (figure_value(one, cells, scope, tally) for one in pair)
    if first is None or second is None:
        return False
    lead = first - second - leaf.offset
    return lead > 0 if leaf.strict else lead >= 0


def _close(leaf: Gap, subject: Subject, cells: Cells, tally: Tally) -> bool:
    values = [
        figure_value(subject, cells, scope, tally) for scope in cells.groups(leaf.columns).values()
    ]
    known = [value for value in values if value is not None]
    return len(known) == len(values) and max(known) - min(known) <= leaf.limit
