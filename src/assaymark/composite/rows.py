"""A sealed claim as a test of rows: compiled again whenever it is needed, and compared by digest."""

import itertools
import math
from dataclasses import replace
from fractions import Fraction

from assaymark.claims.cells import Cells, Subject, subjects
from assaymark.claims.language.grammar import parse
from assaymark.claims.language.tree import Comparison, Threshold
from assaymark.claims.language.tree import Gap as GroupGap
from assaymark.claims.metrics import AVERAGES
from assaymark.claims.rows import LinearClaim, RowPart
from assaymark.claims.rows import Row as LinearRow
from assaymark.claims.sharing import made_once, shared
from assaymark.claims.weights import weigh
from assaymark.composite.sealed import SealedClaim, annotated
from assaymark.errors import InputError
from assaymark.hints import option
from assaymark.stats.betting.rows import Row, Rows, Unit
from assaymark.stats.betting.rules import AllOf, Gap, Named, One, Ordered, Rule
from assaymark.stats.betting.sealed import RowTest

BOLDNESS = Fraction(5, 2)
AHEAD_RECALL, AHEAD_PRECISION = 0.03, 0.3


def row_test(sealed: SealedClaim) -> RowTest:
    """The test of a sealed claim."""
    cells, claims = sealed.cells, sealed.compiled
    rows = [
        betting_row(row, part, unit)
        for claim, statement in zip(claims, sealed.statements, strict=True)
        for part in claim.parts
        for row, unit in zip(
            part.rows, part_units(part, cells, statement.tree.every, sealed.kind), strict=True
        )
    ]
    rule = _rule(sealed, claims)
    return make_test(
        sealed, rows, rule=rule, ceiling=sealed.ceiling, opening=opening_of(sealed, rule)
    )


def opening_of(sealed: SealedClaim, rule: Rule) -> tuple[float, ...] | None:
    """The log wealth that rows and mirrors start from; None for a first claim on its subjects.

    A gap looks at products of up to two rows, so each starts from the root of a wealth above 1.
    """
    carried = sealed.risk.carried
    if not carried:
        return None
    half = 0.5 if isinstance(rule, Gap) else 1.0
    parts = [part for claim in sealed.compiled for part in claim.parts]
    proof: list[float] = []
    doubt: list[float] = []
    for part, one in zip(parts, carried, strict=True):
        log = math.log(float(one.proof)) + math.log(float(one.share))
        proof += [log * half if log > 0 else log] * len(part.rows)
        doubt += [math.log(float(one.refutation))] * len(part.rows)
    return (*proof, *doubt)


def make_test(
    sealed: SealedClaim,
    rows: list[Row],
    *,
    rule: Rule,
    ceiling: int | None = None,
    opening: tuple[float, ...] | None = None,
) -> RowTest:
    """These rows on the strata of the claim, at its level."""
    outcomes = len(sealed.cells.labels)
    return RowTest(
        rows=Rows(rows=tuple(rows), strata=len(sealed.strata), outcomes=outcomes),
        sizes=tuple(s.items for s in sealed.strata),
        level=sealed.level,
        prior=sealed.beliefs or None,
        ceiling=ceiling,
        rule=rule,
        opening=opening,
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
    numbers = list(itertools.accumulate((len(p.rows) for p in parts), initial=0))
    units = [tuple(range(*ends)) for ends in itertools.pairwise(numbers)]
    if sealed.family == "named":
        spared = tuple(n for n, part in enumerate(parts) if part.refuted == "census")
        return Named(parts=tuple(units), spared=spared)
    if len(parts) == 1 and parts[0].combinator == "gap":
        return Gap(cells=parts[0].products)
    if len(parts) == 1 and len(parts[0].rows) == 1 and parts[0].exact:
        return One()
    if len(parts) == 1:
        return AllOf(refute="every" if parts[0].refuted == "every" else "never")
    judged = [u for u, part in zip(units, parts, strict=True) if part.refuted != "census"]
    return AllOf(refute="mean", parts=tuple(judged))


def betting_row(row: LinearRow, part: RowPart, unit: Unit) -> Row:
    """A row of the compiler as a row to bet on: value and help of every stratum of its domain."""
    gains = dict(row.gains)
    return Row(
        value=made_once(gains, _largest),
        help=made_once(gains, _help),
        required=row.required,
        strict=row.strict,
        guards=row.guard,
        unit=unit,
        name=" ".join([part.text, *(f"[{name}]" for name in part.group)]),
    )


@shared
def _largest(gains: tuple[Fraction, ...]) -> Fraction:
    return max(gains)


@shared
def _help(gains: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    """Each gain as a share of the largest."""
    largest = max(gains)
    return tuple(gain / largest for gain in gains)


def part_units(part: RowPart, cells: Cells, every: tuple[str, ...], kind: str) -> list[Unit]:
    """What one unit of the metric is worth in each row; only stakes and chances use it."""
    leaf = parse(part.text).parts[0]
    if kind == "cut-off":
        klass, rung = leaf.figure.names
        subject = Subject(metric=leaf.figure.metric, klass=klass, classifier=cells.classifier(rung))
        return [_below(subject, cells, cells.everywhere)]
    if isinstance(leaf, GroupGap):
        subject, groups = subjects(leaf.figure, cells)[0], cells.groups(leaf.columns).values()
        each = len(part.rows) // len(groups)
        return [_below(subject, cells, scope) for scope in groups for _ in range(each)]
    scope = cells.groups(every)[part.group] if every else cells.everywhere
    if isinstance(leaf, Comparison):
        unit = _compared_unit(leaf, cells, scope)
    elif leaf.figure.metric in AVERAGES:
        unit = _average_unit(part, cells, scope)
    else:
        unit = _below(subjects(leaf.figure, cells)[0], cells, scope)
    return [unit] * len(part.rows)


def _below(subject: Subject, cells: Cells, scope: tuple[int, ...]) -> Unit:
    """The denominator of the figure."""
    return Unit(base=Fraction(0), slopes=weigh(subject, cells, scope).below)


def _compared_unit(leaf: Comparison, cells: Cells, scope: tuple[int, ...]) -> Unit:
    *classes, challenger = leaf.figure.names
    klass = classes[0] if classes else None if leaf.figure.metric == "accuracy" else cells.positive
    subject = Subject(
        metric=leaf.figure.metric, klass=klass, classifier=cells.classifier(challenger)
    )
    figure = weigh(subject, cells, scope)
    other = weigh(replace(subject, classifier=cells.classifier(leaf.champion)), cells, scope)
    reach = _reach_of_gap(cells, scope, (subject.classifier, cells.classifier(leaf.champion)))
    if figure.is_label_free and figure.below != other.below:
        return Unit(base=reach, slopes={})  # each side was divided by its denominator
    slopes = {k: tuple(reach * share for share in shares) for k, shares in figure.below.items()}
    return Unit(base=Fraction(0), slopes=slopes)


def _reach_of_gap(cells: Cells, scope: tuple[int, ...], pair: tuple[int, int]) -> Fraction:
    """How far a gap can reach, against a figure's own range: it lives on the disagreements.

    Stakes for margins of a few per cent of all items would be far too bold for a gap.
    """
    differ = [c for c in scope if len({cells.cells[c].predictions[i] for i in pair}) > 1]
    return min(Fraction(1), BOLDNESS * Fraction(cells.items(differ), max(1, cells.items(scope))))


def _average_unit(part: RowPart, cells: Cells, scope: tuple[int, ...]) -> Unit:
    """Macro figures are sums over the classes; balanced accuracy is N·TP − … by its tangent."""
    if "tangent_point" not in part.constants:
        return Unit(base=Fraction(len(cells.names)), slopes={})
    point, items = int(part.constants["tangent_point"]), cells.items(scope)
    return Unit(base=Fraction(2 * point * (items - point)), slopes={})


def with_digests(sealed: SealedClaim) -> SealedClaim:
    """The claim with the digests of its rows and the constants they were made with.

    Refuses a claim that cannot hold whatever the labels are.
    """
    claims = sealed.compiled
    for claim, statement in zip(claims, sealed.statements, strict=True):
        for part in claim.parts:
            _refuse_hopeless(part, sealed, statement.tree.every)
    plain = [claim.to_json() for claim in claims]
    return annotated(
        sealed,
        digests=tuple(claim.digest for claim in claims),
        constants=tuple(p["constants"] | _of_parts(p["parts"]) for p in plain),
    )


def _refuse_hopeless(part: RowPart, sealed: SealedClaim, every: tuple[str, ...]) -> None:
    """Refuse a part that is undefined, or at 0, because nothing there is predicted so."""
    if not part.undefined and not _is_zero(part, sealed, every):
        return
    where = f" in {', '.join(part.group)}" if part.group else ""
    leaf = parse(part.text).parts[0]
    klass = leaf.figure.names[0] if leaf.figure.names and sealed.columns.classes else "positive"
    leave = (
        f"something else, or leave small groups out: {option('least-group', 'N')}"
        if part.group
        else "something else"
    )
    raise InputError(
        f"'{part.text}'{where} cannot hold, whatever the labels are: no item there is predicted "
        f"{klass}. Claim {leave}."
    )


def _is_zero(part: RowPart, sealed: SealedClaim, every: tuple[str, ...]) -> bool:
    """Whether a figure that is claimed to be above 0 is 0 by the predictions alone."""
    leaf, cells = parse(part.text).parts[0], sealed.cells
    if sealed.kind != "conjunction" or not isinstance(leaf, Threshold):
        return False
    if leaf.side == "upper" or not leaf.target or leaf.figure.metric in AVERAGES:
        return False
    scope = cells.groups(every)[part.group] if every else cells.everywhere
    above = weigh(subjects(leaf.figure, cells)[0], cells, scope).above
    return not any(made_once(above, any).values())


def _of_parts(parts: list[dict[str, object]]) -> dict[str, object]:
    constants = [part["constants"] for part in parts if part["constants"]]
    return {"parts": constants} if constants else {}
