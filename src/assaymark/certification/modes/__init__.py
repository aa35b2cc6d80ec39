"""What the labels so far say about a plan's claim: replayed state in, verdict out.

Everything that differs between modes is a method of their objects, which are registered here.
"""

from assaymark.certification.modes.account import at_present
from assaymark.certification.modes.fixed import judge_census
from assaymark.certification.modes.labels_ahead import with_labels_ahead
from assaymark.certification.modes.mode import Mode
from assaymark.certification.modes.prefix import Prefix, labelled_prefix
from assaymark.certification.modes.score_guided import weighted_draws, weighted_test_of
from assaymark.certification.modes.score_guided_sample import ScoreGuided
from assaymark.certification.modes.sealed_sample import Ceiling, SealedGuided
from assaymark.certification.modes.simple_sample import Anytime, Budget, Census, Fixed
from assaymark.claims.results import Verdict
from assaymark.ledger.events import Attempt, State
from assaymark.records.plan import Plan

MODES: dict[str, Mode] = {
    mode.kind.name: mode
    for mode in (Fixed(), Census(), Budget(), Anytime(), SealedGuided(), Ceiling())
}
EARLIER: dict[tuple[str, str], Mode] = {("score-guided", "betting/1"): ScoreGuided()}
"""Modes of plans that were sealed with an earlier method."""


def mode_of(plan: Plan) -> Mode:
    """The mode of this plan."""
    return EARLIER.get((plan.kind.name, plan.method)) or MODES[plan.kind.name]


def judge(state: State, attempt: Attempt) -> Verdict:
    """The verdict on the attempt's claim. Refused where looking would void the promise."""
    everything = judge_census(state, attempt.plan)
    if everything is not None:
        return everything
    verdict = mode_of(attempt.plan).judge(state, at_present(state, attempt))
    return with_labels_ahead(verdict, attempt.plan)
