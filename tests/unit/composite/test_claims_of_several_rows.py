"""Compare, conjunctions, groups and cut-offs, from seal to verified certificate."""

import csv
import json

import pytest

import assaymark as am
from worlds_on_disk import read_rows, write_rows


@pytest.fixture
def folder(tmp_path):
    """A pool of 400 items: `new` is right in 54 of 60 disagreements with `old`."""
    with (tmp_path / "pool.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "body", "old", "new", "word", "class", "lang", "score"])
        for i in range(400):
            truth = i % 3 == 0
            differ = i % 20 < 3
            new = truth if not differ or i % 200 >= 20 else not truth
            old = not new if differ else new
            lang = ("de", "en", "")[i % 5 % 3]
            score = (0.9 if truth else 0.1) + (i % 10) / 200
            word = "pass" if new else "fail"
            writer.writerow([f"m{i}", f"{int(truth)} text", int(old), int(new), word,
                             f"c{i % 4}", lang, round(score, 3)])  # fmt: skip
    return tmp_path


def answer(path):
    rows = read_rows(path)
    write_rows(path, ({**row, "label": row["body"][0]} for row in rows))


def work(assaymark, folder, *, most=4):
    """Draw, label and look until decided."""
    for number in range(most):
        batch = folder / f"b{number}.csv"
        drawn = assaymark("draw", "100", "-o", str(batch), "-p", str(folder / "w"))
        assert drawn.code == 0, drawn.err
        answer(batch)
        assert assaymark("label", str(batch), "-p", str(folder / "w")).code == 0
        seen = json.loads(assaymark("look", "--json", "-p", str(folder / "w")).out)
        if seen["decision"] not in ("undecided", "continue"):
            return seen
    return seen


def certified(assaymark, folder):
    issued = assaymark("certify", "--json", "-p", str(folder / "w"))
    assert issued.code == 0, issued.err
    certificate = folder / "w" / "certificate.json"
    checked = assaymark("verify", str(certificate), "-p", str(folder / "w"), "--json")
    assert checked.code == 0, checked.out
    assert json.loads(checked.out)["status"] == "verified in part"
    return certificate


def compared(assaymark, folder, *more):
    pool = ("--pool", str(folder / "pool.csv"), "--id", "id", "--text", "body")
    return assaymark("compare", *pool, "-p", str(folder / "w"), *more)


def begun(assaymark, folder, *more):
    pool = ("--pool", str(folder / "pool.csv"), "--id", "id", "--text", "body")
    done = assaymark("init", str(folder / "w"), *pool, *more)
    assert done.code == 0, done.err
    return done.out


def test_a_comparison_from_seal_to_certificate(assaymark, folder):
    sealed = compared(assaymark, folder, "--a", "old", "--b", "new", "--seed", "s", "--json")
    assert json.loads(sealed.out)["disagree"] == 60
    seen = work(assaymark, folder)
    assert seen["decision"] == "better"
    assert 0 <= seen["gap_low"] <= 0.12 <= seen["gap_high"]
    assert (seen["disagree"], seen["labels"]) == (60, 60)
    certificate = certified(assaymark, folder)
    head = json.loads(assaymark("certify", "--json", "-p", str(folder / "w")).out)["head"]
    whole = assaymark("verify", certificate, "-p", folder / "w", "--head", head, "--json")
    assert json.loads(whole.out)["status"] in ("verified", "verified in part")
    assert "is closed: its certificate is issued" in assaymark("status", "-p", folder / "w").out
    assert "Next: assaymark report" in assaymark("look", "-p", folder / "w").out
    lacking = assaymark("verify", certificate, "-p", folder / "w", "--require", "witness")
    assert lacking.code == 1
    changed = certificate.read_text().replace("better", "worse")
    certificate.write_text(changed)
    assert assaymark("verify", str(certificate), "-p", str(folder / "w")).code == 1


def test_a_changed_label_supersedes_the_certificate(assaymark, folder):
    compared(assaymark, folder, "--a", "old", "--b", "new", "--seed", "s")
    work(assaymark, folder)
    certificate = certified(assaymark, folder)
    rows = read_rows(folder / "b0.csv")
    fix = folder / "fix.csv"
    fix.write_text(f"id,label\n{rows[0]['id']},{1 - int(rows[0]['label'])}\n")
    assert assaymark("label", str(fix), "--correct", "-p", str(folder / "w")).code == 0
    told = assaymark("verify", str(certificate), "-p", str(folder / "w"))
    assert told.code == 1
    assert "superseded" in told.out


def test_a_comparison_from_python(folder):
    work = am.compare(
        str(folder / "pool.csv"), id="id", a="old", b="new", text="body", folder=folder / "p"
    )
    found = work.run(lambda item: item.text[0])
    assert found.decision == "better"
    assert found.established
    assert found.labels <= 60


def test_status_and_report(assaymark, folder):
    compared(assaymark, folder, "--a", "old", "--b", "new", "--margin", "0.05")
    assert "is sealed" in assaymark("status", "-p", str(folder / "w")).out
    work(assaymark, folder, most=1)
    told = assaymark("status", "-p", str(folder / "w")).out
    assert "can be certified: 'new' is better than 'old' in accuracy" in told
    assert "Next: assaymark certify" in told
    done = assaymark("report", "-p", str(folder / "w"))
    assert done.code == 0, done.err
    assert "better" in (folder / "w" / "report.html").read_text()


def test_recall_and_named_verdicts(assaymark, folder):
    done = compared(
        assaymark, folder, "--a", "word", "--b", "class", "--positive", "pass", "--seed", "s"
    )
    assert done.code == 2
    assert "--classes" in done.err
    begun_at = compared(
        assaymark, folder, "--a", "old", "--b", "new", "--metric", "f1", "--seed", "s"
    )
    assert begun_at.code == 0, begun_at.err
    assert work(assaymark, folder)["decision"] == "better"


def test_a_conjunction_in_every_group(assaymark, folder):
    next_step = begun(assaymark, folder, "--prediction", "new", "--group", "lang")
    assert 'such as: assaymark plan "f1 >= 0.75 in every lang"' in next_step
    claim = "recall >= 0.6 and precision >= 0.6 in every lang"
    sealed = assaymark("plan", claim, "--seed", "s", "-p", str(folder / "w"), "--json")
    assert sealed.code == 0, sealed.err
    seen = work(assaymark, folder, most=6)
    assert seen["decision"] == "pass"
    assert {part["state"] for part in seen["parts"]} == {"reached"}
    assert {part["group"][0] for part in seen["parts"]} == {"de", "en", "(missing)"}
    certified(assaymark, folder)


def test_a_cut_off(assaymark, folder):
    begun(assaymark, folder, "--score", "score")
    ladder = ("--at", "0.2", "--at", "0.5", "--at", "0.92", "--seed", "s")
    sealed = assaymark("cutoff", "recall >= 0.8", *ladder, "-p", str(folder / "w"), "--json")
    assert sealed.code == 0, sealed.err
    seen = work(assaymark, folder, most=4)
    assert seen["decision"] == "pass"
    assert seen["cutoff"] in (0.2, 0.5)
    reached = sum(rung["state"] == "reached" for rung in seen["rungs"])
    comes = f"cut-off {seen['rungs'][reached]['cutoff']:g} comes next"
    assert comes in assaymark("look", "-p", str(folder / "w")).out
    certified(assaymark, folder)


def test_the_next_items_wait_for_labels(assaymark, folder):
    begun(assaymark, folder, "--prediction", "new", "--group", "lang")
    assaymark("plan", "recall >= 0.6 in every lang", "--seed", "s", "-p", str(folder / "w"))
    first = assaymark("draw", "500", "--json", "-p", str(folder / "w"))
    assert len(json.loads(first.out)["items"]) == 60
    second = assaymark("draw", "10", "-p", str(folder / "w"))
    assert second.code == 2
    assert "labels that are not settled yet" in second.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--a", "old", "--b", "old"), "named as both a and b"),
        (("--a", "new", "--b", "word", "--positive", "pass"), "--positive says"),
        (("--a", "old", "--b", "word"), "Say which one is positive"),
        (("--a", "old", "--b", "class"), "more than two classes"),
        (("--a", "old", "--b", "nwe"), "Did you mean 'new'"),
        (("--a", "old", "--b", "new", "--margin", "x"), "A margin is a number"),
        (("--a", "old", "--b", "new", "--margin", "2"), "between 0 and 1"),
        (("--a", "old", "--b", "new", "--only", "up"), "better or worse"),
        (("--a", "old", "--b", "new", "--metric", "elusion"), "cannot be compared"),
        (("--a", "old", "--b", "new", "--score-a", "score"), "both --score-a and --score-b"),
    ],
)
def test_what_cannot_be_compared_is_refused(assaymark, folder, options, words):
    done = compared(assaymark, folder, *options)
    assert done.code == 2
    assert words in done.err


def test_identical_predictions_need_no_label(assaymark, folder):
    text = (folder / "pool.csv").read_text().replace("id,body,old,new", "id,body,old,new")
    lines = [line.split(",") for line in text.splitlines()]
    same = [",".join([*line[:3], line[2], *line[4:]]) for line in lines[1:]]
    (folder / "pool.csv").write_text("\n".join([",".join(lines[0]), *same]) + "\n")
    done = compared(assaymark, folder, "--a", "old", "--b", "new")
    assert done.code == 2
    assert "they are equally good" in done.err


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        ("recall >= 0.8 in every region", "no group column 'region'"),
        ("accuracy of b > accuracy of a", "assaymark compare"),
        ("recall gap between lang <= 0.1 and recall >= 0.5", "a claim of its own"),
        ("recal >= 0.8 and precision >= 0.7", "recall"),
    ],
)
def test_what_cannot_be_claimed_is_refused(assaymark, folder, claim, words):
    begun(assaymark, folder, "--prediction", "new", "--group", "lang")
    done = assaymark("plan", claim, "-p", str(folder / "w"))
    assert done.code == 2
    assert words in done.err


def test_small_groups_are_left_out_by_name(assaymark, folder):
    begun(assaymark, folder, "--prediction", "new", "--group", "lang")
    claim = "recall >= 0.6 in every lang"
    told = assaymark("plan", claim, "--least-group", "81", "-p", str(folder / "w"), "--json")
    assert json.loads(told.out)["left_out"] == [["(missing)"]]


def test_an_abandoned_claim_costs_its_risk_in_a_second_account(assaymark, folder):
    compared(assaymark, folder, "--a", "old", "--b", "new")
    closed = assaymark("plan", "--abandon", "changed my mind", "-p", str(folder / "w"))
    assert "abandoned" in closed.out
    two = ("--a", "old", "--b", "new", "-p", str(folder / "w"), "--json")
    again = assaymark("compare", *two, "--new-risk")
    assert json.loads(again.out)["confidence"] == 0.9


def test_which_groups_hold_is_told_by_name(assaymark, folder):
    begun(assaymark, folder, "--prediction", "new", "--group", "lang")
    claim = "accuracy >= 0.8 in every lang"
    sealed = assaymark("plan", claim, "--which", "--seed", "s", "-p", folder / "w")
    assert sealed.code == 0, sealed.err
    seen = work(assaymark, folder)
    assert {part["state"] for part in seen["parts"]} == {"reached"}
    told = json.loads(assaymark("certify", "--json", "-p", folder / "w").out)["statement"]
    assert "Of 3 claims these hold, with 95% confidence for all of them together" in told


def test_nothing_to_choose_from(assaymark, folder):
    begun(assaymark, folder, "--prediction", "old")
    assert assaymark("plan", "accuracy >= 0.8", "--which", "-p", folder / "w").code == 2


def test_a_gap_between_groups(assaymark, folder):
    begun(assaymark, folder, "--prediction", "new", "--group", "lang")
    claim = "accuracy gap between lang <= 0.2"
    assert assaymark("plan", claim, "--seed", "s", "-p", folder / "w").code == 0
    seen = work(assaymark, folder, most=5)
    assert seen["decision"] == "pass"
    certified(assaymark, folder)
    refused = assaymark("plan", claim, "--budget", "50", "-p", folder / "w")
    assert "cannot be tested with a budget" in refused.err


def test_several_candidates_are_one_family(assaymark, folder):
    done = compared(assaymark, folder, "--a", "old", "--b", "new", "--b", "third", "--seed", "s")
    assert "Column 'third'" in done.err
    lines = [line.split(",") for line in (folder / "pool.csv").read_text().splitlines()]
    # the third is as wrong as the old one, elsewhere
    third = [str(1 - int(x[3])) if i % 20 in (7, 8, 9) else x[3] for i, x in enumerate(lines[1:])]
    text = [",".join([*lines[0], "third"])]
    text += [",".join([*x, t]) for x, t in zip(lines[1:], third, strict=True)]
    (folder / "pool.csv").write_text("\n".join(text) + "\n")
    import shutil

    shutil.rmtree(folder / "w", ignore_errors=True)
    done = compared(assaymark, folder, "--a", "old", "--b", "new", "--b", "third", "--seed", "s")
    assert done.code == 0, done.err
    seen = work(assaymark, folder)
    states = {part["part"]: part["state"] for part in seen["parts"]}
    assert states["accuracy of new > accuracy of old"] == "reached"
    assert states["accuracy of third > accuracy of old"] != "reached"
    assert "Of 2 claims these hold" in assaymark("certify", "-p", folder / "w").out


@pytest.mark.parametrize(
    "words",
    [
        "f1 of b >= f1 of a - 0.05",
        "accuracy of a within 0.3 of b",
        pytest.param("accuracy of b >= accuracy of a - 0.2 in every lang", marks=pytest.mark.slow),
        "recall of b > recall of a and precision of b > precision of a",
    ],
)
def test_a_comparison_in_words(assaymark, folder, words):
    sides = ("--a", "old", "--b", "new", "--group", "lang", "--claim", words, "--seed", "s")
    done = compared(assaymark, folder, *sides)
    assert done.code == 0, done.err
    assert work(assaymark, folder)["decision"] == "pass"
    certified(assaymark, folder)


def test_a_budget_below_the_forecast_is_named_before_the_seal(assaymark, folder):
    """The scores foresee more labels than the budget has."""
    rows = [f"i{n},{n % 10 / 10 + 0.05},{int(n % 10 > 4)}" for n in range(2000)]
    (folder / "scored.csv").write_text("id,score,guess\n" + "\n".join(rows) + "\n")
    place = folder / "scored"
    pool = ("--pool", folder / "scored.csv", "--id", "id", "--prediction", "guess")
    assert assaymark("init", place, *pool, "--score", "score").code == 0
    claim = ("recall >= 0.72 and precision >= 0.72", "--forecast", "-p", place)
    assert "smaller than the labels to expect" in assaymark("plan", *claim, "--budget", "20").out
    assert (
        "smaller than the labels to expect" not in assaymark("plan", *claim, "--budget", "1900").out
    )


def test_a_budget_ends_the_test(assaymark, folder):
    begun(assaymark, folder, "--prediction", "new")
    claim = "recall >= 0.97 and precision >= 0.97"
    sealed = assaymark("plan", claim, "--budget", "60", "--seed", "s", "-p", folder / "w")
    assert sealed.code == 0
    assert "will probably end undecided" not in sealed.out, "nothing tells how many it needs"
    seen = work(assaymark, folder, most=1)
    assert seen["draws"] == 60
    assert seen["decision"] in ("undecided", "fail")
    assert "budget of 60 draws is spent" in assaymark("draw", "-p", folder / "w").err
