"""The sealed terms of sentinels: what is watched, where strata are cut, and when the alarm goes off."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from assaymark.claims.record import plain
from assaymark.claims.results import percent
from assaymark.monitoring.stats.sentinel_bets import STAKES, Bar
from assaymark.stats.sequential.unit_alarm import AlarmRule, UnitAlarm


@dataclass(frozen=True, kw_only=True)
class WatchedBar:
    """A certified lower bar that is watched; `least` is what its bet may lose in a unit at most."""

    claim: str
    metric: str
    target: float
    least: float

    @property
    def bar(self) -> Bar:
        """The bar as the bets know it."""
        return Bar(metric=self.metric, target=self.target)


@dataclass(frozen=True, kw_only=True)
class SentinelTerms:
    """What was sealed when sentinels started.

    Scores from `threshold` up are predicted positives, and `cut` parts the others into near and far.
    `sizes` and `draws` are those of a typical unit, per stratum; no unit may hold more than
    `positives` or `items`.
    """

    claim: str
    bars: tuple[WatchedBar, ...]
    alarm: UnitAlarm
    confidence: float
    year: int
    deadline: int | None
    window: int
    threshold: float
    cut: float | None
    sizes: tuple[int, ...]
    draws: tuple[int, ...]
    positives: int
    items: int

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> "SentinelTerms":
        """The terms that were stored as this."""
        bars = settings.get("parts") or [settings]
        return cls(
            claim=str(settings["claim"]),
            bars=tuple(
                WatchedBar(
                    claim=str(bar["claim"]),
                    metric=bar["metric"],
                    target=bar["target"],
                    least=float(bar["least"]),
                )
                for bar in bars
            ),
            deadline=settings.get("deadline"),
            cut=settings.get("cut"),
            sizes=tuple(settings["sizes"]),
            draws=tuple(settings["draws"]),
            **{name: settings[name] for name in PLAIN},
        )

    def to_settings(self) -> dict[str, Any]:
        """The terms as they are stored: those of a single bar stand beside the others."""
        bars = [plain(bar) for bar in self.bars]
        several = {"claim": self.claim, "parts": bars}
        return {
            "start": True,
            **(bars[0] if len(bars) == 1 else several),
            "alarm": self.alarm,
            "confidence": self.confidence,
            "year": self.year,
            "deadline": self.deadline,
            "window": self.window,
            "threshold": self.threshold,
            "cut": self.cut,
            "sizes": list(self.sizes),
            "draws": list(self.draws),
            "positives": self.positives,
            "items": self.items,
        }

    @property
    def by_bar(self) -> tuple["SentinelTerms", ...]:
        """The terms of each bar that is watched; several share the risk equally (union bound)."""
        if len(self.bars) == 1:
            return (self,)
        share = 1 - (1 - self.confidence) / len(self.bars)
        return tuple(
            replace(self, claim=bar.claim, bars=(bar,), confidence=share) for bar in self.bars
        )

    @property
    def rule(self) -> AlarmRule:
        """The alarm as it was sealed."""
        return AlarmRule(
            alarm=self.alarm,
            risk=round(1 - self.confidence, 12),
            window=self.window,
            year=self.year,
            stakes=STAKES,
        )

    @property
    def null(self) -> str:
        """Null hypothesis of the alarm: what is true while the certificate holds, and how often it errs."""
        risk = percent(round(1 - self.confidence, 6))
        kept = f"{self.claim} over all items"
        window = f"of every window of at least {self.window:,} items"
        nulls = {
            "ever": f"{kept} since sentinels started and {window}, taken together. Then it ever goes off "
            f"with chance at most {risk}",
            "yearly": f"{kept} {window}, taken together. Then it goes off with chance at most {risk} in a "
            f"year of {self.year} units",
            "average": f"{kept} since sentinels started, taken together. Then it ever goes off with chance "
            f"at most {risk}",
        }
        return f"{nulls[self.alarm]}."


PLAIN = ("alarm", "confidence", "year", "window", "threshold", "positives", "items")
"""Terms that are stored as they are."""
