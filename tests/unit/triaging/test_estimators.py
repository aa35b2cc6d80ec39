"""TriageClassifier among scikit-learn's own estimators."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from assaymark.errors import InputError
from assaymark.triaging.sklearn_classifier import TriageClassifier

# the only checks that do not apply: both want an answer for every item, cut where the raw score is 0
DECLINES = (
    "a triage classifier may decline to answer, and its cut-offs are not where the score is 0"
)
EXPECTED = {"check_classifiers_train": DECLINES, "check_classifiers_classes": DECLINES}


@pytest.mark.parametrize(
    "estimator",
    [
        TriageClassifier(LogisticRegression(), rule="empirical", target=0.6, review=-9),
        TriageClassifier(LogisticRegression(), review=-9),
        TriageClassifier(review=-9, rule="sides", target=0.8),
    ],
)
@pytest.mark.filterwarnings("ignore")  # the checks feed odd data on purpose
def test_scikit_learn_s_own_checks(estimator):
    found = check_estimator(estimator, expected_failed_checks=EXPECTED, on_skip=None, on_fail=None)
    failed = {
        check["check_name"]: check["exception"] for check in found if check["status"] == "failed"
    }
    assert failed == {}
    assert len(found) > 50


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
        scoring=lambda model, x, y: model.yield_,
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


def test_three_classes_are_refused():
    items = np.arange(30.0).reshape(-1, 1)
    with pytest.raises(InputError, match="Only binary classification is supported"):
        TriageClassifier().fit(items, np.arange(30) % 3)


@pytest.mark.parametrize("bad", [{"target": 1.5}, {"target": 0.3}, {"delta": 0.0}])
def test_settings_that_no_data_could_help_are_refused(data, bad):
    with pytest.raises(InputError, match=f"'{next(iter(bad))}'"):
        TriageClassifier(**bad).fit(*data)
