"""Write the report of a project: one HTML or PDF file that needs nothing else."""

import contextlib
from dataclasses import dataclass
from pathlib import Path

from assaymark.certification.looks import look
from assaymark.certification.view.dossier import Dossier
from assaymark.certification.view.people import read_story
from assaymark.composite.looks import look_at_claim
from assaymark.composite.work import current_claim
from assaymark.errors import PlanError
from assaymark.files.places import KEPT, SHARED, part_of, refuse_existing
from assaymark.overview.dossier import dossier_of
from assaymark.overview.matter import matter_of
from assaymark.overview.report_content import report_of
from assaymark.overview.watch import look_is_due
from assaymark.project.folder import Project
from assaymark.reports.forms import FORMS, form_of
from assaymark.reports.typesetter import typesetter


@dataclass(frozen=True, kw_only=True)
class Written:
    """A report and where it was written."""

    path: Path
    form: str
    dossier: Dossier


def report_bytes(project: Project, form: str) -> bytes:
    """The report in this form. Records nothing: whoever shows it records the look before."""
    story = read_story(project.ledger.entries())
    return FORMS[form](report_of(dossier_of(project, story), matter_of(project, story)))


def write_report(project: Project, *, output: Path | None = None) -> Written:
    """Write the report. It shows the verdict, so the look at an open plan is recorded."""
    path = output or project.folder / "report.html"
    form = form_of(path)
    refuse_existing(path, because=KEPT)
    if form == "pdf":  # before a look is recorded for nothing
        typesetter()
    story = read_story(project.ledger.entries())
    claim = current_claim(story.state)
    if claim is not None and claim.look_is_due(story.state):
        look_at_claim(project)
        story = read_story(project.ledger.entries())
    if look_is_due(story.state):
        with contextlib.suppress(PlanError):  # too early to look: then the report shows no verdict
            look(project)
            story = read_story(project.ledger.entries())
    dossier = dossier_of(project, story)
    made = FORMS[form](report_of(dossier, matter_of(project, story)))
    with part_of(path, mode=SHARED) as part:
        part.write_bytes(made)
    return Written(path=path, form=form, dossier=dossier)
