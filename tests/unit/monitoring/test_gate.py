"""The gate's five outcomes, each with its exit code and a reason that names what is wrong."""

import json
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from assaymark.ledger.head import settle_heads
from assaymark.monitoring.outcomes import EXIT_CODES, GRAVEST_FIRST
from assaymark.overview.recorded import event_of
from assaymark.project.folder import Project
from worlds_on_disk import write_labels


def test_undecided_until_the_certificate_is_issued(folder) -> None:
    assert folder.gate().code == 4
    assert "not locked yet" in folder.only()["reason"]
    assert folder.lock().code == 0
    empty = folder.only()
    assert (empty["outcome"], empty["labels"]) == ("undecided", 0)
    assert empty["reason"].startswith("Nothing useful is proven so far"), "a sentence of its own"
    assert empty["labels_expected"] is None, "the scores alone do not promise this claim"
    folder.label(batches=7)
    some = folder.only()
    assert (some["outcome"], some["labels"]) == ("undecided", 90)
    assert some["labels_expected"] > 90
    assert "Roughly " in some["reason"]
    assert " more labels." in some["reason"]
    folder.label()
    assert folder.gate().code == 4
    assert "No certificate is issued yet" in folder.only()["reason"]
    folder.certify()
    answer = folder.gate()
    assert (answer.code, answer.json["outcome"]) == (0, "certified")
    (claim,) = answer.json["claims"]
    assert list(claim) == [
        "name", "outcome", "claim", "labels", "labels_expected", "expires", "reason", "file",
    ]  # fmt: skip
    assert claim["claim"] == "f1 >= 0.8"
    assert claim["expires"] == "2099-06-30"
    assert claim["reason"].startswith("F1 ≥ 0.8")


def test_refuted_whether_or_not_anybody_looked(folder) -> None:
    folder.edit("f1 >= 0.8", "f1 >= 0.99")
    folder.lock()
    folder.label()
    answer = folder.gate()
    assert (answer.code, answer.json["outcome"]) == (1, "refuted")
    folder.edit("2099-06-30", "2099-06-30 # a remark changes nothing")
    assert folder.gate().code == 1


def test_a_plan_that_ended_without_proof_refutes_nothing(folder) -> None:
    """The claim is true, and 60 labels were too few: the gate said that the labels show it to be false."""
    folder.edit("project = ", "mode = 'fixed'\nbudget = 60\nproject = ")
    folder.lock()
    batch = folder.claim.parent / "batch.csv"
    drawn = folder.run("draw", 60, "-o", batch, "-p", folder.project, "--json").json["items"]
    answers = {item: folder.world.truth[item] for item in drawn}
    assert folder.run("label", write_labels(batch, answers), "-p", folder.project).code == 0
    assert folder.only()["outcome"] == "undecided"
    look = folder.run("look", "--exit-code", "-p", folder.project)
    assert (look.code, look.out.split(":")[0]) == (4, "Not established")
    claim = folder.only()
    assert (folder.gate().code, claim["outcome"]) == (4, "undecided")
    assert str(claim["reason"]).startswith("Its plan ended without proof (F1 ≥ ")
    assert str(claim["reason"]).endswith("without another plan is said by assaymark status.")
    assert event_of(Project(folder=folder.project).state().attempt) == "not established"


def test_a_plan_that_was_given_up_is_sealed_again_by_the_same_file(folder) -> None:
    """The gate says to lock it again; that wrote the lock of the plan that was given up once more."""
    folder.lock()
    given_up = folder.run("plan", "--abandon", "a slip in the guide", "-p", folder.project)
    assert given_up.code == 0
    assert str(folder.only()["reason"]).endswith("(a slip in the guide): lock it again.")
    again = folder.run("lock", folder.claim, "--json")
    assert (again.code, again.json["plan"], again.json["repeated"]) == (0, 2, False)
    assert str(folder.only()["reason"]).startswith("Nothing useful is proven so far")


def test_the_same_ledger_and_date_give_the_same_answer_and_nothing_is_written(certified) -> None:
    settle_heads()
    place = certified.project.parent
    before = {p: p.read_bytes() for p in place.rglob("*") if p.is_file()}
    first, second = certified.gate().out, certified.gate().out
    assert first == second
    after = {p: p.read_bytes() for p in place.rglob("*") if p.is_file()}
    assert before == after


def test_it_expires_the_day_after_the_date(certified) -> None:
    gate = ("gate", certified.claim.parent, "--json", "--today")
    assert certified.run(*gate, "2099-06-30").code == 0
    late = certified.run(*gate, "2099-07-01")
    assert (late.code, late.json["outcome"]) == (5, "stale")
    assert late.json["claims"][0]["reason"] == "It expired on 2099-06-30."


@pytest.mark.parametrize(
    ("before", "after", "names"),
    [
        ("sha256:11", "sha256:12", "model"),
        ('prompt = "sha256:22"\n', "", "prompt"),
        ("[classifier]", '[classifier]\nrubric = "v2"', "rubric"),
    ],
)
def test_another_classifier_makes_it_stale(certified, before, after, names) -> None:
    certified.edit(before, after)
    assert certified.gate().code == 5
    assert certified.only()["reason"] == f"The classifier changed: {names}."


def test_another_content_of_the_pool_makes_it_stale(certified) -> None:
    with certified.world.path.open("a", encoding="utf-8") as stream:
        stream.write("doc-new,0.7,1,text\n")
    assert certified.gate().code == 5
    assert certified.only()["reason"].startswith("The pool changed: 'pool.csv'")


def test_a_pool_that_is_not_at_hand_is_said_and_not_guessed(certified) -> None:
    certified.world.path.rename(certified.world.path.with_suffix(".away"))
    assert certified.gate().code == 0
    assert certified.only()["reason"].endswith("so its content was not compared.")


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("f1 >= 0.8", "f1 >= 0.7", "'claim' was 'f1 >= 0.8' when the file was locked, and is 'f1 >= 0.7' now."),
        ("0.95", "0.9", "'confidence' was 0.95 when the file was locked, and is 0.9 now."),
        ("2099-06-30", "2100-06-30", "'expires' was '2099-06-30' when the file was locked, and is '2100-06-30' now."),
        ("threshold = 0.5", "threshold = 0.4", "'pool.threshold' was 0.5 when the file was locked, and is 0.4 now."),
        ("../pool.csv", "../other.csv", "'pool.path' was '../pool.csv' when the file was locked, and is '../other.csv' now."),
        ("expires = 2099-06-30\n", "", "'expires' was '2099-06-30' when the file was locked, and is missing now."),
        ("version 3", "version 4", "'protocol' was 'guide, version 3' when the file was locked, and is 'guide, version 4' now."),
    ],
)  # fmt: skip
def test_an_edited_file_is_tampered_and_the_field_is_named(
    certified, before, after, reason
) -> None:
    certified.edit(before, after)
    answer = certified.gate()
    assert (answer.code, answer.json["outcome"]) == (6, "tampered")
    assert answer.json["claims"][0]["reason"] == reason


def test_owner_and_remarks_may_change(certified) -> None:
    certified.edit("trust and safety", "somebody else")
    certified.edit("[classifier]", "# as deployed\n[classifier]")
    assert certified.gate().code == 0


def test_a_certificate_without_its_ledger_is_tampered(certified) -> None:
    settle_heads()
    (certified.project / "ledger.sqlite").unlink()
    assert certified.gate().code == 6
    assert "a certificate without the ledger" in certified.only()["reason"]
    (certified.project / "certificate.json").unlink()
    assert certified.gate().code == 6
    assert "a ledger that is not at" in certified.only()["reason"]


def test_a_lost_certificate_file_is_recomputed(certified) -> None:
    (certified.project / "certificate.json").unlink()
    assert certified.gate().code == 0


@pytest.mark.parametrize("field", ["software", "issued"])
def test_a_certificate_that_does_not_follow_from_its_ledger(certified, field) -> None:
    path = certified.project / "certificate.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**data, field: "another"}), encoding="utf-8")
    assert certified.gate().code == 6
    assert "ertificate" in certified.only()["reason"]


def test_a_certificate_laid_into_an_undecided_project(certified, tmp_path, assaymark) -> None:
    from claims_on_disk import write_folder

    (tmp_path / "second").mkdir()
    other = write_folder(tmp_path / "second", assaymark)
    other.lock()
    shutil.copy(certified.project / "certificate.json", other.project)
    assert other.gate().code == 6


def test_a_broken_chain_is_tampered(certified) -> None:
    settle_heads()
    with sqlite3.connect(certified.project / "ledger.sqlite") as connection:
        connection.execute("UPDATE event SET time = '2020-01-01T00:00:00.000Z' WHERE seq = 5")
    assert certified.gate().code == 6
    assert "The ledger was edited" in certified.only()["reason"]


def test_a_lock_that_is_missing_or_names_another_event(certified) -> None:
    path = certified.claim.with_suffix(".lock")
    text = path.read_text(encoding="utf-8")
    path.unlink()
    assert certified.gate().code == 6
    assert "'toxicity.lock' is missing" in certified.only()["reason"]
    assert certified.lock().json["repeated"] is True
    assert path.read_text(encoding="utf-8") == text
    path.write_text(text.replace('"plan":1', '"plan":2'), encoding="utf-8")
    assert "The field 'plan' of 'toxicity.lock'" in certified.only()["reason"]
    path.write_text("nothing", encoding="utf-8")
    assert "not a usable lock" in certified.only()["reason"]


def test_another_ledger_in_the_place_of_the_locked_one(certified, tmp_path, assaymark) -> None:
    settle_heads()
    path = certified.claim.with_suffix(".lock")
    text = path.read_text(encoding="utf-8")
    shutil.rmtree(certified.project)
    certified.edit("f1 >= 0.8", "f1 >= 0.7")
    assert assaymark("lock", certified.claim).code == 0
    certified.certify()
    assert certified.gate().code == 0
    path.write_text(text, encoding="utf-8")
    assert certified.gate().code == 6
    assert "The field 'hash' of 'toxicity.lock'" in certified.only()["reason"]


def test_a_claim_that_was_taken_away_does_not_open_the_gate(certified) -> None:
    other = certified.claim.with_name("other.toml")
    other.write_text(
        certified.claim.read_text(encoding="utf-8").replace("toxicity", "other"), encoding="utf-8"
    )
    assert certified.gate().code == 4
    certified.claim.unlink()
    answer = certified.gate()
    assert answer.code == 6
    assert "put 'toxicity.toml' back" in answer.json["claims"][1]["reason"]
    other.unlink()  # the last claim of the folder
    assert certified.gate().code == 6
    assert "put 'toxicity.toml' back" in certified.only()["reason"]


def test_a_corrected_label_makes_it_stale(certified, tmp_path) -> None:
    item = Project(folder=certified.project).state().attempt.order[0]
    path = write_labels(tmp_path / "c.csv", {item: 1 - certified.world.truth[item]})
    changed = certified.run("label", path, "--correct", "-p", certified.project)
    assert changed.code == 0, changed.err
    assert certified.gate().code == 5
    assert "changed a label that the certificate uses" in certified.only()["reason"]


def test_of_several_the_gravest_counts(certified, tmp_path) -> None:
    text = certified.claim.read_text(encoding="utf-8")
    for name in ("a", "b"):
        path = certified.claim.with_name(f"{name}.toml")
        path.write_text(
            text.replace('"toxicity"', f'"{name}"').replace("../work", f"../{name}"), "utf-8"
        )
    assert certified.gate().code == 4
    certified.edit("sha256:11", "sha256:12")
    assert certified.gate().code == 5
    certified.edit("0.95", "0.96")
    assert certified.gate().code == 6


def test_the_order_and_the_codes() -> None:
    assert GRAVEST_FIRST == ("tampered", "refuted", "stale", "undecided", "certified")
    assert [EXIT_CODES[name] for name in GRAVEST_FIRST] == [6, 1, 5, 4, 0]


def test_look_ends_with_the_same_codes_if_asked(folder) -> None:
    folder.lock()
    folder.label(batches=1)
    assert folder.run("look", "-p", folder.project).code == 0
    assert folder.run("look", "--exit-code", "-p", folder.project).code == 4
    folder.label()
    assert folder.run("look", "--exit-code", "-p", folder.project).code == 0


def test_look_says_refuted_with_the_same_code(folder) -> None:
    folder.edit("f1 >= 0.8", "f1 >= 0.99")
    folder.lock()
    folder.label()
    assert folder.run("look", "--exit-code", "-p", folder.project).code == 1


def test_a_table_for_people(certified) -> None:
    shown = certified.run("gate", certified.claim.parent, "--today", "2027-01-01")
    assert shown.out.splitlines()[:2] == [
        "Gate on 2027-01-01: certified",
        "  toxicity  certified  f1 >= 0.8, until 2099-06-30",
    ]


def test_bad_input_is_refused_with_2(certified, tmp_path) -> None:
    (tmp_path / "empty").mkdir()
    assert "holds no claim file" in certified.run("gate", tmp_path / "empty").err
    assert certified.run("gate", tmp_path / "nowhere").code == 2
    assert certified.run("gate", certified.claim.parent, "--today", "tomorrow").code == 2
    twin = certified.claim.with_name("twin.toml")
    twin.write_text(certified.claim.read_text(encoding="utf-8"), encoding="utf-8")
    assert "are named 'toxicity'" in certified.gate().err


@pytest.mark.parametrize("which", ["lock", "certificate", "ledger"])
def test_unknown_schemas_are_bad_input(certified, which) -> None:
    settle_heads()
    if which == "ledger":
        with sqlite3.connect(certified.project / "ledger.sqlite") as connection:
            connection.execute("PRAGMA user_version = 99")
    else:
        path: Path = {
            "lock": certified.claim.with_suffix(".lock"),
            "certificate": certified.project / "certificate.json",
        }[which]
        data = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(
            json.dumps({**data, "schema" if which == "lock" else "format": 99}), encoding="utf-8"
        )
    answer = certified.gate()
    assert answer.code == 2
    assert "Install a newer assaymark" in answer.err


def test_refuted_by_sentinels_even_where_it_is_stale(certified, tmp_path) -> None:
    """Every sentinel of five weeks was predicted wrongly; the ledger alone says so."""
    start = ("sentinel", "start", "--alarm", "average", "-p", certified.project)
    assert certified.run(*start).code == 0
    for week in range(5):
        scores = {f"w{week}-{i}": (i % 100) / 100 for i in range(600)}
        path = tmp_path / f"w{week}.csv"
        lines = [f"{item},{score},text" for item, score in scores.items()]
        path.write_text("\n".join(["id,score,body", *lines]) + "\n", encoding="utf-8")
        drawn = certified.run("sentinel", "draw", "--pool", path, "-p", certified.project, "--json")
        wrong = {item: int(scores[item] < 0.5) for item in drawn.json["items"]}
        labels = write_labels(tmp_path / "sentinels.csv", wrong)
        assert certified.run("label", labels, "-p", certified.project).code == 0
    answer = certified.gate()
    assert (answer.code, answer.json["outcome"]) == (1, "refuted")
    assert answer.json["claims"][0]["reason"].startswith("Refuted: f1 >= 0.8 no longer holds")
    certified.edit("sha256:11", "sha256:12")
    assert certified.gate().code == 1


def test_several_processes_give_the_answer_of_one(certified) -> None:
    """A folder of many claims is shared among processes; claims of several parts load nothing extra."""
    text = certified.claim.read_text(encoding="utf-8")
    name = certified.only()["name"]
    for number in range(12):
        other = certified.claim.with_name(f"other-{number}.toml")
        changed = text.replace(f'"{name}"', f'"other-{number}"')
        other.write_text(
            re.sub('project = ".*"', f'project = "../nothing-{number}"', changed), encoding="utf-8"
        )
    script = (
        "import sys, datetime, pathlib\n"
        "from assaymark.monitoring.gate import gate\n"
        "place, day = pathlib.Path(sys.argv[1]), datetime.date(2027, 1, 1)\n"
        "one, two = (gate(place, today=day, processes=n) for n in (1, 2))\n"
        "assert one == two and len(one.claims) == 13, (one, two)\n"
        "rooms = ('assaymark.composite', 'assaymark.drawing', 'assaymark.certification.planning',\n"
        "         'assaymark.monitoring.sentinel', 'importlib.metadata', 'duckdb')\n"
        "loaded = [m for m in sys.modules if m.startswith(rooms)]\n"
        "assert loaded == [], loaded\n"
        "print(one.outcome)"
    )
    place = str(certified.claim.parent)
    done = subprocess.run([sys.executable, "-c", script, place], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("undecided\n", 0), done.stderr


def test_a_forecast_is_a_range(folder) -> None:
    folder.edit("f1 >= 0.8", "f1 >= 0.5")
    folder.lock()
    claim = folder.only()
    low, high = re.search(r"Roughly ([\d,]+)–([\d,]+) labels if", claim["reason"]).groups()
    assert int(low) < claim["labels_expected"] < int(high.replace(",", ""))


def test_without_a_forecast_the_reason_says_when_there_will_be_one(folder) -> None:
    folder.edit("f1 >= 0.8", "f1 >= 0.99")  # by the raw scores it looks false
    folder.lock()
    claim = folder.only()
    assert claim["labels_expected"] is None
    assert claim["reason"].endswith("How many labels it takes will show after the first ones.")
