"""Hand out the next items to label."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from assaymark.errors import InputError, PlanError, VerificationError
from assaymark.files.batch import BatchRow, refuse_existing, write_batch
from assaymark.files.tools import find_writer, usual_ending
from assaymark.hints import command
from assaymark.ledger.events import Attempt, BatchDrawn, Drawn, ReserveStored, State
from assaymark.pool.reserve import Queues, load_queues, load_texts
from assaymark.project.batch_files import write_new_batch
from assaymark.project.folder import Project, open_attempt, registered_pool
from assaymark.records.plan import Plan
from assaymark.sampling.reserve import build_reserve
from assaymark.sampling.tickets import Draw


@dataclass(frozen=True, kw_only=True)
class Batch:
    """What was handed out. `known` items carry a label from before and need none.

    `held` items were asked for and wait: their chances are computed from labels that are missing.
    `remaining` are draws, of which some may repeat items; `to_label` are the items that the plan can
    still hand out after these, None where it has no size. `fill` says in words how the labels get into
    the file.
    """

    number: int
    items: tuple[str, ...]
    known: int
    repeats: int
    draws: int
    remaining: int | None
    disputed: int
    path: Path | None
    fill: str
    held: int = 0
    to_label: int | None = None


def draw_batch(
    project: Project,
    *,
    count: int | None = None,
    output: Path | None = None,
    write: bool = True,
    form: str = "auto",
) -> Batch:
    """The next items: `count` of them, or as many as the plan needs or a good batch holds.

    Items that already have a label from an earlier plan are drawn but not handed out again. What was
    drawn together with the seal is handed out first.
    """
    if count is not None and count < 1:
        raise InputError(f"Draw at least 1 item, got {count}.")
    if waiting := _drawn_at_seal(project.state()):
        return _first_handout(project, waiting[:count], output=output, write=write, form=form)
    ending = output.suffix if output else usual_ending(form)
    writer = find_writer(output or Path(f"batch{ending}"), form)
    with project.writing() as session:
        state = session.state
        attempt = open_attempt(state)
        refuse_unrevealed(attempt)
        left = _left(attempt)
        event, stored = next_draws(project, state, attempt, count=count)
        drawn, had = event.draws, {*attempt.order}
        fresh = [item for item in dict.fromkeys(draw.id for draw in drawn) if item not in had]
        wanted = [item for item in fresh if not state.labelled(item)]
        path = output or project.folder / f"batch-{attempt.plan.number}-{event.batch}{ending}"
        session.record(*stored, event)
        if wanted and write:
            files = [reserve.file for reserve in [*attempt.reserves, *stored]]
            name = f"plan {attempt.plan.number}, batch {event.batch}"
            rows, columns = (
                _rows(project, state, files, wanted),
                registered_pool(state).columns.text,
            )
            write_new_batch(project.folder, name, path, rows, columns, form=form)
    after = len(attempt.draws) + len(drawn)
    return Batch(
        number=event.batch,
        items=tuple(wanted),
        known=len(fresh) - len(wanted),
        repeats=len(drawn) - len(fresh),
        draws=after,
        remaining=_remaining(attempt.plan, after),
        to_label=None if attempt.plan.size is None else max(left - len(fresh), 0),
        disputed=0,
        path=path if wanted and write else None,
        fill=writer.fill,
        held=0 if count is None else min(count, left) - len(fresh),
    )


def _drawn_at_seal(state: State) -> list[str]:
    """Items of the batch that was recorded with the seal and that have no label yet."""
    attempt = open_attempt(state)
    if not attempt.answered or attempt.batches != 1:
        return []
    return [item for item in attempt.order if not state.labelled(item)]


def _first_handout(
    project: Project, items: Sequence[str], *, output: Path | None, write: bool, form: str
) -> Batch:
    """These items of the batch that was drawn with the seal. Records nothing."""
    state = project.state()
    attempt = open_attempt(state)
    return replace(
        _written_again(project, state, items, output=output, write=write, form=form),
        known=len(attempt.answered.intersection(attempt.order)),
        repeats=len(attempt.draws) - len(attempt.order),
    )


def _written_again(
    project: Project,
    state: State,
    items: Sequence[str],
    *,
    output: Path | None,
    write: bool,
    form: str,
) -> Batch:
    """Items that were drawn before, in a new file."""
    attempt = open_attempt(state)
    plan = attempt.plan
    ending = output.suffix if output else usual_ending(form)
    path = output or project.folder / _unused_name(project, plan.number, ending)
    fill = find_writer(path, form).fill
    if write:
        refuse_existing(path)
        rows = _rows(project, state, [reserve.file for reserve in attempt.reserves], items)
        write_batch(path, rows, registered_pool(state).columns.text, form=form)
    return Batch(
        number=attempt.batches,
        items=tuple(items),
        known=0,
        repeats=0,
        draws=len(attempt.draws),
        remaining=_remaining(plan, len(attempt.draws)),
        to_label=None if plan.size is None else _left(attempt),
        disputed=sum(state.disputed(item) for item in items),
        path=path if write else None,
        fill=fill,
    )


def next_draws(
    project: Project, state: State, attempt: Attempt, *, count: int | None = None
) -> tuple[BatchDrawn, list[ReserveStored]]:
    """The next batch of the plan, and what its reserve needs beyond the recorded parts."""
    from assaymark.certification.modes import mode_of  # a refusal before it starts faster

    new = _how_many(state, attempt, count)
    steps, blocks = mode_of(attempt.plan).steps(state, attempt, new)
    tickets, stored = _tickets(project, state, attempt, steps)
    event = BatchDrawn(
        plan=attempt.plan.number,
        batch=attempt.batches + 1,
        draws=tuple(_drawn(attempt, steps, tickets)),
        blocks=blocks,
    )
    return event, stored


def waits_for_labels(state: State) -> bool:
    """Whether the next draws of the open plan depend on labels that are missing. Nothing is drawn."""
    from assaymark.certification.modes import mode_of

    attempt = open_attempt(state)
    try:
        mode_of(attempt.plan).steps(state, attempt, _how_many(state, attempt, None))
    except PlanError:
        return True
    return False


def refuse_unrevealed(attempt: Attempt) -> None:
    """Nothing is drawn before the seed is known."""
    plan = attempt.plan
    if not plan.seed:
        what = "the beacon's value" if plan.source.law == "beacon" else "the parts of its seed"
        raise PlanError(
            f"Plan {plan.number} is sealed and waits for {what}: {command('plan', reveal='TEXT')}."
        )


def _unused_name(project: Project, number: int, ending: str) -> str:
    names = (f"batch-{number}-pending-{i}{ending}" for i in itertools.count(1))
    return next(name for name in names if not (project.folder / name).exists())


def _remaining(plan: Plan, drawn: int) -> int | None:
    return None if plan.size is None else max(plan.size - drawn, 0)


def draw_pending(project: Project, *, output: Path | None = None, form: str = "auto") -> Batch:
    """Write the items again that were drawn and have no settled label yet. Records nothing."""
    state = project.state()
    attempt = open_attempt(state)
    wanted = [item for item in attempt.order if not state.labelled(item)]
    if not wanted:
        raise PlanError(f"Every drawn item has its label. Draw more, or look: {command('look')}.")
    return _written_again(project, state, wanted, output=output, write=True, form=form)


def _how_many(state: State, attempt: Attempt, count: int | None) -> int:
    from assaymark.certification.modes import mode_of

    left = _left(attempt)
    if left == 0:
        raise PlanError(_nothing_left(state, attempt))
    draws_left = _remaining(attempt.plan, len(attempt.draws))
    if count is not None and draws_left is not None and left < count <= draws_left:
        return left  # the other draws of a sample with replacement repeat items
    if count is not None and count > left:
        raise InputError(
            f"The plan needs only {left:,} more items, and {count:,} were asked for. "
            "Draw fewer, or leave the number out."
        )
    if count is not None:
        return count
    if attempt.plan.kind.judged_once:
        return left
    return min(left, mode_of(attempt.plan).batch(attempt))


def first_batch(plan: Plan) -> int | None:
    """How many items to draw first of a score-guided plan; None for the others."""
    from assaymark.certification.modes import mode_of

    if not plan.kind.guided:
        return None
    start = Attempt(plan=plan, sealed_at=0)
    return min(mode_of(plan).left(start), mode_of(plan).batch(start))


def useful_draw(project: Project) -> int:
    """How many items are drawn where no number is asked for; refused where none is left."""
    state = project.state()
    return _how_many(state, open_attempt(state), None)


def left_to_draw(project: Project) -> int:
    """How many new items the open plan can still hand out."""
    state = project.state()
    return len(_drawn_at_seal(state)) or _left(open_attempt(state))


def _left(attempt: Attempt) -> int:
    """How many new items the plan can still hand out."""
    from assaymark.certification.modes import mode_of

    return mode_of(attempt.plan).left(attempt)


def _drawn(attempt: Attempt, steps: Sequence[Draw], tickets: Queues) -> list[Drawn]:
    cells = attempt.pool.cells if attempt.pool else (None,)
    known = {item: cells.index(prediction) for item, prediction in attempt.known.items()}
    order = list(attempt.order)
    draws = []
    for step in steps:
        if step.repeat:
            name = order[step.place]
        else:
            item = tickets[step.stratum][step.place]
            name = item.id
            order.append(name)
            known[name] = cells.index(item.prediction)
        draws.append(Drawn(draw=step.number, id=name, stratum=step.stratum, cell=known[name]))
    return draws


def _nothing_left(state: State, attempt: Attempt) -> str:
    open_items = sum(not state.labelled(item) for item in attempt.order)
    made = f"All {len(attempt.draws):,} draws of the plan are made"
    if open_items:
        return (
            f"{made}; {open_items:,} of their items have no label yet. Write them again with: "
            f"{command('draw', pending=True)}."
        )
    return f"{made} and labelled. Next: {command('look')}."


def _tickets(
    project: Project, state: State, attempt: Attempt, steps: Sequence[Draw]
) -> tuple[Queues, list[ReserveStored]]:
    """The plan's items in ticket order per stratum, as far as the draws need them.

    Where the reserve is used up, one more pass over the pool continues after its last tickets.
    """
    plan = attempt.plan
    queues: Queues = ((),) * len(plan.strata)
    for number, stored in enumerate(attempt.reserves, start=1):
        part = _part(project, state, plan, stored, number=number, before=queues)
        queues = part if number == 1 else _continued(queues, part)
    added: list[ReserveStored] = []
    need = [0] * len(plan.strata)
    for step in steps:
        if not step.repeat:
            need[step.stratum] = max(need[step.stratum], step.place + 1)
    while any(
        len(queue) < wanted for queue, wanted in zip(_unknown(attempt, queues), need, strict=True)
    ):
        number = len(attempt.reserves) + len(added) + 1
        more = build_reserve(
            project,
            registered_pool(state),
            plan,
            part=number,
            limits=attempt.reserves[0].limits if attempt.reserves else None,
            after=_last_tickets(queues),
        )
        if more.items == 0:
            raise VerificationError(
                "The pool holds fewer items than were registered: it was changed. Restore it "
                "from a backup."
            )
        added.append(more)
        part = load_queues(project.folder / more.file, sha256=more.sha256, strata=len(plan.strata))
        queues = _continued(queues, part)
    return _unknown(attempt, queues), added


def _unknown(attempt: Attempt, queues: Queues) -> Queues:
    """The queues without items whose label was known at the seal: these left their strata."""
    if not attempt.before:
        return queues
    return tuple(tuple(item for item in queue if item.id not in attempt.before) for queue in queues)


def _continued(queues: Queues, part: Queues) -> Queues:
    return tuple(queue + more for queue, more in zip(queues, part, strict=True))


def _last_tickets(queues: Queues) -> list[str]:
    return [queue[-1].ticket if queue else "" for queue in queues]


def _part(
    project: Project,
    state: State,
    plan: Plan,
    stored: ReserveStored,
    *,
    number: int,
    before: Queues,
) -> Queues:
    path, strata = project.folder / stored.file, len(plan.strata)
    if path.exists():
        return load_queues(path, sha256=stored.sha256, strata=strata)
    # lost, or drawn on another machine, but it follows from the pool and the seed
    after = _last_tickets(before) if number > 1 else None
    again = build_reserve(
        project, registered_pool(state), plan, part=number, limits=stored.limits, after=after
    )
    if again.tickets != stored.tickets:
        raise VerificationError(
            "The reserve (the project's file of the items that come next) was lost, and the pool "
            f"no longer gives the same items. Restore {stored.file!r} from a backup."
        )
    return load_queues(path, sha256=again.sha256, strata=strata)


def _rows(
    project: Project, state: State, files: Sequence[str], wanted: Sequence[str]
) -> list[BatchRow]:
    texts = read_texts(project, state, files, wanted)
    return [{"id": item, "label": "", **text} for item, text in texts]


def read_texts(
    project: Project, state: State, files: Sequence[str], wanted: Sequence[str]
) -> list[tuple[str, dict[str, str]]]:
    """These items with their texts, in the same order."""
    columns = registered_pool(state).columns.text
    texts: dict[str, dict[str, str]] = {}
    for file in files:
        texts |= load_texts(project.folder / file, wanted, columns)
    return [(item, texts.get(item, {})) for item in wanted]
