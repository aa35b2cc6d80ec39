"""Seal a comparison: one classifier against another, or several candidates against a champion."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from assaymark.claims.language.grammar import parse
from assaymark.claims.language.tree import ClaimTree, Comparison, Figure
from assaymark.claims.metrics import F_BETA, ratio
from assaymark.composite.planning.sealing import (
    Parts,
    Terms,
    count_strata,
    draft_tree,
    group_columns,
    ready,
    seal,
)
from assaymark.composite.sealed import ClaimStratum, PoolColumns, SealedClaim, Statement
from assaymark.composite.shared_risk.stakes import CHAINED, level_of_comparison
from assaymark.composite.views import choose_view, with_verdicts
from assaymark.errors import InputError
from assaymark.hints import option
from assaymark.project.folder import Project, Session, registered_pool
from assaymark.records.pool import RegisteredPool

STEPS = tuple(Fraction(n, 10) for n in range(1, 10))
FIXED_STEPS = tuple(Fraction(n, 100) for n in (1, 2, 3, 5, 7, 10, 15, 20, 30, 50))


@dataclass(frozen=True, kw_only=True)
class ComparisonRequest:
    """Prediction columns and what to compare: `a` is in use, `b` are one or more new ones.

    `claim` are words about a and b, in place of better, worse and within.
    """

    a: str
    b: tuple[str, ...]
    metric: str = "accuracy"
    margin: str | None = None
    score_a: str | None = None
    score_b: str | None = None
    positive: str | None = None
    only: str | None = None
    claim: str | None = None

    def __post_init__(self) -> None:
        columns = (self.a, *self.b)
        twice = next((name for name in columns if columns.count(name) > 1), None)
        if twice is not None:
            raise InputError(
                f"'{twice}' is named as both a and b, so there is nothing to compare. Name two "
                "columns."
            )
        if self.only not in (None, "better", "worse"):
            raise InputError(f"'only' must be better or worse, got {self.only!r}.")
        if (self.score_a is None) != (self.score_b is None):
            raise InputError(f"Give both {option('score-a')} and {option('score-b')}, or neither.")
        if len(self.b) > 1 and (self.margin or self.only or self.claim or self.score_a):
            raise InputError(
                "With several candidates the only question is which of them are better. Leave "
                "margin, direction, scores and claim out, or compare one candidate."
            )
        if self.claim is not None and (self.margin or self.only):
            raise InputError(
                "A claim in words contains its margin and direction: leave these options out."
            )


def seal_comparison(project: Project, request: ComparisonRequest, terms: Terms) -> SealedClaim:
    """Seal "b against a" on the project's pool."""
    with project.writing() as session:
        pool = ready(session.state, terms)
        if request.claim is not None:
            return seal(project, session, draft_words(project, pool, request, terms), pool, terms)
        if len(request.b) > 1:
            return _seal_candidates(project, session, request, terms)
        return _seal_both_ways(project, session, pool, request, terms)


def _seal_both_ways(
    project: Project,
    session: Session,
    pool: RegisteredPool,
    request: ComparisonRequest,
    terms: Terms,
) -> SealedClaim:
    margin, figure = _margin(request.margin), _comparable(request.metric)
    alpha = 1.0 - terms.confidence
    tree = ClaimTree(parts=(_better(figure, "b", "a"),))
    columns = _columns(pool, tree, request)
    strata = count_strata(project, pool, columns)
    disagree = _disagreeing(strata, request, pool)
    sealed = SealedClaim(
        kind="comparison",
        claim=str(tree),
        confidence=terms.confidence,
        level=level_of_comparison(alpha, figure.metric, margin, request.only),
        lead=terms.lead,
        columns=columns,
        strata=strata,
        statements=comparison_statements(
            figure, margin, Fraction(disagree, pool.summary.items), request.only
        ),
        chained=figure.metric in CHAINED,
        metric=str(figure),
        margin=margin,
        only=request.only,
        ceiling=terms.budget,
    )
    return seal(project, session, sealed, pool, terms)


def _seal_candidates(
    project: Project, session: Session, request: ComparisonRequest, terms: Terms
) -> SealedClaim:
    """Which of several candidates are better than the champion: one family of claims."""
    pool, figure = registered_pool(session.state), _comparable(request.metric)
    tree = ClaimTree(parts=tuple(_better(figure, name, request.a) for name in request.b))
    columns = _columns(pool, tree, request)
    _disagreeing(count_strata(project, pool, columns), request, pool)
    names = (request.a, *request.b)
    draft = draft_tree(project, pool, tree, columns, terms, Parts(family="named"), names=names)
    return seal(project, session, draft, pool, terms)


def draft_words(
    project: Project, pool: RegisteredPool, request: ComparisonRequest, terms: Terms
) -> SealedClaim:
    """A claim in words about the classifiers a and b, before it is sealed."""
    named = request.positive or pool.columns.positive
    tree = with_verdicts(parse(request.claim or ""), positive=named, negative=pool.columns.negative)
    columns = _columns(pool, tree, request)
    return draft_tree(project, pool, tree, columns, terms, Parts(), names=("a", "b"))


def _columns(pool: RegisteredPool, tree: ClaimTree, request: ComparisonRequest) -> PoolColumns:
    classes = pool.columns.classes or ()
    tags = pool.columns.tags or ()
    view, about = choose_view(tree, tags or classes)
    return PoolColumns(
        id=pool.columns.id,
        predictions=(request.a, *request.b),
        positive=request.positive or pool.columns.positive if view == "two" else about,
        scores=()
        if not request.score_a or not request.score_b
        else (request.score_a, request.score_b),
        groups=group_columns(tree, pool),
        classes=classes,
        tags=tags,
        view=view,
    )


def _disagreeing(
    strata: Sequence[ClaimStratum], request: ComparisonRequest, pool: RegisteredPool
) -> int:
    """How many items a and the others judge differently; refused where one is equal to a."""
    for place, name in enumerate(request.b, start=1):
        if all(s.predictions[place] == s.predictions[0] for s in strata):
            raise InputError(
                f"'{request.a}' and '{name}' predict the same for all {pool.summary.items:,} "
                "items: they are equally good, and no label is needed."
            )
    return sum(s.items for s in strata if len(set(s.predictions)) > 1)


def stated_claim(sealed: SealedClaim) -> str:
    """The words that the sealed statements stand for."""
    tree = sealed.statements[0].tree
    if sealed.kind != "comparison":
        return str(tree)
    figure = tree.parts[0].figure
    return str(ClaimTree(parts=(_better(replace(figure, names=figure.names[:-1]), "b", "a"),)))


def _better(figure: Figure, challenger: str, champion: str) -> Comparison:
    return Comparison(
        figure=replace(figure, names=(*figure.names, challenger)),
        champion=champion,
        offset=Fraction(0),
        strict=True,
    )


def comparison_statements(
    figure: Figure, margin: Fraction | None, share: Fraction, only: str | None
) -> tuple[Statement, ...]:
    """All statements of a comparison: by side, from easy to hard. `share` of the items differ."""
    winners = {"better": "b", "worse": "a"}.get(only or "", "ba")
    offsets = _offsets(figure.metric, margin, share)
    return tuple(_statement(figure, winner, offset) for winner in winners for offset in offsets)


def _statement(figure: Figure, winner: str, offset: Fraction) -> Statement:
    """ "The winner beats the other by the offset"; without an offset ties do not count."""
    leaf = Comparison(
        figure=replace(figure, names=(*figure.names, winner)),
        champion="a" if winner == "b" else "b",
        offset=offset,
        strict=offset == 0,
    )
    return Statement(tree=ClaimTree(parts=(leaf,)), winner=winner, offset=offset)


def _offsets(metric: str, margin: Fraction | None, share: Fraction) -> tuple[Fraction, ...]:
    """Offsets from easy to hard: zero, the margin, and a ladder for the bounds where it is free."""
    offsets = {Fraction(0)}
    if margin is not None:
        offsets.add(-margin)
    if metric in CHAINED:
        steps = [s * share for s in STEPS] if metric == "accuracy" else FIXED_STEPS
        short = {Fraction(round(s * 10**6), 10**6) for s in steps} - {Fraction(0)}
        offsets |= short | {-s for s in short}
    return tuple(sorted(offsets))


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


def _comparable(metric: str) -> Figure:
    """The figure that is compared, of a class where one is named; refused where none is offered."""
    leaf = parse(f"{metric} of b > {metric} of a").parts[0]
    name = leaf.figure.metric
    f_score = F_BETA.fullmatch(name) is not None
    known = f_score or name in ("accuracy", "recall", "precision", "jaccard")
    if not known or leaf.figure.every_class:
        raise InputError(
            f"'{metric}' cannot be compared: choose accuracy, recall, precision or an F-score."
        )
    ratio(name)
    return replace(leaf.figure, names=leaf.figure.names[:-1])
