"""Read the verdict; every look at an open plan is recorded."""

from dataclasses import dataclass

from assaymark.certification.certificate import rows_of
from assaymark.certification.metric_ranges import without_point
from assaymark.certification.modes import Prefix, judge, labelled_prefix
from assaymark.certification.modes.tallies import tallies_of
from assaymark.certification.planning import from_scores
from assaymark.certification.planning.forecast import expected_value
from assaymark.claims.results import Verdict
from assaymark.errors import PlanError
from assaymark.hints import command
from assaymark.labelling.blocking import Blocking, blocking_items
from assaymark.ledger.events import Closing, Looked, PlanClosed, State, settings_of, training_of
from assaymark.project.folder import (
    Project,
    keep_wealth,
    latest_attempt,
    registered_pool,
    resume_wealth,
)
from assaymark.records.plan import Plan


@dataclass(frozen=True, kw_only=True)
class BudgetUse:
    """Labels for training and certification together, of the number that was planned for."""

    used: int
    budget: int

    @property
    def left(self) -> int:
        """Labels that are left; 0 where the budget is used up or exceeded."""
        return max(0, self.budget - self.used)

    def __str__(self) -> str:
        text = f"{self.used:,} of {self.budget:,} labels used for training and certification"
        if self.used < self.budget:
            return text
        end = "used up" if self.used == self.budget else f"exceeded by {self.used - self.budget:,}"
        return f"{text}: {end}. More labels may still establish the claim; the stated confidence still holds"


def budget_use(state: State) -> BudgetUse | None:
    """The budget of the classifier that the latest plan judges; None where there is none."""
    work, attempt = training_of(state), state.attempt
    if work is None or attempt is None or not work.freezes:
        return None
    budget = settings_of(work).goal.budget
    if budget is None or attempt.sealed_at < work.freezes[-1].seq:
        return None
    used = sum(state.labelled(item) for item in (*work.order, *attempt.order))
    return BudgetUse(used=used, budget=budget)


@dataclass(frozen=True, kw_only=True)
class Look:
    """A verdict, the plan it belongs to, and how often that plan was looked at.

    `budget` is that of the training of the classifier, if it was trained here under one; `blocking`
    are the items that keep later labels from counting, and `waiting` drawn items have no label yet.
    `no_point` says why the metric has no estimate, where it has none.
    """

    verdict: Verdict
    plan: Plan
    looks: int
    open: bool
    budget: BudgetUse | None = None
    blocking: Blocking | None = None
    waiting: int = 0
    no_point: str | None = None
    by_scores: float | None = None


def look(project: Project) -> Look:
    """The verdict on the latest plan. A plan that fails is closed by the look that shows it."""
    with project.writing() as session:
        attempt = latest_attempt(session.state)
        if attempt.outcome == "abandoned":
            raise PlanError(
                f"Plan {attempt.plan.number} was abandoned, so it has no verdict. Seal a new plan: "
                f"{command('plan', '…')}"
            )
        guided = attempt.plan.kind.guided
        if guided:
            resume_wealth(project, len(attempt.draws))
        verdict = judge(session.state, attempt)
        prefix = labelled_prefix(session.state, attempt)
        looks = len(attempt.looks)
        if attempt.open:
            looks += 1
            session.record(*look_events(session.state, verdict, prefix))
        budget, blocking = budget_use(session.state), blocking_items(session.state)
        waiting = sum(not session.state.labelled(item) for item in attempt.order)
        no_point = without_point(attempt.plan, prefix, verdict)
    if guided:
        keep_wealth(project)
    still = attempt.open and verdict.decision != "fail"
    return Look(
        verdict=verdict,
        plan=attempt.plan,
        looks=looks,
        open=still,
        budget=budget,
        blocking=blocking,
        waiting=waiting,
        no_point=no_point,
        by_scores=_by_scores(session.state, verdict) if guided else None,
    )


def _by_scores(state: State, verdict: Verdict) -> float | None:
    """The value of the claimed metric that a plan reads from the scores alone; None without any."""
    summary = registered_pool(state).summary
    scores = from_scores(summary)
    return None if scores is None else expected_value(verdict.claim, scores, summary)


def look_events(
    state: State, verdict: Verdict, prefix: Prefix | None = None
) -> list[Looked | PlanClosed]:
    """What is recorded when somebody sees this verdict on the open plan.

    `prefix` are the labelled draws, where somebody has counted them already.
    """
    attempt, estimate = latest_attempt(state), verdict.estimate
    number = attempt.plan.number
    look = Looked(
        plan=number,
        rows=rows_of(verdict),
        tallies=tallies_of(state, attempt, verdict, prefix),
        labels=estimate.labels,
        draws=estimate.draws,
    )
    if verdict.decision != "fail":
        return [look]
    return [look, PlanClosed(plan=number, outcome="failed", reason=closing(attempt.plan, verdict))]


def closing(plan: Plan, verdict: Verdict) -> Closing:
    """Why a verdict closes its plan, as the code that is recorded."""
    if verdict.census:
        return "census"
    return "refuted" if verdict.refuted else plan.kind.failure
