"""Estimates in a project, from a file sampled elsewhere, and for many classes."""

import csv

import numpy as np
import pytest

from assaymark.drawing.marks import Dots
from assaymark.lab.experiments.stratified.figures import (
    accuracy_figure,
    ratio_figure,
    tuning_figure,
)
from assaymark.overview.survey_sections import section_of
from worlds_on_disk import write_labels


def labelled_estimate(assaymark, world, project, tmp_path, *options):
    planned = assaymark("plan", "--estimate", *options, "--seed", "s", "-p", project, "--json")
    assert planned.code == 0, planned.err
    drawn = assaymark("draw", "-p", project, "--json").json
    labels = write_labels(tmp_path / "l.csv", {item: world.truth[item] for item in drawn["items"]})
    done = assaymark("label", labels, "-p", project)
    assert done.code == 0, done.err
    return planned.json, drawn


def truth(world):
    pairs = [(world.scores[i] >= 0.5, world.truth[i] == 1) for i in world.truth]
    tp = sum(p and y for p, y in pairs)
    fp, fn = sum(p and not y for p, y in pairs), sum(y and not p for p, y in pairs)
    return {
        "accuracy": 1 - (fp + fn) / len(pairs),
        "f1": 2 * tp / (2 * tp + fp + fn),
        "recall": tp / (tp + fn),
        "precision": tp / (tp + fp),
    }


def test_accuracy_is_planned_drawn_labelled_and_read(assaymark, world, project, tmp_path):
    planned, drawn = labelled_estimate(
        assaymark, world, project, tmp_path, "accuracy", "--within", 0.02
    )
    assert planned["stratifier"] == "mixc"
    assert planned["within"] <= 0.02
    assert len(drawn["items"]) == planned["labels"]
    found = assaymark("estimate", "-p", project, "--json").json
    one = found["accuracy"]
    assert one["low"] < one["point"] < one["high"]
    assert one["low"] <= truth(world)["accuracy"] <= one["high"]
    assert one["guaranteed_low"] is None
    assert "needs strata drawn at random" in one["guaranteed_reason"]
    assert {"precision", "recall", "f1", "prevalence", "elusion"} <= found.keys()
    assert found["labels"] == planned["labels"]


def test_a_batch_may_be_extended(assaymark, world, project, tmp_path):
    labelled_estimate(assaymark, world, project, tmp_path, "accuracy", "--budget", 60)
    refused = assaymark("draw", "-p", project)
    assert refused.code == 2
    assert "All 60 items of the plan are drawn" in refused.err
    more = assaymark("draw", 40, "-p", project, "--json").json
    assert len(more["items"]) == 40
    half = dict.fromkeys(more["items"][:10], 1)
    assaymark("label", write_labels(tmp_path / "m.csv", half), "-p", project)
    found = assaymark("estimate", "-p", project, "--json").json
    assert found["labels"] + found["waiting"] == 100
    again = assaymark("draw", "--pending", "-p", project, "--json").json
    assert len(again["items"]) == 30


@pytest.mark.parametrize("metric", ["f1"])
def test_rare_class_metrics_come_with_a_guarantee(assaymark, world, project, tmp_path, metric):
    labelled_estimate(assaymark, world, project, tmp_path, metric, "--budget", 60)
    found = assaymark("estimate", "-p", project, "--json").json
    one = found[metric]
    assert next(iter(found)) == metric
    assert one["guaranteed_low"] <= one["low"] <= one["point"] <= one["high"]
    low, high = one["guaranteed_interval"]
    assert low <= one["guaranteed_low"] <= truth(world)[metric] <= high
    shown = assaymark("estimate", "-p", project).out
    assert "Guaranteed with 95% confidence each, at every look:" in shown
    section = section_of("estimate")(
        {**found, "metrics": [v for v in found.values() if isinstance(v, dict)]}
    )
    assert section.sentence.endswith("from 60 labels.")
    points = [
        m.points[0][0] for m in section.charts[0].figure.plots[0].marks if isinstance(m, Dots)
    ]
    assert points[0] == one["point"]


def test_guaranteed_accuracy_is_chosen_in_the_plan(assaymark, world, project, tmp_path):
    planned, _ = labelled_estimate(
        assaymark, world, project, tmp_path, "accuracy", "--budget", 60, "--guarantee"
    )
    assert planned["sampling"] == "random"
    one = assaymark("estimate", "-p", project, "--json").json["accuracy"]
    assert one["guaranteed_low"] <= truth(world)["accuracy"]
    assert one["guaranteed_low"] > 0.3


def test_precision_draws_predicted_positives_only(assaymark, world, project, tmp_path):
    labelled_estimate(assaymark, world, project, tmp_path, "precision", "--budget", 80)
    found = assaymark("estimate", "-p", project, "--json").json
    assert found["precision"]["point"] is not None
    assert found["recall"]["point"] is None
    assert "predicted classes" in found["recall"]["reason"]


@pytest.mark.parametrize("allocation", ["proportional", "equal", "optimal-steps"])
def test_the_paper_s_ways_are_named_options(assaymark, world, project, tmp_path, allocation):
    planned, drawn = labelled_estimate(
        assaymark, world, project, tmp_path, "accuracy", "--budget", 60, "--stratifier", "sqrt",
        "--allocation", allocation, "--strata", 4,
    )  # fmt: skip
    assert len(planned["strata"]) == 4
    found = assaymark("estimate", "-p", project, "--json").json
    assert found["labels"] == len(drawn["items"])
    assert found["f1"]["reason"].startswith("strata of sqrt mix the predicted classes")


@pytest.mark.parametrize(
    ("allocation", "options", "batches"),
    [
        ("optimal-once", ("--first", 3), [12, 48]),
        ("optimal-steps", ("--first", 3, "--step", 20), [12, 20, 20, 8]),
        ("optimal-steps", ("--first", 3, "--step", 24, "--no-guard"), [12, 24, 24]),
    ],
)
def test_the_two_learning_algorithms_differ_for_the_user(
    assaymark, world, project, tmp_path, allocation, options, batches
):
    """OPT-A1 learns once, from K·n_ini labels; OPT-A2 after every n_step of them."""
    planned = assaymark(
        "plan", "--estimate", "accuracy", "--budget", 60, "--stratifier", "sqrt", "--strata", 4,
        "--allocation", allocation, *options, "--seed", "s", "-p", project,
    )  # fmt: skip
    assert planned.code == 0, planned.err
    assert "3 per stratum first" in planned.out
    assert ("as printed, without a guard" in planned.out) == ("--no-guard" in options)
    seen = []
    while sum(seen) < 60:
        drawn = assaymark("draw", "-p", project, "--json").json["items"]
        seen.append(len(drawn))
        answers = {item: world.truth[item] for item in drawn}
        assaymark("label", write_labels(tmp_path / f"l{len(seen)}.csv", answers), "-p", project)
    assert seen == batches


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--allocation", "equal", "--first", 3), "allocations that learn from labels"),
        (("--allocation", "optimal-once", "--step", 3), "has no --step"),
    ],
)
def test_learning_options_where_nothing_learns_are_refused(assaymark, project, options, said):
    done = assaymark(
        "plan", "--estimate", "accuracy", "--budget", 60, "--stratifier", "sqrt", *options, "-p", project
    )  # fmt: skip
    assert done.code == 2
    assert said in done.err


def test_an_estimate_from_the_labels_of_a_claim_agrees_with_the_look(
    assaymark, world, project, tmp_path
):
    assert assaymark("plan", "f1 >= 0.7", "--seed", "s", "-p", project).code == 0
    drawn = assaymark("draw", 30, "-p", project, "--json").json["items"]
    assaymark(
        "label", write_labels(tmp_path / "l.csv", {i: world.truth[i] for i in drawn}), "-p", project
    )
    low = assaymark("look", "-p", project, "--json").json["low"]
    found = assaymark("estimate", "-p", project, "--json").json
    assert found["f1"]["guaranteed_low"] == low
    assert found["recall"]["guaranteed_interval"] is not None
    assert found["f1"]["guaranteed_interval"] is None  # that range holds with 87.5% only


def test_a_fixed_plan_is_not_peeked_at(assaymark, world, project, labelled):
    found = assaymark("estimate", "-p", labelled, "--json").json
    assert found["f1"]["method"] == "exact binomial range (Clopper–Pearson)"
    assert found["f1"]["low"] < found["f1"]["point"]


def test_skipped_items_widen_and_are_counted(assaymark, world, project, tmp_path):
    assaymark("plan", "--estimate", "accuracy", "--budget", 60, "--seed", "s", "-p", project)
    drawn = assaymark("draw", "-p", project, "--json").json["items"]
    answers = {item: "?" if i < 5 else world.truth[item] for i, item in enumerate(drawn)}
    assaymark("label", write_labels(tmp_path / "l.csv", answers), "-p", project)
    found = assaymark("estimate", "-p", project, "--json").json
    assert (found["labels"], found["skipped"]) == (55, 5)
    assert any("could not be judged" in text for text in found["warnings"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("accuracy",), "Say how precise the estimate must be"),
        (("accuracy", "--within", "0.7"), "between 0 and 0.5, got 0.7"),
        (("accuracy", "--budget", "5"), "at least 20 labels, got 5"),
        (("acuracy", "--budget", "50"), "Did you mean 'accuracy'"),
        (("accuracy", "--budget", "30", "--strata", "40"), "30 labels cannot cover 40 strata"),
        (("accuracy", "--budget", "1990", "--strata", "1900"), "distinct bins"),
        (("f1", "--budget", "50", "--stratifier", "sqrt"), "are for accuracy"),
        (
            ("accuracy", "--budget", "50", "--guarantee", "--stratifier", "sqrt"),
            "--guarantee needs",
        ),
        (("macro-f1", "--budget", "50"), "cannot be claimed"),
    ],
)
def test_bad_wishes_are_refused(assaymark, project, options, message):
    done = assaymark("plan", "--estimate", *options, "-p", project)
    assert done.code == 2
    assert message in done.err


def test_options_of_estimates_need_an_estimate(assaymark, project):
    assert (
        "--within is for an estimate"
        in assaymark("plan", "f1 >= 0.7", "--within", 0.1, "-p", project).err
    )
    both = assaymark("plan", "f1 >= 0.7", "--estimate", "f1", "--budget", 50, "-p", project)
    assert "leave out the claim" in both.err


def test_no_label_and_no_plan_are_refused(assaymark, project):
    assert "has no estimate yet" in assaymark("estimate", "-p", project).err
    assaymark("plan", "--estimate", "f1", "--budget", 50, "--seed", "s", "-p", project)
    assaymark("draw", "-p", project)
    assert (
        "No label counts yet (50 drawn items without one)"
        in assaymark("estimate", "-p", project).err
    )
    again = assaymark("plan", "--estimate", "f1", "--budget", 50, "--seed", "s", "-p", project)
    assert "The seed 's' was used in this project before" in again.err


def test_no_positive_leaves_recall_undefined(assaymark, project, tmp_path):
    assaymark("plan", "--estimate", "recall", "--budget", 20, "--seed", "s", "-p", project)
    drawn = assaymark("draw", "-p", project, "--json").json["items"]
    assaymark("label", write_labels(tmp_path / "l.csv", dict.fromkeys(drawn, 0)), "-p", project)
    one = assaymark("estimate", "-p", project, "--json").json["recall"]
    assert one["point"] is None
    assert one["reason"] == "no positive was found among the labels"
    assert one["guaranteed_low"] is None


def test_all_correct_is_a_real_interval(assaymark, world, project, tmp_path):
    assaymark("plan", "--estimate", "accuracy", "--budget", 60, "--seed", "s", "-p", project)
    drawn = assaymark("draw", "-p", project, "--json").json["items"]
    right = {item: int(world.scores[item] >= 0.5) for item in drawn}
    assaymark("label", write_labels(tmp_path / "l.csv", right), "-p", project)
    one = assaymark("estimate", "-p", project, "--json").json["accuracy"]
    assert one["point"] == one["high"] == 1
    assert 0.85 < one["low"] < 0.99


# files sampled elsewhere


def sample_file(path, rows, header=("id", "label", "prediction", "probability")):
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([header, *rows])
    return path


def test_a_file_with_known_probabilities(assaymark, tmp_path):
    """Half of the 1,000 items were drawn surely, the others with chance one half."""
    rows = [(i, int(i % 10 < 7), 1, 1.0) for i in range(500)]
    rows += [(500 + i, int(i % 50 == 0), 0, 0.5) for i in range(250)]
    found = assaymark("estimate", "--labels", sample_file(tmp_path / "s.csv", rows), "--json").json
    assert found["precision"]["point"] == pytest.approx(0.7)
    assert found["recall"]["point"] == pytest.approx(350 / 360)
    assert found["accuracy"]["point"] == pytest.approx((350 + 490) / 1000)
    assert found["accuracy"]["low"] < 0.84 < found["accuracy"]["high"]
    assert found["f1"]["guaranteed_low"] is None


@pytest.mark.parametrize(
    ("rows", "header", "message"),
    [
        ([(1, 1, 1, 1.5)], None, "row 2: the probability is 1.5"),
        ([(1, 1, 1, 0)], None, "row 2: the probability is 0"),
        ([(1, 1, 1, "x")], None, "probability must be a number, got 'x'"),
        ([(1, 1, 1, 0.5), (1, 1, 1, 0.5)], None, "the item '1' comes twice"),
        ([(1, "", 1, 0.5)], None, "no labelled row (1 row empty)"),
        ([(1, 1)], ("id", "label"), "has no column 'prediction'"),
        ([(1, 1, 1)], ("id", "label", "prediction"), "does not say how its items were drawn"),
        ([(1, 1, 1, "a", 9), (2, 1, 1, "a", 8)], ("id", "label", "prediction", "stratum", "stratum_items"), "two sizes, [8, 9]"),
        ([(1, 1, 1, "a", 1), (2, 1, 1, "a", 1)], ("id", "label", "prediction", "stratum", "stratum_items"), "1 items and 2 labels"),
    ],
)  # fmt: skip
def test_mixed_up_files_are_refused(assaymark, tmp_path, rows, header, message):
    path = sample_file(tmp_path / "s.csv", rows, *([header] if header else []))
    done = assaymark("estimate", "--labels", path)
    assert done.code == 2
    assert message in done.err


def test_many_classes_are_drawn_and_estimated(assaymark, tmp_path):
    rng = np.random.default_rng(42)
    names = np.array(["bird", "cat", "dog", "fish"])
    top = 0.4 + 0.6 * rng.random(4000)
    predicted = rng.integers(0, 4, size=4000)
    right = rng.random(4000) < top
    label = np.where(right, predicted, (predicted + 1) % 4)
    pool = sample_file(
        tmp_path / "pool.csv",
        [(f"i{i}", names[predicted[i]], top[i]) for i in range(4000)],
        ("id", "class", "top"),
    )
    batch, key = tmp_path / "b.csv", tmp_path / "k.csv"
    drawn = assaymark(
        "estimate", "--pool", pool, "--prediction", "class", "--score", "top", "--draw", 300,
        "-o", batch, "--key", key, "--json",
    )  # fmt: skip
    assert drawn.code == 0, drawn.err
    assert drawn.json["labels"] == 300
    rows = list(csv.DictReader(batch.read_text(encoding="utf-8").splitlines()))
    assert set(rows[0]) == {"id", "label"}
    told = sample_file(
        tmp_path / "told.csv",
        [(r["id"], names[label[int(r["id"][1:])]]) for r in rows],
        ("id", "label"),
    )
    found = assaymark("estimate", "--labels", told, "--key", key, "--json").json
    assert found["accuracy"]["low"] <= right.mean() <= found["accuracy"]["high"]
    macro = found["macro-f1"]
    assert 0 < macro["point"] < 1
    assert macro["low"] is None  # chances differ, and such intervals were seen to cover too little
    assert "chances differ" in macro["reason"]
    assert [one["name"] for one in found["classes"]] == sorted(names.tolist())
    other = sample_file(tmp_path / "o.csv", [("zzz", "cat")], ("id", "label"))
    assert "not in the key" in assaymark("estimate", "--labels", other, "--key", key).err


def test_figures_hold_what_the_tables_say():
    row = {"where": "made", "way": "equal", "labels": 200, "true_vr": 0.5, "paper_vr": 0.6}
    assert ratio_figure([row])["data"]["values"][0]["true_vr"] == 0.5
    tuning = {
        "first": 5,
        "labels": 800,
        "step": 10,
        "true_vr": 2.0,
        "allocation": "optimal-once",
        "guard": False,
    }
    assert tuning_figure([tuning])["data"]["values"][0]["way"] == "optimal-once, as printed"
    way = {"way": "equal size, K = 6, OPT-A2 5-10", "paper_vr": 0.3}
    rows = [{"labels": 100, "true_vr": 0.4, "accuracy": 0.9, **way}]
    assert accuracy_figure(rows)["data"]["values"][0]["paper_vr"] == 0.3
    assert "clamp" not in str(ratio_figure([row])), "a bar at the edge would hide how bad it is"


def test_the_lab_runs_on_a_small_order(monkeypatch):
    from assaymark.lab.experiments.stratified import experiment as lab
    from assaymark.lab.experiments.stratified import printed_study
    from assaymark.lab.tasks import Order

    for name, value in (("PAPER", ("sqrt",)), ("NUMBERS", (2, 6)), ("SIZES", (200, 400, 800))):
        monkeypatch.setattr(printed_study, name, value)

    for name, value in (("LEARNING", (100,)), ("STRATA", (5,)), ("SIZES", (100,)), ("ONE_PERCENT", (100,)), ("FIRST", (5,)), ("PAPER", ("sqrt",))):  # fmt: skip
        monkeypatch.setattr(lab, name, value)
    found = lab.stratified(Order(runs=20))
    assert {row["way"] for row in found.tables["summary"]} >= {
        "mixc by mass",
        "optimal-steps, as printed",
    }
    assert len(found.tables["coverage"]) == 16
    ways = {row["allocation"] for row in found.tables["printed"]}
    assert ways == {"PRO", "EQU", "OPT-A1", "OPT-A2", "OPT-A1, guarded", "OPT-A2, guarded"}
    saved = [
        row["saved"] for row in found.tables["printed_one_percent"] if row["saved"] is not None
    ]
    assert saved
    assert max(saved) < 1
    assert any("over-claims at most" in sentence for sentence in found.sentences)


def test_a_project_of_classes_says_what_gives_its_figures(assaymark, tmp_path):
    rows = [f"{n},{'abc'[n % 3]}" for n in range(60)]
    (tmp_path / "pool.csv").write_text("\n".join(["id,class", *rows]))
    begin = (
        "--pool",
        tmp_path / "pool.csv",
        "--id",
        "id",
        "--prediction",
        "class",
        "--classes",
    )
    assert assaymark("init", tmp_path / "work", *begin).code == 0
    done = assaymark("plan", "--estimate", "accuracy", "--budget", 20, "-p", tmp_path / "work")
    assert done.code == 2
    assert "this one has 3 classes. Claim what you expect" in done.err.replace("\n", " ")
