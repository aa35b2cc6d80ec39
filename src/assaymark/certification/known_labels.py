"""Labels known before a plan is sealed: knowledge, which no draw has to buy again.

In a score-guided plan such items leave their strata, and what they contribute is certain. A simple
plan draws from the whole collection all the same, and a known label answers a drawn item free of
charge: drawing from the rest alone would make its sample one of the rest.
"""

from collections import Counter
from dataclasses import replace

from assaymark.claims.record import stored
from assaymark.errors import PlanError, VerificationError
from assaymark.ledger.events import Attempt, State
from assaymark.project.folder import Project, registered_pool
from assaymark.records.plan import Plan, Stratum, known_labels
from assaymark.records.plan_shape import KnownShape
from assaymark.stats.methods import is_row_method


def with_known(project: Project, state: State, plan: Plan) -> Plan:
    """The plan with the labels known at its seal."""
    if plan.kind.guided and is_row_method(plan.method):
        return replace(plan, known=_in_strata(project, state, plan, state.labels()))
    labels = state.labels()
    inside = {item: labels[item] for item in _places(project, state, plan.strata, labels)}
    return replace(plan, known=known_labels(stored(inside)))


def known_in(
    project: Project, state: State, strata: tuple[Stratum, ...]
) -> tuple[tuple[int, int], ...]:
    """The labels of now in each of these strata: how many 0 and 1; nothing where there are none."""
    labels = state.labels()
    places = _places(project, state, strata, labels)
    return _counts(places, labels, len(strata)) if places else ()


def _counts(
    places: dict[str, int], labels: dict[str, int], strata: int
) -> tuple[tuple[int, int], ...]:
    counts = Counter((stratum, labels[item]) for item, stratum in places.items())
    return tuple((counts[k, 0], counts[k, 1]) for k in range(strata))


def _places(
    project: Project, state: State, strata: tuple[Stratum, ...], labels: dict[str, int]
) -> dict[str, int]:
    """The stratum of each of these items that lies in one."""
    if not labels:
        return {}
    pool = project.pool(registered_pool(state))
    try:
        return pool.strata_of(sorted(labels), strata)
    finally:
        pool.close()


def _in_strata(
    project: Project, state: State, plan: Plan, labels: dict[str, int]
) -> KnownShape | None:
    places = _places(project, state, plan.strata, labels)
    if not places:
        return None
    strata = _counts(places, labels, len(plan.strata))
    if all(sum(gone) == s.items for gone, s in zip(strata, plan.strata, strict=True)):
        raise PlanError(
            f'Every item that "{plan.claim}" is about has its label already: there is nothing '
            "left to draw."
        )
    return known_labels(stored({item: labels[item] for item in places}), strata)


def check_known(project: Project, state: State, attempt: Attempt) -> str | None:
    """Recompute what was known at the seal of a plan; the sentence about it, None without any."""
    known = attempt.plan.known
    if known is None or known.strata is None:
        return None
    if _in_strata(project, state, attempt.plan, attempt.before) != known:
        raise VerificationError(
            "The labels known when the plan was sealed are not those that were taken out of its "
            "strata."
        )
    return f"{known.items:,} labels known at the seal left their strata, none of them was drawn"
