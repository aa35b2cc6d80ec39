"""Whether the items were drawn as the plan says: chances, seed and tickets."""

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from assaymark.certification.modes import labelled_prefix, weighted_test_of
from assaymark.certification.modes import weighted_draws as labelled_draws
from assaymark.errors import VerificationError
from assaymark.ledger.events import Attempt, BatchDrawn, Entry, State
from assaymark.records.certificate import Certificate, Check
from assaymark.records.plan import Plan
from assaymark.records.pool import ReservedItem
from assaymark.sampling.tickets import Draw, simple_draw, ticket, weighted_draws
from assaymark.stats.score_guided.supermartingale import sampling


def check_draws(certificate: Certificate, past: State, items: Sequence[ReservedItem]) -> Check:
    """The draws, recomputed from the seed, the stored chances and the pool's tickets."""
    plan = certificate.plan
    attempt = past.attempts[plan.number - 1]
    queues: list[list[ReservedItem]] = [[] for _ in plan.strata]
    for item in items:
        queues[item.stratum].append(item)
    known: list[ReservedItem] = []
    for draw, step in zip(attempt.draws, _expected(plan, attempt), strict=True):
        item = known[step.place] if step.repeat else queues[step.stratum][step.place]
        expected = (item.id, item.prediction, step.stratum, step.repeat)
        if expected != (draw.id, draw.prediction, draw.stratum, draw.repeat):
            raise VerificationError(
                f"Draw {draw.draw} is item {draw.id!r} (predicted {draw.prediction}), but the seed "
                f"and the pool give {item.id!r} (predicted {item.prediction}): the draw was not made "
                "as the plan says."
            )
        if not step.repeat:
            known.append(item)
    return _ok(
        "draw", f"{len(known):,} items drawn as the seed says, lowest tickets of the pool first"
    )


def _expected(plan: Plan, attempt: Attempt) -> Iterator[Draw]:
    """The draws that seed and stored chances give, as many as were made."""
    if plan.design == "weighted":
        yield from _weighted(plan, attempt.sampling)
        return
    known = 0
    for number in range(1, len(attempt.draws) + 1):
        census = plan.design == "census"
        step = (
            Draw(number=number, place=known)
            if census
            else simple_draw(plan.seed, domain=plan.items, number=number, known=known)
        )
        yield step
        known += not step.repeat


def _weighted(plan: Plan, sampling: Sequence[tuple[float, ...]]) -> Iterator[Draw]:
    sizes, taken = [stratum.items for stratum in plan.strata], [0] * len(plan.strata)
    for chances, draws in itertools.groupby(sampling):
        for step in weighted_draws(
            plan.seed, sampling=chances, sizes=sizes, taken=tuple(taken), new=len(list(draws))
        ):
            yield step
            taken[step.stratum] += 1


def check_chances(certificate: Certificate, entries: Sequence[Entry]) -> Check:
    """The stored chances of every weighted batch, recomputed from the labels that existed then."""
    plan = certificate.plan
    if plan.design != "weighted":
        return _ok("chances", "every item of the domain was equally likely")
    state, test, batches = State(), weighted_test_of(plan), 0
    for entry in entries[: certificate.ledger.events]:
        event = entry.event
        if isinstance(event, BatchDrawn) and event.plan == plan.number:
            attempt = state.attempts[plan.number - 1]
            known = labelled_draws(attempt, labelled_prefix(state, attempt))
            (block,) = event.blocks or (None,)
            chances = () if block is None or block.labels != len(known) else block.chances
            if not np.allclose(sampling(test, known), chances or np.inf, rtol=1e-6, atol=1e-9):
                raise VerificationError(
                    f"Event {entry.seq}: the chances of batch {event.batch} do not follow from the "
                    "labels known when it was drawn."
                )
            batches += 1
        state.apply(event, entry)
    return _ok("chances", f"those of {batches:,} batches follow from the labels known at the time")


def check_tickets(certificate: Certificate, past: State) -> Check:
    """Without the pool: the drawn items stand in the order of their tickets."""
    plan = certificate.plan
    draws = past.attempts[plan.number - 1].draws
    for k in range(len(plan.strata)):
        mine = [draw.id for draw in draws if draw.stratum == k and not draw.repeat]
        tickets = [ticket(plan.seed, item) for item in mine]
        if tickets != sorted(tickets):
            raise VerificationError("The drawn items do not stand in the order of their tickets.")
    return Check(
        name="draw",
        outcome="not checked",
        detail="the pool is not at hand: items are in ticket order, but whether lower tickets were "
        "passed over was not checked",
    )


def _ok(name: str, detail: str) -> Check:
    return Check(name=name, outcome="ok", detail=detail)
