"""A sealed claim as a test of rows: compiled again whenever it is needed, and compared by digest."""

from dataclasses import replace
from fractions import Fraction

from assaymark.claims.cells import Cells, Subject
from assaymark.claims.rows import LinearClaim, RowPart
from assaymark.claims.rows import Row as LinearRow
from assaymark.claims.tree import ClaimTree, Comparison, Part, Threshold
from assaymark.claims.weights import weigh
from assaymark.composite.sealed import SealedClaim
from assaymark.errors import InputError
from assaymark.stats.betting.rows import Row, Rows, Unit
from assaymark.stats.betting.rules import AllOf, One, Ordered, Rule
from assaymark.stats.betting.sealed import RowTest

AHEAD_RECALL, AHEAD_PRECISION = 0.03, 0.3


def row_test(sealed: SealedClaim) -> RowTest:
    """The test of a sealed claim."""
    cells, claims = sealed.cells, sealed.compiled
    rows = [
        betting_row(row, part, unit)
        for claim, statement in zip(claims, sealed.statements, strict=True)
        for part in claim.parts
        for unit in [_unit(part, statement.tree, cells, sealed.kind)]
        for row in part.rows
    ]
    return make_test(sealed, rows, rule=_rule(sealed, claims))


def make_test(sealed: SealedClaim, rows: list[Row], *, rule: Rule) -> RowTest:
    """These rows on the strata of the claim, at its level."""
    means = [s.mean_score or 0.0 for s in sealed.strata]
    return RowTest(
        rows=Rows(rows=tuple(rows), strata=len(sealed.strata), outcomes=2),
        sizes=tuple(s.items for s in sealed.strata),
        level=sealed.level,
        prior=tuple((1.0 - m, m) for m in means) if sealed.is_scored else None,
        rule=rule,
    )


def _rule(sealed: SealedClaim, claims: tuple[LinearClaim, ...]) -> Rule:
    """Comparisons are judged statement by statement, so nothing is refuted there by a mirror."""
    if sealed.kind == "comparison":
        return AllOf(refute="never")
    parts = claims[0].parts
    if sealed.kind == "cut-off":
        leaf = sealed.statements[0].tree.parts[0]
        upward = isinstance(leaf, Threshold) and leaf.figure.metric == "recall"
        room = 1.0 - float(leaf.target) if isinstance(leaf, Threshold) else 0.0
        return Ordered(claim=0, ahead=AHEAD_RECALL if upward else AHEAD_PRECISION * room)
    if len(parts) == 1 and len(parts[0].rows) == 1 and parts[0].exact:
        return One()
    return AllOf(refute="mean" if all(part.exact for part in parts) else "never")


def betting_row(row: LinearRow, part: RowPart, unit: Unit) -> Row:
    """A row of the compiler as a row to bet on: value and help of every stratum of its domain."""
    value = {k: max(gains) for k, gains in row.gains}
    return Row(
        value=value,
        help={k: tuple(g / value[k] for g in gains) for k, gains in row.gains},
        required=row.required,
        strict=row.strict,
        guards=row.guard,
        unit=unit,
        name=" ".join([part.text, *(f"[{name}]" for name in part.group)]),
    )


def _unit(part: RowPart, tree: ClaimTree, cells: Cells, kind: str) -> Unit:
    """What one unit of the metric is worth; only stakes and chances use it."""
    leaf = tree.parts[0]
    if isinstance(leaf, Comparison):
        if leaf.figure.metric == "precision":
            return Unit(base=Fraction(1), slopes={})
        return _denominator(leaf, cells, cells.everywhere, cells.classifier(leaf.challenger))
    if kind == "cut-off":
        name = part.text.split(" of ")[-1].split(" ")[0].strip('"')
        return _denominator(leaf, cells, cells.everywhere, cells.classifier(name))
    return denominator_of(part, tree, cells)


def denominator_of(part: RowPart, tree: ClaimTree, cells: Cells) -> Unit:
    """The unit of one part of a conjunction: its denominator, in its group."""
    own = next(p for p in tree.parts if str(p) == part.text)
    scope = cells.groups(tree.every)[part.group] if tree.every else cells.everywhere
    return _denominator(own, cells, scope, 0)


def _denominator(leaf: Part, cells: Cells, scope: tuple[int, ...], classifier: int) -> Unit:
    klass = None if leaf.figure.metric == "accuracy" else cells.positive
    subject = Subject(metric=leaf.figure.metric, klass=klass, classifier=classifier)
    return Unit(base=Fraction(0), slopes=weigh(subject, cells, scope).below)


def with_digests(sealed: SealedClaim) -> SealedClaim:
    """The claim with the digests of its rows and the constants they were made with.

    Refuses a claim that is undefined whatever the labels are.
    """
    claims = sealed.compiled
    for claim in claims:
        for part in claim.parts:
            if part.undefined:
                where = f" in {', '.join(part.group)}" if part.group else ""
                raise InputError(
                    f"'{part.text}'{where} is undefined whatever the labels are: no item there is "
                    "predicted positive. Claim another metric, or leave that group out."
                )
    plain = [claim.to_json() for claim in claims]
    return replace(
        sealed,
        digests=tuple(claim.digest for claim in claims),
        constants=tuple(p["constants"] | _of_parts(p["parts"]) for p in plain),
    )


def _of_parts(parts: list[dict[str, object]]) -> dict[str, object]:
    found = [part["constants"] for part in parts if part["constants"]]
    return {"parts": found} if found else {}
