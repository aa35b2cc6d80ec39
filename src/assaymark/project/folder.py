"""A project folder: its ledger, its files, its clock."""

import contextlib
import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from assaymark.errors import InputError, PlanError, VerificationError
from assaymark.hints import command
from assaymark.ledger import Ledger
from assaymark.ledger.events import (
    Attempt,
    Entry,
    Event,
    PlanSealed,
    State,
    SurveyOpened,
    advance,
    live_surveys,
    training_of,
)
from assaymark.pool import Pool, engine_at_hand, has_pool, open_pool
from assaymark.pool.sources import is_elsewhere
from assaymark.project.kept_state import (
    DRAWS,
    FEWEST,
    NEXT,
    keep,
    keep_state,
    keep_walk,
    load_kept,
    load_state,
    load_walk,
)
from assaymark.project.place import ledger_of, pool_place
from assaymark.records.pool import RegisteredPool

SCORES = "scores"  # the folder of what classifiers trained in the project said


def utc_now() -> str:
    """The time as RFC 3339 text in UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@dataclass(frozen=True, kw_only=True)
class Project:
    """A folder with a ledger in it, read once: its state is kept, and later calls read on.

    Not for several threads at once: each takes one of its own by `afresh`. `pool_at` is where the
    pool lies now, if it was moved; `connection` is for the engine that reads it, if the pool
    needs one. One that `resumes` begins with the state that the last such command kept, and is for
    steps that only add to the ledger: what proves anything reads all of it.
    """

    folder: Path
    pool_at: str | None = None
    now: Callable[[], str] = field(default=utc_now)
    connection: object = None
    resumes: bool = False
    _memory: "Memory" = field(
        default_factory=lambda: Memory(), init=False, repr=False, compare=False
    )

    def afresh(self) -> "Project":
        """The same project with nothing read yet."""
        return replace(self)

    @property
    def ledger(self) -> Ledger:
        """The ledger of the project; refused where the folder is not one."""
        return ledger_of(self.folder)

    def state(self) -> State:
        """Where the project stands now. One object, which moves on with every call."""
        memory = self._begun()
        if memory.still:
            return memory.state
        return memory.advance(self.ledger.entries(after=memory.state.head))

    @contextmanager
    def read_once(self) -> Iterator[State]:
        """The state now, for one step: inside, only what the step writes itself moves it on."""
        state, memory = self.state(), self._memory
        before, memory.still = memory.still, True
        try:
            yield state
        finally:
            memory.still = before and memory.still

    def _begun(self) -> "Memory":
        """What was read so far, by this command or by the last one that kept it."""
        memory = self._memory
        if self.resumes and memory.state.head is None:
            memory.resume(self.ledger, self._name)
        return memory

    @property
    def _name(self) -> str:
        return f"{self.folder.absolute()}\n{self.ledger.address}"

    @contextmanager
    def writing(self) -> Iterator["Session"]:
        """The project while nobody else can write to it."""
        memory = self._begun()
        try:
            with self.ledger.writing(after=memory.state.head) as writer:
                session = Session(state=memory.advance(writer.entries))
                known = len(writer.entries)
                yield session
                writer.append(session.events, time=session.time or self.now())
                session.added = writer.entries[known:]
        except BaseException:
            memory.forget()  # what a step did to the state before it failed is nobody's
            raise
        if memory.still:
            memory.advance(session.added)
        if self.resumes:
            memory.keep(self._name)

    def pool(self, registered: RegisteredPool, flags: Sequence[str] = ()) -> Pool:
        """The registered pool, opened for reading, with these 0/1 columns at hand."""
        place = self.pool_path(registered)
        if is_scored_here(registered) and not Path(place).exists():
            raise InputError(
                f"The scores of the frozen classifier are not in this project: {registered.source!r} is "
                "missing. Copy it from where the classifier was trained, or restore a backup."
            )
        engine = engine_at_hand(place, registered.engine, self.connection)
        return open_pool(
            place, registered.columns, engine=engine, connection=self.connection, flags=flags
        )

    def has_pool(self, registered: RegisteredPool) -> bool:
        """Whether there is anything where the pool was."""
        return has_pool(
            self.pool_path(registered), engine=registered.engine, connection=self.connection
        )

    def pool_path(self, registered: RegisteredPool) -> str:
        """Where the pool is; a stored source is relative to the project, a named one is not.

        What the project scored itself lies in its own folder, wherever the collection went.
        """
        if is_scored_here(registered):
            return str(self.folder / registered.source)
        if self.pool_at is not None:
            return self.pool_at
        place = pool_place(self.folder) or registered.source
        return place if is_elsewhere(place) else str(self.folder / place)


def resume_wealth(project: Project, draws: int) -> None:
    """Have a replay of the wealth of this many draws go on from the one that was kept, if any."""
    if project.resumes and draws >= DRAWS:
        load_walk(project._name)


def keep_wealth(project: Project) -> None:
    """Keep a long replay of wealth for the next command."""
    if project.resumes:
        keep_walk(project._name)


def kept_beside(project: Project, what: str) -> object:
    """What the last command that resumes kept of this ledger under this name; None without any."""
    return load_kept(project._name, what) if project.resumes else None


def keep_beside(project: Project, what: str, value: object) -> None:
    """Keep this for the next command, beside the state of the ledger."""
    if project.resumes:
        keep(project._name, what, value)


@dataclass(kw_only=True)
class Memory:
    """What was read of the ledger so far. Up to event `kept` the next command will find it."""

    state: State = field(default_factory=State)
    kept: int = 0
    still: bool = False

    def resume(self, ledger: Ledger, name: str) -> None:
        """Begin with the state that was kept, if the ledger still holds its last event."""
        state = load_state(name)
        if state is None or state.head is None:
            return
        with contextlib.suppress(VerificationError):
            kept = state.head.seq
            self.advance(ledger.entries(after=state.head), state)
            self.kept = kept

    def keep(self, name: str) -> None:
        """Keep the state, if reading it again would take long."""
        head = self.state.head
        unread = NEXT + self.kept // 50 if self.kept else FEWEST
        if head is not None and head.seq - self.kept >= unread:
            keep_state(name, self.state)
            self.kept = head.seq

    def advance(self, entries: Sequence[Entry], state: State | None = None) -> State:
        """The state after these entries too."""
        self.state = state or self.state
        try:
            advance(self.state, entries)
        except BaseException:
            self.forget()
            raise
        return self.state

    def forget(self) -> None:
        """Have the next call read the whole ledger."""
        self.state, self.still = State(), False


@dataclass(kw_only=True)
class Session:
    """What a step knows and what it wants recorded, at this `time` if it says so.

    `added` are its events as the ledger has them, once the step has ended well.
    """

    state: State
    events: list[Event] = field(default_factory=list)
    time: str | None = None
    added: Sequence[Entry] = ()

    def record(self, *events: Event) -> None:
        """Have these events appended when the step ends well."""
        if self.state.classes:
            for event in events:
                _refuse_binary(event)
        self.events.extend(events)


def _refuse_binary(event: Event) -> None:
    """Refuse what counts labels 0 and 1 where labels are classes."""
    counts_two = isinstance(event, PlanSealed) or (
        isinstance(event, SurveyOpened) and event.survey.purpose != "claim"
    )
    if counts_two:
        raise PlanError(
            "Labels of this project are names of classes, and this is made for labels 0 and 1. Claim "
            "something of the classes (recall of every class >= 0.7), or begin a project with two "
            "verdicts."
        )


def is_scored_here(registered: RegisteredPool) -> bool:
    """Whether the pool is a file that the project wrote: scores of a classifier trained in it."""
    return registered.source.startswith(f"{SCORES}/")


def collection_of(state: State) -> RegisteredPool:
    """The pool as it was registered, without the scores of classifiers trained in the project."""
    registered_pool(state)
    if state.collection is None:
        raise PlanError(
            f"This project has no pool yet: {command('init')} did not finish. Run it again."
        )
    return state.collection


def registered_pool(state: State) -> RegisteredPool:
    """What plans draw from; refused where init did not finish."""
    if state.pool is None:
        raise PlanError(
            f"This project has no pool yet: {command('init')} did not finish. Run it again."
        )
    return state.pool


def latest_attempt(state: State) -> Attempt:
    """The latest plan; refused where there is none."""
    if state.attempt is None and training_of(state) is not None:
        raise PlanError(
            "This project trains a classifier and has no plan yet. Training items come by "
            f"{command('train')}; "
            f"{command('train', stop=True)} freezes the classifier and seals the plan."
        )
    if state.attempt is None and state.reviews:
        raise PlanError(
            "This project is a review and has no plan. To hand records out: "
            f"{command('review next')}. Whether to stop: {command('review status')}."
        )
    if state.attempt is None:
        raise PlanError(
            "This project has no plan yet. Seal one: "
            f"{command('plan', registered_pool(state).columns.example_claim)}"
        )
    return state.attempt


def handed_out(state: State) -> list[str]:
    """The items of the latest plan and of all surveys, each once, in the order they were drawn."""
    orders = [state.attempt.order] if state.attempt else []
    orders += [work.order for work in live_surveys(state)]
    orders += [review.order for review in state.reviews]
    return list(dict.fromkeys(itertools.chain.from_iterable(orders)))


def open_attempt(state: State) -> Attempt:
    """The plan that is being worked on; refused where it is closed."""
    attempt = latest_attempt(state)
    if not attempt.open:
        raise PlanError(
            f"Plan {attempt.plan.number} is closed ({attempt.outcome_word}). Seal a new plan to go on: "
            f"{command('plan', registered_pool(state).columns.example_claim)}"
        )
    return attempt
