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
    with pytest.raises(assaymark.AssaymarkError, match="import with --correct"):
        audit.tell({first.id: 0})
    assert audit.tell({first.id: 0}, correct=True).corrected == 1


def test_a_second_audit_in_the_same_folder_is_refused(pool, tmp_path) -> None:
    table, _ = pool
    assaymark.Audit.begin(tmp_path / "a", table, threshold=0.5)
    with pytest.raises(assaymark.AssaymarkError, match="already is an assaymark project"):
        assaymark.Audit.begin(tmp_path / "a", table, threshold=0.5)
    with pytest.raises(assaymark.AssaymarkError, match="is not an assaymark project"):
        assaymark.Audit(tmp_path / "nothing")


def test_columns_of_different_length_are_refused(tmp_path) -> None:
    with pytest.raises(assaymark.AssaymarkError, match="different lengths"):
        assaymark.Audit.begin(tmp_path / "a", {"id": [1, 2], "score": [0.5]}, threshold=0.5)


def test_the_front_door_opens_every_name() -> None:
    for name in assaymark.__all__:
        assert getattr(assaymark, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = assaymark.nonsense
