"""Seal a ladder of cut-offs on the score."""

from collections.abc import Sequence
from dataclasses import replace

from assaymark.claims.grammar import parse
from assaymark.claims.ladders import compile_ladder
from assaymark.composite.sealed import ClaimStratum, PoolColumns, SealedClaim, Statement
from assaymark.composite.sealing import Terms, ready, seal
from assaymark.composite.strata import ClaimPool
from assaymark.errors import InputError
from assaymark.hints import command
from assaymark.project.folder import Project

RUNGS = 10


def seal_cutoff(
    project: Project, text: str, terms: Terms, *, at: Sequence[str] = (), start: str | None = None
) -> SealedClaim:
    """Seal a ladder of cut-offs on the score; the best one that is proved may be chosen."""
    tree = parse(text)
    with project.writing() as session:
        pool = ready(session.state, terms)
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
        return seal(session, sealed, pool, terms)


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
