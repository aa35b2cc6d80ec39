"""From texts without a classifier to a verified certificate, and what the ledger keeps of the way."""

import json
import shutil

import duckdb
import pytest

from assaymark.certification.drawing import draw_batch
from assaymark.certification.issuing import certify
from assaymark.certification.looks import look
from assaymark.certification.sealing import PlanRequest, abandon_plan, seal_plan
from assaymark.certification.verification import verify
from assaymark.claims.ratio_metrics import parse_claim
from assaymark.errors import InputError, PlanError
from assaymark.files.labels import LabelRow
from assaymark.hints import command
from assaymark.labelling.recording import label
from assaymark.ledger.events import (
    check_story,
    is_frozen,
    labels_digest,
    training_labels,
    training_of,
)
from assaymark.overview.check import check
from assaymark.overview.report import report_bytes
from assaymark.overview.status import status
from assaymark.project.backup import backup
from assaymark.project.folder import Project
from assaymark.project.registration import init
from assaymark.project.restore import restore
from assaymark.records.pool import Columns
from assaymark.training import freeze as training_freeze
from assaymark.training.freeze import stop_training, train_on
from assaymark.training.rounds import train
from assaymark.training.settings import TrainingRequest
from training_worlds import answer_plan, answer_training, begun, certified, write_texts


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return write_texts(tmp_path_factory.mktemp("texts") / "pool.csv")


@pytest.fixture(scope="module")
def made(world):
    """A project brought from zero labels to a certificate, never changed by the tests."""
    project = begun(world, world.path.parent / "made")
    certified(project, world)
    return project


@pytest.fixture
def done(made):
    """A copy beside the pool that a test may change."""
    folder = made.folder.with_name(f"copy-{len(list(made.folder.parent.iterdir()))}")
    shutil.copytree(made.folder, folder)
    return Project(folder=folder)


def test_from_no_label_to_a_verified_certificate(made) -> None:
    found = verify(made.folder / "certificate.json", project=made)
    assert found.status.startswith("verified")
    (check_made,) = [one for one in found.checks if one.name == "training"]
    assert "none of its 180 items was drawn for the claim" in check_made.detail
    assert "every other one of the collection" in check_made.detail
    expected = (
        "The claim is about the 1,320 items that training never took; the 180 items handed out for "
        "training are not part of it."
    )
    assert found.population == expected
    stated = json.loads((made.folder / "certificate.json").read_text())["population"]
    assert stated == {"population": "rest", "items": 1320, "taken": 180, "labels": 180}


def test_every_model_names_the_labels_it_learnt_from(made) -> None:
    state = made.state()
    work = training_of(state)
    assert [model.event.labels for model in work.models] == [60, 120, 180]
    last = work.models[-1].event
    assert last.digest == labels_digest(training_labels(state, work))
    assert work.freezes[-1].event.model == last.number


def test_the_scored_file_is_the_collection_without_the_training_items(made, world) -> None:
    state = made.state()
    rows = duckdb.sql(
        f"SELECT id, title, body, assaymark_score FROM '{made.folder}/scores/scored-1.parquet'"
    ).fetchall()
    trained = set(training_of(state).order)
    assert {row[0] for row in rows} == set(world.truth) - trained
    assert all(0 <= row[3] <= 1 for row in rows)
    assert state.pool.summary.items == len(rows)
    assert state.collection.summary.items == len(world.truth)


def test_every_item_gets_a_decision(made, world) -> None:
    rows = duckdb.sql(f"FROM '{made.folder}/scores/decisions-1.parquet'").fetchall()
    state = made.state()
    trained = training_labels(state, training_of(state))
    assert {row[0] for row in rows} == set(world.truth)
    assert {row[0] for row in rows if row[3] == "people"} == set(trained)
    assert all(row[2] == trained[row[0]] for row in rows if row[3] == "people")
    cut = state.pool.columns.threshold
    assert all(row[2] == (row[1] >= cut) for row in rows if row[3] == "classifier")
    picked = sum(row[2] for row in rows if row[3] == "classifier")
    assert picked == state.pool.summary.predicted_positive


def test_labels_that_nobody_could_tell_train_nothing(world, tmp_path) -> None:
    project = begun(world, tmp_path / "work")
    state = project.state()
    skipped, *rest = training_of(state).order
    rows = [LabelRow(item=item, label=world.truth[item], annotator="kim") for item in rest]
    label(project, [LabelRow(item=skipped, label=None, annotator="kim"), *rows])
    done = train(project, TrainingRequest())
    assert done.summary.labels == 59
    assert done.summary.skipped == 1


def test_a_round_without_new_labels_records_no_second_model(world, tmp_path) -> None:
    project = begun(world, tmp_path / "work")
    answer_training(project, world)
    first = train(project, TrainingRequest())
    again = train(project, TrainingRequest())
    assert (first.refitted, again.refitted) == (True, False)
    assert again.batch is None
    assert "60 items that training handed out wait for a label" in again.reason
    assert len(again.summary.looks) == 1


def test_uncertainty_sampling_keeps_the_random_part_apart(world, tmp_path) -> None:
    project = begun(world, tmp_path / "work", population="rest", sampling="uncertainty")
    answer_training(project, world)
    done = train(project, TrainingRequest())
    work = training_of(project.state())
    cells = [item.cell for item in work.files[-1].items]
    assert cells.count(0) == 18, "three in ten stay random"
    assert cells.count(1) == 42
    answer_training(project, world)
    done = train(project, TrainingRequest())
    assert (done.summary.random, done.summary.active) == (78, 42)
    look_now = work.models[-1].event.look
    assert look_now.counts.total == look_now.random


def test_the_part_set_aside_for_the_future_is_never_trained_on(world, tmp_path) -> None:
    project = begun(world, tmp_path / "work", population="future", keep=0.4, sampling="uncertainty")
    answer_training(project, world)
    train(project, TrainingRequest())
    answer_training(project, world)
    stopped = stop_training(project)
    state = project.state()
    work = training_of(state)
    assert 500 < stopped.frozen.pool.summary.items < 700
    assert stopped.frozen.excluded == 1500 - stopped.frozen.pool.summary.items
    assert "set aside before training (40% of the collection)" in stopped.sentence
    check_story(project.ledger.entries())
    draw_batch(project, count=200, write=False)
    assert not set(project.state().attempt.order) & set(work.order)


def test_the_whole_collection_follows_from_the_rest(world, tmp_path) -> None:
    project = begun(world, tmp_path / "work", population="whole")
    answer_training(project, world)
    stopped = stop_training(project)
    assert stopped.sentence == (
        "Certified are the 1,440 items that training never took. The claim then holds for the whole "
        "collection of 1,500 items too, provided that the 60 training items take the label people gave "
        "them: they add only right decisions, which cannot lower F1."
    )


def test_items_without_a_label_are_left_out_of_the_whole(world, tmp_path) -> None:
    project = begun(world, tmp_path / "work", population="whole")
    answer_training(project, world)
    train(project, TrainingRequest())
    stopped = stop_training(project)
    assert "whole collection of 1,440 items" in stopped.sentence
    assert stopped.sentence.endswith("Without the 60 training items that got no settled label.")


def test_training_goes_on_after_a_plan_ended_and_leaves_its_labels_alone(done, world) -> None:
    before = done.state()
    claimed = set(before.claimed)
    round_ = train(done, TrainingRequest(insist=True))
    assert round_.batch is not None
    assert not claimed & set(training_of(done.state()).order), "certified items never train"
    answer_training(done, world)
    stopped = stop_training(done)
    assert stopped.frozen.pool.source == "scores/scored-2.parquet"
    assert stopped.left == max(0, 400 - 240 - len(claimed))
    assert stopped.plan.number == 2
    # the first certificate still verifies, by the pool that it was issued on
    assert verify(done.folder / "certificate.json", project=done).status.startswith("verified")
    draw_batch(done, count=100, write=False)
    answer_plan(done, world)
    look(done)
    assert verify(done.folder / "certificate.json", project=done).status.startswith("verified")


def test_no_plan_on_old_scores_once_training_went_on(done, world) -> None:
    train(done, TrainingRequest(insist=True))
    with pytest.raises(PlanError, match="Training went on after the classifier was frozen"):
        seal_plan(done, PlanRequest(claim=parse_claim("f1 >= 0.7")))
    check_story(done.ledger.entries())


def test_a_second_plan_on_the_same_frozen_classifier_is_allowed(done) -> None:
    plan = seal_plan(done, PlanRequest(claim=parse_claim("precision >= 0.7")))
    draw_batch(done, count=50, write=False)
    assert plan.number == 2
    check_story(done.ledger.entries())


def test_scores_that_are_elsewhere_are_asked_for(done) -> None:
    (done.folder / "scores" / "scored-1.parquet").unlink()
    with pytest.raises(
        InputError, match="The scores of the frozen classifier are not in this project"
    ):
        seal_plan(done, PlanRequest(claim=parse_claim("precision >= 0.7")))
    found = verify(done.folder / "certificate.json", project=done)
    assert found.status.startswith("verified")
    assert "pool" in [one.name for one in found.checks if one.outcome == "not checked"]


def test_draw_says_that_training_comes_first(world, tmp_path) -> None:
    with pytest.raises(PlanError, match="trains a classifier and has no plan yet"):
        draw_batch(begun(world, tmp_path / "work"))


def test_labels_of_an_earlier_certification_leave_the_strata(done, world) -> None:
    known = {item for item in done.state().claimed if done.state().labelled(item)}
    train(done, TrainingRequest(insist=True))
    answer_training(done, world)
    stop_training(done)
    draw_batch(done, count=300, write=False)
    attempt = done.state().attempt
    assert attempt.plan.known is not None
    assert 0 < attempt.plan.known.items <= len(known)
    assert not set(attempt.order) & known


def test_a_frozen_classifier_without_a_plan_gets_one(world, tmp_path, monkeypatch) -> None:
    """Should sealing break off after the freeze, the same command goes on from there."""
    project = begun(world, tmp_path / "work")
    answer_training(project, world)

    def broken(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("assaymark.training.freeze.seal_plan", broken)
        with pytest.raises(KeyboardInterrupt):
            stop_training(project)
    assert status(project).summary == "The classifier is frozen; its plan is not sealed."
    with pytest.raises(PlanError, match="Training is over: the classifier is frozen"):
        train(project, TrainingRequest())
    stopped = stop_training(project)
    assert (stopped.frozen.model, stopped.plan.number) == (1, 1)
    assert len(training_of(project.state()).freezes) == 1


def test_auto_certify_freezes_seals_and_draws(world, tmp_path) -> None:
    project = begun(world, tmp_path / "work", budget=500, auto_certify=True)
    answer_training(project, world)
    went = train_on(project, TrainingRequest())
    for _ in range(8):
        if went.stopped is not None:
            break
        answer_training(project, world)
        went = train_on(project, TrainingRequest())
    assert went.stopped is not None
    assert went.stopped.batch is not None
    assert went.stopped.batch.path.exists()
    assert project.state().attempt.open


@pytest.mark.parametrize("mode", ["score-guided", "anytime", "budget", "fixed"])
def test_every_mode_of_certification_can_be_sealed(mode, world, tmp_path) -> None:
    project = begun(world, tmp_path / "work", batch=150)
    answer_training(project, world)
    labels = 200 if mode in ("budget", "fixed") else None
    stopped = stop_training(project, mode=mode, labels=labels)
    assert stopped.plan.size == labels
    assert stopped.plan.design == ("weighted" if mode == "score-guided" else "simple")


def test_a_pipeline_of_ones_own_can_be_plugged_in(world, tmp_path, monkeypatch) -> None:
    (tmp_path / "mine.py").write_text(
        "from sklearn.feature_extraction.text import TfidfVectorizer\n"
        "from sklearn.linear_model import LogisticRegression\n"
        "from sklearn.pipeline import make_pipeline\n"
        "def build():\n"
        "    return make_pipeline(TfidfVectorizer(), LogisticRegression())\n"
    )
    monkeypatch.chdir(tmp_path)
    project = begun(world, tmp_path / "work", learner="mine:build")
    answer_training(project, world)
    done = train(project, TrainingRequest())
    assert done.summary.looks[-1].learner == "mine:build"
    answer_training(project, world)
    stopped = stop_training(project)
    assert 0 < stopped.frozen.pool.summary.predicted_positive < 600
    assert not (project.folder / "features").exists()


def test_check_and_backup_know_the_scored_file(done, tmp_path) -> None:
    assert all(one.outcome != "failed" for one in check(done.folder))
    made = backup(done, tmp_path / "kept.tgz")
    restore(made.path, done.folder.with_name(f"{done.folder.name}-again"))
    again = Project(folder=done.folder.with_name(f"{done.folder.name}-again"))
    assert verify(again.folder / "certificate.json", project=again).status.startswith("verified")
    assert not (again.folder / "features").exists(), "they are made again when needed"
    (done.folder / "scores" / "scored-1.parquet").write_bytes(b"other")
    failed = [one for one in check(done.folder) if one.outcome == "failed"]
    assert "'scores/scored-1.parquet' was changed" in failed[0].detail


def test_the_other_side_checks_with_and_without_the_collection(made, world, tmp_path) -> None:
    shutil.copytree(made.folder, tmp_path / "theirs" / "made")
    alone = Project(folder=tmp_path / "theirs" / "made")
    found = verify(alone.folder / "certificate.json", project=alone)
    assert found.status.startswith("verified")
    details = {one.name: one.detail for one in found.checks}
    assert "but the collection is not at hand" in details["training"]
    assert "none skipped" in details["draw"], "the scores travel along"
    with_it = Project(folder=alone.folder, pool_at=str(world.path))
    found = verify(alone.folder / "certificate.json", project=with_it)
    details = {one.name: one.detail for one in found.checks}
    assert "every other one of the collection" in details["training"]


def test_the_report_tells_how_the_classifier_was_trained(made) -> None:
    text = report_bytes(made, "html").decode()
    assert "How the classifier was trained" in text
    assert "No label of the certification trained the classifier" in text
    assert "3 (frozen)" in text
    assert "after training had ended, the way of testing the claim" in text
    assert "before the first label" not in text, "training labels came first"
    assert "The claim is about the 1,320 items that training never took" in text
    assert text.count("<svg") >= 3


def test_status_says_what_to_do_in_every_phase(world, tmp_path) -> None:
    project = begun(world, tmp_path / "work")
    assert (status(project).summary, status(project).advice) == (
        "Training waits for labels.",
        command("draw", pending=True),
    )
    answer_training(project, world)
    assert (status(project).summary, status(project).advice) == (
        "Training can go on.",
        command("train"),
    )
    train(project, TrainingRequest(insist=True))
    answer_training(project, world)
    stop_training(project)
    assert status(project).advice == command("draw")
    abandon_plan(project, "other things to do")
    assert status(project).advice == command("train")


def test_items_drawn_for_a_claim_before_are_not_trained_on(world, tmp_path) -> None:
    init(tmp_path / "work", pool=str(world.path), columns=Columns(id="id", text=("body",)))
    project = Project(folder=tmp_path / "work")
    seal_plan(project, PlanRequest(claim=parse_claim("prevalence <= 0.5"), seed="s1"))
    draw_batch(project, count=100, write=False)
    answer_plan(project, world)
    assert look(project).verdict.decision == "pass"
    certify(project)
    train(
        project, TrainingRequest(claim=parse_claim("f1 >= 0.8"), budget=400, batch=150, seed="s2")
    )
    state = project.state()
    assert not set(state.claimed) & set(training_of(state).order)
    answer_training(project, world)
    stopped = stop_training(project)
    assert stopped.frozen.excluded == 150, "what the claim drew may be certified"
    check_story(project.ledger.entries())
    draw_batch(project, count=50, write=False)
    answer_plan(project, world)
    look(project)
    # the certificate of the collection verifies by the collection, not by the scores
    found = verify(project.folder / "certificate.json", project=project)
    assert found.status.startswith("verified")
    assert found.population is None
    assert "training" not in [one.name for one in found.checks]


def test_settings_that_change_are_on_record(world, tmp_path) -> None:
    project = begun(world, tmp_path / "work")
    answer_training(project, world)
    train(project, TrainingRequest(budget=800, policy="adaptive", population="whole"))
    settings = training_of(project.state()).training
    assert (settings.goal.budget, settings.goal.policy) == (800, "adaptive")
    assert (settings.population, settings.named) == ("whole", True)
    assert "TrainingChanged" in [entry.kind for entry in project.ledger.entries()]
    check_story(project.ledger.entries())


def test_a_freeze_that_was_broken_off_is_completed(world, tmp_path, monkeypatch) -> None:
    """Frozen on record, killed before the decisions were written: the next stop writes them."""
    project = begun(world, tmp_path / "work")
    for _ in range(2):
        answer_training(project, world)
        train(project, TrainingRequest(insist=True))
    answer_training(project, world)
    with monkeypatch.context() as broken:
        broken.setattr(training_freeze, "write_decisions", _killed)
        with pytest.raises(KeyboardInterrupt):
            stop_training(project)
    assert is_frozen(project.state())
    assert not (project.folder / "scores" / "decisions-1.parquet").exists()
    stopped = stop_training(project)
    assert stopped.plan.number == 1
    assert (project.folder / "scores" / "decisions-1.parquet").exists()


def _killed(*_arguments: object) -> None:
    raise KeyboardInterrupt
