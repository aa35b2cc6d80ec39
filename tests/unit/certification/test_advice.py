"""Advice never misleads: forecasts, what is recommended, claims asked back, what holds work up."""

import importlib
import json
import re

import numpy as np
import pytest

import assaymark as front_door
from assaymark.certification.planning.forecast import recommend
from assaymark.certification.sealing import PlanRequest, forecast_plan, seal_plan
from assaymark.claims.claim import Claim
from assaymark.claims.direction import usual_side, wrong_way
from assaymark.claims.ratio_metrics import NUMERATORS, parse_claim
from assaymark.claims.results import ModeForecast
from assaymark.errors import InputError, PlanError
from assaymark.labelling.blocking import blocking_items
from assaymark.labelling.overdue import count_as_unclear, overdue
from assaymark.project.folder import Project
from assaymark.records.plan import Expectation
from worlds_on_disk import write_labels


def drawn(assaymark, project, tmp_path, count=20):
    """A score-guided plan with one batch; the ids in the order of the batch's file."""
    assert assaymark("plan", "f1 >= 0.6", "--seed", "s", "-p", project).code == 0
    answer = assaymark("draw", count, "-p", project, "-o", tmp_path / "b.csv", "--json")
    return answer.json["items"]


# forecasts


def test_an_expected_value_on_the_target_is_refused_not_computed(assaymark, project) -> None:
    """It used to print a chance of 0.0000 or 1.0000 and 284,358,587,162,483,584 labels."""
    for command in (
        ("size", "recall >= 0.8", "--expect", 0.8, "--prevalence", 0.1),
        ("plan", "recall >= 0.8", "--expect", 0.8, "-p", project),
    ):
        answer = assaymark(*command)
        assert answer.code == 2
        assert "which is the target itself" in answer.err


@pytest.mark.parametrize("mode", [(), ("--mode", "score-guided"), ("--mode", "fixed"), ("--mode", "budget")])  # fmt: skip
def test_a_claim_that_one_expects_to_be_false_is_refused_in_every_mode(
    assaymark, project, mode
) -> None:
    """One behaviour where there were three: sealed, refused in fixed mode, blocked on the page."""
    answer = assaymark("plan", "f1 >= 0.9", "--expect", 0.7, *mode, "-p", project)
    assert answer.code == 2
    assert "You expect F1 0.7, below the target of 0.9" in answer.err
    assert "--anyway" in answer.err
    assert assaymark("status", "-p", project, "--json").json["claim"] is None


@pytest.mark.parametrize("more", [("--forecast",), ()])
def test_raw_scores_that_speak_against_a_claim_name_its_price(assaymark, project, more) -> None:
    """It was sealed without a price: what the scores imply, what it would cost and what to do is said."""
    shown = assaymark("plan", "f1 >= 0.9", *more, "-p", project)
    assert shown.code == 0
    assert "Judging by the raw scores the claim looks false: F1 would be 0.7" in shown.out
    assert "What it would cost if F1 is 0.95:" in shown.out
    for way in ("plan --estimate f1 --budget 100", "--expect 0.95", 'plan "f1 >= 0.66"'):
        assert way in shown.out
    assert "score-guided" in shown.out


def test_what_an_estimate_found_is_what_the_next_plan_expects(
    assaymark, project, world, tmp_path
) -> None:
    """It went on to judge by the raw scores, as if nothing had been labelled."""
    assaymark("plan", "--estimate", "f1", "--budget", 120, "-p", project)
    items = assaymark("draw", "-p", project, "--json").json["items"]
    labels = write_labels(tmp_path / "l.csv", {item: world.truth[item] for item in items})
    assaymark("label", labels, "-p", project)
    read = assaymark("estimate", "-p", project)
    figures = assaymark("estimate", "-p", project, "--json").json["f1"]
    low, point = figures["low"], figures["point"]
    advised = float(re.search(r'assaymark plan "f1 >= (0\.\d+)"', read.out)[1])
    assert advised <= (low + point) / 2  # 0.05 below the estimate was advised, however wide it was
    cost = assaymark("plan", "f1 >= 0.5", "--forecast", "-p", project)
    assert "judging by the labels bought so far" in cost.out
    for target, doubtful in ((low - 0.01, False), ((low + point) / 2, True)):
        cost = assaymark("plan", f"f1 >= {target:.4f}", "--forecast", "-p", project)
        said = " is possible: it may take many more labels, or be false" in cost.out
        assert said is doubtful


@pytest.mark.parametrize("claim", ["elusion <= 0.002", "precision >= 0.95", "f1 >= 0.9"])
def test_a_claim_that_looks_false_is_sealed_in_the_mode_that_is_recommended(
    claim, assaymark, project
) -> None:
    """A plan was marked under a table that recommended another one: "budget", for elusion."""
    shown = assaymark("plan", claim, "-p", project).out
    marked = [line.split()[0] for line in shown.splitlines() if line.endswith("this plan")]
    assert "the claim looks false" in shown
    assert re.findall(r"recommended: (\S+),", shown) == marked == ["score-guided"]


@pytest.mark.parametrize(
    ("claim", "advised"),
    [
        ("recall >= 0.8", "--expect 0.9)"),
        ("recall >= 0.99", "--expect 0.995)"),
        ("recall >= 0.9999", "--expect 0.99995)"),
        ("elusion <= 0.002", "--expect 0.001)"),
    ],
)
def test_the_advised_expectation_is_one_that_is_taken(claim, advised, assaymark, project) -> None:
    """0.99 and 1 were advised for targets of 0.99 and 0.9999: one is refused, one is certainty."""
    answer = assaymark("plan", claim, "--pilot", "50,50,50,850", "--forecast", "-p", project)
    assert advised in answer.out + answer.err
    given = advised.removeprefix("--expect ").removesuffix(")")
    assert assaymark("plan", claim, "--expect", given, "--forecast", "-p", project).code == 0


def test_the_cost_table_marks_the_plan_that_is_sealed(assaymark, project) -> None:
    answer = assaymark("plan", "precision >= 0.6", "--expect", 0.8, "-p", project)
    marked = [line for line in answer.out.splitlines() if line.endswith("this plan")]
    assert len(marked) == 1
    sealed = assaymark("status", "-p", project)
    assert sealed.code == 0
    name = marked[0].split()[0]
    assert f"recommended: {name}" in answer.out
    for word in ("information limit", "next 50 sizes", "elusion floor", "seal "):
        assert word not in answer.out


def test_the_recommended_mode_is_sealed_where_none_is_asked_for(assaymark, project) -> None:
    found = assaymark("plan", "precision >= 0.6", "--expect", 0.8, "-p", project, "--json").json
    names = {"weighted": "score-guided", "simple": found["mode"]}
    assert names[found["design"]] == found["forecast"]["recommended"]


def test_by_raw_scores_only_a_mode_without_an_end_is_recommended() -> None:
    modes = {"budget": ModeForecast(expected=98.0), "score-guided": ModeForecast(expected=130.0)}
    assert recommend(modes)[0] == "budget"
    name, why = recommend(modes, "scores")
    assert name == "score-guided"
    assert "cannot end it too early" in (why or "")


@pytest.mark.parametrize(
    ("claim", "options"),
    [
        ("accuracy >= 0.6", {}),
        ("accuracy >= 0.6", {"mode": "anytime", "design": "simple"}),
        (
            "recall >= 0.6",
            {"mode": "score-guided", "expectation": Expectation(recall=0.8, precision=0.8)},
        ),
    ],
)
def test_sealing_works_out_no_row_that_it_has_no_use_for(
    claim, options, project, monkeypatch
) -> None:
    """The row of the budget took seconds, and neither scores nor a mode that is given ask for it."""
    forecasting = importlib.import_module("assaymark.certification.planning.forecast")
    simple = importlib.import_module("assaymark.certification.planning.simple_forecast")
    told = forecast_plan(Project(folder=project), PlanRequest(claim=parse_claim(claim), **options))
    monkeypatch.setattr(simple, "budget_forecast", None)
    forecasting.forecast.cache_clear()
    plan = seal_plan(Project(folder=project), PlanRequest(claim=parse_claim(claim), **options))
    assert "budget" in told.modes
    assert plan.kind.name == told.recommended or options


def test_labels_bought_before_are_used_for_the_next_forecast() -> None:
    """Perfect scores that promise too much: the labels of the first plan say otherwise."""
    rng = np.random.default_rng(1)
    score = np.where(rng.random(600) < 0.3, 0.95, 0.02)
    truth = np.where(score > 0.5, rng.random(600) < 0.5, rng.random(600) < 0.05)
    work = front_door.certify(
        y_score=score,
        threshold=0.5,
        claim="accuracy >= 0.95",
        seed=1,
        design="simple",
        mode="anytime",
    )
    items = work.ask(150)
    work.tell([(item.id, int(truth[item.id])) for item in items])
    work.abandon("another claim")
    cost = work.forecast("f1 >= 0.8")
    assert cost.basis == "labels"
    assert cost.value < 0.8
    assert "labels bought so far" in (cost.looks_false or "")
    with pytest.raises(PlanError, match="looks false"):
        work.claim("f1 >= 0.8")


def test_reading_everything_is_an_answer() -> None:
    score = np.linspace(0.01, 0.99, 80)
    work = front_door.certify(y_score=score, threshold=0.5)
    cost = work.forecast("f1 >= 0.75", expect=0.8)
    assert cost.read_all == 80


# claims asked back


@pytest.mark.parametrize("claim", ["elusion >= 0.01", "recall <= 0.9"])
def test_a_claim_that_points_the_wrong_way_is_asked_back(assaymark, project, claim) -> None:
    for command in (("plan", claim, "--forecast", "-p", project), ("plan", claim, "-p", project)):
        answer = assaymark(*command)
        assert answer.code == 2
        assert "Did you mean" in answer.err
    with pytest.raises(InputError, match="Did you mean"):
        front_door.Certification(project).claim(claim)
    assert assaymark("plan", claim, "--anyway", "--mode", "anytime", "-p", project).code == 0


def test_every_metric_has_a_usual_side() -> None:
    for name in ("f1", "f2", *NUMERATORS):
        side = usual_side(name)
        if side is not None:
            assert wrong_way(Claim(metric=name, side=side, target=0.5)) is None
            other = "upper" if side == "lower" else "lower"
            assert wrong_way(Claim(metric=name, side=other, target=0.5)) is not None


@pytest.mark.parametrize("words", [("recall",), ("recall", "0.8")])
def test_an_unquoted_claim_is_recognised(assaymark, project, words) -> None:
    answer = assaymark("plan", *words, "-p", project)
    assert answer.code == 2
    assert "quotation marks" in answer.err
    assert ("has no target" in answer.err) == (len(words) == 1)  # then nobody knows what was typed
    assert 'assaymark plan "recall >= 0.8"' in answer.err


def test_per_cent_is_understood_where_a_share_is_asked_for(assaymark, project) -> None:
    shares = [
        assaymark("plan", "f1 >= 60%", "--expect", text, "--forecast", "-p", project)
        for text in ("0.8", "80%", "80 %")
    ]
    assert {answer.code for answer in shares} == {0}
    assert len({answer.out for answer in shares}) == 1
    refused = assaymark("plan", "f1 >= 0.6", "--expect", "much", "--forecast", "-p", project)
    assert refused.code == 2
    assert "'much' is not a number. Write 0.8 or 80%." in refused.err


def test_a_claim_in_several_words_is_one_claim(assaymark, project) -> None:
    answer = assaymark("plan", "f1", ">=", "0.6", "--forecast", "-p", project)
    assert answer.code == 0, answer.err


def test_init_says_what_the_project_cannot_do(assaymark, world, tmp_path) -> None:
    answer = assaymark(
        "init", tmp_path / "w", "--pool", world.path, "--id", "id", "--score", "score"
    )
    assert "No text column was named" in answer.out
    assert "Scores without a cut-off predict nothing" in answer.out
    assert "checksum of the collection" in answer.out


# what holds the work up


def test_one_undecided_item_is_named_everywhere_and_settled_next(
    assaymark, project, world, tmp_path
) -> None:
    """1,353 labels without effect while every command said "Next: draw"."""
    items = drawn(assaymark, project, tmp_path)
    truth = {item: world.truth[item] for item in items}
    write_labels(tmp_path / "a.csv", {i: truth[i] for i in items[1:]})
    told = assaymark("label", tmp_path / "a.csv", "-p", project)
    sentence = f"19 labels do not count yet because item {items[0]} has no label."
    assert sentence in told.out
    for command in ("look", "status"):
        shown = assaymark(command, "-p", project).out
        assert sentence in shown
        assert "Next: " in shown
        assert "draw --pending" in shown.split("Next: ")[1]
    refused = assaymark("draw", 5, "-p", project)
    assert refused.code == 2
    assert sentence in refused.err
    assert "--anyway" in refused.err
    assert assaymark("draw", 5, "--anyway", "-o", tmp_path / "c.csv", "-p", project).code == 0
    with pytest.warns(UserWarning, match="do not count yet"):
        front_door.Certification(project).ask(2)


def test_a_disagreement_is_decided_with_the_items_that_nobody_answered(
    assaymark, project, world, tmp_path
) -> None:
    items = drawn(assaymark, project, tmp_path)
    write_labels(tmp_path / "a.csv", {i: world.truth[i] for i in items[1:]})
    assaymark("label", tmp_path / "a.csv", "--annotator", "ann", "-p", project)
    write_labels(tmp_path / "b2.csv", {items[1]: 1 - world.truth[items[1]]})
    told = assaymark("label", tmp_path / "b2.csv", "--annotator", "bob", "-p", project)
    assert f"item {items[1]} is undecided (reviewers differ)" in told.out
    assert f"Next: decide them: assaymark draw --pending -p {project}\n" in told.out
    written = assaymark("draw", "--pending", "-o", tmp_path / "open.csv", "-p", project).out
    assert f"assaymark label {tmp_path / 'open.csv'} --adjudicate -p {project}\n" in written
    both = {items[0]: 1, items[1]: 1}
    write_labels(tmp_path / "d.csv", both)
    done = assaymark("label", tmp_path / "d.csv", "--adjudicate", "--annotator", "lead", "-p", project, "--json")  # fmt: skip
    assert (done.json["recorded"], done.json["adjudicated"]) == (1, 1)
    assert done.json["blocking"] is None


def test_items_of_somebody_who_is_away_count_against_the_claim_after_a_time(
    assaymark, project, world, tmp_path
) -> None:
    items = drawn(assaymark, project, tmp_path)
    write_labels(tmp_path / "a.csv", {i: world.truth[i] for i in items[1:]})
    assaymark("label", tmp_path / "a.csv", "-p", project)
    work = front_door.Certification(project).project
    assert overdue(work, 14).items == ()
    with pytest.raises(PlanError, match="No drawn item"):
        count_as_unclear(work, 14, annotator="lead")
    asked = assaymark("label", "--overdue", 0, "--annotator", "lead", "-p", project)
    assert asked.code == 2
    assert "counted against the claim" in asked.err
    done = assaymark("label", "--overdue", 0, "--yes", "--annotator", "lead", "-p", project, "--json")  # fmt: skip
    assert json.loads(done.out)["items"] == [items[0]]
    look = assaymark("look", "-p", project, "--json").json
    assert (look["labels"], look["skipped"], look["blocking"]) == (20, 1, None)


def test_nothing_is_blocking_while_a_batch_is_labelled_in_order(
    assaymark, project, world, tmp_path
) -> None:
    items = drawn(assaymark, project, tmp_path)
    state = front_door.Certification(project).project.state()
    order = state.attempt.order
    write_labels(tmp_path / "a.csv", {i: world.truth[i] for i in order[:7]})
    assaymark("label", tmp_path / "a.csv", "-p", project)
    assert blocking_items(front_door.Certification(project).project.state()) is None
    assert len(items) == 20


def test_a_forecast_for_a_pool_without_predictions_names_what_is_missing(
    assaymark, tmp_path
) -> None:
    (tmp_path / "pool.csv").write_text("id,score\n" + "".join(f"{i},0.{i}\n" for i in range(1, 9)))
    assaymark(
        "init", tmp_path / "w", "--pool", tmp_path / "pool.csv", "--id", "id", "--score", "score"
    )
    for more in (["--forecast"], ["--expect", "0.8"]):
        answer = assaymark("plan", "recall >= 0.5", *more, "-p", tmp_path / "w")
        assert answer.code == 2
        assert "A claim about recall needs predictions" in answer.err


def test_the_row_of_the_plan_names_the_budget_that_is_sealed(assaymark, project) -> None:
    plan = ("plan", "accuracy >= 0.5", "--mode", "fixed", "--budget", 90, "-p", project)
    assert "this plan, with 90 labels" in assaymark(*plan).out


def test_a_budget_below_the_forecast_is_not_given_its_chance_to_pass(assaymark, project) -> None:
    plan = ("plan", "accuracy >= 0.5", "--mode", "fixed", "--budget", 4, "-p", project)
    row = next(line for line in assaymark(*plan).out.splitlines() if line.startswith("  fixed"))
    assert row.endswith("but this plan buys only 4 labels, and passes less often")


def test_drawn_items_are_labelled_before_more_are_drawn(assaymark, project, tmp_path) -> None:
    assaymark("plan", "f1 >= 0.8", "--mode", "anytime", "--anyway", "-p", project)
    assaymark("draw", 5, "-o", tmp_path / "b.csv", "-p", project)
    assert "Next: label the 5 drawn items without a label" in assaymark("look", "-p", project).out


# labels ahead


def test_status_after_a_look_asks_for_more_labels_not_for_the_same_look(
    assaymark, project, world, tmp_path
) -> None:
    """`look` said to draw, and `status` said to look, for ever."""
    assaymark("plan", "f1 >= 0.8", "--seed", "s", "--anyway", "-p", project)
    items = assaymark("draw", 12, "-o", tmp_path / "b.csv", "-p", project, "--json").json["items"]
    labels = write_labels(tmp_path / "l.csv", {item: world.truth[item] for item in items})
    assaymark("label", labels, "-p", project)
    assert "Next: assaymark look" in assaymark("status", "-p", project).out
    assert "Next: assaymark draw" in assaymark("look", "-p", project).out
    told = assaymark("status", "-p", project).out
    assert told.startswith("Plan 1: not yet, at the last look (12 labels).")
    assert "Next: assaymark draw" in told


def test_an_estimate_promises_no_more_than_the_plan_does(
    assaymark, project, world, tmp_path
) -> None:
    """A plan that is judged once holds once; a bound of next to nothing is no guarantee."""
    for claim, mode, expected in (
        ("accuracy >= 0.7", ["--mode", "fixed", "--budget", 30], "Guaranteed with 95% confidence each:"),
        ("f1 >= 0.8", ["--anyway"], "Nothing is guaranteed: nothing useful is proven so far."),
    ):  # fmt: skip
        assaymark("plan", claim, *mode, "-p", project)
        drawn = assaymark(
            "draw", *([8] if mode == ["--anyway"] else []), "-p", project, "--json"
        ).json["items"]
        labels = write_labels(tmp_path / "l.csv", {item: world.truth[item] for item in drawn})
        assaymark("label", labels, "-p", project)
        assert expected in assaymark("estimate", "-p", project).out
        assaymark("plan", "--abandon", "done", "-p", project)


def test_no_more_is_drawn_than_will_probably_decide_the_claim(
    assaymark, project, world, tmp_path
) -> None:
    """After "roughly 5–72 more labels" the next step was a draw that handed out 127."""
    labels = write_labels(tmp_path / "all.csv", world.truth)
    assert assaymark("plan", "precision >= 0.65", "--mode", "anytime", "--design", "simple",
                     "--seed", "s7", "-p", project).code == 0  # fmt: skip
    said = []
    for number in range(40):
        assaymark("draw", 5, "-p", project, "-o", tmp_path / f"{number}.csv")
        assaymark("label", labels, "-p", project)
        look = assaymark("look", "-p", project)
        if not look.out.startswith("Not yet"):
            break
        found = re.search(r"roughly (?:[\d,]+–)?([\d,]+) more label", look.out)
        few = found is not None and int(found[1].replace(",", "")) < 30  # a batch of a simple plan
        said.append(few)
        step = f"draw {max(10, int(found[1]))}" if found and few else "draw"
        assert look.out.endswith(f"Next: assaymark {step} -p {project}\n")
    assert any(said)
    assert not all(said)


def test_a_plan_without_scores_speaks_of_none_and_says_why_there_is_no_price(
    assaymark, tmp_path
) -> None:
    """Items were said to be drawn where the scores are uncertain; of the price nothing was said."""
    rows = [f"d{i},{i % 2}" for i in range(400)]
    (tmp_path / "pool.csv").write_text("\n".join(["id,produced", *rows]) + "\n")
    folder = tmp_path / "w"
    begun = ("init", folder, "--pool", tmp_path / "pool.csv", "--id", "id", "--prediction")
    assert assaymark(*begun, "produced").code == 0
    sealed = assaymark("plan", "recall >= 0.8", "-p", folder).out
    assert "there is no forecast without scores or an expected value (--expect)" in sealed
    assert "more often where a label tells more" in sealed
    assert "scores are uncertain" not in sealed


def test_after_every_item_is_counted_no_other_claim_is_advised(assaymark, tmp_path) -> None:
    """`plan "recall >= 0.79"` was the next step, "about 0 more labels", and then refused."""
    rows = [f"{n},{0.9 if n < 30 else 0.1},text {n}" for n in range(60)]
    (tmp_path / "pool.csv").write_text("\n".join(["id,score,text", *rows]))
    work = tmp_path / "work"
    columns = ("--id", "id", "--score", "score", "--threshold", 0.5, "--text", "text")
    assert assaymark("init", work, "--pool", tmp_path / "pool.csv", *columns).code == 0
    plan = ("plan", "recall >= 0.9", "--mode", "fixed", "--budget", 60, "-p", work)
    assert assaymark(*plan).code == 0
    labels = {str(n): int(n % 3 == 0) for n in range(60)}
    assaymark("draw", "-p", work)
    assaymark("label", write_labels(tmp_path / "all.csv", labels), "-p", work)
    look = assaymark("look", "-p", work)
    assert "recall is 0.5 (all 60 items were labelled)" in look.out
    assert "recall of 0.5 is known exactly and can be certified" in look.out
    assert look.out.endswith(f"Next: assaymark certify --bound -p {work}\n")
    assert assaymark("certify", "--bound", "-p", work).code == 0


def test_after_a_few_labels_an_estimate_is_advised_to_those_who_would_claim_less(
    assaymark, project, world, tmp_path
) -> None:
    """A claim that was refuted early was followed by "Nothing else can be claimed"."""
    plan = ("plan", "f1 >= 0.97", "--mode", "budget", "--budget", 40, "--expect", 0.98)
    assert assaymark(*plan, "--seed", "s1", "-p", project).code == 0
    assaymark("draw", 40, "-p", project, "-o", tmp_path / "b.csv")
    assaymark("label", write_labels(tmp_path / "l.csv", world.truth), "-p", project)
    look = assaymark("look", "-p", project)
    assert look.code == 1
    assert "These labels are too few to tell what could be claimed; an estimate tells: " in look.out
