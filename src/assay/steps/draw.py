"""Hand out the next items to label."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.draw import Draw, simple_draws, simple_until
from assay.errors import InputError, PlanError, VerificationError
from assay.events import Attempt, BatchDrawn, DrawnItem, State
from assay.files.batch import BatchRow, write_batch
from assay.pool.reserve import load_reserve, load_texts
from assay.steps.plan import build_reserve
from assay.steps.project import Project, open_attempt, registered_pool
from assay.types.pool import ReservedItem


@dataclass(frozen=True, kw_only=True)
class Batch:
    """What was handed out. `known` items carry a label from before and need none."""

    number: int
    items: tuple[str, ...]
    known: int
    repeats: int
    draws: int
    remaining: int
    path: Path | None


def draw_batch(project: Project, *, count: int | None = None, output: Path | None = None) -> Batch:
    """The next items, `count` of them or all that the plan still needs.

    Items that already have a label from an earlier plan are drawn but not handed out again.
    """
    if count is not None and count < 1:
        raise InputError(f"Draw at least 1 item, got {count}.")
    with project.writing() as session:
        state = session.state
        attempt = open_attempt(state)
        drawn = _next(project, state, attempt, count)
        event = BatchDrawn(plan=attempt.plan.number, batch=attempt.batches + 1, items=tuple(drawn))
        fresh = [item for item in drawn if not item.repeat]
        wanted = [item.id for item in fresh if not state.labelled(item.id)]
        path = output or project.folder / f"batch-{attempt.plan.number}-{event.batch}.csv"
        if wanted:
            _write(project, state, attempt, wanted, path)
        session.record(event)
    after = len(attempt.draws) + len(drawn)
    return Batch(
        number=event.batch,
        items=tuple(wanted),
        known=len(fresh) - len(wanted),
        repeats=len(drawn) - len(fresh),
        draws=after,
        remaining=max(attempt.plan.size - after, 0),
        path=path if wanted else None,
    )


def draw_pending(project: Project, *, output: Path | None = None) -> Batch:
    """Write the items again that were drawn and have no settled label yet. Records nothing."""
    state = project.state()
    attempt = open_attempt(state)
    wanted = [item for item in attempt.order if not state.labelled(item)]
    if not wanted:
        raise PlanError("Every drawn item has its label. Draw more, or look: assay look.")
    path = output or project.folder / f"batch-{attempt.plan.number}-pending.csv"
    _write(project, state, attempt, wanted, path)
    return Batch(
        number=attempt.batches,
        items=tuple(wanted),
        known=0,
        repeats=0,
        draws=len(attempt.draws),
        remaining=max(attempt.plan.size - len(attempt.draws), 0),
        path=path,
    )


def _next(project: Project, state: State, attempt: Attempt, count: int | None) -> list[DrawnItem]:
    left = _left(attempt)
    if left == 0:
        raise PlanError(_nothing_left(state, attempt))
    if count is not None and count > left:
        raise InputError(
            f"The plan needs only {left:,} more items, and {count:,} were asked for. "
            "Draw fewer, or leave the number out."
        )
    draws = _draws(attempt, left if count is None else count)
    order = _order(project, state, attempt)
    known = list(attempt.order)
    predictions = dict(state.predictions)
    found = []
    for step in draws:
        if not step.repeat:
            item = order[step.place]
            known.append(item.id)
            predictions[item.id] = item.prediction
        name = known[step.place]
        found.append(
            DrawnItem(
                draw=step.number,
                id=name,
                stratum=0,
                prediction=predictions[name],
                repeat=step.repeat,
            )
        )
    return found


def _left(attempt: Attempt) -> int:
    """How many new items the plan still needs to be handed out."""
    plan = attempt.plan
    if plan.design == "census":
        return plan.items - len(attempt.order)
    return simple_until(
        plan.seed,
        domain=plan.items,
        drawn=len(attempt.draws),
        known=len(attempt.order),
        size=plan.size,
    )


def _draws(attempt: Attempt, new: int) -> Sequence[Draw]:
    plan, drawn, known = attempt.plan, len(attempt.draws), len(attempt.order)
    if plan.design == "census":
        return [Draw(number=drawn + i + 1, place=known + i, repeat=False) for i in range(new)]
    return simple_draws(
        plan.seed, domain=plan.items, drawn=drawn, known=known, new=new, last=plan.size
    )


def _nothing_left(state: State, attempt: Attempt) -> str:
    open_items = sum(not state.labelled(item) for item in attempt.order)
    if open_items:
        return (
            f"All {attempt.plan.size:,} draws of the plan are made; {open_items:,} of their items have "
            "no label yet. Write them again with: assay draw --pending."
        )
    return f"All {attempt.plan.size:,} draws of the plan are made and labelled. Next: assay look."


def _order(project: Project, state: State, attempt: Attempt) -> list[ReservedItem]:
    """The plan's items in ticket order, from its reserve."""
    stored = attempt.reserves[-1]
    path = project.folder / stored.file
    if not path.exists():  # lost, but it follows from the pool and the seed
        again = build_reserve(project, registered_pool(state), attempt.plan)
        if again.tickets != stored.tickets:
            raise VerificationError(
                "The reserve was lost, and the pool no longer gives the same tickets. Restore "
                f"{stored.file!r} from a backup."
            )
        return load_reserve(path, sha256=again.sha256)
    return load_reserve(path, sha256=stored.sha256)


def _write(
    project: Project, state: State, attempt: Attempt, wanted: Sequence[str], path: Path
) -> None:
    columns = registered_pool(state).columns.text
    texts = load_texts(project.folder / attempt.reserves[-1].file, wanted, columns)
    rows: list[BatchRow] = [{"id": item, "label": "", **texts.get(item, {})} for item in wanted]
    write_batch(path, rows, columns)
