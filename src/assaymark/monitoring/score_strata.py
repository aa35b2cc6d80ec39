"""The strata of a certificate: today's items in them, and the labels that it counts."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from assaymark.certification.modes import labelled_prefix
from assaymark.certification.modes.prefix import counted_label
from assaymark.certification.planning.strata import guided_strata
from assaymark.errors import InputError
from assaymark.ledger.events import Attempt, State
from assaymark.monitoring.stats.score_mix import LabelledStratum
from assaymark.pool.dialect import DUCKDB
from assaymark.pool.duckdb import DuckDBPool
from assaymark.pool.grid import grid_sql, score_of
from assaymark.pool.queries import flaws
from assaymark.pool.sources import quoted
from assaymark.project.folder import Project
from assaymark.records.plan import Stratum
from assaymark.records.pool import RegisteredPool


def certified_strata(attempt: Attempt, pool: RegisteredPool) -> tuple[Stratum, ...]:
    """The strata of the plan; where it has only one, those that a score-guided plan would have."""
    if not pool.columns.predicts:
        raise InputError(
            "Nothing is predicted in this pool, so there are no strata to compare: watching needs a "
            "prediction, or a score with its threshold."
        )
    plan = attempt.plan
    return plan.strata if plan.kind.guided else guided_strata(plan.claim, pool.summary)


@dataclass(frozen=True, kw_only=True)
class MixToday:
    """Items and score sums of each stratum, and items of which nothing is known, by prediction."""

    items: tuple[int, ...]
    scores: tuple[float, ...]
    unknown: tuple[int, int]


def mix_of(source: str, pool: RegisteredPool, strata: Sequence[Stratum]) -> MixToday:
    """How the items of a file lie in the strata; read by the columns of the certified pool."""
    items, scores, unknown = [0] * len(strata), [0.0] * len(strata), {True: 0, False: 0}
    for predicted, position, number, total in _positions(source, pool):
        place = _place(strata, predicted=predicted, position=position)
        if place is not None:
            items[place] += number
            scores[place] += total
        elif _counts(strata, predicted=predicted):
            unknown[predicted] += number
    return MixToday(
        items=tuple(items), scores=tuple(scores), unknown=(unknown[True], unknown[False])
    )


def _counts(strata: Sequence[Stratum], *, predicted: bool) -> bool:
    """Whether the claim is about items of this predicted class at all."""
    return any(stratum.prediction is predicted for stratum in strata)


def _place(strata: Sequence[Stratum], *, predicted: bool, position: int | None) -> int | None:
    for number, stratum in enumerate(strata):
        if stratum.prediction is not predicted:
            continue
        if stratum.grid_from is None or stratum.grid_to is None:
            return number
        if position is not None and stratum.grid_from <= position < stratum.grid_to:
            return number
    return None


def _positions(source: str, pool: RegisteredPool) -> list[tuple[bool, int | None, int, float]]:
    """Items by prediction and position of their score on the certified grid, None beyond it."""
    columns = replace(pool.columns, text=(), groups=None)
    opened = DuckDBPool(source, columns)
    try:
        _refuse_flaws(opened)
        rows = opened.select(
            f"SELECT prediction AS p, {_grid(pool)} AS g, count(*), sum({_score(pool)}) FROM pool "
            "GROUP BY ALL ORDER BY ALL"
        )
    finally:
        opened.close()
    if not rows:
        raise InputError(f"{source!r} holds no item.")
    return [(bool(row[0]), row[1], int(row[2]), float(row[3])) for row in rows]


def _score(pool: RegisteredPool) -> str:
    return "score" if pool.columns.score else "0.0"


def _grid(pool: RegisteredPool) -> str:
    low, high = pool.summary.score_low, pool.summary.score_high
    if low is None or high is None:
        return "0"
    inside = f"score >= CAST({low!r} AS DOUBLE) AND score <= CAST({high!r} AS DOUBLE)"
    return f"CASE WHEN {inside} THEN {grid_sql('score', low, high)} END"


def _refuse_flaws(opened: DuckDBPool) -> None:
    tests = flaws(opened.columns, DUCKDB, id_is_text=opened.id_is_text)
    tests.pop("no_id")  # nothing goes by ids here
    if not tests:
        return
    bad, items = opened.select(
        f"SELECT count(*) FILTER (WHERE {' OR '.join(tests.values())}), count(*) FROM pool"
    )[0]
    if bad:
        raise InputError(
            f"{bad:,} of {items:,} items have no usable score or prediction. Leave these items out or "
            "complete them."
        )


def labels_by_stratum(
    project: Project, state: State, attempt: Attempt, strata: Sequence[Stratum]
) -> tuple[LabelledStratum, ...]:
    """The labels that the certificate counts, by stratum; cannot tell counts against the claim."""
    prefix, claim = labelled_prefix(state, attempt), attempt.plan.claim
    if attempt.plan.kind.guided:
        places: dict[str, int | None] = {draw.id: draw.stratum for draw in prefix.drawn}
    else:
        places = _placed(project, attempt, {d.id: bool(d.prediction) for d in prefix.drawn}, strata)
    labels, relevant = Counter[int](), Counter[int]()
    for draw, answer in zip(prefix.drawn, prefix.answers, strict=True):
        place = places[draw.id]
        if place is not None:
            labels[place] += 1
            relevant[place] += counted_label(claim, predicted=bool(draw.prediction), answer=answer)
    return tuple(
        LabelledStratum(predicted=bool(stratum.prediction), labels=labels[k], relevant=relevant[k])
        for k, stratum in enumerate(strata)
    )


def _placed(
    project: Project, attempt: Attempt, drawn: dict[str, bool], strata: Sequence[Stratum]
) -> dict[str, int | None]:
    """The strata of items of a simple sample, by their scores in the pool."""
    pool = attempt.pool
    assert pool is not None, "a plan draws from a pool"  # noqa: S101
    if pool.summary.score_low is None:
        return {i: _place(strata, predicted=p, position=None) for i, p in drawn.items()}
    if not project.has_pool(pool):
        raise InputError(
            f"The pool {project.pool_path(pool)!r} is not at hand, and the scores of the labelled items "
            "are needed from it. Put it back."
        )
    opened = DuckDBPool(project.pool_path(pool), replace(pool.columns, text=(), groups=None))
    try:
        listed = ", ".join(quoted(item) for item in drawn)
        rows = opened.select(f"SELECT id, {_grid(pool)} FROM pool WHERE id IN ({listed})")
    finally:
        opened.close()
    return {i: _place(strata, predicted=drawn[i], position=g) for i, g in rows}


def stratum_name(pool: RegisteredPool, stratum: Stratum) -> str:
    """The predicted class and the scores of a stratum, for people."""
    low, high = pool.summary.score_low, pool.summary.score_high
    if stratum.grid_from is None or stratum.grid_to is None or low is None or high is None:
        return str(stratum)
    ends = [score_of(edge, low, high) for edge in (stratum.grid_from, stratum.grid_to)]
    cut = pool.columns.threshold
    if cut is not None:
        ends = [max(ends[0], cut), ends[1]] if stratum.prediction else [ends[0], min(ends[1], cut)]
    return f"{stratum}, {ends[0]:.3g} to {ends[1]:.3g}"
