"""Whether the items were drawn as the plan says: chances, seed, tickets, and none that was trained on."""

from collections.abc import Sequence

from assaymark.certification.modes import mode_of
from assaymark.claims.results import counted
from assaymark.errors import VerificationError
from assaymark.ledger.events import (
    Attempt,
    Entry,
    State,
    SurveyWork,
    population_of,
    settings_of,
    training_labels,
    training_of,
)
from assaymark.records.certificate import Certificate, Check
from assaymark.records.pool import ReservedItem
from assaymark.records.seeds import source_in_words
from assaymark.records.training import CELLS
from assaymark.sampling.tickets import ticket


def check_draws(certificate: Certificate, past: State, items: Sequence[ReservedItem]) -> Check:
    """The draws, recomputed from the seed, the stored chances and the pool's tickets."""
    plan = certificate.plan
    attempt = past.attempts[plan.number - 1]
    queues: list[list[ReservedItem]] = [[] for _ in plan.strata]
    for item in items:
        if item.id not in attempt.before:
            queues[item.stratum].append(item)
    known: list[ReservedItem] = []
    for draw, step in zip(attempt.draws, mode_of(plan).replayed(attempt), strict=True):
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
    return Check.ok(
        "draw", f"{counted(len(known), 'item')} drawn in the order fixed by the seed, none skipped"
    )


def check_seed(certificate: Certificate) -> Check:
    """The seed: that it follows from its parts and the sealed plan, and who could have chosen it."""
    plan = certificate.plan
    if plan.source.law != "open" and plan.revealed(plan.source.parts) != plan:
        raise VerificationError("The seed does not follow from its parts and the sealed plan.")
    words = source_in_words(plan.source)
    if plan.source.law == "joint":
        return Check.ok("seed", words)
    return Check.unchecked("seed", words)


def check_chances(certificate: Certificate, entries: Sequence[Entry]) -> Check:
    """The stored chances of every batch, recomputed from the labels that existed then."""
    plan, past = certificate.plan, entries[: certificate.ledger.events]
    return Check.ok("chances", mode_of(plan).check_chances(plan, past))


def check_tickets(certificate: Certificate, past: State) -> Check:
    """Without the pool: the drawn items stand in the order of their tickets."""
    plan = certificate.plan
    draws = past.attempts[plan.number - 1].draws
    for k in range(len(plan.strata)):
        items = [draw.id for draw in draws if draw.stratum == k and not draw.repeat]
        tickets = [ticket(plan.seed, item) for item in items]
        if tickets != sorted(tickets):
            raise VerificationError(
                "The drawn items are not in the order of their tickets, which the seed fixes."
            )
    return Check.unchecked(
        "draw",
        "the pool is not at hand: items are in the order fixed by the seed, but whether any were "
        "skipped was not checked",
    )


def check_training(certificate: Certificate, past: State, now: State) -> Check | None:
    """No certified item trained the classifier; None where it was not trained in the project.

    That each model's digest, the frozen cut-off and the order of events are right was checked with
    the story of the ledger.
    """
    work, attempt = training_of(past), past.attempts[certificate.plan.number - 1]
    freezes = [
        freeze for freeze in (work.freezes if work else ()) if freeze.seq < attempt.sealed_at
    ]
    if work is None or not freezes:
        return None
    frozen = freezes[-1].event
    if certificate.population != population_of(work, frozen):
        raise VerificationError("The certificate's field 'population' is not what was sealed.")
    _refuse_trained(work, attempt)
    _refuse_chosen(work)
    labels = work.models[frozen.model - 1].event.labels
    return Check.ok(
        "training",
        f"model {frozen.model} learnt from {labels:,} recorded labels, was frozen before the "
        f"first draw, and none of its {len(work.order):,} items was drawn for the claim"
        f"{_changed_later(work, past, now)}",
    )


def _changed_later(work: SurveyWork, past: State, now: State) -> str:
    """Training labels that differ now: what is said of the whole collection is about today's."""
    if settings_of(work).population != "whole":
        return ""
    before, today = training_labels(past, work), training_labels(now, work)
    changed = sum(today.get(item) != label for item, label in before.items())
    if not changed:
        return ""
    return (
        f"; {counted(changed, 'training label')} changed later, so the claim holds for the whole "
        "collection only with the labels as they are now"
    )


def _refuse_trained(work: SurveyWork, attempt: Attempt) -> None:
    both = next((draw.id for draw in attempt.draws if draw.id in work.cells), None)
    if both is not None:
        raise VerificationError(
            f"Item {both!r} was handed out for training and also drawn for the claim, so the "
            "classifier may have learnt its label."
        )


def _refuse_chosen(work: SurveyWork) -> None:
    """Random training items stand in the order of their tickets.

    Whether one was passed over, only the collection tells; no promise depends on it.
    """
    seed = work.survey.seed
    random_items = [item for item in work.order if CELLS[work.cells[item]] == "random"]
    tickets = [ticket(seed, item) for item in random_items]
    if tickets != sorted(tickets):
        raise VerificationError(
            "The random training items are not in the order of their tickets, which the seed fixes."
        )
