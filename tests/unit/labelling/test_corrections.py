"""Corrections name the person whose label they change."""

from worlds_on_disk import write_labels


def test_a_correction_by_somebody_else_is_no_second_reading(
    assaymark, project, world, tmp_path
) -> None:
    """`--correct` without the annotator recorded another person's label, and a conflict."""
    assert assaymark("plan", "f1 >= 0.6", "--seed", "s", "-p", project).code == 0
    drawn = assaymark("draw", 20, "-p", project, "-o", tmp_path / "b.csv", "--json").json["items"]
    write_labels(tmp_path / "a.csv", {item: world.truth[item] for item in drawn})
    kim = ("label", tmp_path / "a.csv", "--annotator", "kim", "-p", project)
    assert assaymark(*kim).code == 0
    write_labels(tmp_path / "c.csv", {drawn[3]: 1 - world.truth[drawn[3]]})
    correct = ("label", tmp_path / "c.csv", "--correct", "-p", project)
    refused = assaymark(*correct)
    assert refused.code == 2
    assert f"'reviewer' gave '{drawn[3]}' no label, 'kim' did." in refused.err
    assert "--annotator kim" in refused.err
    done = assaymark(*correct, "--annotator", "kim")
    assert done.code == 0, done.err
    assert "corrections  1" in done.out


def test_one_item_that_was_not_handed_out_is_named(assaymark, project, tmp_path) -> None:
    assert assaymark("plan", "f1 >= 0.6", "--seed", "s", "-p", project).code == 0
    assert assaymark("draw", 5, "-p", project, "-o", tmp_path / "b.csv").code == 0
    write_labels(tmp_path / "x.csv", {"nobody": 1})
    refused = assaymark("label", tmp_path / "x.csv", "-p", project)
    assert "Item 'nobody' was not handed out. Label the items that" in refused.err
