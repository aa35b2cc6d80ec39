"""Triage on the command line: refusals, thresholds, routing, labels to order, audit, report."""

import csv
import json
import shlex

import duckdb
import pytest

from assaymark.errors import InputError
from assaymark.overview.survey_sections import section_of
from assaymark.project.folder import Project
from assaymark.triaging import routing
from assaymark.triaging.files import read_thresholds
from assaymark.triaging.triage import Cutoffs, Thresholds
from triage_rows import rows_of
from worlds_on_disk import read_rows, write_rows


def fill(path):
    """The batch with its labels, which the text gives away."""
    rows = read_rows(path)
    done = path.with_name(f"done-{path.name}")
    return write_rows(done, [{**row, "label": int(row["text"].startswith("yes"))} for row in rows])


@pytest.fixture
def files(tmp_path):
    dev = write_rows(tmp_path / "dev.csv", rows_of(0, 500, seed=1))
    pool = write_rows(tmp_path / "pool.csv", rows_of(1000, 3000, seed=2, labels=False))
    return dev, pool


def ask(assaymark, dev, *more, target=0.92):
    return assaymark(
        "triage", "--dev", dev, "--score", "score", "--label", "label", "--target", target, *more
    )


KEYS = {
    "low", "high", "yield", "accuracy", "guaranteed_accuracy", "certified", "rule", "target",
    "delta", "precision_accept", "precision_reject", "type_1", "type_2", "utility",
    "detection_cost", "promise", "labels", "labels_needed", "curve", "histogram",
}  # fmt: skip


@pytest.mark.parametrize("rule", ["certified", "empirical", "sides", "precision"])
def test_every_rule_answers_with_the_same_keys_and_its_own_promise(assaymark, files, rule):
    dev, pool = files
    found = ask(assaymark, dev, "--rule", rule, "--pool", pool, "--id", "id", "--json")
    assert found.code == 0, found.err
    answer = found.json
    assert set(answer) >= KEYS
    assert answer["certified"] is (rule != "empirical")
    promised = {"certified": 0.92, "precision": 0.92}.get(rule)
    assert answer["guaranteed_accuracy"] == promised
    assert answer["low"] < answer["high"]
    assert sum(part["items"] for part in answer["histogram"]) == 3000
    automated = sum(part["items"] for part in answer["histogram"] if part["route"] != "review")
    assert automated / 3000 == pytest.approx(answer["yield"])


def test_rules_are_different_promises(assaymark, files):
    dev, _ = files
    said = {rule: ask(assaymark, dev, "--rule", rule).out.splitlines()[0]
            for rule in ("certified", "empirical", "sides", "precision")}  # fmt: skip
    assert said == {
        "certified": "At least 92% of the automated decisions are right, with 90% confidence.",
        "empirical": "No guarantee: these cut-offs are the best on the labels they were chosen with.",
        "sides": "At most 8% of the irrelevant items are accepted and at most 8% of the relevant ones "
        "rejected, with 90% confidence.",
        "precision": "At least 92% of the decisions on each automated side are right, with 90% confidence.",
    }


def change(rows, column, value, where=slice(None)):
    for row in rows[where]:
        row[column] = value
    return rows


@pytest.mark.parametrize(
    ("rows", "target", "said"),
    [
        (change(rows_of(0, 60, seed=1), "label", 1), 0.9, "All 60 development labels are 1"),
        (rows_of(0, 20, seed=1), 0.9, "20 labels can never prove an accuracy of 0.9 at risk 0.1: it takes 22"),
        (change(rows_of(0, 60, seed=1), "score", 0.5), 0.9, "All development scores are 0.5"),
        (rows_of(0, 60, seed=1), 0.55, "is not above 0.55, the share"),
        (rows_of(0, 60, seed=1), 1.0, "'target' must be between 0 and 1, got 1.0"),
        (rows_of(0, 60, seed=1), 90.0, "Did you mean 0.9?"),
        (change(rows_of(0, 60, seed=1), "score", "nan", slice(2)), 0.9, "2 of 60 items of the development file have no finite"),
        (change(rows_of(0, 60, seed=1), "score", "", slice(1)), 0.9, "1 of 60 items of the development file have no finite"),
        (change(rows_of(0, 60, seed=1), "label", 2, slice(3)), 0.9, "3 labels in 'label' of the development file are '2'"),
        (change(rows_of(0, 60, seed=1), "label", "", slice(1)), 0.9, "1 label in 'label' of the development file is empty"),
    ],
)  # fmt: skip
def test_bad_development_files_are_refused_in_one_sentence(assaymark, tmp_path, rows, target, said):
    dev = write_rows(tmp_path / "dev.csv", rows)
    more = ("--calibrator", "none", "--pool", dev_pool(tmp_path), "--id", "id")
    found = ask(assaymark, dev, *more, target=target)
    assert found.code == 2
    assert said in found.err
    assert found.out == ""


def dev_pool(folder):
    return write_rows(folder / "other.csv", rows_of(9000, 400, seed=5, labels=False))


def test_other_bad_input_is_refused(assaymark, files, tmp_path):
    dev, pool = files
    both = write_rows(tmp_path / "both.csv", rows_of(490, 300, seed=3, labels=False))
    found = ask(assaymark, dev, "--pool", both, "--id", "id")
    assert found.code == 2
    assert "10 development items are in the pool too (for example 'i490')" in found.err
    flat = write_rows(tmp_path / "flat.csv", change(rows_of(900, 50, seed=3), "score", 1))
    assert "All pool scores are 1" in ask(assaymark, dev, "--pool", flat, "--id", "id").err
    assert "--pool needs --id" in ask(assaymark, dev, "--pool", pool).err
    assert "Did you mean 'certified'?" in ask(assaymark, dev, "--rule", "certifed").err
    assert (
        "Column 'scor' is not in the development file"
        in assaymark(
            "triage", "--dev", dev, "--score", "scor", "--label", "label", "--target", 0.9
        ).err
    )
    assert assaymark("triage").code == 2
    assert assaymark("triage", "--dev", dev).code == 2
    few = write_rows(tmp_path / "few.csv", rows_of(0, 60, seed=1))
    found = ask(assaymark, few, "--rule", "sides", target=0.95)
    assert "it takes 59 of each" in found.err


def test_too_few_labels_say_how_many_it_takes_before_any_is_set_aside(assaymark, tmp_path):
    found = ask(assaymark, write_rows(tmp_path / "few.csv", rows_of(0, 10, seed=1)))
    assert found.code == 2
    assert "10 labels can never prove an accuracy of 0.92 at risk 0.1: it takes 28" in found.err


def test_a_plot_of_no_known_form_leaves_no_thresholds_behind(assaymark, files, tmp_path):
    found = ask(assaymark, files[0], "-o", tmp_path / "cuts.json", "--plot", tmp_path / "plot.bmp")
    assert found.code == 2
    assert "A plot is written as .svg or .png, got 'plot.bmp'" in found.err
    assert not (tmp_path / "cuts.json").exists()


def test_a_target_too_close_to_the_accuracy_is_refused_at_once(assaymark):
    found = assaymark("triage", "size", "--target", 0.9, "--expect", 0.9001)
    assert found.code == 2
    assert "More than 2,000,000 labels" in found.err


def test_an_audit_without_labels_says_so_and_asks_for_them(assaymark, cuts, work, tmp_path):
    batch = write_rows(tmp_path / "new.csv", rows_of(50_000, 400, seed=8, labels=False))
    drawn = assaymark("triage", "audit", "--thresholds", cuts, "--batch", batch, "--id", "id",
                  "--draw", 5, "-p", work)  # fmt: skip
    assert drawn.code == 0, drawn.err
    found = assaymark("triage", "audit", "-p", work)
    assert found.out.startswith("Nothing is known yet about the promise")
    assert "Next: label the items that are out" in found.out


def test_where_nothing_is_proved_everything_goes_to_people_and_the_answer_is_no(
    assaymark, tmp_path
):
    dev = write_rows(tmp_path / "dev.csv", rows_of(0, 300, seed=1, blur=0.6))
    found = ask(assaymark, dev, "--json", "-o", tmp_path / "cuts.json", target=0.97)
    assert found.code == 1
    answer = found.json
    assert (answer["low"], answer["high"], answer["yield"]) == (None, None, 0)
    assert answer["certified"] is False
    assert answer["promise"].startswith("Nothing is promised and everything goes to people")
    refused = assaymark(
        "triage", "route", "--thresholds", tmp_path / "cuts.json", "--pool", dev, "--id", "id",
        "-o", tmp_path / "routed",
    )  # fmt: skip
    assert refused.code == 2
    assert "certify nothing" in refused.err
    assert not (tmp_path / "routed").exists()


@pytest.fixture
def cuts(assaymark, files, tmp_path):
    dev, pool = files
    done = ask(assaymark, dev, "--pool", pool, "--id", "id", "-o", tmp_path / "cuts.json",
               "--plot", tmp_path / "plot.svg")  # fmt: skip
    assert done.code == 0, done.err
    return tmp_path / "cuts.json"


def test_thresholds_and_plot_are_written_once_and_read_back(assaymark, files, cuts, tmp_path):
    known = read_thresholds(cuts)
    assert Thresholds.from_dict(json.loads(json.dumps(known.to_dict()))) == known
    assert (tmp_path / "plot.svg").read_text(encoding="utf-8").startswith("<svg")
    again = ask(assaymark, files[0], "-o", cuts)
    assert again.code == 2
    assert "exists already" in again.err
    (tmp_path / "odd.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match="is no file of thresholds"):
        read_thresholds(tmp_path / "odd.json")


def test_routing_parts_every_item_once_by_the_score_itself(assaymark, files, cuts, tmp_path):
    known = read_thresholds(cuts).cutoffs
    done = assaymark("triage", "route", "--thresholds", cuts, "--pool", files[1], "--id", "id",
                 "-o", tmp_path / "routed", "--json")  # fmt: skip
    assert done.code == 0, done.err
    parts = {
        name: duckdb.sql(
            f"SELECT id, CAST(score AS DOUBLE) FROM '{tmp_path}/routed/{name}.parquet'"
        ).fetchall()
        for name in routing.PARTS
    }
    assert {name: len(rows) for name, rows in parts.items()} == {
        name: done.json[name] for name in routing.PARTS
    }
    assert all(score >= known.high for _, score in parts["accept"])
    assert all(score <= known.low for _, score in parts["reject"])
    assert all(known.low < score < known.high for _, score in parts["review"])
    assert len({item for rows in parts.values() for item, _ in rows}) == 3000
    again = assaymark("triage", "route", "--thresholds", cuts, "--pool", files[1], "--id", "id",
                  "-o", tmp_path / "routed")  # fmt: skip
    assert again.code == 2
    assert "nothing is overwritten" in again.err


def test_a_failed_routing_leaves_nothing_behind(files, tmp_path, monkeypatch):
    columns = routing.ScoreColumns(score="score", id="id")
    monkeypatch.setattr(routing, "conditions", lambda _score, _cuts: {"accept": "false"})
    with pytest.raises(InputError, match="3,000 items were read, and then 0"):
        routing.route(str(files[1]), columns, Cutoffs(low=None, high=None), tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dev.csv", "pool.csv"]


def test_bad_pools_are_not_routed(assaymark, cuts, tmp_path):
    for rows, said in (
        (change(rows_of(0, 9, seed=1), "score", "inf", slice(1)), "1 of 9 items have a score that is not finite"),
        (change(rows_of(0, 9, seed=1), "id", "same"), "are not unique"),
    ):  # fmt: skip
        bad = write_rows(tmp_path / "bad.csv", rows)
        done = assaymark("triage", "route", "--thresholds", cuts, "--pool", bad, "--id", "id",
                     "-o", tmp_path / "routed")  # fmt: skip
        assert done.code == 2
        assert said in done.err
        assert not (tmp_path / "routed").exists()


@pytest.fixture
def work(assaymark, files, tmp_path):
    done = assaymark("init", tmp_path / "work", "--pool", files[1], "--id", "id", "--score", "score",
                 "--text", "text")  # fmt: skip
    assert done.code == 0, done.err
    return tmp_path / "work"


def test_labels_to_order_are_drawn_blind_judged_once_and_reported(assaymark, files, work, tmp_path):
    order = ("triage", "draw", "--target", 0.9, "--labels", 150, "--train", files[0], "-p", work)
    drawn = assaymark(*order, "--seed", "s", "-o", tmp_path / "b.csv", "--json")
    assert drawn.code == 0, drawn.err
    assert (tmp_path / "b.csv").read_text(encoding="utf-8").splitlines()[0] == "id,text,label"
    inside = drawn.json
    assert len(inside["items"]) == 150
    assert "have no label yet" in assaymark("triage", "-p", work).err
    assert "were not judged yet" in assaymark(*order).err
    assert assaymark("label", fill(tmp_path / "b.csv"), "-p", work).code == 0
    found = assaymark("triage", "-p", work, "--json")
    assert found.code == 0, found.err
    answer = found.json
    assert answer["certified"]
    assert answer["low"] <= inside["low"]
    assert answer["high"] >= inside["high"]
    assert answer["labels"] == 150
    survey = Project(folder=work).state().surveys[-1]
    assert len(survey.reports) == 1
    section = section_of("triage")(survey.reports[0].event.result)
    assert section.sentence == answer["promise"]
    assert [chart.title for chart in section.charts] == ["Yield plot", "Scores and both cut-offs"]
    assert assaymark("triage", "-p", work, "--json").json == answer
    assert len(Project(folder=work).state().surveys[-1].reports) == 1


def test_the_next_step_of_a_projects_triage_can_be_pasted(assaymark, files, work, tmp_path):
    order = ("triage", "draw", "--target", 0.9, "--labels", 150, "--train", files[0], "-p", work)
    assert assaymark(*order, "--seed", "s", "-o", tmp_path / "b.csv").code == 0
    assert assaymark("label", fill(tmp_path / "b.csv"), "-p", work).code == 0
    done = assaymark("triage", "-p", work)
    for _ in range(2):  # the first writes the thresholds, the second routes the pool
        done = assaymark(*shlex.split(done.out.split("Next: assaymark ")[1]))
        assert done.code == 0, done.err
    assert (work / "thresholds.json").exists()
    assert (work / "routed" / "accept.parquet").exists()


def test_items_that_nobody_could_tell_count_as_wrong(assaymark, files, work, tmp_path):
    assert assaymark("triage", "draw", "--target", 0.9, "--labels", 60, "--train", files[0], "-p", work,
                 "-o", tmp_path / "b.csv").code == 0  # fmt: skip
    done = fill(tmp_path / "b.csv")
    with done.open(encoding="utf-8") as stream:
        rows = [{**row, "label": "?"} for row in csv.DictReader(stream)]
    assert assaymark("label", write_rows(tmp_path / "all.csv", rows), "-p", work).code == 0
    found = assaymark("triage", "-p", work, "--json")
    assert found.code == 1
    assert found.json["skipped"] == 60


def test_too_few_labels_to_order_are_refused(assaymark, work):
    done = assaymark("triage", "draw", "--target", 0.9, "--labels", 21, "-p", work)
    assert done.code == 2
    assert "it takes at least 22" in done.err


def test_the_size_of_a_certificate(assaymark):
    assert assaymark("triage", "size", "--target", 0.9, "--expect", 0.95, "--json").json == {
        "target": 0.9, "expected": 0.95, "delta": 0.1, "power": 0.8, "labels": 152, "first": 128,
        "fewest": 22,
    }  # fmt: skip
    assert (
        "no number of labels" in assaymark("triage", "size", "--target", 0.9, "--expect", 0.9).err
    )


def audit(assaymark, cuts, work, batch, tmp_path, name, *more, count=200):
    done = assaymark("triage", "audit", "--thresholds", cuts, "--batch", batch, "--id", "id", "--text",
                 "text", "--draw", count, "--seed", name, "-o", tmp_path / name, "-p", work, *more)  # fmt: skip
    assert done.code == 0, done.err
    assert assaymark("label", fill(tmp_path / name), "-p", work).code == 0
    return assaymark("triage", "audit", "-p", work, "--json")


def test_an_audit_tells_a_promise_kept_from_one_broken_by_drift(assaymark, cuts, work, tmp_path):
    good = write_rows(tmp_path / "may.csv", rows_of(10_000, 1500, seed=11, labels=False))
    bad = write_rows(tmp_path / "june.csv", rows_of(20_000, 1500, seed=12, blur=0.6, labels=False))
    first = audit(assaymark, cuts, work, good, tmp_path, "a.csv", "--alarm", "every-batch")
    assert first.code == 0, first.err
    assert first.json["decision"] in ("kept", "open")
    assert first.json["draws"] >= 200 == first.json["labels"]
    second = audit(assaymark, cuts, work, bad, tmp_path, "b.csv")
    assert second.code == 1
    found = second.json
    assert found["decision"] == "broken"
    assert found["drift"] is True
    assert found["since"] > first.json["draws"] - 40
    assert [batch["name"] for batch in found["batches"]] == ["may.csv", "june.csv"]
    report = Project(folder=work).state().surveys[-1].reports[-1].event.result
    section = section_of("audit")(report)
    assert section.sentence.startswith("The promise of 92% is broken")
    late = assaymark("triage", "audit", "--thresholds", cuts, "--batch", good, "--id", "id", "--draw", 5,
                 "-p", work)  # fmt: skip
    assert "was audited before" in late.err


def test_an_audit_waits_for_the_first_missing_label(assaymark, cuts, work, tmp_path):
    batch = write_rows(tmp_path / "may.csv", rows_of(10_000, 1500, seed=11, labels=False))
    assert assaymark("triage", "audit", "--thresholds", cuts, "--batch", batch, "--id", "id", "--text",
                 "text", "--draw", 40, "--seed", "s", "-o", tmp_path / "a.csv", "-p", work).code == 0  # fmt: skip
    first = Project(folder=work).state().surveys[-1].order[0]
    done = fill(tmp_path / "a.csv")
    with done.open(encoding="utf-8") as stream:
        rows = [row for row in csv.DictReader(stream) if row["id"] != first]
    assert assaymark("label", write_rows(tmp_path / "most.csv", rows), "-p", work).code == 0
    found = assaymark("triage", "audit", "-p", work, "--json").json
    assert (found["draws"], found["missing"], found["waiting"]) == (0, 1, 39)


def test_promises_that_an_audit_cannot_see_are_refused(assaymark, files, work, tmp_path):
    assert ask(assaymark, files[0], "--rule", "sides", "-o", tmp_path / "s.json").code == 0
    done = assaymark("triage", "audit", "--thresholds", tmp_path / "s.json", "--batch", files[1], "--id",
                 "id", "--draw", 5, "-p", work)  # fmt: skip
    assert done.code == 2
    assert "within each class" in done.err
