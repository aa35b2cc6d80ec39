"""Triage as a scikit-learn classifier that may decline to answer (needs the extra `learn`)."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

try:
    from sklearn.base import (
        BaseEstimator,
        ClassifierMixin,
        MetaEstimatorMixin,
        clone,
        is_classifier,
    )
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_predict, train_test_split
    from sklearn.utils.multiclass import check_classification_targets, type_of_target
    from sklearn.utils.validation import check_is_fitted, validate_data
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "TriageClassifier needs scikit-learn. Install it with: pip install 'assaymark[learn]'."
    ) from error

from assaymark.claims.checks import choice, open_share
from assaymark.errors import InputError
from assaymark.stats.calibration import CALIBRATORS, Calibrator, calibrate, flat
from assaymark.stats.labelled_scores import Labelled, labelled
from assaymark.triaging.stats.class_promises import certify_precision, certify_rates, side_regions
from assaymark.triaging.stats.cutoffs import automated_share, checked_target, decided, tally
from assaymark.triaging.stats.fixed_sequence import certify, regions
from assaymark.triaging.stats.optimal_cutoffs import best_cutoffs, sweep
from assaymark.triaging.triage import RULES, Cutoffs, Triage

REVIEW = "review"
FOLDS = 5
Array = NDArray[Any]


class TriageClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier around a scorer that answers where its accuracy is proved, and else says review.

    `fit` sets a share `development` of the items aside, trains the scorer on the others, fits the
    calibrator on its out-of-fold scores there, and lets the development labels prove cut-offs by
    the `rule`. `predict` gives one of the two classes or `review`; `triage_` is the whole answer,
    `yield_` the share of the development items that is automated. Where nothing is proved, every
    item is for review: never a guess. `predict_proba` and `decision_function` are the scorer's,
    calibrated and raw.

    `review` is what stands for "ask a person". Text by default, so that nobody mistakes it for a
    class; predictions are then objects if the classes are numbers. Give a number where numbers are
    needed.
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        target: float = 0.9,
        delta: float = 0.1,
        rule: str = "certified",
        calibrator: str = "platt",
        development: float = 0.5,
        review: Any = REVIEW,
        random_state: Any = 0,
    ) -> None:
        self.estimator = estimator
        self.target = target
        self.delta = delta
        self.rule = rule
        self.calibrator = calibrator
        self.development = development
        self.review = review
        self.random_state = random_state

    def fit(self, X: Any, y: Any, pool: Any = None) -> Self:  # noqa: N803  (scikit-learn's name)
        """Train, calibrate and prove. `pool` are unlabelled items that place the regions to try.

        They must be other items than those of X, or the regions would know the items that prove.
        """
        self._refuse_settings()
        check_classification_targets(y)
        X, y = self._checked(X, y)  # noqa: N806
        self.classes_ = np.unique(y)
        self._refuse_classes(y)
        codes = (y == self.classes_[1]).astype(np.int64)
        train, dev = train_test_split(
            np.arange(len(codes)),
            test_size=self.development,
            random_state=self.random_state,
            stratify=codes,
        )
        scorer = LogisticRegression() if self.estimator is None else self.estimator
        held_out = self._held_out(scorer, _take(X, train), codes[train])
        self.estimator_ = clone(scorer).fit(_take(X, train), codes[train])
        self.calibrator_ = self._calibrated(held_out, codes[train])
        placed = held_out if pool is None else _scores(self.estimator_, pool)
        data = Labelled(
            scores=_scores(self.estimator_, _take(X, dev)), labels=codes[dev].astype(np.bool_)
        )
        try:
            self.triage_ = self._prove(data, placed)
        except InputError as refusal:  # too few labels, or a target that any answer reaches
            self.triage_ = self._nothing(data, str(refusal))
        self.yield_ = automated_share(data.scores, self.triage_.cutoffs)
        return self

    def _refuse_settings(self) -> None:
        """Settings that no data could help; what data could help ends in review instead."""
        choice("rule", self.rule, RULES)
        open_share("delta", self.delta)
        open_share("target", self.target)
        if self.rule != "sides":
            checked_target(self.target)

    def _checked(self, X: Any, y: Any) -> tuple[Any, Array]:  # noqa: N803
        found = validate_data(self, X, y, accept_sparse="csr")
        return found[0], np.asarray(found[1])

    def _refuse_classes(self, y: Array) -> None:
        if len(self.classes_) == 1:
            raise InputError(
                f"TriageClassifier needs two classes, got 1 class only: {self.classes_[0]!r}."
            )
        if len(self.classes_) > 2:
            raise InputError(
                "Only binary classification is supported. The type of the target is "
                f"{type_of_target(y)}."
            )
        if min(np.unique(y, return_counts=True)[1]) < 4:
            raise InputError(
                f"Each class needs 4 items at least; there are n_samples = {len(y)} in all and "
                f"n_features = {self.n_features_in_}."
            )

    def _held_out(self, scorer: Any, X: Any, codes: Array) -> Array:  # noqa: N803
        folds = min(FOLDS, int(min(codes.sum(), (1 - codes).sum())))
        splits = StratifiedKFold(folds, shuffle=True, random_state=self._seed())
        found = cross_val_predict(clone(scorer), X, codes, cv=splits, method=_method(scorer))
        return _one_column(found)

    def _calibrated(self, scores: Array, codes: Array) -> Calibrator:
        choice("calibrator", self.calibrator, CALIBRATORS)
        known = Labelled(scores=scores, labels=codes.astype(np.bool_))
        try:
            return calibrate(self.calibrator, labelled(scores, codes, what="training"))
        except InputError:  # scores that say nothing, or the opposite
            return flat(known)

    def _nothing(self, data: Labelled, reason: str) -> Triage:
        nothing = Cutoffs(low=None, high=None)
        return Triage(
            rule=self.rule,  # type: ignore[arg-type]  # checked in fit
            target=self.target,
            delta=self.delta,
            cutoffs=nothing,
            certified=False,
            tally=tally(data, nothing),
            labels=data.size,
            needed=None,
            reason=reason,
        )

    def _seed(self) -> int:
        return self.random_state if isinstance(self.random_state, int) else 0

    def _prove(self, data: Any, placed: Array) -> Triage:
        options: dict[str, Any] = {"target": self.target, "delta": self.delta}
        if self.calibrator_.name == "flat" and self.rule in ("certified", "precision"):
            return self._nothing(data, "the scores of the training items say nothing about them.")
        if self.rule == "certified":
            return certify(data, regions(self.calibrator_, placed), **options)
        if self.rule == "sides":
            return certify_rates(data, pool=placed, **options)
        if self.rule == "precision":
            paths = (
                side_regions(self.calibrator_, placed, accept=True),
                side_regions(self.calibrator_, placed, accept=False),
            )
            return certify_precision(data, paths, **options)
        cutoffs = best_cutoffs(sweep(data), self.target)
        return Triage(
            rule="empirical",
            cutoffs=cutoffs,
            certified=False,
            tally=tally(data, cutoffs),
            labels=data.size,
            needed=None,
            reason="the cut-offs were chosen and judged with the same labels",
            **options,
        )

    @property
    def cutoffs_(self) -> Cutoffs:
        """The cut-offs on the raw score."""
        check_is_fitted(self)
        return self.triage_.cutoffs

    def decision_function(self, X: Any) -> Array:  # noqa: N803
        """The scorer's raw score, on which the cut-offs are."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", reset=False)  # noqa: N806
        return _scores(self.estimator_, X)

    def predict_proba(self, X: Any) -> Array:  # noqa: N803
        """The calibrated probability of both classes."""
        check_is_fitted(self)
        q = self.calibrator_.at(self.decision_function(X))
        return np.column_stack([1 - q, q])

    def predict(self, X: Any) -> Array:  # noqa: N803
        """One of the two classes, or `review`."""
        accept, reject = decided(self.decision_function(X), self.cutoffs_)
        codes = np.where(accept, 1, 0)
        found = self.classes_[codes]
        if (accept | reject).all():
            return found
        numbers = isinstance(self.review, int | float) and found.dtype.kind in "iufb"
        answer = found.astype(np.result_type(found, self.review) if numbers else object)
        answer[~(accept | reject)] = self.review
        return answer

    def __sklearn_tags__(self) -> Any:
        """Two classes only; declining to answer makes the plain score poor."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True
        tags.input_tags.sparse = True
        return tags


def _take(items: Any, rows: Array) -> Any:
    return items[rows]


def _method(scorer: Any) -> str:
    if not is_classifier(scorer):
        raise InputError(f"The estimator must be a classifier, got {scorer!r}.")
    return "decision_function" if hasattr(scorer, "decision_function") else "predict_proba"


def _scores(fitted: Any, items: Any) -> Array:
    return _one_column(getattr(fitted, _method(fitted))(items))


def _one_column(scores: Any) -> Array:
    found = np.asarray(scores, dtype=np.float64)
    return found[:, 1] if found.ndim == 2 else found
