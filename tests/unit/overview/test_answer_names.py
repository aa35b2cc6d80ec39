"""Where the lead renamed the answers, readers meet those names and no others."""

import re

import pytest

from assaymark.certification.view.people import read_story
from assaymark.labelling.settings import Settings, write_settings
from assaymark.overview.answer_names import AnswerNames
from assaymark.overview.dossier import dossier_of
from assaymark.overview.matter import matter_of
from assaymark.overview.protocols import PROTOCOLS
from assaymark.overview.report_content import report_of
from assaymark.project.folder import Project
from assaymark.reports.html import html
from worlds_on_disk import write_labels

REFUNDS = AnswerNames(relevant="Refund", not_relevant="Not a refund", cannot_tell="Unclear")


def test_our_sentences_take_the_names_and_other_words_stay():
    text = 'the 49 labels "relevant", the 5 "not relevant", irrelevant and relevance'
    named = "the 49 labels “Refund”, the 5 “Not a refund”, irrelevant and relevance"
    assert REFUNDS.text(text) == named
    assert AnswerNames().text(text) == text
    assert [REFUNDS.answer(value) for value in (1, 0, None)] == [
        "Refund",
        "Not a refund",
        "Unclear",
    ]
    assert [AnswerNames().answer(value) for value in (1, None, 7)] == [
        "relevant",
        "cannot tell",
        "7",
    ]


def report_text(folder):
    project = Project(folder=folder)
    story = read_story(project.ledger.entries())
    text = html(report_of(dossier_of(project, story), matter_of(project, story)))
    return re.sub(r"<style.*?</style>|<[^>]+>", " ", text, flags=re.DOTALL)


@pytest.mark.parametrize("protocol", ["", *PROTOCOLS])
def test_a_report_speaks_the_names_of_the_project(protocol, labelled, assaymark, world, tmp_path):
    item = next(iter(Project(folder=labelled).state().attempt.order))
    changed = write_labels(tmp_path / "c.csv", {item: not world.truth[item]})
    assert assaymark("label", changed, "--correct", "-p", labelled).code == 0
    assert "relevant" in report_text(labelled)
    settings = Settings(
        relevant="Refund",
        not_relevant="Not a refund",
        criteria="A relevant rule.",
        protocol=protocol,
    )
    write_settings(labelled, settings)
    report = report_text(labelled)
    assert "A relevant rule." in report, "what people wrote stays as it is"
    report = report.replace("A relevant rule.", "")
    assert re.findall(r".{40}\brelevant\b.{20}", report) == []
    assert {"Refund", "Not a refund"} <= set(re.findall(r"Not a refund|Refund", report))
