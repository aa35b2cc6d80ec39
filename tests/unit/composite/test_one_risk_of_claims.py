"""Claims of several rows on one subject share one risk; further accounts add theirs."""

import csv
import json

import pytest

TRUTHS = {f"m{i}": i % 3 == 0 for i in range(300)}


@pytest.fixture
def folder(tmp_path):
    """300 items: `new` is right in nine of ten, `old` in eight."""
    with (tmp_path / "pool.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "old", "new", "score"])
        for i, (name, truth) in enumerate(TRUTHS.items()):
            new = truth if i % 10 else not truth
            old = truth if i % 5 else not truth
            writer.writerow(
                [name, int(old), int(new), round((0.8 if truth else 0.2) + i / 3000, 4)]
            )
    return tmp_path


@pytest.fixture
def say(assaymark, folder):
    """Runs a command on the project and reads its JSON."""

    def run(*arguments, code=0):
        done = assaymark(*arguments, "--json", "-p", folder / "w")
        assert done.code == code, done.err
        return json.loads(done.out) if code == 0 else done.err

    return run


@pytest.fixture
def begun(assaymark, folder):
    pool = ("--pool", folder / "pool.csv", "--id", "id", "--prediction", "new", "--score", "score")
    assert assaymark("init", folder / "w", *pool).code == 0


def label(say, folder, *, draw, answer=None, labelled=None):
    """Draw, and label the first `labelled` of the items drawn."""
    batch = folder / "batch.csv"
    batch.unlink(missing_ok=True)
    say("draw", str(draw), "-o", batch)
    if not batch.exists():
        return
    with batch.open() as stream:
        items = [row["id"] for row in csv.DictReader(stream)][:labelled]
    if not items:
        return
    truth = {name: int(value) if answer is None else answer for name, value in TRUTHS.items()}
    given = folder / "given.csv"
    given.write_text("id,label\n" + "".join(f"{i},{truth[i]}\n" for i in items))
    say("label", given)


def abandon(say):
    say("plan", "--abandon", "it goes badly")


BOTH = "recall >= 0.5 and precision >= 0.5"


@pytest.mark.usefixtures("begun")
def test_a_claim_closed_before_any_draw_costs_nothing(say) -> None:
    say("plan", BOTH)
    abandon(say)
    again = say("plan", BOTH)
    assert again["confidence"] == 0.95
    assert [one["proof"] for one in again["risk"]["carried"]] == ["1", "1"]
    assert again["risk"]["earlier"] == [{"survey": 1, "draws": 0, "settled": 0}]


@pytest.mark.usefixtures("begun")
def test_what_was_drawn_and_not_labelled_counts_as_the_worst_label(say, folder) -> None:
    """Closing after the drawn items were seen is no way out."""
    say("plan", BOTH)
    label(say, folder, draw=3, labelled=0)
    abandon(say)
    again = say("plan", BOTH)
    assert min(float(one["proof"]) for one in again["risk"]["carried"]) <= 0.02**2


@pytest.mark.usefixtures("begun")
def test_a_claim_that_goes_badly_hands_on_what_it_left(say, folder, assaymark) -> None:
    say("plan", BOTH)
    label(say, folder, draw=10, answer=0)
    abandon(say)
    again = say("plan", "precision >= 0.4 and recall >= 0.4")
    carried = again["risk"]["carried"]
    assert 1e-12 < float(carried[0]["proof"]) < 1
    assert again["confidence"] == 0.95
    for _ in range(4):
        label(say, folder, draw=80)
    assert say("look")["decision"] == "pass"
    say("certify")
    certificate = folder / "w" / "certificate.json"
    account = json.loads(certificate.read_text())["account"]
    assert (account["claim"], account["before"][0]) == (2, carried[0]["proof"])
    assert account["earlier"][0]["claim"] == BOTH
    seen = json.loads(assaymark("verify", certificate, "-p", folder / "w", "--json").out)
    assert seen["account"] == (
        "Claim 2 on its subject; for each of its parts, the 95% covers all of them together"
    )
    (risk,) = [check for check in seen["checks"] if check["name"] == "risk"]
    assert risk["outcome"] == "ok"


@pytest.mark.usefixtures("begun")
def test_a_second_account_states_both_risks(say, folder) -> None:
    assert "Leave it out" in say("plan", BOTH, "--new-risk", code=2)
    say("plan", BOTH)
    label(say, folder, draw=5, answer=0)
    abandon(say)
    again = say("plan", BOTH, "--new-risk")
    assert (again["confidence"], again["risk"]["account"]) == (0.9, "claim/2")
    assert again["risk"]["carried"] == []


@pytest.mark.usefixtures("begun")
def test_plans_of_one_row_and_claims_of_several_add_their_risks(say) -> None:
    say("plan", "recall >= 0.5")
    abandon(say)
    assert say("plan", BOTH)["confidence"] == 0.9
    abandon(say)
    assert say("plan", "accuracy >= 0.5 and accuracy <= 0.99")["confidence"] == 0.95
    abandon(say)
    sealed = say("plan", "precision >= 0.4")
    assert (sealed["confidence"], sealed["stake"]["risk"]) == (0.9, "0.05")


@pytest.mark.usefixtures("begun")
def test_a_family_shares_one_risk_across_metrics(say, folder) -> None:
    say("plan", "recall >= 0.5 and recall <= 0.99", "--family")
    label(say, folder, draw=10, answer=0)
    abandon(say)
    again = say("plan", "precision >= 0.4 and accuracy >= 0.4", "--family")
    assert again["risk"]["account"] == "family"
    starts = {one["proof"] for one in again["risk"]["carried"]}
    assert len(starts) == 1
    assert 0 < float(starts.pop()) < 1


@pytest.mark.usefixtures("begun")
def test_a_family_of_plans_shares_one_risk_across_metrics(say, folder) -> None:
    say("plan", "accuracy >= 0.7", "--family", "--design", "simple", "--seed", "s")
    label(say, folder, draw=4, answer=1)
    abandon(say)
    alone = say("plan", "precision >= 0.5", "--design", "simple")
    assert alone["stake"]["carried"] is None
    abandon(say)
    again = say("plan", "recall >= 0.5", "--family", "--design", "simple")
    assert again["stake"]["account"] == "family"
    assert 0 < float(again["stake"]["carried"]) < 1
    assert again["stake"]["earlier"] == [1]


def test_better_and_worse_share_the_risk_of_a_comparison(assaymark, folder, say) -> None:
    pool = ("--pool", folder / "pool.csv", "--id", "id")
    two = ("--a", "old", "--b", "new")
    sealed = assaymark("compare", *pool, *two, "-p", folder / "w", "--json")
    assert sealed.code == 0, sealed.err
    label(say, folder, draw=5)
    abandon(say)
    again = say("compare", *two, "--only", "better")
    assert {one["share"] for one in again["risk"]["carried"]} == {"0.5"}
    abandon(say)
    fresh = say("compare", *two, "--only", "better", "--metric", "precision")
    assert fresh["risk"]["earlier"] == []
    abandon(say)
    refused = say("compare", *two, "--only", "worse", "--metric", "precision", code=2)
    assert "other direction" in refused
