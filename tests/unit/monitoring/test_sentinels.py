"""Sentinels of a certificate on the command line: sealed, drawn, and what they say."""

import shutil

import numpy as np
import pytest

from assaymark.ledger.events import SurveyReported
from assaymark.monitoring.sentinel_terms import SentinelTerms, WatchedBar
from assaymark.project.folder import Project
from worlds_on_disk import write_csv, write_labels


def unit(path, number, *, items=2000, good=True, seed=0):
    """A week's items with their truth; in a bad week scores know nothing."""
    rng = np.random.default_rng([number, seed])
    truth = (rng.random(items) < 0.2).astype(int)
    signal = truth if good else rng.permutation(truth)
    scores = np.round(1 / (1 + np.exp(-rng.normal(4.0 * signal - 2.0, 1.0))), 4)
    ids = [f"w{number}-{i}" for i in range(items)]
    write_csv(
        path,
        ["id", "score", "body"],
        ((i, s, f"text {i}") for i, s in zip(ids, scores, strict=True)),
    )
    return dict(zip(ids, truth.tolist(), strict=True))


@pytest.fixture
def certified(assaymark, labelled):
    assert assaymark("certify", "-p", labelled).code == 0
    return labelled


def week(assaymark, project, tmp_path, number, *, answers=None, **kind):
    truth = unit(tmp_path / f"w{number}.csv", number, **kind)
    drawn = assaymark("sentinel", "draw", "--pool", tmp_path / f"w{number}.csv", "-o",
                      tmp_path / f"s{number}.csv", "--seed", number, "-p", project, "--json")  # fmt: skip
    assert drawn.code == 0, drawn.err
    labels = {item: answers or truth[item] for item in drawn.json["items"]}
    path = write_labels(tmp_path / f"l{number}.csv", labels)
    assert assaymark("label", path, "-p", project).code == 0
    return drawn


def test_sentinels_stand_while_it_holds_and_refute_when_it_does_not(assaymark, certified, tmp_path):
    started = assaymark("sentinel", "start", "--alarm", "yearly", "-p", certified, "--json")
    assert started.code == 0, started.err
    assert [one["level"] for one in started.json["falls"]] == [0.75, 0.7, 0.65]
    for number in range(1, 4):
        week(assaymark, certified, tmp_path, number)
    good = assaymark("sentinel", "look", "-p", certified, "--json")
    assert good.code == 0
    assert good.json["decision"] == "standing"
    assert good.json["units"] == 3
    for number in range(4, 16):
        week(assaymark, certified, tmp_path, number, good=False)
    bad = assaymark("sentinel", "look", "-p", certified)
    assert bad.code == 1
    assert "Refuted: f1 >= 0.8 no longer holds" in bad.out
    assert "in a year of 52 units" in bad.out
    reports = [r for w in Project(folder=certified).state().surveys for r in w.reports]
    assert isinstance(reports[-1].event, SurveyReported)


def test_unclear_sentinels_refute_nothing(assaymark, certified, tmp_path):
    assert assaymark("sentinel", "start", "--alarm", "average", "-p", certified).code == 0
    for number in range(1, 13):
        week(assaymark, certified, tmp_path, number, answers="?")
    found = assaymark("sentinel", "look", "-p", certified, "--json").json
    assert found["decision"] == "standing"
    assert found["doubtful"]


def test_answers_after_the_sealed_deadline_count_for_nothing(assaymark, certified, tmp_path):
    started = assaymark("sentinel", "start", "--deadline", 1, "-p", certified)
    assert started.code == 0, started.err
    truth = unit(tmp_path / "w1.csv", 1)
    draw = ("sentinel", "draw", "-p", certified, "-o", tmp_path / "s1.csv", "--json", "--pool")
    items = assaymark(*draw, tmp_path / "w1.csv").json["items"]

    def look():
        found = assaymark("sentinel", "look", "-p", certified, "--json").json
        return found["units"], found["missing"], found["evidence"]

    assert look() == (0, 35, 0.0)
    week(assaymark, certified, tmp_path, 2)
    closed = look()
    assert closed[:2] == (2, 0)
    late = write_labels(tmp_path / "late.csv", {item: 1 - truth[item] for item in items})
    assert assaymark("label", late, "-p", certified).code == 0
    assert look() == closed


def test_a_unit_counts_once_all_its_sentinels_are_answered_and_later_ones_wait(
    assaymark, certified, tmp_path
):
    assert assaymark("sentinel", "start", "-p", certified).code == 0
    truth = unit(tmp_path / "w1.csv", 1)
    draw = ("sentinel", "draw", "-p", certified, "-o", tmp_path / "s1.csv", "--json", "--pool")
    items = assaymark(*draw, tmp_path / "w1.csv").json["items"]
    week(assaymark, certified, tmp_path, 2)

    def look():
        found = assaymark("sentinel", "look", "-p", certified, "--json").json
        return found["units"], found["missing"]

    assert look() == (0, 35)
    most = write_labels(tmp_path / "most.csv", {item: truth[item] for item in items[1:]})
    assert assaymark("label", most, "-p", certified).code == 0
    assert look() == (0, 1)
    last = write_labels(tmp_path / "last.csv", {items[0]: truth[items[0]]})
    assert assaymark("label", last, "-p", certified).code == 0
    assert look() == (2, 0)


def test_what_sentinels_refuse(assaymark, project, certified, tmp_path):
    unit(tmp_path / "w1.csv", 1)
    draw = ("sentinel", "draw", "-p", certified, "--pool")
    assert "No sentinels were started" in assaymark(*draw, tmp_path / "w1.csv").err
    shown = assaymark("sentinel", "start", "-p", certified)
    assert "ever goes off with chance at most 5%" in shown.out
    assert "a fall to 0.65" in shown.out
    assert "terms are sealed" in assaymark("sentinel", "start", "-p", certified).err
    assert assaymark(*draw, tmp_path / "w1.csv").code == 0
    again = assaymark(*draw, tmp_path / "w1.csv", "-o", tmp_path / "x.csv")
    assert "a unit counts once" in again.err
    unit(tmp_path / "big.csv", 2, items=4000)
    assert "sealed for at most" in assaymark(*draw, tmp_path / "big.csv").err
    unit(tmp_path / "more.csv", 1)  # the same week with another item is another file
    with (tmp_path / "more.csv").open("a", encoding="utf-8", newline="") as stream:
        stream.write("w1-new,0.4,text\r\n")
    overlap = assaymark(*draw, tmp_path / "more.csv", "--seed", "other")
    assert "an item counts in one unit only" in overlap.err
    waiting = assaymark("sentinel", "look", "-p", certified, "--json").json
    assert (waiting["units"], waiting["missing"]) == (0, 35)


def test_a_project_without_a_certificate_has_no_sentinels(assaymark, project):
    found = assaymark("sentinel", "start", "-p", project)
    assert found.code == 2
    assert "has none yet" in found.err


def test_labels_of_another_pool_are_left_out_and_nothing_counts(assaymark, certified, tmp_path):
    assert assaymark("sentinel", "start", "-p", certified).code == 0
    unit(tmp_path / "w1.csv", 1)
    assert assaymark("sentinel", "draw", "--pool", tmp_path / "w1.csv", "-p", certified).code == 0
    foreign = write_labels(tmp_path / "foreign.csv", {f"other-{i}": 1 for i in range(35)})
    said = assaymark("label", foreign, "-p", certified)
    assert "35" in said.out + said.err
    found = assaymark("sentinel", "look", "-p", certified, "--json").json
    assert (found["units"], found["missing"]) == (0, 35)


def test_the_seed_of_the_start_decides_every_draw(assaymark, certified, tmp_path):
    """Nobody chooses a week's sentinels once the week is known."""
    copy = tmp_path / "copy"
    shutil.copytree(certified, copy)
    unit(tmp_path / "w1.csv", 1)
    found = []
    for project in (certified, copy):
        assert assaymark("sentinel", "start", "--seed", "x", "-p", project).code == 0
        out = tmp_path / f"{project.name}.csv"
        draw = ("sentinel", "draw", "--pool", tmp_path / "w1.csv", "-o", out, "-p", project)
        found.append(assaymark(*draw, "--json").json["items"])
    assert found[0] == found[1]


@pytest.mark.parametrize("bars", [1, 2])
def test_sealed_terms_are_read_as_they_were_stored(bars):
    """To the last key: one bar stands beside the other terms, several share the risk equally."""
    watched = tuple(
        WatchedBar(claim=f"{name} >= 0.8", metric=name, target=0.8, least=-300.5)
        for name in ("recall", "precision")[:bars]
    )
    terms = SentinelTerms(
        claim=" and ".join(bar.claim for bar in watched), bars=watched, alarm="yearly",
        confidence=0.9, year=52, deadline=4, window=8000, threshold=0.5, cut=None,
        sizes=(400, 800, 800), draws=(15, 12, 8), positives=500, items=2500,
    )  # fmt: skip
    assert SentinelTerms.from_settings(terms.to_settings()) == terms
    assert ("parts" in terms.to_settings()) == (bars == 2)
    assert [part.rule.risk for part in terms.by_bar] == [0.1 / bars] * bars
    assert [part.claim for part in terms.by_bar] == [bar.claim for bar in watched]
