"""Whether events can have happened in this order: a ledger that assaymark wrote always passes."""

from collections.abc import Callable, Iterable
from typing import Any

from assaymark.errors import InputError, VerificationError
from assaymark.ledger.events.chain import Entry
from assaymark.ledger.events.kinds import (
    BatchDrawn,
    CertificateIssued,
    ClaimLocked,
    ClassifierFrozen,
    Event,
    LabelAdjudicated,
    LabelCorrected,
    LabelKnown,
    LabelRecorded,
    Looked,
    ModelTrained,
    PlanClosed,
    PlanSealed,
    PoolRegistered,
    ReserveStored,
    ScoresWatched,
    SeedRevealed,
    SurveyDrawn,
    SurveyOpened,
    SurveyReported,
    TrainingChanged,
    WitnessRecorded,
)
from assaymark.ledger.events.review_story import REVIEW_STORY
from assaymark.ledger.events.state import Attempt, State
from assaymark.ledger.events.training import (
    is_frozen,
    may_be_certified,
    outgrown,
    trained_on,
    training_of,
)
from assaymark.ledger.events.training_rules import changed, drawn, freeze, model, opened


def check_story(entries: Iterable[Entry], state: State | None = None) -> State:
    """The state after these events; refused if, though chained, they cannot have followed each other.

    They follow those of `state`, which moves on, or are the whole ledger.
    """
    state = state or State()
    for entry in entries:
        event = entry.event
        fault = RULES[type(event)](state, event)
        if state.pool is None and not isinstance(event, PoolRegistered):
            fault = "no pool is registered yet"
        if fault:
            raise VerificationError(
                f"The ledger cannot be genuine: event {entry.seq} ({entry.kind}): {fault}."
            )
        state.apply(event, entry)
        state.head = entry
    return state


def _current(state: State, number: int) -> Attempt | None:
    """The plan of that number, if it is the one being worked on."""
    attempt = state.attempt
    return (
        attempt if attempt is not None and attempt.open and attempt.plan.number == number else None
    )


def _pool(state: State, _event: PoolRegistered) -> str | None:
    return "a pool is registered already" if state.pool is not None else None


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


def _revealed(state: State, event: SeedRevealed) -> str | None:
    attempt = _current(state, event.plan)
    if attempt is None:
        return "its plan is not the open one"
    if attempt.plan.seed:
        return "the seed of its plan is known already"
    try:
        found = attempt.plan.revealed(event.parts)
    except InputError:
        return "its parts are not those that the plan committed to"
    same = found.source.parts == event.parts and found.seed not in state.seeds
    return (
        None if same else "its parts are not in the order of the plan, or its seed was used before"
    )


def _of_seeded(state: State, event: ReserveStored) -> str | None:
    attempt = _current(state, event.plan)
    known = attempt is None or attempt.plan.seed
    return _of_current(state, event) if known else "the seed of its plan is not revealed yet"


def _of_current(state: State, event: Any) -> str | None:
    return None if _current(state, event.plan) else "its plan is not the open one"


def _issued(state: State, event: CertificateIssued) -> str | None:
    """A bound may be certified as it stands after its plan was closed, if that was the last one."""
    latest = state.attempt
    if event.bound is None or latest is None or latest.plan.number != event.plan:
        return _of_current(state, event)
    return "its plan has a certificate already" if latest.certificate else None


def _batch(state: State, event: BatchDrawn) -> str | None:
    attempt = _current(state, event.plan)
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


def _known(state: State, event: LabelKnown) -> str | None:
    """Knowledge enters before a plan is sealed; later only by reviews, whose draws are secret."""
    if event.source != "review" and state.attempt is not None and state.attempt.open:
        return "a plan is open, which labels from elsewhere could steer"
    return "its label was known before" if event.item in state.known else None


def _answer(state: State, event: LabelRecorded) -> str | None:
    if not state.drawn(event.item):
        return "its item was not drawn"
    if fault := _training_label(state, event.item):
        return fault
    given = state.answers.get(event.item, {})
    return "this annotator answered before" if event.annotator in given else None


def _correction(state: State, event: LabelCorrected) -> str | None:
    given = state.answers.get(event.item, {})
    if event.annotator not in given or given[event.annotator] != state.code(event.before):
        return "the answer it corrects was never given"
    return _training_label(state, event.item)


def _training_label(state: State, item: str) -> str | None:
    closed = trained_on(state, item) and is_frozen(state)
    return "the classifier that its item trains is frozen" if closed else None


def _adjudication(state: State, event: LabelAdjudicated) -> str | None:
    if fault := _training_label(state, event.item):
        return fault
    differ = state.disputed(event.item) or event.item in state.decided
    return None if differ else "nobody differed about its item"


def _survey(state: State, event: SurveyOpened) -> str | None:
    if event.survey.number != len(state.surveys) + 1:
        return "its number is not the next one"
    if event.survey.seed in state.seeds:
        return "its seed was used before"
    return opened(state, event) if event.survey.purpose == "training" else None


def _survey_batch(state: State, event: SurveyDrawn) -> str | None:
    if not 1 <= event.survey <= len(state.surveys):
        return "its survey was never opened"
    work = state.surveys[event.survey - 1]
    if event.batch != work.batches + 1:
        return "its number is not the next one"
    names = [item.id for item in event.items]
    if len(set(names)) < len(names) or any(name in work.cells for name in names):
        return "an item was drawn twice"
    if any(not 0 <= item.cell < len(work.survey.cells) for item in event.items):
        return "an item is in no cell of the survey"
    return drawn(state, work, event) if work is training_of(state) else None


def _survey_report(state: State, event: SurveyReported) -> str | None:
    known = 1 <= event.survey <= len(state.surveys)
    return None if known else "its survey was never opened"


def _witness(_state: State, event: WitnessRecorded) -> str | None:
    known = event.form in ("head", "git", "rfc3161")
    return None if known else "its form is unknown"


def _lock(state: State, event: ClaimLocked) -> str | None:
    attempt = _current(state, event.plan)
    if attempt is None:
        return "its plan is not the open one"
    if attempt.draws:
        return "items of its plan were drawn before it"
    return "its plan is locked already" if attempt.lock else None


def _watch(state: State, event: ScoresWatched) -> str | None:
    if not 1 <= event.plan <= len(state.attempts):
        return "its plan was never sealed"
    certified = state.attempts[event.plan - 1].certificate is not None
    return None if certified else "its plan has no certificate"


RULES: dict[type[Event], Callable[[State, Any], str | None]] = {
    PoolRegistered: _pool,
    PlanSealed: _plan,
    SeedRevealed: _revealed,
    ReserveStored: _of_seeded,
    BatchDrawn: _batch,
    LabelRecorded: _answer,
    LabelKnown: _known,
    LabelCorrected: _correction,
    LabelAdjudicated: _adjudication,
    Looked: _of_current,
    PlanClosed: _of_current,
    CertificateIssued: _issued,
    SurveyOpened: _survey,
    SurveyDrawn: _survey_batch,
    SurveyReported: _survey_report,
    TrainingChanged: changed,
    ModelTrained: model,
    ClassifierFrozen: freeze,
    WitnessRecorded: _witness,
    **REVIEW_STORY,
    ClaimLocked: _lock,
    ScoresWatched: _watch,
}
