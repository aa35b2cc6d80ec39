"""Seal a plan: from here on the claim, the size and the draws are decided."""

import secrets
from dataclasses import dataclass
from pathlib import Path

from assay import __version__
from assay.errors import PlanError, VerificationError
from assay.events import PlanClosed, PlanSealed, ReserveStored, State
from assay.plan import fixed_plan
from assay.pool import Pool, Progress, silent
from assay.pool.reserve import store_reserve
from assay.steps.project import Project, open_attempt, registered_pool
from assay.types.claim import Claim
from assay.types.plan import Expectation, Plan
from assay.types.pool import RegisteredPool


@dataclass(frozen=True, kw_only=True)
class Wish:
    """What the user asks of a plan."""

    claim: Claim
    mode: str = "fixed"
    confidence: float = 0.95
    power: float = 0.93
    budget: int | None = None
    expectation: Expectation | None = None
    seed: str | None = None


def seal_plan(project: Project, wish: Wish, *, progress: Progress = silent) -> Plan:
    """Seal the plan and store its reserve of tickets. Refused while another plan is open."""
    state = project.state()
    _refuse_second(state)
    plan = _make(state, wish)
    stored = build_reserve(project, registered_pool(state), plan, progress=progress)
    with project.writing() as session:
        _refuse_second(session.state)
        if len(session.state.attempts) != len(state.attempts):
            raise PlanError(
                "Another plan was sealed at the same moment. Look at it, then try again."
            )
        session.record(PlanSealed(plan=plan, software=__version__), stored)
    return plan


def _make(state: State, wish: Wish) -> Plan:
    if wish.mode != "fixed":
        raise PlanError(f"'mode' must be one of fixed, got {wish.mode!r}.")
    return fixed_plan(
        wish.claim,
        registered_pool(state).summary,
        number=len(state.attempts) + 1,
        seed=wish.seed or secrets.token_hex(16),
        confidence=wish.confidence,
        power=wish.power,
        budget=wish.budget,
        expectation=wish.expectation,
    )


def _refuse_second(state: State) -> None:
    attempt = state.attempt
    if attempt is not None and attempt.open:
        raise PlanError(
            f'Plan {attempt.plan.number} ("{attempt.plan.claim}") is still open. Finish it, or close '
            'it for good with: assay plan --abandon "REASON".'
        )


def build_reserve(
    project: Project, registered: RegisteredPool, plan: Plan, *, progress: Progress = silent
) -> ReserveStored:
    """Draw the lowest tickets of the plan from the pool and store them with their texts."""
    pool = project.pool(registered)
    try:
        refuse_changed(pool, registered, progress)
        items = pool.reserve(
            plan.seed, strata=plan.strata, limits=reserve_limits(plan), progress=progress
        )
        progress("fetching texts", None)
        texts = pool.texts([item.id for item in items])
    finally:
        pool.close()
    file = reserve_file(plan.number)
    stored = store_reserve(project.folder / file, items, texts, registered.columns.text)
    return ReserveStored(
        plan=plan.number,
        file=file.as_posix(),
        sha256=stored.sha256,
        items=len(items),
        tickets=stored.tickets,
    )


def reserve_file(number: int) -> Path:
    """Where a plan's reserve lies in the project."""
    return Path("reserve") / f"plan-{number}.parquet"


def reserve_limits(plan: Plan) -> list[int]:
    """How many tickets of each stratum to keep: all that the plan can ever ask for."""
    return [min(plan.size, stratum.items) for stratum in plan.strata]


def refuse_changed(pool: Pool, registered: RegisteredPool, progress: Progress = silent) -> None:
    """Refuse a pool whose files are not those that were registered."""
    now = {file.name: file for file in pool.files(progress)}
    for file in registered.files:
        if now.pop(file.name, None) != file:
            raise VerificationError(
                f"The pool changed after init: {file.name!r} is not the file that was registered. "
                "Restore it, or begin a new project with the new file."
            )
    if now:
        raise VerificationError(
            f"The pool changed after init: {min(now)!r} was added. Remove it, or begin a new project."
        )


def abandon_plan(project: Project, reason: str) -> int:
    """Close the open plan for good, with a reason. Returns its number."""
    if not reason.strip():
        raise PlanError("Say why the plan is abandoned: the reason goes on record.")
    with project.writing() as session:
        attempt = open_attempt(session.state)
        session.record(
            PlanClosed(plan=attempt.plan.number, outcome="abandoned", reason=reason.strip())
        )
    return attempt.plan.number
