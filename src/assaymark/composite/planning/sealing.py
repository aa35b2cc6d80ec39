"""Seal a claim of several rows: what every kind of them is sealed with, and conjunctions."""

from dataclasses import dataclass

from assaymark.certification.seeding import (
    OWN,
    keep_part,
    refuse_committed_before,
    source_of,
)
from assaymark.claims.cells import Cells
from assaymark.claims.checks import open_share
from assaymark.claims.direction import refuse_wrong_way
from assaymark.claims.language.grammar import parse
from assaymark.claims.language.tree import ClaimTree, Comparison, Gap, Within
from assaymark.composite.planning.forecast import expected_margin
from assaymark.composite.planning.strata import ClaimPool
from assaymark.composite.rows import with_digests
from assaymark.composite.sealed import (
    PURPOSE,
    ClaimStratum,
    Family,
    Lead,
    PoolColumns,
    SealedClaim,
    Statement,
    annotated,
)
from assaymark.composite.shared_risk.stakes import AskedRisk, with_risk
from assaymark.composite.views import choose_view, with_verdicts
from assaymark.composite.work import claim_works
from assaymark.errors import InputError, PlanError
from assaymark.hints import command, option, switch
from assaymark.ledger.events import State
from assaymark.project.folder import Project, Session
from assaymark.project.purpose import pool_for_sampling
from assaymark.records.pool import RegisteredPool
from assaymark.sampling.surveys import fresh_seed, open_survey


@dataclass(frozen=True, kw_only=True)
class Terms:
    """How sure, and how items are handed out: what every claim of several rows is sealed with.

    `budget` is the number of draws after which the test ends; without it one may go on. `new_risk`
    opens a second account for subjects claimed before; `family` puts all claims in one account.
    `commit` are hashes of other sides' parts of the seed ("own": this side alone), `beacon` a public
    beacon; then the seed is revealed after the seal.
    """

    confidence: float = 0.95
    seed: str | None = None
    lead: Lead = "several"
    budget: int | None = None
    new_risk: bool = False
    family: bool = False
    commit: tuple[str, ...] = ()
    beacon: str | None = None

    def __post_init__(self) -> None:
        open_share("confidence", self.confidence)
        if self.budget is not None and self.budget < 1:
            raise InputError(f"A budget is a number of labels of at least 1, got {self.budget}.")
        if self.new_risk and self.family:
            raise InputError(
                f"{switch('family')} is one account for all claims: leave {switch('new-risk')} out."
            )
        ways = [self.seed is not None, bool(self.commit), self.beacon is not None]
        if sum(ways) > 1:
            raise InputError(
                f"A seed comes from one place: {option('seed')}, {option('commit', 'HASH')} or "
                f"{option('beacon', 'NAME')}."
            )
        if self.is_shared and (self.new_risk or self.family):
            raise InputError(
                "Claims with a jointly drawn seed share no risk account: each has its own risk "
                f"of error. Leave {switch('new-risk')} and {switch('family')} out."
            )

    @property
    def is_shared(self) -> bool:
        """Whether no single side chooses the seed."""
        return self.beacon is not None or any(text != OWN for text in self.commit)

    @property
    def asked(self) -> AskedRisk:
        """What is asked of the risk."""
        return AskedRisk(new_risk=self.new_risk, family=self.family, joint=self.is_shared)


@dataclass(frozen=True, kw_only=True)
class Parts:
    """How the parts of a claim are taken: groups under `least_group` items are left out, and the
    `family` is proved as a whole or named one by one."""

    least_group: int = 0
    family: Family = "every"


def seal_conjunction(
    project: Project,
    text: str,
    terms: Terms,
    parts: Parts | None = None,
    *,
    expect: float | None = None,
    anyway: bool = False,
) -> SealedClaim:
    """Seal a claim of several parts, in every group, or about classes, on the project's pool.

    Refused where it looks false by what is expected of it, or points the wrong way, unless it is meant
    `anyway`; scores alone refuse nothing.
    """
    refuse_wrong_way(parse(text), anyway=anyway)
    with project.writing() as session:
        pool = ready(session.state, terms)
        sealed = _drafted(project, pool, text, terms, parts or Parts())
        if expect is not None and not anyway:
            expected_margin(sealed, expect)  # refused where the claim would not hold
        return seal(project, session, sealed, pool, terms)


def draft_conjunction(
    project: Project, text: str, terms: Terms, parts: Parts | None = None
) -> SealedClaim:
    """The claim as it would be sealed; nothing is written."""
    pool = pool_for_sampling(project.state())
    return with_digests(_drafted(project, pool, text, terms, parts or Parts()))


def _drafted(
    project: Project, pool: RegisteredPool, text: str, terms: Terms, parts: Parts
) -> SealedClaim:
    tree = with_verdicts(
        parse(text), positive=pool.columns.positive, negative=pool.columns.negative
    )
    for leaf in tree.parts:
        if isinstance(leaf, Comparison | Within):
            raise InputError(
                f"'{leaf}' compares two classifiers, and the pool of a plan has one: "
                f"{command('compare', a='COL', b='COL')}."
            )
    return draft_tree(project, pool, tree, _columns(tree, pool), terms, parts)


def draft_tree(
    project: Project,
    pool: RegisteredPool,
    tree: ClaimTree,
    columns: PoolColumns,
    terms: Terms,
    parts: Parts,
    *,
    names: tuple[str, ...] = ("classifier",),
) -> SealedClaim:
    """The tree on the pool as these columns show it."""
    if len(tree.parts) > 1 and any(isinstance(leaf, Gap) for leaf in tree.parts):
        raise InputError(
            "A gap between groups must be a claim of its own, because its proof compares the "
            "groups at the same moment. Seal two claims."
        )
    gap = isinstance(tree.parts[0], Gap)
    if gap and terms.budget is not None:
        raise InputError(
            f"A gap between groups cannot be tested with a budget: leave {option('budget')} out."
        )
    sealed = SealedClaim(
        kind="conjunction",
        claim=str(tree),
        confidence=terms.confidence,
        level=round(1.0 - terms.confidence, 12),
        lead=terms.lead,
        columns=columns,
        strata=count_strata(project, pool, columns),
        statements=(Statement(tree=tree),),
        least_group=parts.least_group,
        names=names,
        family=parts.family,
        ceiling=terms.budget,
        allocation="shared" if tree.every or gap else "one at a time",
    )
    if parts.family == "named" and len(sealed.compiled[0].parts) < 2:
        raise InputError(f"'{tree}' is a single claim, so there are no parts to choose from.")
    left_out = sealed.compiled[0].constants.get("left_out", [])
    return annotated(sealed, left_out=tuple(tuple(group) for group in left_out))


def group_columns(tree: ClaimTree, pool: RegisteredPool) -> tuple[str, ...]:
    """The columns of the pool that the claim's groups are made of."""
    known = pool.columns.groups or ()
    gaps = [name for leaf in tree.parts if isinstance(leaf, Gap) for name in leaf.columns]
    cells = Cells(classifiers=("classifier",), classes=("0", "1"), columns=known, cells=())
    named = tuple(dict.fromkeys((*tree.every, *gaps)))
    for name in named:
        if not known:
            raise InputError(
                f"The pool has no group column '{name}': name it when you begin the project "
                f"({option('group', name)})."
            )
    return tuple(known[cells.column(name)] for name in named)


def _columns(tree: ClaimTree, pool: RegisteredPool) -> PoolColumns:
    columns = pool.columns
    if not columns.predicts and not columns.classes:
        raise InputError(
            "This project's pool has no predictions, and the claim is about them: begin it with "
            f"{option('prediction', 'COL')} or {option('threshold', 'X')}."
        )
    classes = columns.classes or ()
    tags = columns.tags or ()
    view, about = choose_view(tree, tags or classes)
    return PoolColumns(
        id=columns.id,
        predictions=(columns.prediction,) if columns.prediction else (),
        positive=columns.positive if view == "two" else about,
        scores=(columns.score,) if columns.score else (),
        threshold=columns.threshold,
        groups=group_columns(tree, pool),
        classes=classes,
        tags=tags,
        probabilities=columns.probabilities or (),
        view=view,
    )


def ready(state: State, terms: Terms) -> RegisteredPool:
    """The pool, where a claim may be sealed now."""
    pool = pool_for_sampling(state)
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
    if terms.seed is not None and (state.surveys or state.attempts or state.known):
        raise PlanError(
            "A seed chosen by hand is allowed only for a project's first claim: later, somebody "
            f"who knows labels could choose one that helps. Leave {option('seed')} out."
        )
    return pool


def count_strata(
    project: Project, pool: RegisteredPool, columns: PoolColumns
) -> tuple[ClaimStratum, ...]:
    """The strata of the pool as these columns show it; refused where one lacks what it needs."""
    with ClaimPool(project, pool, columns) as source:
        source.refuse_bad()
        return source.count_strata()


def seal(
    project: Project, session: Session, sealed: SealedClaim, pool: RegisteredPool, terms: Terms
) -> SealedClaim:
    """Record the claim as a survey of its strata; a seed drawn jointly comes later."""
    refuse_committed_before(session.state, terms.commit)
    source, part = source_of(terms.commit, terms.beacon, project.now())
    sealed = annotated(sealed, source=source)
    sealed = with_digests(with_risk(session.state, sealed, terms.asked))
    keep_part(project, part)
    open_survey(
        session,
        PURPOSE,
        fresh_seed(session.state, terms.seed) if source.law == "open" else "",
        cells=[(s.name, s.items) for s in sealed.strata],
        text=pool.columns.text,
        settings=sealed.to_settings(),
    )
    return sealed
