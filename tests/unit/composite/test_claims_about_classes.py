"""Claims about classes, from a file of class names to a verified certificate."""

import csv
import json

import pytest

import assaymark as am
from assaymark.composite.views import outcome
from assaymark.errors import InputError
from worlds_on_disk import read_rows, write_rows

NAMES = ("arts", "news", "sport")


@pytest.fixture
def folder(tmp_path):
    """300 items of three classes; `topic` is wrong in 1 of 20 items, `next` in 1 of 50."""
    with (tmp_path / "pool.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "body", "topic", "next", "sure", "lang", *(f"p_{n}" for n in NAMES)])
        for i in range(300):
            truth = NAMES[i % 3] if i % 75 else "none of the list"
            topic = NAMES[(i + (i % 20 == 1)) % 3]
            following = NAMES[(i + (i % 50 == 7)) % 3]
            shares = [0.9 if n == topic else 0.05 for n in NAMES]
            lang = "de" if i % 2 else "en"
            writer.writerow([f"m{i}", truth, topic, following, 0.9, lang, *shares])
    return tmp_path


def begun(assaymark, folder, *more):
    pool = ("--pool", folder / "pool.csv", "--id", "id", "--text", "body")
    done = assaymark("init", folder / "w", *pool, "--group", "lang", *more)
    assert done.code == 0, done.err


def work(assaymark, folder, *, most=4):
    """Draw, label with the names of classes, and look, until decided."""
    for number in range(most):
        batch = folder / f"b{number}.csv"
        drawn = assaymark("draw", "100", "-o", batch, "-p", folder / "w")
        assert drawn.code == 0, drawn.err
        rows = read_rows(batch)
        assert set(rows[0]) == {"id", "body", "label"}, "people see no prediction"
        write_rows(batch, ({**row, "label": row["body"]} for row in rows))
        done = assaymark("label", batch, "-p", folder / "w")
        assert done.code == 0, done.err
        seen = json.loads(assaymark("look", "--json", "-p", folder / "w").out)
        if seen["decision"] not in ("undecided", "continue"):
            break
    return seen


def certified(assaymark, folder):
    issued = assaymark("certify", "--json", "-p", folder / "w")
    assert issued.code == 0, issued.err
    head = json.loads(issued.out)["head"]
    certificate = folder / "w" / "certificate.json"
    checked = assaymark("verify", certificate, "-p", folder / "w", "--head", head, "--json")
    assert checked.code == 0, checked.out
    return json.loads(issued.out)["statement"]


BY_NAME = ("--prediction", "topic", "--classes", "--score", "sure")
BY_PROBABILITY = tuple(x for n in NAMES for x in ("--probability", f"{n}=p_{n}"))


@pytest.mark.parametrize(
    ("claim", "columns"),
    [
        ("accuracy >= 0.8", BY_NAME),
        ("accuracy >= 0.8", BY_PROBABILITY),
        ("recall of sport >= 0.8", BY_NAME),
        ("recall of sport >= 0.8", BY_PROBABILITY),  # its scores are those of the class
        ("precision of every class >= 0.75", BY_PROBABILITY),
        ("macro f1 >= 0.75", BY_NAME),
        ("accuracy >= 0.8 in every lang", BY_NAME),
        ("recall of news >= 0.7 and accuracy >= 0.8", BY_PROBABILITY),
    ],
)
def test_a_claim_from_names_to_a_certificate(assaymark, folder, columns, claim):
    begun(assaymark, folder, *columns)
    sealed = assaymark("plan", claim, "--seed", "s", "-p", folder / "w", "--json")
    assert sealed.code == 0, sealed.err
    seen = work(assaymark, folder)
    assert seen["decision"] == "pass", seen
    assert {part["state"] for part in seen["parts"]} == {"reached"}
    assert certified(assaymark, folder).startswith(claim)
    report = assaymark("report", "-p", folder / "w")
    assert report.code == 0, report.err
    assert "status" not in assaymark("status", "-p", folder / "w").err


def test_a_false_claim_about_classes_fails(assaymark, folder):
    begun(assaymark, folder, *BY_NAME)
    assert assaymark("plan", "macro recall >= 0.99", "--seed", "s", "-p", folder / "w").code == 0
    seen = work(assaymark, folder)
    assert seen["decision"] == "fail"
    assert seen["certain"] or seen["labels"] < 300


def test_two_classifiers_of_classes(assaymark, folder):
    pool = ("--pool", folder / "pool.csv", "--id", "id", "--text", "body", "--classes")
    sides = ("--a", "topic", "--b", "next", "--seed", "s", "--json")
    sealed = assaymark("compare", *pool, *sides, "-p", folder / "w")
    assert sealed.code == 0, sealed.err
    assert json.loads(sealed.out)["disagree"] == 21
    seen = work(assaymark, folder)
    # topic is wrong in 15 items, next in 6, and 5 items belong to no class
    assert seen["labels"] == 21
    assert seen["decision"] == "better", seen
    certified(assaymark, folder)


def test_labels_outside_the_list_are_refused_and_named(assaymark, folder):
    begun(assaymark, folder, *BY_NAME)
    assert assaymark("plan", "accuracy >= 0.8", "--seed", "s", "-p", folder / "w").code == 0
    batch = folder / "b.csv"
    assaymark("draw", "10", "-o", batch, "-p", folder / "w")
    ids = [line.split(",")[0] for line in batch.read_text().splitlines()[1:]]
    wrong = folder / "wrong.csv"
    wrong.write_text(f"id,label\n{ids[0]},sport\n{ids[1]},weather\n")
    done = assaymark("label", wrong, "-p", folder / "w")
    assert done.code == 2
    assert "'weather' is no class of this project's list (arts, news, sport" in done.err
    fine = folder / "fine.csv"
    answers = ("sport", "?", "None of the list", " news ")
    fine.write_text(
        "id,label\n" + "".join(f"{i},{a}\n" for i, a in zip(ids, answers, strict=False))
    )
    told = json.loads(assaymark("label", fine, "--json", "-p", folder / "w").out)
    assert (told["recorded"], told["skipped"]) == (3, 1)


def test_a_class_that_is_never_predicted_is_fine(assaymark, folder):
    listed = [x for n in (*NAMES, "weather") for x in ("--class", n)]
    begun(assaymark, folder, "--prediction", "topic", *listed)
    done = assaymark("plan", f"recall of {NAMES[0]} >= 0.5", "-p", folder / "w")
    assert done.code == 0, done.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--prediction", "topic", "--class", "arts", "--class", "news"), "predicts 'sport'"),
        (("--prediction", "topic"), "--classes"),
        (("--classes",), "--prediction COL"),
        (("--prediction", "topic", "--classes", "--positive", "arts"), "no positive one"),
        (("--prediction", "topic", *("--class", "arts") * 2), "predicts 'news'"),
        (("--probability", "arts=p_arts"), "two classes or more"),
        ((*BY_PROBABILITY, "--prediction", "topic"), "or --probability CLASS=COL for every class"),
    ],
)
def test_lists_that_cannot_be_are_refused(assaymark, folder, options, words):
    pool = ("--pool", folder / "pool.csv", "--id", "id")
    done = assaymark("init", folder / "w", *pool, *options)
    assert done.code == 2
    assert words in done.err


def test_what_counts_two_verdicts_is_refused_where_labels_are_classes(assaymark, folder):
    begun(assaymark, folder, *BY_NAME)
    done = assaymark("plan", "--estimate", "accuracy", "--budget", "20", "-p", folder / "w")
    assert done.code == 2
    missing = assaymark("plan", "recall >= 0.8", "-p", folder / "w")
    assert "recall of 'arts' or 'news'" in missing.err
    unknown = assaymark("plan", "recall of weather >= 0.8", "-p", folder / "w")
    assert "There is no class 'weather': there is 'arts' or 'news'" in unknown.err


def test_annotators_who_differ_about_a_class(assaymark, folder):
    begun(assaymark, folder, *BY_NAME)
    assaymark("plan", "accuracy >= 0.8", "--seed", "s", "-p", folder / "w")
    batch = folder / "b.csv"
    assaymark("draw", "10", "-o", batch, "-p", folder / "w")
    first = batch.read_text().splitlines()[1].split(",")[0]
    for name, label in (("kim", "arts"), ("lee", "news")):
        (folder / "one.csv").write_text(f"id,label\n{first},{label}\n")
        assaymark("label", folder / "one.csv", "--annotator", name, "-p", folder / "w")
    (folder / "one.csv").write_text(f"id,label\n{first},news\n")
    told = assaymark("label", folder / "one.csv", "--adjudicate", "--json", "-p", folder / "w")
    assert json.loads(told.out)["adjudicated"] == 1
    assert assaymark("check", "-p", folder / "w").code == 0


def test_one_probability_for_each_class_in_python():
    """The same claim as by --probability: the class with the largest one is predicted."""
    names = ("arts", "news", "sport")
    columns = {"id": [f"i{n}" for n in range(300)]}
    for place, name in enumerate(names):
        columns[f"p_{name}"] = [0.8 if n % 3 == place else 0.1 for n in range(300)]
    which = {name: f"p_{name}" for name in names}
    work = am.certify_parts(columns, "recall of every class >= 0.6", probability=which, seed=1)
    found = work.run(lambda item: names[int(item.id[1:]) % 3], batch=50)
    assert found.decision == "pass"
    assert [row["part"].split(" of ")[1].split()[0] for row in found.rows] == list(names)
    with pytest.raises(InputError, match="are those that have a probability"):
        am.certify_parts(columns, "accuracy >= 0.6", probability=which, classes=True)
    with pytest.raises(InputError, match="one column of names, or by one probability"):
        am.certify_parts(columns, "accuracy >= 0.6", probability=which, prediction="p_arts")


def test_none_of_the_list_and_a_third_class_are_right_for_nobody():
    """Counted by who is right: the first classifier, the second, or neither (the last number)."""
    classes, none = ("arts", "news", "sport"), 3

    def right(label, *predictions):
        return outcome("right", label, classes, about=None, predictions=predictions)

    assert [right(label, "news") for label in (0, 1, 2, none)] == [1, 0, 1, 1]
    assert [right(label, "news", "sport") for label in (0, 1, 2, none)] == [2, 0, 1, 2]
    assert right(None, "news") == -1
    found = [
        outcome("class", label, classes, about="news", predictions=("news",))
        for label in (0, 1, none)
    ]
    assert found == [0, 1, 0]
