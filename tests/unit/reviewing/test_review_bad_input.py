"""What people do to a review that it must stand, or refuse in one sentence."""

import csv

import pytest

from assaymark.certification.drawing import draw_batch
from assaymark.certification.issuing import NotEstablishedError
from assaymark.errors import InputError, PlanError, VerificationError
from assaymark.hints import for_command_line
from assaymark.labelling.recording import label_file
from assaymark.ledger.events import ReviewOpened
from assaymark.project.folder import Project, Session
from assaymark.project.place import ledger_of
from assaymark.reviewing.certificate import certify_review
from assaymark.reviewing.handing import next_items
from assaymark.reviewing.status import review_status
from assaymark.reviewing.verifying import verify_review
from assaymark.reviewing.wording import advice, certified, floor, verdict, waiting
from review_rooms import begun, fill, read_on, world


def import_of(folder, truth: dict[str, int], irrelevant: int) -> str:
    """A file in which all relevant records and some others are screened."""
    rest = [item for item in truth if not truth[item]][:irrelevant]
    lines = [f"{item},{truth[item]}" for item in [*(i for i in truth if truth[i]), *rest]]
    (folder / "done.csv").write_text("\n".join(["id,label", *lines]), encoding="utf-8")
    return str(folder / "done.csv")


@pytest.fixture
def drawn(tmp_path):
    """A review whose next records all come at random, and the truth."""
    truth = world(tmp_path, items=200, relevant=40)
    return begun(tmp_path, recall="0.9", screened=(import_of(tmp_path, truth, 20),)), truth


def labelled(project: Project, truth: dict[str, int], path, leave: set[str]) -> None:
    fill(path, truth, leave=leave)
    label_file(project, path)


def test_evidence_waits_for_draws_that_somebody_leaves_out(drawn):
    """A reader who works only what suits gains nothing: draws are never withdrawn."""
    project, truth = drawn
    handout = next_items(project, count=100)
    first = project.state().reviews[0].random[0].items[0]
    labelled(project, truth, handout.path, {first})
    now = review_status(project)
    assert (now.evidence, now.pending, now.held_up, now.decision) == (0, 1, 99, "continue")
    assert waiting(now) == (
        "1 random draw without a final label; 99 labels of later draws count once these have theirs"
    )
    with pytest.raises(NotEstablishedError, match="The target is not reached"):
        certify_review(project)
    read_on(project, truth, 20)  # more draws do not take the place of the open one
    assert review_status(project).evidence == 0
    late = project.folder / "late.csv"
    late.write_text(f"id,label\n{first},{truth[first]}\n", encoding="utf-8")
    label_file(project, late)
    now = review_status(project)
    assert (now.evidence, now.pending, now.held_up) == (120, 0, 0)


def test_records_that_arrive_later_are_a_new_pool(drawn):
    project, truth = drawn
    read_on(project, truth, 140)
    path = certify_review(project).path
    pool = project.folder.parent / "pool.csv"
    kept = pool.read_bytes()
    with pool.open("a", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerow(["new", "a title that came later", "on telescopes"])
    with pytest.raises(VerificationError, match="The pool changed after init"):
        next_items(project, count=5)
    pool.write_bytes(kept)  # what was certified is about the pool as it was
    assert verify_review(path, project=project).status == "verified in part"


def test_relevant_draws_that_are_taken_back_play_as_cannot_tell(tmp_path):
    truth = world(tmp_path, items=120, relevant=40)
    half = {item: y for item, y in truth.items() if not y or item < "r0020"}
    lines = [f"{item},1" for item in half if truth[item]]
    (tmp_path / "done.csv").write_text("\n".join(["id,label", *lines]), encoding="utf-8")
    project = begun(tmp_path, recall="0.5", screened=(str(tmp_path / "done.csv"),))
    read_on(project, truth, 60)
    hits = [item for item in project.state().reviews[0].drawn if truth[item]]
    before = review_status(project)
    wrong = project.folder / "wrong.csv"
    wrong.write_text("\n".join(["id,label", *(f"{item},0" for item in hits)]), encoding="utf-8")
    label_file(project, wrong, correct=True)
    after = review_status(project)
    assert (after.unclear, after.found) == (len(hits), before.found - len(hits))
    assert after.found + after.left_at_most >= before.found + before.left_at_most


def repeated(folder) -> None:
    """One record of the pool comes twice."""
    pool = folder / "pool.csv"
    with pool.open(encoding="utf-8", newline="") as stream:
        row = list(csv.reader(stream))[1]
    with pool.open("a", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerow(["again", *row[1:]])


def test_a_refused_start_leaves_nothing_behind(tmp_path):
    world(tmp_path)
    repeated(tmp_path)
    with pytest.raises(InputError, match="1 record of the known ids"):
        begun(tmp_path, known="nobody")
    assert not (tmp_path / "work").exists()
    begun(tmp_path)
    assert (tmp_path / "work" / "duplicates.csv").exists()


def test_a_start_that_was_broken_off_is_begun_anew(tmp_path, monkeypatch):
    """No project without a review, and what the first start wrote does not stand in the way."""
    world(tmp_path)
    repeated(tmp_path)
    folder, record = tmp_path / "work", Session.record

    def broken_off(session, *events):
        if any(isinstance(event, ReviewOpened) for event in events):
            raise KeyboardInterrupt
        record(session, *events)

    with monkeypatch.context() as patch:
        patch.setattr(Session, "record", broken_off)
        with pytest.raises(KeyboardInterrupt):
            begun(tmp_path)
    assert not ledger_of(folder).entries()
    assert (folder / "pool.parquet").exists()  # as after a kill, which clears nothing away
    begun(tmp_path)
    assert "review-start" not in {path.name for path in folder.iterdir()}
    assert review_status(Project(folder=folder)).decision == "continue"


@pytest.mark.parametrize("name", ["pool.parquet", "duplicates.csv", "records.csv"])
def test_a_start_writes_over_nobodys_files(tmp_path, name):
    world(tmp_path)
    repeated(tmp_path)
    mine = tmp_path / "work" / name
    mine.parent.mkdir()
    mine.write_text("my own", encoding="utf-8")
    with pytest.raises(InputError, match=f"{name}' exists already, and the review would write"):
        begun(tmp_path)
    assert mine.read_text(encoding="utf-8") == "my own"
    assert [path.name for path in mine.parent.iterdir()] == [name]


def test_a_stray_label_names_the_command_that_hands_records_out(drawn):
    project, _ = drawn
    path = project.folder / "stray.csv"
    path.write_text("id,label\nr0199,1\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"items that ask\(\) handed out"):
        label_file(project, path)


def test_each_step_names_the_next_one(tmp_path):
    """Open records come before new ones, and other commands lead back to the review."""
    truth = world(tmp_path)
    project = begun(tmp_path)
    assert for_command_line(advice(review_status(project))) == "assaymark review next -n 50"
    assert floor(review_status(project)) == "known when the first relevant record is found"
    handout = next_items(project, count=4)
    assert "label the 4 records without a label" in advice(review_status(project))
    rows = [f"{item},{truth[item]}" for item in handout.items[:3]]
    (tmp_path / "some.csv").write_text("\n".join(["id,label", *rows]))
    done = label_file(project, tmp_path / "some.csv", annotator="a")
    assert for_command_line(done.again) == "assaymark review next --pending"
    with pytest.raises(PlanError, match="This project is a review and has no plan"):
        draw_batch(project)


@pytest.mark.parametrize(
    "command",
    [
        ["plan", "recall >= 0.8"],
        ["plan", "prevalence <= 0.5"],
        ["plan", "recall >= 0.8 and precision >= 0.7"],
        ["plan", "--estimate", "prevalence", "--within", "0.05"],
        ["estimate"],
        ["train", "f1 >= 0.75", "--budget", "300"],
        ["cutoff", "recall >= 0.9"],
        ["compare", "--a", "x", "--b", "y"],
        ["triage", "--target", "0.9"],
        ["recall", "--a", "x", "--b", "y", "--draw", "10"],
    ],
    ids=" ".join,
)
def test_what_is_no_review_is_refused_in_one_and_says_what_to_do(tmp_path, assaymark, command):
    world(tmp_path)
    project = begun(tmp_path)
    before = project.ledger.entries()
    done = assaymark(*command, "-p", project.folder)
    assert done.code == 2
    assert done.err.startswith(
        "Error: This project is a review. To hand records out: assaymark review next -p "
    )
    assert "Whether to stop: assaymark review status -p " in done.err
    assert "register the collection in a new folder: assaymark init FOLDER." in done.err
    assert project.ledger.entries() == before


def test_a_proof_of_next_to_nothing_is_not_a_number(tmp_path):
    world(tmp_path)
    now = review_status(begun(tmp_path, known="r0001"))
    assert certified(now) == "next to nothing"
    assert verdict(now).endswith("1 relevant record is found; next to nothing is proved yet.")


@pytest.mark.parametrize("field", ["score", "rank"])
@pytest.mark.parametrize("values", [["0.5", "high"], ["0.5", "nan"], ["", ""]])
def test_a_ranking_of_no_numbers_is_refused(tmp_path, field, values):
    """Words would be ranked by chance without anybody being told; empty ones are read last."""
    pool = ["id,title,given", *(f"r{n},On matter {n},{values[n % 2]}" for n in range(20))]
    (tmp_path / "pool.csv").write_text("\n".join(pool), encoding="utf-8")
    with pytest.raises(InputError, match="A score or rank is a number, or empty for records"):
        begun(tmp_path, text=("title",), **{field: "given"})
    assert not (tmp_path / "work").exists()


def test_an_issued_certificate_shows_in_the_status(tmp_path, assaymark):
    truth = world(tmp_path, items=60, relevant=40)
    project = begun(tmp_path, recall="0.5")
    read_on(project, truth, 60)
    assert "The review can go on." in assaymark("status", "-p", project.folder).out
    certify_review(project)
    assert "certificate is issued" in assaymark("status", "-p", project.folder).out


def test_a_record_that_nobody_answers_can_be_counted_as_not_found(drawn, assaymark):
    """The lead is told how, what it costs, and the draws behind it count."""
    project, truth = drawn
    handout = next_items(project, count=100)
    first = project.state().reviews[0].random[0].items[0]
    labelled(project, truth, handout.path, {first})
    said = assaymark("review", "status", "-p", project.folder).out
    assert f"count them as cannot tell (assaymark label --overdue 14 -p {project.folder})" in said
    asked = ("label", "--overdue", 0, "--annotator", "lead", "-p", project.folder)
    assert (
        "it is treated as relevant and not found, whatever it is in truth" in assaymark(*asked).err
    )
    done = assaymark(*asked, "--yes")
    assert done.code == 0
    assert f"Next: assaymark review status -p {project.folder}" in done.out
    now = review_status(project)
    assert (now.evidence, now.pending, now.unclear) == (100, 0, 1)


def test_after_the_certificate_comes_the_report(drawn, assaymark):
    """What was certified is not certified again; a refusal rounds as the status does."""
    project, truth = drawn
    with pytest.raises(NotEstablishedError, match=f"at least {certified(review_status(project))},"):
        certify_review(project)
    while review_status(project).decision != "stop":
        read_on(project, truth)
    assert for_command_line(advice(review_status(project))) == "assaymark review certify"
    certify_review(project)
    assert for_command_line(advice(review_status(project))) == "assaymark report"
    said = assaymark("report", "-p", project.folder).out
    assert f"check: assaymark verify {project.folder / 'certificate.json'}" in said
    read_on(project, truth)
    assert for_command_line(advice(review_status(project))) == "assaymark review certify"
