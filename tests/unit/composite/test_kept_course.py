"""A course that was kept between commands saves work, and never changes an answer or a draw."""

import shutil
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import assaymark as am
from assaymark.composite import course as courses
from assaymark.composite.course import Course, course_of
from assaymark.composite.drawing import draw_for_claim
from assaymark.composite.looks import judge_with_progress, look_at_claim
from assaymark.composite.work import required_claim
from assaymark.files.labels import LabelRow
from assaymark.labelling.recording import label
from assaymark.project.folder import Project

SCORES, CHANCE = np.random.default_rng(3).random((2, 900)).round(3)


@pytest.fixture
def claim(monkeypatch, tmp_path) -> Path:
    """A claim in each of three groups with 200 labels, and a cache of its own for short courses."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(courses, "DRAWS", 1)
    pool = {
        "id": [f"i{n}" for n in range(900)],
        "score": SCORES.tolist(),
        "group": ["abc"[n % 3] for n in range(900)],
    }
    folder = tmp_path / "w"
    am.certify_parts(
        pool, "recall >= 0.7 in every group", group="group", id="id", threshold=0.5, seed=1,
        folder=folder,
    )  # fmt: skip
    more_labels(folder, 200)
    return folder


def truth_of(item: str) -> int:
    return int(CHANCE[int(item[1:])] < SCORES[int(item[1:])])


def more_labels(folder: Path, wanted: int) -> None:
    """Draw until so many are drawn, and label everything as the scores say: the recall is 0.75."""
    while True:
        state = Project(folder=folder).state()
        order = required_claim(state).survey.order
        rows = [
            LabelRow(item=i, label=truth_of(i), annotator="a")
            for i in order
            if not state.labelled(i)
        ]
        if rows:
            label(Project(folder=folder), rows)
        if len(order) >= wanted:
            return
        draw_for_claim(Project(folder=folder), count=wanted - len(order), write=False)


def entered(monkeypatch, step):
    """What a step gives, and how many segments it computed chances for."""
    count, enter = [], Course.enter
    with monkeypatch.context() as patch:
        patch.setattr(Course, "enter", lambda *a: (count.append(1), enter(*a))[1])
        answer = step()
    return answer, len(count)


def look(folder: Path):
    return look_at_claim(Project(folder=folder, resumes=True))


def truth(folder: Path):
    """The judgement from the ledger alone."""
    state = Project(folder=folder).state()
    work = required_claim(state)
    return judge_with_progress(state, work, course_of(work))


def test_a_look_goes_on_from_the_last_segment(monkeypatch, claim):
    first, whole = entered(monkeypatch, lambda: look(claim))
    again, none = entered(monkeypatch, lambda: look(claim))
    assert whole > 10
    assert (again, none) == (first, 0)
    more_labels(claim, 260)
    later, part = entered(monkeypatch, lambda: look(claim))
    assert 0 < part < whole
    assert later == truth(claim) != first


def test_the_next_draws_are_the_same(monkeypatch, claim, tmp_path):
    look(claim)
    other = Path(shutil.copytree(claim, tmp_path / "other"))
    for folder, resumes in ((claim, True), (other, False)):
        draw = partial(
            draw_for_claim, Project(folder=folder, resumes=resumes), count=60, write=False
        )
        _, segments = entered(monkeypatch, draw)
        assert (segments < 6) == resumes
    orders = [required_claim(Project(folder=f).state()).survey.order for f in (claim, other)]
    assert len(orders[0]) > 220
    assert orders[0] == orders[1]


def test_a_label_that_was_changed_before_the_next_renewal_counts(monkeypatch, claim):
    look(claim)
    state = Project(folder=claim).state()
    items = required_claim(state).survey.order[:6]
    rows = [LabelRow(item=i, label=1 - truth_of(i), annotator="a") for i in items]
    label(Project(folder=claim), rows, correct=True)
    assert look(claim) == truth(claim)
    more_labels(claim, 260)
    assert look(claim) == truth(claim)


def test_the_course_of_another_claim_is_left_aside(monkeypatch, claim):
    """Its seal, a renewal or a draw may differ: then everything is computed from the first draw on."""
    _, whole = entered(monkeypatch, lambda: look(claim))
    kept_beside = courses.kept_beside
    for spoil in (
        {"renewals": lambda kept: kept.renewals[1:]},
        {"strata": lambda kept: (1 - min(kept.strata[0], 1), *kept.strata[1:])},
    ):

        def odd(project, kind, spoil=spoil):
            kept = kept_beside(project, kind)
            for name, change in spoil.items():
                object.__setattr__(kept, name, change(kept))
            return kept

        with monkeypatch.context() as patch:
            patch.setattr(courses, "kept_beside", odd)
            answer, segments = entered(monkeypatch, lambda: look(claim))
        assert segments == whole
        assert answer == truth(claim)


def test_what_proves_computes_everything(monkeypatch, claim):
    look(claim)
    monkeypatch.setattr(courses, "kept_beside", lambda *_: pytest.fail("asked"))
    assert truth(claim).result["draws"] == 200
