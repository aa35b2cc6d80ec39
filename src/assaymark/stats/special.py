"""SciPy's special functions, loaded when one of them is first called.

Loading them is half of the start of a short command, and most commands call none. Log-odds, which
every walk of a score-guided plan needs, are therefore worked out here where there are few of them: by
the formulas of SciPy and the same C library, so to the last bit as SciPy gives them.
"""

import math
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

FEW = 256  # numbers; more are done faster by SciPy, and all are once it is loaded


def _loaded(name: str) -> Callable[..., Any]:
    known: list[Callable[..., Any]] = []

    def function(*arguments: Any, **options: Any) -> Any:
        if not known:
            import scipy.special

            known.append(getattr(scipy.special, name))
        return known[0](*arguments, **options)

    function.__name__ = name
    return function


def _short(name: str, one: Callable[[float], float]) -> Callable[[Any], Any]:
    """The function of SciPy, with `one` in its place while the numbers are few."""
    many = _loaded(name)

    def function(values: Any) -> Any:
        if isinstance(values, float):
            return one(values)
        numbers = np.asarray(values, dtype=np.float64)
        if numbers.size > FEW or "scipy.special" in sys.modules:
            return many(numbers)
        return np.array([one(x) for x in numbers.ravel().tolist()]).reshape(numbers.shape)

    function.__name__ = name
    return function


def _expit(x: float) -> float:
    try:
        return 1.0 / (1.0 + math.exp(-x))
    except OverflowError:
        return 0.0


def _logit(p: float) -> float:
    if not 0.0 < p < 1.0:
        return {0.0: -math.inf, 1.0: math.inf}.get(p, math.nan)
    if p < 0.3 or p > 0.65:
        return math.log(p / (1.0 - p))
    twice = 2.0 * (p - 0.5)  # near one half the quotient would lose digits
    return math.log1p(twice) - math.log1p(-twice)


if TYPE_CHECKING:
    from scipy.special import (
        bdtr,
        bdtrc,
        betainc,
        betaincc,
        betaincinv,
        betaln,
        entr,
        expit,
        gammaln,
        logit,
        logsumexp,
        ndtr,
        ndtri,
        stdtrit,
        xlog1py,
        xlogy,
    )
else:
    expit, logit = _short("expit", _expit), _short("logit", _logit)
    bdtr, bdtrc, entr = map(_loaded, ("bdtr", "bdtrc", "entr"))
    xlogy, xlog1py = map(_loaded, ("xlogy", "xlog1py"))
    betainc, betaincc, betaincinv = map(_loaded, ("betainc", "betaincc", "betaincinv"))
    betaln, gammaln, logsumexp = map(_loaded, ("betaln", "gammaln", "logsumexp"))
    ndtr, ndtri, stdtrit = map(_loaded, ("ndtr", "ndtri", "stdtrit"))

__all__ = [
    "bdtr",
    "bdtrc",
    "betainc",
    "betaincc",
    "betaincinv",
    "betaln",
    "entr",
    "expit",
    "gammaln",
    "logit",
    "logsumexp",
    "ndtr",
    "ndtri",
    "stdtrit",
    "xlog1py",
    "xlogy",
]
