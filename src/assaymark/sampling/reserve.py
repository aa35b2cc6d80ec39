"""The reserve of a plan: its lowest tickets, drawn from the pool and stored in the project."""

from collections.abc import Sequence
from pathlib import Path

from assaymark.errors import VerificationError
from assaymark.ledger.events import ReserveStored
from assaymark.pool import Pool, Progress, silent
from assaymark.pool.reserve import store_reserve
from assaymark.pool.sources import file_difference
from assaymark.project.folder import Project
from assaymark.records.plan import Plan
from assaymark.records.pool import RegisteredPool

FEWEST_TICKETS, MOST_TICKETS = 500, 20_000  # per stratum and part of the reserve


def build_reserve(
    project: Project,
    registered: RegisteredPool,
    plan: Plan,
    *,
    part: int = 1,
    limits: Sequence[int] | None = None,
    after: Sequence[str] | None = None,
    progress: Progress = silent,
) -> ReserveStored:
    """Draw the plan's lowest tickets after those of the earlier parts, and store them with texts."""
    pool, limits = project.pool(registered), limits or reserve_limits(plan)
    try:
        refuse_changed(pool, registered, progress)
        items = pool.reserve(
            plan.seed,
            strata=plan.strata,
            limits=limits,
            after=after,
            progress=progress,
        )
        progress("fetching texts", None)
        texts = pool.texts([item.id for item in items])
    finally:
        pool.close()
    file = reserve_file(plan.number, part)
    stored = store_reserve(project.folder / file, items, texts, registered.columns.text)
    return ReserveStored(
        plan=plan.number,
        file=file.as_posix(),
        sha256=stored.sha256,
        items=len(items),
        tickets=stored.tickets,
        limits=tuple(limits),
    )


def reserve_file(number: int, part: int) -> Path:
    """Where a part of a plan's reserve lies in the project."""
    return Path("reserve") / f"plan-{number}-{part}.parquet"


def reserve_limits(plan: Plan) -> list[int]:
    """How many tickets of each stratum a part of the reserve holds."""
    wanted = min(max(3 * (plan.expected_labels or 500), FEWEST_TICKETS), MOST_TICKETS)
    if plan.size is not None:
        wanted = plan.size
    gone = [sum(counts) for counts in plan.known_in_strata]  # passed over when items are drawn
    return [min(wanted + more, s.items) for s, more in zip(plan.strata, gone, strict=True)]


def refuse_changed(pool: Pool, registered: RegisteredPool, progress: Progress = silent) -> None:
    """Refuse a pool whose files are not those that were registered."""
    fault = file_difference(pool.files(progress), registered.files)
    if fault is not None:
        raise VerificationError(
            f"The pool changed after init: {fault}. Restore it, or begin a new project with the pool "
            "as it is now."
        )
