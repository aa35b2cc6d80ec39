"""What would break triage's promises is refused or counted: labels used twice, tried again, mixed up."""

import json
import math

import numpy as np
import pytest

from assaymark.project.folder import Project
from assaymark.stats.labelled_scores import Labelled
from assaymark.triaging.stats.class_promises import certify_rates
from triage_rows import rows_of
from worlds_on_disk import read_rows, write_rows


def label(assaymark, path, work, *, truth=True):
    """Give every item of a batch the label that its text gives away, or the opposite."""
    rows = read_rows(path)
    done = [{**row, "label": int(row["text"].startswith("yes") is truth)} for row in rows]
    assert (
        assaymark("label", write_rows(path.with_name(f"done-{path.name}"), done), "-p", work).code
        == 0
    )


@pytest.fixture
def dev(tmp_path):
    return write_rows(tmp_path / "dev.csv", rows_of(0, 400, seed=1))


@pytest.fixture
def work(assaymark, tmp_path):
    pool = write_rows(tmp_path / "pool.csv", rows_of(1000, 2000, seed=2, labels=False))
    done = assaymark("init", tmp_path / "work", "--pool", pool, "--id", "id", "--score", "score",
                 "--text", "text")  # fmt: skip
    assert done.code == 0, done.err
    return tmp_path / "work"


def ask(assaymark, dev, *more):
    return assaymark(
        "triage", "--dev", dev, "--score", "score", "--label", "label", "--target", 0.9, *more
    )


# labels that prove must prove once, and place nothing


def test_the_development_file_cannot_calibrate_its_own_proof(assaymark, dev, tmp_path):
    found = ask(assaymark, dev, "--train", dev)
    assert found.code == 2
    assert "--train and --dev are the same file" in found.err
    copy = tmp_path / "copy.csv"
    copy.write_bytes(dev.read_bytes())
    assert "the same file" in ask(assaymark, dev, "--train", copy).err


def test_development_items_in_the_training_file_are_refused(assaymark, dev, tmp_path):
    train = write_rows(tmp_path / "train.csv", rows_of(390, 200, seed=3))
    found = ask(assaymark, dev, "--train", train, "--id", "id")
    assert found.code == 2
    assert "10 development items are in the training file too (for example 'i390')" in found.err
    apart = write_rows(tmp_path / "apart.csv", rows_of(600, 200, seed=3))
    assert ask(assaymark, dev, "--train", apart, "--id", "id").code == 0


def test_an_item_that_is_there_twice_is_refused(assaymark, tmp_path):
    rows = rows_of(0, 200, seed=1)
    twice = write_rows(tmp_path / "twice.csv", rows + rows[:7])
    found = ask(assaymark, twice, "--id", "id")
    assert found.code == 2
    assert "7 development items are there more than once" in found.err


# trying again


def attempt(assaymark, work, tmp_path, number, *more, labels=22, truth=True):
    path = tmp_path / f"b{number}.csv"
    train = write_rows(tmp_path / f"train{number}.csv", rows_of(5000, 200, seed=3))
    drawn = assaymark("triage", "draw", "--target", 0.9, "--labels", labels, "--train", train, "-p", work,
                  "-o", path, "--json", *more)  # fmt: skip
    if drawn.code:
        return drawn
    label(assaymark, path, work, truth=truth)
    return drawn.json, assaymark("triage", "-p", work, "--json")


def test_the_risks_of_attempts_on_one_pool_add_up(assaymark, work, tmp_path):
    drawn, first = attempt(assaymark, work, tmp_path, 1, "--seed", "s", truth=False)
    assert (drawn["risk"], first.code, first.json["delta"]) == (0.1, 1, 0.1)
    again = attempt(assaymark, work, tmp_path, 2, "--seed", "s")
    assert again.code == 2
    assert "was used in this project before" in again.err
    more = ("--delta", 0.15, "--seed", "t")
    drawn, second = attempt(assaymark, work, tmp_path, 3, *more, labels=400)
    assert drawn["risk"] == 0.25
    assert second.json["attempts"] == 2
    assert second.json["delta"] == 0.25
    assert second.code == 0, second.json["promise"]
    assert second.json["promise"].endswith("with 75% confidence.")
    assert any("attempt 2" in told for told in second.json["assumptions"])
    spent = attempt(assaymark, work, tmp_path, 4, "--delta", 0.8)
    assert spent.code == 2
    assert "add up to 1.05" in spent.err


# the audit


@pytest.fixture
def cuts(assaymark, dev, tmp_path):
    assert ask(assaymark, dev, "-o", tmp_path / "cuts.json").code == 0
    return tmp_path / "cuts.json"


def drawn_audit(assaymark, cuts, work, batch, count, out, *more):
    return assaymark("triage", "audit", "--thresholds", cuts, "--batch", batch, "--id", "id", "--draw",
                 count, "-o", out, "-p", work, "--json", *more)  # fmt: skip


def test_a_small_batch_audited_whole_counts_each_item_once(assaymark, cuts, work, tmp_path):
    batch = write_rows(tmp_path / "may.csv", rows_of(10_000, 60, seed=7, labels=False))
    drawn = drawn_audit(assaymark, cuts, work, batch, 60, tmp_path / "a.csv", "--text", "text")
    assert drawn.code == 0, drawn.err
    label(assaymark, tmp_path / "a.csv", work)
    found = assaymark("triage", "audit", "-p", work, "--json").json
    assert found["draws"] == found["labels"] == len(drawn.json["items"])
    assert found["draws"] == found["batches"][0]["automated"]


def test_an_id_that_means_another_item_is_refused(assaymark, cuts, work, tmp_path):
    may = write_rows(tmp_path / "may.csv", rows_of(1, 300, seed=7, labels=False))
    june = write_rows(tmp_path / "june.csv", rows_of(1, 300, seed=8, labels=False))
    assert (
        drawn_audit(assaymark, cuts, work, may, 250, tmp_path / "a.csv", "--text", "text").code == 0
    )
    label(assaymark, tmp_path / "a.csv", work)
    for more in (("--text", "text"), ()):
        found = drawn_audit(assaymark, cuts, work, june, 250, tmp_path / "b.csv", *more)
        assert found.code == 2
        assert "has the id of an item that was drawn before from another file" in found.err
    assert len(Project(folder=work).state().surveys) == 1
    both = write_rows(tmp_path / "both.csv", rows_of(1, 300, seed=7, labels=False) +
                 rows_of(9000, 50, seed=9, labels=False))  # fmt: skip
    assert (
        drawn_audit(assaymark, cuts, work, both, 250, tmp_path / "c.csv", "--text", "text").code
        == 0
    )


def test_an_audit_of_precision_does_not_let_one_side_vouch_for_the_other(
    assaymark, cuts, work, tmp_path
):
    known = json.loads(cuts.read_text(encoding="utf-8")) | {"rule": "precision", "target": 0.6}
    each = tmp_path / "each.json"
    each.write_text(json.dumps(known), encoding="utf-8")
    rows = rows_of(10_000, 1500, seed=7, labels=False)
    for number, row in enumerate(row for row in rows if row["score"] >= known["cutoffs"]["high"]):
        row["text"] = f"{'yes' if number % 5 < 3 else 'no'} {row['id']}"  # 60 % of the accepted
    batch, more = write_rows(tmp_path / "may.csv", rows), ("--text", "text", "--seed", "s")
    assert drawn_audit(assaymark, each, work, batch, 300, tmp_path / "a.csv", *more).code == 0
    label(assaymark, tmp_path / "a.csv", work)
    found = assaymark("triage", "audit", "-p", work, "--json").json
    assert found["accuracy"] > 0.7
    assert found["decision"] == "open"
    assert "on each side" in found["sentence"]


# cut-offs between neighbouring numbers


@pytest.mark.parametrize("score", [0.1, 0.3, 0.7, 1.0])
def test_sides_stay_strict_where_no_number_lies_between(score):
    """Irrelevant items at a number, relevant ones at the next: no irrelevant one may be accepted."""
    data = Labelled(
        scores=np.repeat([score, math.nextafter(score, 2)], 60), labels=np.repeat([False, True], 60)
    )
    found = certify_rates(data, target=0.95)
    assert (found.tally.type_1, found.tally.type_2) == (0, 0)


def test_advice_counts_the_labels_that_calibrate(assaymark, tmp_path):
    """With a quarter set aside, three quarters prove: 55 of them take 74 labels in all."""
    for size, proving in ((20, 20), (28, 21)):
        few = write_rows(tmp_path / f"few-{size}.csv", rows_of(0, size, seed=1))
        said = ask(assaymark, few).err
        assert f"{proving} labels can never prove" in said
        assert "Label at least 74" in said
    hard = write_rows(tmp_path / "hard.csv", rows_of(0, 200, seed=5, blur=0.9))
    answer = ask(assaymark, hard, "--json").json
    assert answer["certified"] is False
    assert answer["labels_needed"] == 734  # 2.5 · 22 labels in the surest tenth, over 3/4
