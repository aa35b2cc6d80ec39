"""What verify tells a stranger: four outcomes, how the certificate came about, labels read again."""

import pytest

from worlds_on_disk import read_rows, write_labels


@pytest.fixture
def certified(assaymark, project, world, tmp_path):
    """A certified project with one correction after a look, two readers and an earlier plan."""
    assert assaymark("plan", "f1 >= 0.95", "--seed", "mine", "-p", project).code == 0
    assert assaymark("plan", "--abandon", "too high", "-p", project).code == 0
    assert assaymark("plan", "accuracy >= 0.7", "--mode", "anytime", "-p", project).code == 0
    first = {}
    for number, who in enumerate(("ann", "bob", "ann", "bob")):
        items = assaymark("draw", 30, "-p", project, "-o", tmp_path / f"b{number}.csv", "--json").json["items"]  # fmt: skip
        answers = {item: world.truth[item] for item in items}
        if number == 0:
            first = {items[0]: 1 - answers[items[0]]}
            answers |= first
        write_labels(tmp_path / f"l{number}.csv", answers)
        assert assaymark("label", tmp_path / f"l{number}.csv", "--annotator", who, "-p", project).code == 0  # fmt: skip
        if number == 0:
            assaymark("look", "-p", project)
            right = {item: 1 - label for item, label in first.items()}
            write_labels(tmp_path / "c.csv", right)
            assaymark("label", tmp_path / "c.csv", "--annotator", "ann", "--correct", "-p", project)
    assert assaymark("look", "-p", project).code == 0
    assert assaymark("certify", "-p", project).code == 0
    return project


def test_verify_tells_how_it_came_about_and_reads_labels_again(
    assaymark, certified, world, tmp_path
) -> None:
    path = certified / "certificate.json"
    before = (certified / "ledger.sqlite").read_bytes()
    told = assaymark("verify", path, "-p", certified)
    assert told.code == 0
    assert "Verified in part: no witness at hand." in told.out
    for text in (
        "labelled by",
        "ann (60), bob (60)",
        "2, the first at 30 labels",
        "1 correction, 0 decisions between reviewers; 1 of them after somebody had looked",
        "128 bits, in the form that assaymark takes at random",
        "plan 1 (f1 >= 0.95: abandoned, 0 draws)",
        "only a hash lodged outside can tell",
    ):
        assert text in told.out
    history = dict(assaymark("verify", path, "-p", certified, "--json").json["history"])
    assert history["cannot tell"] == "none"

    alone = tmp_path / "alone.json"
    alone.write_bytes(path.read_bytes())
    lonely = assaymark("verify", alone)
    assert lonely.code == 1
    assert (
        "Not verified: only the certificate was given. Add the project folder: -p DIR" in lonely.out
    )

    again = tmp_path / "again.csv"
    written = assaymark("verify", path, "-p", certified, "--sample", 20, "-o", again)
    assert "20 of 120 labelled items" in written.out
    rows = read_rows(again)
    assert [row["label"] for row in rows] == [""] * 20
    assert all(row["body"] for row in rows), "texts are there to read"
    answers = {row["id"]: world.truth[row["id"]] for row in rows}
    wrong = rows[0]["id"]
    write_labels(tmp_path / "reread.csv", answers | {wrong: 1 - answers[wrong]})
    found = assaymark("verify", path, "-p", certified, "--reread", tmp_path / "reread.csv", "--json").json  # fmt: skip
    assert (found["agreed"], found["read"], found["differing"]) == (19, 20, [wrong])
    assert found["low"] == pytest.approx(0.7513, abs=1e-4), "Clopper-Pearson for 19 of 20"
    assert found["high"] == pytest.approx(0.9987, abs=1e-4)
    write_labels(tmp_path / "unsure.csv", answers | {wrong: "?"})
    said = assaymark("verify", path, "-p", certified, "--reread", tmp_path / "unsure.csv").out
    assert "19 of 19 labels agree (100%); of all 120 labels between 75.12% and 100% would, " in said
    assert "; 1 could not be decided" in said
    write_labels(tmp_path / "other.csv", {"nobody": 1})
    refused = assaymark("verify", path, "-p", certified, "--reread", tmp_path / "other.csv")
    assert refused.code == 2
    assert (certified / "ledger.sqlite").read_bytes() == before, "verify never writes to the ledger"


def test_a_seed_of_one_s_own_choice_is_said(assaymark, project, world, tmp_path) -> None:
    assert assaymark("plan", "accuracy >= 0.6", "--mode", "fixed", "--budget", 40, "--seed", "lucky", "-p", project).code == 0  # fmt: skip
    items = assaymark("draw", "-p", project, "-o", tmp_path / "b.csv", "--json").json["items"]
    write_labels(tmp_path / "l.csv", {item: world.truth[item] for item in items})
    assaymark("label", tmp_path / "l.csv", "-p", project)
    assert assaymark("certify", "-p", project).code == 0
    told = assaymark("verify", project / "certificate.json", "-p", project).out
    assert "'lucky', chosen by hand" in told
    assert "1, at" in told or "none is recorded" in told
