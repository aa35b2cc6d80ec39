"""The audit over time: what is sealed, what counts, and what the verdict says."""

import csv
import json

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
from assaymark.triaging.audit_found import Account, Seal
from assaymark.triaging.stats.unit_audit import AuditUnit, judge_units

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
    assert f"the alarm '{alarm}' rang at" in str(found)
    assert {"ever": "ever rings", "yearly": "a year of 52 batches", "average": "so far",
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


def answer(path, unclear=False):
    with path.open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    for row in rows:
        row["label"] = "?" if unclear else int(row["text"].startswith("yes"))
    done = path.with_name(f"done-{path.name}")
    with done.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return done


def test_an_audit_keeps_to_what_was_sealed(assaymark, tmp_path):
    cuts, work = tmp_path / "cuts.json", tmp_path / "work"
    cuts.write_text(json.dumps(THRESHOLDS), encoding="utf-8")
    pool = batch_file(tmp_path / "pool.csv", 0, 10)
    assert assaymark("init", work, "--pool", pool, "--id", "id", "--score", "score", "--text", "text").code == 0  # fmt: skip

    def draw(number, *more, wrong_every=2, count=40):
        batch = batch_file(tmp_path / f"w{number}.csv", 1000 * number, wrong_every)
        return assaymark("triage", "audit", "--thresholds", cuts, "--batch", batch, "--id", "id", "--text",
                         "text", "--draw", count, "-o", tmp_path / f"a{number}.csv", "-p", work, *more)  # fmt: skip

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
    result = Project(folder=work).state().surveys[-1].reports[-1][2].result
    assert any("alarm 'yearly'" in text for text in section_of("audit")(result).paragraphs)
