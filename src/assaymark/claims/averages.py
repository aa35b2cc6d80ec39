"""Macro averages and balanced accuracy as rows.

Let F_k = A_k/B_k for K classes, and H = K·target. If ΣF_k < H, some c in [0, 1]^K with Σc = H has
c ≥ F, so every A_k − c_k·B_k ≤ 0 and one is below 0: D(c) = Σκ_k(A_k − c_k·B_k) < 0 for any κ > 0.
D is affine in c, so it is below 0 at a vertex: ⌊H⌋ classes at 1, one at the rest, the others at 0.
Rows D ≥ 0 at all vertices therefore imply the claim, and if all fail, the claim is false.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

from assaymark.claims.cells import Cells, Subject
from assaymark.claims.language.tree import Threshold
from assaymark.claims.metrics import AVERAGES
from assaymark.claims.rows import RowPart, make_row
from assaymark.claims.weights import Weighed, guards, total, weigh
from assaymark.errors import InputError

MOST_ROWS = 2_000


def average_part(leaf: Threshold, subject: Subject, cells: Cells, scope: Sequence[int]) -> RowPart:
    """The rows of an average over classes against a number."""
    if len(cells.names) < 2:
        raise InputError(f"{subject.metric} is an average over classes, and there is only one.")
    if subject.metric == "balanced accuracy" and cells.tags:
        raise InputError(
            "Balanced accuracy is about items that have one class each, and here they have any number: "
            "claim macro recall."
        )
    if subject.metric == "balanced accuracy" and len(cells.labels) == 2:
        return _tangent(leaf, subject, cells, scope)
    figures = [
        weigh(
            Subject(metric=AVERAGES[subject.metric], klass=k, classifier=subject.classifier),
            cells,
            scope,
        )
        for k in cells.names
    ]
    if subject.metric == "macro precision":
        return _macro_precision(leaf, figures, cells)
    return _vertices(leaf, subject, figures, cells, scope)


def _macro_precision(leaf: Threshold, figures: list[Weighed], cells: Cells) -> RowPart:
    """Denominators are known: one exact row."""
    sizes = [figure.known_denominator(cells) for figure in figures]
    sign = 1 if leaf.side == "lower" else -1
    signed = total(
        *(f.combined(sign / size if size else 0, 0) for f, size in zip(figures, sizes, strict=True))
    )
    row = make_row(cells, signed, constant=sign * len(figures) * leaf.target, strict=False)
    return RowPart(text=str(leaf), rows=(row,), undefined=0 in sizes)


def _vertices(
    leaf: Threshold,
    subject: Subject,
    figures: list[Weighed],
    cells: Cells,
    scope: Sequence[int],
) -> RowPart:
    height = len(figures) * leaf.target
    if vertex_count(len(figures), height) > MOST_ROWS:
        raise InputError(
            f"{leaf} over {len(figures)} classes needs more than {MOST_ROWS:,} rows, which is too many "
            f"to prove. Claim {AVERAGES[subject.metric]} of every class, or estimate it."
        )
    sizes = [_size(subject, k, cells, scope) for k in cells.names]
    sign = 1 if leaf.side == "lower" else -1
    guard = guards(*figures)
    rows = tuple(
        make_row(
            cells,
            total(
                *(
                    f.combined(Fraction(sign, size), -sign * c / size)
                    for f, c, size in zip(figures, vertex, sizes, strict=True)
                )
            ),
            constant=Fraction(0),
            strict=False,
            guard=guard,
        )
        for vertex in vertices(len(figures), height)
    )
    return RowPart(
        text=str(leaf),
        combinator="all-of",
        exact=False,
        refuted="every",
        rows=rows,
        undefined=frozenset() in guard,
        constants={"believed_denominators": sizes},
    )


def _size(subject: Subject, klass: str, cells: Cells, scope: Sequence[int]) -> int:
    """Believed denominator of a class: positives, and for F1 the items predicted as well."""
    predicted = cells.predicted(klass, subject.classifier, scope)
    positives = cells.believed(klass, scope) or max(1, predicted)
    return positives + (predicted if subject.metric == "macro f1" else 0)


def vertices(classes: int, height: Fraction) -> Iterator[tuple[Fraction, ...]]:
    """Vertices of {c in [0, 1]^K: Σc = height}.

    >>> [[str(x) for x in c] for c in vertices(2, Fraction(3, 2))]
    [['1', '1/2'], ['1/2', '1']]
    """
    whole = math.floor(height)
    rest = height - whole
    for ones in itertools.combinations(range(classes), whole):
        free = [k for k in range(classes) if k not in ones] if rest else [-1]
        for k in free:
            yield tuple(Fraction(i in ones) + (rest if i == k else 0) for i in range(classes))


def vertex_count(classes: int, height: Fraction) -> int:
    """How many vertices there are."""
    whole = math.floor(height)
    return math.comb(classes, whole) * (classes - whole if height > whole else 1)


def _tangent(leaf: Threshold, subject: Subject, cells: Cells, scope: Sequence[int]) -> RowPart:
    """Balanced accuracy of two classes: N·TP − N₁P ≥ (2τ−1)·P(N−P), by a tangent of the right side.

    The right side is concave in the positives P, so it lies below its tangent at any p₀.
    """
    if leaf.side == "upper" or leaf.target < Fraction(1, 2):
        raise InputError(
            "Balanced accuracy can be claimed to be at least 0.5 or more; other targets can be "
            "estimated."
        )
    klass = cells.positive or cells.classes[-1]
    items = cells.items(scope)
    predicted = cells.predicted(klass, subject.classifier, scope)
    point = min(max(1, items - 1), cells.believed(klass, scope) or max(1, predicted))
    steep = 2 * leaf.target - 1
    recall, missed = (
        weigh(Subject(metric=m, klass=klass, classifier=subject.classifier), cells, scope)
        for m in ("recall", "specificity")
    )
    slope = Fraction(predicted) + steep * (items - 2 * point)
    row = make_row(
        cells,
        recall.combined(items, -slope),
        constant=steep * point**2,
        strict=False,
        guard=guards(recall, missed),
    )
    return RowPart(
        text=str(leaf),
        exact=False,
        refuted="census",
        rows=(row,),
        constants={"tangent_point": point},
    )
