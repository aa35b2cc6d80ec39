"""A forger who wants a classifier certified on what it learnt: every way is noticed by verify."""

import copy
import hashlib
import json
import shutil

import pytest
from test_forgery import bodies, outcome

from assaymark.certification.verification import check_scored_items
from assaymark.claims.canonical import canonical
from assaymark.errors import VerificationError
from assaymark.ledger.events import check_story, seal
from assaymark.ledger.sqlite import SqliteLedger
from assaymark.project.folder import Project
from training_worlds import begun, certified, write_texts


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    world = write_texts(tmp_path_factory.mktemp("texts") / "pool.csv", items=800)
    project = begun(world, world.path.parent / "made")
    certified(project, world)
    return project.folder


@pytest.fixture
def folder(made):
    copied = made.with_name(f"copy-{len(list(made.parent.iterdir()))}")
    shutil.copytree(made, copied)
    return copied


def the(told, kind):
    return bodies(told, kind)[-1]


def place(told, kind):
    return max(at for at, entry in enumerate(told) if entry[0] == kind)


def training_items(told):
    return [item["id"] for body in bodies(told, "SurveyDrawn") for item in body["items"]]


def judged_on_a_training_item(told):
    item, drawn = training_items(told)[0], the(told, "BatchDrawn")["draws"][0]
    old = drawn["id"]
    drawn["id"] = item
    return [e for e in told if not (e[0] == "LabelRecorded" and e[1]["item"] == old)]


def flipped_training_label(told):
    item = training_items(told)[0]
    for kind, body, _ in told:
        if kind == "LabelRecorded" and body["item"] == item:
            body["value"] = 1 - body["value"]


def other_digest(told):
    the(told, "ModelTrained")["digest"] = "0" * 64


def other_counts(told):
    the(told, "ModelTrained")["look"]["positives"] += 1


def other_cut_off(told):
    frozen = the(told, "ClassifierFrozen")
    frozen["threshold"] = frozen["pool"]["predictions"]["classifier"]["threshold"] = 0.25


def cut_off_of_the_pool_only(told):
    the(told, "ClassifierFrozen")["pool"]["predictions"]["classifier"]["threshold"] = 0.25


def earlier_model(told):
    the(told, "ClassifierFrozen")["model"] = 1


def other_population(told):
    the(told, "ClassifierFrozen")["population"] = "future"


def grander_sentence(told):
    the(told, "ClassifierFrozen")["sentence"] = "The claim is about all documents of the world."


def fewer_left_out(told):
    the(told, "ClassifierFrozen")["excluded"] = 0


def trained_after_the_freeze(told):
    model = copy.deepcopy(the(told, "ModelTrained"))
    model["number"] += 1
    at = place(told, "PlanSealed") + 1
    return [*told[:at], ("ModelTrained", model, told[at][2]), *told[at:]]


def drawn_for_training_after_the_freeze(told):
    batch = copy.deepcopy(the(told, "SurveyDrawn"))
    batch["batch"] += 1
    batch["items"] = [{"id": "t00799x", "cell": 0}]
    at = place(told, "PlanSealed") + 1
    return [*told[:at], ("SurveyDrawn", batch, told[at][2]), *told[at:]]


def frozen_after_the_first_draw(told):
    at = place(told, "ClassifierFrozen")
    frozen = told[at]
    rest = [*told[:at], *told[at + 1 :]]
    later = max(n for n, entry in enumerate(rest) if entry[0] == "BatchDrawn") + 1
    return [*rest[:later], frozen, *rest[later:]]


def never_frozen(told):
    return [entry for entry in told if entry[0] != "ClassifierFrozen"]


def label_corrected_after_the_freeze(told):
    item = training_items(told)[0]
    before = next(b["value"] for k, b, _ in told if k == "LabelRecorded" and b["item"] == item)
    body = {"item": item, "annotator": "kim", "before": before, "after": 1 - before}
    return [*told, ("LabelCorrected", body, told[-1][2])]


def unlisted_training_item(told):
    """The forger forgets that an item was trained on, and recomputes every digest after it."""
    batch = the(told, "SurveyDrawn")
    item = batch["items"].pop()["id"]
    told = [e for e in told if not (e[0] == "LabelRecorded" and e[1]["item"] == item)]
    labels = {b["item"]: b["value"] for k, b, _ in told if k == "LabelRecorded"}
    order = [one for one in training_items(told) if one in labels]
    lines = "".join(f"{one} {labels[one]}\n" for one in order)
    model = the(told, "ModelTrained")
    model["digest"] = hashlib.sha256(lines.encode()).hexdigest()
    model["labels"] = model["look"]["labels"] = model["look"]["random"] = len(order)
    model["look"]["positives"] = sum(labels[one] for one in order)
    return told


def second_training(told):
    opened = copy.deepcopy(the(told, "SurveyOpened"))
    opened["survey"] |= {"number": 2, "seed": "another"}
    return [*told, ("SurveyOpened", opened, told[-1][2])]


def claim_exchanged(told):
    settings = copy.deepcopy(the(told, "SurveyOpened")["survey"]["settings"]["training"])
    settings["goal"]["claim"]["metric"] = "recall"
    at = place(told, "ModelTrained")
    changed = {"survey": 1, "settings": settings}
    return [*told[:at], ("TrainingChanged", changed, told[at][2]), *told[at:]]


def chosen_but_called_random(told):
    items = bodies(told, "SurveyDrawn")[0]["items"]
    items[0], items[-1] = items[-1], items[0]
    # the order of the labels is that of the items, so its digest goes along
    for body in bodies(told, "ModelTrained"):
        order = training_items(told)[: body["labels"]]
        labels = {b["item"]: b["value"] for k, b, _ in told if k == "LabelRecorded"}
        lines = "".join(f"{one} {labels[one]}\n" for one in order)
        body["digest"] = hashlib.sha256(lines.encode()).hexdigest()


@pytest.mark.parametrize(
    "change",
    [judged_on_a_training_item, flipped_training_label, other_digest, other_counts, other_cut_off,
     cut_off_of_the_pool_only, earlier_model, other_population, grander_sentence, fewer_left_out,
     trained_after_the_freeze, drawn_for_training_after_the_freeze, frozen_after_the_first_draw,
     never_frozen, label_corrected_after_the_freeze, unlisted_training_item, second_training,
     claim_exchanged, chosen_but_called_random],
)  # fmt: skip
def test_forged_trainings_are_noticed(folder, change) -> None:
    assert outcome(folder, change) == "failed"


@pytest.mark.parametrize(
    ("change", "said"),
    [(flipped_training_label, "its digest is not that of the training labels recorded then"),
     (other_counts, "its counts are not those of the training labels recorded then"),
     (other_cut_off, "its cut-off is not that of its model"),
     (cut_off_of_the_pool_only, "its cut-off is not that of its model"),
     (earlier_model, "its model is not the latest one"),
     (other_population, "its population is not the one that was sealed"),
     (grander_sentence, "knows no field 'sentence'"),
     (fewer_left_out, "the items left out do not add up"),
     (unlisted_training_item, "the items left out are not those that training took"),
     (trained_after_the_freeze, "the classifier is frozen"),
     (drawn_for_training_after_the_freeze, "the classifier is frozen"),
     (frozen_after_the_first_draw, "no cell of the pool"),
     (label_corrected_after_the_freeze, "the classifier that its item trains is frozen"),
     (judged_on_a_training_item, "an item was used to train the classifier"),
     (second_training, "the project has a training already"),
     (claim_exchanged, "its metric was settled before")],
)  # fmt: skip
def test_the_fault_is_named(made, change, said) -> None:
    entries = SqliteLedger(made / "ledger.sqlite").entries()
    told = [(e.kind, json.loads(e.body), e.time) for e in entries if e.kind != "CertificateIssued"]
    chain = []
    for kind, body, time in change(told) or told:
        chain.append(seal(chain[-1] if chain else None, time=time, kind=kind, body=canonical(body)))
    with pytest.raises(VerificationError, match=said):
        check_story(chain)


def test_the_forger_who_changes_nothing_is_believed(folder) -> None:
    """Otherwise the test above would prove nothing."""
    assert outcome(folder, lambda told: told) == "verified in part"


def test_a_training_item_in_the_scored_file_is_noticed(folder) -> None:
    """Should the ledger be made to fit, the file still tells."""
    project = Project(folder=folder)
    state = project.state().copy()
    item = next(iter(state.surveys[0].cells))
    state.surveys[0].cells[next(iter(state.claimed))] = 0
    with pytest.raises(Exception, match="was handed out for training and is in the scored file"):
        check_scored_items(project, state, lambda *_: None)
    state = project.state().copy()
    del state.surveys[0].cells[item]
    with pytest.raises(Exception, match="1 are missing and 0 do not belong there"):
        check_scored_items(project, state, lambda *_: None)
