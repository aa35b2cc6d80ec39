"""The course of an estimate whose chances are renewed: which chances each draw had, and has next.

Chances are computed at draw numbers sealed with the design, from the labels of all draws before
and no others. They are stored with the draws, so a label that is corrected later leaves them as
they were.
"""

from collections.abc import Sequence

import numpy as np

from assaymark.claims.results import counted
from assaymark.errors import PlanError
from assaymark.estimation.estimate import EstimateDesign
from assaymark.estimation.evidence import betting_strata
from assaymark.estimation.stats.confidence_axis import Floats, Ints
from assaymark.estimation.stats.renewed_chances import believed_rates, renewed_chances
from assaymark.hints import command
from assaymark.ledger.events import Renewed, State, SurveyWork, outcomes_of
from assaymark.sampling.tickets import weighted_draws


def strata_of_cells(design: EstimateDesign) -> tuple[int, ...]:
    """The stratum of each cell of the survey: a cell is one part of a stratum."""
    return tuple(k for k, stratum in enumerate(design.strata) for _ in stratum.parts)


def strata_drawn(
    seed: str,
    design: EstimateDesign,
    chances: Sequence[float],
    taken: Sequence[int],
    new: int,
) -> list[int]:
    """The strata of the next draws with these chances: a function of the seed."""
    sizes = [stratum.items for stratum in design.strata]
    draws = weighted_draws(seed, sampling=chances, sizes=sizes, taken=taken, new=new)
    return [draw.stratum for draw in draws]


def renewals(work: SurveyWork) -> list[Renewed]:
    """The renewals in the ledger, in order."""
    return [one for drawn in work.files for one in drawn.renewed or ()]


def stop_of(design: EstimateDesign, drawn: int) -> int:
    """The last draw that has the chances of draw number `drawn` + 1."""
    return next((end for end in design.renew or () if end > drawn), design.items)


def next_renewal(design: EstimateDesign, strata: Sequence[int], outcomes: str) -> Renewed:
    """The chances from the next draw on, at one of the sealed draws, from all labels so far."""
    ends = [end for end in design.renew or () if end <= len(strata)]
    chances = renewed_chances(
        design.metric,
        betting_strata(design.strata),
        np.array(strata, dtype=np.int64),
        labels_of(outcomes),
        ends=ends,
        planned=design.labels,
    )
    return Renewed(
        first=len(strata) + 1, outcomes=outcomes, chances=tuple(float(q) for q in chances)
    )


def labels_of(outcomes: str) -> Ints:
    """The labels that are written as text; -1 where nobody could tell."""
    return np.array([-1 if one == "?" else int(one) for one in outcomes], dtype=np.int64)


def chances_now(design: EstimateDesign, renewed: Sequence[Renewed]) -> tuple[float, ...]:
    """The chances of the next draw, unless they are renewed before it."""
    return renewed[-1].chances if renewed else design.chances or ()


def chances_of_draws(design: EstimateDesign, work: SurveyWork, draws: int) -> Floats:
    """The chances that each of the first draws had, by stratum."""
    rows = np.tile(np.array(design.chances, dtype=np.float64), (draws, 1))
    for one in renewals(work):
        rows[one.first - 1 :] = one.chances
    return rows


def rates_learnt(design: EstimateDesign, work: SurveyWork, strata: Sequence[int]) -> Floats | None:
    """The rates of positives that the latest chances go by; None where these are the scores'."""
    known = renewals(work)
    if not known:
        return None
    return believed_rates(
        betting_strata(design.strata),
        np.array(strata, dtype=np.int64),
        labels_of(known[-1].outcomes),
        ends=[end for end in design.renew or () if end < known[-1].first],
    )


def changed_since(state: State, work: SurveyWork) -> int:
    """How many labels that chances were computed from, at any renewal, are others now, or none."""
    changed: set[str] = set()
    for one in renewals(work):
        pairs = zip(work.order, one.outcomes, strict=False)
        changed |= {item for item, was in pairs if outcomes_of(state, [item]) != was}
    return len(changed)


def refuse_unlabelled(state: State, order: Sequence[str]) -> None:
    """The next items wait for the labels of all drawn so far; said with the ids."""
    waiting = [item for item in order if not state.labelled(item)]
    if not waiting:
        return
    shown = ", ".join(waiting[:5]) + (", …" if len(waiting) > 5 else "")
    verb = "has" if len(waiting) == 1 else "have"
    raise PlanError(
        f"The next items are chosen by what the labels of the first {len(order):,} say, and "
        f"{counted(len(waiting), 'item')} of them {verb} no settled label yet ({shown}). Label or "
        "decide them, or mark them as cannot tell: "
        f"{command('draw', pending=True)}."
    )
