"""Recompute how an estimate was drawn, as a stranger would: strata by seed and chances, chances by labels.

Items within a stratum come in ticket order: whether any was passed over only the pool can tell.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress, zip_longest

import numpy as np

from assaymark.errors import VerificationError
from assaymark.estimation.drawn_items import lowest_tickets
from assaymark.estimation.estimate import EstimateDesign
from assaymark.estimation.renewal import (
    chances_now,
    next_renewal,
    renewals,
    stop_of,
    strata_drawn,
    strata_of_cells,
)
from assaymark.estimation.survey import design_of
from assaymark.ledger.events import (
    Entry,
    State,
    SurveyDrawn,
    SurveyedItem,
    SurveyWork,
    outcomes_of,
)
from assaymark.pool import Progress, silent
from assaymark.project.folder import Project
from assaymark.records.pool import RegisteredPool
from assaymark.sampling.reserve import refuse_changed


@dataclass(frozen=True, kw_only=True)
class Redrawn:
    """What was recomputed: draws whose stratum follows from seed and chances, and renewals of these.

    `estimates` are all that drew anything, each with the pool that it drew from.
    """

    draws: int
    renewals: int
    estimates: tuple[tuple[SurveyWork, RegisteredPool], ...]


def redraw_estimates(entries: Sequence[Entry]) -> Redrawn:
    """Every draw by chance of every estimate, computed again from the events before it.

    Refused where a stratum or a renewal is another one. Fixed numbers per stratum leave nothing to
    choose by the seed, so they are passed over.
    """
    state, draws, renewed = State(), 0, 0
    pools: dict[int, RegisteredPool] = {}
    for entry in entries:
        event = entry.event
        if isinstance(event, SurveyDrawn):
            work = state.surveys[event.survey - 1]
            design = design_of(work) if work.survey.purpose == "estimate" else None
            if design is not None and design.sampling == "random":
                _refuse_other_sizes(state, design, entry.seq)
                _redraw(state, work, design, entry.seq, event)
                draws, renewed = draws + len(event.items), renewed + len(event.renewed or ())
            if design is not None and state.pool is not None:
                pools.setdefault(event.survey, state.pool)
        state.apply(event, entry)
    estimates = tuple((state.surveys[number - 1], pool) for number, pool in pools.items())
    return Redrawn(draws=draws, renewals=renewed, estimates=estimates)


def redraw_items(
    project: Project, work: SurveyWork, registered: RegisteredPool, progress: Progress = silent
) -> int:
    """Every item of an estimate found again in the pool by its ticket; how many these are.

    Refused where an item is not the next ticket of its stratum, as if one had been passed over.
    """
    design = design_of(work)
    strata = strata_of_cells(design)
    drawn: list[list[SurveyedItem]] = [[] for _ in design.strata]
    for item in work.order:
        cell = work.cells[item]
        drawn[strata[cell]].append(SurveyedItem(id=item, cell=cell, score=work.scores.get(item)))
    pool = project.pool(registered)
    try:
        refuse_changed(pool, registered, progress)
        need = [len(items) for items in drawn]
        queues = lowest_tickets(pool, work.survey.seed, design, need, progress)
    finally:
        pool.close()
    for stratum, mine, due in zip(design.strata, drawn, queues, strict=True):
        for one, next_one in zip_longest(mine, due[: len(mine)]):
            _refuse_other_item(work, stratum.name, one, next_one)
    return len(work.order)


def _refuse_other_item(
    work: SurveyWork, part: str, item: SurveyedItem, due: SurveyedItem | None
) -> None:
    """The item is the one whose ticket comes next, with the score that the pool has."""
    if item == due:
        return
    if due is not None and due.id == item.id:
        raise VerificationError(
            f"Survey {work.survey.number}: {item.id!r} is stored with the score {item.score}, and the "
            f"pool has {due.score}."
        )
    raise VerificationError(
        f"Survey {work.survey.number}: {item.id!r} is not the item that the seed chooses next in "
        f"the part “{part}”."
    )


def _refuse_other_sizes(state: State, design: EstimateDesign, seq: int) -> None:
    """The parts hold the items that the registered collection has in their range of scores."""
    summary = None if state.pool is None else state.pool.summary
    if summary is None:
        return
    sides = {True: summary.positive, False: summary.negative}
    for part in (part for stratum in design.strata for part in stratum.parts):
        bins = None if part.prediction is None else sides[part.prediction]
        if bins is None or part.grid_from is None or part.grid_to is None:
            continue
        inside = [part.grid_from <= edge < part.grid_to for edge in bins.edges]
        if sum(compress(bins.counts, inside)) != part.items:
            raise VerificationError(
                f"Event {seq}: a part of the estimate is sealed with {part.items:,} items, which is not "
                "what the collection has in its range of scores."
            )


def _redraw(
    state: State, work: SurveyWork, design: EstimateDesign, seq: int, event: SurveyDrawn
) -> None:
    cells = strata_of_cells(design)
    order = [*work.order, *(item.id for item in event.items)]
    strata = [cells[work.cells[item]] for item in work.order]
    due = [*strata, *(cells[item.cell] for item in event.items)]
    known, begun = renewals(work), list(event.renewed or ())
    while len(strata) < len(due):
        if len(strata) in (design.renew or ()):
            outcomes = outcomes_of(state, order[: len(strata)])
            again = None if outcomes is None else next_renewal(design, strata, outcomes)
            stored = begun.pop(0) if begun else None
            if again is None or stored is None or not _agree(again.chances, stored.chances):
                raise VerificationError(
                    f"Event {seq}: the chances from draw {len(strata) + 1} on do not follow from the "
                    "design and the labels known when it was drawn."
                )
            known.append(stored)
        taken = Counter(strata)
        portion = strata_drawn(
            work.survey.seed,
            design,
            chances_now(design, known),
            [taken[k] for k in range(len(design.strata))],
            min(len(due), stop_of(design, len(strata))) - len(strata),
        )
        if not portion or portion != due[len(strata) : len(strata) + len(portion)]:
            raise VerificationError(
                f"Event {seq}: the items from draw {len(strata) + 1} on were not drawn from the parts "
                "that the seed and the chances choose."
            )
        strata += portion
    if begun:
        raise VerificationError(
            f"Event {seq}: chances were renewed at draw {begun[0].first}, where the design does not."
        )


def _agree(mine: Sequence[float], stored: Sequence[float]) -> bool:
    return len(mine) == len(stored) and bool(np.allclose(mine, stored, rtol=1e-6, atol=1e-9))
