"""What a claim will cost in every mode, computed before anything is bought."""

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from assaymark.certification.planning.belief import belief_in_pool, belief_of, stratum_rates
from assaymark.certification.planning.expected_value import implied_value
from assaymark.certification.planning.forecast_words import false_words, refuse_the_edge
from assaymark.certification.planning.strata import domain_strata
from assaymark.claims.claim import Claim, Counts
from assaymark.claims.defaults import POWER
from assaymark.claims.ratio_metrics import binomial_test
from assaymark.claims.results import Basis, Forecast, ModeForecast, Size
from assaymark.errors import InputError
from assaymark.records.plan import Expectation
from assaymark.records.pool import PoolSummary
from assaymark.records.strata import Stratum
from assaymark.stats.beta_posterior import Belief, cells
from assaymark.stats.betting.hedge import ceiling, course
from assaymark.stats.sample_size import Planner, elusion_floor, labels_needed
from assaymark.stats.score_guided.forecast import forecast as expected_labels
from assaymark.stats.score_guided.supermartingale import Stratum as TestStratum
from assaymark.stats.score_guided.supermartingale import WeightedTest
from assaymark.stats.sequential.alpha_spending import spending_boundary, spending_test
from assaymark.stats.sequential.beta_mixture import mixture_boundary, mixture_test
from assaymark.stats.sequential.stopping_boundary import Belief as ShareBelief
from assaymark.stats.sequential.stopping_boundary import Stopping, stopping
from assaymark.stats.special import bdtrc

NOT_MET = "the claim is not expected to hold"
FAR = 4  # an anytime test is followed to this many times the fixed number of informative items
LONGEST = 8_000  # informative items beyond which nobody plans a test


@dataclass(frozen=True, kw_only=True)
class Course:
    """How successes come: their share, how many items are informative, and how sure that is."""

    share: float
    rate: float
    belief: ShareBelief | None

    @property
    def law(self) -> float | ShareBelief:
        """The share, or what is believed about it."""
        return self.share if self.belief is None else self.belief


def course_of(planner: Planner, expectation: Expectation) -> Course:
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
    return Course(share=wins / rate if rate else 0.0, rate=rate, belief=believed)


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


def chance_within(course: Stopping, rate: float, labels: int) -> float:
    """The chance to pass within this many labels, when `rate` of them are informative."""
    items = np.arange(1, len(course.chance))
    reached = np.where(items <= labels, bdtrc(np.minimum(items, labels) - 1, labels, rate), 0.0)
    return float(course.chance[0] + (course.chance[1:] * reached).sum())


def labels_for(course: Stopping, rate: float, level: float) -> int | None:
    """The least number of labels within which the chance to pass reaches the level."""
    if course.passes < level:
        return None
    low, high = 0, math.ceil((course.horizon + 10 * math.sqrt(course.horizon) + 20) / rate)
    while high - low > 1:
        middle = (low + high) // 2
        good = chance_within(course, rate, middle) >= level
        low, high = (low, middle) if good else (middle, high)
    return high


@lru_cache(maxsize=256)
def forecast(
    claim: Claim,
    expectation: Expectation,
    *,
    confidence: float = 0.95,
    power: float = POWER,
    summary: PoolSummary | None = None,
    strata: tuple[Stratum, ...] = (),
    basis: Basis = "expectation",
    to_a_ceiling: bool = False,
    known: tuple[tuple[int, int], ...] = (),
    budget: bool = True,
) -> Forecast:
    """How many labels the claim needs in each mode; the score-guided one where strata are known.

    `basis` says what the expectation rests on. Where the claim is expected not to hold, no mode has
    numbers and `looks_false` says why; an expected value on the target itself is refused. A
    score-guided plan with a ceiling is for those who are sure of what they expect: it has a row where
    it was asked for (`to_a_ceiling`), and is never recommended by itself. `known` labels (0 and 1) of
    each stratum are not bought again: they leave a score-guided plan, and answer draws of the others.
    The mode with a budget takes longest to work out; whoever has no use for its row leaves it out.
    """
    belief = belief_of(expectation) if summary is None else belief_in_pool(expectation, summary)
    planner = Planner(claim=claim, belief=belief, confidence=confidence)
    basis = "pilot" if expectation.pilot is not None else basis
    value = expected_value(claim, expectation, summary)
    if basis == "expectation":
        refuse_the_edge(claim, value)
    modes: dict[str, ModeForecast] = {}
    if binomial_test(claim) is not None:
        modes |= _simple_modes(planner, expectation, power, budget=budget)
    if strata:
        modes["score-guided"] = weighted_forecast(
            claim, strata, belief, confidence=confidence, known=known
        )
    top = None if summary is None else domain_strata(claim, summary)[0].items
    if top is not None:
        modes = {name: _within_pool(mode, top) for name, mode in modes.items()}
    if top and known:
        bought = 1 - sum(map(sum, known)) / top
        simple = modes.keys() - {"score-guided"}
        modes |= {name: _bought(modes[name], bought) for name in simple}
    name, why = recommend(modes, basis)
    looks_false = None if name else false_words(claim, value, basis)
    if (
        looks_false and basis == "scores"
    ):  # raw scores are often off, so they close no way that is open
        modes = {n: ModeForecast() if n in OPEN_ENDED else mode for n, mode in modes.items()}
        name = next(n for n in OPEN_ENDED if n in modes)
        why = "it goes on until the claim is decided"
    if to_a_ceiling and strata:
        modes["ceiling"] = ceiling_forecast(
            modes["score-guided"],
            confidence=confidence,
            power=power,
            items=sum(stratum.items for stratum in strata) - sum(map(sum, known)),
        )
    return Forecast(
        claim=claim,
        reachable_power=planner.reachable(),
        elusion_floor=elusion_floor(
            planner, power=power, pool=summary.items if summary is not None else None
        ),
        modes=modes,
        recommended=name,
        why=why,
        value=value,
        basis=basis,
        looks_false=looks_false,
        read_all=_read_all(modes, name, top),
    )


def expected_value(
    claim: Claim, expectation: Expectation, summary: PoolSummary | None
) -> float | None:
    """The claimed metric's value under the expectation; None where it is undefined."""
    share = 0.0 if summary is None else summary.predicted_positive / summary.items
    return implied_value(
        claim,
        expectation,
        share=share or expectation.prevalence or 0.5,
        of_relevant=not share,
    )


NEARLY = (
    0.75  # of all items: an average this near to all of them saves nothing that is worth a proof
)


def _read_all(modes: dict[str, ModeForecast], name: str | None, items: int | None) -> int | None:
    """The number of items, where the recommended mode would read nearly all of them."""
    if name is None or items is None:
        return None
    return items if (modes[name].expected or 0.0) >= NEARLY * items else None


def _within_pool(mode: ModeForecast, items: int) -> ModeForecast:
    """No mode needs more than the whole pool: then everything is labelled, and known."""
    return replace(
        mode,
        labels=None if mode.labels is None else min(mode.labels, items),
        expected=None if mode.expected is None else min(mode.expected, float(items)),
        median=None if mode.median is None else min(mode.median, items),
        quantile=None if mode.quantile is None else min(mode.quantile, items),
    )


def _bought(mode: ModeForecast, share: float) -> ModeForecast:
    """What is bought where only this share of the draws has no label yet; the plan's size stays."""
    return replace(
        mode,
        expected=None if mode.expected is None else mode.expected * share,
        median=None if mode.median is None else math.ceil(mode.median * share),
        quantile=None if mode.quantile is None else math.ceil(mode.quantile * share),
    )


def _simple_modes(
    planner: Planner, expectation: Expectation, power: float, *, budget: bool
) -> dict[str, ModeForecast]:
    size = _fixed_size(planner, power)
    modes = {
        "fixed": ModeForecast(
            labels=size.labels,
            informative=size.informative,
            power=size.power,
            expected=size.labels,
            median=size.labels,
            quantile=size.labels,
            reason=size.reason,
        )
    }
    course = course_of(planner, expectation)
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


def budget_forecast(planner: Planner, course: Course, size: Size, power: float) -> ModeForecast:
    """A budget that passes with the power asked for, and what of it is really used."""
    planned = math.ceil(1.17 * (size.informative or 3000.0)) + 1
    for _ in range(12):
        try:
            test = spending_test(planner.claim, confidence=planner.confidence, planned=planned)
        except InputError as error:
            return ModeForecast(reason=error.message)
        stop = stopping(spending_boundary(test), course.law)
        labels = math.ceil(planned / course.rate * (1 + 1.5 / math.sqrt(planned)))
        reached = chance_within(stop, course.rate, labels)
        if reached >= power or size.informative is None or planned > LONGEST:
            break
        planned = math.ceil(1.1 * planned)
    return ModeForecast(
        labels=labels,
        informative=planned,
        power=reached,
        expected=stop.mean_items / course.rate,
        median=labels_for(stop, course.rate, 0.5),
        quantile=labels_for(stop, course.rate, power),
    )


@lru_cache(maxsize=64)
def _anytime_forecast(planner: Planner, course: Course, size: Size, power: float) -> ModeForecast:
    horizon = min(LONGEST, math.ceil(FAR * (size.informative or 2000.0)) + 50)
    test = mixture_test(planner.claim, confidence=planner.confidence)
    stop = stopping(mixture_boundary(test, horizon), course.law)
    return ModeForecast(
        expected=stop.mean_items / course.rate,
        median=labels_for(stop, course.rate, 0.5),
        quantile=labels_for(stop, course.rate, power),
    )


@lru_cache(maxsize=64)
def weighted_forecast(
    claim: Claim,
    strata: tuple[Stratum, ...],
    belief: Belief | None,
    *,
    confidence: float,
    known: tuple[tuple[int, int], ...] = (),
) -> ModeForecast:
    """Labels of the score-guided mode: the information limit times factors measured on real pools.

    `known` labels (0 and 1) of each stratum left it: what they contribute is certain, and the rates
    are those of the rest.
    """
    known = known or ((0, 0),) * len(strata)
    rates = stratum_rates(strata, belief)
    parts: list[TestStratum] = []
    rest: list[float] = []
    cells = [0, 0, 0, 0]
    for stratum, rate, (zeros, ones) in zip(strata, rates, known, strict=True):
        first = 0 if stratum.prediction else 2
        cells[first] += ones
        cells[first + 1] += zeros
        left = stratum.items - zeros - ones
        if left > 0:
            side, score = bool(stratum.prediction), stratum.mean_score
            parts.append(TestStratum(predicted=side, size=left, mean_score=score))
            rest.append((rate * stratum.items - ones) / left)
    if not parts:
        return ModeForecast(ideal=0.0, expected=0.0, median=0, quantile=0)
    test = WeightedTest(
        claim=claim,
        confidence=confidence,
        strata=tuple(parts),
        known=(cells[0], cells[1], cells[2], cells[3]),
    )
    labels = expected_labels(test, np.array(rest))
    return ModeForecast(
        ideal=labels.ideal,
        expected=labels.mean,
        median=labels.median,
        quantile=labels.most,
        reason=labels.reason and NOT_MET,
    )


OTHER_MARGINS = (0.5, 0.7, 1.5)
"""True margins, as multiples of the expected one, that a plan with a ceiling is forecast for too."""


def ceiling_forecast(
    guided: ModeForecast, *, confidence: float, power: float, items: int, most: int | None = None
) -> ModeForecast:
    """Labels of a score-guided plan with a ceiling: the given one, or one with this chance to pass."""
    if guided.ideal is None:
        return ModeForecast(reason=guided.reason)
    level = 1.0 - confidence
    end = ceiling(guided.ideal, level=level, power=power) if most is None else most
    end = min(items, end)
    now, others = (
        course(end, ideal=guided.ideal, level=level),
        [course(end, ideal=guided.ideal, level=level, margin=x) for x in OTHER_MARGINS],
    )
    whole = end >= items  # then everything is read, and known
    return ModeForecast(
        labels=end,
        power=1.0 if whole else now.power,
        expected=now.mean,
        median=now.median,
        quantile=end,
        ideal=guided.ideal,
        if_margin=tuple(
            (x, 1.0 if whole else one.power) for x, one in zip(OTHER_MARGINS, others, strict=True)
        ),
    )


WHY = {
    "score-guided": "known predictions and scores steer the labels to where they matter",
    "budget": "it ends at a number of labels that is known now",
    "anytime": "it may be looked at whenever you like",
    "fixed": "it is judged once, at the end",
}
"""Modes in the order of preference, where two cost the same -> what else speaks for them."""
OPEN_ENDED = ("score-guided", "anytime")
"""Modes that go on until the claim is decided, so that a wrong forecast cannot end them too early."""


def recommend(
    modes: dict[str, ModeForecast], basis: Basis = "expectation"
) -> tuple[str | None, str | None]:
    """The mode with the fewest labels on average, and why; None where no mode can pass.

    By raw scores alone only a mode without a sealed size is recommended.
    """
    costs = {
        name: mode.expected
        for name in WHY
        if (mode := modes.get(name)) is not None and not mode.reason and mode.expected is not None
    }
    if basis == "scores":
        among = {name: cost for name, cost in costs.items() if name in OPEN_ENDED}
        cheaper = among and min(costs.values()) < min(among.values())
        words = (
            "a wrong forecast cannot end it too early, and of such modes it needs the fewest labels"
        )
    else:
        among, cheaper, words = costs, False, ""
    if not among:
        return None, None
    name = min(among, key=lambda one: among[one])
    fewest = words if cheaper else "it needs the fewest labels on average"
    return name, f"{fewest}; {WHY[name]}"
