"""Score-guided plans of method number 2: every draw follows from plan, seed and labels."""

import contextlib
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import assaymark
from assaymark.certification.certificate import statement_of
from assaymark.certification.certificate.words import estimate_of
from assaymark.certification.drawing import draw_batch, first_batch
from assaymark.certification.issuing import certify
from assaymark.certification.looks import look
from assaymark.certification.modes import mode_of
from assaymark.certification.modes.guided_rows import row_test_of
from assaymark.certification.planning import PlanRequest, expected_labels
from assaymark.certification.sealing import abandon_plan, chances_at_other_margins, seal_plan
from assaymark.certification.verification import verify
from assaymark.claims.ratio_metrics import parse_claim
from assaymark.claims.record import restored, stored
from assaymark.errors import PlanError
from assaymark.files.labels import LabelRow
from assaymark.labelling.recording import label
from assaymark.project.folder import Project, registered_pool
from assaymark.records.plan import Expectation, Plan

RNG = np.random.default_rng(7)
SCORES = RNG.beta(0.5, 1.5, 1500)
TRUTH = RNG.random(1500) < np.where(SCORES >= 0.5, 0.5 + SCORES / 2.1, SCORES / 4)
PICKED = SCORES >= 0.5


def truth(item: str) -> int:
    return int(TRUTH[int(item)])


def value(name: str) -> float:
    tp, fp = int((PICKED & TRUTH).sum()), int((PICKED & ~TRUTH).sum())
    fn, tn = int((~PICKED & TRUTH).sum()), int((~PICKED & ~TRUTH).sum())
    return {
        "f1": 2 * tp / (2 * tp + fp + fn),
        "f2": 5 * tp / (5 * tp + fp + 4 * fn),
        "recall": tp / (tp + fn),
        "precision": tp / (tp + fp),
        "accuracy": (tp + tn) / 1500,
        "elusion": fn / (fn + tn),
        "prevalence": (tp + fn) / 1500,
        "specificity": tn / (tn + fp),
    }[name]


@pytest.fixture(scope="module")
def pool(tmp_path_factory) -> Path:
    """The pool as a file, and a project without a plan."""
    folder = tmp_path_factory.mktemp("sealed")
    rows = "\n".join(f"{i},{score!r}" for i, score in enumerate(SCORES.tolist()))
    (folder / "pool.csv").write_text(f"id,score\n{rows}\n")
    return folder / "pool.csv"


@pytest.fixture
def start(pool, tmp_path):
    """Seals a plan on a project of its own; `label_all` gives the true labels."""

    def made(claim: str, name: str = "work", **options) -> Project:
        from assaymark.project.registration import init
        from assaymark.records.pool import Columns

        columns = Columns(id="id", score="score", threshold=0.5)
        init(tmp_path / name, pool=str(pool), columns=columns)
        project = Project(folder=tmp_path / name)
        seal_plan(project, PlanRequest(claim=parse_claim(claim), seed="s", **options))
        return project

    return made


def told(items, annotator: str = "kim", **other: int | None) -> list[LabelRow]:
    """The true labels of these items, or others by item."""
    return [LabelRow(item=i, label=other.get(i, truth(i)), annotator=annotator) for i in items]


def run(project: Project, *, count: int | None = None, most: int = 60) -> str:
    for _ in range(most):
        label(project, told(draw_batch(project, count=count, write=False).items))
        seen = look(project).verdict
        if seen.decision != "continue":
            return seen.decision
    return "continue"


def drawn(project: Project) -> list[str]:
    return [draw.id for draw in project.state().attempts[-1].draws]


@pytest.mark.parametrize(
    ("name", "sign"),
    [("f1", ">="), ("f2", ">="), ("recall", ">="), ("precision", ">="), ("accuracy", ">="),
     ("specificity", ">="), ("elusion", "<="), ("prevalence", "<="), ("elusion", ">=")],
)  # fmt: skip
def test_every_metric_is_proved_and_verified_in_both_directions(start, name, sign) -> None:
    margin = {"elusion": 0.03, "prevalence": 0.06}.get(name, 0.12)
    target = value(name) + (-margin if sign == ">=" else margin)
    project = start(
        f"{name} {sign} {target:.3f}", mode="anytime", design="weighted", anyway=True
    )  # one points the wrong way
    assert project.state().attempts[0].plan.method == "betting/2"
    assert run(project) == "pass"
    issued = certify(project)
    bound = estimate_of(issued.certificate).interval
    assert bound.low <= value(name) <= bound.high
    found = verify(issued.path, project=project)
    assert found.status == "verified in part", found.checks  # nobody brought a witness
    assert "Nothing is left to steer" in " ".join(estimate_of(issued.certificate).assumptions)


def test_batches_and_late_labels_never_touch_the_draws(start) -> None:
    """The same plan and seed give the same items, however many are taken and whenever labelled."""
    claim = f"f1 >= {value('f1') - 0.06:.3f}"
    first, second = start(claim, "one"), start(claim, "two")
    run(first, count=7, most=40)
    held: list[str] = []
    for step in range(30):
        with contextlib.suppress(PlanError):  # labels are missing: those held back are given
            held += draw_batch(second, count=(1, 60, 13)[step % 3], write=False).items
        if step % 2:
            label(second, told(reversed(held)))
            held = []
    shorter = min(len(drawn(first)), len(drawn(second)))
    assert shorter > 150
    assert drawn(first)[:shorter] == drawn(second)[:shorter]


def test_the_next_items_wait_for_labels_that_they_depend_on(start) -> None:
    project = start("f1 >= 0.9", one_by_one=True)
    items = draw_batch(project, count=100, write=False).items
    assert len(items) == 10  # without a lead the second segment needs all labels of the first
    label(project, told(items[:8]))
    with pytest.raises(PlanError, match=rf"2 items of the first 10 \({items[8]}, {items[9]}\)"):
        draw_batch(project, write=False)
    label(project, [LabelRow(item=i, label=None, annotator="kim") for i in items[8:]])
    assert len(draw_batch(project, count=100, write=False).items) == 10


def test_with_a_lead_sixty_items_can_be_drawn_before_the_first_label(start) -> None:
    project = start("f1 >= 0.9")
    assert first_batch(project.state().attempts[0].plan) == 30
    assert len(draw_batch(project, write=False).items) == 30
    assert len(draw_batch(project, count=100, write=False).items) == 30
    with pytest.raises(PlanError, match=r"10 items of the first 10"):
        draw_batch(project, write=False)


def test_a_label_changed_after_it_was_used_is_counted_and_the_sentence_dropped(start) -> None:
    project = start(f"f1 >= {value('f1') - 0.12:.3f}")
    items = draw_batch(project, count=60, write=False).items
    wrong = items[0]
    label(project, told(items, **{wrong: 1 - truth(wrong)}))
    more = draw_batch(project, write=False).items
    label(project, told([wrong], annotator="kim"), correct=True)
    label(project, told(more))
    assert run(project) == "pass"
    issued = certify(project)
    assert issued.certificate.changed == 1
    words = " ".join(estimate_of(issued.certificate).assumptions)
    assert "1 label changed after chances" in words
    assert "left to steer" not in words
    assert verify(issued.path, project=project).status == "verified in part"


def test_a_plan_with_a_ceiling_ends_there_and_its_bound_can_be_certified(start) -> None:
    """The truth lies at the target: nothing is proven, and the last batch is cut."""
    project = start(f"f1 >= {value('f1'):.3f}", mode="budget", design="score-guided", budget=205)
    plan = project.state().attempts[0].plan
    assert (plan.size, plan.kind.name) == (205, "ceiling")
    assert stored(plan)["ceiling"] == 205
    assert "size" not in stored(plan)
    assert restored(Plan, stored(plan)) == plan
    assert run(project) == "fail"
    attempt = project.state().attempts[0]
    assert len(attempt.draws) == 205
    assert attempt.closed.reason == "budget spent"
    issued = certify(project, bound=True)
    assert float(issued.certificate.bound) <= value("f1")
    assert verify(issued.path, project=project).status == "verified in part"


def test_a_ceiling_is_planned_from_what_is_expected(start) -> None:
    known = Expectation(precision=value("precision"), recall=value("recall"))
    project = start(
        f"f1 >= {value('f1') - 0.1:.3f}", mode="budget", design="score-guided", expectation=known
    )
    plan = project.state().attempts[0].plan
    assert 100 < plan.size < 700
    assert expected_labels(plan, registered_pool(project.state()).summary) < 0.7 * plan.size
    chances = dict(chances_at_other_margins(project, plan))
    assert 0.35 < chances[0.5] < 0.55 < chances[0.7] < 0.8
    assert chances[1.5] > 0.98
    assert run(project) == "pass"
    assert verify(certify(project).path, project=project).status == "verified in part"


def test_a_ceiling_refutes_on_the_way(start) -> None:
    project = start("f1 >= 0.97", mode="budget", design="score-guided", budget=400)
    assert run(project) == "fail"
    attempt = project.state().attempts[0]
    assert attempt.closed.reason == "refuted"
    assert len(attempt.draws) < 400


def test_a_ceiling_without_a_size_or_in_mode_fixed_is_refused(start) -> None:
    with pytest.raises(PlanError, match="depends on how far the truth lies above"):
        start("f1 >= 0.5", "a", mode="budget", design="score-guided")
    with pytest.raises(PlanError, match="fewer than 30 labels"):
        start("f1 >= 0.5", "b", mode="budget", design="score-guided", budget=12)
    with pytest.raises(PlanError, match="no mode 'fixed'"):
        start("f1 >= 0.5", "c", mode="fixed", design="score-guided", budget=200)


def test_a_plan_of_method_1_still_verifies_and_says_what_it_assumes(start) -> None:
    project = start(f"f1 >= {value('f1') - 0.12:.3f}", method="betting/1")
    assert run(project) == "pass"
    issued = certify(project)
    assert "can steer the chances of this method (betting/1)" in " ".join(
        estimate_of(issued.certificate).assumptions
    )
    assert verify(issued.path, project=project).status == "verified in part"
    assert statement_of(issued.certificate)


@pytest.mark.parametrize("mode", ["anytime", "budget"])
def test_what_a_plan_left_is_carried_to_the_next(start, mode) -> None:
    """An unlucky plan that is given up leaves less than it found; the next one runs at that level."""
    options = {"mode": mode, "design": "score-guided", "budget": 300 if mode == "budget" else None}
    project = start(f"f1 >= {value('f1') + 0.02:.3f}", **options)
    label(project, told(draw_batch(project, count=60, write=False).items))
    draw_batch(project, count=2, write=False)  # drawn and not labelled: .02 each
    abandon_plan(project, "to see what is left")
    wish = PlanRequest(claim=parse_claim(f"f1 >= {value('f1') - 0.1:.3f}"), anyway=True)
    plan = seal_plan(project, wish)
    assert plan.earlier == (1,)
    assert float(plan.level) < 0.05
    test = row_test_of(plan)
    assert test.level == float(plan.level)
    assert test.targets[-1] == test.targets[test.claim_row]


def test_a_refutation_has_a_level_of_its_own(start) -> None:
    plan = start("f1 >= 0.6").state().attempts[0].plan
    other = replace(plan, stake=replace(plan.stake, refutes="0.01"))
    assert row_test_of(other).test.log_doubt_needed == pytest.approx(np.log(100))
    never = replace(plan, stake=replace(plan.stake, refutes="0"))
    assert not row_test_of(never).test.played[len(row_test_of(never).targets) :].any()


def test_chances_that_do_not_follow_are_noticed(start, monkeypatch) -> None:
    """Somebody who computes other chances at a renewal cannot get them past the verification."""
    from assaymark.certification.modes import sealed_sample

    honest = sealed_sample.segment_chances

    def steered(found, known):
        chances = honest(found, known).copy()
        return chances[::-1] / chances.sum() if len(known) == 10 else chances

    with monkeypatch.context() as patch:
        patch.setattr(sealed_sample, "segment_chances", steered)
        project = start(f"f1 >= {value('f1') - 0.12:.3f}")
        assert run(project) == "pass"
        issued = certify(project)
    found = verify(issued.path, project=project)
    assert found.status == "failed"
    assert "the chances from draw 61 on do not follow" in found.checks[-1].detail


def test_segments_are_looked_up_once_and_not_for_every_draw(start, monkeypatch) -> None:
    """Each look-up counts the segments from the first on: 10,000 of them were half of a verification."""
    from assaymark.certification.modes import sealed_sample

    project = start(f"f1 >= {value('f1') - 0.12:.3f}")
    assert run(project) == "pass"
    attempt, issued = project.state().attempts[0], certify(project)
    asked, honest = [], sealed_sample.segment_at
    monkeypatch.setattr(
        sealed_sample,
        "segment_at",
        lambda drawn, **more: asked.append(drawn) or honest(drawn, **more),
    )
    found = verify(issued.path, project=project)
    assert found.status != "failed"
    segments = {honest(drawn, lead=attempt.plan.lead or 0) for drawn in range(len(attempt.draws))}
    assert len(asked) <= len(segments) + attempt.batches < len(attempt.draws)


def test_python_offers_both(tmp_path) -> None:
    work = assaymark.certify(
        y_score=SCORES, threshold=0.5, claim="precision >= 0.6", design="score-guided",
        mode="budget", budget=200, seed=1, one_by_one=True, folder=tmp_path / "p",
    )  # fmt: skip
    assert (work.plan.kind.name, work.plan.lead, work.plan.size) == ("ceiling", 0, 200)
    assert work.run(lambda item: truth(str(item.id))).established
    assert json.loads(work.certify().path.read_text())["plan"]["renewal"] == {
        "law": "sealed/1",
        "lead": 0,
    }
    assert mode_of(work.plan).kind.wagers
