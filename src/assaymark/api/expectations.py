"""What Python users say about the classifier and about chance, as the steps take it."""

from collections.abc import Callable, Sequence
from functools import wraps
from numbers import Number
from typing import Any, ParamSpec, TypeVar, cast

from assaymark.certification.forecasts.calculators import expected
from assaymark.certification.sealing import predicted_share
from assaymark.claims.claim import CELLS, Claim, Counts
from assaymark.claims.ratio_metrics import parse_claim
from assaymark.errors import InputError
from assaymark.project.folder import Project
from assaymark.records.plan import Expectation

P = ParamSpec("P")
R = TypeVar("R")


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
    return expected(claim, expect, share=predicted_share(project, claim))


def counts_of(counts: Counts | str | Sequence[int]) -> Counts:
    """Counts from what people write.

    >>> counts_of([80, 20, 20, 880]) == counts_of("80,20,20,880")
    True
    """
    if isinstance(counts, Counts):
        return counts
    if isinstance(counts, str):
        return Counts.parse(counts)
    if len(counts) != len(CELLS):
        raise InputError(
            f"Counts are four whole numbers TP, FP, FN, TN, got {len(counts)}: {counts!r}."
        )
    return Counts(**dict(zip(CELLS, map(int, counts), strict=True)))


def claim_of(claim: object) -> Claim:
    """The claim, which people write as text."""
    if isinstance(claim, str):
        return parse_claim(claim)
    if not isinstance(claim, Claim):
        raise InputError(
            f"A claim is text such as 'recall >= 0.8', or a Claim; got a {type(claim).__name__}."
        )
    return claim


def seed_text(seed: int | str | None) -> str | None:
    """The seed as it is stored: a number is its digits."""
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int | str)):
        raise InputError(f"A seed is a whole number or text, got {seed!r}.")
    return None if seed is None else str(seed)


def own_numbers(function: Callable[P, R]) -> Callable[P, R]:
    """The function, for numbers of numpy too: they become Python's own, which can be stored."""

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        own = {name: _own_number(value) for name, value in kwargs.items()}
        return function(*args, **cast("Any", own))

    return called


def _own_number(value: object) -> object:
    scalar = type(value).__module__ == "numpy" and isinstance(value, Number)
    return cast("Any", value).item() if scalar else value
