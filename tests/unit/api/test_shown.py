"""What a notebook and a print show of every answer: a sentence, and never a hint's bare mark."""

import html
from pathlib import Path

import numpy as np
import pytest

import assaymark
from assaymark.claims.pictures import html_table
from assaymark.triaging.triage import Triage

SCORES = [0.1, 0.9] * 60
CLAIM = """\
name = "mail"
claim = "precision >= 0.8"
project = "work"

[pool]
path = "pool.csv"
id = "mail"
score = "score"
threshold = 0.5
"""


@pytest.fixture
def work(tmp_path: Path) -> assaymark.Certification:
    made = assaymark.certify(
        y_score=SCORES, threshold=0.5, claim="precision >= 0.8", seed=1, folder=tmp_path / "work"
    )
    made.run(lambda item: item.id % 2 == 1)
    return made


def test_a_verification_shows_its_checks_and_is_neither_true_nor_false(work) -> None:
    work.certify()
    found = work.verify()
    assert "✓ replay" in found._repr_html_()
    assert "– witness" in found._repr_html_()
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(found)


def test_known_labels_are_a_sentence() -> None:
    begun = assaymark.certify(y_score=SCORES, threshold=0.5, folder=":memory:")
    assert str(begun.know({1: 1, 2: 0})) == "Known labels: 2 taken in."
    again = str(begun.know({1: 1, 999: 1}))
    assert again == "Known labels: 1 known before, 1 not in the collection, left out."


def test_the_gate_of_claim_files_from_python(tmp_path: Path) -> None:
    rows = [f"{i},{score}" for i, score in enumerate(SCORES)]
    (tmp_path / "pool.csv").write_text("\n".join(["mail,score", *rows]), encoding="utf-8")
    (tmp_path / "mail.toml").write_text(CLAIM, encoding="utf-8")
    locked = assaymark.lock(tmp_path / "mail.toml", seed=1)
    assert "<p>Locked: mail (precision &gt;= 0.8). Written to " in locked._repr_html_()
    answer = assaymark.gate(tmp_path, today="2027-01-01")
    assert str(answer).startswith(
        "Gate on 2027-01-01: undecided\nmail: undecided (precision >= 0.8). "
    )
    assert "undecided" in answer._repr_html_()
    assert list(answer.to_frame()["name"]) == ["mail"]
    with pytest.raises(TypeError, match="neither true nor false"):
        assert answer
    (tmp_path / "mail.lock").unlink()
    lost = assaymark.gate(tmp_path, today="2027-01-01")
    assert lost.outcome == "tampered"
    assert "assaymark.lock(…) writes it again" in lost.claims[0].reason
    assert "⟦" not in f"{lost}{lost._repr_html_()}"


def test_pairs_and_the_triage_of_a_classifier_show_themselves() -> None:
    rng = np.random.default_rng(1)
    truth = rng.random(600) < 0.5
    pool = {name: (truth & (rng.random(600) < 0.8)).astype(int) for name in ("a", "b")}
    pairs = assaymark.recall_from_pairs(pool, ["a", "b"], labels=80, seed=1, folder=":memory:")
    answer = pairs.run(lambda item: truth[item.id])
    assert answer.labels == 80
    assert list(answer.to_frame()["classifier"]) == ["a", "b"]
    assert "<svg" in answer._repr_html_()
    made = assaymark.triage(y_score=truth + rng.normal(0, 0.2, 600), y_true=truth, target=0.9)
    assert isinstance(made.triage, Triage)
    assert made.triage.promise.split(",")[0] in made.triage._repr_html_()


def test_the_ends_of_an_interval_never_look_better_than_they_are() -> None:
    shown = html_table([{"low": 0.12349, "high": 0.98761, "bound": 0.5, "point": 0.12349}])
    assert [part.split("<")[0] for part in shown.split("<td>")[1:]] == [
        "0.1234", "0.9877", "0.5000", "0.1235",
    ]  # fmt: skip


def test_a_verdict_without_a_bound_says_that_nothing_useful_is_proven() -> None:
    begun = assaymark.certify(y_score=SCORES, claim="recall >= 0.8", threshold=0.5, seed=1)
    assert "nothing useful so far" in begun.verdict()._repr_html_()


def test_advice_in_any_result_is_spelled_as_calls() -> None:
    """What a claim that looks false printed held the bare marks of hints."""
    false = assaymark.size("f1 >= 0.9", pilot=[80, 20, 20, 880])
    assert str(false).endswith('(expect=0.95); or claim less (claim("f1 >= 0.75")).')
    scores = {"score": [i / 100 for i in range(100)]}
    cost = assaymark.certify(scores, threshold=0.5).forecast("accuracy >= 0.9")
    assert 'assaymark.estimate(…, "accuracy", budget=100)' in str(cost)
    assert "What it would cost if it is 0.95" in cost._repr_html_()
    labels = {"prediction": [1, 0] * 30, "label": [1, 0] * 30}
    diagnosis = assaymark.doctor(labels, prediction="prediction")
    assert "say random=True" in diagnosis.reason
    assert not any("⟦" in repr(one) for one in (false, cost, diagnosis))


def test_a_notebook_shows_sentences_and_the_price_as_a_table(work) -> None:
    """It showed every field of a plan, a certificate, a status and a forecast."""
    price = assaymark.size("f1 >= 0.7", pilot=[80, 20, 20, 880])
    assert "<th>bad luck</th>" in price._repr_html_()
    assert "<td>budget (recommended)</td>" in price._repr_html_()
    assert list(price.to_frame()["plan size"].astype(object))[:2] == [2373, 3018]
    assert work.plan._repr_html_() == (
        "<p>Plan 1: precision &gt;= 0.8 with 95% confidence, score-guided.</p>"
    )
    for shown in (work.status(), work.certify(), work.tell({}), work.sensitivity()):
        assert shown._repr_html_() == f"<p>{html.escape(str(shown))}</p>"


def test_a_verdict_of_few_labels_says_the_same_in_its_table() -> None:
    early = assaymark.certify(y_score=SCORES, threshold=0.5, claim="recall >= 0.8", seed=1)
    early.tell([(item, item.id % 2) for item in early.ask(3)])
    assert "nothing useful is proven so far" in str(early.verdict())
    assert "nothing useful so far" in early.verdict()._repr_html_()
