"""Scorers for scikit-learn: how much a triage classifier automates, and how well."""

from typing import Any

from sklearn.pipeline import Pipeline

from assaymark.errors import InputError
from assaymark.triaging.sklearn_classifier import TriageClassifier


def yield_scorer(model: Any, X: Any, y: Any = None) -> float:  # noqa: ARG001, N803 - a scorer's form
    """The share of the items that is automated, for `scoring=` of `cross_val_score` and searches.

    What is automated has the proved accuracy, so the yield is what is left to compare. A search
    that chooses by it has read all labels of its data: prove the winner with items that it did not
    see, `TriageClassifier(best, prefit=True)`.
    """
    triage, items = _triage(model, X)
    return triage.yield_score(items)


def automated_accuracy_scorer(model: Any, X: Any, y: Any) -> float:  # noqa: N803
    """The accuracy among the items that are automated; not a number (nan) where none is."""
    triage, items = _triage(model, X)
    return triage.score(items, y)


def _triage(model: Any, items: Any) -> tuple[TriageClassifier, Any]:
    """The triage classifier inside a pipeline or a search, and the items as they come to it."""
    if isinstance(model, TriageClassifier):
        return model, items
    if isinstance(model, Pipeline):
        before = model[:-1]
        return _triage(model[-1], before.transform(items) if len(before) else items)
    if hasattr(model, "best_estimator_"):
        return _triage(model.best_estimator_, items)
    raise InputError(
        f"A {type(model).__name__} has no yield. Score a TriageClassifier, or a pipeline or search "
        "that ends with one."
    )
