"""Two readers per record: it counts when both have read it, and stays among the unread until then."""

import pytest

from assaymark.errors import InputError
from assaymark.labelling.desk import Desk, Submission
from assaymark.labelling.recording import label_file
from assaymark.reviewing.certificate import certify_review
from assaymark.reviewing.handing import next_items
from assaymark.reviewing.status import review_status
from assaymark.reviewing.verifying import verify_review
from assaymark.reviewing.wording import waiting
from assaymark.web.app import Options, make_app
from review_rooms import begun, fill, run, world


def test_a_review_read_by_two_people_to_its_certified_end(tmp_path):
    truth = world(tmp_path, items=200, relevant=60)
    project = begun(tmp_path, recall="0.7", terms=("telescope",), twice="1")
    for _ in range(12):
        handout = next_items(project, count=50)
        fill(handout.path, truth)
        label_file(project, handout.path, annotator="ann")
        half = review_status(project)
        assert half.half_read == len(handout.items)
        assert half.unread + half.labels == half.items
        told = waiting(half)
        assert f"{half.half_read} records with one reader, unread until the second" in told
        label_file(project, handout.path, annotator="bob")
        now = review_status(project)
        assert now.half_read == 0
        assert now.labels == half.labels + len(handout.items)
        if now.decision == "stop":
            break
    assert now.decision == "stop"
    issued = certify_review(project)
    assert issued.certificate.twice == "1"
    found = verify_review(issued.path, project=project)
    assert found.missing == ("witness", "signature"), found.checks


def test_on_the_page_a_record_goes_to_two_people(tmp_path):
    world(tmp_path, items=60, relevant=20)
    project = begun(tmp_path, terms=("telescope",), twice="1")
    next_items(project, count=4, write=False)
    desk = Desk(project, clock=lambda: 0.0, share=0.0)
    first = desk.queue.hand(desk.state, "ann", now=0.0)[0]
    desk.record([Submission(item=first, annotator="ann", label=0)])
    assert not desk.state.labelled(first)
    assert first in desk.queue.hand(desk.state, "bob", now=0.0)
    desk.record([Submission(item=first, annotator="bob", label=0)])
    assert desk.state.labelled(first)
    assert first not in desk.queue.waiting


def test_how_many_read_a_record_is_settled_at_the_start(tmp_path):
    world(tmp_path, items=60, relevant=20)
    project = begun(tmp_path, twice="0.5")
    with pytest.raises(InputError, match=r"was settled when this review began: 0\.5"):
        make_app(project, Options(twice=1.0))
    make_app(project, Options(twice=0.5))
    with pytest.raises(InputError, match="between 0 and 1, got 2"):
        begun(tmp_path, folder="other", twice="2")


def test_half_of_the_records_are_read_twice_as_the_commitment_says(tmp_path):
    truth = world(tmp_path, items=200, relevant=60)
    run(
        "review", "start", tmp_path / "work", "--pool", tmp_path / "pool.csv", "--id", "id",
        "--text", "abstract", "--terms", "telescope", "--twice", "0.5",
    )  # fmt: skip
    handout = run("review", "next", "-n", "100", "-p", tmp_path / "work")
    fill(tmp_path / "work" / "review-1.csv", truth)
    run("label", handout["path"], "-p", tmp_path / "work")
    now = run("review", "status", "-p", tmp_path / "work")
    assert now["half_read"] + now["labels"] == 100
    assert 30 < now["half_read"] < 70
