"""The report of a review: what the review says, and beside it the matter, its people and their labels."""

from dataclasses import dataclass, replace
from pathlib import Path

from assaymark.certification.view.dossier import Dossier
from assaymark.certification.view.people import read_story
from assaymark.files.places import KEPT, SHARED, part_of, refuse_existing
from assaymark.ledger.events import State
from assaymark.overview.answer_names import AnswerNames
from assaymark.overview.dossier import dossier_of
from assaymark.overview.matter import Matter, matter_facts, matter_of
from assaymark.overview.people_sections import moment
from assaymark.overview.report_content import people_record
from assaymark.project.folder import Project
from assaymark.reports.forms import FORMS, form_of
from assaymark.reports.section import Report
from assaymark.reports.typesetter import typesetter
from assaymark.reviewing.reporting import review_content
from assaymark.reviewing.status import ReviewStatus


@dataclass(frozen=True, kw_only=True)
class WrittenReview:
    """A report of a review and where it was written."""

    path: Path
    form: str
    status: ReviewStatus
    head: str
    certificate: str | None


def write_review_report(project: Project, *, output: Path | None = None) -> WrittenReview:
    """Write the report of the review as .html or .pdf; a file is never written over."""
    path = output or project.folder / "report.html"
    form = form_of(path)
    refuse_existing(path, because=KEPT)
    if form == "pdf":
        typesetter()
    report, status = _report(project)
    with part_of(path, mode=SHARED) as part:
        part.write_bytes(FORMS[form](report))
    state = project.state()
    issued = state.reviews[-1].certificates
    return WrittenReview(
        path=path,
        form=form,
        status=status,
        head=state.head.hash if state.head else "",
        certificate=issued[-1].event.certificate if issued else None,
    )


def review_report_bytes(project: Project, form: str) -> bytes:
    """The report of the review in this form."""
    return FORMS[form](_report(project)[0])


def _report(project: Project) -> tuple[Report, ReviewStatus]:
    content, status = review_content(project)
    story = read_story(project.ledger.entries())
    dossier, matter = dossier_of(project, story), matter_of(project, story)
    return _whole(content, dossier, matter, story.state), status


def _whole(content: Report, dossier: Dossier, matter: Matter, state: State) -> Report:
    """The report with what every report says of its matter and its people."""
    names = AnswerNames.of(matter.settings)
    people = ", ".join(person.name for person in dossier.people)
    return replace(
        content,
        facts=(
            *matter_facts(matter),
            ("Project", matter.settings.title or dossier.title),
            *content.facts,
            ("Labelled by", people or "nobody yet"),
            *((("Agreement", dossier.agreement.sentence),) if dossier.agreement else ()),
            ("Status", _status(state)),
        ),
        record=(*content.record, *people_record(dossier, matter, names)),
        foot=f"{content.foot} · as of {moment(dossier.as_of)}",
    )


def _status(state: State) -> str:
    review = state.reviews[-1]
    if not review.certificates:
        return "open: no certificate was issued"
    since = "" if review.is_issued(state) else "; labels were given since"
    return f"certificate issued {moment(review.certificates[-1].time)}{since}"
