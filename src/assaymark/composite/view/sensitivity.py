"""What wrong labels would do to an established claim of several rows: a what-if, never a guarantee.

Errors are planted where they cost one row most, until what is established is another thing; the row
that needs the fewest tells. Evidence that was reached stays reached, so only labels before that count.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from assaymark.claims.results import counted
from assaymark.composite.bounds import row_passed
from assaymark.composite.course import Course, Outcomes, course_of, labelled_prefix
from assaymark.composite.judging import judge
from assaymark.composite.look_facts import LookFacts
from assaymark.composite.sealed import SealedClaim
from assaymark.composite.shared_risk.account import at_present
from assaymark.composite.shared_risk.subjects import rows_of_parts
from assaymark.composite.wording import is_established, part_name
from assaymark.composite.work import ClaimWork
from assaymark.ledger.events import State
from assaymark.records.agreement import Sensitivity, what_if
from assaymark.stats.agreement import tipping_point
from assaymark.stats.betting.path import replay
from assaymark.stats.score_guided.kl_projection import Floats

MOST = 100_000  # rows times labels: each row is judged again at least once, and more would take minutes


@dataclass(frozen=True, kw_only=True)
class Established:
    """A claim that is established, whose labels can be exchanged."""

    sealed: SealedClaim
    course: Course
    strata: Sequence[int]
    outcomes: Outcomes
    look: LookFacts

    def stands(self, changes: Iterable[tuple[int, int]]) -> bool:
        """Whether the same is established with these outcomes at these draws."""
        outcomes = list(self.outcomes)
        for place, outcome in changes:
            outcomes[place] = outcome
        look = judge(self.sealed, self.course, self.strata, tuple(outcomes)).look
        return _conclusion(look) == _conclusion(self.look)

    def latest_first(self) -> list[int]:
        """The rows from the one that was proven last, which likely needs the fewest errors."""
        rows = range(len(self.course.test.rows))
        if self.sealed.judged == "once":
            return list(rows)
        draws = self.course.draws(self.strata, self.outcomes)
        path = replay(self.course.test, draws, self.course.foreseen)
        return sorted(rows, key=lambda row: -(row_passed(path, row) or 0))

    def worst_first(self, row: int) -> tuple[list[tuple[int, int]], int]:
        """Errors from the one that costs the row most, and how many labels matter to it.

        The label of a draw that had a small chance weighs as many items; among equals the earliest
        comes first, as stakes grow with what is known.
        """
        book, draws = self.course.test.book, self.course.draws(self.strata, self.outcomes)
        kinds = len(self.sealed.cells.labels)
        gains: Floats = book.gain[row, book.place[row, draws.strata], :kinds].astype(np.float64)
        worst, labelled = gains.argmin(axis=1), draws.labels >= 0
        now = gains[np.arange(len(gains)), np.maximum(draws.labels, 0)]
        loss = np.where(labelled & book.inside[row, draws.strata], now - gains.min(axis=1), 0.0)
        chance = draws.sampling[np.arange(len(gains)), draws.strata]
        items = book.sizes[draws.strata]
        cost = loss * np.where(chance > 0, items / np.where(chance > 0, chance, 1.0), 1.0)
        reached = len(cost) if self.look.certain else self.look.decided_at or len(cost)
        order = np.argsort(-cost[:reached], kind="stable")
        errors = [(int(i), int(worst[i])) for i in order if cost[i] > 0]
        return errors, int((loss > 0).sum())


def claim_sensitivity(state: State, work: ClaimWork) -> Sensitivity | None:
    """The fewest wrong labels that overturn it; None unless established, or where that takes too long."""
    course, sealed = course_of(work), at_present(state, work)
    outcomes, rows = labelled_prefix(state, work), len(course.test.rows)
    look = judge(sealed, course, work.strata, outcomes).look
    if not is_established(look) or rows * len(outcomes) > MOST:
        return None
    claim = Established(
        sealed=sealed, course=course, strata=work.strata, outcomes=outcomes, look=look
    )
    least, of_row = None, (0, 0)
    for row in claim.latest_first():
        errors, count = claim.worst_first(row)
        most = len(errors) if least is None else min(least - 1, len(errors))
        fewer = _fewest(claim, errors, most)
        if fewer is not None:
            least, of_row = fewer, (row, count)
    return what_if(_errors(sealed, look, least, *of_row))


def _fewest(claim: Established, errors: list[tuple[int, int]], most: int) -> int | None:
    """The least number of these errors with which something else is established, up to `most`."""
    if most < 1 or claim.stands(errors[:most]):
        return None
    return tipping_point(lambda wrong: claim.stands(errors[:wrong]), most)


def _conclusion(look: LookFacts) -> tuple[object, ...]:
    """What is established, without how clearly."""
    if look.kind == "comparison":
        return look.decision, look.not_worse
    if look.kind == "cut-off":
        return look.decision, look.cutoff
    return look.decision, *(part.state == "reached" for part in look.parts)


def _errors(sealed: SealedClaim, look: LookFacts, least: int | None, row: int, count: int) -> str:
    if least is None:
        return "even if all labels that matter to one of its rows were wrong it would stand"
    labels = f"{counted(count, 'label')} that matter{_matter(sealed, look, row)}"
    was = "was" if least == 1 else "were"
    return f"it would fall if {least:,} of the {labels} {was} wrong in the worst place"


def _matter(sealed: SealedClaim, look: LookFacts, row: int) -> str:
    """To which part, where there are several."""
    if look.kind != "conjunction" or len(look.parts) < 2:
        return ""
    parts = zip(look.parts, rows_of_parts(sealed), strict=True)
    return next((f" to {part_name(part)}" for part, rows in parts if row in rows), "")
