"""What the lab repeats of papers: social signals, thresholds, mailboxes unlike the training, sizes."""

from pathlib import Path

import numpy as np
import pytest

from assaymark.lab.experiments.pairs.social import averages, headline, words_and_signals
from assaymark.lab.experiments.sequential_bias import experiment as bias
from assaymark.lab.experiments.stratified.printed_study import labels_for
from assaymark.lab.experiments.triage import printed_tables
from assaymark.lab.experiments.triage.diffusion import kernel, roots, train_machine
from assaymark.lab.experiments.triage.printed_tables import PrintedTask, run_printed
from assaymark.lab.tasks import Order
from assaymark.pool.tables import write_table


def test_words_and_signals_of_a_tweet_have_nothing_in_common():
    words, signals = words_and_signals("RT @joe: floods in #Calgary http://t.co/a1 stay safe")
    assert words == "RT : floods in stay safe"
    assert signals == "at_joe tag_Calgary host_t_co"
    assert words_and_signals("nothing here") == ("nothing here", "")


PAIR = {"recall_a": 0.5, "recall_b": 0.8, "estimate_a": 0.58, "estimate_b": 0.8, "delta1": 1.25}


def test_averages_over_pairs_count_the_same_topic():
    rows = [
        {"collection": "c", "topic": "t", "built": "one", **PAIR},
        {"collection": "c", "topic": "t", "built": "two", **PAIR, "delta1": 0.8},
    ]
    found = averages(rows)[0]
    assert found["pairs"] == 2
    assert found["mean_single"] == pytest.approx((0.2 + 0.25) / 2)
    assert found["averaged"] == pytest.approx(0.025)


def test_the_headline_counts_both_recalls_of_every_pair():
    found = headline([{"built": "one", **PAIR}])[0]
    assert found["estimates"] == 2
    assert found["within_0.10"] == 1.0
    assert found["within_15_percent"] == 0.5, "0.08 of 0.5 is 16 %"


def test_labels_for_an_error_follow_the_root():
    errors = {n: 0.4 / n**0.5 for n in (100, 200, 400, 800)}
    assert labels_for(errors) == pytest.approx(1600, rel=1e-6)
    assert labels_for(dict.fromkeys((100, 200, 400), 0.03)) is None, "no end in sight"


def test_the_geodesic_kernel_has_no_parameter_and_is_the_negative_distance():
    sparse = pytest.importorskip("scipy.sparse")
    points = roots(sparse.csr_matrix(np.array([[1, 1, 0], [0, 0, 5]])))
    found = kernel(points, points, None)
    assert found[0, 0] == pytest.approx(0, abs=1e-6)
    assert found[0, 1] == pytest.approx(-np.pi)


def test_the_geodesic_machine_tells_two_vocabularies_apart():
    rng = np.random.default_rng(42)
    words = {True: ["win", "cash", "prize", "now"], False: ["meeting", "agenda", "minutes", "now"]}
    labels = np.tile([True, False], 40)
    texts = np.array([" ".join(rng.choice(words[bool(y)], 8)) for y in labels], dtype=object)
    machine = train_machine(texts[:40], labels[:40], form="geodesic")
    assert ((machine.scores(texts[40:]) > 0) == labels[40:]).all()


@pytest.fixture
def mail(tmp_path: Path) -> Path:
    """Mail of five groups; spam of the second kind shares half of its words with ham."""
    rng = np.random.default_rng(1)
    words = {
        "easy-ham-1": ["meeting", "agenda", "minutes", "list"],
        "easy-ham-2": ["meeting", "patch", "minutes", "list"],
        "hard-ham-1": ["news", "offer", "list", "free"],
        "spam-1": ["win", "cash", "free", "offer"],
        "spam-2": ["win", "list", "free", "meeting"],
    }
    rows = [(g, " ".join(rng.choice(own, 5)), int("spam" in g)) for g, own in words.items() for _ in range(60)]  # fmt: skip
    columns = {
        "id": [f"m{i}" for i in range(len(rows))],
        "group": [row[0] for row in rows],
        "subject": [row[1] for row in rows],
        "body": ["" for _ in rows],
        "is_spam": [row[2] for row in rows],
    }
    return write_table(tmp_path / "mail.parquet", columns)


def test_mailboxes_unlike_the_training_mail(mail: Path, monkeypatch: pytest.MonkeyPatch):
    """Every user has a binary and a ternary figure; the ternary one automates part of the box."""
    monkeypatch.setattr(printed_tables, "SOURCE", {"easy-ham-1": 60, "spam-1": 60})
    task = PrintedTask(path=mail, kind="mail", seed=42, repeat=0)
    rows = run_printed(task)["rows"]
    assert rows == run_printed(task)["rows"]
    ways = {(row["on"], row["way"]): row for row in rows if row["table"] == "5"}
    for user in printed_tables.USERS:
        assert 0 < ways[user, "binary"]["accuracy"] <= 1
        assert 0 <= ways[user, "ternary"]["yield"] <= 1
    assert any(row["table"] == "figure 2" for row in rows)


def test_full_is_the_size_of_the_paper(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """15,000 labels and 20 learning curves for each topic: 580 with its 29 topics."""
    seen = []

    def note(_work, tasks, _order, **_more):
        seen.extend(tasks)
        return []

    class Corpus:
        collection = type("C", (), {"name": "c"})()

    monkeypatch.setattr(bias, "run_all", note)
    monkeypatch.setattr(bias, "load_corpus", lambda *_: Corpus())
    monkeypatch.setattr(
        bias, "frequent_topics", lambda *_a, **_k: tuple(f"t{i}" for i in range(29))
    )
    bias._on_collection(tmp_path / "c.parquet", Order(full=True), 200)
    curves = [task for task in seen if isinstance(task, bias.TrainingTask)]
    assert {task.labels for task in curves} == {15_000}
    assert len([task for task in curves if task.both]) == 580
