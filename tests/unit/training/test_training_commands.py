"""The command `assaymark train` as people and scripts see it."""

import csv
from pathlib import Path
from types import SimpleNamespace

import pytest

from assaymark.project.folder import Project
from assaymark.records.plan import FAMILY
from assaymark.records.training import Advice
from assaymark.training.cli.shown import _show_next, belief_lines
from training_worlds import write_texts
from worlds_on_disk import read_rows, write_rows


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return write_texts(tmp_path_factory.mktemp("texts") / "pool.csv", items=600)


@pytest.fixture
def begun(world, tmp_path, assaymark):
    folder = tmp_path / "work"
    done = assaymark("init", folder, "--pool", world.path, "--id", "id", "--text", "title", "--text",
                 "body")  # fmt: skip
    assert done.code == 0, done.err
    done = assaymark(
        "train", "f1 >= 0.8", "--budget", 200, "--batch", 80, "--seed", "s", "-p", folder
    )
    assert done.code == 0, done.err
    assert "Training for f1 >= 0.8 with 95% confidence has begun" in done.out
    assert "items not used for training" in done.out
    assert "80 items to label" in done.out
    return folder


def fill(path, truth):
    rows = read_rows(path)
    write_rows(path, ({**row, "label": truth[row["id"]]} for row in rows))
    return path


def test_the_story_on_the_command_line(begun, world, assaymark) -> None:
    waiting = assaymark("train", "-p", begun)
    assert waiting.code == 0
    assert "80 items that training handed out wait for a label" in waiting.out
    done = assaymark("label", fill(begun / "survey-1-1.csv", world.truth), "-p", begun)
    assert "Next: assaymark train -p" in done.out
    went = assaymark("train", "-p", begun)
    assert went.code == 0
    assert "labels  positive  raw estimate" in went.out
    assert "80 (" in went.out
    before = assaymark("status", "-p", begun, "--json").json["events"]
    shown = assaymark("train", "--status", "-p", begun, "--json").json
    assert [look["labels"] for look in shown["looks"]] == [80]
    assert assaymark("status", "-p", begun, "--json").json["events"] == before, "it records nothing"
    assaymark("label", fill(begun / "survey-1-2.csv", world.truth), "-p", begun)
    events = assaymark("status", "-p", begun, "--json").json["events"]
    cost = assaymark("train", "--stop", "--forecast", "-p", begun)
    assert cost.code == 0
    assert "Certifying f1 >= 0.8 will take about" in cost.out
    assert "Nothing was frozen" in cost.out
    assert assaymark("status", "-p", begun, "--json").json["events"] == events
    stopped = assaymark("train", "--stop", "--seed", "c", "-p", begun)
    assert stopped.code == 0, stopped.err
    assert "for reading" in stopped.out
    assert "Certifying f1 >= 0.8 will take about" in stopped.out
    assert "is frozen; plan 1 is sealed: f1 >= 0.8" in stopped.out
    assert "Next: assaymark draw -p" in stopped.out
    refused = assaymark("train", "-p", begun)
    assert refused.code == 2
    assert "Training is over while plan 1" in refused.err
    assert assaymark("draw", "-p", begun).code == 0
    look = assaymark("train", "--status", "-p", begun)
    assert look.out.startswith("Model 2, trained on 100 labels, was frozen")


def test_json_has_everything(begun, world, assaymark) -> None:
    assaymark("label", fill(begun / "survey-1-1.csv", world.truth), "-p", begun)
    told = assaymark("train", "-p", begun, "--json").json
    assert told["refitted"] is True
    assert told["advice"]["action"] in ("train", "certify", "reconsider")
    assert told["batch"]["path"].endswith("survey-1-2.csv")
    assert (told["labels"], told["waiting"]) == (80, 20)
    assert told["population"] == "rest"
    stopped = assaymark("train", "--stop", "-p", begun, "--json").json
    assert stopped["items"] == 500
    assert stopped["excluded"] == 100
    assert stopped["plan"]["design"] == "weighted"


def test_the_plan_may_share_one_risk_with_other_claims(begun, world, assaymark) -> None:
    assaymark("label", fill(begun / "survey-1-1.csv", world.truth), "-p", begun)
    assaymark("train", "-p", begun)
    assert "add --stop" in assaymark("train", "--family", "-p", begun).err
    stopped = assaymark("train", "--stop", "--family", "-p", begun)
    assert stopped.code == 0, stopped.err
    assert Project(folder=begun).state().attempts[0].plan.stake.account == FAMILY


@pytest.mark.parametrize("form", ["html", "svg", "png"])
def test_the_learning_curve_is_drawn(form, begun, world, tmp_path, assaymark) -> None:
    early = assaymark("train", "--plot", tmp_path / f"early.{form}", "-p", begun)
    assert early.code == 2
    assert "no learning curve to draw" in early.err
    assaymark("label", fill(begun / "survey-1-1.csv", world.truth), "-p", begun)
    assaymark("train", "-p", begun)
    done = assaymark("train", "--plot", tmp_path / f"curve.{form}", "-p", begun)
    assert done.code == 0, done.err
    assert (tmp_path / f"curve.{form}").stat().st_size > 3_000
    again = assaymark("train", "--plot", tmp_path / f"curve.{form}", "-p", begun)
    assert again.code == 2
    assert "exists already" in again.err


@pytest.mark.parametrize(
    ("options", "said"),
    [(("--labels", 5), "add --stop"),
     (("--status", "--batch", 5), "only show"),
     (("--plot", "curve.pdf"), "A plot is written as .html, .svg, .png"),
     (("f1 >= 0.8", "--stop"), "leave out the claim"),
     (("--sampling", "clever"), "'sampling' must be one of"),
     (("--policy", "clever"), "'policy' must be one of"),
     (("--population", "all"), "'population' must be one of"),
     (("f1 <= 0.8",), "only its target may change"),
     (("--budget", 0), "0 is not in the range")],
)  # fmt: skip
def test_odd_options_are_refused(options, said, begun, assaymark) -> None:
    done = assaymark("train", *options, "-p", begun)
    assert done.code == 2
    assert said in done.err


def test_the_target_may_change_until_the_freeze(begun, world, assaymark) -> None:
    """No item that judges the claim is drawn before the freeze; the metric stays."""
    assaymark("label", fill(begun / "survey-1-1.csv", world.truth), "-p", begun)
    done = assaymark("train", "f1 >= 0.55", "-p", begun)
    assert done.code == 0, done.err
    assert "→ f1 >= 0.55" in done.out
    assert assaymark("train", "--status", "-p", begun, "--json").json["claim"] == "f1 >= 0.55"


def test_a_training_whose_target_was_lowered_as_advised_is_verified(
    begun, world, assaymark
) -> None:
    """`verify` and `check` said of it that its ledger cannot be genuine."""
    assaymark("label", fill(begun / "survey-1-1.csv", world.truth), "-p", begun)
    assert "f1 >= 0.8 → f1 >= 0.4" in assaymark("train", "f1 >= 0.4", "-p", begun).out
    assert assaymark("train", "--stop", "--seed", "t", "-p", begun).code == 0
    for _ in range(20):
        items = assaymark("draw", 40, "-p", begun, "--json").json["path"]
        assaymark("label", fill(Path(items), world.truth), "-p", begun)
        if assaymark("look", "-p", begun).out.startswith("Established"):
            break
    assert assaymark("certify", "-p", begun).code == 0
    verified = assaymark("verify", begun / "certificate.json", "-p", begun)
    assert verified.code == 0, verified.out
    assert assaymark("check", "-p", begun).code == 0


def test_pending_items_of_a_training_can_be_written_again(begun, assaymark) -> None:
    done = assaymark("draw", "--pending", "-p", begun, "--json")
    assert done.code == 0
    assert len(done.json["items"]) == 80


def test_the_first_positive_is_waited_for(begun, world, assaymark) -> None:
    none = dict.fromkeys(world.truth, 0)
    assaymark("label", fill(begun / "survey-1-1.csv", none), "-p", begun)
    done = assaymark("train", "-p", begun)
    assert done.code == 0
    assert "0 positives among 80 random training labels" in done.out
    assert "assaymark train --seeds IDS.csv" in done.out
    assert "80 items to label" in done.out


def test_a_changed_setting_is_told_once(begun, assaymark) -> None:
    went = assaymark("train", "--confidence", 0.9, "--budget", 300, "-p", begun)
    assert went.code == 0, went.err
    assert "Changed from here on: confidence 0.95 → 0.9, budget 200 → 300." in went.out
    again = assaymark("train", "--budget", 300, "-p", begun, "--json").json
    assert again["changed"] == []
    other = assaymark(
        "train", "--auto-certify", "--population", "whole", "-p", begun, "--json"
    ).json
    assert other["changed"] == ["population rest → whole", "auto_certify no → yes"]
    assert "about the whole collection" in assaymark("train", "--status", "-p", begun).out


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (("--status", "--budget", 900), "leave out --budget"),
        (("--stop", "--confidence", 0.9), "leave out --confidence"),
        (("--stop", "--plot", "curve.svg"), "leave out --plot"),
        (("f1 >= 0.8", "--plot", "curve.svg"), "leave out the claim"),
        (("--wait", 3), "--wait belongs to --policy wait, and the policy is split"),
        (("--budget", 5), "A budget of 5 labels cannot train and certify anything"),
    ],
)
def test_what_would_have_no_effect_is_refused(begun, assaymark, options, named) -> None:
    before = assaymark("status", "-p", begun, "--json").json["events"]
    refused = assaymark("train", *options, "-p", begun)
    assert refused.code == 2
    assert named in refused.err
    assert assaymark("status", "-p", begun, "--json").json["events"] == before


def test_the_first_words_name_the_learner_and_what_happens_by_itself(
    world, tmp_path, assaymark, monkeypatch
) -> None:
    (tmp_path / "own_learner.py").write_text(
        "from sklearn.feature_extraction.text import TfidfVectorizer\n"
        "from sklearn.linear_model import LogisticRegression\n"
        "from sklearn.pipeline import make_pipeline\n"
        "def build():\n    return make_pipeline(TfidfVectorizer(), LogisticRegression())\n"
    )
    monkeypatch.chdir(tmp_path)
    assaymark("init", "own", "--pool", world.path, "--id", "id", "--text", "body")
    done = assaymark("train", "f1 >= 0.8", "--budget", 200, "--learner", "own_learner:build",
                 "--auto-certify", "-p", "own")  # fmt: skip
    assert done.code == 0, done.err
    assert "own_learner:build" in done.out
    assert "freeze the classifier, seal its plan and draw, by itself" in done.out


def test_a_budget_that_will_hardly_last_is_told_when_training_stops(
    begun, world, assaymark
) -> None:
    assaymark("label", fill(begun / "survey-1-1.csv", world.truth), "-p", begun)
    assaymark("train", "--budget", 85, "-p", begun)
    if (more := begun / "survey-1-2.csv").exists():
        assaymark("label", fill(more, world.truth), "-p", begun)
    stopped = assaymark("train", "--stop", "--seed", "c", "-p", begun)
    assert stopped.code == 0, stopped.err
    assert "expected to need more labels than the budget has left" in stopped.out


def test_the_budget_is_watched_while_certifying(begun, world, assaymark) -> None:
    """Looks say how much of the budget training and certification have used together."""
    assaymark("label", fill(begun / "survey-1-1.csv", world.truth), "-p", begun)
    assert assaymark("train", "--stop", "--seed", "c", "-p", begun).code == 0
    for count in (60, 60, 20):
        assaymark("draw", count, "-p", begun)
        batch = max(begun.glob("batch-1-*.csv"))
        assaymark("label", fill(batch, world.truth), "-p", begun)
        told = assaymark("look", "-p", begun, "--json").json["budget"]
        assert told["budget"] == 200
    assert told["used"] == 220
    assert (
        "220 of 200 labels used for training and certification: exceeded by 20"
        in assaymark("look", "-p", begun).out
    )


def test_a_batch_does_not_pass_the_policys_limit(begun, world, assaymark) -> None:
    """45 % of 200 labels is 90: after 80, one small batch of 20 follows instead of 80."""
    assaymark("label", fill(begun / "survey-1-1.csv", world.truth), "-p", begun)
    told = assaymark("train", "--batch", 80, "-p", begun, "--json").json
    assert told["advice"]["until"] == 90
    assert len(told["batch"]["items"]) == 20


def test_items_without_a_label_cost_nothing_when_training_stops(begun, world, assaymark) -> None:
    assaymark("label", fill(begun / "survey-1-1.csv", world.truth), "-p", begun)
    assaymark("train", "--batch", 50, "-p", begun)
    stopped = assaymark("train", "--stop", "-p", begun)
    assert stopped.code == 0, stopped.err
    assert "20 items handed out for training without a settled label trained nothing" in stopped.out
    assert "budget left    120 labels" in stopped.out


def test_where_annotators_differ_the_way_on_is_a_decision(
    begun, world, assaymark, tmp_path
) -> None:
    file = fill(begun / "survey-1-1.csv", world.truth)
    assaymark("label", file, "--annotator", "kim", "-p", begun)
    with file.open(newline="", encoding="utf-8") as stream:
        item = next(csv.DictReader(stream))["id"]
    other = tmp_path / "lee.csv"
    other.write_text(f"id,label\n{item},{1 - world.truth[item]}\n")
    assaymark("label", other, "--annotator", "lee", "-p", begun)
    went = assaymark("train", "-p", begun)
    assert f"Next: decide them in a file: assaymark draw --pending -p {begun}\n" in went.out
    written = assaymark("draw", "--pending", "-p", begun).out
    assert "1 item to label" in written
    assert f"--adjudicate -p {begun}\n" in written


@pytest.mark.parametrize(("best", "shown"), [(116, False), (105, False), (90, True)])
def test_the_best_moment_to_stop_is_named_only_where_it_costs_less_than_now(best, shown) -> None:
    """Stopping now was forecast at 105 labels, and beside it "at the best: about 116"."""
    advice = Advice(
        action="train", reason="", labels=50, estimate=0.9, low=0.8, high=0.97, total=105,
        total_low=76, total_high=202, best_at=62, best_total=best,
    )  # fmt: skip
    summary = SimpleNamespace(metric="F1", target=0.75, budget=600)
    assert ("at the best" in dict(belief_lines(summary, advice))) == shown


def test_advice_to_certify_is_the_next_step_while_items_wait(capsys):
    """A lower target made certification advisable, and the next step was to label for training."""
    summary = SimpleNamespace(waiting=26, disputed=0, auto_certify=False)
    advice = SimpleNamespace(action="certify")
    _show_next(SimpleNamespace(summary=summary, batch=None, advice=advice), "work")
    said = capsys.readouterr().out
    assert "Next: assaymark train --stop -p work\n" in said
    assert "To label what was handed out first: assaymark draw --pending -p work" in said
