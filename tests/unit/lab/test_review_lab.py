"""The lab's reviews: every rule reads the same collection, and only some keep their promise."""

from fractions import Fraction

import numpy as np
import pytest

from assaymark.lab.experiments.review.readers import RULES, Certified, Peeking

learn = pytest.importorskip("sklearn.feature_extraction.text")


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


@pytest.mark.parametrize("name", RULES)
def test_every_rule_ends(world, name):
    truth, features = world
    end = RULES[name](truth, features, Fraction("0.8"), np.random.default_rng(1))
    assert 0 < end.read <= len(truth)
    assert 0 < end.recall <= 1


def test_a_clean_run_satisfies_peeking_before_it_certifies():
    draws = [(900 - i, 40, False) for i in range(800)]
    rules = {"certified": Certified(Fraction("0.8")), "peeking": Peeking(Fraction("0.8"))}
    needed = {
        name: next(k for k in range(800) if rule(40, 900 - k, draws[:k]))
        for name, rule in rules.items()
    }
    assert 0 < needed["peeking"] <= needed["certified"] < 400
