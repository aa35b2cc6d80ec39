"""What a pair of cut-offs does to labelled items, and how many labels its promise needs."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from assaymark.claims.checks import open_share
from assaymark.errors import InputError
from assaymark.hints import option
from assaymark.stats import special
from assaymark.stats.labelled_scores import Flags, Floats, Labelled
from assaymark.triaging.triage import Cutoffs, Tally

DECIMALS = 9


def checked_target(target: float, *, majority: float | None = None) -> float:
    """The target accuracy; refused where saying the same of every item would already reach it."""
    open_share("target", target)
    if target < 0.5:
        raise InputError(f"'target' must be at least 0.5, got {target:g}: a coin reaches less.")
    if majority is not None and target <= majority:
        raise InputError(
            f"The target {target:g} is not above {majority:.4g}, the share of the more frequent label: "
            f"giving every item that label would reach it. Ask for more, or use {option('rule', 'sides')} or "
            "precision, which look at both classes."
        )
    return target


def as_ratio(target: float) -> Fraction:
    """The target as the decimal that was written: 0.9 is 9/10.

    >>> as_ratio(0.9)
    Fraction(9, 10)
    """
    ratio = Fraction(repr(float(target)))
    if ratio.denominator > 10**DECIMALS:
        raise InputError(f"'target' may have at most {DECIMALS} decimals, got {target!r}.")
    return ratio


def tally(data: Labelled, cutoffs: Cutoffs) -> Tally:
    """What these cut-offs do to labelled items."""
    accept, reject = decided(data.scores, cutoffs)
    positive = data.labels
    tp, fn = int((accept & positive).sum()), int((reject & positive).sum())
    fp, tn = int(accept.sum()) - tp, int(reject.sum()) - fn
    positives = int(positive.sum())
    return Tally(
        tp=tp,
        fp=fp,
        fn=fn,
        tn=tn,
        review_positive=positives - tp - fn,
        review_negative=data.size - positives - fp - tn,
    )


def decided(scores: Floats, cutoffs: Cutoffs) -> tuple[Flags, Flags]:
    """Which items are accepted, and which rejected."""
    nothing = np.zeros(len(scores), dtype=np.bool_)
    accept = nothing if cutoffs.high is None else scores >= cutoffs.high
    reject = nothing if cutoffs.low is None else scores <= cutoffs.low
    return accept, reject


def automated_share(scores: Floats, cutoffs: Cutoffs) -> float:
    """The share of these items that would not need people."""
    accept, reject = decided(scores, cutoffs)
    return float((accept | reject).mean())


def few_errors(errors: int, items: int, rate: float) -> float:
    """P(Bin(items, rate) ≤ errors): how surprising so few errors are if the rate is that high.

    >>> round(few_errors(0, 22, 0.1), 4)
    0.0985
    """
    if errors >= items:
        return 1.0
    return float(special.betainc(items - errors, errors + 1, 1 - rate))


def few_errors_in_pool(errors: int, items: int, *, wrong: int, size: int) -> float:
    """P(at most `errors` wrong among `items` drawn without replacement from `size` with `wrong`)."""
    least = max(0, items - (size - wrong))
    if errors < least:
        return 0.0
    counts = np.arange(least, min(errors, items, wrong) + 1)
    logs = _log_choose(wrong, counts) + _log_choose(size - wrong, items - counts)
    return float(min(1.0, np.exp(logs - _log_choose(size, np.array(items))).sum()))


def _log_choose(whole: int, part: NDArray[np.int64]) -> Floats:
    logs = (
        special.gammaln(whole + 1) - special.gammaln(part + 1) - special.gammaln(whole - part + 1)
    )
    return np.asarray(logs, dtype=np.float64)


def fewest_labels(target: float, delta: float) -> int:
    """The fewest automated labels that can ever pass: none of them wrong.

    >>> fewest_labels(0.9, 0.1)
    22
    """
    size = max(1, int(np.floor(np.log(delta) / np.log(target))))
    while few_errors(0, size, 1 - target) > delta:
        size += 1
    return size
