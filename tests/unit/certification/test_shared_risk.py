"""All plans on one claim share one risk: what is carried on, stated, certified and verified."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assaymark.api.certification import Certification
from assaymark.certification.certificate import document
from assaymark.certification.issuing import NotEstablishedError
from assaymark.certification.modes.account import left_for, on_metric, sharers
from assaymark.claims.claim import Claim
from assaymark.claims.ratio_metrics import parse_claim
from assaymark.errors import PlanError
from assaymark.project.folder import Project
from worlds_on_disk import write_labels

RNG = np.random.default_rng(5)
SCORES = RNG.beta(0.5, 1.0, 900)
TRUTH = RNG.random(900) < SCORES  # accuracy 0.79 at a threshold of 0.5
ENDS = {"mode": "fixed", "budget": 60}


def begun(tmp_path: Path) -> Certification:
    return Certification.begin(tmp_path / "work", y_score=SCORES, threshold=0.5)


def label(work: Certification, count: int | None, *, right: bool | None = None) -> None:
    """Label the next items as they are, or so that every prediction is right (or wrong)."""
    for item in work.ask(count):
        place = int(item.id)
        predicted = SCORES[place] >= 0.5
        truth = TRUTH[place] if right is None else predicted == right
        work.tell({item.id: int(truth)})


def closed(work: Certification, claim: str, count: int | None, **options: object) -> None:
    """A plan that was labelled for a while and given up."""
    work.claim(claim, **options)
    label(work, count)
    work.abandon("it goes badly")


def test_a_second_plan_starts_from_what_the_first_left(tmp_path) -> None:
    work = begun(tmp_path)
    closed(work, "accuracy >= 0.8", 30, seed="first")
    second = work.claim("accuracy >= 0.8")
    state = Project(folder=work.folder).state()
    (left,) = left_for(state, sharers(state, second.claim, "claim", before=2), second.claim)
    assert second.earlier == (1,)
    assert float(second.stake.carried) == pytest.approx(left.factor)
    assert float(second.level) == pytest.approx(min(1, 0.05 * left.factor))
    assert second.confidence == 0.95, "what is stated covers both"


@pytest.mark.parametrize("design", ["weighted", "simple"])
def test_draws_that_nobody_labelled_cost_what_the_worst_label_would(tmp_path, design) -> None:
    work = begun(tmp_path)
    work.claim("accuracy >= 0.7", design=design, seed="first")
    label(work, 30)
    work.ask(3)
    work.abandon("the last ones looked bad")
    later = work.claim("accuracy >= 0.7", design=design)
    state = Project(folder=work.folder).state()
    before = state.attempts[0]
    (left,) = left_for(state, [before], later.claim)
    before.draws = before.draws[:30]
    (kept,) = left_for(state, [before], later.claim)
    assert left.pending == 3
    worst = 0.02**3 if design == "weighted" else 0.9
    assert left.factor <= kept.factor * worst


def test_labels_that_come_after_the_closing_do_not_count(tmp_path) -> None:
    work = begun(tmp_path)
    work.claim("accuracy >= 0.7", seed="first")
    label(work, 20)
    late = work.ask(5)
    work.abandon("closed with five open")
    state = Project(folder=work.folder).state()
    before = left_for(state, state.attempts, parse_claim("accuracy >= 0.7"))
    work.tell({item.id: 1 for item in late})
    state = Project(folder=work.folder).state()
    assert left_for(state, state.attempts, parse_claim("accuracy >= 0.7")) == before


def test_a_fixed_plan_that_failed_leaves_nothing_unless_some_was_reserved(tmp_path) -> None:
    work = begun(tmp_path)
    work.claim("accuracy >= 0.95", **ENDS, seed="first", reserve=0.1)
    label(work, None)
    assert work.verdict().decision == "fail"
    assert work.plan.stake.share == "0.9"
    second = work.claim("accuracy >= 0.95", **ENDS)
    assert float(second.stake.carried) == pytest.approx(0.1)
    label(work, None)
    assert work.verdict().decision == "fail"
    with pytest.raises(PlanError, match=r"used up its risk.*certify\(.*bound=True.*new_risk=True"):
        work.claim("accuracy >= 0.95", mode="fixed", budget=40)


def test_a_second_account_states_the_confidence_of_both(tmp_path) -> None:
    work = begun(tmp_path)
    with pytest.raises(PlanError, match="planned before"):
        work.claim("accuracy >= 0.6", new_risk=True)
    work.claim("accuracy >= 0.95", **ENDS, seed="first")
    label(work, None)
    work.verdict()
    plan = work.claim("accuracy >= 0.6", new_risk=True, anyway=True)
    assert (plan.confidence, plan.level, plan.stake.account) == (0.9, "0.05", "claim/2")
    label(work, 80, right=True)
    assert "90% confidence" in str(work.verdict())
    issued = work.certify()
    assert "90%" in issued.statement
    assert "covers all accounts" in (issued.account or "")
    assert work.verify().status == "verified in part"


def test_what_stands_is_certified_without_a_new_plan(tmp_path) -> None:
    work = begun(tmp_path)
    work.claim("accuracy >= 0.95", **ENDS, seed="first")
    label(work, None)
    low = work.verdict().estimate.interval.low
    with pytest.raises(NotEstablishedError, match="as it stands"):
        work.certify()
    issued = work.certify(bound=True)
    assert issued.certificate.claim.target == pytest.approx(low, abs=1e-4)
    assert issued.certificate.claim.target <= low
    assert "the claim was at least 0.95" in issued.statement
    assert work.verify().status == "verified in part"
    assert work.certify(bound=True).hash == issued.hash


def test_nothing_proven_is_not_certified(tmp_path) -> None:
    work = begun(tmp_path)
    work.claim("accuracy >= 0.9", design="simple", seed="first")
    label(work, 4, right=False)
    with pytest.raises(NotEstablishedError, match="no bound to certify"):
        work.certify(bound=True)


def test_a_claim_that_is_proven_needs_no_plan(tmp_path) -> None:
    work = begun(tmp_path)
    work.claim("accuracy >= 0.6", seed="first")
    label(work, 60, right=True)
    assert work.verdict().decision == "pass"
    work.certify()
    with pytest.raises(PlanError, match=r"proven already .* certificate of plan 1 states what is"):
        work.claim("accuracy >= 0.6")


def test_a_later_plan_states_nothing_beyond_its_claim(tmp_path) -> None:
    work = begun(tmp_path)
    closed(work, "accuracy >= 0.6", 10, design="simple", seed="first")
    work.claim("accuracy >= 0.6", design="simple")
    label(work, 120, right=True)
    seen = work.verdict()
    assert (seen.decision, seen.estimate.interval.low) == ("pass", 0.6)


def test_the_certificate_lists_what_every_plan_left(tmp_path) -> None:
    work = begun(tmp_path)
    closed(work, "accuracy >= 0.6", 15, seed="first")
    work.claim("accuracy >= 0.6")
    label(work, 120, right=True)
    assert work.verdict().decision == "pass"
    facts = document(work.certify().certificate)
    account, (first,) = facts["account"], facts["earlier"]
    assert first["mode"] == "anytime"
    assert first["pending"] == 0
    assert float(first["factor"]) == pytest.approx(float(account["before"]), rel=1e-5)
    assert float(account["after"]) >= 20 * (1 - 1e-5)
    found = work.verify()
    assert found.account == "Plan 2 on this claim; the 95% covers all of them together"
    assert {"risk": "ok"}.items() <= {check.name: check.outcome for check in found.checks}.items()


def test_a_certificate_that_takes_more_than_was_left_does_not_verify(tmp_path) -> None:
    work = begun(tmp_path)
    closed(work, "accuracy >= 0.6", 15, seed="first")
    work.claim("accuracy >= 0.6")
    label(work, 120, right=True)
    place = work.certify().path
    told = json.loads(place.read_text())
    told["plan"]["risk"]["level"] = "0.05"
    place.write_text(json.dumps(told))
    assert work.verify().status == "failed"


def test_a_correction_in_an_earlier_plan_changes_what_is_left(tmp_path) -> None:
    work = begun(tmp_path)
    work.claim("accuracy >= 0.7", design="simple", seed="first")
    items = work.ask(25)
    right = {item.id: int(SCORES[int(item.id)] >= 0.5) for item in items}
    work.tell(right)
    work.abandon("enough")
    later = work.claim("accuracy >= 0.7", mode="fixed", budget=60)
    label(work, None, right=True)
    assert float(later.level) == 0.05, "a plan that ends never runs above the risk"
    work.tell({item: 1 - value for item, value in right.items()}, correct=True)
    with pytest.raises(PlanError, match="superseded"):
        work.verdict()


def test_a_seed_of_ones_own_choice_is_for_the_first_plan(tmp_path) -> None:
    work = begun(tmp_path)
    closed(work, "accuracy >= 0.8", 10, seed="first")
    for claim in ("accuracy >= 0.8", "recall >= 0.5"):
        with pytest.raises(PlanError, match="items whose labels help"):
            work.claim(claim, seed="a lucky one")


def test_an_easier_claim_after_a_claim_only_plan_has_nearly_all_of_the_risk(tmp_path) -> None:
    levels = {}
    for only in (False, True):
        work = Certification.begin(tmp_path / str(only), y_score=SCORES, threshold=0.5)
        work.claim("accuracy >= 0.9", mode="fixed", budget=150, claim_only=only, seed="first")
        label(work, None)
        assert work.verdict().decision == "fail"
        if only:
            assert work.verdict().estimate.interval.low == 0, "no bound is stated"
            levels[only] = float(work.claim("accuracy >= 0.82", **ENDS).level)
        else:
            with pytest.raises(PlanError, match="used up"):
                work.claim("accuracy >= 0.82", **ENDS)
    assert 0.045 < levels[True] <= 0.05


@pytest.mark.parametrize(
    ("claim", "name", "row"),
    [
        ("jaccard >= 0.5", "f1", ("lower", 2 / 3)),
        ("f1 >= 0.5", "jaccard", ("lower", 1 / 3)),
        ("elusion <= 0.1", "npv", ("lower", 0.9)),
        ("recall >= 0.5", "precision", None),
    ],
)
def test_metrics_that_say_the_same_share_an_account(claim, name, row) -> None:
    found = on_metric(parse_claim(claim), name)
    assert found == (None if row is None else (row[0], pytest.approx(row[1])))


def test_the_command_line_says_it_on_every_page(
    assaymark: Callable, project, world, tmp_path
) -> None:
    assaymark("plan", "f1 >= 0.8", "--seed", "s", "-p", project)
    assaymark("draw", "2", "-p", project)
    assaymark("plan", "--abandon", "again", "-p", project)
    sealed = assaymark("plan", "f1 >= 0.8", "-p", project)
    assert "Plan 2 on this claim; the 95% covers all of them together" in sealed.out
    assert "Earlier plans left" in sealed.out
    items = assaymark("draw", "60", "-p", project, "--json").json["items"]
    write_labels(tmp_path / "l.csv", {item: world.truth[item] for item in items})
    assaymark("label", tmp_path / "l.csv", "-p", project)
    assert "covers all of them together" in assaymark("look", "-p", project).out
    told = assaymark("certify", "--bound", "-p", project)
    assert told.code in (0, 1)


def test_the_account_of_a_claim_is_not_that_of_another(tmp_path) -> None:
    work = begun(tmp_path)
    closed(work, "accuracy >= 0.8", 10, seed="first")
    other = work.claim("recall >= 0.5")
    assert (other.earlier, other.level) == ((), "0.05")
    assert isinstance(other.claim, Claim)


@pytest.mark.parametrize("plan", [0, 1])
def test_a_changed_label_of_any_plan_in_the_account_supersedes_the_certificate(
    tmp_path, plan
) -> None:
    work = begun(tmp_path)
    closed(work, "accuracy >= 0.6", 15, seed="first")
    work.claim("accuracy >= 0.6")
    label(work, 120, right=True)
    work.certify()
    state = Project(folder=work.folder).state()
    item = state.attempts[plan].order[3]
    work.tell({int(item): 1 - int(state.label(item) or 0)}, correct=True)
    found = {check.name: check.detail for check in work.verify().checks}
    assert found["labels"].startswith("superseded")
