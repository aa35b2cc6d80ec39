"""What labels that were bought before say of the classifier, for the next forecast."""

from assaymark.certification.modes.prefix import Prefix, labelled_prefix
from assaymark.certification.modes.score_guided import cells_of, weighted_draws
from assaymark.ledger.events import Attempt, State
from assaymark.records.plan import Expectation

FEWEST = 50


def from_labels(state: State) -> Expectation | None:
    """Precision and recall by the labels of the latest plan on this pool; None where they say little.

    Only plans over the whole pool tell both; a plan with fewer than fifty labels tells neither.
    """
    for attempt in reversed(state.attempts):
        if attempt.pool is not state.pool or attempt.open:
            continue
        if attempt.plan.kind.judged_once and not attempt.looks:
            continue  # a plan that is judged once is not looked into before
        prefix = labelled_prefix(state, attempt)
        if prefix.labels < FEWEST:
            continue
        expectation = _rates(_cells(attempt, prefix))
        if expectation is not None:
            return expectation
    return None


def _cells(attempt: Attempt, prefix: Prefix) -> tuple[float, ...] | None:
    if attempt.plan.kind.guided:
        return cells_of(attempt.plan, weighted_draws(attempt, prefix))
    return prefix.counts.cells if attempt.plan.domain == "all" else None


def _rates(cells: tuple[float, ...] | None) -> Expectation | None:
    if cells is None:
        return None
    tp, fp, fn, _tn = cells
    if not tp or not fp or not fn:
        return None
    return Expectation(precision=tp / (tp + fp), recall=tp / (tp + fn))
