"""The risk of a single statement of a claim of several rows, as its kind and confidence give it."""

from fractions import Fraction

from assaymark.composite.sealed import SealedClaim

CHAINED = ("accuracy", "precision")
"""Metrics whose gaps at every offset live on the same items, so that bounds cost nothing."""


def whole_level(sealed: SealedClaim) -> float:
    """The risk of a statement where nothing but the claim's confidence bounds it."""
    alpha = 1.0 - sealed.confidence
    if sealed.kind != "comparison":
        return round(alpha, 12)
    metric = sealed.statements[0].tree.parts[0].figure.metric
    return level_of_comparison(alpha, metric, sealed.margin, sealed.only)


def level_of_comparison(
    alpha: float, metric: str, margin: Fraction | None, only: str | None
) -> float:
    """The risk of a single statement: both directions share `alpha`.

    So do "better" and "not worse by more than the margin" of one direction, where no chain makes
    the one wait for the other.
    """
    one = only is not None and (margin is None or metric in CHAINED)
    return round(alpha if one else alpha / 2, 12)
