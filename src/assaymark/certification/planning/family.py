"""One promise over all plans on a pool."""

import math

from assaymark.claims.checks import open_share


def family_confidence(confidence: float, attempt: int) -> float:
    """The confidence of the k-th plan when all plans together shall keep the one asked for.

    The risk is split as 6/(π²k²), which sums to 1 over all attempts that there can ever be.
    """
    return 1 - (1 - open_share("confidence", confidence)) * 6 / (math.pi**2 * attempt**2)
