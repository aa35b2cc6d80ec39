"""Draw the next items of a claim: portions of one sealed sequence."""

from collections import Counter
from pathlib import Path

from assaymark.claims.checks import count as whole
from assaymark.claims.results import counted
from assaymark.composite.course import Course, Renewal, labelled_prefix, resumed_course
from assaymark.composite.planning.strata import ClaimPool
from assaymark.composite.seeding import refuse_unrevealed
from assaymark.composite.work import ClaimWork, required_claim
from assaymark.errors import PlanError
from assaymark.hints import command
from assaymark.ledger.events import State, SurveyedItem, SurveyReported
from assaymark.project.folder import Project, registered_pool
from assaymark.sampling.surveys import SurveyBatch, hand_out

USUAL = 60


def draw_for_claim(
    project: Project, *, count: int | None = None, output: Path | None = None, write: bool = True
) -> SurveyBatch:
    """Hand out the next items; as many as the labels so far allow, and no more than asked for."""
    with project.writing() as session:
        work = required_claim(session.state)
        if not work.open and work.sealed.kind != "cut-off":
            raise PlanError(f"The claim '{work.sealed.claim}' is closed; nothing is drawn for it.")
        refuse_unrevealed(work)
        wanted = USUAL if count is None else whole("count", count)
        course = resumed_course(project, work)
        strata, begun = next_strata(session.state, work, wanted, course)
        pool = registered_pool(session.state)
        with ClaimPool(project, pool, work.sealed.columns) as source:
            items = _items(source, work, strata)
            texts = source.texts([item.id for item in items])
        for renewal in begun:
            session.record(
                SurveyReported(
                    survey=work.number,
                    labels=len(renewal.outcomes),
                    result=renewal.to_result(len(work.sealed.cells.labels)),
                )
            )
        return hand_out(project, session, work.survey, items, texts, output=output, write=write)


def waits_for_labels(project: Project, state: State) -> bool:
    """Whether the next draws depend on labels that are missing. Nothing is drawn."""
    work = required_claim(state)
    try:
        next_strata(state, work, USUAL, resumed_course(project, work))
    except PlanError:
        return True
    return False


def next_strata(
    state: State, work: ClaimWork, wanted: int, course: Course
) -> tuple[list[int], list[Renewal]]:
    """The strata of the next draws, and the segments that begin with them."""
    outcomes = labelled_prefix(state, work)
    strata = work.strata
    drawn, begun = len(strata), []
    while len(strata) - drawn < wanted:
        if not course.stops or len(strata) >= course.stops[-1]:
            segment = course.next_segment()
            if segment is None:
                break
            if segment.known > len(outcomes):
                if len(strata) == drawn:
                    raise PlanError(_blocked(state, work, segment.known))
                break
            begun.append(Renewal(first=segment.first, outcomes=outcomes[: segment.known]))
            course.enter(segment, strata, outcomes[: segment.known])
        new = min(course.stops[-1] - len(strata), wanted - (len(strata) - drawn))
        made = course.portion(work.seed, strata, new)
        strata = strata + made
        if not made:
            break
    return strata[drawn:], begun


def _blocked(state: State, work: ClaimWork, known: int) -> str:
    waiting = [item for item in work.survey.order[:known] if not state.labelled(item)]
    shown = ", ".join(waiting[:5]) + (", …" if len(waiting) > 5 else "")
    return (
        f"The next items depend on labels that are not settled yet: {len(waiting):,} of the first "
        f"{counted(known, 'draw')} ({shown}). Label them, or mark them as cannot tell."
    )


def _items(source: ClaimPool, work: ClaimWork, strata: list[int]) -> list[SurveyedItem]:
    """The ids of these draws: the next of each stratum in ticket order."""
    if not strata and len(work.strata) >= work.sealed.most:
        raise PlanError(
            f"The budget of {counted(work.sealed.most, 'draw')} is spent. Next: {command('look')}."
        )
    if not strata:
        raise PlanError(
            "Every item that says anything about the claim was drawn: there is nothing left to "
            f"label. Next: {command('look')}."
        )
    tickets = source.items(
        work.seed,
        work.sealed.strata,
        taken=Counter(work.strata),
        new=Counter(strata),
    )
    queues = {k: iter(ids) for k, ids in tickets.items()}
    drawn = [(next(queues[k], ""), k) for k in strata if k in queues]
    predicted = source.predictions([item for item, _ in drawn])
    items = [SurveyedItem(id=item, cell=k, predictions=predicted.get(item)) for item, k in drawn]
    if len(items) < len(strata) or not all(item.id for item in items):
        raise PlanError(
            "The pool holds fewer items than when the claim was sealed: it was changed. Restore "
            "it from a backup."
        )
    return items
