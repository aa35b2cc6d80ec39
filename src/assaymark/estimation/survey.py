"""Estimate how good the classifier is: plan a stratified sample, draw it, read what it says."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from assaymark.claims.record import plain
from assaymark.claims.results import counted
from assaymark.errors import InputError, PlanError, VerificationError
from assaymark.estimation.drawn_items import lowest_tickets, scores_drawn
from assaymark.estimation.estimate import EstimateDesign, Estimates
from assaymark.estimation.evidence import Answers, estimate
from assaymark.estimation.from_claim import estimate_attempt
from assaymark.estimation.planning import EstimateRequest, plan_estimate
from assaymark.estimation.renewal import (
    chances_now,
    chances_of_draws,
    changed_since,
    next_renewal,
    rates_learnt,
    refuse_unlabelled,
    renewals,
    stop_of,
    strata_drawn,
    strata_of_cells,
)
from assaymark.estimation.stats.neyman_allocation import Progress as LabelProgress
from assaymark.estimation.stats.neyman_allocation import Tuning, allocate
from assaymark.hints import command
from assaymark.ledger.events import (
    Renewed,
    State,
    SurveyedItem,
    SurveyReported,
    SurveyWork,
    about_pool,
    outcomes_of,
)
from assaymark.pool import Pool, Progress, silent
from assaymark.project.folder import Project, registered_pool
from assaymark.project.purpose import pool_for_sampling, refuse_review
from assaymark.records.pool import RegisteredPool
from assaymark.sampling.reserve import refuse_changed
from assaymark.sampling.surveys import (
    SurveyBatch,
    before_freeze,
    fresh_seed,
    hand_out,
    open_survey,
    write_again,
)

__all__ = [
    "EstimateRequest",
    "PlannedEstimate",
    "current_estimate",
    "draw_estimate",
    "draw_open",
    "forecast_estimate",
    "open_estimate",
    "read_estimate",
]
LEARNING_BATCH = 50


@dataclass(frozen=True, kw_only=True)
class PlannedEstimate:
    """An estimate that was registered: its survey's number, its seed and its design."""

    number: int
    seed: str
    design: EstimateDesign


def forecast_estimate(project: Project, request: EstimateRequest) -> EstimateDesign:
    """The design and its forecast; nothing is recorded."""
    pool = pool_for_sampling(project.state())
    return _planned(request, pool)


def _planned(request: EstimateRequest, pool: RegisteredPool) -> EstimateDesign:
    """The design on this pool; refused in projects of classes, where a claim proves such figures."""
    if pool.columns.classes:
        raise PlanError(
            "Estimates are planned in projects of two labels, and this one has "
            f"{counted(len(pool.columns.classes), 'class', 'classes')}. Claim what you expect, which "
            f"proves it ({command('plan', 'accuracy >= 0.9')}), or draw a sample for many "
            f"classes ({command('estimate', pool='FILE', draw='N')})."
        )
    return plan_estimate(request, pool.summary, cut_off=pool.columns.threshold)


def open_estimate(project: Project, request: EstimateRequest) -> PlannedEstimate:
    """Register the design. Another estimate may be open; the latest is worked on."""
    with project.writing() as session:
        state = session.state
        pool = pool_for_sampling(state)
        seed = fresh_seed(state, request.seed)
        design = _planned(request, pool)
        work = open_survey(
            session,
            "estimate",
            seed,
            cells=[(s.name, part.items) for s in design.strata for part in s.parts],
            text=pool.columns.text,
            settings={"design": plain(design)},
        )
    return PlannedEstimate(number=work.survey.number, seed=seed, design=design)


def current_estimate(state: State) -> SurveyWork | None:
    """The estimate that is being worked on: the latest, unless a plan was sealed after it."""
    works = [
        work
        for work in state.surveys
        if work.survey.purpose == "estimate" and not before_freeze(state, work)
    ]
    if not works:
        return None
    attempt = state.attempt
    later = attempt is not None and attempt.open and attempt.sealed_at > works[-1].opened_at
    return None if later else works[-1]


def latest_estimate(state: State) -> SurveyWork | None:
    """The estimate that is being worked on, unless a plan was decided after it and no label came since."""
    work, attempt = current_estimate(state), state.attempt
    if work is None or attempt is None or attempt.outcome == "abandoned" or not attempt.looks:
        return work
    later = attempt.sealed_at > work.opened_at and attempt.looks[-1].seq > state.labels_at
    return None if later and all(state.labelled(item) for item in work.order) else work


def design_of(work: SurveyWork) -> EstimateDesign:
    """The design that the survey was opened with."""
    return EstimateDesign.from_dict(work.survey.settings["design"])


@dataclass(frozen=True, kw_only=True)
class _Places:
    """Which stratum each cell of the survey belongs to, and how many items were drawn of each."""

    strata: tuple[int, ...]
    taken: tuple[int, ...]


def _places(design: EstimateDesign, drawn: Sequence[SurveyedItem]) -> _Places:
    strata = strata_of_cells(design)
    taken = Counter(strata[item.cell] for item in drawn)
    return _Places(strata=strata, taken=tuple(taken[k] for k in range(len(design.strata))))


def draw_estimate(
    project: Project,
    *,
    count: int | None = None,
    output: Path | None = None,
    write: bool = True,
    progress: Progress = silent,
) -> SurveyBatch:
    """Hand out the next items: what the plan still needs, or `count` to go on beyond it."""
    if count is not None and count < 1:
        raise InputError(f"Draw at least 1 item, got {count}.")
    with project.writing() as session:
        work = _required(session.state)
        design = design_of(work)
        new = _how_many(session.state, work, design, count)
        if len(work.order) in (design.renew or ()):
            refuse_unlabelled(session.state, work.order)
        registered = registered_pool(session.state)
        pool = project.pool(registered)
        try:
            refuse_changed(pool, registered, progress)
            items, renewed = _next_items(session.state, pool, work, design, new, progress)
            texts = pool.texts([item.id for item in items])
        finally:
            pool.close()
        batch = hand_out(
            project, session, work, items, texts, output=output, write=write, renewed=renewed
        )
        return replace(batch, held=new - len(items))


def _required(state: State) -> SurveyWork:
    work = current_estimate(state)
    if work is None:
        refuse_review(state)
        raise PlanError(
            f"This project has no estimate yet. Plan one: {command('plan', estimate='accuracy', within=0.02)}"
        )
    return work


def _how_many(state: State, work: SurveyWork, design: EstimateDesign, count: int | None) -> int:
    drawn = len(work.order)
    left = design.items - drawn
    if left == 0:
        raise PlanError(f"Every item was drawn already. Next: {command('estimate')}.")
    if design.allocation.startswith("optimal") and any(not state.labelled(i) for i in work.order):
        raise PlanError(
            "This allocation learns from labels, and some drawn items have none yet. Label them "
            f"first: {command('draw', pending=True)}."
        )
    if count is not None:
        if count > left:
            raise InputError(f"Only {left:,} items are left to draw, and {count:,} were asked for.")
        return count
    need = design.labels - drawn
    if need <= 0:
        raise PlanError(
            f"All {design.labels:,} items of the plan are drawn. Read the result with {command('estimate')}, "
            f"or go on with a number: {command('draw', 50)}."
        )
    if design.allocation.startswith("optimal"):
        first = len(design.strata) * tuning_of(design).first
        if drawn < first:
            return min(need, first - drawn)
        return min(need, design.step or LEARNING_BATCH) if _in_steps(design) else need
    return min(need, left)


def _in_steps(design: EstimateDesign) -> bool:
    """Designs from before steps were chosen by the reader have no first labels, and take steps."""
    return design.allocation == "optimal-steps" or design.first is None


def tuning_of(design: EstimateDesign) -> Tuning:
    """How an allocation that learns spends its labels."""
    usual = Tuning()
    return Tuning(
        first=design.first or usual.first, step=design.step or LEARNING_BATCH, guard=design.guard
    )


def _next_items(
    state: State,
    pool: Pool,
    work: SurveyWork,
    design: EstimateDesign,
    new: int,
    progress: Progress,
) -> tuple[list[SurveyedItem], list[Renewed]]:
    """The next items, and the chances that were renewed for them.

    Fewer than asked for where the chances of the others wait for labels of these.
    """
    drawn = [SurveyedItem(id=item, cell=work.cells[item]) for item in work.order]
    start, cells = len(drawn), strata_of_cells(design)
    known, begun = renewals(work), []
    while len(drawn) - start < new:
        if len(drawn) in (design.renew or ()):
            outcomes = outcomes_of(state, [item.id for item in drawn])
            if outcomes is None:
                break
            begun.append(next_renewal(design, [cells[item.cell] for item in drawn], outcomes))
        places = _places(design, drawn)
        portion = min(new - len(drawn) + start, stop_of(design, len(drawn)) - len(drawn))
        if design.sampling == "random":
            chances = chances_now(design, [*known, *begun])
            order = strata_drawn(work.survey.seed, design, chances, places.taken, portion)
        else:
            order = _next_strata(state, work, design, places, portion)
        drawn += _items(pool, work.survey.seed, design, places, order, progress)
    return drawn[start:], begun


def _next_strata(
    state: State, work: SurveyWork, design: EstimateDesign, places: _Places, new: int
) -> list[int]:
    """The stratum of each of the next draws, where every stratum gets its number of labels."""
    sizes = [stratum.items for stratum in design.strata]
    right = Counter(
        places.strata[work.cells[item]]
        for item in work.order
        if state.label(item) == _predicted(design)[work.cells[item]]
    )
    more = allocate(
        design.allocation,
        new,
        LabelProgress(
            sizes=np.array(sizes, dtype=np.int64),
            labelled=np.array(places.taken, dtype=np.int64),
            correct=np.array([right[k] for k in range(len(sizes))], dtype=np.int64),
            shares=np.array(design.chances) if design.chances else None,
        ),
        tuning_of(design),
    )
    return [k for k, number in enumerate(more.tolist()) for _ in range(number)]


def _predicted(design: EstimateDesign) -> list[int]:
    return [int(part.prediction) for stratum in design.strata for part in stratum.parts]


def _items(
    pool: Pool,
    seed: str,
    design: EstimateDesign,
    places: _Places,
    order: Sequence[int],
    progress: Progress,
) -> list[SurveyedItem]:
    """The items of these draws: lowest unused ticket of the stratum, whichever part it lies in."""
    wanted = Counter(order)
    need = [taken + wanted[k] if wanted[k] else 0 for k, taken in enumerate(places.taken)]
    queues = lowest_tickets(pool, seed, design, need, progress)
    at = list(places.taken)
    chosen = []
    for k in order:
        if at[k] >= len(queues[k]):
            raise VerificationError("The pool holds fewer items than its summary says.")
        chosen.append(queues[k][at[k]])
        at[k] += 1
    return chosen


def draw_open(project: Project, *, output: Path | None = None) -> SurveyBatch:
    """Write the items again that were drawn for the estimate and have no label yet."""
    state = project.state()
    work = _required(state)
    return write_again(project, state, work, output=output)


def read_estimate(project: Project, *, progress: Progress = silent) -> Estimates:
    """What the labels say now; an estimate's result is recorded, a claim's plan stays as it is."""
    state = project.state()
    work = latest_estimate(state)
    if work is None:
        if state.attempt is None:
            _required(state)
            raise AssertionError("refused above")
        about = about_pool(state, state.attempt.pool)
        return _about(estimate_attempt(state, state.attempt), about)
    design = design_of(work)
    estimates = estimate(design, _answers(state, work, design), tell=progress)
    estimates = _about(estimates, about_pool(state, state.pool))
    with project.writing() as session:
        session.record(
            SurveyReported(
                survey=work.survey.number, labels=estimates.labels, result=plain(estimates)
            )
        )
    return estimates


def _about(estimates: Estimates, about: str | None) -> Estimates:
    """The figures with what they are about, where that is not the whole collection."""
    return estimates if about is None else replace(estimates, warnings=(*estimates.warnings, about))


def _answers(state: State, work: SurveyWork, design: EstimateDesign) -> Answers:
    """The labels that count: up to the first gap, in draw order or within each stratum.

    Whatever happens to be labelled would be biased, because hard items come late.
    """
    strata, predicted = strata_of_cells(design), _predicted(design)
    closed: set[int] = set()
    kept = []
    for item in work.order:
        cell = work.cells[item]
        # with chances, a gap ends the prefix of all strata; with fixed numbers, of its own
        key = strata[cell] if design.sampling == "fixed" else 0
        if not state.labelled(item):
            closed.add(key)
        elif key not in closed:
            kept.append(item)
    labels = [state.label(item) for item in kept]
    return Answers(
        strata=np.array([strata[work.cells[item]] for item in kept], dtype=np.int64),
        predicted=np.array([predicted[work.cells[item]] for item in kept], dtype=np.int64),
        labels=np.array([-1 if label is None else label for label in labels], dtype=np.int64),
        waiting=len(work.order) - len(kept),
        sampling=chances_of_draws(design, work, len(kept)) if design.renew else None,
        learnt=rates_learnt(design, work, [strata[work.cells[item]] for item in work.order]),
        changed=changed_since(state, work),
        scores=scores_drawn(design, work, kept),
    )
