"""The counts that a verdict depends on, by cell of the pool and value: facts that any reader can add up."""

from collections import Counter
from collections.abc import Iterable, Sequence

from assaymark.certification.modes.prefix import Prefix, counted_label, labelled_prefix
from assaymark.claims.claim import Claim, Counts
from assaymark.claims.results import Verdict
from assaymark.ledger.events import Attempt, State
from assaymark.records.certificate import Tally
from assaymark.records.value import binary

CellAnswer = tuple[int, int | None]


def tallied(labels: Iterable[CellAnswer]) -> tuple[Tally, ...]:
    """Cells and answers as tallies, in order; an answer of None is "cannot tell"."""
    counts = Counter(labels)
    ordered = sorted(counts, key=lambda pair: (pair[0], -1 if pair[1] is None else pair[1]))
    return tuple(Tally(cell=cell, value=value, n=counts[cell, value]) for cell, value in ordered)


def tallies_of(
    state: State, attempt: Attempt, verdict: Verdict, prefix: Prefix | None = None
) -> tuple[Tally, ...]:
    """What the verdict depends on: the labelled draws, or every labelled item of a census."""
    if not verdict.census:
        prefix = prefix or labelled_prefix(state, attempt)
        pairs = zip(prefix.drawn, prefix.answers, strict=True)
        return tallied((draw.cell, answer) for draw, answer in pairs)
    cells = attempt.pool.cells if attempt.pool else (None,)
    return tallied(
        (cells.index(state.predictions[item]), state.label(item))
        for item in census_items(state, attempt)
    )


def census_items(state: State, attempt: Attempt) -> list[str]:
    """The labelled items of the claim's domain."""
    wanted = {"predicted positive": True, "predicted negative": False}.get(attempt.plan.domain)
    return [
        item
        for item, prediction in state.predictions.items()
        if (wanted is None or prediction is wanted) and state.labelled(item)
    ]


def counts_of_tallies(
    claim: Claim, tallies: Sequence[Tally], cells: Sequence[bool | None]
) -> Counts:
    """The confusion counts; where nobody could tell, the label that hurts the claim."""
    totals = {(True, 1): 0, (True, 0): 0, (False, 1): 0, (False, 0): 0}
    for tally in tallies:
        predicted = bool(cells[tally.cell])
        answer = counted_label(claim, predicted=predicted, answer=binary(tally.value))
        totals[predicted, answer] += tally.n
    return Counts(tp=totals[True, 1], fp=totals[True, 0], fn=totals[False, 1], tn=totals[False, 0])
