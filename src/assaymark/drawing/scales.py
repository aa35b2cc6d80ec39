"""Axes: where a value lies between the two ends, and which numbers stand beside it."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

Numbers = Literal["plain", "count", "percent"]
Scale = Literal["linear", "sqrt", "log"]


@dataclass(frozen=True, kw_only=True)
class Axis:
    """A scale from `low` to `high`, or a row for each of `names`.

    `ticks` are the numbers to print: round ones where None, none where empty.
    """

    low: float = 0.0
    high: float = 1.0
    title: str = ""
    scale: Scale = "linear"
    numbers: Numbers = "plain"
    ticks: tuple[float, ...] | None = None
    grid: bool = False
    names: tuple[str, ...] = ()

    def share(self, value: float) -> float:
        """Where the value lies, from 0 at the low end to 1 at the high end; kept inside."""
        if self.names:  # the first row is at the top
            return 1 - (value + 0.5) / len(self.names)
        low, high = self._ends
        at = value if self.scale == "linear" else self._stretched(value)
        return min(max((at - low) / ((high - low) or 1), 0.0), 1.0)

    @cached_property
    def _ends(self) -> tuple[float, float]:
        return self._stretched(self.low), self._stretched(self.high)

    def _stretched(self, value: float) -> float:
        if self.scale == "sqrt":
            return math.sqrt(max(value, 0.0))
        return math.log10(max(value, 1e-12)) if self.scale == "log" else value

    def labels(self) -> list[tuple[float, str]]:
        """The places that have a number or a name, and what is printed there."""
        if self.names:
            return [(float(row), name) for row, name in enumerate(self.names)]
        ticks = self._round_ticks() if self.ticks is None else self.ticks
        return [(value, self._text(value)) for value in ticks if self.low <= value <= self.high]

    def _round_ticks(self) -> tuple[float, ...]:
        if self.scale == "log":
            first, last = (math.floor(math.log10(end)) for end in (self.low, self.high))
            return tuple(10.0**power for power in range(first, last + 1))
        about = 3 if self.scale == "sqrt" else 5
        steps = round_numbers(self.low, self.high, about=about)
        if self.numbers == "count":
            return tuple(value for value in steps if value == round(value))
        return tuple(steps)

    def _text(self, value: float) -> str:
        if self.numbers == "percent":
            return f"{100 * value:.4g}%"
        if self.numbers == "count":
            return f"{value:,.0f}"
        return f"{value:g}"


def round_numbers(low: float, high: float, *, about: int = 5) -> list[float]:
    """About this many round numbers between two ends."""
    if high <= low:
        return [low]
    raw = (high - low) / about
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * m for m in (1, 2, 2.5, 5, 10) if power * m >= raw * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    return [round(i * step, 10) for i in range(first, math.floor(high / step + 1e-9) + 1)]
