"""What `compare` takes besides two columns, and certificates that are signed."""

from pathlib import Path

import pytest

import assaymark
from assaymark.certification.signatures.signing import load_signer, new_key
from assaymark.errors import InputError, PlanError

TRUTH = [i % 3 == 0 for i in range(900)]
POOL = {
    "old": [truth if i % 5 else not truth for i, truth in enumerate(TRUTH)],
    "new": [truth if i % 11 else not truth for i, truth in enumerate(TRUTH)],
    "best": TRUTH,
}


def compare(**options: object) -> assaymark.ComposedClaim:
    terms = {"a": "old", "b": "new", "seed": 1, "folder": ":memory:"} | options
    return assaymark.compare(POOL, **terms)


def test_of_several_candidates_every_better_one_is_named() -> None:
    work = compare(b=["new", "best"])
    verdict = work.run(lambda item: TRUTH[item.id], batch=60, max_labels=900)
    assert verdict.established
    assert [row["part"] for row in verdict.rows if row["state"] == "reached"] == [
        row["part"] for row in verdict.rows
    ]
    assert len(verdict.rows) == 2


def test_a_claim_in_words_is_sealed_as_it_stands() -> None:
    work = compare(claim="accuracy of b >= accuracy of a + 0.02")
    assert str(work.sealed.claim) == "accuracy of b >= accuracy of a + 0.02"
    assert work.run(lambda item: TRUTH[item.id], batch=60, max_labels=900).established
    with pytest.raises(InputError):
        compare(claim="accuracy of b is fine")


def test_no_more_labels_than_the_budget_are_handed_out() -> None:
    same = [not one if i % 9 == 0 else one for i, one in enumerate(POOL["old"])]
    work = assaymark.compare(
        {"old": POOL["old"], "same": same}, a="old", b="same", budget=20, seed=1, folder=":memory:"
    )
    verdict = work.run(lambda item: TRUTH[item.id], batch=15)
    assert verdict.labels <= 20


def test_a_seed_that_no_side_chose_is_revealed_after_the_seal() -> None:
    theirs = assaymark.Certification.new_part()
    work = compare(seed=None, commit=[theirs.commitment, "own"])
    with pytest.raises(PlanError, match=r"reveal\("):
        work.ask(5)
    work.reveal(theirs.part)
    assert work.ask(5)
    parts = assaymark.certify_parts(
        {"score": [i / 900 for i in range(900)]},
        "recall >= 0.5 and precision >= 0.5",
        threshold=0.5,
        commit=["own"],
        folder=":memory:",
    )
    parts.reveal()
    assert parts.ask(5)


def test_a_certificate_is_signed_from_python(tmp_path: Path) -> None:
    public = new_key(tmp_path / "key.pem")
    signer = load_signer(tmp_path / "key.pem")
    scores = [0.1, 0.9] * 60
    plan = assaymark.certify(
        y_score=scores, threshold=0.5, claim="precision >= 0.8", seed=1, folder=tmp_path / "one"
    )
    plan.run(lambda item: item.id % 2 == 1)
    several = compare(folder=tmp_path / "two")
    several.run(lambda item: TRUTH[item.id], batch=60)
    for work in (plan, several):
        path = work.certify(signer=signer).path
        found = assaymark.verify(path, public_key=public, require="signature")
        assert "signature" not in found.missing
        assert found.status != "failed"
        assert assaymark.verify(path, public_key="0" * 64).status == "failed"


@pytest.mark.parametrize(
    ("target", "word"), [("0.8", "Established: "), ("0.999", "Not established: ")]
)
def test_the_verdict_on_several_parts_begins_like_that_on_one(target, word) -> None:
    pool = {"prediction": POOL["new"]}
    claim = f"recall >= {target} and precision >= {target}"
    work = assaymark.certify_parts(pool, claim, prediction="prediction", seed=1, anyway=True)
    work.ask(10)
    assert str(work.verdict()).startswith("Not yet: ")
    verdict = work.run(lambda item: TRUTH[item.id], batch=60)
    assert str(verdict).startswith(word)
