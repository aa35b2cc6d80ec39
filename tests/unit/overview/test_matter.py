"""What a report says for a court: matter, protocol, roles, notes, and presets of known protocols."""

import pytest

from assaymark.files.labels import LabelRow
from assaymark.labelling.recording import label
from assaymark.labelling.settings import Settings, write_settings
from assaymark.overview.protocols import PROTOCOLS
from assaymark.overview.report import report_bytes
from assaymark.project.folder import Project


@pytest.fixture
def told(assaymark, labelled):
    project = Project(folder=labelled)
    first = project.state().attempt.order[0]
    before = project.state().answers[first]["reviewer"]
    label(project, [LabelRow(item=first, label=1 - before, annotator="lee")])
    label(project, [LabelRow(item=first, label=before, annotator="reviewer")], adjudicate=True)
    settings = Settings(
        title="Refunds", criteria="# Rule\n- **Relevant**: money *back*, 2 * 3 * 4", matter="Doe v. Roe",
        classifier="RefundNet 2.1", roles="Kim: first reviewer", protocol="tar-validation",
    )  # fmt: skip
    write_settings(labelled, settings)
    assert assaymark("look", "-p", labelled).code == 0
    return labelled


def test_a_report_names_matter_classifier_protocol_and_roles(told) -> None:
    page = report_bytes(Project(folder=told), "html").decode()
    first, _, rest = page.partition('class="record"')
    for text in ("Doe v. Roe", "RefundNet 2.1", "If labels were wrong", "Refunds"):
        assert text in first
    for text in ("TAR validation", "Review protocol", "• Relevant: money back, 2 * 3 * 4", "Kim: first reviewer",
                 "1 conflict was decided by one of the reviewers who differed"):  # fmt: skip
        assert text in rest
    assert "**" not in page


@pytest.mark.parametrize("name", PROTOCOLS)
def test_every_preset_adds_its_figures(told, name) -> None:
    write_settings(told, Settings(protocol=name))
    page = report_bytes(Project(folder=told), "html").decode()
    assert {"elusion-test": "relevant items left in the null set", "tar-validation": "validation sample",
            "systematic-review": "records identified"}[name] in page  # fmt: skip
    assert "1,551" in page  # the null set
    if name != "systematic-review":  # which ranges hold how often is said where they stand
        assert page.count("Each range holds on its own with 95% confidence") == 2
    assert '<td data-head="labels">' in page  # on a phone a row is a block of named values
