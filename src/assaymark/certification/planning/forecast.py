"""What a claim will cost in every mode, computed before anything is bought."""

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from assaymark.certification.planning.belief import belief_in_pool, belief_of
from assaymark.certification.planning.expected_value import implied_value
from assaymark.certification.planning.forecast_words import false_words, refuse_the_edge
from assaymark.certification.planning.guided_forecast import (
    GuidedClaim,
    ceiling_forecast,
    weighted_forecast,
)
from assaymark.certification.planning.simple_forecast import simple_modes
from assaymark.certification.planning.strata import domain_strata
from assaymark.claims.claim import Claim
from assaymark.claims.defaults import POWER
from assaymark.claims.ratio_metrics import binomial_test
from assaymark.claims.results import Basis, Forecast, ModeForecast
from assaymark.records.plan import Expectation, Stratum
from assaymark.records.pool import PoolSummary
from assaymark.stats.sample_size import Planner, elusion_floor


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
    items: int | None = None,
) -> Forecast:
    """How many labels the claim needs in each mode; the score-guided one where strata are known.

    `basis` says what the expectation depends on. Where the claim is expected not to hold, no mode has
    numbers and `looks_false` says why; an expected value on the target itself is refused. A
    score-guided plan with a ceiling is for those who are sure of what they expect: it has a row where
    it was asked for (`to_a_ceiling`), and is never recommended by itself. `known` labels (0 and 1) of
    each stratum are not bought again: they leave a score-guided plan, and answer draws of the others.
    The mode with a budget takes longest to work out; whoever has no use for its row leaves it out.
    `items` is how many a simple sample is drawn from where only that is known of the pool.
    """
    belief = belief_of(expectation) if summary is None else belief_in_pool(expectation, summary)
    planner = Planner(claim=claim, belief=belief, confidence=confidence)
    basis = "pilot" if expectation.pilot is not None else basis
    value = expected_value(claim, expectation, summary)
    if basis == "expectation":
        refuse_the_edge(claim, value)
    modes: dict[str, ModeForecast] = {}
    top = items if summary is None else domain_strata(claim, summary)[0].items
    if binomial_test(claim) is not None:
        modes |= simple_modes(planner, expectation, power, items=top, budget=budget)
    guided = GuidedClaim(
        claim=claim, strata=strata, belief=belief, confidence=confidence, known=known
    )
    if strata:
        modes["score-guided"] = weighted_forecast(guided, power=power)
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
        name, why = _open_ended(modes)
    if to_a_ceiling and strata:
        modes["ceiling"] = ceiling_forecast(guided, power=power)
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
        unlabelled=None if top is None else top - sum(map(sum, known)),
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


def _bought(mode: ModeForecast, share: float) -> ModeForecast:
    """What is bought where only this share of the draws has no label yet; the plan's size stays."""
    return replace(
        mode,
        expected=None if mode.expected is None else mode.expected * share,
        median=None if mode.median is None else math.ceil(mode.median * share),
        quantile=None if mode.quantile is None else math.ceil(mode.quantile * share),
    )


WHY = {
    "score-guided": "known predictions and scores steer the labels to where they matter",
    "budget": "it ends at a number of labels that is known now",
    "anytime": "it may be looked at whenever you like",
    "fixed": "it is judged once, at the end",
}
"""Modes in the order of preference, where two cost the same -> their other advantages."""
OPEN_ENDED = ("score-guided", "anytime")
"""Modes that go on until the claim is decided, so that a wrong forecast cannot end them too early."""


def _open_ended(modes: Mapping[str, ModeForecast]) -> tuple[str | None, str]:
    """The mode in which a claim that looks false is sealed, and why."""
    name = next((name for name in OPEN_ENDED if name in modes), None)
    return name, "it goes on until the claim is decided"


def as_doubtful(hoped: Forecast) -> Forecast:
    """What a claim that looks false costs if the classifier were good: it recommends what is sealed."""
    name, why = _open_ended(hoped.modes)
    return hoped if name in (None, hoped.recommended) else replace(hoped, recommended=name, why=why)


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
