"""A small collection of texts whose truth is known, to train on."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from assaymark.certification.drawing import draw_batch
from assaymark.certification.issuing import certify
from assaymark.certification.looks import look
from assaymark.claims.ratio_metrics import parse_claim
from assaymark.files.labels import LabelRow
from assaymark.labelling.recording import label
from assaymark.project.folder import Project
from assaymark.project.registration import init
from assaymark.records.pool import Columns
from assaymark.training.freeze import stop_training
from assaymark.training.rounds import train
from assaymark.training.settings import TrainingRequest
from worlds_on_disk import write_csv

TOPIC = ["orbit", "rover", "crater", "lander", "probe", "comet", "asteroid", "telescope"]
OTHER = ["market", "budget", "tax", "invoice", "profit", "quarter", "dividend", "audit"]
PLAIN = [f"word{number}" for number in range(300)]


@dataclass(frozen=True)
class TextWorld:
    """Texts on disk and which of them are about the topic."""

    path: Path
    truth: dict[str, int]


def write_texts(
    path: Path,
    *,
    items: int = 1500,
    prevalence: float = 0.2,
    seed: int = 7,
    odd: dict[str, str] | None = None,
) -> TextWorld:
    """Titles and bodies of plain words with a few of the topic's; `odd` texts are added as they are."""
    rng = np.random.default_rng(seed)
    truth, rows = {}, []
    for number in range(items):
        about = int(rng.random() < prevalence)
        own = TOPIC if about else OTHER
        words = [*rng.choice(PLAIN, 12), *rng.choice(own, 2 + rng.integers(3))]
        if rng.random() < 0.05:  # some texts speak of both
            words += list(rng.choice(OTHER if about else TOPIC, 3))
        rng.shuffle(words)
        name = f"t{number:05d}"
        truth[name] = about
        rows.append((name, " ".join(words[:4]), " ".join(words[4:])))
    for name, text in (odd or {}).items():
        truth[name] = 0
        rows.append((name, "", text))
    write_csv(path, ["id", "title", "body"], rows)
    return TextWorld(path, truth)


def begun(world: TextWorld, folder: Path, **wish: object) -> Project:
    """A project on these texts whose training for F1 >= 0.8 has begun."""
    columns = Columns(id="id", text=("title", "body"))
    init(folder, pool=str(world.path), columns=columns)
    project = Project(folder=folder)
    asked = {"claim": parse_claim("f1 >= 0.8"), "budget": 400, "seed": "s", "batch": 60, **wish}
    train(project, TrainingRequest(**asked))  # type: ignore[arg-type]
    return project


def answer_training(project: Project, world: TextWorld) -> int:
    """Label all that training handed out from the truth; how many."""
    state = project.state()
    (work,) = [work for work in state.surveys if work.survey.purpose == "training"]
    return _tell(project, world, [item for item in work.order if not state.labelled(item)])


def answer_plan(project: Project, world: TextWorld) -> int:
    """Label all that the open plan drew from the truth; how many."""
    state = project.state()
    assert state.attempt is not None
    return _tell(project, world, [i for i in state.attempt.order if not state.labelled(i)])


def _tell(project: Project, world: TextWorld, items: list[str]) -> int:
    rows = [LabelRow(item=i, label=world.truth[i], annotator="kim") for i in items]
    label(project, rows)
    return len(rows)


def certified(project: Project, world: TextWorld) -> Path:
    """Train two rounds, stop, and certify; the certificate's path."""
    for _ in range(2):
        answer_training(project, world)
        train(project, TrainingRequest(insist=True))
    answer_training(project, world)
    stop_training(project, seed="c")
    for _ in range(40):
        draw_batch(project, count=60, write=False)
        answer_plan(project, world)
        if look(project).verdict.decision != "continue":
            break
    return certify(project).path
