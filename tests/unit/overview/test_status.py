"""What `status` counts, beside what `look`, `estimate` and `label` count of the same project."""

import shutil

import pytest

from worlds_on_disk import write_labels


@pytest.fixture
def batch(assaymark, project, tmp_path):
    """A score-guided plan with one batch of 20; the ids in the order of their draws."""
    assert assaymark("plan", "f1 >= 0.6", "--seed", "s", "-p", project).code == 0
    assert assaymark("draw", 20, "-p", project, "-o", tmp_path / "b.csv").code == 0
    from assaymark.project.folder import Project

    return Project(folder=project).state().attempt.order


def test_items_that_nobody_could_tell_are_counted_alike(
    assaymark, project, world, tmp_path, batch
) -> None:
    """`status` counted them as labelled without a word, `look` in a line of its own."""
    answers = {item: world.truth[item] for item in batch}
    write_labels(tmp_path / "a.csv", answers | {batch[2]: "?", batch[5]: "?"})
    assert assaymark("label", tmp_path / "a.csv", "-p", project).code == 0
    status, look = (assaymark(name, "-p", project) for name in ("status", "look"))
    for shown in (status, look):
        assert "could not tell" in shown.out
        assert "2 of them (counted against the claim)" in shown.out
    now, seen = (assaymark(name, "-p", project, "--json").json for name in ("status", "look"))
    assert (now["labelled"], now["unclear"]) == (seen["labels"], seen["skipped"]) == (20, 2)


def test_claims_of_several_parts_count_them_alike(assaymark, project, world, tmp_path) -> None:
    claim = "recall >= 0.5 and precision >= 0.5"
    assert assaymark("plan", claim, "--seed", "s", "-p", project).code == 0
    items = assaymark("draw", 20, "-p", project, "-o", tmp_path / "b.csv", "--json").json["items"]
    write_labels(tmp_path / "a.csv", {i: world.truth[i] for i in items} | {items[0]: "?"})
    assert assaymark("label", tmp_path / "a.csv", "-p", project).code == 0
    shown = (assaymark(name, "-p", project).out for name in ("status", "look"))
    status, look = (" ".join(text.split()) for text in shown)
    assert "items labelled 20 could not tell 1 of them (counted against the claim)" in status
    assert "labels 20 (20 draws) could not tell 1 of them (counted against every statement)" in look


def test_look_and_estimate_have_an_estimate_or_none(
    assaymark, project, world, tmp_path, batch
) -> None:
    """`look` showed what the scores imply, `estimate` that there is none, of the same labels."""
    relevant = [place for place, item in enumerate(batch) if world.truth[item]]
    assert relevant[0] > 0
    before = batch[: relevant[0]]
    write_labels(tmp_path / "a.csv", {item: world.truth[item] for item in before})
    assert assaymark("label", tmp_path / "a.csv", "-p", project).code == 0
    look = assaymark("look", "-p", project)
    assert "none: no relevant item is labelled yet" in look.out
    assert assaymark("look", "-p", project, "--json").json["point"] is None
    report = assaymark("report", "-o", tmp_path / "r.html", "-p", project).out
    assert "so far; no relevant item is labelled yet; the claim is" in report
    estimate = assaymark("estimate", "-p", project)
    assert "F1 is undefined after" in estimate.out
    assert f"{20 - len(before)} drawn items wait for a label" in estimate.out


def test_no_time_settles_what_reviewers_differ_on(
    assaymark, project, world, tmp_path, batch
) -> None:
    """`label --overdue` said that nothing is late, and not that something waits for a decision."""
    write_labels(tmp_path / "a.csv", {item: world.truth[item] for item in batch})
    assaymark("label", tmp_path / "a.csv", "--annotator", "ann", "-p", project)
    write_labels(tmp_path / "b2.csv", {batch[1]: 1 - world.truth[batch[1]]})
    assaymark("label", tmp_path / "b2.csv", "--annotator", "bob", "-p", project)
    answer = assaymark("label", "--overdue", 14, "--yes", "-p", project)
    assert answer.code == 2
    assert "1 item on which reviewers differ waits for a decision" in answer.err
    assert "to decide it: assaymark draw --pending" in answer.err


def test_the_last_resort_names_the_project(assaymark, project, world, tmp_path, batch) -> None:
    """The command was printed without `-p`, and ran nowhere but in the project's folder."""
    write_labels(tmp_path / "a.csv", {item: world.truth[item] for item in batch[1:]})
    shown = assaymark("label", tmp_path / "a.csv", "-p", project)
    for out in (shown.out, assaymark("status", "-p", project).out):
        assert f"assaymark label --overdue 14 -p {project}" in out


def test_a_collection_without_a_relevant_item_has_no_recall(assaymark, tmp_path) -> None:
    """`status` and `certify` said that it is 0, `estimate` that no label says anything yet."""
    pool = tmp_path / "none.csv"
    pool.write_text("id,score,body\n" + "".join(f"d{i},0.{i},x\n" for i in range(1, 10)))
    place, batch = tmp_path / "none", tmp_path / "b.csv"
    options = ("--id", "id", "--score", "score", "--threshold", 0.5, "--text", "body")
    assert assaymark("init", place, "--pool", pool, *options).code == 0
    assert assaymark("plan", "recall >= 0.8", "--expect", 0.9, "-p", place).code == 0
    items = assaymark("draw", 9, "-p", place, "-o", batch, "--json").json["items"]
    write_labels(tmp_path / "a.csv", dict.fromkeys(items, 0))
    assert assaymark("label", tmp_path / "a.csv", "-p", place).code == 0
    reason = "recall cannot be computed: no item of the collection is relevant"
    assert reason in assaymark("look", "-p", place).out
    assert reason in assaymark("status", "-p", place).out
    assert reason in assaymark("certify", "-p", place).err
    estimate = assaymark("estimate", "-p", place).out
    assert "undefined: no item of the collection is relevant" in estimate
    assert "Nothing is guaranteed" not in estimate


def test_after_the_certificate_the_report_is_next(assaymark, labelled_place, tmp_path) -> None:
    """It asked for another plan, with dots for a claim, as if nothing had been reached."""
    place = tmp_path / "copy"
    shutil.copytree(labelled_place, place)
    assert assaymark("look", "-p", place / "work").code == 0
    assert assaymark("certify", "-p", place / "work").code == 0
    out = assaymark("status", "-p", place / "work").out
    assert "Plan 1: certified." in out
    assert "Next: assaymark report -p" in out


def test_after_a_plan_that_failed_no_other_plan_is_advised(
    assaymark, project, world, tmp_path
) -> None:
    """It asked for another plan, which is refused: the risk of the claim is used up."""
    assaymark(
        "plan", "f1 >= 0.95", "--mode", "fixed", "--budget", 100, "--seed", "s", "-p", project
    )
    items = assaymark("draw", "-p", project, "-o", tmp_path / "b.csv", "--json").json["items"]
    write_labels(tmp_path / "a.csv", {item: world.truth[item] for item in items})
    assert assaymark("label", tmp_path / "a.csv", "-p", project).code == 0
    assert assaymark("look", "-p", project).code == 1
    again = assaymark("plan", "f1 >= 0.95", "--mode", "fixed", "--budget", 100, "-p", project)
    assert "used up its risk" in again.err
    assert "Next: assaymark certify --bound -p" in assaymark("status", "-p", project).out
    assert assaymark("certify", "--bound", "-p", project).code == 0
    assert "Next: assaymark report -p" in assaymark("status", "-p", project).out


def test_a_training_is_not_advised_to_label_the_whole_collection(assaymark, tmp_path) -> None:
    """`--budget 3000` was advised in a collection of 400 items."""
    pool = tmp_path / "texts.csv"
    pool.write_text("id,body\n" + "".join(f"d{i},x\n" for i in range(400)))
    told = assaymark("init", tmp_path / "t", "--pool", pool, "--id", "id", "--text", "body")
    assert "--budget 100 -p" in told.out


def test_a_plan_that_was_decided_comes_before_an_older_estimate(
    assaymark, project, world, tmp_path
) -> None:
    """`status` and `estimate` spoke of the older estimate again, and forgot what became of the claim."""
    estimate = ("plan", "--estimate", "recall", "--budget", 20, "-p", project)
    assert assaymark(*estimate).code == 0
    assert assaymark("draw", "-p", project, "-o", tmp_path / "e.csv").code == 0
    write_labels(tmp_path / "all.csv", world.truth)
    assert assaymark("label", tmp_path / "all.csv", "-p", project).code == 0
    assert "Estimate 1" in assaymark("status", "-p", project).out
    assert assaymark("plan", "f1 >= 0.2", "--seed", "s", "-p", project).code != 0  # a chosen seed
    assert assaymark("plan", "f1 >= 0.2", "-p", project).code == 0
    for number in range(8):
        assaymark("draw", 60, "-p", project, "-o", tmp_path / f"{number}.csv")
        assert assaymark("label", tmp_path / "all.csv", "-p", project).code == 0
        if assaymark("look", "-p", project).out.startswith("Established"):
            break
    assert assaymark("certify", "-p", project).code == 0
    status = assaymark("status", "-p", project).out
    assert status.startswith("Plan 1: certified.")
    assert f"Next: assaymark report -p {project}" in status
    look = assaymark("look", "-p", project, "--json").json
    f1 = assaymark("estimate", "-p", project, "--json").json["f1"]
    assert (f1["point"], f1["guaranteed_low"]) == (look["point"], look["low"])


def test_whoever_gives_a_plan_up_is_told_what_that_costs(assaymark, project) -> None:
    assert assaymark("plan", "f1 >= 0.6", "--seed", "s", "-p", project).code == 0
    done = assaymark("plan", "--abandon", "another claim", "-p", project).out
    assert "Later plans on this claim share its risk, so what it used up is not given back." in done
    assert done.endswith(f"Next: assaymark report -p {project}\n")
