"""Read the verdict; every look at an open plan goes on record."""

from dataclasses import dataclass

from assaymark.certification.modes import judge
from assaymark.certification.training_budget import BudgetUse, budget_use
from assaymark.claims.results import Verdict
from assaymark.errors import PlanError
from assaymark.ledger.events import Looked, PlanClosed, State
from assaymark.project.folder import Project, latest_attempt
from assaymark.records.plan import Plan


@dataclass(frozen=True, kw_only=True)
class Look:
    """A verdict, the plan it belongs to, and how often that plan was looked at.

    `budget` is that of the training of the classifier, if it was trained here under one.
    """

    verdict: Verdict
    plan: Plan
    looks: int
    open: bool
    budget: BudgetUse | None = None


def look(project: Project) -> Look:
    """The verdict on the latest plan. A plan that fails is closed by the look that shows it."""
    with project.writing() as session:
        attempt = latest_attempt(session.state)
        if attempt.outcome == "abandoned":
            raise PlanError(
                f"Plan {attempt.plan.number} was abandoned, so it has no verdict. Seal a new plan: "
                "assaymark plan …"
            )
        verdict = judge(session.state, attempt)
        looks = len(attempt.looks)
        if attempt.open:
            looks += 1
            session.record(*look_events(session.state, verdict))
        budget = budget_use(session.state)
    still = attempt.open and verdict.decision != "fail"
    return Look(verdict=verdict, plan=attempt.plan, looks=looks, open=still, budget=budget)


def look_events(state: State, verdict: Verdict) -> list[Looked | PlanClosed]:
    """What goes on record when somebody sees this verdict on the open plan."""
    number = latest_attempt(state).plan.number
    estimate = verdict.estimate
    seen = Looked(
        plan=number,
        decision=verdict.decision,
        point=estimate.point,
        low=estimate.interval.low,
        high=estimate.interval.high,
        labels=estimate.labels,
        draws=estimate.draws,
    )
    if verdict.decision != "fail":
        return [seen]
    return [seen, PlanClosed(plan=number, outcome="failed", reason=verdict.reason)]
