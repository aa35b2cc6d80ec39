"""What the race prints beside its laps: bars and forecasts."""

from types import SimpleNamespace

import numpy as np
import pytest

from assaymark.lab.experiments.certify_race.bars import bar_sentence, forecast_table, race_bars
from assaymark.lab.experiments.certify_race.entrants import Course
from assaymark.lab.worlds import Sketch, claim_below, make_world


def lap(**more):
    usual = {
        "world": "a",
        "where": "real",
        "collection": "goemotions",
        "prevalence": 0.05,
        "f1": 0.6,
        "ideal": 50.0,
        "metric": "f1",
        "margin": 0.05,
        "entrant": "method 2",
        "mean": 100.0,
        "of_fixed": 0.1,
        "of_draws": 0.08,
        "of_anytime": 0.5,
        "predicted": 90.0,
        "within_unlucky": 0.9,
    }
    return SimpleNamespace(**usual | more)


def test_a_bar_is_missed_where_the_geometric_mean_or_the_worst_claim_is_above_it():
    laps = [lap(), lap(world="b", of_fixed=0.9, of_anytime=2.0)]
    found = {row["figure"].split(",")[1].strip(): row for row in race_bars(laps, [])[:2]}
    assert found["geometric mean"]["measured"] == pytest.approx(0.3)
    assert found["worst claim"]["measured"] == 0.9
    assert not any(row["met"] for row in found.values())
    assert bar_sentence(found["worst claim"]).startswith(
        "MISSED: every pool, f1, method 2, margins 0.05 and 0.1"
    )


def test_like_is_held_against_like():
    """Limits were set on rare classes of three collections, against draws: shown beside every pool."""
    own = lap(collection="arxiv_cs", of_fixed=0.3, of_draws=0.09)
    frequent = lap(world="b", collection="arxiv_cs", prevalence=0.4, of_fixed=0.9, of_draws=0.9)
    rows = race_bars([own, lap(world="c", of_fixed=0.1), frequent], [])
    every = [row for row in rows if row["pools"] == "every pool"]
    like = [row for row in rows if row["pools"] != "every pool"]
    assert every[0]["claims"] == 3
    assert [(row["claims"], row["met"]) for row in like] == [(1, True)] * 2
    assert like[0]["measured"] == pytest.approx(0.09)
    assert like[0]["ideal"] == pytest.approx(0.045)
    assert "0.05 at the information limit" in bar_sentence(like[0])


def test_a_claim_that_ran_again_counts_with_its_new_runs():
    """The worst of many rough ratios is mostly bad luck."""
    laps = [lap(of_anytime=1.4), lap(world="b", margin=0.01)]
    before, after = race_bars(laps, [])[-1], race_bars(laps, [lap(of_anytime=1.1)])[-1]
    assert (before["measured"], before["met"]) == (1.4, False)
    assert (after["measured"], after["met"]) == (1.1, True)


def test_forecasts_are_held_against_labels_really_used():
    laps = [lap(), lap(mean=45.0), lap(entrant="fixed", predicted=None)]
    (row,) = forecast_table(laps)
    assert (row["entrant"], row["claims"]) == ("method 2", 2)
    assert row["most"] == pytest.approx(100 / 90)
    assert row["used_of_predicted"] == pytest.approx((100 / 90 * 45 / 90) ** 0.5)
    assert row["within_unlucky"] == pytest.approx(0.9)


SMALL = make_world(Sketch(items=4000, prevalence=0.2, f1=0.75), np.random.default_rng(1))


@pytest.mark.parametrize(("metric", "items"), [("f1", 4000), ("recall", 4000), ("precision", 800)])
def test_a_simple_sample_is_drawn_from_the_items_that_a_claim_is_about(metric, items):
    """Precision is read off predicted positives alone, and only tp and fp say anything."""
    course = Course(world=SMALL, claim=claim_below(SMALL, 0.1, name=metric))
    assert course.items == items
    assert np.nansum(course.wins) == 1
