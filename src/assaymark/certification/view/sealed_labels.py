"""How many labels a plan takes in all: forecast, or met by the draws that it seals."""

from assaymark.certification.modes import mode_of
from assaymark.claims.results import Verdict
from assaymark.ledger.events import Attempt


def labels_in_all(attempt: Attempt, verdict: Verdict | None) -> int | None:
    """Labels in all; where a simple plan seals its draws and no range is known, those that they meet."""
    plan = attempt.plan
    sealed = verdict is None or (verdict.decision == "continue" and verdict.labels_ahead is None)
    if sealed and plan.kind.promise and not plan.kind.guided and plan.seed:
        return len(attempt.order) + mode_of(plan).left(attempt)
    return plan.size if verdict is None else verdict.labels_expected
