"""What Python users say about the classifier and about chance, as the steps take it."""

from collections.abc import Sequence

from assaymark.certification.calculators import expected
from assaymark.certification.sealing import predicted_share
from assaymark.claims.claim import CELLS, Claim, Counts
from assaymark.errors import InputError
from assaymark.project.folder import Project
from assaymark.records.plan import Expectation


def expectation_of(
    project: Project,
    claim: Claim,
    expect: float | Expectation | None,
    pilot: Counts | str | Sequence[int] | None,
) -> Expectation | None:
    """The expectation: a pilot's counts, or what the claimed metric's expected value implies."""
    if pilot is not None:
        if expect is not None:
            raise InputError("Give either 'pilot' or 'expect', not both.")
        return Expectation(pilot=counts_of(pilot))
    if expect is None or isinstance(expect, Expectation):
        return expect
    return expected(claim, expect, share=predicted_share(project))


def counts_of(given: Counts | str | Sequence[int]) -> Counts:
    """Counts from what people write.

    >>> counts_of([80, 20, 20, 880]) == counts_of("80,20,20,880")
    True
    """
    if isinstance(given, Counts):
        return given
    if isinstance(given, str):
        return Counts.parse(given)
    if len(given) != len(CELLS):
        raise InputError(
            f"Counts are four whole numbers TP, FP, FN, TN, got {len(given)}: {given!r}."
        )
    return Counts(**dict(zip(CELLS, map(int, given), strict=True)))


def seed_text(seed: int | str | None) -> str | None:
    """The seed as it is stored: a number is its digits."""
    return None if seed is None else str(seed)
