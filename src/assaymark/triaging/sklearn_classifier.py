"""Triage as a scikit-learn classifier that may decline to answer (needs the extra `learn`)."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

try:
    from sklearn.base import (
        BaseEstimator,
        ClassifierMixin,
        MetaEstimatorMixin,
        clone,
        is_classifier,
    )
    from sklearn.frozen import FrozenEstimator
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import Pipeline
    from sklearn.utils import _safe_indexing, check_random_state, get_tags
    from sklearn.utils.multiclass import check_classification_targets, type_of_target
    from sklearn.utils.validation import (
        check_consistent_length,
        check_is_fitted,
        column_or_1d,
        has_fit_parameter,
    )
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
from assaymark.triaging.stats.fixed_sequence import certify, likely_start, regions
from assaymark.triaging.stats.optimal_cutoffs import by_hindsight
from assaymark.triaging.thresholds import CALIBRATION_SHARE
from assaymark.triaging.triage import RULES, Cutoffs, Triage

REVIEW = "review"
FEWEST = 3  # items of each class: some to train, to calibrate and to prove with
Array = NDArray[Any]
DECLINES = "it may decline to answer, and its cut-offs are not where the score is 0"
SPLITS = (
    "weights go into training only: the proof counts items, and a repeated item is one more item"
)
TEXT = "answers are text where an item is for review, and this check subtracts them as numbers"
EXPECTED_FAILED_CHECKS = {
    "check_classifiers_train": DECLINES,
    "check_classifiers_classes": DECLINES,
    "check_sample_weight_equivalence_on_dense_data": SPLITS,
    "check_sample_weight_equivalence_on_sparse_data": SPLITS,
    "check_classifier_data_not_an_array": TEXT,
    "check_estimators_pickle": TEXT,
    "check_fit_idempotent": TEXT,
    "check_methods_sample_order_invariance": TEXT,
    "check_methods_subset_invariance": TEXT,
    "check_supervised_y_2d": TEXT,
}
"""What `check_estimator(TriageClassifier(), expected_failed_checks=…)` is to expect, and why."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Parts:
    """Positions of the items that train, that calibrate and place the path, and that prove."""

    train: Array
    calibrate: Array
    prove: Array


class TriageClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier around a scorer that answers where its accuracy is proved, and else says review.

    `fit` sets a share `development` of the items aside and trains the scorer on the others. A
    quarter of the development items calibrates its scores and places the regions to try; the labels
    of the rest prove cut-offs by the `rule`. `predict` gives one of the two classes or `review`;
    `triage_` is the whole answer, `yield_` the share of the proving items that is automated. Where
    nothing is proved, every item is for review: never a guess. `predict_proba` and
    `decision_function` are the scorer's, calibrated and raw. `score` is the accuracy among what is
    automated, and `yield_score` how much that is.

    X is whatever the scorer takes: numbers with or without missing values, texts for a pipeline
    that begins with a vectorizer, a data frame. With `prefit` (or a `FrozenEstimator`) the scorer
    is used as it is, and all items are development items: they must be others than it was trained
    on. `review` is what stands for "ask a person". Text by default, so that nobody mistakes it for
    a class; predictions are then objects if the classes are numbers. Give a number where numbers
    are needed.
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
        prefit: bool = False,
        review: Any = REVIEW,
        random_state: Any = 0,
    ) -> None:
        self.estimator = estimator
        self.target = target
        self.delta = delta
        self.rule = rule
        self.calibrator = calibrator
        self.development = development
        self.prefit = prefit
        self.review = review
        self.random_state = random_state

    def fit(
        self,
        X: Any,  # noqa: N803  (scikit-learn's name)
        y: Any,
        sample_weight: Any = None,
        pool: Any = None,
    ) -> Self:
        """Train, calibrate and prove.

        `sample_weight` goes into the scorer's training; the proof counts every item once. `pool`
        are unlabelled items that place the regions to try. They must be other items than those of
        X, or the regions would know the items that prove.
        """
        self._refuse_settings()
        X, y = _rows(X), self._checked(X, y)  # noqa: N806
        self.estimator_ = self._scorer()
        self.classes_ = self._classes(y)
        codes = (y == self.classes_[1]).astype(np.int64)
        parts = self._parts(codes)
        if not self._is_prefit():
            rows = _safe_indexing(X, parts.train)
            weights = _weights(self.estimator_, sample_weight, len(y), parts.train)
            self.estimator_.fit(rows, y[parts.train], **weights)
        known = self._labelled(X, codes, parts.calibrate)
        data = self._labelled(X, codes, parts.prove)
        self.calibrator_ = self._calibrated(known)
        placed = known.scores if pool is None else _scores(self.estimator_, pool)
        try:
            self.triage_ = self._prove(data, known, placed)
        except InputError as refusal:  # too few labels, or a target that any answer reaches
            self.triage_ = self._nothing(data, str(refusal))
        self.yield_ = automated_share(data.scores, self.triage_.cutoffs)
        return self

    def _refuse_settings(self) -> None:
        """Settings that no data could help; what data could help ends in review instead."""
        choice("rule", self.rule, RULES)
        choice("calibrator", self.calibrator, CALIBRATORS)
        open_share("delta", self.delta)
        open_share("target", self.target)
        open_share("development", self.development)
        if self.rule != "sides":
            checked_target(self.target)

    def _is_prefit(self) -> bool:
        return bool(self.prefit) or isinstance(self.estimator, FrozenEstimator)

    def _scorer(self) -> Any:
        scorer = LogisticRegression() if self.estimator is None else self.estimator
        _method(scorer)
        if not self._is_prefit():
            return clone(scorer)
        check_is_fitted(scorer)
        return scorer

    def _checked(self, X: Any, y: Any) -> Array:  # noqa: N803
        if y is None:
            raise InputError("TriageClassifier requires y to be passed, but the target y is None.")
        if any(label is None or label != label for label in np.ravel(np.asarray(y)).tolist()):
            raise InputError("Input y contains NaN: leave out the items without a label.")
        check_classification_targets(y)
        labels = np.asarray(column_or_1d(y, warn=True))
        check_consistent_length(X, labels)
        return labels

    def _classes(self, y: Array) -> Array:
        classes, counts = np.unique(y, return_counts=True)
        if self._is_prefit():
            trained = np.asarray(self.estimator_.classes_)
            if len(trained) == 2 and set(classes.tolist()) <= set(trained.tolist()):
                return trained
            raise InputError(
                f"The estimator was trained for the classes {trained.tolist()}, and the labels are "
                f"{classes.tolist()}: they must be the same two."
            )
        if len(classes) == 1:
            raise InputError(
                f"TriageClassifier needs two classes, got 1 class only: {classes[0]!r}."
            )
        if len(classes) > 2:
            raise InputError(
                "Only binary classification is supported. The type of the target is "
                f"{type_of_target(y)}."
            )
        if min(counts) < FEWEST:
            raise InputError(
                f"Each class needs {FEWEST} items at least, got {min(counts)} of one of them; "
                f"n_samples = {len(y)} in all."
            )
        return np.asarray(classes)

    def _parts(self, codes: Array) -> Parts:
        """The three parts, with both classes in each.

        Class shares then vary less than among independent draws, so that few errors are rarer by
        luck, and the proof errs on the safe side.
        """
        chance = check_random_state(self.random_state)
        every = [self._class_parts(chance.permutation(np.flatnonzero(codes == c))) for c in (0, 1)]
        train, calibrate, prove = (
            np.sort(np.concatenate(part)) for part in zip(*every, strict=True)
        )
        return Parts(train=train, calibrate=calibrate, prove=prove)

    def _class_parts(self, items: Array) -> list[Array]:
        train = 0 if self._is_prefit() else max(1, round((1 - self.development) * len(items)))
        calibrate = max(1, round(CALIBRATION_SHARE * (len(items) - train)))
        return np.split(items, [train, train + calibrate])

    def _labelled(self, X: Any, codes: Array, rows: Array) -> Labelled:  # noqa: N803
        scores = _scores(self.estimator_, _safe_indexing(X, rows))
        return Labelled(scores=scores, labels=codes[rows].astype(np.bool_))

    def _calibrated(self, known: Labelled) -> Calibrator:
        try:
            return calibrate(
                self.calibrator, labelled(known.scores, known.labels, what="calibration")
            )
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

    def _prove(self, data: Labelled, known: Labelled, placed: Array) -> Triage:
        options: dict[str, Any] = {"target": self.target, "delta": self.delta}
        if self.calibrator_.name == "flat" and self.rule in ("certified", "precision"):
            return self._nothing(
                data, "the scores of the calibration items say nothing about them."
            )
        if self.rule == "certified":
            path = regions(self.calibrator_, placed)
            start = likely_start(
                path, self.calibrator_, known, labels=data.size, target=self.target
            )
            return certify(data, path, start=start, **options)
        if self.rule == "sides":
            return certify_rates(data, pool=placed, **options)
        if self.rule == "precision":
            paths = (
                side_regions(self.calibrator_, placed, accept=True),
                side_regions(self.calibrator_, placed, accept=False),
            )
            return certify_precision(data, paths, **options)
        return by_hindsight(data, **options)

    @property
    def cutoffs_(self) -> Cutoffs:
        """The cut-offs on the raw score."""
        check_is_fitted(self)
        return self.triage_.cutoffs

    def decision_function(self, X: Any) -> Array:  # noqa: N803
        """The scorer's raw score, on which the cut-offs are."""
        check_is_fitted(self)
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
        labels = self.classes_[codes]
        if (accept | reject).all():
            return labels
        numbers = isinstance(self.review, int | float) and labels.dtype.kind in "iufb"
        answer = labels.astype(np.result_type(labels, self.review) if numbers else object)
        answer[~(accept | reject)] = self.review
        return answer

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:  # noqa: N803
        """The accuracy among what is automated; not a number (nan) where nothing is."""
        right, automated, weights = self._judged(X, y, sample_weight)
        if not automated.any():
            return float("nan")
        return float(np.average(right[automated], weights=weights[automated]))

    def yield_score(self, X: Any, sample_weight: Any = None) -> float:  # noqa: N803
        """The share of these items that is automated; it takes no labels."""
        accept, reject = decided(self.decision_function(X), self.cutoffs_)
        weights = _one_weight_each(sample_weight, len(accept))
        return float(np.average(accept | reject, weights=weights))

    def _judged(self, X: Any, y: Any, sample_weight: Any) -> tuple[Array, Array, Array]:  # noqa: N803
        accept, reject = decided(self.decision_function(X), self.cutoffs_)
        positive = np.asarray(column_or_1d(y)) == self.classes_[1]
        right = np.where(accept, positive, ~positive)
        return right, accept | reject, _one_weight_each(sample_weight, len(accept))

    @property
    def n_features_in_(self) -> int:
        """How many columns the scorer was trained with, where it counts them."""
        check_is_fitted(self)
        return int(self.estimator_.n_features_in_)

    @property
    def feature_names_in_(self) -> Array:
        """The columns that the scorer was trained with, where they have names."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.feature_names_in_)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "triage_")

    def __sklearn_tags__(self) -> Any:
        """Two classes only; declining to answer makes the plain score poor."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True
        tags.input_tags = get_tags(
            LogisticRegression() if self.estimator is None else self.estimator
        ).input_tags
        return tags


def _rows(items: Any) -> Any:
    """The items as something that rows can be taken of."""
    if issparse(items):
        matrix: Any = items
        return matrix.tocsr()
    return items if hasattr(items, "__getitem__") else np.asarray(items)


def _one_weight_each(sample_weight: Any, items: int) -> Array:
    if sample_weight is None:
        return np.ones(items)
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (items,):
        raise InputError(
            f"sample_weight must hold one number per item, {items:,}; got the shape {weights.shape}."
        )
    return weights


def _weights(scorer: Any, sample_weight: Any, items: int, rows: Array) -> dict[str, Any]:
    """The weights of the training items under the name that the scorer takes them by."""
    if sample_weight is None:
        return {}
    name = "sample_weight"
    if isinstance(scorer, Pipeline):
        name = f"{scorer.steps[-1][0]}__{name}"
        scorer = scorer.steps[-1][1]
    if not has_fit_parameter(scorer, "sample_weight"):
        raise InputError(f"{type(scorer).__name__} takes no sample_weight. Leave the weights out.")
    return {name: _one_weight_each(sample_weight, items)[rows]}


def _method(scorer: Any) -> str:
    if not is_classifier(scorer):
        raise InputError(f"The estimator must be a classifier, got {scorer!r}.")
    return "decision_function" if hasattr(scorer, "decision_function") else "predict_proba"


def _scores(fitted: Any, items: Any) -> Array:
    scores = np.asarray(getattr(fitted, _method(fitted))(items), dtype=np.float64)
    return scores[:, 1] if scores.ndim == 2 else scores
