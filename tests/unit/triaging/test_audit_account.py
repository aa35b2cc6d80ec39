"""The audit over time: what is sealed, what counts, and what the verdict says."""

import csv
import itertools
import json

import numpy as np
import pytest

from assaymark.errors import InputError, PlanError
from assaymark.overview.survey_sections import section_of
from assaymark.project.folder import Project
from assaymark.triaging.audit_account import (
    Opening,
    open_account,
    refuse_beyond_seal,
    wanted_draws,
)
from assaymark.triaging.audit_result import Account, Seal
from assaymark.triaging.stats.unit_audit import AuditUnit, judge_units
from worlds_on_disk import write_rows

THRESHOLDS = {
    "rule": "certified", "target": 0.9, "delta": 0.1, "certified": True,
    "cutoffs": {"low": 0.4, "high": 0.6}, "score": "score", "promise": "right", "labels": 100,
    "automated_share": 0.8, "placed_by": "hand", "sources": ["x"], "software": "0", "schema": 1,
}  # fmt: skip


def account(alarm="ever", sides=1):
    seal = Seal(largest=1000, window=2000, spread=50.0)
    return Account(alarm=alarm, confidence=0.95, year=52, seals=(seal,) * sides)


def unit(wrong, unclear=0, draws=20, items=1000):
    verdicts = [False] * wrong + [None] * unclear + [True] * (draws - wrong - unclear)
    return AuditUnit(items=items, draws=tuple(verdicts))


@pytest.mark.parametrize("alarm", ["ever", "yearly", "average", "every-batch"])
def test_every_alarm_names_its_null_and_rings_when_half_is_wrong(alarm):
    found = judge_units([[unit(1)] * 5 + [unit(10)] * 8], account(alarm), target=0.9)
    assert found.decision == "broken"
    assert found.drift
    assert found.alarm == alarm
    assert f"the alarm '{alarm}' went off at" in str(found)
    assert {"ever": "ever goes off", "yearly": "a year of 52 batches", "average": "so far",
            "every-batch": "every single batch"}[alarm] in found.null  # fmt: skip
    if alarm != "every-batch":
        assert found.high < 0.9
        assert found.alarm_at > found.since - 1 >= 0


def test_a_good_audit_is_kept_and_a_short_one_open():
    assert judge_units([[unit(0)] * 10], account(), target=0.9).decision == "kept"
    found = judge_units([[unit(2)] * 2], account(), target=0.9)
    assert found.decision == "open"
    assert found.accuracy == 0.9
    assert "Nothing is known yet" in str(judge_units([[]], account(), target=0.9))


def test_kept_and_the_estimate_weigh_items():
    """Many draws of small good batches do not vouch for a large bad one."""
    units = [unit(0, items=20)] * 30 + [unit(4, items=1000)] * 3
    found = judge_units([units], account(), target=0.9)
    assert found.accuracy == pytest.approx((30 * 20 + 3 * 800) / 3600)
    assert found.decision == "open"


def test_unclear_answers_make_a_range_and_never_ring_by_themselves():
    found = judge_units([[unit(0, unclear=8)] * 30], account(), target=0.9)
    assert found.decision == "open"
    assert (found.accuracy, found.accuracy_high) == (0.6, 1.0)
    assert found.doubtful
    assert not found.broken_if_told
    assert found.estimate == "0.6 to 1"
    assert "they decide" in found.warnings[0]
    told = judge_units([[unit(3, unclear=12)] * 60], account(), target=0.9)
    assert told.broken_if_told


def test_later_draws_serve_the_estimate_only():
    plain = [unit(2)] * 6
    more = [AuditUnit(items=1000, draws=u.draws, later=(False,) * 20) for u in plain]
    first = judge_units([plain], account(), target=0.9)
    second = judge_units([more], account(), target=0.9)
    assert (first.evidence, first.low, first.draws) == (second.evidence, second.low, second.draws)
    assert second.accuracy == 0.45


def test_each_side_has_its_own_alarm():
    good, bad = [unit(0)] * 14, [unit(9)] * 14
    found = judge_units([good, bad], account(sides=2), target=0.9)
    assert found.decision == "broken"
    assert found.each_side
    empty = AuditUnit(items=0, draws=())
    late = judge_units([good, [empty] * 4 + bad[4:]], account(sides=2), target=0.9)
    assert late.since > 4


def test_what_is_sealed_follows_from_the_first_batch():
    found = open_account(Opening(), [2000], [40])
    assert (found.alarm, found.confidence, found.year) == ("ever", 0.95, 52)
    assert found.seals == (Seal(largest=2500, window=8000, spread=62.5),)
    with pytest.raises(InputError, match="more than largest=100"):
        open_account(Opening(largest=100), [2000], [40])
    with pytest.raises(PlanError, match="into 2 files"):
        refuse_beyond_seal(found, [4000], [100], "june.csv")
    with pytest.raises(PlanError, match="Draw at least 16"):
        refuse_beyond_seal(found, [1000], [15], "june.csv")
    assert wanted_draws(50, [30]) == (30,)
    assert wanted_draws(50, [900, 100]) == (45, 5)


def batch_file(path, first, wrong_every, size=300):
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, ["id", "text", "score"])
        writer.writeheader()
        for number in range(first, first + size):
            text = f"{'no' if number % wrong_every == 0 else 'yes'} {number}"
            writer.writerow({"id": f"i{number}", "text": text, "score": 0.9})
    return path


def answer(path, unclear=False, first=None):
    with path.open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))[:first]
    for row in rows:
        row["label"] = "?" if unclear else int(row["text"].startswith("yes"))
    done = path.with_name(f"done-{path.name}")
    write_rows(done, rows)
    return done


@pytest.fixture
def draw(assaymark, tmp_path):
    """Draws from a batch of 300 items in a new project."""
    work = tmp_path / "work"
    pool = batch_file(tmp_path / "pool.csv", 0, 10)
    assert assaymark("init", work, "--pool", pool, "--id", "id", "--score", "score", "--text", "text").code == 0  # fmt: skip

    def drawn(number, *more, wrong_every=2, count=40, thresholds=THRESHOLDS):
        cuts = tmp_path / "cuts.json"
        cuts.write_text(json.dumps(thresholds), encoding="utf-8")
        batch = batch_file(tmp_path / f"w{number}.csv", 1000 * number, wrong_every)
        return assaymark("triage", "audit", "--thresholds", cuts, "--batch", batch, "--id", "id", "--text",
                         "text", "--draw", count, "-o", tmp_path / f"a{number}.csv", "-p", work, *more)  # fmt: skip

    return drawn


def test_a_batch_counts_once_all_its_draws_are_answered_and_later_ones_wait(
    assaymark, draw, tmp_path
):
    """Otherwise whoever answers could leave out what looks bad: stopping early is a choice."""
    work = tmp_path / "work"
    for number in (1, 2):
        assert draw(number).code == 0
    label = [answer(tmp_path / "a2.csv"), answer(tmp_path / "a1.csv", first=39)]
    for path in label:
        assert assaymark("label", path, "-p", work).code == 0
    found = assaymark("triage", "audit", "-p", work, "--json").json
    assert (found["labels"], found["waiting"], found["missing"]) == (0, 79, 1)
    assert assaymark("label", answer(tmp_path / "a1.csv"), "-p", work).code == 0
    found = assaymark("triage", "audit", "-p", work, "--json").json
    assert (found["labels"], found["waiting"], found["missing"]) == (80, 0, 0)


def test_answers_after_the_sealed_deadline_count_for_nothing(assaymark, draw, tmp_path):
    """Whoever holds answers back cannot choose later whether, or how, their batch counts."""
    work = tmp_path / "work"

    def seen():
        found = assaymark("triage", "audit", "-p", work, "--json").json
        return {name: found[name] for name in ("labels", "unclear", "missing", "waiting", "late")}

    assert draw(1, "--deadline", 2, wrong_every=10).code == 0
    assert assaymark("label", answer(tmp_path / "a1.csv", first=30), "-p", work).code == 0
    assert draw(2, wrong_every=10).code == 0
    assert assaymark("label", answer(tmp_path / "a2.csv"), "-p", work).code == 0
    assert seen() == {"labels": 0, "unclear": 0, "missing": 10, "waiting": 70, "late": 0}
    assert draw(3, wrong_every=10).code == 0
    closed = {"labels": 80, "unclear": 10, "missing": 40, "waiting": 0, "late": 0}
    assert seen() == closed
    before = assaymark("triage", "audit", "-p", work, "--json").json
    assert "until 2 later batches are opened" in " ".join(before["assumptions"])
    assert assaymark("label", answer(tmp_path / "a1.csv"), "-p", work).code == 0
    assert seen() == {**closed, "late": 10}
    after = assaymark("triage", "audit", "-p", work, "--json").json
    assert (before["low"], before["evidence"]) == (after["low"], after["evidence"])
    assert (
        "10 answers after the deadline, not counted" in assaymark("triage", "audit", "-p", work).out
    )
    assert "sealed; got 3" in draw(4, "--deadline", 3).err


def test_holding_answers_back_never_helps_an_alarm_or_a_bound():
    """Every subset of the draws of two batches: unclear ones lower evidence and bound."""
    seal = Seal(largest=4, window=4, spread=4.0)
    terms = Account(alarm="ever", confidence=0.95, year=52, seals=(seal,))
    said = {}
    for verdicts in itertools.product((True, False, None), repeat=3):
        units = [AuditUnit(items=4, draws=own) for own in (verdicts[:2], verdicts[2:])]
        found = judge_units([units], terms, target=0.5)
        said[verdicts] = np.array([found.evidence, found.low])
    for truth in itertools.product((True, False), repeat=3):
        for kept in itertools.product((True, False), repeat=3):
            held = tuple(v if known else None for v, known in zip(truth, kept, strict=True))
            assert (said[held] <= said[truth] + 1e-12).all()


def test_new_thresholds_have_an_alarm_of_their_own_and_that_is_said(assaymark, draw, tmp_path):
    work = tmp_path / "work"
    others = {**THRESHOLDS, "cutoffs": {"low": 0.3, "high": 0.7}}
    for number, thresholds in ((1, THRESHOLDS), (2, others)):
        assert draw(number, thresholds=thresholds, wrong_every=50).code == 0
        assert assaymark("label", answer(tmp_path / f"a{number}.csv"), "-p", work).code == 0
        found = assaymark("triage", "audit", "-p", work, "--json").json
        assert found["labels"] == 40  # the draws of the other thresholds do not count
    assert any("for each of them, not for all together" in text for text in found["assumptions"])


def test_an_audit_keeps_to_what_was_sealed(assaymark, draw, tmp_path):
    work = tmp_path / "work"
    done = draw(1, "--alarm", "yearly", "--year", 12)
    assert done.code == 0, done.err
    refused = draw(2, "--alarm", "ever")
    assert refused.code == 2
    assert "was opened with --alarm yearly, and that is sealed; got ever" in refused.err
    assert "sealed when this audit was opened" in draw(2, "--largest", 900).err
    assert "Draw at least" in draw(2, count=5).err
    assert assaymark("label", answer(tmp_path / "a1.csv"), "-p", work).code == 0
    for number in range(2, 7):
        assert draw(number).code == 0
        assert assaymark("label", answer(tmp_path / f"a{number}.csv"), "-p", work).code == 0
    found = assaymark("triage", "audit", "-p", work, "--json")
    assert found.code == 1, found.err
    assert found.json["alarm"] == "yearly"
    assert found.json["since"] == 1
    shown = assaymark("triage", "audit", "-p", work)
    assert "in a year of 12 batches" in " ".join(shown.out.split())
    result = Project(folder=work).state().surveys[-1].reports[-1].event.result
    assert any("alarm 'yearly'" in text for text in section_of("audit")(result).paragraphs)
