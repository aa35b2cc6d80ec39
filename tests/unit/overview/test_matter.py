"""What a report says for a court: matter, protocol, roles, notes, and presets of known protocols."""

from types import SimpleNamespace

import pytest

from assaymark.files.labels import LabelRow
from assaymark.labelling.recording import label
from assaymark.labelling.settings import Settings, write_settings
from assaymark.overview.matter import Matter, matter_facts
from assaymark.overview.protocols import PROTOCOLS
from assaymark.overview.report import report_bytes
from assaymark.project.folder import Project
from worlds_on_disk import write_labels


@pytest.fixture
def settled(assaymark, labelled):
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


def test_a_report_names_matter_classifier_protocol_and_roles(settled) -> None:
    page = report_bytes(Project(folder=settled), "html").decode()
    first, _, rest = page.partition('class="record"')
    for text in ("Doe v. Roe", "RefundNet 2.1", "If labels were wrong", "Refunds"):
        assert text in first
    for text in ("TAR validation", "Review protocol", "• Relevant: money back, 2 * 3 * 4", "Kim: first reviewer",
                 "1 conflict was decided by one of the reviewers who differed"):  # fmt: skip
        assert text in rest
    assert "**" not in page


def test_owner_and_classifier_of_a_locked_claim_file_are_named() -> None:
    lock = SimpleNamespace(owner="mail team", classifier={"model": "sha256:6b1f", "prompt": "v3"})
    matter = Matter(settings=Settings(), lock=lock)
    assert matter_facts(matter) == (
        ("Claimed by", "mail team"), ("Classifier", "model sha256:6b1f, prompt v3"),
    )  # fmt: skip


@pytest.mark.parametrize("name", PROTOCOLS)
def test_every_preset_adds_its_figures(settled, name) -> None:
    write_settings(settled, Settings(protocol=name))
    page = report_bytes(Project(folder=settled), "html").decode()
    assert {"elusion-test": "relevant items left in the null set", "tar-validation": "validation sample",
            "systematic-review": "records identified"}[name] in page  # fmt: skip
    assert "1,551" in page  # the null set
    # which ranges hold how often is said where they stand
    assert page.count("Each range holds on its own with 95% confidence") == 2
    assert "unequal" not in page, "a simple sample is what it seems"
    assert '<td data-head="labels">' in page  # on a phone a row is a block of named values


@pytest.mark.parametrize("name", ["elusion-test", "tar-validation"])
def test_a_preset_says_where_counts_of_the_sample_are_no_shares(
    name, assaymark, project, world, tmp_path
) -> None:
    """3 relevant of 108 read is no elusion of 3 % where likely misses were read more often."""
    assert assaymark("plan", "recall >= 0.5", "--design", "weighted", "-p", project).code == 0
    items = assaymark("draw", 40, "-o", tmp_path / "b.csv", "-p", project, "--json").json["items"]
    labels = write_labels(tmp_path / "l.csv", {item: world.truth[item] for item in items})
    assert assaymark("label", labels, "-p", project).code == 0
    write_settings(project, Settings(protocol=name))
    page = report_bytes(Project(folder=project), "html").decode()
    assert "Items were sampled at unequal, recorded rates" in page
