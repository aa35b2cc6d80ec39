"""Events of the pool and of plans: registered, sealed, drawn, looked at, closed, certified."""

from dataclasses import dataclass
from typing import Any, Literal

from assaymark.claims.record import Record
from assaymark.errors import InputError
from assaymark.ledger.events.chain import Entry
from assaymark.ledger.events.draws import DrawnItem, drawn_item, enter_chances
from assaymark.ledger.events.event import Event, check_file_name, register, stamped
from assaymark.ledger.events.state import Attempt, State, current
from assaymark.ledger.events.training import may_be_certified, outgrown, trained_on
from assaymark.records.certificate import RowLook, Tally
from assaymark.records.plan import Plan
from assaymark.records.pool import RegisteredPool


@dataclass(frozen=True, kw_only=True)
class PoolRegistered(Event):
    """A pool was read, found usable, and fingerprinted."""

    pool: RegisteredPool
    software: str


@dataclass(frozen=True, kw_only=True)
class PlanSealed(Event):
    """A claim was planned; from here on nothing about it may change."""

    plan: Plan
    software: str


@dataclass(frozen=True, kw_only=True)
class SeedRevealed(Event):
    """The parts of a plan's seed became known, after everything else was sealed."""

    plan: int
    parts: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ReserveStored(Event):
    """The lowest tickets of the plan were written to a project file, before anything was drawn.

    `tickets` is the SHA-256 of the lines "stratum ticket id", in order; `limits` says how many
    tickets of each stratum were asked for.
    """

    plan: int
    file: str
    sha256: str
    items: int
    tickets: str
    limits: tuple[int, ...]

    def __post_init__(self) -> None:
        check_file_name(self.file)


@dataclass(frozen=True, kw_only=True)
class Drawn(Record):
    """One draw: its number, the item, its stratum of the plan and its cell of the pool.

    An item that the plan drew before counts again and needs no new label.
    """

    draw: int
    id: str
    stratum: int
    cell: int


@dataclass(frozen=True, kw_only=True)
class Block(Record):
    """The chances per stratum from draw `first` on, computed from the first `labels` draws."""

    first: int
    chances: tuple[float, ...]
    labels: int


@dataclass(frozen=True, kw_only=True)
class BatchDrawn(Event):
    """Items were drawn, in this order, and handed out for labelling.

    `blocks` are the chances that a score-guided design fixed before it drew them; a design in
    which all items are alike has none.
    """

    plan: int
    batch: int
    draws: tuple[Drawn, ...]
    blocks: tuple[Block, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class Looked(Event):
    """The verdict was read: every look is recorded. One row for each row of the claim."""

    plan: int
    rows: tuple[RowLook, ...]
    tallies: tuple[Tally, ...]
    labels: int
    draws: int

    @property
    def decision(self) -> str:
        """What the look said of the claim."""
        return self.rows[0].decision

    @property
    def low(self) -> float:
        """The lower end of what was proved."""
        return self.rows[0].low

    @property
    def high(self) -> float:
        """The upper end of what was proved."""
        return self.rows[0].high


Closing = Literal["refuted", "not reached", "budget spent", "census", "given up"]


@dataclass(frozen=True, kw_only=True)
class PlanClosed(Event):
    """The plan ended without a certificate: it failed or was abandoned.

    `reason` is a code where the program closed it; `note` is what somebody gave as the reason.
    """

    plan: int
    outcome: Literal["failed", "abandoned"]
    reason: Closing
    note: str | None = None

    @property
    def shows_false(self) -> bool:
        """Whether the labels showed the claim to be false; other plans end without proof."""
        return self.outcome == "failed" and self.reason in ("refuted", "census")


@dataclass(frozen=True, kw_only=True)
class CertificateIssued(Event):
    """A certificate was issued; its SHA-256 is recorded. This closes the plan.

    `bound` is the target that is certified instead of the claim's: the bound as it stood.
    """

    plan: int
    certificate: str
    software: str
    bound: str | None = None


def _pool_registered(state: State, event: PoolRegistered, _entry: Entry) -> None:
    state.pool = state.collection = event.pool


def _pool(state: State, _event: PoolRegistered) -> str | None:
    return "a pool is registered already" if state.pool is not None else None


def _plan_sealed(state: State, event: PlanSealed, entry: Entry) -> None:
    if state.attempt is not None and state.attempt.pool is not state.pool:
        state.predictions = {}  # those were another classifier's
    known = event.plan.known
    labels = {} if known is None else state.labels()
    attempt = Attempt(plan=event.plan, sealed_at=entry.seq, pool=state.pool)
    if known is not None and known.strata is not None:
        attempt.before = labels
    else:
        attempt.answered = frozenset(labels)
    state.attempts.append(attempt)


def _plan(state: State, event: PlanSealed) -> str | None:
    if state.attempt is not None and state.attempt.open:
        return "another plan is still open"
    if event.plan.number != len(state.attempts) + 1:
        return "its number is not the next one"
    if event.plan.seed in state.seeds:
        return "its seed was used before"
    if event.plan.source.law != "open" and (event.plan.seed or event.plan.source.parts):
        return "its seed was known when it was sealed"
    if event.plan.source.law == "open" and not event.plan.seed:
        return "it has no seed"
    used = {text for old in state.attempts for text in old.plan.source.commitments}
    if used & set(event.plan.source.commitments):
        return "a part of its seed was committed to before"
    return "training went on after its classifier was frozen" if outgrown(state) else None


def _of_current(state: State, event: Any) -> str | None:
    return None if current(state, event.plan) else "its plan is not the open one"


def _seed_revealed(state: State, event: SeedRevealed, _entry: Entry) -> None:
    attempt = state.attempts[event.plan - 1]
    attempt.plan = attempt.plan.revealed(event.parts)


def _revealed(state: State, event: SeedRevealed) -> str | None:
    attempt = current(state, event.plan)
    if attempt is None:
        return "its plan is not the open one"
    if attempt.plan.seed:
        return "the seed of its plan is known already"
    try:
        seed = attempt.plan.revealed(event.parts)
    except InputError:
        return "its parts are not those that the plan committed to"
    same = seed.source.parts == event.parts and seed.seed not in state.seeds
    return (
        None if same else "its parts are not in the order of the plan, or its seed was used before"
    )


def _reserve_stored(state: State, event: ReserveStored, _entry: Entry) -> None:
    state.attempts[event.plan - 1].reserves.append(event)


def _of_seeded(state: State, event: ReserveStored) -> str | None:
    attempt = current(state, event.plan)
    known = attempt is None or attempt.plan.seed
    return _of_current(state, event) if known else "the seed of its plan is not revealed yet"


def _batch_drawn(state: State, event: BatchDrawn, _entry: Entry) -> None:
    attempt = state.attempts[event.plan - 1]
    attempt.batches = event.batch
    cells = attempt.pool.cells if attempt.pool else (None,)
    known, drawn, order = attempt.known, list[DrawnItem](), attempt.order
    for item in event.draws:
        place, prediction = item.id, cells[item.cell]
        repeat = place in known
        # every field of the draw, and two more
        drawn.append(drawn_item({**vars(item), "prediction": prediction, "repeat": repeat}))
        if not repeat:
            order.append(place)
            known[place] = prediction
    state.predictions.update((item.id, item.prediction) for item in drawn)
    state.claimed.update(dict.fromkeys(item.id for item in drawn))
    attempt.draws.extend(drawn)
    enter_chances(attempt, event)


def _batch(state: State, event: BatchDrawn) -> str | None:
    attempt = current(state, event.plan)
    if attempt is None:
        return "its plan is not the open one"
    if event.batch != attempt.batches + 1:
        return "its number is not the next one"
    if not attempt.plan.seed:
        return "the seed of its plan is not revealed yet"
    first = len(attempt.draws) + 1
    if [item.draw for item in event.draws] != list(range(first, first + len(event.draws))):
        return "its draws are not numbered on from the last one"
    size = attempt.plan.size
    if size is not None and len(attempt.draws) + len(event.draws) > size:
        return "it holds more draws than the plan has"
    return _cells_fault(attempt, event) or _trained_fault(state, attempt, event)


def _cells_fault(attempt: Attempt, event: BatchDrawn) -> str | None:
    """Whether strata, cells and chances are those of the plan and its pool."""
    cells, strata = attempt.pool.cells if attempt.pool else (None,), attempt.plan.strata
    for item in event.draws:
        if not 0 <= item.stratum < len(strata) or not 0 <= item.cell < len(cells):
            return f"draw {item.draw} is in no stratum of the plan or no cell of the pool"
        if strata[item.stratum].prediction not in (None, cells[item.cell]):
            return f"the cell of draw {item.draw} is not one of its stratum"
        if attempt.known.get(item.id, cells[item.cell]) is not cells[item.cell]:
            return f"item {item.id!r} was in another cell before"
    blocks = event.blocks or ()
    first = event.draws[0].draw if event.draws else 0
    guided = attempt.plan.kind.guided
    if guided != bool(blocks) or (blocks and blocks[0].first != first):
        return "its chances are not those of its design"
    if any(len(block.chances) != len(strata) for block in blocks):
        return "its chances are not those of the strata"
    return None


def _trained_fault(state: State, attempt: Attempt, event: BatchDrawn) -> str | None:
    if attempt.pool is state.collection:
        return None
    if any(trained_on(state, item.id) for item in event.draws):
        return "an item was used to train the classifier"
    if any(not may_be_certified(state, item.id) for item in event.draws):
        return "an item was not set aside for certification"
    return None


def _looked(state: State, event: Looked, entry: Entry) -> None:
    state.attempts[event.plan - 1].looks.append(stamped(event, entry))


def _plan_closed(state: State, event: PlanClosed, _entry: Entry) -> None:
    attempt = state.attempts[event.plan - 1]
    attempt.closed = event
    _settle(state, attempt)


def _settle(state: State, attempt: Attempt) -> None:
    if attempt.settled is None:
        ends = (i for i, draw in enumerate(attempt.draws) if not state.labelled(draw.id))
        attempt.settled = next(ends, len(attempt.draws))


def _certificate_issued(state: State, event: CertificateIssued, entry: Entry) -> None:
    attempt = state.attempts[event.plan - 1]
    attempt.certificate = stamped(event, entry)
    attempt.bound = event.bound
    _settle(state, attempt)


def _issued(state: State, event: CertificateIssued) -> str | None:
    """A bound may be certified as it stands after its plan was closed, if that was the last one."""
    latest = state.attempt
    if event.bound is None or latest is None or latest.plan.number != event.plan:
        return _of_current(state, event)
    return "its plan has a certificate already" if latest.certificate else None


register(PoolRegistered, follows=_pool_registered, fault=_pool)
register(PlanSealed, follows=_plan_sealed, fault=_plan)
register(SeedRevealed, follows=_seed_revealed, fault=_revealed)
register(ReserveStored, follows=_reserve_stored, fault=_of_seeded)
register(BatchDrawn, follows=_batch_drawn, fault=_batch)
register(Looked, follows=_looked, fault=_of_current)
register(PlanClosed, follows=_plan_closed, fault=_of_current)
register(CertificateIssued, follows=_certificate_issued, fault=_issued)
