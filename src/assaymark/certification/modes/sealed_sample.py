"""Score-guided modes on rows: drawn in one sealed sequence, judged whenever asked, up to a ceiling.

Chances are renewed at draw numbers that the plan seals, from exactly the labels up to a sealed
draw. So every draw is a function of plan, seed and labels; how many somebody takes at a time, or how
late labels arrive, changes nothing.
"""

from collections.abc import Sequence

import numpy as np

from assaymark.certification.modes.guided_rows import decision_of, judge_rows, row_test_of
from assaymark.certification.modes.mode import Values
from assaymark.certification.modes.prefix import Prefix, labelled_prefix
from assaymark.certification.modes.score_guided import weighted_draws
from assaymark.certification.modes.score_guided_sample import GuidedSample, taken_by_stratum
from assaymark.certification.modes.words import SEALED, sealed_with_changes
from assaymark.claims.results import Verdict, counted
from assaymark.errors import PlanError, VerificationError
from assaymark.hints import command
from assaymark.ledger.events import Attempt, BatchDrawn, Block, Entry, State
from assaymark.records.modes import kind_of
from assaymark.records.plan import Plan
from assaymark.sampling import tickets
from assaymark.sampling.tickets import Draw
from assaymark.stats.betting.renewal import Segment, segment_at, usual_batch
from assaymark.stats.betting.standing import (
    bounds_after,
    segment_chances,
    standing,
)
from assaymark.stats.score_guided.supermartingale import Draws, first_draws


class SealedSample(GuidedSample):
    """Drawn from strata of the scores in a sequence that nobody can steer."""

    assumptions = SEALED
    drawn = (
        "The items were sorted into {strata} by predicted class and score, and drawn more often where "
        "a label tells more. The chances were renewed at draw numbers fixed in the plan, from the "
        "labels up to a fixed draw, so nobody could steer them; they enter the calculation, so they "
        "cannot tilt the result."
    )

    def assumptions_of(self, changed: int) -> tuple[str, ...]:
        return sealed_with_changes(changed) if changed else self.assumptions

    def batch(self, attempt: Attempt) -> int:
        """A tenth of the draws so far; at first as many as any certificate takes, if they may be."""
        plan, drawn = attempt.plan, len(attempt.draws)
        first = row_test_of(plan).recipe.fewest if plan.lead else 0
        return max(usual_batch(drawn), first - drawn)

    def left(self, attempt: Attempt) -> int:
        return _most(attempt.plan) - len(attempt.draws)

    def steps(
        self, state: State, attempt: Attempt, new: int
    ) -> tuple[Sequence[Draw], tuple[Block, ...] | None]:
        plan, made = attempt.plan, len(attempt.draws)
        prefix = labelled_prefix(state, attempt)
        known = weighted_draws(attempt, prefix)
        taken = taken_by_stratum(attempt)
        draws: list[Draw] = []
        blocks: list[Block] = []
        while len(draws) < new:
            first = made + len(draws) + 1
            segment = _segment(plan, first)
            if segment.known > prefix.draws:
                break
            block = _block(attempt, segment, first, known)
            portion = tickets.weighted_draws(
                plan.seed,
                sampling=block.chances,
                sizes=plan.sizes,
                taken=taken,
                new=min(segment.last - first + 1, new - len(draws)),
            )
            draws += portion
            blocks.append(block)
            for draw in portion:
                taken[draw.stratum] += 1
        if not draws:
            raise PlanError(_blocked(state, attempt))
        return draws, tuple(blocks)

    def check_chances(self, plan: Plan, entries: Sequence[Entry]) -> str:
        state, renewals = State(), 0
        for entry in entries:
            event = entry.event
            if isinstance(event, BatchDrawn) and event.plan == plan.number:
                renewals += _check_batch(state, plan, event, entry)
            state.apply(event, entry)
        ahead = f"at least {plan.lead:,} draws" if plan.lead else "no draw"
        return (
            f"sampling rates recomputed at all {renewals:,} draw numbers sealed in the plan "
            f"({plan.to_shape().renewal.law}, {ahead} ahead of the labels)"  # type: ignore[union-attr]
        )

    def judge(self, state: State, attempt: Attempt) -> Verdict:
        return judge_rows(state, attempt, self.assumptions_of(len(attempt.changed)))

    def holds(self, attempt: Attempt, prefix: Prefix) -> bool:
        now = standing(row_test_of(attempt.plan), weighted_draws(attempt, prefix))
        return decision_of(attempt.plan, prefix, now) == "pass"

    def bounds(self, attempt: Attempt, prefix: Prefix, ends: Sequence[int]) -> Values:
        draws = weighted_draws(attempt, prefix)
        return [bound.value for bound in bounds_after(row_test_of(attempt.plan), draws, ends)]


class SealedGuided(SealedSample):
    """Judged whenever somebody looks."""

    kind = kind_of("anytime", "weighted")
    judged = "Checking early is allowed; the stated confidence already accounts for it."

    def is_sized(self, plan: Plan) -> bool:
        return plan.size is None


class Ceiling(SealedSample):
    """Judged whenever somebody looks, and ended at a sealed number of labels."""

    kind = kind_of("budget", "weighted")
    judged = (
        "Checking early is allowed; the stated confidence already accounts for it. The plan ends "
        "at a number of labels that was fixed when it was sealed, and the risk of error is "
        "spread over the looks up to there."
    )

    def is_sized(self, plan: Plan) -> bool:
        return plan.size is not None and 1 <= plan.size <= plan.items


def _most(plan: Plan) -> int:
    return plan.items if plan.size is None else min(plan.size, plan.items)


def _segment(plan: Plan, number: int) -> Segment:
    """The segment of this draw."""
    return segment_at(number - 1, lead=plan.lead or 0, most=_most(plan))


def _block(attempt: Attempt, segment: Segment, first: int, known: Draws) -> Block:
    """The chances from draw `first` on: computed where its segment begins, kept within it."""
    if first == segment.first:
        block = segment_chances(row_test_of(attempt.plan), first_draws(known, segment.known))
        chances = tuple(float(q) for q in block)
    else:
        chances = attempt.sampling[first - 2]
    return Block(first=first, chances=chances, labels=segment.known)


def _blocked(state: State, attempt: Attempt) -> str:
    """Which labels the next draw waits for."""
    needed = _segment(attempt.plan, len(attempt.draws) + 1).known
    wanted = list(dict.fromkeys(draw.id for draw in attempt.draws[:needed]))
    waiting = [item for item in wanted if not state.labelled(item)]
    shown = ", ".join(waiting[:5]) + (", …" if len(waiting) > 5 else "")
    return (
        f"The next items depend on labels that are not settled yet: {counted(len(waiting), 'item')} of "
        f"the first {needed:,} ({shown}). Label or decide them, or mark them as cannot tell: "
        f"{command('draw', pending=True)}."
    )


def _check_batch(state: State, plan: Plan, event: BatchDrawn, entry: Entry) -> int:
    """How many renewals the batch holds; refused where one is not as the plan and the labels say."""
    attempt = state.attempts[plan.number - 1]
    prefix = labelled_prefix(state, attempt)
    known = weighted_draws(attempt, prefix)
    blocks = {block.first: block for block in event.blocks or ()}
    before = attempt.sampling[-1] if attempt.sampling else None
    renewals, segment = 0, None
    for number in (item.draw for item in event.draws):
        if segment is None or not segment.first <= number <= segment.last:
            segment = _segment(plan, number)
        block = blocks.pop(number, None)
        if block is None and number > segment.first:
            continue
        if block is None or block.labels != segment.known or segment.known > prefix.draws:
            raise _wrong(entry, number)
        if number == segment.first:
            renewals += 1
            before = tuple(segment_chances(row_test_of(plan), first_draws(known, segment.known)))
        if before is None or not np.allclose(before, block.chances, rtol=1e-6, atol=1e-9):
            raise _wrong(entry, number)
        before = block.chances
    if blocks:
        raise _wrong(entry, min(blocks))
    return renewals


def _wrong(entry: Entry, number: int) -> VerificationError:
    return VerificationError(
        f"Event {entry.seq}: the chances from draw {number} on do not follow from the plan and the "
        "labels known when it was drawn."
    )
