"""The score-guided mode: drawn by chances that are stored before each batch, judged whenever asked."""

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from assaymark.certification.modes.mode import EvidenceNow, Mode, Range, Values
from assaymark.certification.modes.prefix import Prefix, labelled_prefix
from assaymark.certification.modes.ranges import guided_range
from assaymark.certification.modes.score_guided import (
    cells_after,
    judge_weighted,
    weighted_draws,
    weighted_test_of,
)
from assaymark.certification.modes.strength import wealth_evidence
from assaymark.certification.modes.words import WEIGHTED
from assaymark.claims.ratio_metrics import metric
from assaymark.claims.results import Verdict
from assaymark.errors import VerificationError
from assaymark.ledger.events import Attempt, BatchDrawn, Block, Entry, State
from assaymark.records.modes import kind_of
from assaymark.records.plan import Plan
from assaymark.sampling import tickets
from assaymark.sampling.tickets import Draw
from assaymark.stats.score_guided.bound import bounds_after
from assaymark.stats.score_guided.checkpoints import next_sampling
from assaymark.stats.score_guided.supermartingale import replay


class GuidedSample(Mode):
    """Drawn from strata of the scores, more often where a label tells more."""

    def replayed(self, attempt: Attempt) -> Iterator[Draw]:
        plan = attempt.plan
        sizes, taken = plan.sizes, [0] * len(plan.strata)
        for chances, draws in itertools.groupby(attempt.sampling):
            for step in tickets.weighted_draws(
                plan.seed, sampling=chances, sizes=sizes, taken=tuple(taken), new=len(list(draws))
            ):
                yield step
                taken[step.stratum] += 1

    def points(self, attempt: Attempt, prefix: Prefix, ends: Sequence[int]) -> Values:
        draws = weighted_draws(attempt, prefix)
        cell_counts = cells_after(attempt.plan, draws, ends)
        value = metric(attempt.plan.claim.metric).value
        return [None if cells is None else value(cells) for cells in cell_counts]

    def metric_range(self, attempt: Attempt, prefix: Prefix, name: str) -> Range:
        return guided_range(attempt, prefix, name)

    def evidence(self, attempt: Attempt, prefix: Prefix, verdict: Verdict) -> EvidenceNow | None:
        return wealth_evidence(attempt.plan, verdict)


def taken_by_stratum(attempt: Attempt) -> list[int]:
    """How many items of each stratum were drawn."""
    taken = Counter(draw.stratum for draw in attempt.draws)
    return [taken[k] for k in range(len(attempt.plan.strata))]


class ScoreGuided(GuidedSample):
    """Method number 1: chances are recomputed with every batch, from the labels known then."""

    kind = kind_of("anytime", "weighted")
    assumptions = WEIGHTED
    drawn = (
        "The items were sorted into {strata} by predicted class and score, and each batch was drawn "
        "with chances that were written down before it was handed out: more where a label tells "
        "more. The chances enter the calculation, so they cannot tilt the result."
    )
    judged = "Checking early is allowed; the stated confidence already accounts for it."

    def is_sized(self, plan: Plan) -> bool:
        return plan.size is None

    def steps(
        self, state: State, attempt: Attempt, new: int
    ) -> tuple[Sequence[Draw], tuple[Block, ...] | None]:
        block, plan = _block(state, attempt), attempt.plan
        draws = tickets.weighted_draws(
            plan.seed,
            sampling=block.chances,
            sizes=plan.sizes,
            taken=taken_by_stratum(attempt),
            new=new,
        )
        return draws, (block,)

    def left(self, attempt: Attempt) -> int:
        return attempt.plan.items - len(attempt.order)

    def check_chances(self, plan: Plan, entries: Sequence[Entry]) -> str:
        state, test, batches = State(), weighted_test_of(plan), 0
        for entry in entries:
            event = entry.event
            if isinstance(event, BatchDrawn) and event.plan == plan.number:
                attempt = state.attempts[plan.number - 1]
                known = weighted_draws(attempt, labelled_prefix(state, attempt))
                (block,) = event.blocks or (None,)
                chances = () if block is None or block.labels != len(known) else block.chances
                if not np.allclose(
                    next_sampling(test, known), chances or np.inf, rtol=1e-6, atol=1e-9
                ):
                    raise VerificationError(
                        f"Event {entry.seq}: the chances of batch {event.batch} do not follow from "
                        "the labels known when it was drawn."
                    )
                batches += 1
            state.apply(event, entry)
        which = "the batch" if batches == 1 else f"all {batches:,} batches"
        return f"sampling rates of {which} recomputed"

    def judge(self, state: State, attempt: Attempt) -> Verdict:
        return judge_weighted(state, attempt)

    def holds(self, attempt: Attempt, prefix: Prefix) -> bool:
        path = replay(weighted_test_of(attempt.plan), weighted_draws(attempt, prefix))
        return path.decision == "pass"

    def bounds(self, attempt: Attempt, prefix: Prefix, ends: Sequence[int]) -> Values:
        draws = weighted_draws(attempt, prefix)
        return [bound.value for bound in bounds_after(weighted_test_of(attempt.plan), draws, ends)]


def _block(state: State, attempt: Attempt) -> Block:
    """The chances per stratum for the next batch, from the labels known now."""
    known = weighted_draws(attempt, labelled_prefix(state, attempt))
    chances = next_sampling(weighted_test_of(attempt.plan), known)
    return Block(
        first=len(attempt.draws) + 1,
        chances=tuple(float(q) for q in chances),
        labels=len(known),
    )
