"""One classifier against another as rows.

With one denominator for both, or denominators that predictions alone decide, the gap is one exact
row. Otherwise (F-beta, Jaccard) let F = A/B. For a fixed κ > 0,

    D(c) = [A_b − (c + δ)·B_b] − κ·[A_a − c·B_a]

is affine in c. If "F_b ≥ F_a + δ" is false, then D(F_a) < 0, so D(0) < 0 or D(1) < 0: the two rows
D(0) ≥ 0 and D(1) ≥ 0 together imply the claim. If both fail, D is negative everywhere, also at
F_a, and the claim is false.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from assaymark.claims.cells import Cells, Subject
from assaymark.claims.language.tree import Comparison, Figure, Threshold
from assaymark.claims.rows import Row, RowPart, make_row
from assaymark.claims.weights import Weighed, guards, total, weigh
from assaymark.errors import InputError

MIXTURE = (
    (Fraction(3, 5), Fraction(3, 10)),
    (Fraction(1), Fraction(2, 5)),
    (Fraction(8, 5), Fraction(3, 10)),
)


def comparison_part(
    leaf: Comparison,
    better: Subject,
    other: Subject,
    cells: Cells,
    scope: Sequence[int],
    *,
    mixture: bool = False,
) -> RowPart:
    """The rows of "the first exceeds the second by the offset"."""
    pair = (weigh(better, cells, scope), weigh(other, cells, scope))
    text = text_of(leaf, better)
    if better.metric == "prevalence":
        raise InputError(
            "Prevalence does not depend on the classifier: there is nothing to compare."
        )
    if pair[0].below == pair[1].below:
        return _same_denominator(leaf, pair, cells, text)
    if pair[0].is_label_free and pair[1].is_label_free:
        return _known_denominators(leaf, pair, cells, text)
    return _two_rows(leaf, pair, (better, other), cells, scope, text=text, mixture=mixture)


def text_of(leaf: Comparison | Threshold, subject: Subject) -> str:
    """The words of a part for one class, where it is about every class."""
    if not leaf.figure.every_class or subject.klass is None:
        return str(leaf)
    names = (subject.klass, *leaf.figure.names)
    return str(replace(leaf, figure=Figure(metric=leaf.figure.metric, names=names)))


Pair = tuple[Weighed, Weighed]


def _same_denominator(leaf: Comparison, pair: Pair, cells: Cells, text: str) -> RowPart:
    signed = total(pair[0].combined(1, -leaf.offset), pair[1].combined(-1, 0))
    guard = guards(*pair)
    row = make_row(cells, signed, constant=Fraction(0), strict=leaf.strict, guard=guard)
    return RowPart(text=text, rows=(row,), undefined=frozenset() in guard)


def _known_denominators(leaf: Comparison, pair: Pair, cells: Cells, text: str) -> RowPart:
    first, second = (figure.known_denominator(cells) for figure in pair)
    if not first or not second:
        nothing = Row(gains=(), required=Fraction(1), strict=leaf.strict)
        return RowPart(text=text, rows=(nothing,), undefined=True)
    signed = total(pair[0].combined(1 / first, 0), pair[1].combined(-1 / second, 0))
    row = make_row(cells, signed, constant=leaf.offset, strict=leaf.strict)
    return RowPart(text=text, rows=(row,))


def _two_rows(
    leaf: Comparison,
    pair: Pair,
    subjects: tuple[Subject, Subject],
    cells: Cells,
    scope: Sequence[int],
    *,
    text: str,
    mixture: bool,
) -> RowPart:
    positives = _positives(subjects, cells, scope)
    shares = MIXTURE if mixture else ((Fraction(1), Fraction(1)),)
    kappas = [_kappa(subjects, cells, scope, max(Fraction(1), positives * s)) for s, _ in shares]
    rows = tuple(
        _end_row(leaf, pair, cells, kappa=kappa, end=end) for kappa in kappas for end in (0, 1)
    )
    constants: dict[str, Any] = {"believed_positives": positives, "kappa": kappas}
    return RowPart(
        text=text,
        combinator="mixture" if mixture else "all-of",
        exact=False,
        refuted="every",
        rows=rows,
        weights=tuple(weight for _, weight in shares) if mixture else (),
        undefined=any(frozenset() in row.guard for row in rows),
        constants=constants,
    )


def _end_row(leaf: Comparison, pair: Pair, cells: Cells, *, kappa: Fraction, end: int) -> Row:
    """D(end) ≥ 0."""
    signed = total(pair[0].combined(1, -(end + leaf.offset)), pair[1].combined(-kappa, kappa * end))
    return make_row(cells, signed, constant=Fraction(0), strict=leaf.strict, guard=guards(*pair))


def _positives(subjects: tuple[Subject, Subject], cells: Cells, scope: Sequence[int]) -> int:
    """Believed positives; without beliefs, what the two classifiers predict on average."""
    klass = subjects[0].klass or ""
    believed = cells.believed(klass, scope)
    if believed is not None:
        return believed
    predicted = sum(cells.predicted(klass, s.classifier, scope) for s in subjects)
    return max(1, predicted // 2)


def _kappa(
    subjects: tuple[Subject, Subject], cells: Cells, scope: Sequence[int], positives: Fraction
) -> Fraction:
    """κ = (N_b + β²P)/(N_a + β²P): with the true P every c has the whole margin."""
    metric = subjects[0].metric
    square = Fraction(metric[1:]) ** 2 if metric.startswith("f") else Fraction(1)
    first, second = (
        cells.predicted(s.klass or "", s.classifier, scope) + square * positives for s in subjects
    )
    return first / second
