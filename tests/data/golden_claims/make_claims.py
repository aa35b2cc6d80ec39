"""Writes the golden projects of claims of several rows: one of every kind.

As with those beside it, a project is written once and never again: whatever later versions change,
`tests/replication/test_golden_claims.py` has them verify it. `PYTHONPATH=tests python
tests/data/golden_claims/make_claims.py` writes those that are missing and leaves the others alone.
"""

import csv
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from assaymark.claims.label_sets import all_sets, set_name
from assaymark.composite.drawing import draw_for_claim
from assaymark.composite.issuing import certify_claim
from assaymark.composite.looks import abandon_claim, look_at_claim
from assaymark.composite.planning.comparing import ComparisonRequest, seal_comparison
from assaymark.composite.planning.cutting import seal_cutoff
from assaymark.composite.planning.sealing import Parts, Terms, seal_conjunction
from assaymark.composite.work import required_claim
from assaymark.ledger.head import settle_heads
from assaymark.project.folder import Project
from assaymark.project.registration import init
from assaymark.records.pool import Columns
from golden_writing import label_batch, truth_in, write_missing

HERE = Path(__file__).parent
BATCHES = 10  # of a claim whose last labels nobody looked at
TOPICS = ("art", "news", "sport")
SCORED = Columns(id="id", score="score", threshold=0.5, groups=("lang",))
CLASSES = Columns(id="id", prediction="topic", score="sure", classes=TOPICS)
TAGGED = Columns(id="id", prediction="tags", tags=TOPICS, classes=all_sets(TOPICS))


def _all(text: str, **parts: object) -> Callable[[Project, Terms], object]:
    return lambda project, terms: seal_conjunction(project, text, terms, Parts(**parts))  # type: ignore[arg-type]


def _better(metric: str, margin: str) -> Callable[[Project, Terms], object]:
    request = ComparisonRequest(a="old", b=("new",), metric=metric, margin=margin)
    return lambda project, terms: seal_comparison(project, request, terms)


def _cut(text: str, *rungs: str) -> Callable[[Project, Terms], object]:
    return lambda project, terms: seal_cutoff(project, text, terms, at=rungs, start=None)


@dataclass(frozen=True, kw_only=True)
class Golden:
    """How a claim that holds is sealed; `second`: after one that was abandoned.

    Of the last `unseen` batches nobody sees what they prove: the last look is that of an open claim.
    """

    seal: Callable[[Project, Terms], object]
    columns: Columns = SCORED
    pool: str = "pool.csv"
    answers: str = "truth.csv"
    truth: str = "label"
    budget: int | None = None
    second: bool = False
    unseen: int = 0


PROJECTS = {
    "groups": Golden(seal=_all("recall >= 0.6 and precision >= 0.5 in every lang", least_group=10)),
    # since draws are shared among the groups that still want labels; the others are from before
    "groups-shared": Golden(seal=_all("recall >= 0.6 in every lang", least_group=10)),
    "groups-second-claim": Golden(seal=_all("precision >= 0.5 in every lang"), second=True),
    # the last look, before the certificate, has the bounds of a claim that is open
    "groups-open-look": Golden(
        seal=_all("recall >= 0.8 and precision >= 0.8 in every lang", least_group=10), unseen=6
    ),
    "groups-named": Golden(seal=_all("accuracy >= 0.6 in every lang", family="named")),
    "groups-ceiling": Golden(seal=_all("accuracy >= 0.6 in every lang"), budget=200),
    "gap": Golden(seal=_all("accuracy gap between lang <= 0.4")),
    "gap-shared": Golden(seal=_all("accuracy gap between lang <= 0.4")),
    "gap-open-look": Golden(seal=_all("accuracy gap between lang <= 0.2"), unseen=8),
    "classes": Golden(
        seal=_all("recall of every class >= 0.4"), columns=CLASSES, truth="true_topic"
    ),
    "tags": Golden(
        seal=_all("recall of every class >= 0.6"),
        columns=TAGGED,
        pool="tags.csv",
        answers="true_tags.csv",
        truth="true_tags",
    ),
    "macro": Golden(seal=_all("macro f1 >= 0.5"), columns=CLASSES, truth="true_topic"),
    "comparison": Golden(seal=_better("accuracy", "0.2"), columns=Columns(id="id")),
    "comparison-f1": Golden(seal=_better("f1", "0.2"), columns=Columns(id="id")),
    "cut-off": Golden(seal=_cut("recall >= 0.7", "0.2", "0.4")),
    "cut-off-once": Golden(seal=_cut("recall >= 0.6", "0.2", "0.4"), budget=200),
}


def write_pool(place: Path) -> None:
    """600 items: a score, two classifiers, three languages of which one is small, and topics."""
    rng = np.random.default_rng(19)
    truth = (rng.random(600) < 0.35).astype(int)
    score = np.round(1 / (1 + np.exp(-rng.normal(5.0 * truth - 2.5, 1.2))), 3)
    old = np.where(rng.random(600) < 0.72, truth, 1 - truth)
    new = np.where(rng.random(600) < 0.95, truth, 1 - truth)
    lang = np.where(np.arange(600) < 6, "la", np.where(rng.random(600) < 0.6, "en", "de"))
    topic = rng.integers(0, 3, 600)
    guess = np.where(rng.random(600) < 0.9, topic, rng.integers(0, 3, 600))
    sure = np.round(rng.uniform(0.6, 0.99, 600), 3)
    with (place / "pool.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "score", "lang", "old", "new", "topic", "sure"])
        writer.writerows(
            [f"d{i:03d}", score[i], lang[i], old[i], new[i], TOPICS[guess[i]], sure[i]]
            for i in range(600)
        )
    with (place / "truth.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "label", "true_topic"])
        writer.writerows([f"d{i:03d}", truth[i], topic[i]] for i in range(600))


def write_tags(place: Path) -> None:
    """600 items with any number of topics, and a classifier that errs on each now and then."""
    rng = np.random.default_rng(20)
    truth = rng.random((600, 3)) < (0.5, 0.4, 0.3)
    guess = truth ^ (rng.random((600, 3)) < 0.04)
    names = [*all_sets(TOPICS), ""]
    columns = {
        "true_tags": [names.index(set_name(np.array(TOPICS)[row], TOPICS)) for row in truth],
        "tags": [set_name(np.array(TOPICS)[row], TOPICS) for row in guess],
    }
    for name, values in columns.items():
        with (place / f"{name}.csv").open("w", newline="", encoding="utf-8") as stream:
            writer = csv.writer(stream)
            writer.writerow(["id", name])
            writer.writerows([f"d{i:03d}", value] for i, value in enumerate(values))


def write(place: Path, golden: Golden) -> str:
    """The project beside its pool; the head of its ledger comes back."""
    shutil.copy(HERE / golden.pool, place)
    init(place / "work", pool=str(place / golden.pool), columns=golden.columns)
    project = Project(folder=place / "work")
    terms = Terms(seed=None if golden.second else "golden", budget=golden.budget)
    if golden.second:
        golden.seal(project, terms)
        _batch(project, golden)
        look_at_claim(project)
        abandon_claim(project, "a golden project begins again")
    golden.seal(project, terms)
    for number in range(1, BATCHES + 1) if golden.unseen else ():
        _batch(project, golden)
        if number == BATCHES - golden.unseen:
            look_at_claim(project)
    while not golden.unseen and required_claim(project.state()).can_draw:
        _batch(project, golden)
        if look_at_claim(project).decision in ("pass", "better", "worse", "within"):
            break
    certify_claim(project)
    settle_heads()
    return project.ledger.entries()[-1].hash


def _batch(project: Project, golden: Golden) -> None:
    items = draw_for_claim(project, count=40, write=False).items
    label_batch(project, items, truth_in(HERE / golden.answers, golden.truth))


def main() -> None:
    """Write what is missing."""
    if not (HERE / "pool.csv").exists():
        write_pool(HERE)
    if not (HERE / "tags.csv").exists():
        write_tags(HERE)
    write_missing(HERE, "heads.json", PROJECTS, write)


if __name__ == "__main__":
    main()
