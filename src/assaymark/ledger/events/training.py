"""What follows from the events of a training: its labels, whether it is closed, what is certified."""

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING

from assaymark.claims.claim import Claim
from assaymark.claims.ratio_metrics import metric
from assaymark.claims.results import counted, percent
from assaymark.ledger.events.state import State, SurveyWork
from assaymark.records.certificate import Population
from assaymark.records.pool import RegisteredPool
from assaymark.records.training import CELLS, TrainingSettings

if TYPE_CHECKING:
    from assaymark.ledger.events.trainings import ClassifierFrozen


def training_of(state: State) -> SurveyWork | None:
    """The training survey of the project; there is at most one."""
    return next((work for work in state.surveys if work.survey.purpose == "training"), None)


def settings_of(work: SurveyWork) -> TrainingSettings:
    """How the training goes on, as settled last."""
    if work.training is None:
        raise ValueError(f"survey {work.survey.number} is no training")
    return work.training


def trained_on(state: State, item: str) -> bool:
    """Whether the item was handed out for training."""
    work = training_of(state)
    return work is not None and item in work.cells


def is_frozen(state: State) -> bool:
    """Whether a classifier is frozen and the plan that certifies it has not ended."""
    work = training_of(state)
    if work is None or not work.freezes:
        return False
    attempt = state.attempt
    return attempt is None or attempt.sealed_at < work.freezes[-1].seq or attempt.open


def outgrown(state: State) -> bool:
    """Whether training took items of the scored pool after its classifier was frozen.

    A plan on that pool could then draw what trains the next classifier.
    """
    work = training_of(state)
    if work is None or not work.freezes or settings_of(work).population == "future":
        return False
    return work.freezes[-1].event.excluded != len(work.order)


def live_surveys(state: State) -> list[SurveyWork]:
    """The surveys that take labels now: training does not while its classifier is frozen."""
    closed = training_of(state) if is_frozen(state) else None
    return [work for work in state.surveys if work is not closed]


def training_labels(state: State, work: SurveyWork) -> dict[str, int]:
    """The settled labels of the training items in the order these were drawn."""
    labels = {item: state.label(item) for item in work.order if state.labelled(item)}
    return {item: label for item, label in labels.items() if label is not None}


def labels_digest(labels: Mapping[str, int]) -> str:
    """SHA-256 of the lines "id label", in order."""
    lines = "".join(f"{item} {label}\n" for item, label in labels.items())
    return hashlib.sha256(lines.encode()).hexdigest()


def set_aside(settings: TrainingSettings, item: str) -> bool:
    """Whether this item is set aside at random: its ticket of `keep_seed` lies in the lowest share."""
    if settings.population != "future":
        return False
    return int(_ticket(settings.keep_seed, item)[:13], 16) < settings.keep * 16**13


def _ticket(seed: str, item: str) -> str:
    return hashlib.sha256(f"{seed}:{item}".encode()).hexdigest()


def random_items(work: SurveyWork, labels: Mapping[str, int]) -> set[str]:
    """The labelled training items that represent the population: cross-validation counts these.

    Those drawn by chance. Where a part was set aside, chosen items whose tickets lie before that
    of the last one drawn by chance count too: chance would have drawn them, and without them the
    sample would be poorer than the part it stands for, because choosing drains the collection.
    """
    drawn = {item for item in labels if CELLS[work.cells[item]] == "random"}
    if settings_of(work).population != "future" or not drawn:
        return drawn
    seed = work.survey.seed
    last = max(_ticket(seed, item) for item in drawn)
    return {item for item in labels if item in drawn or _ticket(seed, item) <= last}


def may_be_certified(state: State, item: str) -> bool:
    """Whether the item is in the part that a trained classifier is judged on."""
    work = training_of(state)
    settings = None if work is None else settings_of(work)
    return settings is None or settings.population != "future" or set_aside(settings, item)


def about_pool(state: State, pool: RegisteredPool | None) -> str | None:
    """What figures on this pool are about, where it is what training left of the collection."""
    work = training_of(state)
    frozen = [frozen.event for frozen in work.freezes if frozen.event.pool is pool] if work else []
    if not frozen:
        return None
    items = counted(frozen[-1].pool.summary.items, "item")
    if frozen[-1].population == "future":
        return f"These figures are about the {items} set aside before training, not the collection."
    taken = counted(frozen[-1].excluded, "item")
    return (
        f"These figures are about the {items} that training never took; the {taken} it took are left "
        "out, and need not be like them."
    )


def population_of(work: SurveyWork, frozen: "ClassifierFrozen") -> Population:
    """What a certificate on the scored part is about, in numbers."""
    settings = settings_of(work)
    future = frozen.population == "future"
    return Population(
        population=frozen.population,
        items=frozen.pool.summary.items,
        taken=None if future else frozen.excluded,
        labels=None if future else work.models[frozen.model - 1].event.labels,
        keep=settings.keep if future else None,
    )


def population_sentence(work: SurveyWork, frozen: "ClassifierFrozen") -> str:
    """What a certificate on the scored part is about, and what follows for the collection."""
    return population_words(population_of(work, frozen), settings_of(work).goal.claim)


def population_words(population: Population, claim: Claim) -> str:
    """What a claim on the scored part is about, and what follows for the collection."""
    certified, taken, labelled = population.items, population.taken or 0, population.labels or 0
    if population.population == "future":
        return (
            f"The claim is about the {counted(certified, 'item')} that a lot set aside before training "
            f"({percent(population.keep or 0)} of the collection). Further documents of the same source "
            "should be like them, as long as the source stays as it is; the confidence is for these items."
        )
    if population.population == "rest":
        return (
            f"The claim is about the {counted(certified, 'item')} that training never took; the "
            f"{counted(taken, 'item')} handed out for training are not part of it."
        )
    unsettled = taken - labelled
    left_out = (
        f" Without the {counted(unsettled, 'training item')} that got no settled label."
        if unsettled
        else ""
    )
    return (
        f"Certified are the {counted(certified, 'item')} that training never took. The claim then "
        f"holds for the whole collection of {counted(certified + labelled, 'item')} too, provided that "
        f"the {counted(labelled, 'training item')} take the label people gave them: they add only "
        f"right decisions, which cannot lower {metric(claim.metric).title}.{left_out}"
    )
