"""What the labels so far say about a plan's claim: replayed state in, verdict out."""

from collections.abc import Callable

from assaymark.certification.modes.account import at_present
from assaymark.certification.modes.fixed import judge_census, judge_fixed
from assaymark.certification.modes.prefix import Prefix, labelled_prefix, tally
from assaymark.certification.modes.score_guided import (
    judge_weighted,
    weighted_draws,
    weighted_test_of,
)
from assaymark.certification.modes.sequential import judge_anytime, judge_budget
from assaymark.claims.results import Verdict
from assaymark.ledger.events import Attempt, State

JUDGES: dict[tuple[str, str], Callable[[State, Attempt], Verdict]] = {
    ("fixed", "simple"): judge_fixed,
    ("fixed", "census"): judge_fixed,
    ("budget", "simple"): judge_budget,
    ("anytime", "simple"): judge_anytime,
    ("anytime", "weighted"): judge_weighted,
}


def judge(state: State, attempt: Attempt) -> Verdict:
    """The verdict on the attempt's claim. Refused where looking would void the promise."""
    everything = judge_census(state, attempt.plan)
    if everything is not None:
        return everything
    attempt = at_present(state, attempt)
    return JUDGES[attempt.plan.mode, attempt.plan.design](state, attempt)


__all__ = [
    "JUDGES",
    "Prefix",
    "at_present",
    "judge",
    "labelled_prefix",
    "tally",
    "weighted_draws",
    "weighted_test_of",
]
