"""How often somebody may fail before they are asked to wait."""

from collections.abc import Callable

RATE, BURST = 40.0, 120.0  # failed requests per second and at once, of one session or address
MOST_KNOWN = 10_000


class Buckets:
    """A number of failures at once, refilled at a steady rate, for each who asks."""

    def __init__(self, *, rate: float, burst: float, clock: Callable[[], float]) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, who: str) -> bool:
        """Count a failure of theirs; whether it was still a fair one."""
        left = self._now_left(who)
        self._left.pop(who, None)  # whoever failed last is forgotten last
        self._left[who] = (max(left - 1, 0.0), self._clock())
        if len(self._left) > MOST_KNOWN:  # nobody may fill the memory with invented addresses
            del self._left[next(iter(self._left))]
        return left >= 1

    def spent(self, who: str) -> bool:
        """Whether they failed so often that they must wait."""
        return self._now_left(who) < 1

    def _now_left(self, who: str) -> float:
        now = self._clock()
        left, then = self._left.get(who, (self._burst, now))
        return min(self._burst, left + (now - then) * self._rate)
