"""Estimates where it is easiest to promise too much: few labels, odd files, mixed strata."""

import csv
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

from assaymark.cli import cli as assaymark_command
from assaymark.errors import InputError, PlanError
from assaymark.estimation.estimate import EstimateDesign, EstimateStratum, MetricEstimate, Part
from assaymark.estimation.evidence import Answers, betting_strata, estimate
from assaymark.estimation.stats.guaranteed_interval import guarantee
from assaymark.estimation.stats.horvitz_thompson import Weighted, mean_of_ratios, ratio_estimate
from assaymark.estimation.stats.reading_intervals import korn_graubard, wilson
from assaymark.estimation.tally import apart
from assaymark.stats.score_guided.supermartingale import Draws, Stratum
from worlds_on_disk import write_labels


def stratum(name, items, prediction, score):
    part = Part(items=items, prediction=bool(prediction))
    return EstimateStratum(
        name=name, items=items, parts=(part,), prediction=prediction, mean_score=score, doubt=0.1
    )


def design(*strata, sampling="fixed"):
    return EstimateDesign(
        metric="accuracy",
        sampling=sampling,
        strata=strata,
        stratifier="mixc",
        allocation="mass" if sampling == "fixed" else "chances",
        confidence=0.95,
        labels=20,
        within=None,
        chances=tuple([1 / len(strata)] * len(strata)),
    )


def answers(strata, labels, predicted):
    return Answers(
        strata=np.array(strata),
        predicted=np.array(predicted),
        labels=np.array(labels),
        waiting=0,
    )


# strata without labels


@pytest.mark.parametrize("method", [korn_graubard, wilson])
def test_a_stratum_without_a_label_is_not_taken_for_one_that_is_all_wrong(method):
    """Forty of forty correct in 95 % of the pool, no label in the rest: all may be correct."""
    sizes, labelled, correct = np.array([9500, 500]), np.array([40, 0]), np.array([40, 0])
    found = method(sizes, labelled, correct)
    whole = method(np.array([9500]), np.array([40]), np.array([40]))
    assert found.high > 0.985
    assert found.low < whole.low, "what nobody looked at cannot make it more precise"


def test_unlabelled_strata_are_named_and_widen():
    parts = (stratum("a", 500, True, 0.9), stratum("b", 500, False, 0.1))
    told = answers([0] * 10, [1] * 10, [1] * 10)
    found = estimate(design(*parts), told, tell=lambda *_: None)
    one = found.metrics[0]
    assert one.low < 0.3
    assert one.high == 1
    assert any("'b' has no label" in text for text in found.warnings)


# what could hide


def test_what_could_hide_holds_at_every_look_and_counts_skips():
    parts = (stratum("a", 100, True, 0.9), stratum("b", 4, False, 0.1))
    told = answers([0, 1, 1, 1, 1], [1, 0, 0, -1, -1], [1, 0, 0, 0, 0])
    rows = estimate(design(*parts), told, tell=lambda *_: None).strata
    assert rows[0].hidden is None
    assert rows[1].hidden == 2, "two were skipped: both may be positives"
    done = answers([0, 1, 1, 1, 1], [1, 0, 0, 0, 1], [1, 0, 0, 0, 0])
    rows = estimate(design(*parts), done, tell=lambda *_: None).strata
    assert rows[1].hidden == 0, "every item is labelled"


# strata of both classes carry no guarantee


def test_strata_of_both_classes_carry_no_guarantee(assaymark, project):
    with pytest.raises(PlanError, match="mixes the predicted classes"):
        betting_strata([stratum("a", 10, None, 0.5)])
    options = ("--budget", 60, "--guarantee", "--strata", 1, "-p", project)
    done = assaymark("plan", "--estimate", "accuracy", *options)
    assert done.code == 2
    assert "needs strata of one class each" in done.err


# contradictions give way


def test_the_interval_never_contradicts_a_one_sided_figure():
    """Right for long, then wrong for long: both bettors get rich, and no end may cross the other."""
    labels = np.array([1] * 40 + [0] * 110)
    draws = Draws(strata=np.zeros(150, dtype=int), labels=labels, sampling=np.ones((150, 1)))
    strata = (Stratum(predicted=True, size=5000, mean_score=0.5),)
    found = guarantee("precision", strata, draws, unit=0.2)
    assert found.at_least > found.at_most, "the case that is meant"
    assert found.low <= found.at_most
    assert found.high >= found.at_least


# known chances


def coverage(draw, truth, runs):
    found = [ratio_estimate(*draw()) for _ in range(runs)]
    low, high = (np.array([getattr(one, end) for one in found]) for end in ("low", "high"))
    return ((low <= truth) & (truth <= high)).mean(), (low > truth).mean()


@pytest.mark.parametrize(("share", "labels"), [(0.985, 100), (0.99, 200), (0.9, 50), (0.5, 50)])
def test_weighted_intervals_cover_a_simple_random_sample(share, labels):
    """Clopper and Pearson's interval covers at least 95 %; 1,000 runs, fails by chance in 0.1 %."""
    rng = np.random.default_rng(42)
    sample = Weighted(weight=np.full(labels, 20.0), stratum=np.zeros(labels, dtype=np.int64))

    def draw():
        return (rng.random(labels) < share).astype(float), np.ones(labels), sample

    covers, over = coverage(draw, share, 1000)
    assert covers >= 0.928
    assert over <= 0.043


def test_weighted_intervals_cover_few_labels_per_stratum():
    """Ten strata of three labels: strata that agree by chance are not taken for known."""
    rng = np.random.default_rng(42)
    rates = np.array([0.99, 0.99, 0.98, 0.98, 0.97, 0.96, 0.95, 0.9, 0.8, 0.7])
    sizes = np.array([3000, 2000, 1000, 1000, 800, 700, 600, 500, 300, 100])
    stratum = np.repeat(np.arange(10), 3)
    sample = Weighted(weight=(sizes / 3)[stratum], stratum=stratum)

    def draw():
        return (rng.random(30) < rates[stratum]).astype(float), np.ones(30), sample

    covers, over = coverage(draw, float((sizes * rates).sum() / sizes.sum()), 1000)
    assert covers >= 0.928
    assert over <= 0.043


def test_all_correct_is_worth_no_more_than_its_labels():
    ones = np.ones(100)
    sample = Weighted(weight=np.full(100, 7.0), stratum=np.zeros(100, dtype=np.int64))
    found = ratio_estimate(ones, ones, sample)
    assert found.effective == pytest.approx(100)
    assert found.low == pytest.approx(0.025 ** (1 / 100))
    rare = np.arange(100) < 3
    macro = mean_of_ratios(
        [(rare * 1.0, rare * 1.0), (~rare * 1.0, ~rare * 1.0)], sample, confidence=0.95
    )
    assert macro.point == 1
    assert macro.low is None, "three items of a class say little about its mean with the other"


# files


def table(path, header, rows):
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([header, *rows])
    return path


STRATA = ("id", "label", "prediction", "stratum", "stratum_items")
CHANCES = ("id", "label", "prediction", "probability")


@pytest.mark.parametrize(
    ("header", "rows", "message"),
    [
        (STRATA, [(1, 1, 1, "a", "nan")], "stratum_items is nan"),
        (STRATA, [(1, 1, 1, "a", "9.5")], "stratum_items is 9.5"),
        (STRATA, [(1, 1, 1, "a", "0")], "stratum_items is 0"),
        (STRATA, [(1, 1, 1, "a", "inf")], "stratum_items is inf"),
        (CHANCES, [(1, 1, "", 0.5)], "row 2: the prediction is empty"),
        (CHANCES, [(1, 1, 1, "nan")], "the probability is nan"),
        (CHANCES, [(1, "maybe", 1, 0.5), (2, 0, 0, 0.5)], "label of item '1' is 'maybe'"),
        (CHANCES, [(1, "?", 1, 0.5)], "no label but 'cannot tell'"),
        (
            (*CHANCES, "stratum_items"),
            [(1, 1, 1, 0.5, 9), (2, 1, 1, "", 9)],
            "a probability in some rows and none in others",
        ),
    ],
)
def test_odd_rows_are_refused(assaymark, tmp_path, header, rows, message):
    done = assaymark("estimate", "--labels", table(tmp_path / "s.csv", header, rows))
    assert done.code == 2
    assert message in done.err


def test_keys_of_two_draws_are_refused(assaymark, tmp_path):
    told = table(tmp_path / "t.csv", ("id", "label"), [(1, "a"), (2, "b")])
    head = ("id", "prediction", "stratum", "stratum_items")
    twice = table(tmp_path / "k.csv", head, [(1, "a", 1, 9), (2, "b", 1, 9), (1, "a", 2, 5)])
    assert "lists the item '1' twice" in assaymark("estimate", "--labels", told, "--key", twice).err
    key = table(tmp_path / "k2.csv", head, [(1, "a", 1, 9), (2, "b", 1, 9)])
    other = table(tmp_path / "o.csv", ("id", "label", "prediction"), [(1, "a", "b")])
    assert (
        "the prediction 'b' in 'o.csv' and 'a' in the key"
        in assaymark("estimate", "--labels", other, "--key", key).err
    )
    blank = table(tmp_path / "b.csv", ("id", "label", "prediction"), [(1, "a", ""), (2, "b", "")])
    found = assaymark("estimate", "--labels", blank, "--key", key, "--json").json
    assert found["accuracy"]["point"] == 1


def test_skips_and_foreign_names_of_many_classes(assaymark, tmp_path):
    rows = [(1, "cat", "cat", 0.5), (2, "?", "dog", 0.5), (3, "dog", "cat", 0.5)]
    found = assaymark(
        "estimate", "--labels", table(tmp_path / "a.csv", CHANCES, rows), "--json"
    ).json
    assert (found["labels"], found["skipped"]) == (2, 1)
    assert [one["name"] for one in found["classes"]] == ["cat", "dog"]
    assert any("Macro precision leaves out" in text for text in found["warnings"])
    rows = [(1, "Katze", "cat", 0.5), (2, "Hund", "dog", 0.5)]
    found = assaymark(
        "estimate", "--labels", table(tmp_path / "b.csv", CHANCES, rows), "--json"
    ).json
    assert any("No label is the name" in text for text in found["warnings"])


def test_the_confidence_of_a_project_is_that_of_its_plan(assaymark, project):
    done = assaymark("estimate", "-p", project, "--confidence", 0.5)
    assert done.code == 2
    assert "fixed in the plan" in done.err


def test_a_weight_below_one_is_refused():
    with pytest.raises(InputError, match="at least 1"):
        Weighted(weight=np.array([0.5]), stratum=np.array([0]))


# the state of a project


def test_status_tells_of_estimates(assaymark, world, project, tmp_path):
    def told():
        now = assaymark("status", "-p", project, "--json").json
        assert str(project) in now["advice"], "it can be pasted as it stands"
        advice = now["advice"].replace(f" -p {project}", "")
        return now["summary"], advice, now["estimate"], now["draws"], now["missing"]

    assert told()[2] is None
    assaymark("plan", "--estimate", "accuracy", "--budget", 20, "--seed", "s", "-p", project)
    assert told() == ("Estimate 1 is open.", "assaymark draw", "accuracy", 0, 0)
    drawn = assaymark("draw", "-p", project, "--json").json["items"]
    assert told() == (
        "Estimate 1 waits for labels.",
        "assaymark draw --pending",
        "accuracy",
        20,
        20,
    )
    labels = {item: world.truth[item] for item in drawn}
    assaymark("label", write_labels(tmp_path / "l.csv", labels), "-p", project)
    assert told()[:2] == ("Estimate 1 can be read.", "assaymark estimate")
    assert "estimate of" in assaymark("status", "-p", project).out
    assaymark("estimate", "-p", project)
    assert told()[:2] == ("Estimate 1 was read.", "assaymark report")


def test_a_plan_that_may_stop_early_is_not_read_as_one_look(assaymark, world, project, tmp_path):
    assaymark("plan", "f1 >= 0.7", "--design", "simple", "--seed", "s", "-p", project)
    drawn = assaymark("draw", 30, "-p", project, "--json").json["items"]
    labels = {item: world.truth[item] for item in drawn}
    assaymark("label", write_labels(tmp_path / "l.csv", labels), "-p", project)
    found = assaymark("estimate", "-p", project, "--json").json
    assert any("at every look" in text for text in found["warnings"])
    assert any("all of them together with at least" in text for text in found["warnings"])
    assert found["accuracy"]["guaranteed_low"] is None


def test_a_range_that_leaves_no_room_is_printed_without_a_half_width():
    """1 ± 0.484 would say more than 1; where it fits, the half width stays."""

    def one(point: float, low: float, high: float) -> str:
        return str(
            MetricEstimate(
                metric="recall", title="recall", point=point, low=low, high=high, method="x",
                confidence=0.95,
            )
        )  # fmt: skip

    assert one(1.0, 0.0324, 1.0) == "recall 1 (0.0324 to 1)"
    assert one(0.5, 0.4, 0.62) == "recall 0.5 ± 0.110 (0.4 to 0.62)"


def test_no_recall_is_estimated_from_labels_without_a_relevant_item(tmp_path):
    """Scores alone are no estimate; what a claim guarantees is its one-sided bound."""
    with (tmp_path / "pool.csv").open("w", encoding="utf-8") as stream:
        stream.write("id,score,text\n")
        stream.writelines(f"d{n},{n / 500},t\n" for n in range(500))
    cli = CliRunner()

    def run(*words: str):
        done = cli.invoke(assaymark_command, [*words], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.output

    work = str(tmp_path / "work")
    run(
        "init", work, "--pool", str(tmp_path / "pool.csv"), "--id", "id", "--score", "score",
        "--threshold", "0.5", "--text", "text",
    )  # fmt: skip
    how = ("--mode", "anytime", "--design", "score-guided", "--expect", "0.9")
    run("plan", "recall >= 0.6", *how, "--seed", "s", "-p", work)
    run("draw", "4", "-o", str(tmp_path / "batch.csv"), "-p", work)
    rows = (tmp_path / "batch.csv").read_text().splitlines()[1:]
    lines = [f"{row.split(',')[0]},0" for row in rows]
    (tmp_path / "labels.csv").write_text("\n".join(["id,label", *lines]))
    run("label", str(tmp_path / "labels.csv"), "-p", work)
    assert "none: no relevant item is labelled yet" in run("look", "-p", work)
    told = run("estimate", "-p", work)
    assert "recall is undefined after 4 labels: no relevant item is labelled yet" in told
    assert "Nothing is guaranteed: nothing useful is proven so far." in told
    assert "two-sided" not in told


def test_an_estimate_outside_its_guaranteed_range_is_said():
    one = MetricEstimate(
        metric="f1", title="F1", point=0.92, low=0.88, high=0.94, method="likelihood",
        confidence=0.95, guaranteed_interval=(0.82, 0.91),
    )  # fmt: skip
    assert apart([replace(one, point=0.9)]) == ()
    (sentence,) = apart([one])
    assert sentence.startswith("The estimate of F1 lies outside the guaranteed range")
