"""Where a project stands, without looking at its verdict."""

from dataclasses import dataclass

from assay.steps.project import Project, registered_pool


@dataclass(frozen=True, kw_only=True)
class Status:
    """What is done and what is missing."""

    summary: str
    items: int
    claim: str | None
    confidence: float | None
    size: int | None
    draws: int
    labelled: int
    missing: int
    disputed: int
    events: int
    advice: str


def status(project: Project) -> Status:
    """Counts of what happened; nothing that a label could tell about the claim."""
    state = project.state()
    pool = registered_pool(state)
    attempt = state.attempt
    order = attempt.order if attempt else []
    missing = sum(not state.labelled(item) for item in order)
    disputed = sum(state.disputed(item) for item in order)
    size = attempt.plan.size if attempt else None
    draws = len(attempt.draws) if attempt else 0
    if attempt is None:
        summary, advice = "No plan yet.", 'assay plan "f1 >= 0.75" …'
    elif not attempt.open:
        summary, advice = f"Plan {attempt.plan.number}: {attempt.outcome}.", "assay plan …"
    elif attempt.looks and attempt.looks[-1][2].decision == "pass":
        summary, advice = f"Plan {attempt.plan.number}: established.", "assay certify"
    elif not draws or (attempt.plan.mode == "fixed" and size is not None and draws < size):
        summary, advice = f"Plan {attempt.plan.number} is open.", "assay draw"
    elif missing:
        summary, advice = f"Plan {attempt.plan.number} waits for labels.", "assay draw --pending"
    else:
        summary, advice = f"Plan {attempt.plan.number} can be looked at.", "assay look"
    return Status(
        summary=summary,
        items=pool.summary.items,
        claim=str(attempt.plan.claim) if attempt else None,
        confidence=attempt.plan.confidence if attempt else None,
        size=size,
        draws=draws,
        labelled=len(order) - missing,
        missing=missing,
        disputed=disputed,
        events=state.head.seq if state.head else 0,
        advice=advice,
    )
