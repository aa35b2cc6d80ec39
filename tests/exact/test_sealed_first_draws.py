"""Plans on a pool whose labels a survey has shown: sealed, given up, sealed again until draws are lucky.

The product plans and keeps the account; every sample that a plan can draw is added up exactly.
"""

import itertools

import pytest

from assaymark.certification import sealing
from assaymark.certification.modes.words import reaches
from assaymark.certification.planning import PlanRequest
from assaymark.certification.sealing import abandon_plan, seal_plan
from assaymark.claims.claim import Counts
from assaymark.claims.ratio_metrics import parse_claim
from assaymark.errors import PlanError
from assaymark.estimation.survey import EstimateRequest, draw_estimate, open_estimate
from assaymark.files.labels import LabelRow
from assaymark.labelling.recording import label
from assaymark.project.folder import Project
from assaymark.project.registration import init
from assaymark.records.plan import Plan
from assaymark.records.pool import Columns
from assaymark.stats.binomial_bounds import bound
from assaymark.stats.methods import exact_method

ITEMS, RIGHT, DRAWS, PLANS = 24, 8, 3, 20
FALSE = parse_claim("accuracy >= 0.36")
REQUEST = PlanRequest(claim=FALSE, mode="fixed", budget=DRAWS)


@pytest.fixture
def surveyed(tmp_path) -> Project:
    (tmp_path / "pool.csv").write_text("\n".join(["id,said", *(f"{i},1" for i in range(ITEMS))]))
    init(
        tmp_path / "work",
        pool=str(tmp_path / "pool.csv"),
        columns=Columns(id="id", prediction="said"),
    )
    project = Project(folder=tmp_path / "work")
    open_estimate(project, EstimateRequest(metric="accuracy", budget=ITEMS))
    items = draw_estimate(project, write=False).items
    label(project, [LabelRow(item=i, label=int(int(i) < RIGHT), annotator="a") for i in items])
    return project


def chance_to_pass(plan: Plan) -> float:
    """The share of all samples, with repeats as they are drawn, whose bound reaches the target."""
    samples = list(itertools.product(range(ITEMS), repeat=DRAWS))
    hits = [sum(item < RIGHT for item in sample) for sample in samples]
    passes = {
        n: reaches(
            plan.claim,
            bound(
                "accuracy", Counts(tp=n, fp=DRAWS - n, fn=0, tn=0), design="simple",
                confidence=plan.tested_at, side="lower", method=exact_method(plan.method).bound,
            ).interval,
        )
        for n in range(DRAWS + 1)
    }  # fmt: skip
    return sum(passes[n] for n in hits) / len(samples)


def chance_of_a_false_certificate(project: Project) -> float:
    """Somebody gives up every plan whose draws are unlucky, as long as another one is sealed."""
    unlucky = 1.0
    for _ in range(PLANS):
        try:
            plan = seal_plan(project, REQUEST)
        except PlanError as refusal:
            assert "used up its risk" in str(refusal)
            break
        unlucky *= 1 - chance_to_pass(plan)
        abandon_plan(project, "unlucky draws")
    return 1 - unlucky


def test_plans_given_up_after_their_draws_keep_one_risk(surveyed):
    chance = chance_of_a_false_certificate(surveyed)
    assert 0 < chance <= 0.05 + 1e-12
    assert chance == pytest.approx((RIGHT / ITEMS) ** DRAWS)


def test_draws_that_are_recorded_after_the_seal_only_are_caught(surveyed, monkeypatch):
    monkeypatch.setattr(sealing, "_first_draws", lambda *_: ())
    assert chance_of_a_false_certificate(surveyed) > 0.5


def test_so_is_a_plan_that_takes_a_survey_for_nothing_known(surveyed, monkeypatch):
    monkeypatch.setattr(sealing, "with_known", lambda _project, _state, plan: plan)
    assert chance_of_a_false_certificate(surveyed) > 0.5
