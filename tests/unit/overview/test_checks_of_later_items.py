"""Audits and sentinels in the report: one section for all batches, and an alarm on page one."""

from types import SimpleNamespace

import pytest

from assaymark.ledger.events import SurveyReported
from assaymark.overview.dossier import dossier
from assaymark.overview.report_content import report_of
from assaymark.overview.survey_sections import alarms, surveys_of
from assaymark.project.folder import Project

BROKEN = {
    "audit": "The promise of 90% is broken, probably since batch 2: 60 of 80 audited decisions were right.",
    "sentinel": "Refuted: f1 >= 0.8 no longer holds, proved for the time since unit 2.",
}


def result(purpose, decision):
    """What such a look stores."""
    audit = {"batches": [], "low": 0.7, "confidence": 0.95, "warnings": [], "assumptions": []}
    sentinel = {
        "units": 2,
        "labels": 80,
        "evidence": 30.0,
        "needed": 20.0,
        "missing": 0,
        "doubtful": False,
    }
    fine = {"audit": "No sign that the promise of 90% is broken.", "sentinel": "No sign of a fall."}
    said = BROKEN if decision in ("broken", "refuted") else fine
    return {
        **(audit if purpose == "audit" else sentinel), "decision": decision, "sentence": said[purpose],
        "alarm": "ever", "null": "all is well.",
    }  # fmt: skip


def work(number, purpose, settings, *looks, items=40):
    """A survey that was opened at ten times its number, and looks at it: when, and what they found."""
    return SimpleNamespace(
        survey=SimpleNamespace(number=number, purpose=purpose, settings=settings),
        opened_at=number * 10,
        order=[f"i{number}-{item}" for item in range(items)],
        reports=[
            SimpleNamespace(seq=at, time="t", event=SimpleNamespace(result=result(purpose, found)))
            for at, found in looks
        ],
    )


def state(*works, plan=None):
    """A state of which only the surveys and the latest plan matter; every item has a label."""
    attempt = plan and SimpleNamespace(plan=SimpleNamespace(number=plan), sealed_at=1)
    return SimpleNamespace(surveys=list(works), attempt=attempt, labelled=lambda item: True)


def audits(*looks):
    cuts = {"thresholds": "x"}
    return [
        work(1, "audit", cuts, *looks[:1]),
        work(2, "audit", cuts, *looks[1:]),
        work(3, "audit", cuts),
    ]


def test_an_audit_of_many_batches_is_told_once_by_its_latest_look():
    """Each look had a section of its own, and each batch without one said that it had no result yet."""
    (seen,) = surveys_of(state(*audits((15, "open"), (25, "broken"))))
    assert (seen.number, seen.drawn, seen.labelled) == (2, 120, 120)
    assert seen.result.sentence == BROKEN["audit"]
    assert "1 batch drawn after this was worked out" in seen.result.paragraphs[-1]
    assert alarms([seen]) == (BROKEN["audit"],)


def test_an_alarm_of_thresholds_that_were_replaced_is_none():
    new = work(4, "audit", {"thresholds": "y"}, (45, "open"))
    told = surveys_of(state(*audits((15, "open"), (25, "broken")), new))
    assert [one.number for one in told] == [2, 4]
    assert alarms(told) == ()


@pytest.mark.parametrize(("plan", "alarm"), [(1, (BROKEN["sentinel"],)), (2, ())])
def test_sentinels_are_told_once_and_speak_of_the_certificate_that_they_watch(plan, alarm):
    begun = work(1, "sentinel", {"start": True, "plan": 1}, (35, "refuted"), items=0)
    units = [work(number, "sentinel", {"of": 1}) for number in (2, 3)]
    told = surveys_of(state(begun, *units, plan=plan))
    assert [(one.number, one.drawn) for one in told] == [(1, 80)]
    assert alarms(told) == alarm


def test_page_one_says_that_a_certificate_no_longer_holds(assaymark, labelled, tmp_path):
    """It said Established, and the alarm was a table of raw values ten pages later."""
    assert assaymark("certify", "-p", labelled).code == 0
    assert assaymark("sentinel", "start", "-p", labelled).code == 0
    project = Project(folder=labelled)
    before = report_of(dossier(project))
    assert "Since then" not in before.sentence
    assert (before.tone, before.word) == ("pass", "Established")
    found = result("sentinel", "refuted")
    with project.writing() as session:
        session.record(SurveyReported(survey=1, labels=80, result=found))
    page = report_of(dossier(project))
    assert (page.tone, page.word) == ("fail", "No longer holds")
    written = assaymark("report", "-o", tmp_path / "r.html", "-p", labelled, "--json").json
    assert written["tone"] == "fail"
    assert written["verdict"] == f"No longer holds. {page.sentence}"
    assert page.sentence.endswith(f"Since then: {BROKEN['sentinel']}")
    assert dict(page.facts)["Status"].endswith("on later items it no longer holds")
    (section,) = [part for part in page.record if part.title == "Is the certificate still true?"]
    assert section.sentence == BROKEN["sentinel"]
    assert ("evidence of a fall, at its highest", "30") in section.tables[0].rows
