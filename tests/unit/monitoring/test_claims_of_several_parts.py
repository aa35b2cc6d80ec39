"""Claim files with conjunctions, groups, classes and comparisons: from the lock to the gate."""

import csv
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from claims_on_disk import Folder

from assaymark import assert_certified
from assaymark.ledger.head import settle_heads
from assaymark.monitoring.asserting import NotCertifiedError
from assaymark.project.folder import Project
from worlds_on_disk import Answer, World, write_labels

COLUMNS = {
    "recall >= 0.7 and precision >= 0.6": 'score = "score"\nthreshold = 0.5',
    "recall >= 0.8 in every language": 'prediction = "new"\ngroup = "language"',
    "recall of every class >= 0.6": 'prediction = "topic"\nclasses = true',
    "accuracy >= 0.8": 'prediction = "topic"\nclasses = ["arts", "news", "sport"]',
    "accuracy of b > accuracy of a": 'a = "old"\nb = "new"',
}  # fmt: skip
TOPICS = ("news", "sport", "arts")


@dataclass(frozen=True)
class Row:
    """An item with its truth: whether it is positive, and its topic."""

    id: str
    positive: int
    topic: str


def rows() -> list[Row]:
    return [Row(f"d{n}", int(n % 10 < 4), TOPICS[n % 3]) for n in range(300)]


def write_pool(path: Path) -> None:
    """The new classifier errs in 1 item of 25, the old one in 1 of 4."""
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "score", "old", "new", "topic", "language", "region", "body"])
        for n, row in enumerate(rows()):
            new = row.positive if n % 25 else 1 - row.positive
            old = row.positive if n % 4 else 1 - row.positive
            score = 0.9 - n / 3000 if new else 0.1 + n / 3000
            topic = row.topic if n % 25 else TOPICS[(n + 1) % 3]
            place = ("de" if n % 7 < 3 else "fr", "north" if n % 11 < 5 else "south")
            writer.writerow([row.id, round(score, 4), old, new, topic, *place, f"text {n}"])


def make(place: Path, run: Callable[..., Answer], claim: str, more: str = "") -> Folder:
    (place / "claims").mkdir(parents=True)
    write_pool(place / "pool.csv")
    file = place / "claims" / "several.toml"
    file.write_text(
        f'name = "several"\nclaim = "{claim}"\nproject = "../work"\nexpires = 2099-06-30\n{more}\n'
        f'[pool]\npath = "../pool.csv"\nid = "id"\ntext = ["body"]\n{COLUMNS[claim]}\n\n'
        '[classifier]\nmodel = "1"\n',
        encoding="utf-8",
    )
    classes = "topic" in COLUMNS[claim]
    truth = {row.id: row.topic if classes else row.positive for row in rows()}
    return Folder(claim=file, project=place / "work", world=World(file, truth, {}), run=run)


@pytest.fixture(scope="module")
def certified_parts(tmp_path_factory, command) -> Folder:
    """A certified claim of two parts, made once; every test works on its own copy."""
    folder = make(tmp_path_factory.mktemp("parts"), command, "recall >= 0.7 and precision >= 0.6")
    assert folder.lock().code == 0
    folder.certify()
    settle_heads()
    return folder


@pytest.fixture
def certified(tmp_path, assaymark, certified_parts) -> Folder:
    shutil.copytree(certified_parts.project.parent, tmp_path, dirs_exist_ok=True)
    claim, project = tmp_path / "claims" / "several.toml", tmp_path / "work"
    return replace(certified_parts, claim=claim, project=project, run=assaymark)


@pytest.mark.parametrize("claim", COLUMNS)
def test_from_the_lock_to_the_certificate(tmp_path, assaymark, claim) -> None:
    folder = make(tmp_path, assaymark, claim)
    assert folder.gate().code == 4
    locked = folder.lock()
    assert locked.code == 0, locked.err
    assert (locked.json["survey"], locked.json["plan"], locked.json["repeated"]) == (1, None, False)
    first = folder.claim.with_suffix(".lock").read_bytes()
    folder.claim.with_suffix(".lock").unlink()
    assert folder.gate().code == 6, "a lock that is missing"
    assert folder.lock().json["repeated"]
    assert folder.claim.with_suffix(".lock").read_bytes() == first
    empty = folder.only()
    assert (empty["outcome"], empty["labels"]) == ("undecided", 0)
    look = ("look", "--exit-code", "-p", folder.project)
    assert folder.run(*look).code == 4
    folder.label()
    assert folder.run(*look).code == 0
    assert folder.gate().code == 4
    assert folder.only()["reason"].endswith("No certificate is issued yet.")
    assert folder.run("certify", "-p", folder.project).code == 0
    found = folder.only()
    assert (found["outcome"], found["claim"]) == ("certified", claim), found["reason"]
    assert found["labels"] > 0
    verified = folder.run("verify", folder.project / "certificate.json", "-p", folder.project)
    assert verified.code == 0, verified.out
    facts = json.loads((folder.project / "certificate.json").read_text(encoding="utf-8"))
    assert facts["lock"]["name"] == "several"
    assert facts["lock"]["classifier"] == {"model": "1"}
    path = folder.project / "certificate.json"
    exported = folder.run("export", path, "--format", "mlflow", "--json").json["content"]
    assert any(name.endswith("_lower") for name in exported["metrics"])
    assert exported["tags"]["assaymark.classifier.model"] == "1"


@pytest.mark.parametrize(
    ("claim", "columns", "groups", "parts"),
    [
        ("recall >= 0.3 in every language and region", 'prediction = "new"\ngroup = ["language", "region"]', ["language", "region"], 4),
        ("f1 of b >= f1 of a - 0.01 in every language", 'a = "old"\nb = "new"\nscore_a = "score"\nscore_b = "score"\ngroup = "language"', ["language"], 2),
        ("precision gap between languages <= 0.3", 'prediction = "new"\ngroup = "language"', ["language"], None),
    ],
)  # fmt: skip
def test_other_forms_are_sealed_from_the_file(
    tmp_path, assaymark, claim, columns, groups, parts
) -> None:
    folder = make(tmp_path, assaymark, "recall >= 0.8 in every language")
    folder.edit("recall >= 0.8 in every language", claim)
    folder.edit('prediction = "new"\ngroup = "language"', columns)
    locked = folder.lock()
    assert locked.code == 0, locked.err
    sealed = Project(folder=folder.project).state().surveys[0].survey.settings
    assert (sealed["claim"], sealed["columns"]["groups"]) == (claim, groups)
    seen = folder.run("look", "-p", folder.project, "--json").json
    assert parts is None or len(seen["parts"]) == parts
    assert folder.only()["outcome"] == "undecided"


def test_a_false_claim_is_refuted_whether_or_not_anybody_looked(tmp_path, assaymark) -> None:
    folder = make(tmp_path, assaymark, "accuracy of b > accuracy of a")
    folder.edit('a = "old"\nb = "new"', 'a = "new"\nb = "old"')
    folder.lock()
    folder.label()
    assert folder.run("look", "--exit-code", "-p", folder.project).code == 1
    answer = folder.gate()
    assert (answer.code, answer.json["outcome"]) == (1, "refuted")
    assert "does not hold" in folder.only()["reason"]


def test_the_scores_tell_how_many_labels_to_expect_before_the_first(tmp_path, assaymark) -> None:
    folder = make(tmp_path, assaymark, "recall >= 0.7 and precision >= 0.6")
    folder.edit("recall >= 0.7 and precision >= 0.6", "recall >= 0.5 and precision >= 0.5")
    expected = folder.lock().json["expected_labels"]
    assert expected > 0
    assert folder.only()["labels_expected"] == expected


@pytest.mark.parametrize(
    ("before", "after", "code", "reason"),
    [
        ('model = "1"', 'model = "2"', 5, "The classifier changed: model."),
        ("recall >= 0.7", "recall >= 0.6", 6, "'claim' was"),
        ("threshold = 0.5", "threshold = 0.6", 6, "'pool.threshold' was 0.5"),
        ('text = ["body"]', 'text = ["body"]\ngroup = "language"', 6, "'pool.group' was missing"),
        ("2099-06-30", "2098-06-30", 6, "'expires' was"),
    ],
)  # fmt: skip
def test_stale_and_tampered(certified, before, after, code, reason) -> None:
    certified.edit(before, after)
    assert certified.gate().code == code
    assert certified.only()["reason"].startswith(reason)


def test_another_date_pool_or_label_makes_it_stale(certified) -> None:
    place = certified.claim.parent
    late = certified.run("gate", place, "--today", "2099-07-01", "--json")
    assert (late.code, late.json["claims"][0]["reason"]) == (5, "It expired on 2099-06-30.")
    item = Project(folder=certified.project).state().surveys[0].order[0]
    wrong = write_labels(place.parent / "fix.csv", {item: 1 - certified.world.truth[item]})
    done = certified.run("label", wrong, "--correct", "-p", certified.project)
    assert done.code == 0, done.err
    assert certified.gate().code == 5
    assert "changed a label that the certificate uses" in certified.only()["reason"]


def test_a_certificate_that_was_lost_changed_or_borrowed(certified, tmp_path, assaymark) -> None:
    path = certified.project / "certificate.json"
    text = path.read_text(encoding="utf-8")
    before = certified.only()
    path.unlink()
    assert certified.only() == before, "it is recomputed"
    path.write_text(text.replace('"labels":', '"labels":1', 1), encoding="utf-8")
    assert certified.gate().code == 6
    assert "certificate was changed" in certified.only()["reason"]
    path.write_text(text, encoding="utf-8")
    other = make(tmp_path / "other", assaymark, "recall >= 0.8 in every language")
    other.lock()
    shutil.copy(path, other.project)
    assert other.gate().code == 6


def test_a_watch_says_why_it_is_for_one_figure_and_what_to_do(certified) -> None:
    pool = certified.claim.parent.parent / "pool.csv"
    refused = certified.run("watch", pool, "-p", certified.project)
    assert refused.code == 2
    assert "of several parts: each has strata and a bound of its own" in refused.err
    assert "Lock a claim file for the part that you want to watch" in refused.err


def _week(folder: Folder, number: int, *, right: bool) -> None:
    """A unit of new items, and the labels of its sentinels."""
    place, truth = folder.claim.parent.parent, {}
    with (place / f"week-{number}.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "score", "body"])
        for n in range(300):
            item, positive = f"w{number}-{n}", n % 10 < 4
            # every item that is flagged is relevant, but in a bad week most relevant ones are missed
            flagged = positive and (right or n % 10 == 0)
            truth[item] = int(positive)
            writer.writerow([item, 0.9 - n / 3000 if flagged else 0.1 + n / 3000, "text"])
    drawn = folder.run("sentinel", "draw", "--pool", place / f"week-{number}.csv", "-o",
                       place / f"s{number}.csv", "-p", folder.project, "--json")  # fmt: skip
    assert drawn.code == 0, drawn.err
    labels = write_labels(
        place / f"l{number}.csv", {item: truth[item] for item in drawn.json["items"]}
    )
    assert folder.run("label", labels, "-p", folder.project).code == 0


def test_sentinels_watch_every_bar_of_a_conjunction(certified) -> None:
    """Each bar has half of the risk; the gate is refuted by the one that fell, which is named."""
    start = (
        "sentinel",
        "start",
        "--alarm",
        "yearly",
        "-p",
        certified.project,
        "--json",
    )
    used = certified.run(*start, "--seed", "s")
    assert (used.code, "The seed 's' was used in this project before" in used.err) == (2, True), (
        "that of the lock"
    )
    started = certified.run(*start).json
    assert started["claim"] == "recall >= 0.7 and precision >= 0.6"
    assert "Then it goes off with chance at most 5% in a year" in started["null"]
    assert {fall["claim"] for fall in started["falls"]} == {"recall >= 0.7", "precision >= 0.6"}
    assert "were started already" in certified.run(*start).err
    look = ("sentinel", "look", "-p", certified.project, "--json")
    for number in range(3):
        _week(certified, number, right=True)
    good = certified.run(*look)
    assert good.code == 0
    assert (good.json["claim"], good.json["units"]) == (started["claim"], 3)
    assert good.json["needed"] == pytest.approx(2 * 52 / 0.05)
    found = certified.only()
    assert found["outcome"] == "certified", found["reason"]
    for number in range(3, 16):
        _week(certified, number, right=False)
    bad = certified.run(*look)
    assert (bad.code, bad.json["claim"]) == (1, "recall >= 0.7")
    gated = certified.gate()
    assert gated.code == 1
    assert certified.only()["reason"] == bad.json["sentence"]


@pytest.mark.parametrize(
    "claim", ["recall >= 0.8 in every language", "accuracy of b > accuracy of a"]
)
def test_sentinels_of_groups_and_comparisons_are_refused_with_what_to_do(
    tmp_path, assaymark, claim
) -> None:
    folder = make(tmp_path, assaymark, claim)
    folder.lock()
    folder.certify()
    refused = folder.run("sentinel", "start", "-p", folder.project)
    assert refused.code == 2
    assert (
        f"this certificate is about '{claim}'" in refused.err
        or "score and a threshold" in refused.err
    )
    assert "lock a claim for each one that you want to watch" in refused.err


def test_nothing_is_written_by_the_gate(certified) -> None:
    settle_heads()
    place = certified.project.parent
    before = {p: p.read_bytes() for p in place.rglob("*") if p.is_file()}
    assert certified.gate().out == certified.gate().out
    assert {p: p.read_bytes() for p in place.rglob("*") if p.is_file()} == before


def test_an_assertion_in_tests(tmp_path, assaymark) -> None:
    folder = make(tmp_path, assaymark, "recall >= 0.8 in every language")
    folder.lock()
    with pytest.raises(NotCertifiedError, match="several is undecided"):
        assert_certified(folder.claim, today="2027-01-01")
    folder.certify()
    assert assert_certified(folder.claim, today="2027-01-01").outcome == "certified"


def test_given_up_and_locked_again(tmp_path, assaymark) -> None:
    folder = make(tmp_path, assaymark, "recall >= 0.8 in every language")
    folder.lock()
    folder.edit("recall >= 0.8", "recall >= 0.7")
    again = ("lock", folder.claim, "--json")
    refused = assaymark(*again)
    assert refused.code == 2
    assert "was changed after it was locked, and its plan is still open" in refused.err
    gone = assaymark("plan", "--abandon", "another bar", "-p", folder.project)
    assert gone.code == 0, gone.err
    folder.edit("recall >= 0.7", "recall >= 0.8")
    assert "was given up (another bar): lock it again" in folder.only()["reason"]
    folder.edit("recall >= 0.8", "recall >= 0.7")
    assert assaymark(*again).json["survey"] == 2
    assert folder.only()["outcome"] == "undecided"


@pytest.mark.parametrize(
    ("claim", "before", "after", "sentence"),
    [
        ("recall >= 0.8 in every language", 'group = "language"', "", "is about groups: name their column as 'group' in the table [pool]"),
        ("recall >= 0.8 in every language", "in every language", "in every tongue", "tongue"),
        ("accuracy of b > accuracy of a", 'a = "old"\nb = "new"', 'prediction = "new"', "name the columns of their predictions as 'a' and 'b'"),
        ("accuracy of b > accuracy of a", 'a = "old"\n', "", "needs both 'a' and 'b'"),
        ("accuracy of b > accuracy of a", 'a = "old"', 'score = "score"\na = "old"', "leave out 'prediction' and 'score'"),
        ("recall of every class >= 0.6", "classes = true", "classes = []", "'classes' must be true or a list of names"),
        ("recall of every class >= 0.6", 'prediction = "topic"\n', "", "Classes are predicted"),
        ("recall >= 0.7 and precision >= 0.6", "[pool]", 'mode = "fixed"\nbudget = 50\n[pool]', "leave out 'mode'"),
    ],
)  # fmt: skip
def test_what_cannot_be_sealed_leaves_nothing(
    tmp_path, assaymark, claim, before, after, sentence
) -> None:
    folder = make(tmp_path, assaymark, claim)
    folder.edit(before, after)
    refused = folder.lock()
    assert refused.code == 2
    assert sentence in refused.err
    assert not folder.project.exists()
    assert not folder.claim.with_suffix(".lock").exists()
