"""Why a rival errs less in a cell: the same estimate again, with one thing at a time put right."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from assaymark.lab.experiments.estimate_errors.estimators import (
    Question,
    aimed,
    fixed_samples,
    renewed_samples,
)
from assaymark.lab.worlds import Cuts, Floats

CLEAR = 2.0  # standard errors
FEW = 5.0  # labels that decide, on average: with fewer a sample is mostly luck
LEANING = 0.3  # of a rival's error: a bias that is said
AIM, STRATA, BIAS = (
    "labels aimed by the true rates of the strata",
    "27 strata in place of 9",
    "no bias",
)
CAUSE = {
    AIM: "scores put labels in the wrong place",
    STRATA: "strata are wide",
    BIAS: "bias, for where nothing was found little more is asked",
}
HAS = {
    "Sawade": "chances for single items, without a hedge",
    "OASIS": "chances that learn in ten steps",
    "AIPW": "chances for single items, and counts all scores",
    "random": "even chances",
}
FINE = Cuts(
    positive=tuple(1 - k / 9 for k in range(1, 9)),
    negative=tuple(float(share) for share in np.geomspace(0.75, 0.003, 17)),
)


@dataclass(frozen=True, kw_only=True)
class Measured:
    """The error and the bias of a way to estimate, and the standard error of the error."""

    error: float
    se: float
    bias: float

    @property
    def without_bias(self) -> float:
        """The error that would be left if the bias were known."""
        return float(np.sqrt(max(self.error**2 - self.bias**2, 0.0)))


def measured(points: Floats, truth: float) -> Measured:
    """The root mean squared error of these points, its standard error by the delta method, the bias."""
    square = (points - truth) ** 2
    root = float(np.sqrt(square.mean()))
    se = float(square.std()) / len(points) ** 0.5 / 2 / root if root else 0.0
    return Measured(error=root, se=se, bias=float(points.mean() - truth))


def over(mine: Measured, rival: Measured) -> tuple[float, float]:
    """Our error over the rival's, and the standard error of the ratio."""
    ratio = mine.error / rival.error
    if mine.error == 0:
        return 0.0, 0.0
    return ratio, ratio * float(np.hypot(mine.se / mine.error, rival.se / rival.error))


def deciding(ask: Question, rng: np.random.Generator) -> float:
    """How many labels of one sample say that a prediction was wrong where the metric turns on it.

    Misses among the predicted negatives for recall and F1, false alarms for precision.
    """
    pool = fixed_samples(ask, rng)
    if ask.alpha == 1:
        return float((pool.taken - pool.found).sum(axis=1).mean())
    return float(pool.found[:, ~pool.side].sum(axis=1).mean())


def finer(ask: Question, rng: np.random.Generator, *, renew: bool) -> Floats:
    """The estimate with three times as many strata."""
    if renew:
        return renewed_samples(ask, rng, cuts=FINE)[0].by_regression(rng)
    return fixed_samples(ask, rng, cuts=FINE).by_regression(rng)


def note(
    ask: Question,
    mine: Measured,
    rival: Measured,
    *,
    name: str,
    renew: bool,
    rng: Callable[[str], np.random.Generator],
) -> str:
    """What would have to be otherwise for the rival of this name to lose its lead, as far as is known."""
    truth = ask.world.value(ask.metric)
    changed = {
        AIM: measured(aimed(ask, rng("aimed")), truth),
        STRATA: measured(finer(ask, rng("finer"), renew=renew), truth),
        BIAS: Measured(error=mine.without_bias, se=0.0, bias=0.0),
    }
    said, few = [], deciding(ask, rng("deciding"))
    if few < FEW:
        what = "misses" if ask.alpha < 1 else "false alarms"
        said.append(f"luck: a sample holds {few:.1f} {what} on average")
    said.append(_cause(mine, rival, changed, name))
    if abs(rival.bias) > LEANING * rival.error:
        said.append(f"the rival is biased by {rival.bias:+.3f}")
    return "; ".join(said)


def _cause(mine: Measured, rival: Measured, changed: dict[str, Measured], name: str) -> str:
    """The change that lowers the error most, if by more than chance."""
    best = min(changed, key=lambda change: changed[change].error)
    gain = mine.error - changed[best].error
    if gain <= CLEAR * float(np.hypot(mine.se, changed[best].se)):
        return f"no change tried lowers the error by more than chance; the rival has {HAS[name]}"
    ratio = changed[best].error / rival.error
    part = "" if ratio <= 1 else "in part "
    return f"{part}{CAUSE[best]}: with {best} the ratio is {ratio:.2f}"
