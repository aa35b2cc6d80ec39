"""One claim on predicted classes as rows: the claim itself and the ladder of targets around it.

    test = binary_test(claim, strata, level=0.05)          # or ceiling=1770
    bound = bound_of(test, replay(test.test, draws))

One idea: "at least" at an easier target is another row on the same draws. In the order from easy to
hard a row counts only after all easier ones, so one level covers the claim and the printed bound.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.special import expit, logit

from assaymark.claims.claim import Claim
from assaymark.claims.ratio_metrics import metric
from assaymark.errors import InputError
from assaymark.stats.betting.path import RowPath
from assaymark.stats.betting.recipe import Recipe
from assaymark.stats.betting.rows import Row, Rows, Unit, exact
from assaymark.stats.betting.rules import One, Ordered
from assaymark.stats.betting.rulings import rule_on
from assaymark.stats.betting.sealed import RowTest
from assaymark.stats.score_guided.bound import STEPS, MetricBound
from assaymark.stats.score_guided.supermartingale import Stratum

NEGATIVE, POSITIVE = 0, 1
DIGITS = 6  # targets of the ladder are short decimals, so that their rows are short fractions


def claim_row(claim: Claim, strata: Sequence[Stratum], *, target: Fraction | None = None) -> Row:
    """The claim, or the same at another target, as one row on these strata.

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
    return Row(
        value=value,
        help=share,
        required=required,
        guards=_guards(slopes, strata),
        unit=Unit(base=Fraction(0), slopes=slopes),
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
    """The rows of a claim with its ladder, easy to hard; `targets[claim]` is the claim's own.

    `kept` are the strata of the pool that the test uses, by their number.
    """

    claim: Claim
    targets: tuple[Fraction, ...]
    test: RowTest
    kept: tuple[int, ...]


def ladder(claim: Claim) -> tuple[tuple[Fraction, ...], int]:
    """Targets from easy to hard around the claim's own, and the claim's position among them."""
    own, up = exact(claim.target), claim.side == "lower"
    steps = np.array([*(-s for s in STEPS[::-1]), *STEPS])
    moved = expit(logit(claim.target) + (steps if up else -steps))
    near = [exact(round(float(t), DIGITS)) for t in moved]
    half = len(STEPS)
    easy = [t for t in near[:half] if 0 < t < 1 and (t < own if up else t > own)]
    hard = [t for t in near[half:] if 0 < t < 1 and (t > own if up else t < own)]
    return (*easy, own, *hard), len(easy)


def binary_test(
    claim: Claim,
    strata: Sequence[Stratum],
    *,
    level: float,
    ceiling: int | None = None,
    bounds: bool = True,
    recipe: Recipe | None = None,
) -> BinaryTest:
    """The test of a claim on strata of predicted classes; with `bounds`, its ladder as well.

    Strata that say nothing about the claim are left out; draws must be numbered by `kept`.
    """
    row = claim_row(claim, strata)
    kept = tuple(k for k in sorted(row.domain) if strata[k].size > 0)
    used = [strata[k] for k in kept]
    if not used:
        raise InputError(f"No item of these strata says anything about {claim}.")
    scored = [s.mean_score for s in used if s.mean_score is not None]
    if scored and len(scored) != len(used):
        raise InputError("Either every stratum has a mean score or none has.")
    targets, own = ladder(claim) if bounds else ((exact(claim.target),), 0)
    rows = tuple(claim_row(claim, used, target=target) for target in targets)
    return BinaryTest(
        claim=claim,
        targets=targets,
        kept=kept,
        test=RowTest(
            rows=Rows(rows=rows, strata=len(used), outcomes=2),
            sizes=tuple(s.size for s in used),
            level=level,
            prior=tuple((1.0 - m, m) for m in scored) if scored else None,
            ceiling=ceiling,
            rule=Ordered(claim=own) if bounds else One(),
            recipe=recipe or Recipe(),
        ),
    )


def bound_of(found: BinaryTest, path: RowPath) -> MetricBound:
    """The hardest target of the ladder that passed with every easier one, or None with a reason.

    One level covers it together with the claim: if the metric lies below some targets, the easiest
    of them must have passed wrongly.
    """
    chosen = rule_on(path).chosen
    unknown = "too few labels to exclude any value"
    return MetricBound(
        metric=found.claim.metric,
        side=found.claim.side,
        value=None if chosen is None else float(found.targets[chosen]),
        confidence=1.0 - found.test.level,
        certain=chosen is not None and bool(path.certainty.holds[chosen, -1]),
        reason=unknown if chosen is None else None,
    )
