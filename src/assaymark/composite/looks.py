"""Look at a claim of several rows; every look goes on record."""

from typing import Any

from assaymark.composite.course import course_of, labelled_prefix
from assaymark.composite.judging import Judgement, judge
from assaymark.composite.shared_risk.account import at_present
from assaymark.composite.work import ClaimWork, current_claim, required_claim
from assaymark.errors import PlanError
from assaymark.ledger.events import State, SurveyReported
from assaymark.project.folder import Project


def judge_claim(state: State, work: ClaimWork) -> Judgement:
    """The judgement on the labelled draws of a claim."""
    sealed = at_present(state, work)
    return judge(sealed, course_of(work), work.strata, labelled_prefix(state, work))


def look_at_claim(project: Project) -> Judgement:
    """What is established now. A claim that fails is closed by the look that shows it."""
    with project.writing() as session:
        work = required_claim(session.state)
        judgement = judge_claim(session.state, work)
        if work.open:
            result: dict[str, Any] = {"event": "look", **judgement.result}
            session.record(
                SurveyReported(
                    survey=work.number, labels=int(judgement.result["labels"]), result=result
                )
            )
    return judgement


def abandon_claim(project: Project, reason: str) -> str | None:
    """Close the open claim of several rows for good; None if there is none."""
    with project.writing() as session:
        waiting = current_claim(session.state)
        if waiting is None or not waiting.open:
            return None
        if not reason.strip():
            raise PlanError("Give the reason why the claim is abandoned: it is recorded.")
        session.record(
            SurveyReported(
                survey=waiting.number, labels=0, result={"event": "abandoned", "reason": reason}
            )
        )
    return waiting.sealed.claim
