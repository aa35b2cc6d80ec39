"""Labels cost money: a run buys no more of them at a time than are useful."""

import numpy as np
import pandas as pd
import pytest

import assaymark

RNG = np.random.default_rng(5)
RELEVANT = RNG.random(2000) < 0.3
SCORES = np.clip(np.where(RELEVANT, 0.8, 0.2) + RNG.normal(0, 0.1, 2000), 0, 1)


def test_a_limit_on_labels_does_not_make_them_all_be_bought() -> None:
    terms = {"threshold": 0.5, "seed": 3, "mode": "score-guided", "folder": ":memory:"}
    free, limited = (
        assaymark.certify(y_score=SCORES, claim="recall >= 0.8", **terms) for _ in range(2)
    )
    wanted = free.run(lambda item: RELEVANT[item.id])
    verdict = limited.run(lambda item: RELEVANT[item.id], max_labels=1500)
    assert verdict.established
    assert verdict.labels == wanted.labels < 300


def test_an_estimate_with_a_limit_is_bought_at_once() -> None:
    work = assaymark.estimate(y_score=SCORES, threshold=0.5, budget=80, seed=1, folder=":memory:")
    found = work.run(lambda item: RELEVANT[item.id], max_labels=500)
    assert found.labels == 80
    assert work._work().batches == 1


@pytest.fixture(scope="module")
def training() -> assaymark.Training:
    words = np.where(RELEVANT[:600], "refund broken angry", "hello thanks order")
    texts = [f"{word} {i % 7}" for i, word in enumerate(words)]
    frame = pd.DataFrame({"doc": range(5000, 5600), "body": texts})
    work = assaymark.train(frame, "f1 >= 0.7", text="body", id="doc", budget=500, seed=2)
    work.run(lambda item: RELEVANT[item.id - 5000], max_labels=400)
    return work


def test_a_run_of_training_ends_when_certification_is_advised(training) -> None:
    assert training.advice.action == "certify"
    summary = training._latest.summary
    assert summary.handed_out == summary.labels == training.advice.labels < 400


def test_a_training_that_is_opened_again_knows_its_advice(training) -> None:
    """It had none, so a run went on after certification was advised."""
    again = assaymark.Training(training.folder)
    assert again.advice == training.advice
    assert again.run(lambda _: pytest.fail("no label is needed"), max_labels=50) is None


def test_a_round_of_training_is_a_sentence(training) -> None:
    assert str(training._latest).startswith(f"After {training.advice.labels} training labels F1 is")
    assert "training labels" in training._latest._repr_html_()


def test_ids_come_back_as_they_were_after_training_too(training) -> None:
    work = training.stop(seed=1)
    items = work.ask(5)
    assert all(type(item.id) is int and item.id >= 5000 for item in items)
    table = pd.DataFrame({"doc": [item.id for item in items], "label": [1, 0, 1, 0, 1]})
    assert work.tell(table).recorded == 5
