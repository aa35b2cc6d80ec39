"""What labels that were bought before say of the classifier, for the next forecast."""

from assaymark.certification.modes.prefix import Prefix, labelled_prefix
from assaymark.certification.modes.score_guided import cells_of, weighted_draws
from assaymark.ledger.events import Attempt, State, SurveyReported
from assaymark.records.plan import Expectation

FEWEST = 50


def from_labels(state: State) -> Expectation | None:
    """Precision and recall by the latest labels on this pool; None where they say little.

    They are those of an estimate that was read after the last plan, or of a plan. Only plans over the
    whole pool tell both; fewer than fifty labels tell neither.
    """
    estimated = _from_estimate(state)
    if estimated is not None:
        return estimated
    for attempt in reversed(state.attempts):
        if attempt.pool is not state.pool or attempt.open:
            continue
        if attempt.plan.kind.judged_once and not attempt.looks:
            continue  # a plan that is judged once is not looked into before
        prefix = labelled_prefix(state, attempt)
        if prefix.labels < FEWEST:
            continue
        expectation = _rates(_cells(attempt, prefix), prefix.labels)
        if expectation is not None:
            return expectation
    return None


def _cells(attempt: Attempt, prefix: Prefix) -> tuple[float, ...] | None:
    if attempt.plan.kind.guided:
        return cells_of(attempt.plan, weighted_draws(attempt, prefix))
    return prefix.counts.cells if attempt.plan.domain == "all" else None


def left_possible(state: State, metric: str) -> tuple[float, float] | None:
    """The interval of the estimate that `from_labels` goes by; None where it goes by none."""
    report = _last_estimate(state)
    if report is None:
        return None
    low, high = (_figure(report, metric, end) for end in ("low", "high"))
    return None if low is None or high is None else (low, high)


def _from_estimate(state: State) -> Expectation | None:
    """By the latest estimate that was read, unless a plan was sealed after it."""
    report = _last_estimate(state)
    if report is None:
        return None
    precision, recall = (_figure(report, name, "point") for name in ("precision", "recall"))
    return (
        None if precision is None or recall is None else _inside(precision, recall, report.labels)
    )


def _figure(report: SurveyReported, metric: str, name: str) -> float | None:
    figures = report.result.get("metrics") or ()
    return next((one.get(name) for one in figures if one["metric"] == metric), None)


def _last_estimate(state: State) -> SurveyReported | None:
    """The latest estimate that was read, unless a plan was sealed after it."""
    reports = [
        report
        for work in state.surveys
        if work.survey.purpose == "estimate"
        for report in work.reports
        if report.event.labels >= FEWEST
    ]
    last = state.attempt
    if not reports or (last is not None and last.sealed_at > reports[-1].seq):
        return None
    return reports[-1].event


def _rates(cells: tuple[float, ...] | None, labels: int) -> Expectation | None:
    if cells is None:
        return None
    tp, fp, fn, _tn = cells
    return _inside(tp / (tp + fp), tp / (tp + fn), labels) if tp else None


def _inside(precision: float, recall: float, labels: int) -> Expectation:
    """No error among n labels is no sign that there is none: half an error is taken for granted."""
    edge = 0.5 / (labels + 1)
    return Expectation(
        precision=min(max(precision, edge), 1.0 - edge), recall=min(max(recall, edge), 1.0 - edge)
    )
