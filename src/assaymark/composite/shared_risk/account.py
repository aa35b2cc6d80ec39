"""What claims of several rows leave to later ones on the same subjects: one risk for all of them.

One idea: a row's wealth cannot be expected to grow while the row is false, so a later claim on the
same subject starts from what the earlier ones left. Parts are matched by subject and target as
`stats/risk_account.py` says; where claims have no order, only an identical one is handed all of it.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from assaymark.composite.bounds import ladder_wealth
from assaymark.composite.course import course_of, labelled_prefix
from assaymark.composite.sealed import SealedClaim
from assaymark.composite.shared_risk.risk import FAMILY, Carried, EarlierClaim
from assaymark.composite.shared_risk.subjects import Subject, rows_of_parts, subjects_of
from assaymark.composite.walk import rungs_passed
from assaymark.composite.work import ClaimWork, claim_works
from assaymark.ledger.events import State
from assaymark.records.decimals import rounded_down
from assaymark.stats.betting.path import replay
from assaymark.stats.betting.rules import Gap
from assaymark.stats.risk_account import (
    PENDING_FACTOR,
    ClosedPlan,
    ClosedRow,
    Side,
    carried,
)

OTHER: dict[Side, Side] = {"lower": "upper", "upper": "lower"}
LEAST = 1e-12
"""The least wealth that a part is sealed with; with less, nothing could be proved."""
MOST_LOG = 600.0


@dataclass(frozen=True, kw_only=True)
class ClosedPart:
    """One part of an earlier claim when it was closed.

    `proof` and `refutation` are the wealths of its row and mirror after the last labelled draw, the
    latter None where nothing is refuted; `bounds` those of the other targets that were printed.
    """

    subject: Subject
    proof: float
    refutation: float | None
    bounds: tuple[ClosedRow, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ClosedClaim:
    """An earlier claim of the account, and what its parts left."""

    work: ClaimWork
    parts: tuple[ClosedPart, ...]

    def least(self, *, refutation: bool) -> float:
        """The least wealth of any row, and never more than 1: it holds for whatever is false."""
        if refutation:
            wealths = [p.refutation for p in self.parts if p.refutation is not None]
        else:
            wealths = [w for p in self.parts for w in (p.proof, *(row.wealth for row in p.bounds))]
        return min([1.0, *wealths])


def sharers(
    state: State, subjects: Sequence[Subject], account: str, *, before: int | None = None
) -> list[ClaimWork]:
    """The earlier claims that shared the account of these subjects, in order."""
    return [
        work
        for work in _on_this_pool(state, before)
        if work.sealed.risk.account == account
        and (account == FAMILY or touches(subjects, subjects_of(work.sealed)))
    ]


def touches(some: Sequence[Subject], others: Sequence[Subject]) -> bool:
    """Whether any subject is among the others, in either direction."""
    keys = {key for one in others for key in (one.key, one.opposite)}
    return any(one.key in keys for one in some)


def _on_this_pool(state: State, before: int | None) -> list[ClaimWork]:
    """Claims on the classifier of the moment: a newly frozen one has a risk of its own."""
    works = claim_works(state)
    freezes = [frozen.seq for work in state.surveys for frozen in work.freezes]
    if before is not None:
        works = [work for work in works if work.number < before]
        opened = state.surveys[before - 1].opened_at
        freezes = [seq for seq in freezes if seq < opened]
    since = max(freezes, default=0)
    return [work for work in works if work.survey.opened_at > since]


def earlier_claims(state: State, works: Sequence[ClaimWork]) -> tuple[EarlierClaim, ...]:
    """These claims with how many of their draws have their label now."""
    return tuple(
        EarlierClaim(
            survey=work.number,
            draws=len(work.survey.order),
            settled=sum(1 for _ in itertools.takewhile(state.labelled, work.survey.order)),
        )
        for work in works
    )


def closed_claims(state: State, earlier: Sequence[EarlierClaim]) -> list[ClosedClaim]:
    """What these claims left, by the draws that had their label then and the labels as they are now."""
    works = {work.number: work for work in claim_works(state)}
    return [_closed(state, works[one.survey], one) for one in earlier]


def _closed(state: State, work: ClaimWork, at: EarlierClaim) -> ClosedClaim:
    if work.sealed.judged == "once":
        return _closed_walk(state, work, at)
    sealed, strata = work.sealed, work.strata[: at.draws]
    course = course_of(work)
    outcomes = labelled_prefix(state, work)[: at.settled]
    draws = course.draws(strata, outcomes)
    path, test = replay(course.test, draws), course.test
    count = len(test.rows)
    log = test.opened.copy()
    if at.settled:
        log = np.concatenate([path.log_wealth[:, -1], path.log_doubt[:, -1]])
    waiting = test.book.inside[:, strata[at.settled :]].sum(axis=1)
    still = log < test.goals  # a row that has passed bets no more
    log = log - test.opened + np.where(still, waiting * math.log(PENDING_FACTOR), 0.0)
    wealth = np.exp(np.minimum(log, MOST_LOG))
    played, gap = test.played[count:], isinstance(test.rule, Gap)
    bounds = ladder_wealth(sealed, draws, strata[at.settled :]) if not sealed.risk.earlier else {}
    parts = [
        ClosedPart(
            subject=subject,
            proof=_product(wealth, test.rule) if gap else float(wealth[list(rows)].min()),
            refutation=float(wealth[count:][list(rows)].min())
            if played[list(rows)].all()
            else None,
            bounds=bounds.get(number, ()),
        )
        for number, (subject, rows) in enumerate(
            zip(subjects_of(sealed), rows_of_parts(sealed), strict=True)
        )
    ]
    return ClosedClaim(work=work, parts=tuple(parts))


def _closed_walk(state: State, work: ClaimWork, at: EarlierClaim) -> ClosedClaim:
    """A walk that is judged once bets everything on every rung: what it does not pass is lost."""
    sealed = work.sealed
    outcomes = labelled_prefix(state, work)[: at.settled]
    labelled = list(zip(work.strata, outcomes, strict=False))
    passed = len(rungs_passed(sealed, labelled)) if len(outcomes) >= sealed.most else 0
    return ClosedClaim(
        work=work,
        parts=tuple(
            ClosedPart(
                subject=subject,
                proof=1 / sealed.level if number < passed else 0.0,
                refutation=None,
            )
            for number, subject in enumerate(subjects_of(sealed))
        ),
    )


def _product(wealth: "np.ndarray[tuple[int], np.dtype[np.float64]]", rule: object) -> float:
    """Of a gap: the least product of wealths over its cells, one of which is the false one."""
    cells = rule.cells if isinstance(rule, Gap) else ()
    return float(min((np.prod(wealth[list(cell)]) for cell in cells), default=1.0))


def carried_by(
    sealed: SealedClaim, closed: Sequence[ClosedClaim], *, shares: Sequence[str] = ()
) -> tuple[Carried, ...]:
    """What every part of the claim, and its refutation, start from."""
    subjects = subjects_of(sealed)
    proofs, doubts = [1.0] * len(subjects), [1.0] * len(subjects)
    for one in closed:
        for number, subject in enumerate(subjects):
            proofs[number] *= _left(sealed, one, number, subject, refutation=False)
            doubts[number] *= _left(sealed, one, number, subject, refutation=True)
    limit = 1 / sealed.level
    return tuple(
        Carried(
            proof=_text(proof, limit),
            refutation=_text(doubt, limit),
            share=shares[number] if shares else "1",
        )
        for number, (proof, doubt) in enumerate(zip(proofs, doubts, strict=True))
    )


def _text(wealth: float, limit: float) -> str:
    """Decimal text. What is proven already is proved again at the risk itself: its error was made."""
    return "1" if wealth >= limit else rounded_down(max(wealth, LEAST), 12)


def _left(
    sealed: SealedClaim, one: ClosedClaim, number: int, subject: Subject, *, refutation: bool
) -> float:
    """By which factor an earlier claim changed what a part starts from."""
    other = one.work.sealed
    if _identical(sealed, other):
        mate = one.parts[number]
        wealth = mate.refutation if refutation else mate.proof
        return 1.0 if wealth is None else wealth if refutation else min(wealth, _printed(mate))
    if sealed.risk.account == FAMILY and not _one_ladder(sealed, other):
        return one.least(refutation=refutation)
    mates = [part for part in one.parts if part.subject.key == subject.key]
    if not mates:
        return 1.0
    if subject.target is None or "named" in (sealed.family, other.family):
        return one.least(refutation=refutation)
    side: Side = OTHER[subject.side] if refutation else subject.side
    rows = tuple(row for part in mates for row in _rows(part, side))
    plan = ClosedPlan(side=side, rows=_merged(rows))
    return carried([plan], target=subject.target, side=side)


def _printed(part: ClosedPart) -> float:
    """The least wealth of the printed bounds up to the part's own target."""
    if part.subject.target is None or not part.bounds:
        return math.inf
    side = part.subject.side
    plan = ClosedPlan(side=side, rows=part.bounds)
    return carried([plan], target=part.subject.target, side=side)


def _rows(part: ClosedPart, side: Side) -> tuple[ClosedRow, ...]:
    """The rows of the part that state something in this direction."""
    target = part.subject.target or 0.0
    if side == part.subject.side:
        return (ClosedRow(target=target, wealth=part.proof), *part.bounds)
    return () if part.refutation is None else (ClosedRow(target=target, wealth=part.refutation),)


def _merged(rows: Sequence[ClosedRow]) -> tuple[ClosedRow, ...]:
    """One row for each target: the one with less."""
    least: dict[float, float] = {}
    for row in rows:
        least[row.target] = min(row.wealth, least.get(row.target, math.inf))
    return tuple(ClosedRow(target=t, wealth=w) for t, w in least.items())


def _identical(sealed: SealedClaim, other: SealedClaim) -> bool:
    same = (sealed.kind, sealed.claim, sealed.family, sealed.only, sealed.columns)
    return same == (other.kind, other.claim, other.family, other.only, other.columns) and (
        sealed.compiled == other.compiled
    )


def _one_ladder(sealed: SealedClaim, other: SealedClaim) -> bool:
    """Whether both claims are about the same subjects and have one false row at a time."""
    if sealed.kind == "comparison":
        return other.kind == sealed.kind and sealed.only == other.only
    subjects, other_subjects = subjects_of(sealed), subjects_of(other)
    return len(subjects) == len(other_subjects) == 1 and subjects[0].key == other_subjects[0].key


def changed_since(state: State, work: ClaimWork) -> bool:
    """Whether a label of an earlier claim of the account was changed after this one was sealed."""
    if not work.sealed.risk.earlier:
        return False
    items = {
        item
        for one in work.sealed.risk.earlier
        for item in state.surveys[one.survey - 1].order[: one.settled]
    }
    return any(
        change.seq > work.survey.opened_at and change.event.item in items
        for change in state.changed_answers
    )


def at_present(state: State, work: ClaimWork) -> SealedClaim:
    """The sealed claim with what is left now, after corrections in earlier claims of its account."""
    sealed = work.sealed
    if not changed_since(state, work):
        return sealed
    shares = [one.share for one in sealed.risk.carried]
    now = carried_by(sealed, closed_claims(state, sealed.risk.earlier), shares=shares)
    return replace(sealed, risk=replace(sealed.risk, carried=now))
