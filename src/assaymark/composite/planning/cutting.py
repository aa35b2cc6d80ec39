"""Seal a ladder of cut-offs on the score."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from assaymark.claims.ladders import compile_ladder, ladder_claim
from assaymark.claims.language.grammar import parse
from assaymark.claims.language.tree import Threshold
from assaymark.claims.results import counted
from assaymark.composite.planning.sealing import Terms, ready, seal
from assaymark.composite.planning.strata import ClaimPool
from assaymark.composite.sealed import ClaimStratum, PoolColumns, SealedClaim, Statement
from assaymark.composite.walk import fewest_labels
from assaymark.errors import InputError
from assaymark.hints import command, option
from assaymark.project.folder import Project

MISSED = (0.2, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0)
"""Rungs of recall: what lies below them, in units of what the claim allows to miss."""
LEAST_SHARE = 0.1
RECALL_ITEMS = (0.98, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2)
PRECISION_SHARES = (0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.9, 0.95, 0.98)
PRECISION_ITEMS = (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)


def seal_cutoff(
    project: Project, text: str, terms: Terms, *, at: Sequence[str] = (), start: str | None = None
) -> SealedClaim:
    """Seal a ladder of cut-offs on the score; the best one that is proved may be chosen.

    With a budget of labels it is judged once, when all of them are there; otherwise at any time.
    """
    tree = parse(text)
    leaf = ladder_claim(tree)
    with project.writing() as session:
        pool = ready(session.state, terms)
        if pool.columns.score is None:
            raise InputError(
                "A cut-off needs scores, and this pool has none. Begin a project with them: "
                f"{command('init', score='COL')}."
            )
        columns = PoolColumns(id=pool.columns.id, scores=(pool.columns.score,))
        with ClaimPool(project, pool, columns) as source:
            source.refuse_bad()
            rungs = _rungs(source, leaf, at)
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
            start=None if start is None else _rung(start, rungs),
            ceiling=terms.budget,
            judged="any time" if terms.budget is None else "once",
        )
        compile_ladder(tree, sealed.cells, start=sealed.start)
        if terms.budget is not None:
            _refuse_too_few(sealed, terms.budget)
        return seal(project, session, sealed, pool, terms)


def _refuse_too_few(sealed: SealedClaim, budget: int) -> None:
    fewest = fewest_labels(sealed)
    if budget < fewest:
        raise InputError(
            f"With {counted(budget, 'label')} no cut-off can be proved to keep {sealed.claim}, "
            f"even if every labelled item counts in its favour: it takes at least {fewest:,}, and "
            f"more if some count against it. Give {option('budget', 'N')} with a larger number, "
            "or leave it out."
        )


def _rung(start: str, rungs: Sequence[str]) -> str:
    """The rung that is meant, however its number is written."""
    return next((rung for rung in rungs if _same(rung, start)), start)


def _same(rung: str, text: str) -> bool:
    try:
        return float(rung) == float(text)
    except ValueError:
        return False


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


def _rungs(source: ClaimPool, leaf: Threshold, at: Sequence[str]) -> tuple[str, ...]:
    """Ascending cut-offs: those given, or some around the best one that the scores suggest."""
    if at:
        try:
            return tuple(repr(x) for x in sorted({float(text) for text in at}))
        except ValueError as error:
            raise InputError(f"Cut-offs must be numbers, got {', '.join(at)}.") from error
    low, high = source.score_range()
    probable = low is not None and high is not None and low >= 0 and high <= 1
    weight = "sum(s)" if probable else "count(*)"
    rows = source.select(
        f"SELECT round(s, 4) AS cut, {weight} AS w FROM {source.base} GROUP BY cut ORDER BY cut"
    )
    cuts, mass = [float(row[0]) for row in rows], np.array([float(row[1]) for row in rows])
    above = np.cumsum(mass[::-1])[::-1] / max(float(mass.sum()), 1e-300)
    rungs = {
        cuts[int(np.argmin(np.abs(above - share)))] for share in _shares(leaf, probable=probable)
    }
    if len(cuts) < 2:
        raise InputError(
            "All items have nearly the same score, so there is no cut-off to choose. Name "
            f"cut-offs: {option('at', 'X')}."
        )
    return tuple(repr(cut) for cut in sorted(rungs))


def _shares(leaf: Threshold, *, probable: bool) -> tuple[float, ...]:
    """Which shares of the positives (of the items, where scores are no probabilities) lie above.

    Recall needs rungs on both sides of the target, since scores may be wrong about it. Precision
    is walked from the top down, and starts where the region is worth having.
    """
    if leaf.figure.metric == "recall" and probable:
        missed = 1.0 - float(leaf.target)
        shares = [1.0 - missed * part for part in MISSED]
        return tuple(share for share in shares if share > LEAST_SHARE)
    if leaf.figure.metric == "recall":
        return RECALL_ITEMS
    return PRECISION_SHARES if probable else PRECISION_ITEMS
