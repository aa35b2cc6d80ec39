"""A stranger has the pool in another place, and reads why earlier plans were given up."""

import json


def test_a_moved_pool_is_checked_where_it_is_now(assaymark, labelled, world, tmp_path) -> None:
    assert assaymark("certify", "-o", tmp_path / "c.json", "-p", labelled).code == 0
    away = tmp_path / "archive"
    away.mkdir()
    world.path.rename(away / world.path.name)
    before = assaymark("verify", tmp_path / "c.json", "-p", labelled, "--json").json
    assert {c["name"]: c["outcome"] for c in before["checks"]}["pool"] == "not checked"
    moved = ("--pool", away / world.path.name)
    after = assaymark("verify", tmp_path / "c.json", "-p", labelled, *moved, "--json").json
    assert (after["status"], {check["outcome"] for check in after["checks"]} - {"not checked"}) == (
        "verified in part",  # no witness at hand
        {"ok"},
    )
    assert "pool" in {check["name"] for check in after["checks"] if check["outcome"] == "ok"}


def test_another_file_in_its_place_is_no_pool(assaymark, labelled, world, tmp_path) -> None:
    assert assaymark("certify", "-o", tmp_path / "c.json", "-p", labelled).code == 0
    away = tmp_path / "archive"
    away.mkdir()
    other = away / world.path.name
    other.write_text(world.path.read_text().replace("a comma", "a dash"))
    answer = assaymark("verify", tmp_path / "c.json", "-p", labelled, "--pool", other)
    assert (answer.code, "is not what was registered" in answer.out) == (1, True)
    nowhere = assaymark("verify", tmp_path / "c.json", "-p", labelled, "--pool", away / "no.csv")
    assert nowhere.code != 0
    assert "There is no pool at" in nowhere.out + nowhere.err


def test_why_an_earlier_plan_was_given_up_is_on_the_certificate(
    assaymark, project, world, tmp_path
) -> None:
    assaymark("plan", "f1 >= 0.9", "--mode", "fixed", "--budget", 50, "--seed", "t", "-p", project)
    assaymark("plan", "--abandon", "the target was a typing error", "-p", project)
    plan = ("--mode", "fixed", "--budget", 300)
    assaymark("plan", "f1 >= 0.8", *plan, "-p", project)
    drawn = assaymark("draw", "-o", tmp_path / "b.csv", "-p", project, "--json").json["items"]
    lines = "".join(f"{item},{world.truth[item]}\n" for item in drawn)
    (tmp_path / "l.csv").write_text("id,label\n" + lines)
    assaymark("label", tmp_path / "l.csv", "-p", project)
    assert assaymark("certify", "-o", tmp_path / "c.json", "-p", project).code == 0
    earlier = json.loads((tmp_path / "c.json").read_text())["earlier"]
    assert [one["note"] for one in earlier] == ["the target was a typing error"]
    assert assaymark("verify", tmp_path / "c.json", "-p", project).code == 0


def test_a_place_is_named_from_where_one_stands_and_the_name_may_differ(
    assaymark, labelled, world, tmp_path, monkeypatch
) -> None:
    assert assaymark("certify", "-o", tmp_path / "c.json", "-p", labelled).code == 0
    away = tmp_path / "archive"
    away.mkdir()
    world.path.rename(away / "theirs.csv")
    monkeypatch.chdir(away)
    given = ("verify", tmp_path / "c.json", "-p", labelled, "--json", "--pool")
    checks = {
        check["name"]: check["outcome"] for check in assaymark(*given, "theirs.csv").json["checks"]
    }
    assert (checks["pool"], checks["draw"]) == ("ok", "ok")
    (away / "other.csv").write_text((away / "theirs.csv").read_text().replace("a comma", "a dash"))
    assert assaymark(*given, "other.csv").code == 1
