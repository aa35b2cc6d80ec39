"""Claim files: what they may say, and what is refused with a sentence."""

import pytest

from assaymark.ledger.events import ClaimLocked, read_event
from assaymark.project.folder import Project


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ('name = "toxicity"\n', "", "the field 'name' is missing"),
        ("confidence = 0.95", "confidence = 95", "Did you mean 0.95?"),
        ("confidence", "confidenze", "got 'confidenze'. Did you mean 'confidence'?"),
        ("score =", "scores =", "got 'scores'. Did you mean 'score'?"),
        ("2099-06-30", "'next year'", "'expires' must be a date such as 2027-06-30, got 'next year'"),
        ("2099-06-30", "2020-06-30", "expires on 2020-06-30, and that day is past"),
        ("f1 >= 0.8", "f1 about 0.8", "cannot be read"),
        ("f1 >= 0.8", "recall >= 0.8 in every language", "recall >= 0.8 in every language"),
        ("[pool]", "[pond]", "got 'pond'"),
        ("[pool]\n", '[pool]\ngroup = "language"\n', "language"),
        ('model = "sha256:11"', "model = true", "'model' in the table [classifier] must be text"),
        ("project = ", "mode = 'sometimes'\nproject = ", "'mode' must be one of"),
        ("project = ", "mode = 'fixed'\nproject = ", "A fixed plan needs to know how many labels"),
        ("name =", "name", "is not readable TOML"),
        ("../pool.csv", "../puddle.csv", "There is no pool at"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_used(folder, before, after, sentence) -> None:
    folder.edit(before, after)
    answer = folder.lock()
    assert answer.code == 2
    assert sentence in answer.err
    assert not folder.claim.with_suffix(".lock").exists()


def test_the_lock_is_in_the_ledger_before_anything_is_drawn(folder) -> None:
    facts = folder.lock().json
    entries = Project(folder=folder.project).ledger.entries()
    assert [entry.kind for entry in entries] == [
        "PoolRegistered", "PlanSealed", "ReserveStored", "ClaimLocked",
    ]  # fmt: skip
    event: ClaimLocked = read_event(entries[-1].kind, entries[-1].body)
    assert (facts["event"], facts["hash"]) == (4, entries[-1].hash)
    assert event.terms.claim == "f1 >= 0.8"
    assert event.classifier == {"model": "sha256:11", "prompt": "sha256:22"}
    assert event.file == facts["file"]


def test_a_fixed_plan_takes_its_budget_from_the_file(folder) -> None:
    folder.edit("project = ", "mode = 'fixed'\nbudget = 300\nproject = ")
    assert folder.lock().code == 0
    assert "300 draws still to be made" in folder.only()["reason"]
    # 300 draws from 2,000 items meet some of them twice
    assert folder.only()["labels_expected"] == 279
    folder.label(batches=1)
    assert folder.run("certify", "-p", folder.project).code == 0
    assert folder.gate().code == 0


def test_locking_again_is_refused_while_the_plan_is_open_and_renews_it_later(folder) -> None:
    folder.lock()
    folder.edit("f1 >= 0.8", "f1 >= 0.7")
    refused = folder.lock()
    assert refused.code == 2
    assert "was changed after it was locked, and its plan 1 is still open" in refused.err
    folder.edit("f1 >= 0.7", "f1 >= 0.8")
    folder.certify()
    folder.edit("2099-06-30", "2100-06-30")
    assert folder.gate().code == 6
    renewed = folder.run("lock", folder.claim, "--json")
    assert (renewed.code, renewed.json["plan"]) == (0, 2)
    state = Project(folder=folder.project).state()
    assert state.attempts[1].lock.event.replaces == state.attempts[0].lock.event.file
    bought = len(set(state.attempts[0].order))
    assert state.attempts[1].plan.known.items == bought, "what was labelled is not drawn again"
    known = f"{bought} labels before the seal, counted as certain; draws come from the other items"
    assert renewed.json["known"] == known
    assert known in folder.lock().out
    assert folder.gate().code == 4
    folder.label()
    assert folder.run("certify", "-p", folder.project).code == 0
    assert folder.gate().code == 0
    lock = Project(folder=folder.project)
    assert lock.state().attempts[1].lock.event.terms.expires == "2100-06-30"


def test_a_project_of_another_pool_is_refused(folder) -> None:
    folder.lock()
    with folder.world.path.open("a", encoding="utf-8") as stream:
        stream.write("doc-new,0.7,1,text\n")
    folder.edit("toxicity", "spam")
    refused = folder.lock()
    assert refused.code == 2
    assert "was made from another pool" in refused.err


def test_the_certificate_is_bound_to_the_lock(folder) -> None:
    folder.lock()
    folder.certify()
    checked = folder.run("verify", folder.project / "certificate.json", "--json")
    assert checked.json["status"] == "verified in part", "nobody brought a witness"
    from assaymark.certification.certificate import read

    certificate, _ = read((folder.project / "certificate.json").read_text(encoding="utf-8"))
    assert certificate.lock is not None
    assert (certificate.lock.name, certificate.lock.expires) == ("toxicity", "2099-06-30")
    assert certificate.lock.classifier["prompt"] == "sha256:22"


def test_ids_of_several_columns(folder) -> None:
    """The project keeps a copy of the pool with joined ids; the gate compares the pool itself."""
    pool = folder.claim.parent.parent / "pool.csv"
    lines = pool.read_text(encoding="utf-8").splitlines()
    rows = [f"q,{line}" for line in lines[1:]]
    pool.write_text("\n".join([f"query,{lines[0]}", *rows]) + "\n", encoding="utf-8")
    folder.edit('id = "id"', 'id = ["query", "id"]')
    assert folder.lock().code == 0
    assert folder.lock().json["repeated"]
    drawn = folder.run("draw", "5", "-p", folder.project, "--json").json["items"]
    assert all(item.startswith('["q","') for item in drawn)
    assert folder.gate().code == 4
    pool.write_text("\n".join([f"query,{lines[0]}", *rows[1:]]) + "\n", encoding="utf-8")
    assert folder.gate().code == 5
    assert folder.only()["reason"] == "The pool changed: 'pool.csv' is not what was registered."
    assert "made from another pool" in folder.lock().err
    folder.edit('id = ["query", "id"]', 'id = ["query", 3]')
    assert "'id' must be a column or a list of columns" in folder.gate().err
