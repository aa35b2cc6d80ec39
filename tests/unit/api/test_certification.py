"""The same steps from Python."""

import numpy as np
import pytest

import assaymark


@pytest.fixture
def pool():
    rng = np.random.default_rng(42)
    truth = rng.random(3000) < 0.1
    scores = 1 / (1 + np.exp(-rng.normal(np.where(truth, 2.0, -3.0), 1.0)))
    ids = [f"d{n}" for n in range(3000)]
    table = {"id": ids, "score": scores, "body": [f"text {n}" for n in range(3000)]}
    return table, dict(zip(ids, truth.tolist(), strict=True))


def test_ask_tell_verdict_certify(pool, tmp_path) -> None:
    table, truth = pool
    audit = assaymark.Audit.begin(tmp_path / "a", table, threshold=0.5, text=["body"])
    plan = audit.claim("f1 >= 0.75", seed="s")
    assert (plan.mode, plan.design) == ("anytime", "weighted")
    while (verdict := audit.verdict()).decision == "continue":
        items = audit.ask(50)
        assert items[0].texts["body"].startswith("text ")
        audit.tell({item.id: truth[item.id] for item in items[:-1]})
        assert [item.id for item in audit.open_items()] == [items[-1].id]
        audit.tell({items[-1].id: truth[items[-1].id]})
    assert verdict.decision == "pass"
    issued = audit.certify()
    found = assaymark.verify(issued.path, project=audit.project)
    assert found.status.startswith("verified")
    assert assaymark.Audit(tmp_path / "a").verdict().decision == "pass"


def test_words_none_and_corrections(pool, tmp_path) -> None:
    table, _ = pool
    audit = assaymark.Audit.begin(tmp_path / "a", table, threshold=0.5)
    audit.claim("f1 >= 0.75")
    first, second, third = audit.ask(3)
    done = audit.tell({first.id: "yes", second.id: None, third.id: "?"})
    assert (done.recorded, done.skipped) == (1, 2)
    with pytest.raises(assaymark.AssaymarkError, match="import with correct=True"):
        audit.tell({first.id: 0})
    assert audit.tell({first.id: 0}, correct=True).corrected == 1


def test_a_second_audit_in_the_same_folder_is_refused(pool, tmp_path) -> None:
    table, _ = pool
    assaymark.Audit.begin(tmp_path / "a", table, threshold=0.5)
    with pytest.raises(assaymark.AssaymarkError, match=r"Go on with it: assaymark\.Certification"):
        assaymark.Audit.begin(tmp_path / "a", table, threshold=0.5)
    with pytest.raises(assaymark.AssaymarkError, match=r"begin one there: assaymark\.certify"):
        assaymark.Audit(tmp_path / "nothing")


def test_columns_of_different_length_are_refused(tmp_path) -> None:
    with pytest.raises(assaymark.AssaymarkError, match="different lengths"):
        assaymark.Audit.begin(tmp_path / "a", {"id": [1, 2], "score": [0.5]}, threshold=0.5)


def test_the_front_door_opens_every_name() -> None:
    for name in assaymark.__all__:
        assert getattr(assaymark, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = assaymark.nonsense


def _truth(item: assaymark.Item) -> bool:
    return bool(item.id >= 50)


def test_the_last_batch_may_be_short_and_then_there_is_none() -> None:
    work = assaymark.certify(
        y_score=[i / 100 for i in range(100)], threshold=0.5, claim="f1 >= 0.99"
    )
    for size in (60, 40):  # what can be drawn before the first label, and the rest
        items = work.ask(80)
        assert len(items) == size
        work.tell({item.id: _truth(item) for item in items})
    assert work.ask(80) == []


@pytest.mark.parametrize("mode", ["anytime", "budget", "fixed"])
def test_run_labels_until_there_is_an_answer(mode) -> None:
    scores = [i / 1000 for i in range(1000)]
    work = assaymark.certify(
        y_score=scores, threshold=0.05, claim="accuracy >= 0.8", mode=mode, expect=0.95, seed=3
    )
    verdict = work.run(_truth, batch=25)
    assert verdict.established
    assert 0.8 <= verdict.bound <= 1
    assert 0 < verdict.labels < 1000
    assert work.certify().path.exists()
    assert work.verify().status.startswith("verified")


def test_run_stops_at_max_labels_and_goes_on_from_there() -> None:
    work = assaymark.certify(
        y_score=[i / 100 for i in range(100)], threshold=0.5, claim="f1 >= 0.9"
    )
    assert work.run(_truth, max_labels=7).labels == 7
    assert work.run(_truth, batch=5, max_labels=11).labels == 18


def test_status_report_abandon_and_a_second_claim(tmp_path) -> None:
    work = assaymark.certify(
        y_score=[i / 100 for i in range(100)],
        threshold=0.5,
        claim="f1 >= 0.9",
        folder=tmp_path / "p",
    )
    work.run(_truth, max_labels=10)
    assert work.status().labelled == 10
    assert work.report(tmp_path / "r.html").stat().st_size > 1000
    assert work.abandon("another question") == 1
    claim = assaymark.Claim(metric="precision", side="lower", target=0.8)
    with pytest.raises(assaymark.AssaymarkError, match="favour items whose labels help"):
        work.claim(claim, seed=12)
    assert work.claim(claim).claim == claim
    assert assaymark.Certification(tmp_path / "p").plan.claim == claim


def test_two_annotators_differ_and_somebody_decides() -> None:
    work = assaymark.certify(
        y_score=[i / 100 for i in range(100)], threshold=0.5, claim="f1 >= 0.9"
    )
    item = work.ask(1)[0]
    work.tell({item.id: 1}, annotator="a")
    work.tell({item.id: 0}, annotator="b")
    assert [open_item.id for open_item in work.open_items()] == [item.id]
    work.tell({other.id: 1 for other in work.ask(3)}, annotator="a")
    with pytest.warns(UserWarning, match=r"Differences are settled with adjudicate\(\)\.$"):
        work.ask(1)
    assert work.adjudicate({item.id: 1}).adjudicated == 1
    assert len(work.open_items()) == 1


def test_a_verdict_is_neither_true_nor_false() -> None:
    work = assaymark.certify(
        y_score=[i / 100 for i in range(100)], threshold=0.5, claim="f1 >= 0.9"
    )
    verdict = work.verdict()
    with pytest.raises(TypeError, match=r"Write verdict\.established"):
        assert verdict
    assert not verdict.established
    assert verdict._repr_html_().count("<svg") == 1
    assert verdict.plot().svg.endswith("</svg>")
    assert verdict.to_frame().to_dict("records")[0]["decision"] == "continue"


def test_expect_is_the_value_of_the_claimed_metric() -> None:
    """Accuracy 0.82 is not precision and recall 0.82: that would promise far too few labels."""
    work = assaymark.certify(y_score=[i / 20_000 for i in range(20_000)], threshold=0.9)
    found = work.forecast("accuracy >= 0.8", expect=0.82)
    assert found is not None
    assert found.modes["fixed"].labels is not None
    assert found.modes["fixed"].labels > 2000


def test_every_answer_is_a_sentence_when_printed(pool, tmp_path) -> None:
    """A notebook prints what a call returns: a sentence, never the insides of a record."""
    work = assaymark.certify({"score": [i / 100 for i in range(100)]}, "accuracy >= 0.9",
                             threshold=0.5, seed="sentences", folder=tmp_path / "work")  # fmt: skip
    assert repr(work) == f"Certification('{tmp_path / 'work'}')"
    items = work.ask(20)
    assert str(work.tell({item.id: item.id >= 50 for item in items})) == "Labels: 20 recorded."
    assert str(work.status()).endswith("20 of 20 drawn items labelled.")
    work.run(lambda item: item.id >= 50, batch=20)
    assert str(work.certify()).startswith("Certified: accuracy ≥ 0.9")
    assert str(work.verify()).startswith("Verified in part (not checked: ")


def test_size_takes_the_words_of_the_command() -> None:
    one = assaymark.size("recall >= 0.8", expect=0.85, prevalence=0.02)
    assert one.labels is not None
    assert one.labels > 100
    several = assaymark.size(
        "recall >= 0.8 in every language", expect=0.9, prevalence=0.1, groups=6
    )
    assert several.labels is not None
    assert str(several).startswith("About ")
    for wrong, sentence in (
        ({"expect": 0.9}, "prevalence="),
        ({"pilot": "80,20,20,880", "expect": 0.9}, "not both"),
        ({"pilot": "80,20,20,880", "gap": 0.1}, "two classifiers"),
        ({"pilot": "80,20,20,880", "groups": 3}, "one claim"),
    ):
        with pytest.raises(assaymark.AssaymarkError, match=sentence):
            assaymark.size("f1 >= 0.7", **wrong)


def test_a_closed_plan_offers_its_bound_only_where_it_has_one() -> None:
    scores = [i / 600 for i in range(600)]
    work = assaymark.certify(
        y_score=scores, threshold=0.5, claim="f1 >= 0.95", mode="budget", design="simple",
        budget=40, expect=0.98, seed=3, folder=":memory:",
    )  # fmt: skip
    assert work.run(lambda item: item.id >= 300 and item.id % 5 > 0).decision == "fail"
    with pytest.raises(assaymark.AssaymarkError, match="and nothing useful is proven") as refused:
        work.certify()
    assert "certify(bound=True)" not in str(refused.value)
