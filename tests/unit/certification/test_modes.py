"""Anytime, budget and weighted plans through the command line, to certificates that verify."""

import json
import math
import re

import pytest

from assaymark.project.folder import Project
from worlds_on_disk import write_labels, write_world


def run_to_the_end(assaymark, folder, world, tmp_path, *, most: int = 80, step: int | None = None):
    """Draw, label from the truth, look; until a decision. Returns the last look and its labels."""
    for number in range(most):
        count = [step] if step else []
        drawn = assaymark("draw", *count, "-p", folder, "--json")
        assert drawn.code == 0, drawn.err
        labels = {item: world.truth[item] for item in drawn.json["items"]}
        if labels:
            write_labels(tmp_path / f"l{number}.csv", labels)
            assert assaymark("label", tmp_path / f"l{number}.csv", "-p", folder).code == 0
        seen = assaymark("look", "-p", folder, "--json")
        if seen.json["decision"] != "continue":
            return seen
    raise AssertionError("no decision")


@pytest.mark.parametrize(
    ("claim", "options"),
    [
        ("f1 >= 0.8", []),
        ("recall >= 0.8", []),
        ("precision >= 0.75", []),
        ("f2 >= 0.8", []),
        ("elusion <= 0.06", []),
        ("accuracy >= 0.9", []),
        ("f1 >= 0.8", ["--mode", "anytime", "--design", "simple"]),
        ("elusion <= 0.06", ["--mode", "anytime", "--design", "simple"]),
        ("f1 >= 0.8", ["--mode", "budget", "--expect", "0.9"]),
        ("precision >= 0.8", ["--mode", "budget", "--expect", "0.9"]),
    ],
)
def test_a_true_claim_is_certified_and_verified(
    assaymark, project, world, tmp_path, claim, options
) -> None:
    sealed = assaymark("plan", claim, *options, "--seed", "s", "-p", project)
    assert sealed.code == 0, sealed.err
    seen = run_to_the_end(assaymark, project, world, tmp_path)
    assert (seen.code, seen.json["decision"]) == (0, "pass")
    bound = seen.json["low"] if ">=" in claim else seen.json["high"]
    target = float(claim.split()[-1])
    assert (bound >= target) if ">=" in claim else (bound <= target)
    assert assaymark("certify", "-p", project).code == 0
    checked = assaymark("verify", project / "certificate.json", "--json")
    assert checked.code == 0, checked.out
    outcome = {check["name"]: check["outcome"] for check in checked.json["checks"]}
    assert outcome["replay"] == outcome["draw"] == outcome["chain"] == "ok"


@pytest.mark.parametrize("options", [[], ["--mode", "anytime", "--design", "simple"]])
def test_a_false_claim_is_refuted_and_closes_the_plan(assaymark, project, world, tmp_path, options):
    assaymark("plan", "f1 >= 0.97", *options, "--seed", "s", "-p", project)
    seen = run_to_the_end(assaymark, project, world, tmp_path)
    assert (seen.code, seen.json["decision"]) == (1, "fail")
    assert assaymark("certify", "-p", project).code == 1
    assert assaymark("draw", "-p", project).code == 2


def test_a_budget_is_spent_and_ends_the_plan(assaymark, project, world, tmp_path) -> None:
    assaymark("plan", "f1 >= 0.95", "--mode", "budget", "--budget", "150", "--expect", "0.96",
          "--seed", "s", "-p", project)  # fmt: skip
    seen = run_to_the_end(assaymark, project, world, tmp_path)
    assert seen.json["decision"] == "fail"
    assert "budget is spent" in seen.json["reason"]


def test_looking_often_changes_nothing(assaymark, world, tmp_path) -> None:
    """The same draws looked at after every item or once: the same verdict and evidence."""
    results = []
    for name, step in (("often", 7), ("seldom", 70)):
        folder = tmp_path / name
        assaymark("init", folder, "--pool", world.path, "--id", "id", "--score", "score",
              "--threshold", "0.5")  # fmt: skip
        assaymark("plan", "f1 >= 0.93", "--mode", "anytime", "--design", "simple", "--seed", "q",
              "-p", folder)  # fmt: skip
        for _ in range(70 // step):
            drawn = assaymark("draw", step, "-p", folder, "--json").json
            write_labels(tmp_path / "l.csv", {i: world.truth[i] for i in drawn["items"]})
            assaymark("label", tmp_path / "l.csv", "-p", folder)
            seen = assaymark("look", "-p", folder, "--json").json
        results.append((seen["low"], seen["e_value"], seen["labels"]))
    assert results[0] == results[1]


def test_labels_beyond_an_unlabelled_draw_wait(assaymark, project, world, tmp_path) -> None:
    assaymark("plan", "f1 >= 0.8", "--seed", "s", "-p", project)
    drawn = assaymark("draw", 40, "-o", tmp_path / "b.csv", "-p", project, "--json").json["items"]
    hard = drawn[10]
    write_labels(tmp_path / "l.csv", {i: world.truth[i] for i in drawn if i != hard})
    assaymark("label", tmp_path / "l.csv", "-p", project)
    seen = assaymark("look", "-p", project, "--json").json
    assert (seen["labels"], seen["waiting"]) == (10, 29)
    write_labels(tmp_path / "l2.csv", {hard: world.truth[hard]})
    assaymark("label", tmp_path / "l2.csv", "-p", project)
    assert assaymark("look", "-p", project, "--json").json["labels"] == 40


def test_chances_are_stored_before_the_labels(assaymark, project, world, tmp_path) -> None:
    """Chances are renewed at sealed draw numbers, whatever the batches; later ones learn from labels."""
    assaymark("plan", "f1 >= 0.9", "--seed", "s", "-p", project)
    for number in range(3):
        drawn = assaymark("draw", 60, "-p", project, "--json").json["items"]
        write_labels(tmp_path / f"l{number}.csv", {i: world.truth[i] for i in drawn})
        assaymark("label", tmp_path / f"l{number}.csv", "-p", project)
    sampling = Project(folder=project).state().attempts[0].sampling
    renewed = [i for i in range(1, len(sampling)) if sampling[i] != sampling[i - 1]]
    assert renewed[:4] == [60, 70, 80, 90]  # the first label enters at draw 61, ten labels each
    chances = set(sampling)
    assert all(abs(sum(q) - 1) < 1e-9 and min(q) > 0 for q in chances)


def test_predictions_without_scores_make_two_strata(assaymark, world, tmp_path) -> None:
    folder = tmp_path / "w"
    assaymark("init", folder, "--pool", world.path, "--id", "id", "--prediction", "prediction")
    sealed = assaymark("plan", "f1 >= 0.8", "--seed", "s", "-p", folder, "--json").json
    assert [s["prediction"] for s in sealed["strata"]] == [True, False]
    assert run_to_the_end(assaymark, folder, world, tmp_path).json["decision"] == "pass"


def test_scores_of_any_range_are_used_by_rank(assaymark, tmp_path) -> None:
    world = write_world(tmp_path / "pool.csv")
    lines = world.path.read_text().splitlines()
    moved = [lines[0]]
    for line in lines[1:]:
        name, score, rest = line.split(",", 2)
        moved.append(f"{name},{1000 * float(score) - 700},{rest}")
    world.path.write_text("\n".join(moved) + "\n")
    folder = tmp_path / "w"
    assaymark(
        "init",
        folder,
        "--pool",
        world.path,
        "--id",
        "id",
        "--score",
        "score",
        "--threshold",
        "-200",
    )
    sealed = assaymark("plan", "f1 >= 0.8", "--seed", "s", "-p", folder, "--json").json
    assert len(sealed["strata"]) == 9
    assert all(0 <= s["mean_score"] <= 1 for s in sealed["strata"])
    assert run_to_the_end(assaymark, folder, world, tmp_path).json["decision"] == "pass"


def test_a_tiny_pool_ends_in_certainty(assaymark, tmp_path) -> None:
    world = write_world(tmp_path / "tiny.csv", items=60)
    folder = tmp_path / "w"
    assaymark(
        "init", folder, "--pool", world.path, "--id", "id", "--score", "score", "--threshold", "0.5"
    )
    predicted = {item for item, score in world.scores.items() if score >= 0.5}
    hits = sum(world.truth[item] for item in predicted)
    true_f1 = 2 * hits / (len(predicted) + sum(world.truth.values()))
    assaymark("plan", f"f1 >= {true_f1 - 0.001:.6f}", "--seed", "s", "-p", folder)
    assert run_to_the_end(assaymark, folder, world, tmp_path).json["decision"] == "pass"
    assert assaymark("certify", "-p", folder).code == 0
    assert assaymark("verify", folder / "certificate.json").code == 0


@pytest.mark.parametrize("truth", [0, 1])
def test_a_pool_of_one_class_is_answered(assaymark, tmp_path, truth) -> None:
    """Prevalence zero, or everything positive: a correct answer, no crash."""
    world = write_world(tmp_path / "one.csv", items=120)
    same = type(world)(world.path, dict.fromkeys(world.truth, truth), world.scores)
    folder = tmp_path / "w"
    assaymark(
        "init", folder, "--pool", world.path, "--id", "id", "--score", "score", "--threshold", "0.5"
    )
    assaymark("plan", "recall >= 0.5", "--seed", "s", "-p", folder)
    seen = run_to_the_end(assaymark, folder, same, tmp_path)
    assert seen.json["decision"] == "fail", "recall is undefined or below a half"


def test_the_forecast_names_every_mode_and_seals_nothing(assaymark, project) -> None:
    found = assaymark(
        "plan", "f1 >= 0.8", "--expect", "0.88", "--forecast", "-p", project, "--json"
    ).json
    assert set(found["modes"]) == {"fixed", "budget", "anytime", "score-guided"}
    modes = found["modes"]
    assert (
        modes["score-guided"]["expected"] < modes["anytime"]["expected"] < modes["fixed"]["labels"]
    )
    assert modes["budget"]["power"] >= 0.93
    assert assaymark("status", "-p", project, "--json").json["claim"] is None
    precise = assaymark(
        "plan", "precision >= 0.8", "--expect", "0.88", "--forecast", "-p", project, "--json"
    ).json
    assert precise["recommended"] == min(
        precise["modes"], key=lambda name: precise["modes"][name]["expected"]
    )


def test_a_corrected_label_replays_everything(assaymark, project, world, tmp_path) -> None:
    assaymark("plan", "f1 >= 0.8", "--seed", "s", "-p", project)
    run_to_the_end(assaymark, project, world, tmp_path)
    assaymark("certify", "-p", project)
    before = json.loads((project / "certificate.json").read_text())
    first = Project(folder=project).state().attempts[0].order[0]
    write_labels(tmp_path / "c.csv", {first: 1 - world.truth[first]})
    assaymark("label", tmp_path / "c.csv", "--correct", "-p", project)
    assert assaymark("verify", project / "certificate.json", "--json").json["status"] == "failed"
    now = assaymark("look", "-p", project, "--json").json
    assert now["e_value"] != math.exp(before["rows"][0]["log_wealth"])


def test_the_reserve_grows_when_it_is_used_up(assaymark, tmp_path, monkeypatch) -> None:
    import assaymark.sampling.reserve as planning

    monkeypatch.setattr(planning, "FEWEST_TICKETS", 20)
    monkeypatch.setattr(planning, "MOST_TICKETS", 20)
    world = write_world(tmp_path / "pool.csv", items=900)
    folder = tmp_path / "w"
    assaymark(
        "init", folder, "--pool", world.path, "--id", "id", "--score", "score", "--threshold", "0.5"
    )
    assaymark("plan", "f1 >= 0.8", "--seed", "s", "-p", folder)
    seen = run_to_the_end(assaymark, folder, world, tmp_path)
    assert seen.json["decision"] == "pass"
    assert len(Project(folder=folder).state().attempts[0].reserves) > 1
    assaymark("certify", "-p", folder)
    assert assaymark("verify", folder / "certificate.json").code == 0


def test_without_an_expectation_the_scores_are_taken_at_their_word(assaymark, project) -> None:
    found = assaymark("plan", "f1 >= 0.8", "--forecast", "-p", project)
    assert found.code == 0
    assert "if the scores are right" in found.out
    given = assaymark("plan", "f1 >= 0.8", "--forecast", "--expect", "0.88", "-p", project)
    assert "if the scores are right" not in given.out


def test_futility_is_advice_and_ends_nothing(assaymark, tmp_path) -> None:
    """A claim that is too high is not refuted yet, but the outlook is said; the plan stays open."""
    world = write_world(tmp_path / "pool.csv", items=4000, prevalence=0.4)
    folder = tmp_path / "w"
    assaymark(
        "init", folder, "--pool", world.path, "--id", "id", "--score", "score", "--threshold", "0.5"
    )
    assaymark(
        "plan",
        "f1 >= 0.985",
        "--mode",
        "anytime",
        "--design",
        "simple",
        "--seed",
        "s",
        "-p",
        folder,
    )
    drawn = assaymark("draw", 170, "-p", folder, "--json").json["items"]
    write_labels(tmp_path / "l.csv", {i: world.truth[i] for i in drawn})
    assaymark("label", tmp_path / "l.csv", "-p", folder)
    seen = assaymark("look", "-p", folder, "--json").json
    assert seen["decision"] == "continue"
    assert "consider stopping" in seen["advice"]
    assert assaymark("draw", 5, "-p", folder).code == 0


def test_score_guided_may_be_asked_for_as_the_table_of_costs_names_it(assaymark, project) -> None:
    sealed = assaymark("plan", "f1 >= 0.8", "--mode", "score-guided", "-p", project, "--json").json
    assert (sealed["mode"], sealed["design"]) == ("anytime", "weighted")


def test_numbers_of_a_spent_budget_agree(assaymark, project, world, tmp_path) -> None:
    """It was spent "after 392 of the 363 items planned", and two estimates stood on one page."""
    assaymark("plan", "f1 >= 0.8", "--mode", "budget", "--expect", "0.9", "--seed", "s",
              "-p", project)  # fmt: skip
    size = Project(folder=project).state().attempt.plan.size
    drawn = assaymark("draw", size, "-o", tmp_path / "b.csv", "-p", project, "--json").json
    # of positives alone every draw counts, more than were planned for
    answers = {item: "?" if n < 3 else 1 for n, item in enumerate(drawn["items"])}
    assaymark("label", write_labels(tmp_path / "l.csv", answers), "-p", project)
    look = assaymark("look", "-p", project, "--json").json
    tested, planned = re.search(
        r"after ([\d,]+) of the ([\d,]+) items planned", look["reason"]
    ).groups()
    assert look["draws"] > int(planned)
    assert tested == planned
    estimate = assaymark("estimate", "-p", project, "--json").json
    assert estimate["f1"]["point"] == look["point"]


def test_where_every_draw_counts_no_more_are_sealed_than_are_judged(assaymark, project) -> None:
    """Of a plan on precision every eleventh label was bought for nothing."""
    assaymark("plan", "precision >= 0.95", "--mode", "budget", "--expect", "0.99", "-p", project)
    plan = Project(folder=project).state().attempt.plan
    assert plan.size == plan.informative
