"""One range per metric: what verdict, card, estimate, dashboard and report all show.

One idea: the verdict is a statement about one end of the claimed metric's range, so that end is
taken from the verdict; the other end, and the ranges of other metrics, come from the same labels at
every look at once. Where a range and the verdict would contradict each other, the range gives way
by growing, which can only make it more certain.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace

from assaymark.certification.modes import mode_of
from assaymark.certification.modes.account import on_metric
from assaymark.certification.modes.mode import Range
from assaymark.certification.modes.prefix import Prefix
from assaymark.certification.modes.ranges import counted_range
from assaymark.certification.modes.words import nothing_to_count
from assaymark.claims.results import Verdict, percent
from assaymark.ledger.events import Attempt, State
from assaymark.records.plan import Plan

NO_RELEVANT = "no relevant item is labelled yet"
OF_ALL_ITEMS = ("accuracy", "precision", "specificity", "npv", "prevalence", "elusion")
STEP = 1e-4  # ranges are shown to four decimals
SPOKEN_OF = {
    "predicted positive": ("precision",),
    "predicted negative": ("elusion", "npv"),
}
"""Domain of a plan -> the metrics that its items say anything about."""


@dataclass(frozen=True, kw_only=True)
class Ranges:
    """The ranges of a plan's metrics, found when they are asked for."""

    state: State
    attempt: Attempt
    prefix: Prefix
    verdict: Verdict

    def of(self, name: str) -> Range:
        """The range of this metric; the claimed one agrees with the verdict."""
        if self.verdict.census:
            return counted_range(name, self._counted)
        plan = self.attempt.plan
        interval = mode_of(plan).metric_range(self.attempt, self.prefix, name)
        row = on_metric(self.verdict.claim, name)
        if row is not None and name in (self.verdict.claim.metric, "elusion", "npv"):
            interval = agreeing(interval, self.verdict, row, refutes=plan.kind.failure == "refuted")
            interval = replace(
                interval, point=self._verdict_point(flipped=name != self.verdict.claim.metric)
            )
        return _with_point_inside(replace(interval, point=None) if self._lacks(name) else interval)

    def why_no_point(self, name: str) -> str:
        """Why there is no estimate of this metric."""
        if self.verdict.census:
            return nothing_to_count(name)
        return NO_RELEVANT if self._lacks(name) else "no label says anything about it yet"

    def _lacks(self, name: str) -> bool:
        """Whether the metric is about relevant items and none is labelled: scores alone are no estimate."""
        return _lacks_relevant(name, self.attempt.plan, self.verdict, self.prefix.answers)

    def _verdict_point(self, *, flipped: bool) -> float | None:
        """The verdict's estimate, which counts items that nobody could tell against the claim."""
        point = self.verdict.estimate.point
        return None if point is None else 1 - point if flipped else point

    @property
    def _counted(self) -> list[tuple[bool, int | None]]:
        state = self.state
        return [
            (bool(p), state.label(i)) for i, p in state.predictions.items() if state.labelled(i)
        ]


def without_point(plan: Plan, prefix: Prefix, verdict: Verdict) -> str | None:
    """Why the claimed metric has no estimate; None where it has one, or nothing is labelled."""
    lacks = prefix.draws and _lacks_relevant(verdict.claim.metric, plan, verdict, prefix.answers)
    return NO_RELEVANT if lacks else None


def _lacks_relevant(
    name: str, plan: Plan, verdict: Verdict, answers: Collection[int | None]
) -> bool:
    has_relevant = 1 in answers or _knows_relevant(plan)
    return name not in OF_ALL_ITEMS and not verdict.census and not has_relevant


def _knows_relevant(plan: Plan) -> bool:
    """Whether relevant items were known at the seal, and so count as certain."""
    return any(ones for _, ones in plan.known_in_strata)


def first_estimate(plan: Plan, prefix: Prefix) -> int | None:
    """After how many draws the claimed metric has an estimate: at once, or with the first relevant item."""
    if plan.claim.metric in OF_ALL_ITEMS or _knows_relevant(plan):
        return 0
    return prefix.answers.index(1) + 1 if 1 in prefix.answers else None


def spoken_of(plan: Plan, names: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the metrics that the plan's items say anything about."""
    known = SPOKEN_OF.get(plan.domain)
    return names if known is None else tuple(name for name in names if name in known)


def agreeing(measured: Range, verdict: Verdict, row: tuple[str, float], *, refutes: bool) -> Range:
    """The range of the claimed metric with the verdict's own end, contradicting nothing it says.

    `row` is the claim's side and target in terms of the range's metric; `refutes` says that a failed
    verdict of this mode means that the claim is shown to be false.
    """
    side, target = row
    flipped = side != verdict.claim.side  # npv and elusion: one less the other
    interval = verdict.estimate.interval
    end = interval.low if verdict.claim.side == "lower" else interval.high
    proven = 1 - end if flipped else end
    refuted = verdict.decision == "fail" and refutes
    undecided = verdict.decision == "continue"
    if side == "lower":
        low = proven if proven > 0 else measured.low
        if verdict.decision != "pass":
            low = min(low, target - STEP)
        high = min(measured.high, target) if refuted else measured.high
        high = max(high, target) if undecided else high
        return replace(measured, low=max(low, 0.0), high=max(high, low))
    high = proven if proven < 1 else measured.high
    if verdict.decision != "pass":
        high = max(high, target + STEP)
    low = max(measured.low, target) if refuted else measured.low
    low = min(low, target) if undecided else low
    return replace(measured, low=min(low, high), high=min(high, 1.0))


def _with_point_inside(interval: Range) -> Range:
    if interval.point is None:
        return interval
    return replace(interval, point=min(max(interval.point, interval.low), interval.high))


def joint_words(plan: Plan, *, census: bool, metrics: int, claimed: bool) -> str:
    """At which level the ranges hold, each alone and all of them together.

    Each end of a range is wrong with at most half the risk; the end that the verdict proves, with the
    whole of it, and the end at which it refutes, with one more. All ends together: the sum.
    """
    if census:
        return "Every item was labelled, so these values are exact."
    risk = 1 - plan.confidence
    percentage = 2.5 if plan.kind.failure == "refuted" else 1.5
    words = f"Each range holds on its own with {percent(plan.confidence)} confidence"
    if not plan.kind.judged_once:
        words += ", at every look"
    if claimed:
        words += (
            f" (that of the claimed metric with {percent(1 - percentage * risk)}, because it must "
            "agree with the verdict, whose risk is counted too)"
        )
    if metrics > 1:
        together = (metrics + (percentage - 1 if claimed else 0.0)) * risk
        words += f"; all of them together with at least {percent(max(0.0, 1 - together))}"
    return f"{words}."
