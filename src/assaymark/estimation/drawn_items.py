"""The items of an estimate: which come next in each stratum, and the scores stored with those drawn."""

from collections.abc import Sequence

import numpy as np

from assaymark.estimation.estimate import EstimateDesign
from assaymark.estimation.renewal import strata_of_cells
from assaymark.estimation.stats.confidence_axis import Floats
from assaymark.ledger.events import SurveyedItem, SurveyWork
from assaymark.pool import Pool, Progress
from assaymark.records.plan import Stratum


def lowest_tickets(
    pool: Pool, seed: str, design: EstimateDesign, need: Sequence[int], progress: Progress
) -> list[list[SurveyedItem]]:
    """The items of each stratum in ticket order, at least as many as are needed of it."""
    strata = strata_of_cells(design)
    parts = [part for stratum in design.strata for part in stratum.parts]
    reserve = pool.reserve(
        seed,
        strata=[
            Stratum(
                items=part.items,
                prediction=part.prediction,
                grid_from=part.grid_from,
                grid_to=part.grid_to,
            )
            for part in parts
        ],
        limits=[min(part.items, need[k]) for part, k in zip(parts, strata, strict=True)],
        progress=progress,
    )
    queues: list[list[SurveyedItem]] = [[] for _ in design.strata]
    for item in sorted(reserve, key=lambda item: (item.ticket, item.id)):
        score = item.score if design.regression else None
        queues[strata[item.stratum]].append(
            SurveyedItem(id=item.id, cell=item.stratum, score=score)
        )
    return queues


def scores_drawn(design: EstimateDesign, work: SurveyWork, items: Sequence[str]) -> Floats | None:
    """The scores that were stored with these items; None where the design counts none, or one is missing."""
    known = [work.scores[item] for item in items if item in work.scores]
    if not design.regression or len(known) < len(items):
        return None
    return np.array(known, dtype=np.float64)
