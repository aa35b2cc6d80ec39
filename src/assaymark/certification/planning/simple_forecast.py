"""What a claim will cost on simple random samples: judged once, within a budget, or at any time.

Draws are made with replacement in law, so the chance to pass does not depend on how large the pool is:
sizes that are sealed count draws. Somebody who draws an item again has its label already, so what is
bought counts different items, which is less wherever the pool is not far larger than the sample.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from assaymark.claims.claim import Counts
from assaymark.claims.results import ModeForecast, Size
from assaymark.errors import InputError
from assaymark.records.plan import Expectation
from assaymark.stats.beta_posterior import Belief, cells
from assaymark.stats.distinct_items import distinct_items, mean_labels
from assaymark.stats.sample_size import Planner, labels_needed
from assaymark.stats.sequential.alpha_spending import spending_boundary, spending_test
from assaymark.stats.sequential.beta_mixture import mixture_boundary, mixture_test
from assaymark.stats.sequential.stopping_boundary import Belief as ShareBelief
from assaymark.stats.sequential.stopping_boundary import Stopping, stopping
from assaymark.stats.special import bdtrc

NOT_MET = "the claim is not expected to hold"
FAR = 4  # an anytime test is followed to this many times the fixed number of informative items
UNKNOWN = 8_000  # informative items that it is followed to where no fixed test passes
ROUNDS = (
    3  # times the pool in draws: then 95 of 100 items are labelled, and nobody goes on for long
)
LONGEST = 32_000  # informative items beyond which nobody plans a test


@dataclass(frozen=True, kw_only=True)
class Course:
    """How successes come: their share, how many items are informative, and how sure that is.

    `items` is the number of items drawn from; None where it is not known, and draws are not repeated.
    """

    share: float
    rate: float
    belief: ShareBelief | None
    items: int | None = None

    @property
    def law(self) -> float | ShareBelief:
        """The share, or what is believed about it."""
        return self.share if self.belief is None else self.belief

    def labels(self, draws: int | None) -> int | None:
        """Different items among that number of draws, to be labelled."""
        return None if draws is None else math.ceil(distinct_items(draws, self.items) - 1e-9)


def course_of(planner: Planner, expectation: Expectation, *, items: int | None = None) -> Course:
    """The claim's successes under the planner's belief, in the items a simple sample draws from."""
    test = planner.test
    rate = planner.informative(1)
    won = [s and (s or f) for s, f in zip(test.success, test.failure, strict=True)]
    shares = cells(_within(planner))
    wins = sum(share for share, here in zip(shares, won, strict=True) if here)
    believed = None
    if expectation.pilot is not None:
        successes, trials = test.tally(_pilot(planner, expectation.pilot))
        believed = ShareBelief(successes=successes + 0.5, failures=trials - successes + 0.5)
    return Course(share=wins / rate if rate else 0.0, rate=rate, belief=believed, items=items)


def _within(planner: Planner) -> Belief:
    belief = planner.belief
    return Belief(
        share=planner.share, retrieved=belief.retrieved, rest=belief.rest, known=belief.known
    )


def _pilot(planner: Planner, pilot: Counts) -> Counts:
    if planner.share == 1.0:
        return Counts(tp=pilot.tp, fp=pilot.fp, fn=0, tn=0)
    if planner.share == 0.0:
        return Counts(tp=0, fp=0, fn=pilot.fn, tn=pilot.tn)
    return pilot


def chance_within(stop: Stopping, rate: float, draws: int) -> float:
    """The chance to pass within this many draws, when `rate` of them are informative."""
    items = np.arange(1, len(stop.chance))
    reached = np.where(items <= draws, bdtrc(np.minimum(items, draws) - 1, draws, rate), 0.0)
    return float(stop.chance[0] + (stop.chance[1:] * reached).sum())


def draws_for(stop: Stopping, rate: float, level: float) -> int | None:
    """The least number of draws within which the chance to pass reaches the level."""
    if stop.passes < level:
        return None
    low, high = 0, math.ceil((stop.horizon + 10 * math.sqrt(stop.horizon) + 20) / rate)
    while high - low > 1:
        middle = (low + high) // 2
        good = chance_within(stop, rate, middle) >= level
        low, high = (low, middle) if good else (middle, high)
    return high


def simple_modes(
    planner: Planner, expectation: Expectation, power: float, *, items: int | None, budget: bool
) -> dict[str, ModeForecast]:
    """The forecast of each mode on simple samples, from a pool of that size; None: from any number."""
    size = _fixed_size(planner, power)
    course = course_of(planner, expectation, items=items)
    modes = {"fixed": fixed_forecast(course, size)}
    if course.share <= planner.test.null_share or course.rate == 0:
        missing = ModeForecast(reason=NOT_MET)
        return modes | {"budget": missing, "anytime": missing}
    if budget:
        unreachable = ModeForecast(reason=size.reason)
        modes["budget"] = (
            budget_forecast(planner, course, size, power) if size.labels else unreachable
        )
    return modes | {"anytime": _anytime_forecast(planner, course, size, power)}


@lru_cache(maxsize=64)
def _fixed_size(planner: Planner, power: float) -> Size:
    return labels_needed(planner, power=power)


def fixed_forecast(course: Course, size: Size) -> ModeForecast:
    """A test judged once; where it is no smaller than the pool, everything is read and known."""
    whole = size.labels is not None and course.items is not None and size.labels >= course.items
    labels = course.items if whole else course.labels(size.labels)
    return ModeForecast(
        labels=course.items if whole else size.labels,
        informative=size.informative,
        power=1.0 if whole else size.power,
        expected=labels,
        median=labels,
        quantile=labels,
        reason=size.reason,
    )


def budget_forecast(planner: Planner, course: Course, size: Size, power: float) -> ModeForecast:
    """A budget that passes with the power asked for, and what of it is really used."""
    planned = math.ceil(1.17 * (size.informative or 3000.0)) + 1
    for _ in range(12):
        try:
            test = spending_test(planner.claim, confidence=planner.confidence, planned=planned)
        except InputError as error:
            return ModeForecast(reason=error.message)
        stop = stopping(spending_boundary(test), course.law)
        spare = 1.5 / math.sqrt(planned) if course.rate < 1 else 0.0  # else every draw counts
        draws = math.ceil(planned / course.rate * (1 + spare))
        reached = chance_within(stop, course.rate, draws)
        if reached >= power or size.informative is None or planned > LONGEST:
            break
        planned = math.ceil(1.1 * planned)
    return ModeForecast(
        labels=draws,
        informative=planned,
        power=reached,
        expected=mean_labels(stop, rate=course.rate, items=course.items),
        median=course.labels(draws_for(stop, course.rate, 0.5)),
        quantile=course.labels(draws_for(stop, course.rate, power)),
    )


@lru_cache(maxsize=64)
def _anytime_forecast(planner: Planner, course: Course, size: Size, power: float) -> ModeForecast:
    test = mixture_test(planner.claim, confidence=planner.confidence)
    stop = stopping(mixture_boundary(test, _horizon(course, size)), course.law)
    mean = mean_labels(stop, rate=course.rate, items=course.items)
    return ModeForecast(
        expected=mean if size.informative is not None else mean + _read_on(stop, course),
        median=_until(course, draws_for(stop, course.rate, 0.5)),
        quantile=_until(course, draws_for(stop, course.rate, power)),
    )


def _read_on(stop: Stopping, course: Course) -> float:
    """Labels on average after the horizon, where whoever has not passed reads every item."""
    if course.items is None:
        return 0.0
    read = course.labels(math.ceil(stop.horizon / course.rate)) or 0
    return (1.0 - stop.passes) * (course.items - read)


def _until(course: Course, draws: int | None) -> int | None:
    """Labels of that number of draws; whoever does not pass before goes on until every item is read."""
    return course.items if draws is None else course.labels(draws)


def _horizon(course: Course, size: Size) -> int:
    """Informative items that an anytime test is followed to: enough for nearly every one to pass."""
    far = UNKNOWN if size.informative is None else math.ceil(FAR * size.informative) + 50
    if course.items is not None:
        far = min(far, math.ceil(ROUNDS * course.items * course.rate) + 50)
    return min(LONGEST, far)
