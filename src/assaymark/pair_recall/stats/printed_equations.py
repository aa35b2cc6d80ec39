"""The paper's equations as they are printed: from precisions and set sizes to a recall.

*Source*: Bommannavar, Kolcz, Rajaraman, KDD 2014, Eq. 1 and Eq. 2. For labelled samples use
`assaymark.pair_recall.stats.capture_recapture`, whose estimates have intervals and never exceed 1.
"""

from assaymark.errors import InputError


def recall_by_independence(
    *, joint_precision: float, joint: float, other_precision: float, other: float
) -> float:
    """Eq. 1: recall of one classifier from the joint set and the *other* classifier's set.

    >>> round(recall_by_independence(
    ...     joint_precision=0.938, joint=1433, other_precision=0.264, other=7703), 3)
    0.661
    """
    _precision("joint_precision", joint_precision)
    _precision("other_precision", other_precision)
    if other_precision * other <= 0:
        raise InputError("The other classifier finds no positives, so it cannot tell any recall.")
    return joint_precision * joint / (other_precision * other)


def recall_upper_bound(
    *,
    precision: float,
    flagged: float,
    other_precision: float,
    other: float,
    joint: float,
    universe: float | None,
) -> float:
    """Eq. 2, which guesses the joint precision: an upper bound on Eq. 1, not an estimate.

    *Assumes* that false positives of the two attract each other (δ2 ≥ 1), which they do in
    practice; then the guessed joint precision is too high. Can exceed 1.

    >>> round(recall_upper_bound(precision=0.904, flagged=1783, other_precision=0.264, other=7703,
    ...                          joint=1433, universe=800_000), 3)
    0.704
    """
    _precision("precision", precision)
    _precision("other_precision", other_precision)
    if universe is None or universe <= 0:
        raise InputError(
            "Eq. 2 needs the size of the whole collection, which is missing: give 'universe'."
        )
    if joint <= 0:
        raise InputError(EMPTY)
    if other_precision * other <= 0:
        raise InputError("The other classifier finds no positives, so it cannot tell any recall.")
    false = (1 - precision) * (1 - other_precision) * flagged * other / (universe * joint)
    return max(0.0, 1 - false) * joint / (other_precision * other)


def _precision(name: str, value: float) -> None:
    if not 0 <= value <= 1:
        raise InputError(f"'{name}' must be between 0 and 1, got {value!r}.")


EMPTY = (
    "No item is flagged by both classifiers, so nothing tells how much of one the other finds. Use "
    "classifiers that agree on some items, for instance with lower thresholds."
)
