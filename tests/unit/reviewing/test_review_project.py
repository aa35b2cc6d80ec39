"""A review from the first record to its certificate, through the commands."""

import csv
import json
import shutil
import stat
from pathlib import Path

import duckdb
import pytest

from assaymark.certification.issuing import NotEstablishedError
from assaymark.certification.signatures.signing import load_signer, new_key
from assaymark.certification.verification import Brought
from assaymark.errors import InputError, PlanError, VerificationError
from assaymark.labelling.recording import label_file
from assaymark.labelling.settings import Settings, write_settings
from assaymark.ledger.events import LabelRecorded, read_event
from assaymark.ledger.head import settle_heads
from assaymark.project.folder import Project
from assaymark.records.certificate import Verification
from assaymark.reviewing.certificate import certify_review
from assaymark.reviewing.exporting import export_decisions
from assaymark.reviewing.handing import next_items
from assaymark.reviewing.secret import read_secret
from assaymark.reviewing.starting import Start, start
from assaymark.reviewing.status import review_status
from assaymark.reviewing.verifying import verify_review
from assaymark.reviewing.wording import to_go
from review_rooms import begun, fill, read_on, run, world


def test_a_review_to_its_certified_end(tmp_path):
    truth = world(tmp_path)
    work = tmp_path / "work"
    told = run(
        "review", "start", work, "--pool", tmp_path / "pool.csv", "--id", "id", "--text", "title",
        "--text", "abstract", "--recall", "0.8", "--terms", "telescope,galaxy",
    )  # fmt: skip
    assert told["items"] == 400
    assert told["floor"][0]["irrelevant_read"]["0.8"] > 200
    for _ in range(20):
        handout = run("review", "next", "-n", "40", "-p", work)
        header = Path(handout["path"]).read_text(encoding="utf-8").splitlines()[0]
        assert header == "id,title,abstract,label"
        fill(Path(handout["path"]), truth)
        run("label", handout["path"], "-p", work)
        now = run("review", "status", "-p", work)
        if now["decision"] == "stop":
            break
    needed = (
        "decision labels directed random found left_at_most certified_recall floor expected_labels"
    )
    assert set(needed.split()) <= now.keys()
    assert now["decision"] == "stop"
    ranked = Project(folder=work).state().reviews[-1].rankings[-1]
    assert ranked.learner == "linear SVM over TF-IDF, made for reading"
    assert now["labels"] < 400
    assert now["random"] > 20
    assert now["certified_recall"] >= 0.8
    assert now["found"] / 60 >= 0.8
    assert now["found"] + now["left_at_most"] >= 60
    issued = run("review", "certify", "-p", work)
    assert issued["bound"] == now["found"] + now["left_at_most"]
    assert run("review", "certify", "-p", work)["hash"] == issued["hash"]
    checked = run("verify", work / "certificate.json", "-p", work, "--head", issued["head"])
    assert checked["status"] == "verified"
    written = run("report", "-p", work)
    page = Path(written["path"]).read_text(encoding="utf-8")
    assert written["verdict"].startswith("Stop: the target is certified.")
    for words in ("Flow of records", "screened at random", "Recall as labels came"):
        assert words in page
    for name, form in (("out.csv", "auto"), ("out.ris", "auto"), ("as.csv", "asreview")):
        run("review", "export", "-o", tmp_path / name, "--format", form, "-p", work)
        again = tmp_path / f"again-{name}"
        begun_again = run(
            "review", "start", again, "--pool", tmp_path / "pool.csv", "--id", "id", "--text", "title",
            "--import", tmp_path / name,
        )  # fmt: skip
        assert (begun_again["known"], begun_again["found"]) == (now["labels"], now["found"])
    assert run("status", "-p", work)["survey"] == "review"


def test_going_on_after_a_certificate_draws_with_a_new_secret(tmp_path):
    truth = world(tmp_path, items=120, relevant=30)
    project = begun(tmp_path, recall="0.5", known="r0000,r0001")
    while review_status(project).decision == "continue":
        read_on(project, truth, 30)
    certify_review(project)
    before = review_status(project)
    read_on(project, truth, 10)
    while (work := project.state().reviews[0]).random[-1].handout != work.handouts:
        read_on(project, truth, 10)
    assert len(work.commitments) == 2
    assert len(work.secrets) == 1
    after = review_status(project)
    assert after.certified_recall >= before.certified_recall
    head = Brought(heads=(project.ledger.entries()[-1].hash.encode(),))
    found = verify_review(project.folder / "certificate.json", project=project, brought=head)
    assert found.status == "verified", found.checks


def begun_with_random_draws(home: Path, truth: dict[str, int]) -> Project:
    """A review of records of which all relevant ones and 100 others were screened elsewhere."""
    others = [name for name in truth if not truth[name]][:100]
    read = [name for name in truth if truth[name]] + others
    lines = "".join(f"{name},{truth[name]}\n" for name in read)
    (home / "done.csv").write_text("id,label\n" + lines, encoding="utf-8")
    return begun(home, recall="0.9", screened=(str(home / "done.csv"),))


def test_import_of_screened_records_asks_for_random_draws_only(tmp_path):
    truth = world(tmp_path, items=600, relevant=80)
    project = begun_with_random_draws(tmp_path, truth)
    read_on(project, truth, 60)
    now = review_status(project)
    assert (now.directed, now.random, now.known, now.found) == (0, 60, 180, 80)
    assert now.expected_labels is not None
    assert now.expected_low <= now.expected_labels <= now.expected_high


def test_records_with_one_title_and_other_texts_are_kept(tmp_path):
    """News and mails share titles; only a record that says the same is a duplicate."""
    rows = [
        ("1", "CRUDE OIL PRICES RISE AGAIN", "Posted by three refiners today."),
        ("2", "Crude oil prices rise again", "Another day, another rise."),
        ("3", "Crude oil prices rise again", "posted by three\n refiners TODAY."),
        ("4", "Crude oil prices rise again", ""),
        ("5", "Crude oil prices rise again", " "),
    ]
    with (tmp_path / "pool.csv").open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([("id", "title", "body"), *rows])
    begun(tmp_path, text=("title", "body"))
    listed = (tmp_path / "work" / "duplicates.csv").read_text(encoding="utf-8").split()
    assert listed == ["id,kept,by", "3,1,title", "5,4,title"]


def test_duplicates_are_merged_and_listed(tmp_path):
    long = "a title that is long enough to be told apart"
    rows = [
        ("id", "title", "abstract", "doi"),
        ("1", long, "first words", "10.1/a"), ("2", long.upper() + "!", "first words", ""),
        ("3", "Editorial", "", ""), ("4", "Editorial", "", ""),
        ("5", "another title, also long enough here", "x", "https://doi.org/10.1/A"),
        ("6", long, "quite another text", ""), ("7", "one more title of some length", "y", ""),
        ("7", "one more title of some length", "y", ""),
    ]  # fmt: skip
    with (tmp_path / "pool.csv").open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows(rows)
    begun(tmp_path, known="2")
    listed = (tmp_path / "work" / "duplicates.csv").read_text(encoding="utf-8").split()
    assert listed == ["id,kept,by", "2,1,title", "5,1,doi", "7,7,id"]
    state = Project(folder=tmp_path / "work").state()
    assert state.reviews[0].opened.items == 5
    assert state.reviews[0].known == {"1": 1}


def test_of_a_repeated_id_the_first_row_stays_and_all_keep_their_order(tmp_path):
    rows = [(f"r{i * 7919 % 3000:04}", f"first {i}") for i in range(3000)]
    again = [(item, "again") for item, _ in rows[::2]]
    with (tmp_path / "pool.csv").open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([("id", "abstract"), *rows, *again])
    begun(tmp_path, text=("abstract",))
    sql = f"SELECT * FROM '{tmp_path / 'work' / 'pool.parquet'}'"
    assert duckdb.sql(sql).fetchall() == rows


def test_labels_of_items_not_handed_out_do_not_enter(tmp_path):
    truth = world(tmp_path)
    project = begun(tmp_path, known="r0000")
    handout = next_items(project, count=10)
    other = next(name for name in truth if name not in handout.items and name != "r0000")
    fill(handout.path, truth)
    with handout.path.open("a", encoding="utf-8") as stream:
        stream.write(f"{other},x,y,1\n")
    done = label_file(project, handout.path)
    assert done.not_drawn == 1
    assert review_status(project).labels == 10


def test_decisions_are_not_written_as_what_looks_like_a_project_of_asreview(tmp_path):
    world(tmp_path)
    project = begun(tmp_path, known="r0000")
    with pytest.raises(InputError, match=r"name a \.csv file and the format asreview"):
        export_decisions(project, tmp_path / "bees.asreview")
    assert not (tmp_path / "bees.asreview").exists()


def test_nothing_found_certifies_nothing(tmp_path):
    truth = dict.fromkeys(world(tmp_path, items=60), 0)
    project = begun(tmp_path)
    read_on(project, truth, 30)
    now = review_status(project)
    assert (now.decision, now.reason, now.certified_recall) == ("continue", "nothing found", None)
    with pytest.raises(NotEstablishedError, match="No relevant record was found yet"):
        certify_review(project)
    read_on(project, truth, 30)
    assert review_status(project).reason == "nothing relevant"
    with pytest.raises(PlanError, match="nothing is left to read"):
        next_items(project, count=5)


def test_reading_everything_certifies_everything(tmp_path):
    truth = world(tmp_path, items=60, relevant=12)
    project = begun(tmp_path, recall="0.95", known="r0000")
    while review_status(project).unread:
        read_on(project, truth, 25)
    now = review_status(project)
    assert (now.decision, now.certified_recall, now.left_at_most) == ("stop", 1.0, 0)


def test_secret_is_the_owners_until_it_is_revealed(tmp_path):
    world(tmp_path)
    project = begun(tmp_path, known="r0000")
    path = project.folder / "review-secret-1"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(path.read_text()) == 64
    secret = path.read_text()
    assert all(secret not in entry.body for entry in project.ledger.entries())
    path.write_text("another")
    with pytest.raises(VerificationError, match="not the secret that was committed to"):
        read_secret(project.folder, project.state().reviews[0])
    path.unlink()
    with pytest.raises(PlanError, match="is not in the project"):
        read_secret(project.folder, project.state().reviews[0])


def test_a_late_correction_withdraws_a_certificate(tmp_path):
    truth = world(tmp_path, items=80, relevant=20)
    project = begun(tmp_path, recall="0.95", known="r0000")
    while review_status(project).decision == "continue":
        read_on(project, truth, 40)
    certify_review(project)
    given = [read_event(e.kind, e.body) for e in project.ledger.entries()]
    hits = [e.item for e in given if isinstance(e, LabelRecorded) and truth[e.item]][:5]
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("id,label\n" + "".join(f"{item},?\n" for item in hits), encoding="utf-8")
    label_file(project, wrong, correct=True)
    found = verify_review(project.folder / "certificate.json", project=project)
    assert found.status == "failed"
    assert found.checks[-1].detail.startswith("superseded")


def test_a_forged_certificate_or_ledger_is_refused(tmp_path):
    truth = world(tmp_path, items=80, relevant=20)
    project = begun(tmp_path, recall="0.5", known="r0000")
    while review_status(project).decision == "continue":
        read_on(project, truth, 40)
    path = certify_review(project).path
    alone = verify_review(path)
    assert alone.status == "consistent only"
    data = json.loads(path.read_text())
    path.write_text(json.dumps(data | {"found": data["found"] + 1}))
    assert verify_review(path, project=project).status == "failed"
    (tmp_path / "pool.csv").rename(tmp_path / "gone.csv")
    path.write_text(json.dumps(data))
    assert verify_review(path, project=project).status == "verified in part"


def test_a_score_of_another_system_drives_directed_reading(tmp_path):
    truth = world(tmp_path, items=200, relevant=20)
    with (tmp_path / "pool.csv").open(encoding="utf-8") as stream:
        rows = list(csv.reader(stream))
    with (tmp_path / "pool.csv").open("w", newline="", encoding="utf-8") as stream:
        scored = [[*row, "rank" if row[0] == "id" else truth[row[0]]] for row in rows]
        csv.writer(stream).writerows(scored)
    project = begun(tmp_path, score="rank")
    handout = next_items(project, count=20)
    assert all(truth[item] for item in handout.items)
    with pytest.raises(InputError, match="'nobody'"):
        start(
            tmp_path / "two",
            Start(pool=str(tmp_path / "pool.csv"), id="id", text=("title",), score="nobody"),
        )


def test_more_is_handed_out_only_on_purpose_while_missing_labels_hold_up_others(
    assaymark, tmp_path
):
    """The records that hold others up are not named: that would tell which came at random."""
    truth = world(tmp_path, items=600, relevant=80)
    project = begun_with_random_draws(tmp_path, truth)
    ask = ("review", "next", "-n", 20, "-p", project.folder)
    first = next_items(project, count=20)  # nobody labels these
    assert assaymark(*ask, "-o", tmp_path / "b.csv").code == 0
    read_on(project, truth)
    held = assaymark(*ask)
    assert held.code == 2
    assert "labels do not count yet because 40 drawn records" in held.err
    assert not any(item in held.err for item in first.items)
    assert "review next --pending" in held.err
    assert assaymark(*ask, "--anyway").code == 0


@pytest.mark.parametrize(
    ("recall", "hint"), [("95", "Did you mean 0.95"), ("1", "between 0 and 1"), ("x", "got x")]
)
def test_a_target_that_is_none_is_refused(tmp_path, recall, hint):
    world(tmp_path)
    with pytest.raises(InputError, match=hint):
        begun(tmp_path, recall=recall)


@pytest.fixture
def certified(tmp_path):
    """A small review that is certified, signed with a new key; its public key."""
    truth = world(tmp_path, items=60, relevant=15)
    project = begun(tmp_path, recall="0.5", known="r0000")
    while review_status(project).decision == "continue":
        read_on(project, truth, 30)
    public = new_key(tmp_path / "my.key")
    certify_review(project, signer=load_signer(tmp_path / "my.key"))
    return project, public


def test_the_report_names_matter_people_and_certificate(certified, tmp_path):
    """It named none of them, and not the hash of what it reports."""
    project, _ = certified
    matter = Settings(matter="PROSPERO 17", criteria="Include telescopes.", roles="Kim: reader")
    write_settings(project.folder, matter)
    written = run("report", "-o", tmp_path / "r.html", "-p", project.folder)
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    for words in ("PROSPERO 17", "Include telescopes.", "Kim: reader", "Who labelled",
                  "certificate issued 20", written["certificate"], "assaymark verify"):  # fmt: skip
        assert words in page
    assert page.index("Labelled by") < page.index("Flow of records")


def checked(project: Project, **brought: object) -> Verification:
    path = project.folder / "certificate.json"
    return verify_review(path, project=project, brought=Brought(**brought))


def test_a_certificate_can_be_handed_on_and_a_folder_is_no_place_for_it(certified):
    project, _public = certified
    plain = project.folder / "plain"
    plain.touch(0o666)
    for name in ("certificate.json", "certificate.dsse.json"):
        assert (project.folder / name).stat().st_mode == plain.stat().st_mode
    with pytest.raises(InputError, match="is a folder"):
        certify_review(project, output=project.folder)


def test_a_witness_a_key_and_what_is_required_count_as_for_every_certificate(certified):
    project, public = certified
    head = project.ledger.entries()[-1].hash.encode()
    assert checked(project).status == "verified in part"
    assert checked(project).missing == ("witness", "signature")
    assert checked(project, heads=(head,), public_key=public).missing == ()
    assert checked(project, heads=(head,), require=("pool", "witness")).status == "verified"
    short = checked(project, require=("witness",))
    assert (short.status, short.checks[-1].detail) == ("failed", "not at hand: witness")
    assert checked(project, public_key="00" * 32).status == "failed"
    strange = checked(project, heads=(b"0" * 64,))
    assert "was never on this ledger" in strange.checks[-1].detail
    with pytest.raises(InputError, match="needs the ledger too"):
        verify_review(project.folder / "certificate.json", brought=Brought(heads=(head,)))


def test_a_signature_belongs_to_the_certificate_beside_it(certified):
    project, public = certified
    path = project.folder / "certificate.json"
    alone = verify_review(path, brought=Brought(public_key=public))
    assert alone.status == "verified in part"
    data = json.loads(path.read_text())
    path.write_text(json.dumps(data | {"issued": "2020-01-01T00:00:00Z"}))
    assert verify_review(path, brought=Brought(public_key=public)).status == "failed"
    certify_review(project)  # the same certificate again: its signature fits and stays
    assert checked(project, public_key=public).missing == ("witness",)


def test_a_head_from_before_a_rollback_is_missed(tmp_path):
    """Whoever puts an old copy back and draws again is found out by a head that somebody kept."""
    truth = world(tmp_path, items=60, relevant=15)
    project = begun(tmp_path, recall="0.5", known="r0000")
    read_on(project, truth, 5)
    old = tmp_path / "old"
    shutil.copytree(project.folder, old)
    read_on(project, truth, 10)
    kept = project.ledger.entries()[-1].hash.encode()
    settle_heads()  # written in the background, into the folder that goes away
    shutil.rmtree(project.folder)
    old.rename(project.folder)
    again = Project(folder=project.folder)
    while review_status(again).decision == "continue":
        read_on(again, truth, 30)
    certify_review(again)
    assert checked(again).status == "verified in part"
    assert checked(again, heads=(kept,)).status == "failed"


def test_no_number_of_labels_is_named_while_the_ranking_still_finds_much(tmp_path):
    """A forecast of random labels says nothing about the directed ones that come before them."""
    truth = world(tmp_path)
    project = begun(tmp_path, terms=("telescope",))
    read_on(project, truth, count=20)
    now = review_status(project)
    assert (now.found > 10, now.expected_labels, now.next_percent) == (True, None, None)
    assert to_go(now) == "no number can be named while the ranking still finds much"
    while not review_status(project).random:
        read_on(project, truth, count=40)
    assert review_status(project).expected_labels is not None
