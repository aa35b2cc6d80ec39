"""What a comparison may cost, told from the share of disagreement before any label."""

import math

from assaymark.composite.sealed import SealedClaim

WINS = {"b is right in 2 of 3 of them": 2 / 3, "b is right in 3 of 5 of them": 3 / 5}


def expected_labels(sealed: SealedClaim) -> dict[str, int] | None:
    """Labels by the share of disagreements that b wins; None where the metric does not tell.

    ln(1/level) over the divergence of that share from a half: what a bet gains from one label.
    """
    if sealed.kind != "comparison" or sealed.metric != "accuracy":
        return None
    return {when: _labels(sealed, share) for when, share in WINS.items()}


def _labels(sealed: SealedClaim, share: float) -> int:
    gain = share * math.log(2 * share) + (1 - share) * math.log(2 * (1 - share))
    return min(sealed.disagree, max(30, math.ceil(-math.log(sealed.level) / gain)))
