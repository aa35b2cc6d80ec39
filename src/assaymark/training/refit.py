"""Fit a classifier to the training labels of one moment, cross-validate it, and be advised."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assaymark import __version__
from assaymark.learners.cross_validation import Study, TooFewLabelsError, study
from assaymark.ledger.events import (
    ModelTrained,
    State,
    SurveyWork,
    labels_digest,
    random_items,
    training_labels,
)
from assaymark.pool import Progress
from assaymark.records.training import Advice, TrainingSettings
from assaymark.training.material import Material
from assaymark.training.training_advice import advice_after


@dataclass(frozen=True, kw_only=True, eq=False)
class Refit:
    """A model of the labels of one moment; None with a reason where they are too few."""

    digest: str
    study: Study | None
    advice: Advice | None
    event: ModelTrained | None
    reason: str | None = None
    hunch: NDArray[np.float64] | None = None


def refit_on(
    state: State,
    work: SurveyWork,
    settings: TrainingSettings,
    material: Material,
    *,
    progress: Progress,
) -> Refit:
    """Fit and cross-validate on the labels of this state; a recorded model is not new."""
    labels = training_labels(state, work)
    digest = labels_digest(labels)
    rows = material.rows(labels)
    truth = np.array(list(labels.values()), dtype=np.int64) == 1
    by_chance = random_items(work, labels)
    random = np.array([item in by_chance for item in labels], dtype=np.bool_)
    inside = material.certified(work)
    try:
        made = study(
            material.documents,
            rows,
            truth,
            random,
            settings.goal.claim,
            pool=inside if inside.any() else None,
            progress=progress,
        )
    except TooFewLabelsError as error:
        hunch = _hunch(material, rows, truth, settings, progress)
        return Refit(
            digest=digest, study=None, advice=None, event=None, reason=error.message, hunch=hunch
        )
    earlier = [model.event for model in work.models]
    name = material.documents.name
    last = earlier[-1] if earlier else None
    # the bands move when items are handed out; the classifier is the same
    same = (digest, name, made.look.counts, made.look.threshold)
    known = last is not None and _identity(last) == same
    looks = [event.look for event in earlier if event.labels < made.look.labels]
    advice = advice_after(settings.goal, (*looks, made.look))
    event = ModelTrained(
        survey=work.survey.number,
        number=len(earlier) + 1,
        labels=len(labels),
        digest=digest,
        learner=name,
        look=made.look,
        software=__version__,
    )
    return Refit(digest=digest, study=made, advice=advice, event=None if known else event)


def _identity(event: ModelTrained) -> tuple[object, ...]:
    """What tells one model from another."""
    return event.digest, event.learner, event.look.counts, event.look.threshold


def _hunch(
    material: Material,
    rows: NDArray[np.int64],
    truth: NDArray[np.bool_],
    settings: TrainingSettings,
    progress: Progress,
) -> NDArray[np.float64] | None:
    """Scores to choose active items by before anything can be cross-validated; never recorded."""
    if settings.sampling == "random" or not truth.any() or truth.all():
        return None
    raw = material.documents.fit(rows, truth).everywhere(progress)
    return 1 / (1 + np.exp(-np.clip(raw, -30, 30)))
