"""The draws that judge a classifier were foreseen by nobody, whatever was labelled before."""

import json

import pytest

from assaymark.certification.drawing import draw_batch
from assaymark.certification.issuing import certify
from assaymark.certification.looks import look
from assaymark.certification.sealing import PlanRequest, abandon_plan, seal_plan
from assaymark.certification.verification import verify
from assaymark.claims.canonical import canonical
from assaymark.claims.ratio_metrics import parse_claim
from assaymark.errors import PlanError, VerificationError
from assaymark.estimation.survey import EstimateRequest, draw_estimate, open_estimate, read_estimate
from assaymark.files.labels import LabelRow
from assaymark.labelling.recording import label
from assaymark.ledger.events import (
    about_pool,
    check_story,
    random_items,
    seal,
    set_aside,
    settings_of,
    training_labels,
    training_of,
)
from assaymark.records.training import CELLS
from assaymark.sampling.tickets import ticket
from assaymark.training.freeze import stop_training
from assaymark.training.rounds import train
from assaymark.training.settings import TrainingRequest
from training_worlds import answer_plan, answer_training, begun, certified, write_texts


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return write_texts(tmp_path_factory.mktemp("texts") / "pool.csv", items=800)


def told(project):
    return [(e.kind, json.loads(e.body), e.time) for e in project.ledger.entries()]


def chained(events):
    chain = []
    for kind, body, time in events:
        last = chain[-1] if chain else None
        chain.append(seal(last, time=time, kind=kind, body=canonical(body)))
    return chain


def test_a_seed_that_drew_for_a_survey_cannot_draw_for_a_plan(world, tmp_path) -> None:
    """Its items have known labels, so whoever seals the plan would know how it ends."""
    project = begun(world, tmp_path / "work", seed="training")
    answer_training(project, world)
    with pytest.raises(PlanError, match="The seed 'training' was used in this project before"):
        stop_training(project, seed="training")
    assert not training_of(project.state()).freezes, "refused before anything is frozen"
    stop_training(project, seed="first")
    abandon_plan(project, "an estimate first")
    open_estimate(project, EstimateRequest(metric="prevalence", budget=30, seed="survey"))
    batch = draw_estimate(project)
    label(project, [LabelRow(item=i, label=world.truth[i], annotator="kim") for i in batch.items])
    for seed in ("training", "first", "survey"):
        with pytest.raises(PlanError, match="was used in this project before"):
            seal_plan(project, PlanRequest(claim=parse_claim("f1 >= 0.7"), seed=seed))
    seal_plan(project, PlanRequest(claim=parse_claim("f1 >= 0.7"), mode="fixed", budget=100))
    events = told(project)
    check_story(chained(events))
    at = max(n for n, event in enumerate(events) if event[0] == "PlanSealed")
    events[at][1]["plan"]["seed"]["value"] = "survey"
    with pytest.raises(VerificationError, match="its seed was used before"):
        check_story(chained(events))


def test_a_survey_takes_no_seed_of_a_plan_either(world, tmp_path) -> None:
    project = begun(world, tmp_path / "work")
    answer_training(project, world)
    stop_training(project, seed="plan")
    events = told(project)
    again = json.loads(json.dumps(next(b for k, b, _ in events if k == "SurveyOpened")))
    again["survey"] |= {"number": 2, "purpose": "estimate", "seed": "plan"}
    with pytest.raises(VerificationError, match="its seed was used before"):
        check_story(chained([*events, ("SurveyOpened", again, events[-1][2])]))


def test_figures_of_the_rest_are_not_called_those_of_the_collection(world, tmp_path) -> None:
    """Training by score takes out what is not like the rest, so its prevalence is another one."""
    project = begun(world, tmp_path / "work")
    assert about_pool(project.state(), project.state().pool) is None
    answer_training(project, world)
    stop_training(project, mode="fixed", labels=50)
    draw_batch(project, write=False)
    answer_plan(project, world)
    assert read_estimate(project).warnings[-1] == (
        "These figures are about the 740 items that training never took; the 60 items it took are left "
        "out, and need not be like them."
    )


def test_only_what_was_set_aside_is_certified(world, tmp_path) -> None:
    """The ledger alone shows a forger who judges a classifier on easier items."""
    project = begun(world, tmp_path / "work", population="future")
    answer_training(project, world)
    stop_training(project, seed="c")
    draw_batch(project, count=20, write=False)
    events = told(project)
    check_story(chained(events))
    state = project.state()
    settings = settings_of(training_of(state))
    other = next(i for i in world.truth if not set_aside(settings, i) and not state.drawn(i))
    drawn = next(body for kind, body, _ in events if kind == "BatchDrawn")
    drawn["draws"][3]["id"] = other
    with pytest.raises(VerificationError, match="an item was not set aside for certification"):
        check_story(chained(events))


def test_a_training_label_changed_after_the_certificate_is_told(world, tmp_path) -> None:
    """The claim about the rest stays; that about the whole holds with the labels as they are now."""
    project = begun(world, tmp_path / "work", population="whole")
    path = certified(project, world)
    (before,) = [c for c in verify(path, project=project).checks if c.name == "training"]
    assert "changed later" not in before.detail
    item, given = next(iter(training_labels(project.state(), training_of(project.state())).items()))
    label(project, [LabelRow(item=item, label=1 - given, annotator="kim")], correct=True)
    found = verify(path, project=project)
    (after,) = [c for c in found.checks if c.name == "training"]
    assert found.status.startswith("verified")
    assert "1 training label changed later" in after.detail


def test_a_second_attempt_is_told_and_learns_nothing_from_the_first(world, tmp_path) -> None:
    """What the failed plan drew trains nothing; the certificate lists that plan."""
    project = begun(world, tmp_path / "work", budget=700)
    answer_training(project, world)
    stop_training(project, seed="first")
    draw_batch(project, count=60, write=False)
    answer_plan(project, world)
    judged = set(project.state().claimed)
    abandon_plan(project, "it will not pass")
    for _ in range(2):
        train(project, TrainingRequest(insist=True))
        answer_training(project, world)
    stop_training(project)
    state = project.state()
    work = training_of(state)
    assert not judged & set(training_labels(state, work))
    assert judged & set(world.truth)
    for _ in range(20):
        draw_batch(project, count=60, write=False)
        answer_plan(project, world)
        if look(project).verdict.decision != "continue":
            break
    path = certify(project).path
    assert [one["outcome"] for one in json.loads(path.read_text())["earlier"]] == ["abandoned"]
    assert verify(path, project=project).status.startswith("verified")


def test_a_new_classifier_has_a_risk_of_its_own(world, tmp_path) -> None:
    """Another classifier is another claim; its certificate lists the plans of the earlier ones."""
    project = begun(world, tmp_path / "work", budget=700)
    answer_training(project, world)
    first = stop_training(project).plan
    abandon_plan(project, "a better classifier")
    train(project, TrainingRequest(insist=True))
    answer_training(project, world)
    second = stop_training(project).plan
    assert (first.level, second.level, second.earlier) == ("0.05", "0.05", ())
    check_story(project.ledger.entries())


def test_set_aside_parts_are_spoken_for_by_a_complete_sample(world, tmp_path) -> None:
    """With a part set aside, chosen items that chance would have drawn count as random too.

    They are then the first eligible items in ticket order without a gap, as if nothing had ever
    been chosen.
    """
    project = begun(world, tmp_path / "work", population="future", sampling="uncertainty")
    for _ in range(4):
        answer_training(project, world)
        train(project, TrainingRequest(insist=True))
    answer_training(project, world)
    stop_training(project, seed="c")
    state = project.state()
    work = training_of(state)
    settings = settings_of(work)
    eligible = [item for item in world.truth if not set_aside(settings, item)]
    eligible.sort(key=lambda item: ticket(work.survey.seed, item))
    counted = random_items(work, training_labels(state, work))
    assert set(eligible[: len(counted)]) == counted
    chosen = {item for item in work.order if CELLS[work.cells[item]] == "active"}
    assert counted & chosen, "some chosen items count"
    assert chosen - counted, "and some do not"
    assert work.models[-1].event.look.random == len(counted)


def test_elsewhere_only_items_drawn_by_chance_count(world, tmp_path) -> None:
    """A claim about the rest is spoken for by what chance found in the rest."""
    project = begun(world, tmp_path / "work", population="rest", sampling="uncertainty")
    for _ in range(2):
        answer_training(project, world)
        train(project, TrainingRequest(insist=True))
    state = project.state()
    work = training_of(state)
    counted = random_items(work, training_labels(state, work))
    assert all(CELLS[work.cells[item]] == "random" for item in counted)
