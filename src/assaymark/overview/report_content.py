"""What a report says, in order: page one for the judge, then the record, then the annex.

The same content is set as HTML and as PDF; nothing here knows about either.
"""

from collections.abc import Callable
from dataclasses import replace

from assaymark.certification.report.annex import (
    plan_section,
    proof_section,
    scores_section,
    strata_section,
)
from assaymark.certification.report.charts import path_chart
from assaymark.certification.view.dossier import Dossier, Note, SurveySeen
from assaymark.claims.results import counted, percent, rounded
from assaymark.overview.answer_names import AnswerNames
from assaymark.overview.first_page import (
    beyond_page_one,
    card_note_of,
    card_row,
    facts_of,
    main_survey,
    title_of,
    verdict_of,
)
from assaymark.overview.matter import (
    Matter,
    notes_section,
    protocol_text_section,
    roles_section,
)
from assaymark.overview.people_sections import agreement_section, moment, people_section
from assaymark.overview.protocols import protocol_section
from assaymark.overview.survey_sections import headline, reported, survey_section
from assaymark.reports.section import Report, Section, Table

NOTHING = Matter()
MARKS = {
    "pass": "✓",
    "fail": "✗",
    "not yet": "…",
    "too early": "…",
    "abandoned": "–",
    "no plan": "–",
}
MOST_ROWS = 400


def report_of(dossier: Dossier, matter: Matter = NOTHING) -> Report:
    """The report of a project as its dossier tells it, and what its people wrote beside it."""
    names = AnswerNames.of(matter.settings)
    dossier = names.dossier(dossier)
    chosen = protocol_section(matter.settings.protocol, dossier)
    main = main_survey(dossier)
    front = None if main is None else main.result
    surveys = (_survey(survey, front=survey is main) for survey in reported(dossier.surveys))
    tone, word = headline(dossier)
    return Report(
        title=title_of(dossier, matter),
        tone=tone,
        mark=MARKS[tone],
        word=word,
        sentence=verdict_of(dossier),
        facts=facts_of(dossier, matter),
        card=tuple(card_row(number) for number in dossier.card),
        card_note=card_note_of(dossier),
        chart=path_chart(dossier) if front is None else next(iter(front.charts), None),
        assumptions=dossier.assumptions if front is None else front.assumptions,
        limits=dossier.limits,
        record=tuple(
            section
            for section in (
                None if chosen is None else names.section(chosen),
                *_present(_drawn, of=dossier),
                *people_record(dossier, matter, names),
                *_present(_earlier, of=dossier),
                *map(names.section, surveys),
            )
            if section is not None
        ),
        annex=_annex(dossier, names),
        foot=f"assaymark {dossier.proof.software} · ledger {dossier.proof.head[:16]} · "
        f"{dossier.proof.events:,} events · as of {moment(dossier.as_of)}",
    )


def people_record(dossier: Dossier, matter: Matter, names: AnswerNames) -> tuple[Section, ...]:
    """By which rule people decided, who they are, how far they agree, and what they changed or noted."""
    written = (protocol_text_section(matter), roles_section(matter))
    return tuple(
        section
        for section in (
            *(written if dossier.people or matter.settings.criteria else ()),
            *map(names.section, _present(people_section, of=dossier)),
            *_present(agreement_section, _looks, of=dossier),
            _notes(dossier, matter),
            notes_section(matter),
            *_present(_skips, of=dossier),
        )
        if section is not None
    )


def _survey(survey: SurveySeen, *, front: bool) -> Section:
    section = survey_section(survey)
    return beyond_page_one(section) if front else section


def _annex(dossier: Dossier, names: AnswerNames) -> tuple[Section, ...]:
    """What stands behind it all, lettered in order."""
    makers = (plan_section, strata_section, scores_section, proof_section)
    return tuple(
        replace(
            names.section(section),
            title=f"Annex {letter}: {section.title[:1].lower()}{section.title[1:]}",
        )
        for letter, section in zip("ABCD", _present(*makers, of=dossier), strict=False)
    )


def _present(*makers: Callable[[Dossier], Section | None], of: Dossier) -> tuple[Section, ...]:
    return tuple(made for made in (make(of) for make in makers) if made is not None)


def _drawn(dossier: Dossier) -> Section | None:
    if not dossier.method:
        return None
    progress = dossier.progress
    return Section(
        title="How the sample was drawn",
        sentence=f"{counted(progress.drawn, 'item')} were drawn by a seed that was sealed before the "
        f"first {'of these labels' if dossier.population else 'label'}, and {progress.labelled:,} of "
        "them are labelled.",
        paragraphs=dossier.method,
    )


def _looks(dossier: Dossier) -> Section | None:
    """Every look; with the bound it showed, where the claim is about one figure."""
    if dossier.plan is None and not dossier.sealed_terms:
        return None
    side = None if dossier.plan is None else dossier.plan.claim.side
    bounds = {"lower": ("at least",), "upper": ("at most",)}.get(side or "", ())
    words = {"pass": "established", "fail": "not established", "continue": "not yet"}
    rows = tuple(
        (
            str(look.event),
            moment(look.time),
            f"{look.labels:,}",
            *(
                rounded(look.low) if side == "lower" else rounded(look.high, up=True)
                for _ in bounds
            ),
            words.get(look.decision, look.decision),
        )
        for look in dossier.looks
    )
    header = ("event", "time", "labels", *bounds, "verdict then")
    return Section(
        title="Every look",
        sentence=f"The verdict was looked at {counted(len(rows), 'time')}; every look is recorded.",
        tables=(_table("Looks in order", header, rows),) if rows else (),
    )


def _notes(dossier: Dossier, matter: Matter) -> Section | None:
    if dossier.plan is None and not dossier.people:
        return None
    number = len(dossier.notes)
    decided = [note.item for note in dossier.notes if note.kind == "decision"]
    decisions = len({*decided} & matter.own_decisions)
    flag = (
        f"{counted(decisions, 'conflict')} {'was' if decisions == 1 else 'were'} decided by one of the "
        "reviewers who differed, not by a third person."
    )
    header = ("event", "time", "item", "by", "what", "before", "after", "reason")
    names = AnswerNames.of(matter.settings)
    rows = tuple(_note_row(note, names) for note in dossier.notes)
    return Section(
        title="Corrections and decisions",
        sentence="No label was changed after it was given."
        if not number
        else f"{counted(number, 'label')} {'was' if number == 1 else 'were'} changed, or decided between "
        "reviewers, after being given; every figure uses the latest.",
        paragraphs=(flag,) if decisions else (),
        tables=(_table("Changes in order", header, rows),) if rows else (),
    )


def _note_row(note: Note, names: AnswerNames) -> tuple[str, ...]:
    before = names.answer(note.before) if note.kind == "correction" else "differed"
    return (
        str(note.event), moment(note.time), note.item, note.annotator, note.kind, before,
        names.answer(note.after), note.reason or "–",
    )  # fmt: skip


def _skips(dossier: Dossier) -> Section | None:
    if dossier.plan is None and not dossier.people:
        return None
    number = len(dossier.skipped)
    claimed = dossier.plan is not None or bool(dossier.sealed_terms)
    against = "; each is counted against the claim" if claimed else ""
    return Section(
        title="Items that nobody could decide",
        sentence="There were none." if not number else f"{counted(number, 'item')}{against}.",
        paragraphs=(", ".join(dossier.skipped[:MOST_ROWS]),) if number else (),
    )


def _earlier(dossier: Dossier) -> Section | None:
    if dossier.plan is None:
        return None
    rows = tuple(
        (
            str(old.plan),
            str(old.claim),
            percent(old.confidence),
            old.outcome,
            f"{old.looks:,}",
            f"{old.draws:,}",
            old.why or "–",
        )
        for old in dossier.earlier
    )
    header = ("plan", "claim", "confidence", "outcome", "looks", "draws", "why it ended")
    return Section(
        title="Earlier attempts",
        sentence="This is the first plan on this collection in this project."
        if not rows
        else f"{counted(len(rows), 'plan')} {'was' if len(rows) == 1 else 'were'} sealed on this "
        "collection before this one. The stated confidence covers all plans about this claim together; "
        "those about other claims have risks of their own.",
        tables=(_table("Plans before this one", header, rows),) if rows else (),
    )


def _table(caption: str, header: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> Table:
    if len(rows) <= MOST_ROWS:
        return Table(caption=caption, header=header, rows=rows)
    rest = (f"… and {len(rows) - MOST_ROWS:,} more in the ledger", *("" for _ in header[1:]))
    return Table(caption=caption, header=header, rows=(*rows[:MOST_ROWS], rest))
