"""Chances of an estimate renewed from its labels: sealed where, stored, recomputed, never steered."""

import json
from dataclasses import replace

import numpy as np
import pytest

import assaymark as package
from assaymark.claims.claim import Claim
from assaymark.errors import PlanError, VerificationError
from assaymark.estimation.estimate import EstimateDesign
from assaymark.estimation.renewal import chances_of_draws, renewals
from assaymark.estimation.stats.rank_strata import fixed_chances
from assaymark.estimation.stats.renewed_chances import (
    believed_rates,
    renewal_draws,
    renewed_chances,
)
from assaymark.estimation.survey import design_of
from assaymark.estimation.verification import redraw_estimates, redraw_items
from assaymark.lab.experiments.estimate_errors.estimators import Question, Samples, renewed_draws
from assaymark.lab.worlds import Sketch, cut_world, make_world
from assaymark.ledger.events import SurveyDrawn, SurveyOpened, check_story
from assaymark.project.folder import Project
from assaymark.stats.rehearsal.beliefs import ManyBeliefs
from assaymark.stats.score_guided.beliefs import Experts
from assaymark.stats.score_guided.supermartingale import Stratum
from worlds_on_disk import write_csv, write_labels

PLAN = ("plan", "--estimate", "f1", "--allocation", "renewed", "--budget", 60, "--seed", "s")
STRATA = (
    Stratum(predicted=True, size=300, mean_score=0.9),
    Stratum(predicted=False, size=700, mean_score=0.3),
    Stratum(predicted=False, size=9000, mean_score=0.05),
)


def label_items(assaymark, project, tmp_path, truths):
    return assaymark("label", write_labels(tmp_path / "l.csv", truths), "-p", project)


def take(assaymark, project, world, tmp_path, *counts):
    """Draw and label in these portions; without any, as they are handed out."""
    for count in counts or (None, None, None):
        asked = () if count is None else (count,)
        drawn = assaymark("draw", *asked, "-p", project, "--json")
        assert drawn.code == 0, drawn.err
        label_items(assaymark, project, tmp_path, {i: world.truth[i] for i in drawn.json["items"]})
    (work,) = Project(folder=project).state().surveys
    return work


# when, and from what


def test_chances_are_renewed_at_a_quarter_and_at_half_of_the_labels():
    assert renewal_draws(201) == (50, 100)


def test_draws_follow_what_the_labels_say():
    """Nothing where the scores promised much, and half of the sure ones positive: draws go there."""
    draws = np.repeat([0, 1, 2], [15, 20, 15])
    labels = np.concatenate([np.ones(15), np.zeros(20), [1, 0] * 7, [1]]).astype(int)
    before = fixed_chances("f1", STRATA)
    after = renewed_chances("f1", STRATA, draws, labels, ends=(50,), planned=200)
    assert after.sum() == pytest.approx(1)
    assert after.min() > 0.005
    assert after[2] > before[2]
    assert after[1] < before[1]
    rates = believed_rates(STRATA, draws, labels, ends=(50,))
    assert rates[2] > 5 * STRATA[2].mean_score


def test_later_labels_and_those_nobody_could_tell_say_nothing():
    rng = np.random.default_rng(3)
    draws, labels = rng.integers(0, 3, 100), rng.integers(0, 2, 100)
    other = labels.copy()
    other[50:] = 1 - other[50:]
    first, second = (
        renewed_chances("f1", STRATA, draws, said, ends=(50,), planned=200)
        for said in (labels, other)
    )
    assert np.array_equal(first, second)
    nobody = np.full(100, -1)
    assert believed_rates(STRATA, draws, nobody, ends=(50,)) == pytest.approx(
        believed_rates(STRATA, draws[:0], labels[:0], ends=())
    )


def test_the_lab_renews_as_the_product_does():
    world = make_world(Sketch(items=3000, prevalence=0.1, f1=0.7), np.random.default_rng(42))
    cut = cut_world(world, Claim(metric="f1", side="lower", target=0.5))
    draws = renewed_draws("f1", cut, 200, np.random.default_rng(1))
    many = Samples(Question(world=world, metric="f1", labels=200, runs=1))
    beliefs = ManyBeliefs(many.scores, runs=1, strata=len(many.size), experts=Experts())
    for first, stop in ((0, 50), (50, 100)):
        here, said = draws.strata[first:stop], draws.labels[first:stop]
        taken = np.bincount(here, minlength=len(many.size))
        hits = np.bincount(here, weights=said, minlength=len(many.size))
        many.taken = many.taken + taken
        beliefs.learn(np.arange(1), taken[None].astype(float), hits[None])
        again = many.renewed(beliefs.rates(np.arange(1)))[0]
        assert draws.sampling[stop] == pytest.approx(again, rel=1e-6)
        assert not np.allclose(draws.sampling[stop], draws.sampling[stop - 1])


# in a project


def test_the_next_items_wait_for_the_labels_they_are_chosen_by(assaymark, world, project, tmp_path):
    planned = assaymark(*PLAN, "-p", project)
    assert "15 items, then 15 and 30 more, chosen by what the labels before them say" in planned.out
    shown = assaymark("draw", "-p", project)
    assert "45 more, chosen by the labels of these: draw when they are in" in shown.out
    state = Project(folder=project).state()
    first = state.surveys[0].order
    assert len(first) == 15
    label_items(assaymark, project, tmp_path, {item: world.truth[item] for item in first[:-1]})
    refused = assaymark("draw", "-p", project)
    assert refused.code == 2
    assert "1 item of them has no settled label yet" in refused.err
    assert first[-1] in refused.err
    assert "Next: assaymark draw" in label_items(assaymark, project, tmp_path, {first[-1]: "?"}).out
    assert len(assaymark("draw", "-p", project, "--json").json["items"]) == 15


def test_however_they_are_taken_the_items_are_the_same(assaymark, world, project, tmp_path):
    assaymark(*PLAN, "-p", project)
    twin = tmp_path / "twin"
    assert assaymark("backup", "-o", tmp_path / "b.tar.gz", "-p", project).code == 0
    assert assaymark("restore", tmp_path / "b.tar.gz", twin).code == 0
    whole = take(assaymark, project, world, tmp_path)
    pieces = take(assaymark, twin, world, tmp_path, 4, 11, 3, 20, 1, 40)
    assert whole.order == pieces.order[:60]
    assert [one.first for one in renewals(whole)] == [16, 31]
    assert [one.chances for one in renewals(whole)] == [one.chances for one in renewals(pieces)]
    assert len({tuple(row) for row in chances_of_draws(design_of(whole), whole, 60)}) == 3


def test_known_labels_let_the_draw_go_on_at_once(assaymark, world, project, tmp_path):
    assaymark(*PLAN, "-p", project)
    first = take(assaymark, project, world, tmp_path)
    label_items(assaymark, project, tmp_path, dict(world.truth))
    again = assaymark(*PLAN[:-1], "other", "-p", project)
    assert again.code == 0
    known = {item for item in world.truth if Project(folder=project).state().labelled(item)}
    assert known >= set(first.order)
    drawn = assaymark("draw", "-p", project, "--json").json
    assert drawn["held"] in (45, 30, 0)


def test_without_asking_all_items_come_at_once(assaymark, project):
    planned = assaymark("plan", "--estimate", "f1", "--budget", 60, "-p", project, "--json").json
    assert planned["renew"] is None
    assert planned["allocation"] == "chances"
    drawn = assaymark("draw", "-p", project, "--json").json
    assert (len(drawn["items"]), drawn["held"]) == (60, 0)


@pytest.mark.parametrize(
    ("metric", "budget", "words"),
    [("elusion", 60, "'allocation' must be"), ("f1", 39, "renewed from 40 labels on")],
)
def test_it_is_offered_only_where_it_was_measured(metric, budget, words, assaymark, project):
    asked = ("--estimate", metric, "--budget", budget, "--allocation", "renewed")
    refused = assaymark("plan", *asked, "-p", project)
    assert refused.code == 2
    assert words in refused.err


def test_an_estimate_planned_before_is_read_as_it_was():
    """The field is absent in designs from before: chances stay those of the plan."""
    shape = {
        "metric": "f1", "sampling": "random", "strata": [], "stratifier": "rank",
        "allocation": "chances", "confidence": 0.95, "labels": 200, "within": None,
    }  # fmt: skip
    assert EstimateDesign.from_dict(shape).renew is None


# checked


@pytest.fixture
def done(assaymark, world, project, tmp_path):
    assaymark(*PLAN, "-p", project)
    take(assaymark, project, world, tmp_path)
    return project


def test_check_recomputes_strata_and_chances(assaymark, done):
    assert "the parts of 60 draws recomputed from the seed, chances at 2 renewals" in assaymark(
        "check", "-p", done
    ).out.replace("\n", " ")


def changed(entries, number, **fields):
    """The entries with the SurveyDrawn of this batch replaced."""
    return [
        replace(one, body=replace(one.event, **fields).body())
        if isinstance(one.event, SurveyDrawn) and one.event.batch == number
        else one
        for one in entries
    ]


def test_forged_chances_and_strata_are_found(done):
    entries = Project(folder=done).ledger.entries()
    assert redraw_estimates(entries).renewals == 2
    batch = next(
        e.event for e in entries if isinstance(e.event, SurveyDrawn) and e.event.batch == 2
    )
    (renewal,) = batch.renewed
    turned = tuple(reversed(renewal.chances))
    with pytest.raises(VerificationError, match="chances from draw 16 on do not follow"):
        redraw_estimates(changed(entries, 2, renewed=(replace(renewal, chances=turned),)))
    with pytest.raises(VerificationError, match="chances from draw 16 on do not follow"):
        redraw_estimates(changed(entries, 2, renewed=None))
    with pytest.raises(VerificationError, match="drawn from the parts"):
        redraw_estimates(changed(entries, 2, items=batch.items[::-1]))
    with pytest.raises(VerificationError, match="where the design does not"):
        redraw_estimates(changed(entries, 1, renewed=(replace(renewal, first=2),)))
    other = "".join("10?"["01?".index(one)] for one in renewal.outcomes)
    with pytest.raises(VerificationError):
        check_story(changed(entries, 2, renewed=(replace(renewal, outcomes=other),)))


def test_an_item_that_was_passed_over_is_found_with_the_pool(done):
    """Its ticket was the next of its part, and another item of that part was taken instead."""
    project = Project(folder=done)
    entries = project.ledger.entries()
    ((work, pool),) = redraw_estimates(entries).estimates
    assert redraw_items(project, work, pool) == 60
    batch = next(
        e.event for e in entries if isinstance(e.event, SurveyDrawn) and e.event.batch == 3
    )
    last = batch.items[-1]
    name = next(name for name in (f"doc-{n:05d}" for n in range(2000)) if name not in work.cells)
    forged = (*batch.items[:-1], replace(last, id=name))
    ((other, _),) = redraw_estimates(changed(entries, 3, items=forged)).estimates
    with pytest.raises(VerificationError, match=f"{name!r} is not the item that the seed"):
        redraw_items(project, other, pool)


@pytest.mark.parametrize("options", [("f1",), ("accuracy", "--allocation", "optimal-steps")])
def test_check_recomputes_the_items_of_estimates(assaymark, project, world, tmp_path, options):
    plan = ("plan", "--budget", 40, "--seed", "s", "--estimate", *options)
    assert assaymark(*plan, "-p", project).code == 0
    assert assaymark("draw", 7, "-p", project).code == 0
    checks = {
        one["name"]: one for one in assaymark("check", "-p", project, "--json").json["checks"]
    }
    expected = "all 7 recomputed from the seed and the pool, none passed over"
    assert checks["items of estimates"]["detail"] == expected
    world.path.rename(tmp_path / "elsewhere.csv")
    checks = {
        one["name"]: one for one in assaymark("check", "-p", project, "--json").json["checks"]
    }
    assert checks["items of estimates"]["outcome"] == "not checked"
    assert "only it can tell" in checks["items of estimates"]["detail"]


def test_a_label_corrected_later_leaves_the_chances_and_is_told(assaymark, done, world, tmp_path):
    (work,) = Project(folder=done).state().surveys
    item = work.order[3]
    labels = write_labels(tmp_path / "c.csv", {item: 1 - world.truth[item]})
    assert assaymark("label", labels, "--correct", "-p", done).code == 0
    (after,) = Project(folder=done).state().surveys
    assert renewals(after) == renewals(work)
    shown = assaymark("estimate", "-p", done).out.replace("\n", " ")
    assert "1 label was changed after later items had been chosen by it" in shown
    assert "chances renewed from the labels after draws 15 and 30" in shown
    assert assaymark("check", "-p", done).code == 0


def test_labels_changed_between_two_renewals_are_counted(assaymark, project, world, tmp_path):
    """False labels choose the second portion and are put right before the third is chosen."""
    assaymark(*PLAN, "-p", project)
    false = write_labels(tmp_path / "f.csv", {i: 1 - label for i, label in world.truth.items()})
    truth = write_labels(tmp_path / "t.csv", world.truth)
    for step in (("draw",), ("label", false), ("draw",), ("label", truth, "--correct"), ("draw",)):
        assert assaymark(*step, "-p", project).code == 0
    assert assaymark("label", truth, "-p", project).code == 0
    shown = assaymark("estimate", "-p", project).out.replace("\n", " ")
    assert "15 labels were changed after later items had been chosen by them" in shown


def test_parts_of_another_size_are_found(done):
    entries = list(Project(folder=done).ledger.entries())
    opened = next(e for e in entries if isinstance(e.event, SurveyOpened))
    settings = json.loads(json.dumps(opened.event.survey.settings))
    stratum = settings["design"]["strata"][-1]
    stratum["items"] //= 2
    stratum["parts"][0]["items"] //= 2
    survey = replace(opened.event.survey, settings=settings)
    forged = replace(opened, body=replace(opened.event, survey=survey).body())
    with pytest.raises(VerificationError, match="not what the collection has"):
        redraw_estimates([forged if e is opened else e for e in entries])


# Python


def test_python_asks_in_portions(world, tmp_path):
    write_csv(
        tmp_path / "pool.csv",
        ["id", "score"],
        ((item, world.scores[item]) for item in world.scores),
    )
    begin = {"allocation": "renewed", "metric": "recall", "budget": 60, "seed": 1, "id": "id", "score": "score", "threshold": 0.5}  # fmt: skip
    work = package.estimate(tmp_path / "pool.csv", **begin)
    assert len(work.ask()) == 15
    with pytest.raises(PlanError, match="15 items of them have no settled label yet"):
        work.ask()
    found = work.run(lambda item: world.truth[item.id])
    assert found.labels == 60
    at_once = package.estimate(tmp_path / "pool.csv", **{**begin, "allocation": None})
    assert len(at_once.ask()) == 60
