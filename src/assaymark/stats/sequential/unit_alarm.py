"""Has a promise been broken? Alarms over units of random draws, one bet per unit, constant stakes.

A unit is a batch (or a week of small ones): N items, of which n random ones are read, n fixed when
the unit is opened. Its *excess* D ≥ −1 is an unbiased reading of how far the unit lies beyond the
promise, weighed by its items; for a promised accuracy with r = 1 − target it is
(N/N*)(X/r − 1), X the share wrong among the n, N* ≥ every N. With M(s,t) the mean over the stakes
κ of Π (1 + κD) from unit s to unit t:

- `average` goes off when M(1,t) ≥ 1/risk: the items so far, taken together, broke the promise;
- `ever` also bets on later starts, each with a part of the stake, over windows of at least W items;
- `yearly` gives every start the whole stake and goes off at Y/risk, Y units a year.

Whatever the units hold, an alarm while every counted window keeps the promise has chance at most
`risk` for ever (`average`, `ever`), or `risk` a year (`yearly`). Sources: Ville (1939); Shiryaev
(1963) and Roberts (1966) for the sum over starts; the proof is on the page audit-over-time.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assaymark.claims.checks import choice, open_share
from assaymark.errors import InputError

Floats = NDArray[np.float64]
UnitAlarm = Literal["ever", "yearly", "average"]
UNIT_ALARMS = ("ever", "yearly", "average")
STAKES = (0.05, 0.15, 0.4, 0.9)
FIRST_START = 0.5  # of the stake is on "broken from the first unit on"
LARGEST = 1e200
BISECTIONS = 60


@dataclass(frozen=True, kw_only=True)
class AlarmRule:
    """An alarm as it is sealed before the first label: which one, its risk, its windows, its stakes."""

    alarm: UnitAlarm
    risk: float
    window: int
    year: int = 52
    stakes: tuple[float, ...] = STAKES

    def __post_init__(self) -> None:
        choice("alarm", self.alarm, UNIT_ALARMS)
        open_share("risk", self.risk)
        if self.window < 1 or self.year < 1:
            raise InputError(
                f"A window holds at least 1 item and a year at least 1 unit, got {self.window} and "
                f"{self.year}."
            )
        if not self.stakes or not all(0 < stake < 1 for stake in self.stakes):
            raise InputError(f"Stakes lie between 0 and 1, got {self.stakes}.")

    @property
    def needed(self) -> float:
        """The evidence at which the alarm goes off."""
        return (self.year if self.alarm == "yearly" else 1) / self.risk


@dataclass(frozen=True, kw_only=True)
class Rang:
    """An alarm: the unit at which it rang, and the start that earned most, with what it earned.

    The window from `since` to `unit` is `proved` broken only if that start alone, with its part of
    the stake, reaches 1/risk; otherwise it is a guess at where the trouble began. Units count from 1.
    """

    unit: int
    since: int
    proved: bool


def wrong_excess(
    wrong: ArrayLike, draws: ArrayLike, items: ArrayLike, *, largest: int, target: float
) -> Floats:
    """The excess of each unit for a promised accuracy; `wrong` may count unclear draws in part.

    >>> wrong_excess([0, 2, 4], 20, 1000, largest=1000, target=0.9).tolist()
    [-1.0, 0.0, 1.0]
    """
    open_share("target", target)
    sizes = np.asarray(items, dtype=np.float64)
    if np.any(sizes > largest):
        raise InputError(
            f"A unit of {int(sizes.max()):,} items is larger than the largest one that was sealed, "
            f"{largest:,}. Cut it at random into smaller units before drawing."
        )
    # of target as it is written: 1 − 0.9 is a little less than a tenth
    rate = round(1 - target, 15)
    share = np.asarray(wrong, dtype=np.float64) / np.asarray(draws, dtype=np.float64)
    return np.asarray(sizes / largest * (share / rate - 1))


def start_weights(units: int) -> Floats:
    """The parts of the stake for the starts at unit 1, 2, …; over all units they sum to 1.

    >>> start_weights(3).round(4).tolist()
    [0.5, 0.1845, 0.0655]
    """
    weights = np.full(units, FIRST_START)
    steps = 1 / np.log2(np.arange(2, units + 2))
    weights[1:] = (1 - FIRST_START) * -np.diff(steps)
    return weights


def wealth_path(excess: ArrayLike, items: ArrayLike, rule: AlarmRule) -> Floats:
    """The evidence after each unit, for each row of excesses; the alarm goes off at `rule.needed`."""
    rows = np.atleast_2d(np.asarray(excess, dtype=np.float64))
    wealth = np.zeros(rows.shape)
    weights = _weights(rule, rows.shape[1])
    for unit, (means, counted) in enumerate(_windows(rows, items, rule)):
        wealth[:, unit] = means @ (weights[: unit + 1] * counted)
    return wealth


def _weights(rule: AlarmRule, units: int) -> Floats:
    if rule.alarm == "yearly":
        return np.ones(units)
    return start_weights(units) if rule.alarm == "ever" else np.eye(1, units)[0]


def _windows(
    rows: Floats, items: ArrayLike, rule: AlarmRule
) -> Iterator[tuple[Floats, NDArray[np.bool_]]]:
    """After each unit: M(s,t) for every start s so far, and which of these windows count.

    A window shorter than W items counts as nothing; that from the first unit on always counts,
    except for `yearly`.
    """
    if np.any(rows < -1 - 1e-9):
        raise InputError("The excess of a unit is at least −1: its size is above the sealed one.")
    stakes = np.array(rule.stakes)
    units = rows.shape[1]
    ends = np.cumsum(np.broadcast_to(np.asarray(items, dtype=np.int64), (units,)))
    begins = np.concatenate([[0], ends[:-1]])
    products = np.ones((len(rows), units, len(stakes)))
    for unit in range(units):
        factor = 1 + stakes * np.maximum(rows[:, unit, None], -1.0)
        open_starts = products[:, : unit + 1]
        np.minimum(open_starts * factor[:, None, :], LARGEST, out=open_starts)
        counted = ends[unit] - begins[: unit + 1] >= rule.window
        if rule.alarm != "yearly":
            counted[0] = True
        yield open_starts.mean(axis=2), counted


def rings(excess: Sequence[float], items: Sequence[int], rule: AlarmRule) -> Rang | None:
    """The first alarm along these units; None if there was none. It stays, whatever comes later."""
    rows = np.atleast_2d(np.asarray(excess, dtype=np.float64))
    weights, named = _weights(rule, rows.shape[1]), start_weights(rows.shape[1])
    for unit, (means, counted) in enumerate(_windows(rows, items, rule)):
        if float(means[0] @ (weights[: unit + 1] * counted)) < rule.needed:
            continue
        start = int(np.argmax(np.where(counted, means[0], -math.inf)))
        # the whole stake of the average lies on the first start: it proves no other window
        alone = float(start == 0) if rule.alarm == "average" else named[start]
        proved = bool(alone * means[0, start] >= 1 / rule.risk)
        return Rang(unit=unit + 1, since=start + 1, proved=proved)
    return None


def accuracy_upper(
    wrong: ArrayLike, draws: ArrayLike, items: ArrayLike, *, largest: int, risk: float
) -> float:
    """An upper limit on the accuracy of all items so far: the least that the average refutes.

    The bets fall as the allowed rate rises, so the limit is found by halving.
    """
    rule = AlarmRule(alarm="average", risk=risk, window=1)
    low, high = 0.0, 1.0
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        if middle <= 0 or middle >= 1 or round(1 - middle, 15) <= 0:
            break
        bets = wrong_excess(wrong, draws, items, largest=largest, target=middle)
        refuted = wealth_path(bets, items, rule)[0, -1] >= rule.needed
        low, high = (low, middle) if refuted else (middle, high)
    return high
