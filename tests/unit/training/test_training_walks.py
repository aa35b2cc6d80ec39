"""Whatever people do, in whatever order: the ledger stays genuine, and training and proof stay apart."""

import random

import pytest

from assaymark.certification.drawing import draw_batch
from assaymark.certification.issuing import certify
from assaymark.certification.looks import look
from assaymark.certification.sealing import PlanRequest, abandon_plan, seal_plan
from assaymark.certification.verification import verify
from assaymark.claims.ratio_metrics import parse_claim
from assaymark.errors import AssaymarkError
from assaymark.files.labels import LabelRow
from assaymark.labelling.recording import label
from assaymark.ledger.events import check_story, training_of
from assaymark.training.freeze import stop_training, train_on
from assaymark.training.rounds import train
from assaymark.training.settings import TrainingRequest
from training_worlds import begun, write_texts

STEPS, WALKS = 25, 4


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return write_texts(tmp_path_factory.mktemp("texts") / "pool.csv", items=400)


class Walker:
    """Somebody who tries everything, now and then wrongly."""

    def __init__(self, project, world, seed) -> None:
        self.project, self.world, self.rng = project, world, random.Random(seed)
        self.certificates: list[bytes] = []

    def round(self) -> None:
        asked = self.rng.choice([{}, {"insist": True}, {"batch": 15}, {"sampling": "uncertainty"}])
        train_on(self.project, TrainingRequest(**asked), write=False)

    def settle(self) -> None:
        asked = self.rng.choice(
            [{"budget": 900}, {"population": "whole"}, {"policy": "adaptive"},
             {"sampling": "relevance", "population": "rest"}, {"auto_certify": True}]
        )  # fmt: skip
        train(self.project, TrainingRequest(**asked), write=False)

    def answer(self) -> None:
        state = self.project.state()
        items = [i for work in state.surveys for i in work.order if not state.labelled(i)]
        if state.attempt is not None:
            items += [i for i in state.attempt.order if not state.labelled(i)]
        some = [i for i in dict.fromkeys(items) if self.rng.random() < 0.9]
        rows = [LabelRow(item=i, label=self.world.truth[i], annotator="kim") for i in some]
        try:
            label(self.project, rows)
        except AssaymarkError:  # training items among them, while they are judged
            mine = training_of(state).cells
            label(self.project, [row for row in rows if row.item not in mine])

    def correct(self) -> None:
        state = self.project.state()
        item = self.rng.choice([*state.answers])
        row = LabelRow(item=item, label=self.rng.choice([0, 1, None]), annotator="kim")
        label(self.project, [row], correct=True)

    def stop(self) -> None:
        mode = self.rng.choice([None, "anytime", "fixed"])
        stop_training(self.project, mode=mode, labels=40 if mode == "fixed" else None)

    def seal(self) -> None:
        claim = self.rng.choice(["f1 >= 0.5", "prevalence <= 0.6", "precision >= 0.4"])
        seal_plan(self.project, PlanRequest(claim=parse_claim(claim)))

    def draw(self) -> None:
        draw_batch(self.project, count=self.rng.choice([20, 40]), write=False)

    def judge(self) -> None:
        look(self.project)

    def prove(self) -> None:
        self.certificates.append(certify(self.project).path.read_bytes())

    def give_up(self) -> None:
        abandon_plan(self.project, "another idea")


WAYS = ("round", "round", "answer", "answer", "answer", "draw", "draw", "judge", "prove", "stop",
        "settle", "seal", "correct", "give_up")  # fmt: skip


@pytest.mark.parametrize("seed", range(WALKS))
def test_every_walk_leaves_a_genuine_ledger(seed, world, tmp_path) -> None:
    project = begun(world, tmp_path / "work", batch=40, budget=500)
    walker, done = Walker(project, world, seed), 0
    for _ in range(STEPS):
        try:
            getattr(walker, walker.rng.choice(WAYS))()
            done += 1
        except (AssaymarkError, IndexError):
            pass
    entries = project.ledger.entries()
    check_story(entries)
    state = project.state()
    trained = set(training_of(state).order)
    for attempt in state.attempts:
        if attempt.pool is not state.collection:
            before = [
                frozen.event
                for frozen in training_of(state).freezes
                if frozen.seq < attempt.sealed_at
            ]
            assert before[-1].pool is attempt.pool
            assert not trained & set(attempt.order)
    assert done > STEPS // 3, "most of a walk must not be refusals"
    for number, text in enumerate(walker.certificates):
        path = tmp_path / f"certificate-{number}.json"
        path.write_bytes(text)
        found = verify(path, project=project)
        superseded = found.checks[-1].detail.startswith("superseded")
        assert found.status == ("failed" if superseded else "verified in part")
