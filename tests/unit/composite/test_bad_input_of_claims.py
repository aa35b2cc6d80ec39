"""What is refused when a claim of several parts is asked for: one sentence, nothing half written."""

import contextlib
import csv
import io
import json
import sys
from dataclasses import dataclass

import pytest

import assaymark
from assaymark.claims.direction import wrong_way_parts
from assaymark.claims.language.grammar import parse
from assaymark.cli import main
from assaymark.errors import InputError
from assaymark.project.folder import Project
from worlds_on_disk import read_rows, write_rows


def table(place, name, rows):
    write_rows(place / name, rows)
    return str(place / name)


@pytest.fixture
def pool(tmp_path):
    """Verdicts by name, languages of which one has three items and some are missing."""
    rows = [
        {
            "id": f"t{n}",
            "text": ("Down" if n % 3 == 0 else "Question") + f" {n}",
            "lang": "la" if n < 3 else "" if n % 100 == 50 else ("en", "de")[n % 2],
            "old": "urgent" if n % 3 == 0 and n % 7 else "later",
            "new": "urgent" if n % 3 == 0 or n % 11 == 0 else "later",
            "twin": "urgent" if n % 3 == 0 and n % 7 else "later",
        }
        for n in range(400)
    ]
    return table(tmp_path, "tickets.csv", rows)


@dataclass(frozen=True)
class Ran:
    exit_code: int
    output: str


def run(*words):
    """The command line in this process: its exit code and all that it printed."""
    stream = io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(stream),
        contextlib.redirect_stderr(stream),
    ):
        patch.setattr(sys, "argv", ["assaymark", *map(str, words)])
        with pytest.raises(SystemExit) as end:
            main()
    return Ran(int(end.value.code or 0), stream.getvalue())


def refused(*words):
    found = run(*words)
    assert found.exit_code == 2, found.output
    return found.output.strip()


def test_a_refused_comparison_leaves_no_project(pool, tmp_path):
    """By command and from Python; an empty folder that was there stays."""
    asked = ("compare", "--pool", pool, "--id", "id", "--a", "old", "--positive", "urgent")
    equal = refused(*asked, "--b", "twin", "-p", tmp_path / "w")
    assert equal == (
        "Error: 'old' and 'twin' predict the same for all 400 items: they are equally good, and "
        "no label is needed."
    )
    assert not (tmp_path / "w").exists()
    assert "nothing to compare" in refused(*asked, "--b", "old", "-p", tmp_path / "w")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="predict the same for all 400 items"):
        assaymark.compare(
            pool, a="old", b="twin", id="id", positive="urgent", folder=tmp_path / "empty"
        )
    assert list((tmp_path / "empty").iterdir()) == []


def test_a_column_of_scores_is_not_taken_for_classes(tmp_path):
    rows = [{"id": n, "old": n / 100, "new": 1 - n / 100, "a": n % 3} for n in range(100)]
    pool = table(tmp_path, "scores.csv", rows)
    asked = ("compare", "--pool", pool, "--id", "id", "--b", "new", "-p", tmp_path / "w")
    assert refused(*asked, "--a", "old") == (
        "Error: 'old' holds numbers (0.0, 0.01, 0.02, …), and predictions were expected: 1 and 0, two "
        "words, or names of classes. Write 1 where a score is at your threshold or above, else 0; "
        "numbers that are classes need --classes."
    )
    assert not (tmp_path / "w").exists()


def test_more_than_two_names_are_classes(tmp_path):
    """The command works as it is written for verdicts; from Python and by command."""
    rows = [{"id": n, "old": f"k{n % 4}", "new": f"k{n % 5}"} for n in range(100)]
    pool = table(tmp_path, "names.csv", rows)
    asked = ("compare", "--pool", pool, "--id", "id", "--a", "old", "--b", "new")
    assert run(*asked, "-p", tmp_path / "w").exit_code == 0
    names = tuple(f"k{n}" for n in range(5))
    state = Project(folder=tmp_path / "w").state()
    assert state.classes[:-1] == names
    work = assaymark.compare(pool, a="old", b="new", id="id", folder=tmp_path / "python")
    assert work.project.state().classes == state.classes


def test_classes_that_are_never_predicted_are_added(tmp_path):
    pool = table(tmp_path, "names.csv", [{"id": n, "topic": f"k{n % 3}"} for n in range(60)])
    named = ("--prediction", "topic", "--classes", "--class", "never")
    assert run("init", tmp_path / "w", "--pool", pool, "--id", "id", *named).exit_code == 0
    state = Project(folder=tmp_path / "w").state()
    assert state.classes == ("k0", "k1", "k2", "never", "none of the list")


def test_numbers_agree_with_their_nouns(pool, tmp_path):
    """One renewal, one draw: what verify prints of a claim that one label ends."""
    rows = [{"id": n, "old": int(n == 0), "new": 0, "text": "x"} for n in range(40)]
    one = table(tmp_path, "one.csv", rows)
    asked = ("--id", "id", "--a", "old", "--b", "new", "--text", "text", "-p", tmp_path / "w")
    assert "1 item (2.5 %)" in run("compare", "--pool", one, *asked).output
    batch = tmp_path / "batch.csv"
    assert run("draw", 5, "-o", batch, "-p", tmp_path / "w").exit_code == 0
    table(tmp_path, "batch.csv", [{"id": 0, "label": 0}])
    assert run("label", batch, "-p", tmp_path / "w").exit_code == 0
    assert "1 (1 draw)" in run("look", "-p", tmp_path / "w").output
    assert run("certify", "-p", tmp_path / "w").exit_code == 0
    said = run("verify", tmp_path / "w" / "certificate.json", "-p", tmp_path / "w").output
    assert "1 renewal at sealed draws" in said
    assert "1 draw follows from the sealed claim, the seed and the labels" in said


def test_the_other_pool_is_named(pool, tmp_path):
    other = table(tmp_path, "other.csv", [{"id": "x", "old": "later", "new": "urgent"}])
    asked = ("--id", "id", "--a", "old", "--b", "new", "--positive", "urgent", "-p", tmp_path / "w")
    assert run("compare", "--pool", pool, *asked).exit_code == 0
    assert "two classifiers are compared on one pool" in refused("compare", "--pool", other, *asked)


def test_labels_of_a_comparison_are_spelled_like_its_predictions(pool, tmp_path):
    work, batch = tmp_path / "w", tmp_path / "batch.csv"
    asked = ("--id", "id", "--a", "old", "--b", "new", "--positive", "urgent", "--text", "text")
    assert run("compare", "--pool", pool, *asked, "-p", work).exit_code == 0
    assert run("draw", 10, "-o", batch, "-p", work).exit_code == 0
    rows = read_rows(batch)
    for row in rows:
        row["label"] = "urgent" if row["text"].startswith("Down") else "later"
    table(tmp_path, "batch.csv", rows)
    assert "10 answers recorded" in run("label", batch, "-p", work).output


@pytest.fixture
def project(pool, tmp_path):
    verdicts = ("--prediction", "old", "--positive", "urgent", "--group", "lang")
    assert run("init", tmp_path / "w", "--pool", pool, "--id", "id", *verdicts).exit_code == 0
    return tmp_path / "w"


def test_verdicts_are_named_in_claims(project):
    told = run("plan", "recall of urgent >= 0.5", "--forecast", "-p", project).output
    assert told.startswith("recall >= 0.5 with 95% confidence: not sealed")
    other = run("plan", "recall of later >= 0.5", "--forecast", "-p", project).output
    assert other.startswith('recall of "0" >= 0.5 with 95% confidence')
    assert refused("plan", "recall of spam >= 0.5", "-p", project) == (
        "Error: There is no class 'spam': there is 'urgent' or 'later'."
    )


def test_small_groups_are_named_before_the_seal(project):
    told = run("plan", "accuracy >= 0.5 in every lang", "--forecast", "-p", project).output
    assert "accuracy >= 0.5 [(missing)]" in told
    assert "(missing), la: 30 items or fewer each, too few for a sample." in told
    assert "--least-group 31" in told
    left = run(
        "plan", "accuracy >= 0.5 in every lang", "--least-group", 31, "--forecast", "-p", project
    ).output
    assert "(missing), la" in left
    assert "all items labelled" not in left


def test_a_group_where_nothing_is_predicted_cannot_hold(tmp_path):
    rows = [{"id": n, "p": int(n < 50), "g": "ab"[n // 60]} for n in range(120)]
    pool = table(tmp_path, "pool.csv", rows)
    with pytest.raises(InputError) as refusal:
        assaymark.certify_parts(
            pool, "recall >= 0.5 in every g", id="id", prediction="p", group="g",
            folder=tmp_path / "w",
        )  # fmt: skip
    assert str(refusal.value).startswith(
        "'recall >= 0.5' in b cannot hold, whatever the labels are: no item there is predicted "
        "positive. Claim something else, or leave small groups out:"
    )
    assert not (tmp_path / "w").exists()


def test_a_word_that_cannot_be_read_is_pointed_at(project):
    told = refused("plan", "recal >= 0.8 in every lang", "-p", project)
    assert told.endswith("Try: recall >= 0.8 in every lang\n  recal >= 0.8 in every lang\n  ^^^^^")
    assert "The pool has no group column 'langage': it has 'lang'. Did you mean 'lang'?" in refused(
        "plan", "recall >= 0.8 in every langage", "-p", project
    )


@pytest.fixture
def classes(tmp_path):
    rows = [{"id": n, "topic": f"k{n % 200}"} for n in range(400)]
    pool = table(tmp_path, "classes.csv", rows)
    assert run("init", tmp_path / "k", "--pool", pool, "--id", "id", "--prediction", "topic",
               "--class", "never", *(w for n in range(200) for w in ("--class", f"k{n}"))
               ).exit_code == 0  # fmt: skip
    return tmp_path / "k"


def test_two_hundred_classes(classes):
    """Accuracy and one class can be claimed; too many rows are refused before they are made."""
    assert run("plan", "accuracy >= 0.5", "--forecast", "-p", classes).exit_code == 0
    assert run("plan", "recall of k7 >= 0.5", "--forecast", "-p", classes).exit_code == 0
    assert "too large to be sealed with 201 classes" in refused(
        "plan", "recall of every class >= 0.5", "-p", classes
    )
    assert "needs more than 2,000 rows" in refused("plan", "macro recall >= 0.5", "-p", classes)


@pytest.mark.parametrize("metric", ["recall", "precision", "f1"])
def test_a_class_that_is_never_predicted_cannot_be_claimed(classes, metric):
    assert refused("plan", f"{metric} of never >= 0.5", "-p", classes) == (
        f"Error: '{metric} of never >= 0.5' cannot hold, whatever the labels are: no item there is "
        "predicted never. Claim something else."
    )


def test_a_wrong_label_is_told_the_names_of_the_project(project, tmp_path):
    assert run("plan", "recall >= 0.5 and precision >= 0.5", "-p", project).exit_code == 0
    batch = tmp_path / "batch.csv"
    assert run("draw", 3, "-o", batch, "-p", project).exit_code == 0
    with batch.open(newline="") as stream:
        rows = [{**row, "label": "maybe"} for row in csv.DictReader(stream)]
    table(tmp_path, "batch.csv", rows)
    told = refused("label", batch, "-p", project)
    assert "A label is 'urgent' (that is 1), 'later' (that is 0), or ? for cannot tell." in told


def test_a_number_above_one_is_taken_for_per_cent_only_where_it_can_be_meant(project):
    assert "Try: recall >= 0.8" in refused("plan", "recall >= 80", "-p", project)
    assert "0.012" not in refused("plan", "recall >= 1.2", "-p", project)


def test_parts_are_forecast_on_the_items_that_count_for_them(pool, project, tmp_path):
    told = run("plan", "recall >= 0.5 and precision >= 0.5", "--forecast", "-p", project, "--json")
    sizes = {part["part"]: part["items"] for part in json.loads(told.output)["parts"]}
    assert sizes == {"recall >= 0.5": 400, "precision >= 0.5": 114}
    asked = ("--id", "id", "--a", "old", "--b", "new", "--positive", "urgent")
    words = ("--claim", "accuracy of b > accuracy of a")
    told = run("compare", "--pool", pool, *asked, *words, "-p", tmp_path / "x").output
    assert "predictions differ  44 items" in told
    assert "about 44 if the better one is right in 2 of 3 of them" in told
    assert "no forecast" not in told


def test_a_group_that_was_read_whole_is_refuted_by_counting(tmp_path):
    rows = [{"id": n, "p": n % 2, "g": "few" if n < 2 else "many"} for n in range(60)]
    place, batch = tmp_path / "w", tmp_path / "b.csv"
    pool = table(tmp_path, "pool.csv", rows)
    columns = ("--id", "id", "--prediction", "p", "--group", "g")
    assert run("init", place, "--pool", pool, *columns).exit_code == 0
    assert run("plan", "recall >= 0.5 in every g", "--seed", "s", "-p", place).exit_code == 0
    assert run("draw", 60, "-o", batch, "-p", place).exit_code == 0
    with batch.open(newline="") as stream:
        drawn = [{**row, "label": int(int(row["id"]) > 1 and int(row["id"]) % 2)}
                 for row in csv.DictReader(stream)]  # fmt: skip
    table(tmp_path, "b.csv", drawn)
    assert run("label", batch, "-p", place).exit_code == 0
    assert (
        "recall >= 0.5 in every g does not hold: certain, by counting; failed: recall >= 0.5 [few]."
        in (run("look", "-p", place).output)
    )
    told = run("certify", "-p", place)
    assert told.exit_code == 1
    assert told.output.startswith(
        "Error: There is nothing to certify: recall >= 0.5 in every g does"
    )


@pytest.mark.parametrize("command", ["look", "status"])
def test_advice_names_a_claim_that_the_pool_allows(classes, command):
    """A project of classes is not told to claim f1, which needs a class there."""
    assert 'assaymark plan "recall of every class >= 0.7"' in run(command, "-p", classes).output


def test_advice_puts_names_of_columns_in_quotes(tmp_path):
    rows = [{"id": n, "says": n % 2, "content type": "ab"[n % 2]} for n in range(40)]
    pool = table(tmp_path, "typed.csv", rows)
    told = run("init", tmp_path / "w", "--pool", pool, "--id", "id", "--prediction", "says",
               "--group", "content type").output  # fmt: skip
    assert "assaymark plan 'f1 >= 0.75 in every \"content type\"' -p" in told


def test_a_class_that_does_not_exist_is_not_taken_for_a_classifier(classes):
    told = refused("plan", "recall of ham >= 0.5", "-p", classes)
    assert told.startswith("Error: There is no class 'ham': there is 'never' or 'k0' or ")
    assert "classifier" not in told


def test_parts_that_point_the_wrong_way_are_asked_back(project):
    """One typed sign would have sealed a proof that the classifier is bad."""
    claim = "precision >= 0.6 and recall <= 0.7 in every lang"
    meant = "precision >= 0.6 and recall >= 0.7 in every lang"
    for more in ((), ("--forecast",)):
        said = refused("plan", claim, *more, "-p", project)
        assert f'good classifiers have a high recall. Did you mean "{meant}"?' in said
    assert not Project(folder=project).state().surveys
    assert run("plan", claim, "--anyway", "--least-group", 31, "-p", project).exit_code == 0


def test_a_range_is_meant_as_it_is_written():
    assert wrong_way_parts(parse("recall >= 0.7 and recall <= 0.9")) is None
    assert wrong_way_parts(parse("recall of a <= 0.7 and recall of b >= 0.7")) is not None
    assert wrong_way_parts(parse("elusion >= 0.02 in every lang")) is not None
    assert wrong_way_parts(parse("prevalence <= 0.1 and macro f1 >= 0.7")) is None
    assert "a high macro f1" in (wrong_way_parts(parse("macro f1 <= 0.7")) or "")
