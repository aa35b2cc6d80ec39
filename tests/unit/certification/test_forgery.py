"""A forger who rewrites the ledger, recomputes every hash and issues a certificate with our own code.

Whatever could not have happened, or does not follow from the pool, is noticed.
"""

import json
import os
import shutil
import sqlite3
import subprocess
import sys

import pytest

from assaymark.certification.certificate import issue, write
from assaymark.certification.verification import verify
from assaymark.claims.canonical import canonical
from assaymark.errors import AssaymarkError
from assaymark.ledger.events import CertificateIssued, replay, seal
from assaymark.ledger.head import head_file, settle_heads
from assaymark.ledger.sqlite import SqliteLedger
from assaymark.overview.check import check
from assaymark.project.folder import Project
from worlds_on_disk import write_labels


@pytest.fixture(scope="module")
def guided_place(command, registered_world, tmp_path_factory):
    """A weighted plan brought to a pass, three batches of it, and certified; made once."""
    place = tmp_path_factory.mktemp("guided")
    shutil.copytree(registered_world.path.parent, place, dirs_exist_ok=True)
    project = place / "work"
    command("plan", "f1 >= 0.8", "--seed", "s", "-p", project)
    for number in range(40):
        drawn = command("draw", 60, "-p", project, "--json").json["items"]
        truth = {item: registered_world.truth[item] for item in drawn}
        command("label", write_labels(place / f"g{number}.csv", truth), "-p", project)
        if command("look", "-p", project, "--json").json["decision"] == "pass":
            break
    assert command("certify", "-p", project).code == 0
    settle_heads()
    return place


@pytest.fixture
def guided(guided_place, tmp_path):
    shutil.copytree(guided_place, tmp_path, dirs_exist_ok=True)
    return tmp_path / "work"


@pytest.fixture(scope="module")
def judged_place(command, labelled_place, tmp_path_factory):
    """A fixed plan, fully labelled and certified; made once."""
    place = tmp_path_factory.mktemp("judged")
    shutil.copytree(labelled_place, place, dirs_exist_ok=True)
    assert command("certify", "-p", place / "work").code == 0
    settle_heads()
    return place


@pytest.fixture
def judged(judged_place, tmp_path):
    shutil.copytree(judged_place, tmp_path, dirs_exist_ok=True)
    return tmp_path / "work"


def reseal(folder, change):
    """Rewrite the ledger without its certificate by `change`, and make every hash again."""
    entries = SqliteLedger(folder / "ledger.sqlite").entries()
    story = [(e.kind, json.loads(e.body), e.time) for e in entries if e.kind != "CertificateIssued"]
    story = change(story) or story
    chain = []
    for kind, body, time in story:
        last = chain[-1] if chain else None
        chain.append(seal(last, time=time, kind=kind, body=canonical(body)))
    stored(folder, chain)
    return chain


def stored(folder, chain):
    settle_heads()
    head_file(folder / "ledger.sqlite").unlink(missing_ok=True)  # a forger leaves no head behind
    connection = sqlite3.connect(folder / "ledger.sqlite")
    connection.execute("DELETE FROM event")
    connection.executemany(
        "INSERT INTO event VALUES ('main', ?, ?, ?, ?, ?, ?)",
        [(e.seq, e.time, e.kind, e.body, e.previous, e.hash) for e in chain],
    )
    connection.commit()
    connection.close()


def forge(folder, change):
    """Rewrite the ledger by `change`, seal it anew, and issue a certificate for what it says."""
    chain = reseal(folder, change)
    certificate = issue(replay(chain), plan=1, issued=chain[-1].time, software="0.1.0")
    event = CertificateIssued(plan=1, certificate=certificate.digest, software="0.1.0")
    chain.append(seal(chain[-1], time=chain[-1].time, kind=event.kind, body=event.body()))
    stored(folder, chain)
    (folder / "certificate.json").write_text(write(certificate), encoding="utf-8")


def outcome(folder, change) -> str:
    """How verification ends; a forgery that cannot even be issued has failed too."""
    try:
        forge(folder, change)
    except (AssaymarkError, IndexError, ValueError):
        return "failed"
    return verify(folder / "certificate.json", project=Project(folder=folder)).status


def bodies(story, kind):
    return [body for name, body, _ in story if name == kind]


def plan_of(story):
    return bodies(story, "PlanSealed")[0]["plan"]


def drop_strata(story):
    plan_of(story)["strata"] = [s for s in plan_of(story)["strata"] if s["cell"] == 0]


def small_domain(story):
    plan_of(story)["strata"][0]["items"] = 12


def optional_stopping(story):
    plan_of(story)["size"] = 100


def another_method(story):
    plan_of(story)["method"] = "mixture/1"


def unknown_field(story):
    plan_of(story)["refutation"] = 0.5


def other_rows(story):
    plan_of(story)["claim"]["rows"] = "0" * 64


def skipped_numbers(story):
    batch = bodies(story, "BatchDrawn")[0]
    batch["draws"] = [item for item in batch["draws"] if item["draw"] != 7]


def other_stratum(story):
    item = bodies(story, "BatchDrawn")[0]["draws"][0]
    item["stratum"] = (item["stratum"] + 1) % 9


def other_prediction(story):
    item = bodies(story, "BatchDrawn")[0]["draws"][0]
    item["cell"] = 1 - item["cell"]


def other_chances(story):
    block = bodies(story, "BatchDrawn")[0]["blocks"][0]
    q = block["chances"]
    block["chances"] = [0.9 * q[0] + 0.1 * sum(q), *(0.9 * x for x in q[1:])]


def other_fingerprint(story):
    bodies(story, "PoolRegistered")[0]["pool"]["fingerprint"] = "f" * 64


def other_summary(story):
    bodies(story, "PoolRegistered")[0]["pool"]["summary"]["cells"][0]["items"] += 5


def other_labels_used(story):
    bodies(story, "BatchDrawn")[-1]["blocks"][0]["labels"] -= 1


def abandoned(story):
    closed = {"plan": 1, "outcome": "abandoned", "reason": "given up"}
    return [*story, ("PlanClosed", closed, story[-1][2])]


def second_pool(story):
    return [story[0], *story]


def another_account(story):
    plan_of(story)["risk"]["account"] = "claim/2"


def more_risk(story):
    plan_of(story)["risk"]["level"] = "0.06"


def label_before_the_draw(story):
    place = next(i for i, entry in enumerate(story) if entry[0] == "BatchDrawn")
    label = next(entry for entry in story if entry[0] == "LabelRecorded")
    rest = [entry for entry in story if entry is not label]
    return [*rest[:place], label, *rest[place:]]


def invented_correction(story):
    item = bodies(story, "LabelRecorded")[0]["item"]
    body = {"item": item, "annotator": "nobody", "before": 0, "after": 1}
    return [*story, ("LabelCorrected", body, story[-1][2])]


def swapped_draws(story):
    draws = bodies(story, "BatchDrawn")[0]["draws"]
    first, second = [d for d in draws if d["stratum"] == draws[0]["stratum"]][:2]
    first["id"], second["id"] = second["id"], first["id"]


def another_seed(story):
    plan_of(story)["seed"]["value"] = "t"


def earlier_label(story):
    """A correction that turns a label into what it is now, with the first answer made up."""
    body = next(b for b in bodies(story, "LabelRecorded") if b.get("value") == 0)
    body["value"] = 1
    place = len(story) - 2
    changed = {"item": body["item"], "annotator": body["annotator"], "before": 1, "after": 0}
    story.insert(place + 1, ("LabelCorrected", changed, story[place][2]))


def other_witness(story):
    head = {"form": "head", "head": "0" * 64, "by": "somebody"}
    return [*story, ("WitnessRecorded", head, story[-1][2])]


def repeated_batch(story):
    place = next(i for i, entry in enumerate(story) if entry[0] == "BatchDrawn")
    return [*story[: place + 1], story[place], *story[place + 1 :]]


def look_of(story):
    return bodies(story, "Looked")[-1]


def look_bound(story):
    look_of(story)["rows"][0]["low"] += 0.01


def look_wealth(story):
    look_of(story)["rows"][0]["log_wealth"] += 1e-3


def look_verdict(story):
    look_of(story)["rows"][0]["decision"] = "continue"


def look_labels(story):
    look_of(story)["labels"] += 1


def look_draws(story):
    look_of(story)["draws"] -= 1


def look_counts(story):
    look_of(story)["tallies"][0]["n"] += 1


LOOKS = {
    look_bound: "rows[0].low",
    look_wealth: "rows[0].log_wealth",
    look_verdict: "rows[0].decision",
    look_labels: "labels",
    look_draws: "draws",
    look_counts: "tallies[0].n",
}
OTHERS = {
    swapped_draws: "the draw was not made as the plan says",
    another_seed: "The tickets of the pool are not those that were drawn from",
    earlier_label: "do not follow from the plan and the labels known when it was drawn",
    other_witness: "names a head that was not on the chain before it",
    repeated_batch: "its number is not the next one",
}


@pytest.mark.parametrize("change", LOOKS, ids=lambda change: change.__name__)
def test_a_forged_look_is_named(guided, change) -> None:
    """A certificate follows from labels alone, but status, gate and report repeat what a look says."""
    forge(guided, change)
    answer = verify(guided / "certificate.json", project=Project(folder=guided))
    fault = f"The field '{LOOKS[change]}' of event {look_event(guided)} (Looked) does not follow"
    assert fault in answer.checks[-1].detail
    assert fault in the_check("looks", guided).detail


def test_any_forged_look_is_named_by_check(guided) -> None:
    """`verify` judges the last look again, `check` all of them."""
    forge(guided, lambda story: bodies(story, "Looked")[0].update(labels=7))
    assert the_check("looks", guided).outcome == "failed"


def test_a_plan_that_failed_without_a_look_is_named_by_check(guided) -> None:
    closed = {"plan": 1, "outcome": "failed", "reason": "refuted"}
    reseal(guided, lambda story: [*story, ("PlanClosed", closed, story[-1][2])])
    assert "says that plan 1 failed, and no look before it" in the_check("looks", guided).detail


def look_event(folder) -> int:
    entries = SqliteLedger(folder / "ledger.sqlite").entries()
    return max(entry.seq for entry in entries if entry.kind == "Looked")


def the_check(name, folder):
    return next(one for one in check(folder) if one.name == name)


@pytest.mark.parametrize("change", OTHERS, ids=lambda change: change.__name__)
def test_a_forgery_is_named(guided, change) -> None:
    forge(guided, change)
    answer = verify(guided / "certificate.json", project=Project(folder=guided))
    assert OTHERS[change] in answer.checks[-1].detail


@pytest.mark.parametrize(
    "change",
    [drop_strata, small_domain, unknown_field, another_method, other_rows, other_stratum,
     other_prediction, other_labels_used,
     other_chances, other_fingerprint, other_summary, abandoned, second_pool, another_account,
     more_risk,
     label_before_the_draw, invented_correction, skipped_numbers],
)  # fmt: skip
def test_forged_weighted_ledgers_are_noticed(guided, change) -> None:
    assert outcome(guided, change) == "failed"


@pytest.mark.parametrize(
    "change",
    [small_domain, optional_stopping, another_method, skipped_numbers, other_prediction, abandoned,
     second_pool, label_before_the_draw],
)  # fmt: skip
def test_forged_fixed_ledgers_are_noticed(judged, change) -> None:
    assert outcome(judged, change) == "failed"


def test_the_forger_who_changes_nothing_is_believed(guided) -> None:
    """Otherwise the tests above would prove nothing."""
    assert outcome(guided, lambda story: story) == "verified in part"


@pytest.mark.parametrize("features", ["X86_V4", "X86_V3 X86_V4"])
def test_a_certificate_verifies_on_another_processor(guided, features) -> None:
    """Without the newest instructions sums and logarithms differ in their last digits."""
    code = "from assaymark.cli import main; main()"
    answer = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, "verify", str(guided / "certificate.json")],
        env={**os.environ, "NPY_DISABLE_CPU_FEATURES": features, "OPENBLAS_CORETYPE": "Nehalem"},
        capture_output=True,
        text=True,
        check=False,
    )
    if "NPY_DISABLE_CPU_FEATURES" in answer.stderr:
        pytest.skip("this processor does not know these features")
    assert answer.returncode == 0, answer.stdout + answer.stderr
