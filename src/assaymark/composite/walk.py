"""The fixed walk: a promised number of random labels, judged once, rung by rung in the sealed order."""

from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction

from assaymark.claims.language.tree import Threshold
from assaymark.composite.sealed import SealedClaim
from assaymark.stats.fixed_walk import precision_p, recall_p, walked

Labelled = Sequence[tuple[int, int]]
"""Stratum and outcome of every draw; outcome -1 where nobody could tell."""


def rungs_passed(sealed: SealedClaim, labelled: Labelled) -> list[str]:
    """The cut-offs that pass, in their order, each at what earlier claims left of the level."""
    order = [str(name) for name in sealed.compiled[0].constants["order"]]
    p_values = [_p_value(sealed, name, labelled) for name in order]
    carried = sealed.risk.carried
    left = [min(1.0, float(one.proof)) for one in carried] or [1.0] * len(order)
    return order[: walked(p_values, [sealed.level * share for share in left])]


def fewest_labels(sealed: SealedClaim) -> int:
    """The smallest budget with which a cut-off could pass: if every label were a hit."""
    budgets = range(1, sealed.items)
    return 1 + bisect_left(budgets, 1, key=lambda budget: int(_could_pass(sealed, budget)))


def _could_pass(sealed: SealedClaim, budget: int) -> bool:
    name = str(sealed.compiled[0].constants["order"][0])
    place = sealed.columns.rungs.index(name)
    is_above = [s.predictions[place] == "1" for s in sealed.strata]
    above = sum(s.items for s, inside in zip(sealed.strata, is_above, strict=True) if inside)
    hits = [(is_above.index(True), 1)] * min(budget, above)
    return _p_value(sealed, name, hits) <= sealed.level


def _p_value(sealed: SealedClaim, name: str, labelled: Labelled) -> float:
    leaf = sealed.statements[0].tree.parts[0]
    if not isinstance(leaf, Threshold):
        return 1.0
    place = sealed.columns.rungs.index(name)
    is_above = [s.predictions[place] == "1" for s in sealed.strata]
    above = [label for stratum, label in labelled if is_above[stratum]]
    if leaf.figure.metric == "precision":  # an undecided item is counted as wrong
        items = sum(s.items for s, inside in zip(sealed.strata, is_above, strict=True) if inside)
        return precision_p(above.count(1), len(above), items, leaf.target)
    # an undecided item is no positive above the cut-off, and a missed one below it
    missed = sum(label != 0 for stratum, label in labelled if not is_above[stratum])
    hits = above.count(1)
    if len(labelled) == sealed.items:
        return _counted(hits, hits + missed, leaf.target)
    return recall_p(hits, hits + missed, leaf.target)


def _counted(hits: int, positives: int, target: Fraction) -> float:
    """Everything was read: nothing is left to chance."""
    return 0.0 if positives and Fraction(hits, positives) >= target else 1.0
