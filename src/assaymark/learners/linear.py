"""A small linear text classifier: words weighed by TF-IDF, logistic regression on them.

Needs scikit-learn (pip install 'assaymark[learn]'). The model is deterministic given its texts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assaymark.errors import InputError
from assaymark.learners.features import needed

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
FOLDS = 5
FEATURES = 50_000
LEAST = 10  # training items of each class


@dataclass(frozen=True, kw_only=True, eq=False)
class TextModel:
    """A trained classifier. Items with a score of at least `threshold` are flagged."""

    vectorizer: Any
    learner: Any
    threshold: float
    training: int
    positives: int

    def scores(self, texts: Sequence[str]) -> Floats:
        """The score of each text, between 0 and 1."""
        features = self.vectorizer.transform(texts)
        return np.asarray(self.learner.predict_proba(features)[:, 1], dtype=np.float64)

    def flags(self, texts: Sequence[str]) -> Flags:
        """Which texts are flagged."""
        return np.asarray(self.scores(texts) >= self.threshold)


def train(
    texts: Sequence[str], labels: Sequence[bool] | Flags, *, characters: int | None = None
) -> TextModel:
    """A classifier trained on labelled texts, with the threshold that is best for F1 out of fold.

    `characters` takes runs of this many characters as features instead of words.
    """
    known = np.asarray(labels, dtype=np.bool_)
    least = min(int(known.sum()), int((~known).sum()))
    if least < LEAST:
        raise InputError(
            f"Training needs at least {LEAST} positive and {LEAST} negative items, got "
            f"{int(known.sum())} and {int((~known).sum())}. Label more training items."
        )
    vectorizer = vectors(characters)
    try:
        features = vectorizer.fit_transform(texts)
    except ValueError as error:
        raise InputError(f"The training texts hold no usable words: {error}.") from error
    learner, threshold = fit(features, known)
    return TextModel(
        vectorizer=vectorizer,
        learner=learner,
        threshold=threshold,
        training=len(known),
        positives=int(known.sum()),
    )


def fit(features: Any, labels: Flags, *, folds: int = FOLDS) -> tuple[Any, float]:
    """The linear learner on ready features, and the threshold that is best for F1 out of fold."""
    selection = needed("sklearn.model_selection")
    least = min(int(labels.sum()), int((~labels).sum()))
    parts = selection.StratifiedKFold(max(2, min(folds, least)), shuffle=True, random_state=0)
    honest = selection.cross_val_predict(
        _learner(), features, labels, cv=parts, method="predict_proba"
    )[:, 1]
    return _learner().fit(features, labels), best_threshold(honest, labels)


def vectors(characters: int | None = None) -> Any:
    """TF-IDF of words, or of runs of this many characters, to be fitted to texts."""
    shape: dict[str, Any] = {"token_pattern": r"[#@]?\w+"}
    if characters is not None:
        shape = {"analyzer": "char_wb", "ngram_range": (characters, characters)}
    return needed("sklearn.feature_extraction.text").TfidfVectorizer(
        min_df=2, sublinear_tf=True, max_features=FEATURES, dtype=np.float32, **shape
    )


def _learner() -> Any:
    # rare topics: both classes weigh the same, so that the scores of positives are not all tiny
    return needed("sklearn.linear_model").LogisticRegression(
        solver="liblinear",
        dual=True,
        class_weight="balanced",
        C=10.0,
        tol=0.05,
        max_iter=3000,
        random_state=0,
    )


def best_threshold(scores: Floats, labels: Flags) -> float:
    """The threshold with the highest F1 among the scores themselves.

    >>> best_threshold(np.array([0.1, 0.4, 0.8, 0.9]), np.array([False, True, True, True]))
    0.4
    """
    order = np.argsort(-scores, kind="stable")
    hits = np.cumsum(labels[order])
    f1 = 2 * hits / (np.arange(1, len(scores) + 1) + max(1, int(labels.sum())))
    last = np.append(np.diff(scores[order]) != 0, True)  # tied scores stand or fall together
    return float(scores[order][np.argmax(np.where(last, f1, -1.0))])
