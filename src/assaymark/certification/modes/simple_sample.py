"""Modes of a simple random sample: judged once, within a budget, or whenever somebody looks."""

from collections.abc import Iterator, Sequence

import numpy as np

from assaymark.certification.modes.fixed import exact_bound, judge_fixed
from assaymark.certification.modes.mode import EvidenceNow, Mode, Range, Values
from assaymark.certification.modes.prefix import Prefix, counted_label
from assaymark.certification.modes.ranges import anytime_range_of, exact_range, pairs_of
from assaymark.certification.modes.sequential import (
    informative_draws,
    judge_anytime,
    judge_budget,
    spending_test_of,
)
from assaymark.certification.modes.strength import boundary_evidence, wealth_evidence
from assaymark.certification.modes.words import ANYTIME, BUDGET, FIXED, reaches
from assaymark.claims.ratio_metrics import metric
from assaymark.claims.results import Verdict
from assaymark.ledger.events import Attempt, Block, Entry, State
from assaymark.records.modes import kind_of
from assaymark.records.plan import Plan
from assaymark.sampling.tickets import Draw, simple_draw, simple_draws, simple_until
from assaymark.stats.methods import mixture_method
from assaymark.stats.sequential.alpha_spending import crossing, spending_boundary
from assaymark.stats.sequential.beta_mixture import (
    anytime_bound,
    evidence,
    metric_at,
    mixture_test,
)


class SimpleSample(Mode):
    """Every item of the domain is equally likely at every draw."""

    drawn = "{domain} had the same chance at every draw."

    def steps(
        self, state: State, attempt: Attempt, new: int
    ) -> tuple[Sequence[Draw], tuple[Block, ...] | None]:
        plan, drawn, known = attempt.plan, len(attempt.draws), len(attempt.order)
        draws = simple_draws(
            plan.seed, domain=plan.items, drawn=drawn, known=known, new=new, last=plan.size
        )
        return draws, None

    def left(self, attempt: Attempt) -> int:
        plan = attempt.plan
        if plan.size is None:
            return plan.items - len(attempt.order)
        return simple_until(
            plan.seed,
            domain=plan.items,
            drawn=len(attempt.draws),
            known=len(attempt.order),
            size=plan.size,
        )

    def replayed(self, attempt: Attempt) -> Iterator[Draw]:
        plan, known = attempt.plan, 0
        for number in range(1, len(attempt.draws) + 1):
            step = simple_draw(plan.seed, domain=plan.items, number=number, known=known)
            yield step
            known += not step.repeat

    def check_chances(self, plan: Plan, entries: Sequence[Entry]) -> str:
        return "every item of the domain was equally likely"

    def points(self, attempt: Attempt, prefix: Prefix, ends: Sequence[int]) -> Values:
        plan = attempt.plan
        cells = np.zeros((prefix.draws, 4), dtype=np.int64)
        counted = {
            (predicted, answer): (0 if predicted else 2)
            + (1 - counted_label(plan.claim, predicted=predicted, answer=answer))
            for predicted in (True, False)
            for answer in (0, 1, None)
        }
        for place, (draw, answer) in enumerate(zip(prefix.drawn, prefix.answers, strict=True)):
            cells[place, counted[bool(draw.prediction), answer]] = 1
        running = np.cumsum(cells, axis=0)
        ratio = metric(plan.claim.metric)
        return [ratio.value([float(c) for c in running[end - 1]]) for end in ends]

    def bounds(self, attempt: Attempt, prefix: Prefix, ends: Sequence[int]) -> Values:
        return [None] * len(ends)

    def metric_range(self, attempt: Attempt, prefix: Prefix, name: str) -> Range:
        return anytime_range_of(attempt.plan, name, pairs_of(prefix))


class Fixed(SimpleSample):
    """Judged once, at a number of draws that the plan seals."""

    kind = kind_of("fixed", "simple")
    assumptions = FIXED
    judged = "The claim is judged once, when the planned number of draws is labelled."

    def is_sized(self, plan: Plan) -> bool:
        return plan.size is not None and plan.size >= 1 and plan.informative is None

    def judge(self, state: State, attempt: Attempt) -> Verdict:
        return judge_fixed(state, attempt)

    def holds(self, attempt: Attempt, prefix: Prefix) -> bool:
        return reaches(attempt.plan.claim, exact_bound(attempt.plan, prefix).interval)

    def metric_range(self, attempt: Attempt, prefix: Prefix, name: str) -> Range:
        return exact_range(attempt.plan, name, pairs_of(prefix))

    def evidence(self, attempt: Attempt, prefix: Prefix, verdict: Verdict) -> EvidenceNow | None:
        return None


class Census(Fixed):
    """Every item of the domain, one after the other."""

    kind = kind_of("fixed", "census")
    drawn = "The plan takes every one of {domain}."

    def is_sized(self, plan: Plan) -> bool:
        return plan.size == plan.items

    def steps(
        self, state: State, attempt: Attempt, new: int
    ) -> tuple[Sequence[Draw], tuple[Block, ...] | None]:
        drawn, known = len(attempt.draws), len(attempt.order)
        return [Draw(number=drawn + i + 1, place=known + i) for i in range(new)], None

    def left(self, attempt: Attempt) -> int:
        return attempt.plan.items - len(attempt.order)

    def replayed(self, attempt: Attempt) -> Iterator[Draw]:
        return (Draw(number=place + 1, place=place) for place in range(len(attempt.draws)))


class Budget(SimpleSample):
    """Judged at every informative item, up to a number that the plan seals."""

    kind = kind_of("budget", "simple")
    assumptions = BUDGET
    judged = (
        "The claim is judged after every informative item up to a number fixed in advance; the small "
        "risk of error is spread over these looks, so checking early is allowed."
    )

    def is_sized(self, plan: Plan) -> bool:
        return plan.size is not None and plan.size >= 1 and plan.informative is not None

    def judge(self, state: State, attempt: Attempt) -> Verdict:
        return judge_budget(state, attempt)

    def holds(self, attempt: Attempt, prefix: Prefix) -> bool:
        plan = attempt.plan
        wins = informative_draws(plan.claim, prefix).wins
        return crossing(spending_test_of(plan), wins[: plan.informative]).passed

    def passing(self, attempt: Attempt, prefix: Prefix, ends: Sequence[int]) -> Values:
        """The spending boundary as a value of the metric: least successes over informative items."""
        plan = attempt.plan
        boundary = spending_boundary(spending_test_of(plan))
        places = informative_draws(plan.claim, prefix).places
        counts = np.minimum(np.searchsorted(places, np.asarray(ends)), boundary.horizon)
        least = boundary.least[counts]
        return [
            metric_at(plan.claim, float(wins) / int(items)) if items and wins <= items else None
            for items, wins in zip(counts, least, strict=True)
        ]

    def evidence(self, attempt: Attempt, prefix: Prefix, verdict: Verdict) -> EvidenceNow | None:
        return boundary_evidence(attempt, prefix)


class Anytime(SimpleSample):
    """Judged whenever somebody looks."""

    kind = kind_of("anytime", "simple")
    assumptions = ANYTIME
    judged = "Checking early is allowed; the stated confidence already accounts for it."

    def is_sized(self, plan: Plan) -> bool:
        return plan.size is None

    def judge(self, state: State, attempt: Attempt) -> Verdict:
        return judge_anytime(state, attempt)

    def holds(self, attempt: Attempt, prefix: Prefix) -> bool:
        plan, rule = attempt.plan, mixture_method(attempt.plan.method)
        wins = informative_draws(plan.claim, prefix).wins
        return evidence(mixture_test(plan.claim, confidence=plan.tested_at, rule=rule), wins).passed

    def bounds(self, attempt: Attempt, prefix: Prefix, ends: Sequence[int]) -> Values:
        plan, rule = attempt.plan, mixture_method(attempt.plan.method)
        informative = informative_draws(plan.claim, prefix)
        after = np.searchsorted(informative.places, np.arange(prefix.draws + 1))
        return [
            anytime_bound(
                plan.claim, informative.wins[: after[end]], confidence=plan.tested_at, rule=rule
            ).value
            for end in ends
        ]

    def evidence(self, attempt: Attempt, prefix: Prefix, verdict: Verdict) -> EvidenceNow | None:
        return wealth_evidence(attempt.plan, verdict)
