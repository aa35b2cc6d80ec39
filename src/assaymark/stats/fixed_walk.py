"""Cut-offs tested in a fixed order on one random sample: p-values of "recall" and "precision".

One idea: rungs are tested in an order that was fixed beforehand, each at the whole level, until one
fails. The first false rung must then be rejected wrongly, which has chance `level` at most.
"""

import math
from collections.abc import Sequence
from fractions import Fraction


def precision_p(positives: int, labelled: int, items: int, target: Fraction) -> float:
    """The chance of this many positives among `labelled` of `items`, if fewer than the target are.

    *Assumes* a random sample without replacement of the items above the cut-off.
    *Source* the hypergeometric distribution at the largest count that makes the claim false.

    >>> precision_p(10, 10, 10, Fraction(9, 10)), precision_p(8, 10, 10, Fraction(9, 10))
    (0.0, 1.0)
    """
    if labelled == 0:
        return 1.0
    from scipy.stats import hypergeom  # half a second, which every page would wait for

    false = math.ceil(target * items) - 1
    return float(hypergeom.sf(positives - 1, items, false, labelled))


def recall_p(hits: int, positives: int, target: Fraction) -> float:
    """The chance that this many of the sampled positives lie above the cut-off, if recall is below.

    *Assumes* a random sample without replacement of all items; given the number of positives in
    it, those above the cut-off are hypergeometric.
    *Source* Uhlmann (1966): while (found − 1) ≥ (positives − 1)·target the binomial tail is not
    below the hypergeometric one, whatever the number of positives; elsewhere nothing is claimed.

    >>> round(recall_p(59, 59, Fraction(19, 20)), 4), recall_p(3, 5, Fraction(19, 20))
    (0.0485, 1.0)
    """
    if positives == 0 or hits - 1 < (positives - 1) * target:
        return 1.0
    from scipy.stats import binom

    return float(binom.sf(hits - 1, positives, float(target)))


def walked(p_values: Sequence[float], levels: Sequence[float]) -> int:
    """How many rungs in order pass: all before the first whose p-value is above its level."""
    for place, (p, level) in enumerate(zip(p_values, levels, strict=True)):
        if p > level:
            return place
    return len(p_values)
