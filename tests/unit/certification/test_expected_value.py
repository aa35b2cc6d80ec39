"""An expected value is that of the claimed metric, and a recommendation follows from its table."""

import pytest

import assaymark as package
from assaymark.certification.forecasts.calculators import expected, expected_words
from assaymark.certification.planning.expected_value import expect_value, implied_value
from assaymark.certification.planning.forecast import recommend
from assaymark.claims.claim import Claim
from assaymark.claims.ratio_metrics import NUMERATORS
from assaymark.claims.results import ModeForecast


@pytest.mark.parametrize("metric", ["f1", "f2", *NUMERATORS])
@pytest.mark.parametrize("share", [0.01, 0.2, 0.5, 0.9])
@pytest.mark.parametrize("value", [0.05, 0.5, 0.82, 0.99])
def test_the_expectation_has_the_value_that_was_given(metric, share, value) -> None:
    claim = Claim(metric=metric, side="lower", target=0.5)
    found = expect_value(claim, value, share=share)
    assert implied_value(claim, found, share=share) == pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize("metric", ["f1", "precision", "recall"])
def test_for_these_it_is_precision_and_recall_to_the_last_digit(metric) -> None:
    found = expect_value(Claim(metric=metric, side="lower", target=0.5), 0.83, share=0.1)
    assert (found.precision, found.recall) == (0.83, 0.83)


def test_a_given_precision_leaves_recall_to_follow() -> None:
    claim = Claim(metric="f1", side="lower", target=0.5)
    found = expect_value(claim, 0.8, share=0.1, precision=0.7)
    assert found.precision == 0.7
    assert found.recall == pytest.approx(0.7 * 0.8 / (2 * 0.7 - 0.8))
    with pytest.raises(
        package.AssaymarkError, match=r"no classifier has f1 0\.9 at precision 0\.7"
    ):
        expect_value(claim, 0.9, share=0.1, precision=0.7)


def test_without_a_pool_the_prevalence_is_needed() -> None:
    claim = Claim(metric="accuracy", side="lower", target=0.8)
    with pytest.raises(package.AssaymarkError, match="give the share of relevant items"):
        expected(claim, 0.82)
    found = expected(claim, 0.82, prevalence=0.3)
    assert expected_words(claim, found) == "accuracy 0.82 (precision 0.7, recall 0.7)"


def test_accuracy_costs_what_accuracy_costs(assaymark) -> None:
    """Read as precision and recall 0.82 it would be accuracy 0.964 and a thirtieth of the labels."""
    found = assaymark("size", "accuracy >= 0.8", "--expect", 0.82, "--prevalence", 0.1)
    assert "accuracy 0.82 (precision 0.1, recall 0.1)" in found.out
    labels = assaymark("size", "accuracy >= 0.8", "--expect", 0.82, "--prevalence", 0.1, "--json")
    assert labels.json["modes"]["fixed"]["labels"] > 3000


def test_the_recommendation_is_the_cheapest_of_its_table() -> None:
    modes = {
        "budget": ModeForecast(labels=120, expected=98.0),
        "score-guided": ModeForecast(expected=30.0),
        "anytime": ModeForecast(expected=20.0, reason="it cannot work"),
    }
    assert recommend(modes)[0] == "score-guided"
    assert recommend({"budget": ModeForecast(reason="no")}) == (None, None)
