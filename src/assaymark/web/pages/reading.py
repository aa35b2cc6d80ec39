"""For those who read the result: the recorded verdict, the certificate, the report."""

import asyncio

from starlette.requests import Request
from starlette.responses import Response

from assaymark.certification.handover import (
    OnRecord,
    certificate_file,
    certificate_statement,
)
from assaymark.certification.view.answer import claim_sentence
from assaymark.composite.handover import claim_file, claim_statement
from assaymark.composite.wording import verdict_of
from assaymark.composite.work import current_claim
from assaymark.labelling.desk import Desk
from assaymark.labelling.spending import spending
from assaymark.overview.recorded import latest_on_record
from assaymark.overview.report import report_bytes
from assaymark.overview.review_reports import review_report_bytes
from assaymark.project.folder import Project
from assaymark.reports.forms import REPORT_FORMS
from assaymark.reviewing.handover import review_file, review_statement
from assaymark.web.site import file_response, only, person_of, refuse, site_of

FILES = {"plan": certificate_file, "review": review_file, "claim": claim_file}
STATEMENTS = {
    "plan": certificate_statement,
    "review": review_statement,
    "claim": claim_statement,
}
TYPES = {"html": "text/html; charset=utf-8", "pdf": "application/pdf"}


@only("lead", "reader")
async def show(request: Request) -> Response:
    """What is recorded; nothing is computed and no look is taken."""
    site = site_of(request)
    record = await site.runner.ask(_record)
    text = await asyncio.to_thread(_file, site.project, record)
    statement = STATEMENTS[record.kind]
    return site.page(
        request,
        "read.html",
        found=record,
        headline=await site.runner.ask(lambda desk: _headline(desk, record)),
        verdict=await site.runner.ask(lambda desk: _verdict(desk, record)),
        has_file=text is not None,
        statement=statement(text),
        surveyed=await site.runner.ask(_claims_nothing),
        forms=REPORT_FORMS,
        spent=await site.runner.ask(lambda desk: spending(desk.state, site.settings).sentence),
    )


def _record(desk: Desk) -> OnRecord:
    desk.catch_up()
    return latest_on_record(desk.state)


def _headline(desk: Desk, record: OnRecord) -> str | None:
    """The claim as a sentence, where it is of one metric; else as it was written."""
    attempt = desk.state.attempt
    if record.kind == "plan" and attempt is not None:
        return claim_sentence(attempt.plan.claim)
    return record.claim


def _verdict(desk: Desk, record: OnRecord) -> tuple[str, str, str]:
    """Colour, sign and word of what can be certified: of two classifiers the new one may be worse."""
    work = current_claim(desk.state) if record.kind == "claim" else None
    last = None if work is None else work.last_look
    tone, word = ("pass", "Established") if last is None else verdict_of(last.facts)
    return ("bad", "✗", word) if tone == "fail" else ("good", "✓", word)


def _claims_nothing(desk: Desk) -> bool:
    """Whether labels were bought for a figure alone: a training and claims of several parts claim."""
    purposes = {work.survey.purpose for work in desk.state.surveys}
    return bool(purposes) and not purposes & {"training", "claim"}


def _file(project: Project, record: OnRecord) -> bytes | None:
    """The recorded certificate."""
    return FILES[record.kind](project, record.certificate)


@only("lead", "reader")
async def certificate(request: Request) -> Response:
    """The certificate as it was written, if it is the recorded one."""
    site = site_of(request)
    record = await site.runner.ask(_record)
    text = await asyncio.to_thread(_file, site.project, record)
    if text is None:
        return refuse(request, "There is no certificate to download yet.", status=404)
    return file_response(text, "application/json", "certificate.json")


@only("lead", "reader")
async def report(request: Request) -> Response:
    """The report as a file."""
    site, form = site_of(request), request.path_params["form"]
    if form not in REPORT_FORMS:
        return refuse(request, "There is no such page.", status=404)
    record = await site.runner.ask(_record)
    if person_of(request).role == "reader" and not record.final:
        return refuse(request, "The report is handed over with the result.", status=403)
    if record.kind == "review":
        text = await asyncio.to_thread(review_report_bytes, site.project, form)
        return file_response(text, TYPES[form], f"report.{form}")
    if not record.final:
        await asyncio.to_thread(site.watch.look)  # a report shows the verdict, so it is a look
    text = await asyncio.to_thread(report_bytes, site.project, form)
    return file_response(text, TYPES[form], f"report.{form}")
