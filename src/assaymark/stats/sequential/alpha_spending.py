"""Mode B, "budget": a promised number of informative items, and a boundary that spends the error.

One idea: the chance of a false pass may be spread over looks in any way that was fixed before
the first label. We let it grow in proportion to the informative items seen, on a look schedule
sealed in the plan, and find the least counts that keep to it by adding up every path.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from assaymark.claims.checks import count, open_share
from assaymark.claims.claim import Claim
from assaymark.errors import InputError
from assaymark.stats.sequential.stopping_boundary import (
    Boundary,
    Stopping,
    Walk,
    frozen,
    null_share_of,
    stopping,
    successes_after,
)

# The sums carry a relative rounding error under 1e-11; giving up this much keeps "at most" true.
ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True)
class SpendingRule:
    """How often the test looks, and how much of the error is given up to rounding."""

    look_every: int = 1
    rounding: float = ROUNDING


@dataclass(frozen=True, kw_only=True)
class SpendingTest:
    """The test that the share of successes is above `null_share` within `planned` items.

    `look_every` seals the schedule: after every `look_every` informative items, and after the last
    planned one. `looks`, if given, is a schedule of its own and `look_every` is not read.
    When people look changes nothing: each scheduled look is evaluated once its items are there.
    """

    null_share: float
    confidence: float
    planned: int
    look_every: int = 1
    looks: tuple[int, ...] | None = None
    rounding: float = ROUNDING

    def __post_init__(self) -> None:
        open_share("null_share", self.null_share)
        open_share("confidence", self.confidence)
        for name in ("planned", "look_every"):
            if count(name, getattr(self, name)) == 0:
                raise InputError(f"'{name}' must be at least 1, got 0.")
        if self.looks is not None:
            _check_looks(self.looks, self.planned)

    @property
    def schedule(self) -> tuple[int, ...]:
        """After how many informative items the test is looked at."""
        if self.looks is not None:
            return self.looks
        regular = range(self.look_every, self.planned, self.look_every)
        return (*regular, self.planned)


@dataclass(frozen=True, kw_only=True)
class Crossing:
    """Whether a path has passed at any scheduled look so far."""

    test: SpendingTest
    successes: int
    items: int
    looks: int
    passed_at: int | None

    @property
    def passed(self) -> bool:
        """Whether some scheduled look was passed."""
        return self.passed_at is not None

    def __str__(self) -> str:
        outcome = f"passed after {self.passed_at}" if self.passed else "has not passed"
        return (
            f"{outcome}: {self.successes} successes among {self.items} of "
            f"{self.test.planned} planned informative items, {self.looks} scheduled looks"
        )


def _check_looks(looks: tuple[int, ...], planned: int) -> None:
    rising = all(a < b for a, b in pairwise(looks))
    if not looks or not rising or looks[0] < 1 or looks[-1] > planned:
        raise InputError(
            f"'looks' must rise strictly from at least 1 to at most the {planned} planned items, "
            f"got {looks[:5]}{'…' if len(looks) > 5 else ''}."
        )


def spending_test(
    claim: Claim,
    *,
    confidence: float,
    planned: int,
    look_every: int = 1,
    rounding: float = ROUNDING,
) -> SpendingTest:
    """The test of a claim within a promised number of informative items."""
    return SpendingTest(
        null_share=null_share_of(claim),
        confidence=confidence,
        planned=planned,
        look_every=look_every,
        rounding=rounding,
    )


@lru_cache(maxsize=64)
def spending_boundary(test: SpendingTest) -> Boundary:
    """The least successes that pass at each scheduled look; elsewhere nothing passes.

    At look m the count is the least c such that the chance at the null share of having passed
    by then stays within (1 − confidence)·m/planned.
    Source: Lan & DeMets (1983), spending linear in information; the recursion of Armitage,
    McPherson & Rowe (1969), here for the binomial itself instead of its normal limit.
    """
    error = (1 - test.confidence) * (1 - test.rounding)
    walk, used = Walk(), 0.0
    least = np.full(test.planned + 1, test.planned + 1, dtype=np.int64)
    for look in test.schedule:
        while walk.seen < look:
            walk.step(test.null_share)
        passing = walk.least_within(error * look / test.planned - used)
        if passing <= look:
            least[look] = passing
            used += walk.absorb(passing)
    return Boundary(least=frozen(least))


def crossing(test: SpendingTest, wins: ArrayLike) -> Crossing:
    """Whether the path, in draw order, passed at any scheduled look up to its end.

    Looks that nobody took are evaluated too, and items beyond the plan are not read, so the
    answer depends on the items alone, not on who looked when.
    """
    successes = successes_after(wins)[: test.planned + 1]
    items = len(successes) - 1
    return Crossing(
        test=test,
        successes=int(successes[-1]),
        items=items,
        looks=int(np.searchsorted(test.schedule, items, side="right")),
        passed_at=spending_boundary(test).first_pass(np.diff(successes)),
    )


def items_to_pass(test: SpendingTest, *, share: float) -> Stopping:
    """When the test passes if successes truly have this share; `passes` is then the power."""
    return stopping(spending_boundary(test), open_share("share", share))


def false_acceptance(test: SpendingTest) -> float:
    """The exact chance to pass when the share is the null share."""
    return items_to_pass(test, share=test.null_share).passes
