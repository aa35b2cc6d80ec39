"""The dossier: honest at every stage, in every mode and design."""

import subprocess
import sys

import numpy as np
import pytest

import assaymark as assaymark_api
from assaymark.certification.modes import judge, labelled_prefix, mode_of
from assaymark.certification.view.sensitivity import Sample, hurtful, sensitivity_of
from assaymark.overview.dossier import dossier
from assaymark.project.folder import Project
from worlds_on_disk import write_labels

MODES = {
    "weighted": ("f1 >= 0.8",),
    "anytime": ("f1 >= 0.8", "--design", "simple"),
    "budget": ("f1 >= 0.8", "--mode", "budget", "--expect", 0.9, "--prevalence", 0.2),
    "precision": ("precision >= 0.8", "--design", "simple"),
    "elusion": ("elusion <= 0.2", "--design", "simple"),
    "richness": ("prevalence <= 0.4", "--design", "simple"),
}


def batch(assaymark, project, world, tmp_path, number, *, count=150, annotator="kim"):
    drawn = assaymark(
        "draw", count, "-o", tmp_path / f"b{number}.csv", "-p", project, "--json"
    ).json
    labels = {item: world.truth[item] for item in drawn["items"]}
    path = write_labels(tmp_path / f"l{number}.csv", labels)
    assert assaymark("label", path, "--annotator", annotator, "-p", project).code == 0
    return labels


def test_before_a_plan(project):
    found = dossier(Project(folder=project))
    assert found.answer.tone == "no plan"
    assert found.collection.items == 2000
    assert found.scores.threshold == 0.5
    assert sum(b.predicted_positive + b.predicted_negative for b in found.scores.bins) == 2000


@pytest.mark.parametrize("mode", MODES)
def test_every_mode(mode, assaymark, project, world, tmp_path):
    assert assaymark("plan", *MODES[mode], "--seed", mode, "-p", project).code == 0
    batch(assaymark, project, world, tmp_path, 1)
    seen = assaymark("look", "-p", project, "--json").json
    found = dossier(Project(folder=project))
    lower = found.claim.side == "lower"
    assert (
        found.answer.tone
        == {"pass": "pass", "continue": "not yet", "fail": "fail"}[seen["decision"]]
    )
    assert found.point == seen["point"]
    assert (found.bound or (0 if lower else 1)) == seen["low" if lower else "high"]
    assert found.path.points[-1].labels == seen["labels"]
    assert found.path.points[-1].bound == found.bound
    assert [mark.kind for mark in found.path.marks] == ["look"]
    assert len(found.path.points) <= 41
    bounds = [p.bound for p in found.path.points if p.bound is not None]
    assert bounds == sorted(bounds, reverse=not lower), "a bound never gets worse for given labels"
    assert sum(row.labels for row in found.strata) == seen["labels"]
    known = {number.name for number in found.card if number.low is not None}
    every = {"prevalence", "recall", "precision", "elusion"}
    assert known == {"precision": {"precision"}, "elusion": {"elusion"}}.get(mode, every)
    for number in found.card:
        if number.low is None:
            assert number.reason
        else:
            assert 0 <= number.low <= number.point <= number.high <= 1
    assert found.people[0].name == "kim"


def test_the_path_shows_what_looks_showed(assaymark, project, world, tmp_path):
    """For labels that nobody changed, the path passes through every look on record."""
    assert assaymark("plan", "f1 >= 0.88", "--seed", "s", "-p", project).code == 0
    for number in range(3):
        batch(assaymark, project, world, tmp_path, number, count=13)
        assaymark("look", "-p", project)
    found = dossier(Project(folder=project))
    shown = {p.labels: p.bound for p in found.path.points}
    for mark in found.path.marks:
        assert shown[mark.labels] == mark.bound


def test_the_chart_states_no_estimate_that_the_sentence_denies(assaymark, project, world, tmp_path):
    """ "No relevant item is labelled yet" stood above a curve that ended at "estimate 0.84"."""
    assert assaymark("plan", "f1 >= 0.7", "--seed", "s", "-p", project).code == 0
    assert "no label counts yet" in dossier(Project(folder=project)).answer.sentence
    items = assaymark("draw", 20, "-o", tmp_path / "b.csv", "-p", project, "--json").json["items"]
    labels = write_labels(tmp_path / "l.csv", dict.fromkeys(items[:5], 0))
    assert assaymark("label", labels, "-p", project).code == 0
    seen = dossier(Project(folder=project))
    assert "no relevant item is labelled yet" in seen.answer.sentence
    assert [point.point for point in seen.path.points] == [None] * 5
    labels = write_labels(tmp_path / "m.csv", dict.fromkeys(items[5:], 1))
    assert assaymark("label", labels, "-p", project).code == 0
    points = [point.point for point in dossier(Project(folder=project)).path.points]
    assert points[:5] == [None] * 5
    assert None not in points[5:]


def test_a_fixed_plan_shows_nothing_before_its_size(assaymark, project, world, tmp_path):
    plan = ("plan", "f1 >= 0.8", "--mode", "fixed", "--budget", 300, "--seed", "s", "-p", project)
    assert assaymark(*plan).code == 0
    batch(assaymark, project, world, tmp_path, 1, count=100)
    found = dossier(Project(folder=project))
    assert found.answer.tone == "too early"
    assert "judged once, when all of its 300 draws are labelled" in found.answer.sentence
    assert found.point is None
    assert found.bound is None
    assert found.counts is None
    assert all(p.point is None and p.bound is None for p in found.path.points)
    assert all(number.low is None and number.reason for number in found.card)
    assert all(row.positives is None and row.wrong is None for row in found.strata)
    assert all(person.relevant is None for person in found.people)


def test_a_fixed_plan_at_its_size_gives_exact_ranges(labelled, assaymark):
    found = dossier(Project(folder=labelled))
    tp, fp, fn, tn = found.counts.cells
    told = {number.name: number for number in found.card}
    answer = assaymark("bound", "--metric", "recall", "--counts", f"{tp},{fp},{fn},{tn}", "--side", "both", "--json").json  # fmt: skip
    assert told["recall"].low == pytest.approx(answer["low"])
    assert told["recall"].high == pytest.approx(answer["high"])
    assert "Clopper" in told["recall"].method


def test_two_annotators_disputes_and_decisions(assaymark, project, world, tmp_path):
    assert (
        assaymark("plan", "f1 >= 0.6", "--design", "simple", "--seed", "s", "-p", project).code == 0
    )
    labels = batch(assaymark, project, world, tmp_path, 1, count=60)
    names = list(labels)
    other = {name: labels[name] for name in names[:30]} | {names[4]: 1 - labels[names[4]]}
    assert assaymark("label", write_labels(tmp_path / "o.csv", other), "--annotator", "lee", "-p", project).code == 0  # fmt: skip
    found = dossier(Project(folder=project))
    assert found.disputed == (names[4],)
    assert (found.agreement.items, found.agreement.differing) == (30, 1)
    assert found.progress.disputed == 1
    assert found.path.points[-1].labels == 4, "what lies beyond an unsettled draw waits"
    decide = write_labels(tmp_path / "d.csv", {names[4]: labels[names[4]]})
    assert (
        assaymark("label", decide, "--adjudicate", "--annotator", "chief", "-p", project).code == 0
    )
    fixed = write_labels(tmp_path / "c.csv", {names[7]: 1 - labels[names[7]]})
    assert assaymark("label", fixed, "--annotator", "kim", "--correct", "-p", project).code == 0
    found = dossier(Project(folder=project))
    assert [(note.kind, note.item) for note in found.notes] == [
        ("decision", names[4]),
        ("correction", names[7]),
    ]
    assert {mark.kind for mark in found.path.marks} == {"decision", "correction"}
    assert found.disputed == (names[7],)


def test_sensitivity_speaks_of_a_pass_only(labelled):
    found = dossier(Project(folder=labelled))
    assert found.answer.tone == "pass"
    assert all(0 < tip.worst <= tip.needed <= tip.given for tip in found.sensitivity.tippings)
    assert "not a guarantee" in found.sensitivity.sentence


def test_a_single_wrong_label_that_overturns_the_verdict_is_found(labelled):
    """Every label is turned by itself: if any of them overturns the verdict, the sentence says 1."""
    state = Project(folder=labelled).state()
    attempt = state.attempt
    prefix = labelled_prefix(state, attempt)
    holds = mode_of(attempt.plan).holds
    found = sensitivity_of(attempt, prefix, judge(state, attempt))
    for tip in found.tippings:
        label = 1 if tip.kind == "false alarm" else 0
        falls = False
        for places in hurtful(attempt.plan.claim, prefix, label):
            answers = list(prefix.answers)
            for place in places:
                answers[place] = 1 - label
            turned = Sample(attempt=attempt, prefix=prefix).with_answers(answers)
            falls = falls or not holds(attempt, turned)
        assert (tip.worst == 1) == falls


def test_the_worst_place_may_be_late():
    """Stakes grow as more is known: here only an error after the fourteenth draw overturns alone."""
    rng = np.random.default_rng(0)
    score = np.round(rng.beta(0.4, 1.2, 800), 3)
    truth = rng.random(800) < score
    work = assaymark_api.certify(
        y_score=score, threshold=0.4, claim="f1 >= 0.507", mode="anytime", seed="0", anyway=True,
        folder=":memory:",
    )  # fmt: skip
    while items := work.ask(20):
        work.tell([(item.id, int(truth[item.id])) for item in items])
        if work.verdict().decision != "continue":
            break
    found = work.sensitivity()
    assert [(tip.kind, tip.worst) for tip in found.tippings] == [("false alarm", 2), ("miss", 1)]
    assert "wrong in the worst place, or 3" in found.sentence  # the smaller number first


def test_a_correction_after_the_certificate_supersedes_it(labelled, assaymark, world, tmp_path):
    assert assaymark("look", "-p", labelled).code == 0
    assert assaymark("certify", "-p", labelled).code == 0
    assert dossier(Project(folder=labelled)).outcome == "certified"
    item = (tmp_path / "labels.csv").read_text().splitlines()[1].split(",")[0]
    change = write_labels(tmp_path / "c.csv", {item: 1 - world.truth[item]})
    assert assaymark("label", change, "--correct", "-p", labelled).code == 0
    found = dossier(Project(folder=labelled))
    assert (found.answer.tone, found.answer.word) == ("fail", "Superseded")


def test_an_abandoned_plan_and_the_one_after_it(assaymark, project):
    assert assaymark("plan", "f1 >= 0.7", "--seed", "a", "-p", project).code == 0
    assert assaymark("plan", "--abandon", "the classifier was retrained", "-p", project).code == 0
    found = dossier(Project(folder=project))
    assert found.answer.tone == "abandoned"
    assert "the classifier was retrained".capitalize() in found.answer.sentence
    assert assaymark("plan", "f1 >= 0.6", "-p", project).code == 0
    found = dossier(Project(folder=project))
    assert [old.outcome for old in found.earlier] == ["abandoned"]


def test_the_first_dashboard_loads_no_scipy_and_no_surveys(assaymark, project, world, tmp_path):
    """Whoever opens the page first waits for what is loaded."""
    assert assaymark("plan", "f1 >= 0.8", "--seed", "light", "-p", project).code == 0
    batch(assaymark, project, world, tmp_path, 1)
    program = (
        "import sys; from pathlib import Path; import assaymark.web.pages.watching\n"
        "from assaymark.overview.watch import Watch; from assaymark.project.folder import Project\n"
        "assert Watch(Project(folder=Path(sys.argv[1]))).look().strata\n"
        "heavy = ('scipy', 'assaymark.estimation', 'assaymark.triaging')\n"
        "print(*sorted(name for name in sys.modules if name.startswith(heavy)))\n"
    )
    asked = [sys.executable, "-c", program, str(project)]
    loaded = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.split()
    assert loaded == []
