"""Stakes that end at a sealed number of draws: delta hedging of a truncated sequential test.

One idea: measured in information, the score of a test is a Brownian motion. A wealth of a/level can
be kept equal to the chance a of still crossing a slanted line before the end by holding the
derivative of that chance. The normal law only chooses stakes; the game is fair whatever it says.
"""

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from assaymark.claims.checks import open_share
from assaymark.claims.defaults import POWER
from assaymark.errors import InputError
from assaymark.stats.score_guided.kl_projection import Floats
from assaymark.stats.score_guided.wealth import Ints
from assaymark.stats.special import ndtr

SLOPE = 0.83  # of the line, in units of the whole information
SLOPES, STEPS = 129, 161  # the table of `delta`: part of the method's number
LEAST, MOST = 1e-15, 0.999  # chances between which there is anything to hedge
FARTHEST = 9.0
EXTRA, SHORT = 30, 0.015  # draws on top of a ceiling; power lost to what the normal law leaves out
TIMES = 400  # at which a course is worked out
WHOLE = 1e6  # information beyond this many draws for each one of the ceiling is everything
WIDEST = math.sqrt(-2.0 * math.log(LEAST))


def crossing(height: Floats, slope: Floats) -> Floats:
    """The chance that a Brownian motion crosses height + slope·s before time 1."""
    met: Floats = ndtr(-height - slope) + np.exp(-2.0 * height * slope) * ndtr(slope - height)
    return met


def _height(chance: Floats, slope: Floats) -> Floats:
    """The height at which the line is crossed with this chance: bisections, then Newton steps."""
    low, high = np.zeros(np.shape(chance)), np.full(np.shape(chance), FARTHEST)
    for _ in range(16):
        middle = 0.5 * (low + high)
        above = crossing(middle, slope) > chance
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    height = 0.5 * (low + high)
    for _ in range(2):
        height = height + (crossing(height, slope) - chance) / _falling(height, slope)
    heights: Floats = np.maximum(height, 0.0)
    return heights


def _falling(height: Floats, slope: Floats) -> Floats:
    """Minus the derivative of the crossing chance by the height."""
    density = np.exp(-0.5 * (height + slope) ** 2) / math.sqrt(2.0 * math.pi)
    pull = slope * np.exp(-2.0 * height * slope) * ndtr(slope - height)
    gradient: Floats = 2.0 * (density + pull)
    return gradient


@lru_cache(maxsize=1)
def delta_table() -> Floats:
    """−u′/u of the crossing chance u, by slope (rows) and by √(−2 ln u) (columns)."""
    slope = np.linspace(0.0, SLOPE, SLOPES)[:, None] + np.zeros(STEPS)
    depth = np.linspace(0.0, WIDEST, STEPS) + np.zeros((SLOPES, 1))
    height = _height(np.exp(-0.5 * depth * depth), slope)
    table: Floats = _falling(height, slope) / crossing(height, slope)
    table.flags.writeable = False
    return table


def slope_rows(left: Floats) -> Ints:
    """The table's rows for these shares of draws left."""
    rows: Ints = np.rint(np.sqrt(left) * (SLOPES - 1)).astype(np.int64) * STEPS
    return rows


@lru_cache(maxsize=1)
def _steps() -> tuple[Floats, Floats]:
    """The table in one line, and how much it rises to the next column."""
    flat = delta_table().ravel()
    return flat, np.append(flat[1:] - flat[:-1], 0.0)


def delta(chance: Floats, rows: Ints) -> Floats:
    """−u′/u at these crossing chances: linear between the table's columns."""
    flat, rise = _steps()
    depth = np.minimum(np.maximum(chance, LEAST), MOST)
    np.log(depth, out=depth)
    depth *= -2.0
    np.sqrt(depth, out=depth)
    depth *= (STEPS - 1) / WIDEST
    column = np.minimum(depth.astype(np.int64), STEPS - 2)
    np.subtract(depth, column, out=depth)
    column += rows
    depth *= rise.take(column, mode="clip")
    depth += flat.take(column, mode="clip")
    return depth


def _power(drift: float, level: float) -> float:
    """The chance that a Brownian motion with this drift crosses the line of a test of this level."""
    height = float(_height(np.array(level), np.array(SLOPE)))
    return float(crossing(np.array(height), np.array(SLOPE - drift)))


def _drift(power: float, level: float) -> float:
    low, high = 0.0, 30.0
    for _ in range(80):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if _power(middle, level) < power else (low, middle)
    return 0.5 * (low + high)


def ceiling(ideal: float, *, level: float, power: float = POWER) -> int:
    """The number of draws to seal if the truth is as expected: with this chance it passes in time.

    `ideal` is ln(1/level)/V*, the least any test needs on average at the expected truth.

    >>> ceiling(1000.0, level=0.05)
    1770
    """
    open_share("level", level)
    if not 0 < power < 1 - SHORT:
        raise InputError(f"'power' must be above 0 and below {1 - SHORT:g}, got {power:g}.")
    share = _drift(power - SHORT, level) ** 2 / (2.0 * math.log(1.0 / level))
    return math.ceil(share * ideal + EXTRA)


def chance_to_pass(
    most: int,
    *,
    ideal: float,
    level: float,
    margin: float = 1.0,
    information: Callable[[Floats], Floats] | None = None,
) -> float:
    """The chance to pass by this ceiling if the truth has that multiple of the margin of `ideal`.

    The law of a Brownian motion with drift and a line, in units of the ceiling less its extra draws;
    it leaves out what is learnt on the way, so up to 0.015 of the power is added back, and never more
    than half of what is missing. `information` says to how many draws with replacement the labels
    are worth: in a pool that is nearly used up the margin over what the rest must give grows, and the
    drift with it. None: the pool has no end.

    >>> round(chance_to_pass(1770, ideal=1000.0, level=0.05), 2)
    0.93
    >>> round(chance_to_pass(1770, ideal=1000.0, level=0.05, margin=0.5), 2)
    0.43
    """
    length = max(most - EXTRA, 1)
    time = np.linspace(0.0, 1.0, TIMES + 1)[1:]
    drift = margin * math.sqrt(2.0 * math.log(1.0 / level) * length / max(ideal, 1e-9))
    grown = 1.0 if information is None else _growth(information(time * length), length)
    height = float(_height(np.array(level), np.array(SLOPE)))
    missed = 1.0 - float(_crossed(time, drift * grown - SLOPE, height)[-1])
    back = min(SHORT, missed / 2.0) if margin >= 1 else 0.0
    return min(1.0 - missed + back, 1.0)


def _crossed(time: Floats, pull: Floats | float, height: float) -> Floats:
    """The chance of a Brownian motion with this drift towards a level to have met it by each time.

    Bachelier and Lévy. A drift that grows on the way is replaced, for each time, by its mean so far.
    """
    root = np.sqrt(time)
    with np.errstate(over="ignore", invalid="ignore"):
        back = np.exp(np.minimum(2.0 * pull * height, 700.0)) * ndtr((-pull * time - height) / root)
    passed = np.clip(ndtr((pull * time - height) / root) + back, 0.0, 1.0)
    rising: Floats = np.maximum.accumulate(passed)
    return rising


def _growth(information: Floats, length: float) -> Floats:
    """The mean drift so far over that of an endless pool, from the information by each time.

    One draw tells (margin/σ)², so the margin grows with the root of what a draw tells.
    """
    gained = np.diff(np.minimum(information, WHOLE * length), prepend=0.0)
    steps = np.arange(1, len(gained) + 1)
    growth: Floats = np.cumsum(np.sqrt(np.maximum(gained, 0.0) * len(gained) / length)) / steps
    return growth
