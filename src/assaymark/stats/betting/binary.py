"""One claim on predicted classes as rows: the claim itself and the ladder of targets around it.

    found = binary_test(claim, strata, level=0.05)          # or ceiling=1770
    now = standing(found, draws)                            # path, decision and bound

One idea: "at least" at an easier target is another row on the same draws. In the order from easy to
hard a row counts only after all easier ones, so one level covers the claim and the printed bound.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assaymark.claims.claim import Claim
from assaymark.claims.ratio_metrics import metric
from assaymark.errors import InputError
from assaymark.stats.betting.recipe import Recipe
from assaymark.stats.betting.rows import Row, Rows, Unit, exact
from assaymark.stats.betting.rules import One, Ordered, Rule
from assaymark.stats.betting.sealed import RowTest
from assaymark.stats.score_guided.bound import STEPS
from assaymark.stats.score_guided.supermartingale import NOTHING_KNOWN, KnownCells, Stratum
from assaymark.stats.special import expit, logit

NEGATIVE, POSITIVE = 0, 1
DIGITS = 6  # targets of the ladder are short decimals, so that their rows are short fractions


def claim_row(
    claim: Claim,
    strata: Sequence[Stratum],
    *,
    target: Fraction | None = None,
    known: KnownCells = NOTHING_KNOWN,
) -> Row:
    """The claim, or the same at another target, as one row on these strata.

    `known` items (tp, fp, fn, tn) belong to the pool and to no stratum: what they contribute is
    certain, so it is taken from what the strata must give, and it counts in the denominator.

    >>> cut = [Stratum(predicted=True, size=4), Stratum(predicted=False, size=4)]
    >>> row = claim_row(Claim(metric="recall", side="lower", target=0.8), cut)
    >>> row.value[0], row.value[1], row.required
    (Fraction(1, 5), Fraction(4, 5), Fraction(16, 5))
    """
    ratio, goal = metric(claim.metric), exact(claim.target) if target is None else target
    sign = 1 if claim.side == "lower" else -1
    below = [exact(float(b)) for b in ratio.denominator]
    tp, fp, fn, tn = (
        sign * (exact(float(a)) - goal * b) for a, b in zip(ratio.numerator, below, strict=True)
    )
    value, share, required, slopes = {}, {}, Fraction(0), {}
    for k, stratum in enumerate(strata):
        at_one, at_zero = (tp, fp) if stratum.predicted else (fn, tn)
        weight = at_one - at_zero
        required -= stratum.size * min(at_one, at_zero)
        value[k] = abs(weight)
        share[k] = (Fraction(0), Fraction(1)) if weight > 0 else (Fraction(1), Fraction(0))
        one, zero = (below[0], below[1]) if stratum.predicted else (below[2], below[3])
        slopes[k] = (zero, one)
    required -= sum(n * z for n, z in zip(known, (tp, fp, fn, tn), strict=True))
    base = sum((n * b for n, b in zip(known, below, strict=True)), Fraction(0))
    return Row(
        value=value,
        help=share,
        required=required,
        guards=() if base > 0 else _guards(slopes, strata),
        unit=Unit(base=base, slopes=slopes),
        name=f"{claim.metric} {'>=' if sign > 0 else '<='} {float(goal):g}",
    )


def _guards(
    slopes: dict[int, tuple[Fraction, Fraction]], strata: Sequence[Stratum]
) -> tuple[frozenset[tuple[int, int]], ...]:
    """What must be found for the denominator to be positive; nothing if it is so in any case."""
    if any(min(pair) > 0 and s.size > 0 for pair, s in zip(slopes.values(), strata, strict=True)):
        return ()
    places = {(k, o) for k, pair in slopes.items() for o in (0, 1) if pair[o] > 0}
    return (frozenset(places),)


@dataclass(frozen=True, kw_only=True)
class BinaryTest:
    """A claim with its ladder of targets, easy to hard, on strata of predicted classes.

    `kept` are the strata of the pool that the test uses, by their number: those left out say nothing
    about the claim. A `capped` test states nothing beyond its claim; without `bounds` it states the
    claim alone. `refutes` and `staked` are those of `RowTest`, `known` that of `claim_row`.
    """

    claim: Claim
    strata: tuple[Stratum, ...]
    kept: tuple[int, ...]
    level: float
    ceiling: int | None = None
    bounds: bool = True
    capped: bool = False
    refutes: float | None = None
    staked: float | None = None
    known: KnownCells = NOTHING_KNOWN
    recipe: Recipe = field(default_factory=Recipe)
    steps: tuple[float, ...] = STEPS

    @cached_property
    def targets(self) -> tuple[Fraction, ...]:
        """The targets of the rows; `targets[own]` is the claim's."""
        return self._ladder[0]

    @cached_property
    def helpful(self) -> NDArray[np.int64]:
        """For each stratum the label that helps the claim."""
        row = claim_row(self.claim, self.strata)
        return np.array([int(row.help[k][1] == 1) for k in range(len(self.strata))])

    @property
    def claim_row(self) -> int:
        """The row of the claim itself."""
        return self._ladder[1]

    @cached_property
    def _ladder(self) -> tuple[tuple[Fraction, ...], int]:
        if not self.bounds:
            return (exact(self.claim.target),), 0
        return ladder(self.claim, steps=self.steps, capped=self.capped)

    @cached_property
    def test(self) -> RowTest:
        """The rows of all targets."""
        rows = tuple(self._row(target) for target in self.targets)
        return self._test(rows, Ordered(claim=self.claim_row) if self.bounds else One())

    @cached_property
    def claim_test(self) -> RowTest:
        """The claim's row alone: chances aim at it, whatever else is stated."""
        return self._test((self._row(None),), One())

    def _row(self, target: Fraction | None) -> Row:
        return claim_row(self.claim, self.strata, target=target, known=self.known)

    def _test(self, rows: tuple[Row, ...], rule: Rule) -> RowTest:
        scores = [s.mean_score for s in self.strata if s.mean_score is not None]
        return RowTest(
            rows=Rows(rows=rows, strata=len(self.strata), outcomes=2),
            sizes=tuple(s.size for s in self.strata),
            level=self.level,
            prior=tuple((1.0 - m, m) for m in scores) if scores else None,
            ceiling=self.ceiling,
            rule=rule,
            recipe=self.recipe,
            refutes=self.refutes,
            staked=self.staked,
        )


def ladder(
    claim: Claim, *, steps: Sequence[float] = STEPS, capped: bool = False
) -> tuple[tuple[Fraction, ...], int]:
    """Targets from easy to hard around the claim's own, and the claim's position among them.

    `steps` are their distances in log-odds; a `capped` ladder ends at the claim.
    """
    target, up = exact(claim.target), claim.side == "lower"
    moves = np.array([*(-s for s in steps[::-1]), *steps])
    moved = expit(logit(claim.target) + (moves if up else -moves))
    near = [exact(round(float(t), DIGITS)) for t in moved]
    half = len(steps)
    easy = [t for t in near[:half] if 0 < t < 1 and (t < target if up else t > target)]
    hard = [t for t in near[half:] if 0 < t < 1 and (t > target if up else t < target)]
    return (*easy, target, *(() if capped else hard)), len(easy)


def binary_test(
    claim: Claim, strata: Sequence[Stratum], *, level: float, **more: Any
) -> BinaryTest:
    """The test of a claim on strata of predicted classes; `more` are fields of `BinaryTest`.

    Strata that say nothing about the claim are left out; draws must be numbered by `kept`.
    """
    kept = _telling(claim, tuple(strata))
    used = tuple(strata[k] for k in kept)
    if not any(stratum.size for stratum in used):
        raise InputError(f"No item of these strata says anything about {claim}.")
    scored = [s.mean_score is not None for s in used]
    if any(scored) and not all(scored):
        raise InputError("Either every stratum has a mean score or none has.")
    return _shared(BinaryTest(claim=claim, strata=used, kept=kept, level=level, **more))


@lru_cache(maxsize=16)
def _telling(claim: Claim, strata: tuple[Stratum, ...]) -> tuple[int, ...]:
    """Which strata say something about the claim."""
    return tuple(sorted(claim_row(claim, strata).domain))


@lru_cache(maxsize=16)
def _shared(test: BinaryTest) -> BinaryTest:
    """The first test that is equal to this one: what it compiles to is computed once."""
    return test
