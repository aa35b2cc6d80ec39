"""TriageClassifier among scikit-learn's own estimators."""

import pickle

import numpy as np
import pandas
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from assaymark.errors import InputError
from assaymark.triaging.sklearn_classifier import EXPECTED_FAILED_CHECKS, TriageClassifier
from assaymark.triaging.sklearn_scorers import automated_accuracy_scorer, yield_scorer


@pytest.mark.parametrize(
    "estimator",
    [
        TriageClassifier(LogisticRegression(), rule="empirical", target=0.6, review=-9),
        TriageClassifier(LogisticRegression(), review=-9),
        TriageClassifier(review=-9, rule="sides", target=0.8),
    ],
)
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # the checks feed odd data on purpose
def test_scikit_learn_s_own_checks(estimator):
    found = check_estimator(
        estimator, expected_failed_checks=EXPECTED_FAILED_CHECKS, on_skip=None, on_fail=None
    )
    failed = {
        check["check_name"]: check["exception"] for check in found if check["status"] == "failed"
    }
    assert failed == {}
    assert len(found) > 50


@pytest.mark.filterwarnings("ignore")  # the same
def test_with_defaults_every_declared_failure_is_one():
    found = check_estimator(TriageClassifier(), on_skip=None, on_fail=None)
    failed = {check["check_name"] for check in found if check["status"] == "failed"}
    assert failed == set(EXPECTED_FAILED_CHECKS)


@pytest.fixture(scope="module")
def data():
    return make_classification(
        4000, 10, n_informative=4, class_sep=1.2, flip_y=0.04, random_state=3
    )


def test_it_answers_where_it_may_and_pickles(data):
    items, labels = data
    model = TriageClassifier(LogisticRegression(max_iter=1000), target=0.93).fit(
        items[:2000], labels[:2000]
    )
    assert model.triage_.certified
    answers = model.predict(items[2000:])
    assert set(answers.tolist()) == {0, 1, "review"}
    decided = answers != "review"
    assert 0.1 < decided.mean() < 1
    assert abs(decided.mean() - model.yield_) < 0.1
    assert (answers[decided] == labels[2000:][decided]).mean() > 0.92
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict(items[2000:]) == answers).all()
    assert again.triage_ == model.triage_


def test_in_a_pipeline_a_search_and_around_a_scorer_without_decision_function(data):
    items, labels = data
    pipeline = make_pipeline(
        StandardScaler(), TriageClassifier(GaussianNB(), target=0.8, review=-1)
    )
    answers = pipeline.fit(items, labels).predict(items)
    assert set(answers.tolist()) <= {-1, 0, 1}
    search = GridSearchCV(
        TriageClassifier(LogisticRegression(), target=0.8, review=-1),
        {"estimator__C": [0.1, 1.0]},
        scoring=yield_scorer,
        cv=2,
    ).fit(items, labels)
    assert search.best_estimator_.yield_ > 0


def test_nothing_proved_means_review_for_all():
    rng = np.random.default_rng(42)
    items, labels = rng.normal(size=(300, 3)), np.tile(["ham", "spam"], 150)
    model = TriageClassifier().fit(items, labels)
    assert not model.triage_.certified
    assert model.yield_ == 0
    assert set(model.predict(items).tolist()) == {"review"}
    assert model.predict_proba(items).sum(axis=1) == pytest.approx(1)


@pytest.mark.parametrize("missing", [np.nan, None])
def test_a_missing_label_is_refused(missing):
    labels = np.array([0.0, 1.0] * 30, dtype=object)
    labels[3] = missing
    for y in (labels, pandas.Series(labels).astype(float)):
        with pytest.raises(InputError, match="Input y contains NaN: leave out"):
            TriageClassifier(LogisticRegression()).fit(np.arange(60.0).reshape(-1, 1), y)


def test_three_classes_are_refused():
    items = np.arange(30.0).reshape(-1, 1)
    with pytest.raises(InputError, match="Only binary classification is supported"):
        TriageClassifier().fit(items, np.arange(30) % 3)


@pytest.mark.parametrize("bad", [{"target": 1.5}, {"target": 0.3}, {"delta": 0.0}])
def test_settings_that_no_data_could_help_are_refused(data, bad):
    with pytest.raises(InputError, match=f"'{next(iter(bad))}'"):
        TriageClassifier(**bad).fit(*data)


@pytest.mark.parametrize("items", [2000, 8000])
def test_the_first_region_can_pass_and_something_is_automated(items):
    """The first region that is tested holds enough labels to pass, and something is automated."""
    yields = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(items, 5))
        y = (x[:, 0] + 0.7 * rng.normal(size=items) > 0).astype(int)
        model = TriageClassifier(target=0.95, random_state=seed).fit(x, y)
        assert model.triage_.steps[0].automated >= 29  # the fewest that can pass
        yields.append(model.yield_)
    assert min(yields) > 0.25


def test_default_arguments_of_cross_validation_and_search(data):
    items, labels = data
    accuracy = cross_val_score(TriageClassifier(target=0.9), items, labels, cv=3)
    assert (accuracy > 0.85).all()
    search = GridSearchCV(TriageClassifier(target=0.9), {"estimator": [GaussianNB(), None]}, cv=2)
    assert search.fit(items, labels).best_score_ > 0.85
    pipeline = make_pipeline(StandardScaler(), TriageClassifier(target=0.9)).fit(items, labels)
    for model in (search, pipeline):
        assert 0.1 < yield_scorer(model, items, labels) <= 1
        assert automated_accuracy_scorer(model, items, labels) > 0.85
    assert pipeline.score(items, labels) == automated_accuracy_scorer(pipeline, items, labels)
    with pytest.raises(InputError, match="A GaussianNB has no yield"):
        yield_scorer(GaussianNB(), items)


def test_texts_missing_values_and_data_frames_are_the_scorers_own_business(data):
    items, labels = data
    texts = [f"{'spam offer' if y else 'ham lunch'} word{i % 7}" for i, y in enumerate(labels)]
    words = TriageClassifier(make_pipeline(TfidfVectorizer(), LogisticRegression()))
    assert words.fit(texts, labels).score(texts, labels) == 1
    assert not hasattr(words, "n_features_in_")
    holes = items.copy()
    holes[::7, 0] = np.nan
    trees = HistGradientBoostingClassifier(max_iter=8, early_stopping=False)
    frame = pandas.DataFrame(holes, columns=[f"x{i}" for i in range(10)])
    model = TriageClassifier(trees, target=0.85).fit(frame, labels)
    assert model.yield_ > 0
    assert model.feature_names_in_.tolist() == frame.columns.tolist()
    with pytest.raises(ValueError, match="NaN"):
        TriageClassifier(LogisticRegression()).fit(holes, labels)


def test_a_scorer_that_is_trained_already_leaves_all_items_to_the_proof(data):
    items, labels = data
    trained = LogisticRegression().fit(items[:1000], labels[:1000])
    model = TriageClassifier(trained, prefit=True).fit(items[1000:3000], labels[1000:3000])
    assert model.estimator_ is trained
    assert model.triage_.labels == 1500
    frozen = TriageClassifier(FrozenEstimator(trained)).fit(items[1000:3000], labels[1000:3000])
    assert frozen.triage_ == model.triage_
    with pytest.raises(NotFittedError):
        TriageClassifier(LogisticRegression(), prefit=True).fit(items, labels)
    with pytest.raises(InputError, match="trained for the classes"):
        TriageClassifier(trained, prefit=True).fit(items, labels + 7)


def test_weights_go_into_training_and_into_scores(data):
    items, labels = data
    weights = np.where(labels == 1, 5.0, 1.0)
    plain = TriageClassifier().fit(items, labels)
    heavy = TriageClassifier().fit(items, labels, sample_weight=weights)
    assert heavy.estimator_.intercept_[0] > plain.estimator_.intercept_[0] + 1
    inside = TriageClassifier(make_pipeline(StandardScaler(), LogisticRegression()))
    assert inside.fit(items, labels, sample_weight=weights).estimator_[-1].intercept_[0] > 0.3
    only = np.arange(len(labels)) < 100
    assert plain.score(items, labels, only) == plain.score(items[:100], labels[:100])
    assert plain.yield_score(items, sample_weight=only) == plain.yield_score(items[:100])
    with pytest.raises(InputError, match="takes no sample_weight"):
        TriageClassifier(KNeighborsClassifier()).fit(items, labels, sample_weight=weights)
