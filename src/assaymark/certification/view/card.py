"""The four-number card: richness, recall, precision and elusion, each as an honest range.

Each range holds at the plan's confidence on its own. A sample judged once gives exact binomial
ranges; one that may be looked at on the way gives ranges that hold at every look at once. An item
that nobody could tell widens a range: each end counts it in the way that hurts that end.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assaymark.certification.modes.prefix import Prefix, counted_label
from assaymark.certification.modes.score_guided import cells_of, weighted_draws, weighted_test_of
from assaymark.certification.view.dossier import CardNumber
from assaymark.claims.claim import Claim, Counts
from assaymark.claims.ratio_metrics import binomial_test, metric
from assaymark.claims.results import Verdict
from assaymark.ledger.events import Attempt, State
from assaymark.records.plan import Plan
from assaymark.stats.binomial_bounds import bound
from assaymark.stats.score_guided.interval import weighted_range
from assaymark.stats.sequential.confidence_sequence import anytime_range

Pair = tuple[bool, int | None]
TITLES = {
    "prevalence": "Richness",
    "recall": "Recall",
    "precision": "Precision",
    "elusion": "Elusion",
}
DEFINITIONS = {
    "prevalence": "The share of the whole collection that is relevant.",
    "recall": "The share of the relevant items that the classifier found.",
    "precision": "The share of the items that the classifier picked that are relevant.",
    "elusion": "The share of the items that the classifier left out that are relevant all the same.",
}
SPOKEN_OF = {"predicted positive": ("precision",), "predicted negative": ("elusion",)}


@dataclass(frozen=True, kw_only=True)
class Found:
    """A range before it is put on the card."""

    point: float | None
    low: float
    high: float
    method: str


def card_of(
    state: State, attempt: Attempt, prefix: Prefix, verdict: Verdict | None, *, reason: str | None
) -> tuple[CardNumber, ...]:
    """The four numbers, each None with a reason where this sample cannot say."""
    plan = attempt.plan
    if verdict is None:
        return tuple(_unknown(plan, name, reason or "there is no verdict") for name in TITLES)
    find = _finder(state, attempt, prefix, verdict)
    return tuple(_number(plan, name, prefix, find) for name in TITLES)


def _finder(
    state: State, attempt: Attempt, prefix: Prefix, verdict: Verdict
) -> Callable[[str], Found]:
    """How a range is found under this plan."""
    plan = attempt.plan
    if verdict.census:
        known = [
            (bool(p), state.label(i)) for i, p in state.predictions.items() if state.labelled(i)
        ]
        return lambda name: _counted(name, known)
    if plan.design == "weighted":
        return lambda name: _guided(attempt, prefix, name)
    pairs = [
        (bool(draw.prediction), answer)
        for draw, answer in zip(prefix.drawn, prefix.answers, strict=True)
    ]
    if plan.mode == "fixed":
        return lambda name: _exact(plan, name, pairs)
    return lambda name: _anytime(plan, name, pairs)


def _number(plan: Plan, name: str, prefix: Prefix, find: Callable[[str], Found]) -> CardNumber:
    spoken = SPOKEN_OF.get(plan.domain, tuple(TITLES))
    if name not in spoken:
        return _unknown(plan, name, f"items were drawn only from those {plan.domain}")
    if not prefix.drawn:
        return _unknown(plan, name, "there are no labels yet")
    blind = all(draw.prediction is None for draw in prefix.drawn)
    if blind and name != "prevalence":
        return _unknown(plan, name, "the collection has no predictions")
    found = find(name)
    return CardNumber(
        name=name,
        title=TITLES[name],
        definition=DEFINITIONS[name],
        point=found.point,
        low=found.low,
        high=found.high,
        confidence=plan.confidence,
        method=found.method,
        reason=None if found.point is not None else "no label speaks of it yet",
    )


def _unknown(plan: Plan, name: str, reason: str) -> CardNumber:
    return CardNumber(
        name=name,
        title=TITLES[name],
        definition=DEFINITIONS[name],
        point=None,
        low=None,
        high=None,
        confidence=plan.confidence,
        reason=reason,
    )


def _claim(name: str, side: Literal["lower", "upper"]) -> Claim:
    return Claim(metric=name, side=side, target=0.5)


def _cells(claim: Claim, pairs: Sequence[Pair]) -> list[int]:
    """The cell of each pair, items that nobody could tell counted against the claim."""
    known = {
        (predicted, answer): (0 if predicted else 2)
        + (1 - counted_label(claim, predicted=predicted, answer=answer))
        for predicted in (True, False)
        for answer in (0, 1, None)
    }
    return [known[pair] for pair in pairs]


def _counts(name: str, side: Literal["lower", "upper"], pairs: Sequence[Pair]) -> Counts:
    tp, fp, fn, tn = np.bincount(_cells(_claim(name, side), pairs), minlength=4)
    return Counts(tp=int(tp), fp=int(fp), fn=int(fn), tn=int(tn))


def _point(name: str, pairs: Sequence[Pair]) -> float | None:
    told = [pair for pair in pairs if pair[1] is not None]
    return metric(name).value(_counts(name, "lower", told).cells)


def _counted(name: str, pairs: Sequence[Pair]) -> Found:
    ratio = metric(name)
    low = ratio.value(_counts(name, "lower", pairs).cells)
    high = ratio.value(_counts(name, "upper", pairs).cells)
    return Found(
        point=_point(name, pairs),
        low=0.0 if low is None else low,
        high=1.0 if high is None else high,
        method="every item was labelled",
    )


def _exact(plan: Plan, name: str, pairs: Sequence[Pair]) -> Found:
    ends = {
        side: bound(
            name,
            _counts(name, side, pairs),
            design="simple",
            confidence=plan.confidence,
            side="both",
        ).interval
        for side in ("lower", "upper")
    }
    return Found(
        point=_point(name, pairs),
        low=ends["lower"].low,
        high=ends["upper"].high,
        method="exact binomial range (Clopper–Pearson)",
    )


def _anytime(plan: Plan, name: str, pairs: Sequence[Pair]) -> Found:
    found = anytime_range(
        _successes(_claim(name, "lower"), pairs),
        confidence=plan.confidence,
        pessimist=~_successes(_claim(name, "upper"), pairs),
    )
    return Found(
        point=_point(name, pairs), low=found.low, high=found.high, method="anytime range (mixture)"
    )


def _successes(claim: Claim, pairs: Sequence[Pair]) -> NDArray[np.bool_]:
    """Successes of the claim among its informative items, in draw order."""
    test = binomial_test(claim)
    if test is None:
        return np.zeros(0, dtype=bool)
    cells = np.array(_cells(claim, pairs), dtype=np.int64)
    success = np.array(test.success)[cells]
    told: NDArray[np.bool_] = success[success | np.array(test.failure)[cells]]
    return told


def _guided(attempt: Attempt, prefix: Prefix, name: str) -> Found:
    plan = attempt.plan
    draws = weighted_draws(attempt, prefix)
    found = weighted_range(name, weighted_test_of(plan).strata, draws, confidence=plan.confidence)
    cells = cells_of(plan, draws)
    return Found(
        point=None if cells is None else metric(name).value(cells),
        low=found.low,
        high=found.high,
        method="score-guided anytime range (betting)",
    )
