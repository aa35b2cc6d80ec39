"""Whether the classifier of a certificate was trained on other items than it was judged on."""

from assaymark.claims.results import counted
from assaymark.errors import VerificationError
from assaymark.ledger.events import (
    Attempt,
    State,
    SurveyWork,
    population_of,
    settings_of,
    training_labels,
    training_of,
)
from assaymark.records.certificate import Certificate, Check
from assaymark.records.training_settings import CELLS
from assaymark.sampling.tickets import ticket


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
        f"; {counted(changed, 'training label')} changed later, so the whole collection keeps the claim "
        "only with the labels as they are now"
    )


def _refuse_trained(work: SurveyWork, attempt: Attempt) -> None:
    both = next((draw.id for draw in attempt.draws if draw.id in work.cells), None)
    if both is not None:
        raise VerificationError(
            f"Item {both!r} was handed out for training and drawn for the claim: the classifier may "
            "have learnt its label."
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
            "The random training items do not stand in the order of their tickets."
        )
