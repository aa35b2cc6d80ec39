"""Labels known before the seal: certain in a score-guided plan, free answers in a simple one."""

from dataclasses import replace

import numpy as np
import pytest

import assaymark
from assaymark.certification.certificate import history_of
from assaymark.certification.drawing import draw_batch, draw_pending
from assaymark.certification.issuing import certify
from assaymark.certification.looks import look
from assaymark.certification.modes.score_guided import known_cells
from assaymark.certification.planning import PlanRequest
from assaymark.certification.sealing import abandon_plan, forecast_plan, seal_plan
from assaymark.certification.verification import verify
from assaymark.claims.ratio_metrics import parse_claim
from assaymark.errors import AssaymarkError, InputError, PlanError
from assaymark.estimation.survey import EstimateRequest, draw_estimate, open_estimate
from assaymark.files.labels import LabelRow
from assaymark.labelling.known import know
from assaymark.labelling.recording import label
from assaymark.overview.dossier import dossier
from assaymark.project.folder import Project
from assaymark.project.registration import init
from assaymark.records.plan import Expectation
from assaymark.records.pool import Columns

RNG = np.random.default_rng(11)
SCORES = RNG.beta(0.5, 1.5, 600)
TRUTH = RNG.random(600) < np.where(SCORES >= 0.5, 0.5 + SCORES / 2.1, SCORES / 5)
ALARMS = [str(i) for i in range(600) if SCORES[i] >= 0.5 and not TRUTH[i]]
HITS = [str(i) for i in range(600) if SCORES[i] >= 0.5 and TRUTH[i]]


def rows(items) -> list[LabelRow]:
    return [LabelRow(item=i, label=int(TRUTH[int(i)]), annotator="a") for i in items]


@pytest.fixture
def project(tmp_path) -> Project:
    lines = "\n".join(f"{i},{score!r}" for i, score in enumerate(SCORES.tolist()))
    (tmp_path / "pool.csv").write_text(f"id,score\n{lines}\n")
    columns = Columns(id="id", score="score", threshold=0.5)
    init(tmp_path / "work", pool=str(tmp_path / "pool.csv"), columns=columns)
    return Project(folder=tmp_path / "work")


def label_to_the_end(project: Project) -> str:
    while True:
        batch = draw_batch(project, write=False)
        label(project, rows(batch.items))
        now = look(project)
        if now.verdict.decision != "continue":
            return now.verdict.decision


def test_known_items_leave_the_strata_and_count_as_certain(project):
    known = [*ALARMS[:20], *HITS[:40]]
    know(project, rows(known))
    plan = seal_plan(project, PlanRequest(claim=parse_claim("precision >= 0.6")))
    assert plan.known.items == 60 == sum(map(sum, plan.known.strata))
    assert known_cells(plan) == (40, 20, 0, 0)
    assert plan.items == int((SCORES >= 0.5).sum()) - 60
    assert label_to_the_end(project) == "pass"
    drawn = project.state().attempts[0].order
    assert not {*drawn} & {*known}
    issued = certify(project)
    assert (
        "60 labels before the seal, counted as certain"
        in dict(history_of(issued.certificate))["known"]
    )
    checked = verify(issued.path, project=project)
    assert {c.name: c.outcome for c in checked.checks}["known"] == "ok"
    assert not [c for c in checked.checks if c.outcome == "failed"]


def test_labelled_to_the_last_item_the_value_is_that_of_the_whole_pool(project):
    know(project, rows(ALARMS))
    seal_plan(project, PlanRequest(claim=parse_claim("precision >= 0.95"), anyway=True))
    assert label_to_the_end(project) == "fail"  # clean among the rest, and false of the whole
    point = look(project).verdict.estimate.point
    share = len(HITS) / (len(HITS) + len(ALARMS))
    assert point is None or point <= 0.95 or share < 0.95


def test_labels_of_an_earlier_plan_leave_the_strata_of_the_next(project):
    seal_plan(project, PlanRequest(claim=parse_claim("precision >= 0.6"), seed="first"))
    batch = draw_batch(project, count=30, write=False)
    label(project, rows(batch.items))
    abandon_plan(project, "another claim first")
    plan = seal_plan(project, PlanRequest(claim=parse_claim("recall >= 0.5"), mode="score-guided"))
    assert plan.known.items == 30
    again = draw_batch(project, count=30, write=False)
    assert again.known == 0
    assert not {*again.items} & {*batch.items}


def test_a_changed_label_that_was_known_voids_the_certificate(project):
    seal_plan(project, PlanRequest(claim=parse_claim("precision >= 0.6"), seed="first"))
    label(project, rows(draw_batch(project, count=30, write=False).items))
    abandon_plan(project, "another claim first")
    seal_plan(project, PlanRequest(claim=parse_claim("recall >= 0.3"), mode="score-guided"))
    item = project.state().attempts[0].order[0]
    other = replace(rows([item])[0], label=1 - int(TRUTH[int(item)]))
    label(project, [other], correct=True)
    label_to_the_end(project)
    with pytest.raises(
        AssaymarkError, match=f"1 label known when plan 2 was sealed was changed since .*'{item}'"
    ):
        certify(project)


def test_a_simple_plan_draws_from_the_whole_and_known_labels_answer(project):
    """The draws are those of the seed over the whole pool, whatever is known."""
    known = [str(i) for i in range(0, 600, 2)]
    know(project, rows(known))
    request = PlanRequest(
        claim=parse_claim("accuracy >= 0.7"), mode="fixed", budget=200,
        expectation=Expectation(precision=0.8, recall=0.8, prevalence=0.3),
    )  # fmt: skip
    plan = seal_plan(project, request)
    assert plan.known.items == 300
    assert plan.known.strata is None
    attempt = project.state().attempts[0]
    assert len(attempt.draws) == 200  # on record in the same step as the seal
    free = {*attempt.order} & {*known}
    assert 60 < len(free) < 140  # about half of them, because draws come from the whole
    waiting = draw_pending(project).items
    assert {*waiting} == {*attempt.order} - free
    label(project, rows(waiting))
    look(project)
    issued = certify(project)
    assert issued.certificate.known == len(free)
    checked = verify(issued.path, project=project)
    assert not [c for c in checked.checks if c.outcome == "failed"]
    told = "draws come from the whole collection, and these labels cost nothing more"
    expected = f"300 labels before the seal; {told} ({len(free)} drawn items)"
    assert dict(checked.history)["known"] == expected


def test_a_seed_of_ones_own_is_refused_where_labels_are_known(project):
    know(project, rows(HITS[:5]))
    with pytest.raises(PlanError, match=r"Labels of this collection are known before the plan"):
        seal_plan(project, PlanRequest(claim=parse_claim("precision >= 0.6"), seed="mine"))


def test_known_labels_enter_before_a_plan_and_not_while_one_is_open(project):
    seal_plan(project, PlanRequest(claim=parse_claim("precision >= 0.6"), seed="s"))
    with pytest.raises(
        PlanError, match=r"Plan 1 is open, and labels from elsewhere could steer it"
    ):
        know(project, rows(HITS[:5]))
    assert not project.state().known


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([("x1", 1), ("x2", 0), ("x3", 1), ("x4", 0)], r"None of 4 labelled items is in the collection \('x1', 'x2', 'x3', …\)"),
        ([("1", 1), ("1", 0)], r"1 item with two different labels in the file \('1'\)"),
    ],
)  # fmt: skip
def test_files_that_cannot_be_knowledge_are_refused(project, labels, message):
    with pytest.raises(InputError, match=message):
        know(project, [LabelRow(item=i, label=y, annotator="a") for i, y in labels])
    assert not project.state().known


def test_what_is_known_twice_enters_once(project):
    assert know(project, rows(HITS[:5])).recorded == 5
    again = know(project, [*rows(HITS[:6]), LabelRow(item="0", label=None, annotator="a")])
    assert (again.recorded, again.unchanged, again.unclear) == (1, 5, 1)
    with pytest.raises(InputError, match=r"1 item with another label in this project"):
        know(project, [replace(rows(HITS[:1])[0], label=0)])


def test_the_card_counts_relevant_items_that_were_known(project):
    """Every flagged item known, and no relevant one among the draws: recall has an estimate all the same."""
    know(project, rows([*HITS, *ALARMS]))
    seal_plan(project, PlanRequest(claim=parse_claim("f1 >= 0.6"), confidence=0.8))
    drawn = draw_batch(project, write=False).items
    label(project, [replace(row, label=0) for row in rows(drawn)])
    card = {one.name: one for one in dossier(project).card}
    assert card["precision"].low == card["precision"].high == card["precision"].point
    assert card["recall"].low <= card["recall"].point <= card["recall"].high


def test_every_item_known_leaves_nothing_to_draw(project):
    know(project, rows([*HITS, *ALARMS]))
    with pytest.raises(PlanError, match=r"has its label already: there is nothing left to draw"):
        seal_plan(project, PlanRequest(claim=parse_claim("precision >= 0.6")))


def test_from_python_before_a_claim():
    work = assaymark.certify(y_score=[0.1, 0.9] * 60, threshold=0.5)
    assert work.know({1: True, 3: True, 0: None}).recorded == 2
    plan = work.claim("precision >= 0.8", mode="score-guided")
    assert known_cells(plan) == (2, 0, 0, 0)
    assert work.run(lambda item: item.id % 2 == 1).established


ACCURACY = PlanRequest(
    claim=parse_claim("accuracy >= 0.7"), mode="fixed", budget=100,
    expectation=Expectation(precision=0.8, recall=0.8, prevalence=0.3),
)  # fmt: skip


def survey(project: Project) -> list[str]:
    """Forty labels of a survey."""
    open_estimate(project, EstimateRequest(metric="accuracy", budget=40))
    items = draw_estimate(project, write=False).items
    label(project, rows(items))
    return list(items)


def test_after_a_survey_the_first_draws_of_a_simple_plan_come_with_the_seal(project):
    known = survey(project)
    plan = seal_plan(project, ACCURACY)
    attempt = project.state().attempts[0]
    assert (plan.known.items, plan.known.strata) == (len(known), None)
    assert len(attempt.draws) == 100
    label(project, rows(draw_pending(project).items))
    look(project)
    issued = certify(project)
    assert issued.certificate.known == len({*attempt.order} & {*known})
    checked = verify(issued.path, project=project)
    assert not [c for c in checked.checks if c.outcome == "failed"]


def test_a_plan_given_up_once_its_draws_could_be_seen_is_not_free(project):
    """Otherwise somebody seals until the draws meet lucky known labels, and only then begins."""
    survey(project)
    seal_plan(project, ACCURACY)
    abandon_plan(project, "unlucky draws")
    with pytest.raises(PlanError, match=r'Earlier plans on "accuracy >= 0.7" used up its risk'):
        seal_plan(project, ACCURACY)


def test_a_seed_of_ones_own_is_refused_after_a_survey(project):
    survey(project)
    with pytest.raises(PlanError, match=r"Labels of this collection are known before the plan"):
        seal_plan(project, replace(ACCURACY, seed="mine"))


def test_known_labels_are_not_bought_again_in_forecasts(project):
    """Half of the items known: half of a simple plan's draws, and a smaller guided plan."""
    request = replace(ACCURACY, mode=None, budget=None)
    before = forecast_plan(project, request).modes
    know(project, rows(str(i) for i in range(0, 600, 2)))
    after = forecast_plan(project, request).modes
    assert after["fixed"].labels == before["fixed"].labels
    for name in ("fixed", "budget", "anytime"):
        assert after[name].expected == pytest.approx(before[name].expected / 2)
    assert after["score-guided"].expected <= before["score-guided"].expected
    assert after["score-guided"].quantile < before["score-guided"].quantile
    # 100 draws meet about 92 different items of 600, and every second one is known
    assert seal_plan(project, ACCURACY).expected_labels == 47


def test_a_ceiling_is_planned_for_what_is_left_to_draw(project):
    know(project, rows(str(i) for i in range(590)))
    request = replace(ACCURACY, mode="budget", design="weighted", budget=200)
    assert seal_plan(project, request).size == 10
