"""Look at a claim of several rows; every look is recorded."""

from dataclasses import replace
from typing import Any

from assaymark.composite.course import Course, course_of, labelled_prefix, resumed_course
from assaymark.composite.judging import Judgement, judge
from assaymark.composite.shared_risk.account import at_present
from assaymark.composite.view.progress import proven_so_far
from assaymark.composite.wording import is_established
from assaymark.composite.work import ClaimWork, current_claim, required_claim
from assaymark.errors import PlanError
from assaymark.ledger.events import State, SurveyReported
from assaymark.project.folder import Project

MOST_TOGETHER = 20  # parts whose figures share one risk; of more each would have next to nothing


def judge_claim(state: State, work: ClaimWork, course: Course | None = None) -> Judgement:
    """The judgement on the labelled draws of a claim; its course is computed unless it is known."""
    sealed = at_present(state, work)
    return judge(sealed, course or course_of(work), work.strata, labelled_prefix(state, work))


def judge_with_progress(state: State, work: ClaimWork, course: Course) -> Judgement:
    """The judgement, and while nothing is established how far the open parts are."""
    judgement = judge_claim(state, work, course)
    look = judgement.look
    undecided = judgement.decision in ("continue", "undecided") and not is_established(look)
    if look.kind != "conjunction" or not undecided or len(look.parts) > MOST_TOGETHER:
        return judgement
    open_parts = {n for n, part in enumerate(look.parts) if part.state == "open"}
    draws = course.draws(work.strata, labelled_prefix(state, work))
    so_far = proven_so_far(work.sealed, course.test, draws, open_parts)
    return replace(judgement, result={**judgement.result, "so_far": so_far})


def look_at_claim(project: Project) -> Judgement:
    """What is established now. A claim that fails is closed by the look that shows it."""
    with project.writing() as session:
        work = required_claim(session.state)
        judgement = judge_with_progress(session.state, work, resumed_course(project, work))
        if work.open:
            result: dict[str, Any] = {"event": "look", **judgement.result}
            labels = judgement.look.labels
            session.record(SurveyReported(survey=work.number, labels=labels, result=result))
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
