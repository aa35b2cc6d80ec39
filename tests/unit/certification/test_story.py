"""The whole story through the command line, and the rules it keeps."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assaymark.project.folder import Project
from assaymark.sampling.tickets import ticket
from worlds_on_disk import write_labels, write_world


def test_from_scores_to_a_verified_certificate(assaymark, labelled, tmp_path) -> None:
    seen = assaymark("look", "-p", labelled, "--json")
    assert (seen.code, seen.json["decision"], seen.json["looks"]) == (0, "pass", 1)
    assert seen.json["draws"] == 300
    assert seen.json["labels"] < 300, "repeats are free"
    done = assaymark("certify", "-o", tmp_path / "c.json", "-p", labelled, "--json")
    assert done.code == 0
    checked = assaymark("verify", tmp_path / "c.json", "-p", labelled, "--json")
    assert checked.code == 0
    outcome = {check["name"]: check["outcome"] for check in checked.json["checks"]}
    assert outcome == {
        "chain": "ok", "replay": "ok", "looks": "ok", "certificate": "ok",
        "signature": "not checked",
        "numbers": "ok", "chances": "ok", "pool": "ok", "draw": "ok", "labels": "ok",
        "witness": "not checked", "risk": "ok", "seed": "not checked",
    }  # fmt: skip


def test_a_fixed_plan_is_judged_once_and_not_before(assaymark, project, world, tmp_path) -> None:
    assaymark("plan", "f1 >= 0.8", "--mode", "fixed", "--budget", 300, "--seed", "s", "-p", project)
    early = assaymark("look", "-p", project)
    assert early.code == 2
    assert "300 draws still to be made" in early.err
    drawn = assaymark("draw", 100, "-o", tmp_path / "b.csv", "-p", project, "--json").json["items"]
    write_labels(tmp_path / "l.csv", {item: world.truth[item] for item in drawn[:60]})
    assaymark("label", tmp_path / "l.csv", "-p", project)
    early = assaymark("look", "-p", project)
    assert early.code == 2
    assert "40 drawn items without a label" in early.err
    refused = assaymark("certify", "-p", project)
    assert refused.code == 1
    assert not (project / "certificate.json").exists()


def test_draws_follow_the_tickets(assaymark, project, world, tmp_path) -> None:
    """The items handed out are those with the lowest SHA-256 of "seed:id", in that order."""
    assaymark("plan", "f1 >= 0.8", "--mode", "fixed", "--budget", 300, "--seed", "s", "-p", project)
    first = assaymark("draw", 50, "-o", tmp_path / "1.csv", "-p", project, "--json").json
    second = assaymark("draw", 30, "-o", tmp_path / "2.jsonl", "-p", project, "--json").json
    expected = sorted(world.truth, key=lambda item: ticket("s", item))[:80]
    assert first["items"] + second["items"] == expected
    rest = assaymark("draw", "-o", tmp_path / "3.csv", "-p", project, "--json").json
    assert rest["draws"] == 300
    assert rest["remaining"] == 0
    assert assaymark("draw", "-p", project).code == 2


def test_batches_are_blind(assaymark, project, tmp_path) -> None:
    assaymark("plan", "f1 >= 0.8", "--mode", "fixed", "--budget", 40, "-p", project)
    assaymark("draw", 20, "-o", tmp_path / "1.csv", "-p", project)
    assaymark("draw", 10, "-o", tmp_path / "2.jsonl", "-p", project)
    assert (tmp_path / "1.csv").read_text().splitlines()[0] == "id,body,label"
    assert set(json.loads((tmp_path / "2.jsonl").read_text().splitlines()[0])) == {
        "id", "body", "label"
    }  # fmt: skip


@pytest.mark.parametrize("claim", ["precision >= 0.8", "elusion <= 0.1"])
def test_a_claim_about_one_class_draws_from_it_alone(
    assaymark, project, world, tmp_path, claim
) -> None:
    assaymark("plan", claim, "--mode", "fixed", "--budget", 50, "-p", project)
    drawn = assaymark("draw", "-o", tmp_path / "b.csv", "-p", project, "--json").json["items"]
    wanted = claim.startswith("precision")
    assert {world.scores[item] >= 0.5 for item in drawn} == {wanted}


def test_a_claim_that_fails_closes_the_plan(assaymark, project, world, tmp_path) -> None:
    assaymark("plan", "f1 >= 0.99", "--mode", "fixed", "--budget", 100, "-p", project)
    drawn = assaymark("draw", "-o", tmp_path / "b.csv", "-p", project, "--json").json["items"]
    write_labels(tmp_path / "l.csv", {item: world.truth[item] for item in drawn})
    assaymark("label", tmp_path / "l.csv", "-p", project)
    seen = assaymark("look", "-p", project)
    assert seen.code == 1
    assert "Not established" in seen.out
    assert assaymark("certify", "-p", project).code == 1
    assert (
        assaymark("plan", "f1 >= 0.5", "--mode", "fixed", "--budget", 100, "-p", project).code == 0
    )
    again = assaymark("draw", "-o", tmp_path / "c.csv", "-p", project, "--json").json
    assert again["known"] + len(again["items"]) + again["repeats"] == 100


def test_known_labels_are_reused_by_a_later_plan(assaymark, labelled, world, tmp_path) -> None:
    assaymark("plan", "--abandon", "another claim", "-p", labelled)
    wish = ["recall >= 0.5", "--mode", "fixed", "--budget", 300, "-p", labelled]
    refused = assaymark("plan", *wish, "--seed", "s")
    assert refused.code == 2
    assert "was used in this project before" in refused.err
    refused = assaymark("plan", *wish, "--seed", "another")
    assert refused.code == 2
    assert "could favour items whose labels help" in refused.err
    assert assaymark("plan", *wish).code == 0
    again = assaymark("draw", "-p", labelled, "--json").json
    assert again["known"] > 20
    assert not {*again["items"]} & {*Project(folder=labelled).state().attempts[0].order}
    write_labels(tmp_path / "rest.csv", {item: world.truth[item] for item in again["items"]})
    assaymark("label", tmp_path / "rest.csv", "-p", labelled)
    assert assaymark("look", "-p", labelled, "--json").json["decision"] == "pass"
    issued = assaymark("certify", "-p", labelled)
    assert issued.code == 0
    earlier = json.loads((labelled / "certificate.json").read_text())["earlier"]
    assert [(e["outcome"], e["claim"]["metric"]) for e in earlier] == [("abandoned", "f1")]


def test_a_small_pool_is_labelled_whole_and_answered_with_certainty(assaymark, tmp_path) -> None:
    world = write_world(tmp_path / "small.csv", items=80)
    folder = tmp_path / "small"
    assaymark("init", folder, "--pool", world.path, "--id", "id", "--prediction", "prediction")
    sealed = assaymark(
        "plan", "accuracy >= 0.8", "--mode", "fixed", "--budget", 100, "-p", folder, "--json"
    ).json
    assert sealed["design"] == "census"
    drawn = assaymark("draw", "-o", tmp_path / "b.csv", "-p", folder, "--json").json["items"]
    assert len(set(drawn)) == 80
    write_labels(tmp_path / "l.csv", world.truth)
    assaymark("label", tmp_path / "l.csv", "-p", folder)
    seen = assaymark("look", "-p", folder, "--json").json
    right = sum((world.scores[item] >= 0.5) == label for item, label in world.truth.items())
    assert seen["low"] == seen["high"] == right / 80
    assert seen["census"]
    assert assaymark("certify", "-p", folder).code == 0
    assert assaymark("verify", folder / "certificate.json").code == 0


def test_cannot_tell_counts_against_the_claim(assaymark, project, world, tmp_path) -> None:
    assaymark("plan", "f1 >= 0.8", "--mode", "fixed", "--budget", 300, "--seed", "s", "-p", project)
    drawn = assaymark("draw", "-o", tmp_path / "b.csv", "-p", project, "--json").json["items"]
    labels = {item: world.truth[item] for item in drawn}
    predicted = next(item for item in drawn if world.scores[item] >= 0.5 and world.truth[item])
    passed_over = next(item for item in drawn if world.scores[item] < 0.5 and not world.truth[item])
    write_labels(tmp_path / "l.csv", {**labels, predicted: "?", passed_over: "cannot tell"})
    assaymark("label", tmp_path / "l.csv", "-p", project)
    seen = assaymark("look", "-p", project, "--json").json
    assert seen["skipped"] == 2
    project_state = Project(folder=project).state()
    assert project_state.label(predicted) is None
    draws = [draw.id for draw in project_state.attempts[0].draws]
    yes = sum(labels[i] for i in draws if world.scores[i] >= 0.5) - draws.count(predicted)
    no = sum(1 for i in draws if world.scores[i] >= 0.5) - yes
    missed = sum(labels[i] for i in draws if world.scores[i] < 0.5) + draws.count(passed_over)
    assert seen["point"] == pytest.approx(2 * yes / (2 * yes + no + missed))


def test_corrections_need_a_word_and_supersede_the_certificate(
    assaymark, labelled, world, tmp_path
) -> None:
    assaymark("look", "-p", labelled)
    assaymark("certify", "-p", labelled)
    item = Project(folder=labelled).state().attempts[0].order[5]
    write_labels(tmp_path / "c.csv", {item: 1 - world.truth[item]})
    refused = assaymark("label", tmp_path / "c.csv", "-p", labelled)
    assert refused.code == 2
    assert "import with --correct" in refused.err
    done = assaymark("label", tmp_path / "c.csv", "--correct", "-p", labelled, "--json")
    assert done.json["corrected"] == 1
    checked = assaymark("verify", labelled / "certificate.json", "--json")
    assert (checked.code, checked.json["status"]) == (1, "failed")
    again = assaymark("certify", "-p", labelled)
    assert again.code == 1
    assert "is superseded" in again.err
    write_labels(tmp_path / "c.csv", {item: world.truth[item]})
    assaymark("label", tmp_path / "c.csv", "--correct", "-p", labelled)
    assert assaymark("verify", labelled / "certificate.json", "--json").json["status"] == "failed"


def test_two_annotators_who_differ_wait_for_a_decision(assaymark, project, world, tmp_path) -> None:
    assaymark("plan", "f1 >= 0.8", "--mode", "fixed", "--budget", 60, "--seed", "s", "-p", project)
    drawn = assaymark("draw", "-o", tmp_path / "b.csv", "-p", project, "--json").json["items"]
    truth = {item: world.truth[item] for item in drawn}
    write_labels(tmp_path / "a.csv", truth, annotator="ann")
    write_labels(tmp_path / "b2.csv", {drawn[0]: 1 - truth[drawn[0]], drawn[1]: truth[drawn[1]]})
    assaymark("label", tmp_path / "a.csv", "-p", project)
    done = assaymark(
        "label", tmp_path / "b2.csv", "--annotator", "bob", "-p", project, "--json"
    ).json
    assert (done["disputed"], done["missing"]) == (1, 1)
    waiting = assaymark("look", "-p", project)
    assert waiting.code == 2
    assert "1 item waiting for a decision" in waiting.err
    write_labels(tmp_path / "d.csv", {drawn[0]: truth[drawn[0]]})
    settled = assaymark(
        "label", tmp_path / "d.csv", "--adjudicate", "--annotator", "lead", "-p", project
    )
    assert settled.code == 0
    assert assaymark("look", "-p", project).code in (0, 1)


def test_importing_the_same_file_again_is_harmless(assaymark, labelled, tmp_path) -> None:
    before = len(Project(folder=labelled).ledger.entries())
    again = assaymark("label", tmp_path / "labels.csv", "-p", labelled, "--json").json
    assert again["recorded"] == 0
    assert again["unchanged"] > 200
    assert len(Project(folder=labelled).ledger.entries()) == before


def test_certify_again_writes_the_same_bytes(assaymark, labelled) -> None:
    assaymark("look", "-p", labelled)
    assaymark("certify", "-p", labelled)
    first = (labelled / "certificate.json").read_bytes()
    (labelled / "certificate.json").unlink()
    assert assaymark("certify", "-p", labelled).code == 0
    assert (labelled / "certificate.json").read_bytes() == first


def test_a_lost_reserve_is_rebuilt_from_the_pool(assaymark, project, tmp_path) -> None:
    assaymark("plan", "f1 >= 0.8", "--mode", "fixed", "--budget", 60, "--seed", "s", "-p", project)
    first = assaymark("draw", 10, "-o", tmp_path / "1.csv", "-p", project, "--json").json["items"]
    (project / "reserve" / "plan-1-1.parquet").unlink()
    second = assaymark("draw", 10, "-o", tmp_path / "2.csv", "-p", project, "--json").json["items"]
    assert len({*first, *second}) == 20


def test_pending_items_can_be_written_again(assaymark, project, tmp_path) -> None:
    assaymark("plan", "f1 >= 0.8", "--mode", "fixed", "--budget", 60, "-p", project)
    first = assaymark("draw", 10, "-o", tmp_path / "1.csv", "-p", project, "--json").json["items"]
    again = assaymark("draw", "--pending", "-o", tmp_path / "2.csv", "-p", project, "--json").json
    assert again["items"] == first


def test_a_signed_certificate_names_its_key(assaymark, labelled, tmp_path) -> None:
    public = assaymark("key", tmp_path / "k.pem", "--json").json["public_key"]
    assert assaymark("certify", "--key", tmp_path / "k.pem", "-p", labelled).code == 0
    path = labelled / "certificate.json"
    assert assaymark("verify", path, "--public-key", public).code == 0
    other = assaymark("verify", path, "--public-key", "00" * 32)
    assert other.code == 1
    assert "another key" in other.out


def test_status_says_what_is_next(assaymark, project, labelled) -> None:
    assert "assaymark look" in assaymark("status", "-p", labelled).out


def test_a_certificate_alone_can_be_checked_in_part(assaymark, labelled, tmp_path) -> None:
    assaymark("certify", "-o", tmp_path / "c.json", "-p", labelled)
    checked = assaymark("verify", tmp_path / "c.json", "--json")
    assert (checked.code, checked.json["status"]) == (1, "consistent only")
    outcome = {check["name"]: check["outcome"] for check in checked.json["checks"]}
    assert outcome["ledger"] == outcome["draw"] == "not checked"
    assert outcome["numbers"] == "ok"


def test_a_forged_headline_is_noticed_without_the_ledger(assaymark, labelled, tmp_path) -> None:
    """Whoever rewrites the bound and the hash contradicts the certificate's own counts."""
    from assaymark.claims.canonical import canonical, digest

    assaymark("certify", "-o", tmp_path / "c.json", "-p", labelled)
    data = json.loads((tmp_path / "c.json").read_text())
    data.pop("hash")
    data["rows"][0]["low"] = 0.9
    (tmp_path / "f.json").write_text(canonical({**data, "hash": digest(data)}) + "\n")
    checked = assaymark("verify", tmp_path / "f.json", "--json")
    assert checked.json["status"] == "failed"
    assert "its counts give" in checked.json["checks"][-1]["detail"]


def test_a_signature_that_was_asked_for_is_proof_enough(assaymark, labelled, tmp_path) -> None:
    public = assaymark("key", tmp_path / "k.pem", "--json").json["public_key"]
    assaymark("certify", "-o", tmp_path / "c.json", "--key", tmp_path / "k.pem", "-p", labelled)
    assert assaymark("verify", tmp_path / "c.json").code == 1
    assert assaymark("verify", tmp_path / "c.json", "--public-key", public).code == 0


def test_kill_in_the_middle_of_labelling_loses_nothing(assaymark, project, world, tmp_path) -> None:
    """Killed at many moments, the ledger verifies and the command can be repeated."""
    assaymark("plan", "f1 >= 0.8", "--mode", "fixed", "--budget", 300, "--seed", "s", "-p", project)
    drawn = assaymark("draw", "-o", tmp_path / "b.csv", "-p", project, "--json").json["items"]
    labels = write_labels(tmp_path / "l.csv", {item: world.truth[item] for item in drawn})
    code = "from assaymark.cli import main; main()"
    command = [sys.executable, "-c", code, "label", str(labels), "-p", str(project)]
    for wait in (0.15, 0.3, 0.4, 0.5):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(wait)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        entries = Project(folder=project).ledger.entries()
        found = sum(entry.kind == "LabelRecorded" for entry in entries)
        assert found in (0, len(drawn)), "all of a file or nothing of it"
    assert assaymark("label", labels, "-p", project).code == 0
    assert assaymark("look", "-p", project).code == 0


def test_any_step_can_be_killed_and_repeated(assaymark, world, tmp_path) -> None:
    """init, plan and draw, each killed at several moments: what is there verifies; repeating works."""
    folder, batch = tmp_path / "killed", tmp_path / "batch.csv"
    pool = [
        "--pool",
        world.path,
        "--id",
        "id",
        "--score",
        "score",
        "--threshold",
        "0.5",
        "--text",
        "body",
    ]
    steps = [
        ["init", folder, *pool],
        ["plan", "f1 >= 0.8", "--seed", "s", "-p", folder],
        ["draw", 50, "-o", batch, "-p", folder],
    ]
    for step in steps:
        command = [sys.executable, "-c", "from assaymark.cli import main; main()", *map(str, step)]
        for wait in (0.2, 0.5, 0.8):
            process = subprocess.Popen(
                command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            time.sleep(wait)
            process.kill()
            process.wait()
            if (folder / "ledger.sqlite").exists():
                Project(folder=folder).ledger.entries()
        again = assaymark(*step)
        assert again.code == 0 or "already" in again.err or "still open" in again.err, again.err
        if (
            step[0] == "draw" and again.code
        ):  # killed after the file was written: under another name
            assert assaymark("draw", 50, "-p", folder).code == 0
    state = Project(folder=folder).state()
    assert state.pool is not None
    assert len(state.attempts) == 1
    order = state.attempts[0].order
    assert len(order) == len(set(order)) >= 50
    pending = assaymark("draw", "--pending", "-p", folder, "--json").json["items"]
    assert pending == order, "nothing that was drawn is lost"


def test_writers_at_the_same_time_lose_nothing(project, assaymark, tmp_path) -> None:
    """Six processes draw at once: no item is handed out twice, and the chain holds."""
    assaymark("plan", "f1 >= 0.8", "--mode", "fixed", "--budget", 300, "-p", project)
    code = "from assaymark.cli import main; main()"
    running = [
        subprocess.Popen(
            [
                sys.executable,
                "-c",
                code,
                "draw",
                "20",
                "-p",
                str(project),
                "-o",
                str(tmp_path / f"batch-{n}.csv"),
            ],
            stdout=subprocess.DEVNULL,
        )
        for n in range(6)
    ]
    assert [process.wait() for process in running] == [0] * 6
    attempt = Project(folder=project).state().attempts[0]
    assert len(attempt.order) == len(set(attempt.order)) == 120
    files = [Path(tmp_path / f"batch-{n}.csv").read_text().splitlines()[1:] for n in range(6)]
    handed = [line.split(",")[0] for lines in files for line in lines]
    assert sorted(handed) == sorted(attempt.order)
