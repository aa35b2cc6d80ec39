"""Items with any number of labels: one claim for each label, on the same draws, in one family."""

import csv
import json

import pytest

import assaymark as package
from assaymark.project.folder import Project
from worlds_on_disk import read_rows

TAGS = ("food", "news", "sport")


@pytest.fixture
def folder(tmp_path):
    """400 items; a label is missed in 1 of 25 items and added in 1 of 40."""
    with (tmp_path / "pool.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "body", "topics", "next"])
        for i in range(400):
            true = [tag for bit, tag in enumerate(TAGS) if i >> bit & 1]
            topics = [tag for tag in true if i % 25 or tag != true[0]]
            added = TAGS[i % 3] if i % 40 == 3 else None
            topics = [*topics, added] if added and added not in topics else topics
            writer.writerow([f"m{i}", ",".join(true), " ;".join(reversed(topics)), "; ".join(true)])
    return tmp_path


def pool_rows(folder):
    with (folder / "pool.csv").open() as stream:
        return list(csv.DictReader(stream))


def begun(assaymark, folder, *more):
    pool = ("--pool", folder / "pool.csv", "--id", "id", "--text", "body")
    return assaymark("init", folder / "w", *pool, "--prediction", "topics", *more)


def answered(assaymark, folder, count, *, batch="b.csv"):
    """Draw and label: the tags in any order and case, with semicolons between them."""
    path = folder / batch
    assert assaymark("draw", count, "-o", path, "-p", folder / "w").code == 0
    rows = read_rows(path)
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        for row in rows:
            tags = [tag.upper() for tag in reversed(row["body"].split(",")) if tag]
            writer.writerow({**row, "label": ";".join(tags) or "none of the list"})
    done = assaymark("label", path, "-p", folder / "w")
    assert done.code == 0, done.err


def until_decided(assaymark, folder):
    for number in range(8):
        answered(assaymark, folder, "60", batch=f"b{number}.csv")
        seen = json.loads(assaymark("look", "--json", "-p", folder / "w").out)
        if seen["decision"] != "continue":
            break
    return seen


@pytest.mark.parametrize(
    "claim",
    [
        "recall of every class >= 0.8",
        "f1 of food >= 0.8",
        "recall of food >= 0.8 and precision of sport >= 0.8",
        "accuracy >= 0.8",
        "macro f1 >= 0.8",
    ],
)
def test_from_sets_to_a_certificate(assaymark, folder, claim):
    assert begun(assaymark, folder, "--tags").code == 0
    sealed = assaymark("plan", claim, "--seed", "s", "-p", folder / "w")
    assert sealed.code == 0, sealed.err
    seen = until_decided(assaymark, folder)
    assert seen["decision"] == "pass", seen
    assert {part["state"] for part in seen["parts"]} == {"reached"}
    issued = json.loads(assaymark("certify", "--json", "-p", folder / "w").out)
    certificate = folder / "w" / "certificate.json"
    checked = assaymark("verify", certificate, "-p", folder / "w", "--head", issued["head"])
    assert checked.code == 0, checked.out


def test_which_labels_pass(assaymark, folder):
    assert begun(assaymark, folder, "--tags").code == 0
    claim = "precision of every class >= 0.9"
    assert assaymark("plan", claim, "--which", "--seed", "s", "-p", folder / "w").code == 0
    seen = until_decided(assaymark, folder)
    assert [part["part"] for part in seen["parts"]] == [
        f"precision of {tag} >= 0.9" for tag in TAGS
    ]
    assert {part["state"] for part in seen["parts"]} <= {"reached", "open", "failed"}


def test_labels_are_stored_as_one_name_for_each_set(assaymark, folder):
    assert begun(assaymark, folder, "--tags").code == 0
    assert assaymark("plan", "accuracy >= 0.8", "--seed", "s", "-p", folder / "w").code == 0
    answered(assaymark, folder, "60")
    state = Project(folder=folder / "w").state()
    for item in state.answers:
        i = int(item[1:])
        true = "; ".join(tag for bit, tag in enumerate(TAGS) if i >> bit & 1)
        assert state.value(state.label(item)) == (true or "none of the list")


def test_predictions_outside_the_list_are_left_out(assaymark, folder):
    done = begun(assaymark, folder, "--tags", "--class", "food", "--class", "rare", "--json")
    assert json.loads(done.out)["classes"] == ["food", "rare"]
    sealed = assaymark("plan", "recall of food >= 0.8", "--seed", "s", "-p", folder / "w")
    assert sealed.code == 0, sealed.err


@pytest.mark.parametrize(
    ("label", "said"),
    [("food; pets", "'food; pets' is no class of this project's list (food, news, sport)")],
)
def test_a_label_outside_the_list_is_refused(assaymark, folder, label, said):
    assert begun(assaymark, folder, "--tags").code == 0
    assert assaymark("plan", "accuracy >= 0.8", "--seed", "s", "-p", folder / "w").code == 0
    assert assaymark("draw", "2", "-o", folder / "b.csv", "-p", folder / "w").code == 0
    rows = read_rows(folder / "b.csv")
    lines = ["id,label", *(f"{row['id']},{label}" for row in rows)]
    (folder / "b.csv").write_text("\n".join(lines) + "\n")
    refused = assaymark("label", folder / "b.csv", "-p", folder / "w")
    assert refused.code == 2
    assert said in refused.err
    assert not Project(folder=folder / "w").state().answers


def test_too_many_labels_are_refused_before_anything_is_written(assaymark, tmp_path):
    lines = ["id,topics", *(f"{i},t{i % 12:02d}" for i in range(50))]
    (tmp_path / "pool.csv").write_text("\n".join(lines) + "\n")
    pool = ("--pool", tmp_path / "pool.csv", "--id", "id", "--prediction", "topics")
    refused = assaymark("init", tmp_path / "w", *pool, "--tags")
    assert refused.code == 2
    assert "12 labels (t00, t01, t02, …) are too many at once" in refused.err
    assert "Name up to 8 that matter with --class NAME" in refused.err
    assert not (tmp_path / "w").exists()


def test_balanced_accuracy_of_sets_is_refused(assaymark, folder):
    assert begun(assaymark, folder, "--tags").code == 0
    refused = assaymark("plan", "balanced accuracy >= 0.8", "-p", folder / "w")
    assert refused.code == 2
    assert "claim macro recall" in refused.err


def test_two_classifiers_with_sets(assaymark, folder):
    pool = ("--pool", folder / "pool.csv", "--id", "id", "--text", "body", "--tags")
    sides = ("--a", "topics", "--b", "next", "--metric", "recall of food", "--seed", "s")
    sealed = assaymark("compare", *pool, *sides, "-p", folder / "w")
    assert sealed.code == 0, sealed.err


def test_a_claim_file_with_tags(assaymark, folder):
    (folder / "tags.toml").write_text(
        'name = "tags"\nclaim = "recall of every class >= 0.8"\nproject = "w"\n'
        '[pool]\npath = "pool.csv"\nid = "id"\nprediction = "topics"\ntext = "body"\ntags = true\n'
    )
    locked = assaymark("lock", folder / "tags.toml")
    assert locked.code == 0, locked.err
    assert Project(folder=folder / "w").state().tags == TAGS


def test_from_python_labels_are_lists_or_sets(folder):
    rows = pool_rows(folder)
    table = {
        "id": [row["id"] for row in rows],
        "topics": [row["topics"] for row in rows],
    }
    true = {row["id"]: {tag for tag in row["body"].split(",") if tag} for row in rows}
    work = package.certify_parts(
        table, "recall of every class >= 0.8", prediction="topics", tags=True, seed=1
    )
    assert work.run(lambda item: true[item.id], batch=60).decision == "pass"


def test_lists_of_a_parquet_file_are_sets(folder):
    rows = pool_rows(folder)
    lists = [[tag.strip() for tag in row["topics"].split(";") if tag] for row in rows]
    work = package.certify_parts(
        {"id": [row["id"] for row in rows], "topics": lists},
        "accuracy >= 0.8",
        prediction="topics",
        tags=TAGS,
        seed=1,
    )
    assert work.project.state().tags == TAGS
    true = {row["id"]: [tag for tag in row["body"].split(",") if tag] for row in rows}
    assert work.run(lambda item: true[item.id], batch=60).decision == "pass"
