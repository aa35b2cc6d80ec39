"""Seal a claim of several rows: comparison, conjunction or cut-off."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from assaymark.claims.cells import Cells
from assaymark.claims.checks import open_share
from assaymark.claims.grammar import parse
from assaymark.claims.ladders import compile_ladder
from assaymark.claims.metrics import ratio
from assaymark.claims.tree import ClaimTree, Comparison, Figure, Threshold
from assaymark.composite.rows import with_digests
from assaymark.composite.sealed import (
    PURPOSE,
    ClaimStratum,
    Lead,
    PoolColumns,
    SealedClaim,
    Statement,
)
from assaymark.composite.strata import ClaimPool
from assaymark.composite.work import claim_works
from assaymark.errors import InputError, PlanError
from assaymark.hints import command, option
from assaymark.ledger.events import State
from assaymark.project.folder import Project, Session, registered_pool
from assaymark.records.pool import RegisteredPool
from assaymark.records.survey import Cell, Survey
from assaymark.sampling.surveys import open_survey

CHAINED = ("accuracy", "precision")
"""Metrics whose gaps at every offset live on the same items, so that bounds cost nothing."""
STEPS = tuple(Fraction(n, 10) for n in range(1, 10))
FIXED_STEPS = tuple(Fraction(n, 100) for n in (1, 2, 3, 5, 7, 10, 15, 20, 30, 50))
RUNGS = 10


@dataclass(frozen=True, kw_only=True)
class Terms:
    """How sure, and how items are handed out: what every claim of several rows is sealed with."""

    confidence: float = 0.95
    seed: str | None = None
    lead: Lead = "several"

    def __post_init__(self) -> None:
        open_share("confidence", self.confidence)


@dataclass(frozen=True, kw_only=True)
class ComparisonWish:
    """Two prediction columns and what to compare."""

    a: str
    b: str
    metric: str = "accuracy"
    margin: str | None = None
    score_a: str | None = None
    score_b: str | None = None
    positive: str | None = None
    only: str | None = None

    def __post_init__(self) -> None:
        if self.a == self.b:
            raise InputError(
                f"{option('a')} and {option('b')} name the same column '{self.a}': nothing to compare."
            )
        if self.only not in (None, "better", "worse"):
            raise InputError(f"One direction is 'better' or 'worse', got {self.only!r}.")
        if (self.score_a is None) != (self.score_b is None):
            raise InputError(f"Give both {option('score-a')} and {option('score-b')}, or neither.")


def seal_comparison(project: Project, wish: ComparisonWish, terms: Terms) -> SealedClaim:
    """Seal "b against a" on the project's pool."""
    margin = _margin(wish.margin)
    metric = _comparable(wish.metric)
    with project.writing() as session:
        pool = _ready(session.state, terms)
        columns = PoolColumns(
            id=pool.columns.id,
            predictions=(wish.a, wish.b),
            positive=wish.positive or pool.columns.positive,
            scores=() if not wish.score_a or not wish.score_b else (wish.score_a, wish.score_b),
        )
        strata = _strata(project, pool, columns)
        disagree = sum(s.items for s in strata if s.predictions in (("0", "1"), ("1", "0")))
        if not disagree:
            raise InputError(
                f"'{wish.a}' and '{wish.b}' predict the same for all {pool.summary.items:,} items: "
                "equal, nothing to compare, and no label is needed."
            )
        alpha = 1.0 - terms.confidence
        share = Fraction(disagree, pool.summary.items)
        sealed = SealedClaim(
            kind="comparison",
            claim=f"{metric} of b > {metric} of a",
            confidence=terms.confidence,
            level=round(alpha if wish.only else alpha / 2, 12),
            lead=terms.lead,
            columns=columns,
            strata=strata,
            statements=comparison_statements(metric, margin, share, wish.only),
            chained=metric in CHAINED,
            metric=metric,
            margin=margin,
            only=wish.only,
        )
        return _record(session, sealed, pool, terms)


def comparison_statements(
    metric: str, margin: Fraction | None, share: Fraction, only: str | None
) -> tuple[Statement, ...]:
    """All statements of a comparison: by side, from easy to hard. `share` of the items differ."""
    winners = {"better": "b", "worse": "a"}.get(only or "", "ba")
    offsets = _offsets(metric, margin, share)
    return tuple(_statement(metric, winner, offset) for winner in winners for offset in offsets)


def _statement(metric: str, winner: str, offset: Fraction) -> Statement:
    """ "The winner beats the other by the offset"; without an offset ties do not count."""
    leaf = Comparison(
        figure=Figure(metric=metric, names=(winner,)),
        champion="a" if winner == "b" else "b",
        offset=offset,
        strict=offset == 0,
    )
    return Statement(tree=ClaimTree(parts=(leaf,)), winner=winner, offset=offset)


def _offsets(metric: str, margin: Fraction | None, share: Fraction) -> tuple[Fraction, ...]:
    """Offsets from easy to hard: zero, the margin, and a ladder for the bounds where it is free."""
    found = {Fraction(0)}
    if margin is not None:
        found.add(-margin)
    if metric in CHAINED:
        steps = [s * share for s in STEPS] if metric == "accuracy" else FIXED_STEPS
        short = {Fraction(round(s * 10**6), 10**6) for s in steps} - {Fraction(0)}
        found |= short | {-s for s in short}
    return tuple(sorted(found))


def _margin(text: str | None) -> Fraction | None:
    if text is None:
        return None
    try:
        margin = Fraction(text)
    except (ValueError, ZeroDivisionError) as error:
        raise InputError(f"A margin is a number such as 0.01, got {text!r}.") from error
    if not 0 < margin < 1:
        raise InputError(f"A margin lies between 0 and 1, got {text}.")
    return margin


def _comparable(metric: str) -> str:
    """The metric's canonical name; refused where no comparison is offered."""
    leaf = parse(f"{metric} of b > {metric} of a").parts[0]
    name = leaf.figure.metric
    known = name in ("accuracy", "recall", "precision", "jaccard") or name.startswith("f")
    if not known:
        raise InputError(
            f"'{metric}' is not compared: choose accuracy, recall, precision, or an F-score."
        )
    ratio(name)
    return name


def seal_conjunction(
    project: Project, text: str, terms: Terms, *, least_group: int = 0
) -> SealedClaim:
    """Seal a claim of several parts, or one in every group, on the project's pool."""
    tree = parse(text)
    _refuse_parts(tree)
    with project.writing() as session:
        pool = _ready(session.state, terms)
        groups = _groups(tree, pool)
        columns = _columns(pool, groups)
        strata = _strata(project, pool, columns)
        sealed = SealedClaim(
            kind="conjunction",
            claim=str(tree),
            confidence=terms.confidence,
            level=round(1.0 - terms.confidence, 12),
            lead=terms.lead,
            columns=columns,
            strata=strata,
            statements=(Statement(tree=tree),),
            least_group=least_group,
        )
        left_out = sealed.compiled[0].constants.get("left_out", [])
        sealed = replace(sealed, left_out=tuple(tuple(group) for group in left_out))
        return _record(session, sealed, pool, terms)


def _refuse_parts(tree: ClaimTree) -> None:
    for leaf in tree.parts:
        if not isinstance(leaf, Threshold):
            raise InputError(
                f"'{leaf}' compares figures with each other: two classifiers are compared by "
                f"{command('compare')}, and gaps between groups can be estimated group by group."
            )
        if leaf.figure.every_class or leaf.figure.names or " " in leaf.figure.metric:
            raise InputError(
                f"'{leaf}' is about classes, and claims about several classes are not offered "
                "yet: claim a metric of the positive class."
            )


def _groups(tree: ClaimTree, pool: RegisteredPool) -> tuple[str, ...]:
    known = pool.columns.groups or ()
    cells = Cells(classifiers=("classifier",), classes=("0", "1"), columns=known, cells=())
    for name in tree.every:
        if not known:
            raise InputError(
                f"The pool has no group column '{name}': name it when the project begins, "
                f"{command('init', '…', group=name)}."
            )
        cells.column(name)
    return tuple(known[cells.column(name)] for name in tree.every)


def _columns(pool: RegisteredPool, groups: Sequence[str] = ()) -> PoolColumns:
    columns = pool.columns
    if not columns.predicts:
        raise InputError(
            "This project's pool has no predictions, and the claim is about them: begin it with "
            f"{option('prediction', 'COL')} or {option('threshold', 'X')}."
        )
    return PoolColumns(
        id=columns.id,
        predictions=(columns.prediction,) if columns.prediction else (),
        positive=columns.positive,
        scores=(columns.score,) if columns.score else (),
        threshold=columns.threshold,
        groups=tuple(groups),
    )


def seal_cutoff(
    project: Project, text: str, terms: Terms, *, at: Sequence[str] = (), start: str | None = None
) -> SealedClaim:
    """Seal a ladder of cut-offs on the score; the best one that is proved may be chosen."""
    tree = parse(text)
    with project.writing() as session:
        pool = _ready(session.state, terms)
        if pool.columns.score is None:
            raise InputError(
                f"A cut-off is one on a score, and this pool has none: {command('init', score='COL')}."
            )
        columns = PoolColumns(id=pool.columns.id, scores=(pool.columns.score,))
        with ClaimPool(project, pool, columns) as source:
            source.refuse_bad()
            rungs = _rungs(source, at)
            columns = replace(columns, rungs=rungs)
            source.columns = columns
            strata = source.measured(_bands(rungs))
        sealed = SealedClaim(
            kind="cut-off",
            claim=str(tree),
            confidence=terms.confidence,
            level=round(1.0 - terms.confidence, 12),
            lead=terms.lead,
            columns=columns,
            strata=strata,
            statements=(Statement(tree=tree),),
            start=start,
        )
        compile_ladder(tree, sealed.cells, start=start)
        return _record(session, sealed, pool, terms)


def _bands(rungs: Sequence[str]) -> list[ClaimStratum]:
    cuts = [None, *map(float, rungs), None]
    return [
        ClaimStratum(
            predictions=tuple("1" if place < reached else "0" for place in range(len(rungs))),
            low=cuts[reached],
            high=cuts[reached + 1],
            items=0,
        )
        for reached in range(len(rungs) + 1)
    ]


def _rungs(source: ClaimPool, at: Sequence[str]) -> tuple[str, ...]:
    """Ascending cut-offs: those given, or ten between which about as many positives are believed."""
    if at:
        try:
            return tuple(repr(x) for x in sorted({float(text) for text in at}))
        except ValueError as error:
            raise InputError(f"Cut-offs are numbers, got {', '.join(at)}.") from error
    low, high = source.score_range()
    weight = (
        "sum(s)" if low is not None and high is not None and low >= 0 and high <= 1 else "count(*)"
    )
    rows = source.select(
        f"SELECT round(s, 4) AS cut, {weight} AS w FROM {source.base} GROUP BY cut ORDER BY cut"
    )
    found: list[str] = []
    total, seen = float(sum(row[1] for row in rows)), 0.0
    for cut, mass in rows:
        if seen >= total * (len(found) + 0.5) / RUNGS and len(found) < RUNGS:
            found.append(repr(float(cut)))
        seen += float(mass)
    if not found:
        raise InputError("All items have nearly the same score: there is no cut-off to choose.")
    return tuple(found)


def _ready(state: State, terms: Terms) -> RegisteredPool:
    """The pool, where a claim may be sealed now."""
    pool = registered_pool(state)
    if state.attempt is not None and state.attempt.open:
        raise PlanError(
            f"Plan {state.attempt.plan.number} is open ({state.attempt.plan.claim}). Certify it, or "
            f"close it: {command('plan', abandon='REASON')}."
        )
    waiting = [work for work in claim_works(state) if work.open]
    if waiting:
        raise PlanError(
            f"The claim '{waiting[-1].sealed.claim}' is open. Certify it, or close it: "
            f"{command('plan', abandon='REASON')}."
        )
    if terms.seed is not None and (state.surveys or state.attempts):
        raise PlanError(
            "A seed of one's own choice is for a project's first claim: whoever knows labels could "
            f"choose one that suits. Leave {option('seed')} out."
        )
    return pool


def _strata(
    project: Project, pool: RegisteredPool, columns: PoolColumns
) -> tuple[ClaimStratum, ...]:
    with ClaimPool(project, pool, columns) as source:
        source.refuse_bad()
        return source.count_strata()


def _record(
    session: Session, sealed: SealedClaim, pool: RegisteredPool, terms: Terms
) -> SealedClaim:
    """Put the claim on record as a survey of its strata."""
    earlier = tuple(round(1.0 - w.sealed.confidence, 12) for w in claim_works(session.state))
    sealed = with_digests(replace(sealed, earlier=earlier))
    if sealed.stated <= 0:
        raise PlanError(
            f"The risks of {len(earlier)} earlier claims and this one add up to 1 or more, so nothing "
            "could be promised. Begin a new project with new items."
        )
    settings: dict[str, Any] = sealed.to_settings()
    survey = Survey(
        number=len(session.state.surveys) + 1,
        purpose=PURPOSE,
        seed=terms.seed or secrets.token_hex(16),
        cells=tuple(Cell(name=s.name, items=s.items) for s in sealed.strata),
        text=pool.columns.text,
        settings=settings,
    )
    open_survey(session, survey)
    return sealed
