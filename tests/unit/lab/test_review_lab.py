"""The lab's reviews: every rule reads the same collection, and only some keep their promise."""

from fractions import Fraction

import numpy as np
import pytest

from assaymark.lab.experiments.review.courses import Course
from assaymark.lab.experiments.review.experiment import _rows, review, summary
from assaymark.lab.experiments.review.rules import (
    CERTIFIED,
    PEEKING,
    RULES,
    Certified,
    Draw,
    Mixed,
    Peeking,
    in_a_row,
    play,
    qbcb,
    quantile_bound,
)
from assaymark.lab.tasks import Order

learn = pytest.importorskip("sklearn.feature_extraction.text")
TARGETS = (Fraction("0.8"), Fraction("0.95"))


@pytest.fixture(scope="module")
def world():
    rng = np.random.default_rng(3)
    truth = np.arange(240) < 60
    words = np.array(["rain", "road", "rock", "lamp", "ship", "door"])
    texts = [
        f"{' '.join(rng.choice(words, 5))} {'star' if relevant and rng.random() < 0.9 else ''}"
        for relevant in truth
    ]
    return truth, learn.TfidfVectorizer().fit_transform(texts)


def test_every_rule_ends_for_every_target(world):
    ends = play(Course(*world, seed=1), TARGETS, 1)
    assert [*ends] == [*TARGETS]
    for stops in ends.values():
        assert tuple(stops) == RULES
        for end in stops.values():
            assert 0 < end.read <= len(world[0])
            assert 0 < end.recall <= 1


def test_a_rule_reads_the_same_alone_and_beside_others(world):
    """The course and the draws do not depend on who asked for them first."""
    together = play(Course(*world, seed=5), TARGETS, 5)[TARGETS[1]]
    alone = Mixed(Course(*world, seed=5), TARGETS[1], np.random.default_rng([5, 1])).play()
    assert alone == {name: together[name] for name in (CERTIFIED, PEEKING)}
    assert in_a_row(Course(*world, seed=5), 50) == together["50 in a row"]


def test_a_ranker_that_branches_off_goes_on_as_the_course(world):
    course = Course(*world, seed=2)
    items = course.read(120)
    ranker = course.ranker_after(60)
    known = np.zeros(len(world[0]), dtype=np.bool_)
    known[items[:60]] = True
    for count in range(60, 120):
        item = ranker.best(known, count)
        assert item == items[count]
        known[item] = True


def test_a_clean_run_satisfies_peeking_before_it_certifies():
    draws = [Draw(left=900 - i, found=40, hit=False) for i in range(800)]
    rules = {"certified": Certified(Fraction("0.8")), "peeking": Peeking(Fraction("0.8"))}
    needed = {
        name: next(k for k in range(800) if rule(40, 900 - k, draws[:k]))
        for name, rule in rules.items()
    }
    assert 0 < needed["peeking"] <= needed["certified"] < 400


def test_peeking_begins_its_sample_anew_after_a_hit():
    rule = Peeking(Fraction("0.8"))
    rule(40, 100, [Draw(left=200, found=40, hit=False)] * 30)
    assert rule.clean == 30
    rule(41, 99, [*([Draw(left=200, found=40, hit=False)] * 30), Draw(left=9, found=40, hit=True)])
    assert rule.clean == 0


@pytest.mark.parametrize("target", ["0.8", "0.9", "0.95", "0.99"])
def test_the_quantile_bound_keeps_its_level(target):
    """Reaching so many of the sample has a chance of at most 5 % while recall is below the target."""
    sample, needed = quantile_bound(Fraction(target))
    share, chance = float(target), 0.0
    for reached in range(needed, sample + 1):
        ways = np.prod([(sample - i) / (i + 1) for i in range(reached)])
        chance += ways * share**reached * (1 - share) ** (sample - reached)
    assert 0 < chance <= 0.05


def test_a_sample_that_is_never_complete_reads_everything(world):
    end = qbcb(Course(*world, seed=1), Fraction("0.99"), np.random.default_rng(1))
    assert (end.read, end.recall) == (240, 1.0)


def test_means_are_over_topics_and_misses_are_counted(monkeypatch):
    from assaymark.lab.experiments.review import experiment

    def end(task):
        share = 10 if task.topic == "a" else 30
        rules = {t: {r: {"read": share, "recall": 0.5} for r in RULES} for t in task.targets}
        return {"relevant": 5, "items": 100, "rules": rules}

    monkeypatch.setattr(experiment, "one_run", end)
    monkeypatch.setattr(experiment, "_topics", lambda *_: ("a", "b"))
    outcome = review(Order(runs=2))
    row = outcome.tables["means"][0]
    assert (row["share_read"], row["below"], row["runs"], row["topics"]) == (0.2, 4, 4, 2)
    assert "certified end reads 20% and ends below it in 4 of 4 runs" in outcome.sentences[0]
    assert summary(_rows([], [])) == []
