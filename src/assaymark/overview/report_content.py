"""What a report says, in order: page one for the judge, then the record, then the annex.

The same content is set as HTML and as PDF; nothing here knows about either.
"""

from collections.abc import Callable
from dataclasses import replace

from assaymark.certification.certificate.words import known_words
from assaymark.certification.report.annex import (
    plan_section,
    proof_section,
    scores_section,
    strata_section,
)
from assaymark.certification.report.charts import path_chart, range_text
from assaymark.certification.view.dossier import CardNumber, Dossier, Note
from assaymark.claims.results import counted, percent, rounded, shown
from assaymark.overview.answer_names import AnswerNames
from assaymark.overview.matter import (
    Matter,
    matter_facts,
    notes_section,
    protocol_text_section,
    roles_section,
)
from assaymark.overview.people_sections import agreement_section, moment, people_section
from assaymark.overview.protocols import protocol_section
from assaymark.overview.survey_sections import alarms, reported, survey_section
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
MEANINGS = {
    "f1": "one number for recall (how much of what is relevant was found) and precision (how much of "
    "what was flagged is relevant); it is high only if both are, and 1 is perfect",
    "recall": "the share of the relevant items that the classifier found",
    "precision": "the share of the items flagged by the classifier that are relevant",
    "elusion": "the share of the items rejected by the classifier that are relevant: missed by it",
    "accuracy": "the share of all items that the classifier decided rightly",
    "prevalence": "the share of all items that are relevant",
    "specificity": "the share of the items that are not relevant that the classifier rejected",
    "npv": "the share of the items rejected by the classifier that are rightly rejected",
    "jaccard": "the relevant items found, as a share of all items that are relevant or were flagged",
}


def report_of(dossier: Dossier, matter: Matter = NOTHING) -> Report:
    """The report of a project as its dossier tells it, and what its people wrote beside it."""
    names = AnswerNames.of(matter.settings)
    dossier = names.dossier(dossier)
    chosen = protocol_section(matter.settings.protocol, dossier)
    surveys = (survey_section(survey) for survey in reported(dossier.surveys))
    written = (protocol_text_section(matter), roles_section(matter))
    return Report(
        title=_title(dossier),
        tone=dossier.answer.tone,
        mark=MARKS[dossier.answer.tone],
        word=dossier.answer.word,
        sentence=_first_page(dossier),
        facts=_facts(dossier, matter),
        card=tuple(_card_row(number) for number in dossier.card),
        card_note=_card_note(dossier),
        chart=path_chart(dossier),
        assumptions=dossier.assumptions,
        limits=dossier.limits,
        record=tuple(
            section
            for section in (
                None if chosen is None else names.section(chosen),
                *_present(_drawn, of=dossier),
                *(written if dossier.people or matter.settings.criteria else ()),
                *map(names.section, _present(people_section, of=dossier)),
                *_present(agreement_section, _looks, of=dossier),
                _notes(dossier, matter),
                notes_section(matter),
                *_present(_skips, _earlier, of=dossier),
                *map(names.section, surveys),
            )
            if section is not None
        ),
        annex=_annex(dossier, names),
        foot=f"assaymark {dossier.proof.software} · ledger {dossier.proof.head[:16]} · "
        f"{dossier.proof.events:,} events · as of {moment(dossier.as_of)}",
    )


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


def _title(dossier: Dossier) -> str:
    if dossier.claim_text:
        return f"Claim: {dossier.claim_text}"
    claims = [survey.claim for survey in dossier.surveys if survey.claim]
    if claims:
        return claims[-1]
    results = any(survey.result for survey in dossier.surveys)
    return f"What the labels of {dossier.title} say" if results else "No claim yet"


def _first_page(dossier: Dossier) -> str:
    """The verdict; without a claim, what the surveys found. What no longer holds is said with it."""
    broken = [text[:1].upper() + text[1:] for text in alarms(dossier.surveys)]
    if dossier.plan is not None:
        return " ".join([dossier.answer.sentence, *(f"Since then: {text}" for text in broken)])
    sentences = [
        survey_section(survey).sentence
        for survey in reported(dossier.surveys)
        if survey.result and survey.purpose != "claim" and not survey.alarm
    ]  # the verdict on a claim is the answer itself
    results = [text[:1].upper() + text[1:] for text in sentences]
    if broken and results:
        results[0] = f"Before that: {results[0]}"
    return " ".join(dict.fromkeys([*broken, *results, dossier.answer.sentence]))


def _present(*makers: Callable[[Dossier], Section | None], of: Dossier) -> tuple[Section, ...]:
    return tuple(made for made in (make(of) for make in makers) if made is not None)


def _facts(dossier: Dossier, matter: Matter) -> tuple[tuple[str, str], ...]:
    names = AnswerNames.of(matter.settings)
    collection = dossier.collection
    source = collection.source
    name = source if "://" in source else source.rstrip("/").rsplit("/", 1)[-1]
    about = f"{counted(collection.items, 'item')} in {name}"
    if collection.predicts:
        about += f", of which the classifier flagged {collection.predicted_positive:,}"
    people = ", ".join(person.name for person in dossier.people[:6])
    if len(dossier.people) > 6:
        people += f" and {len(dossier.people) - 6} more"
    facts = [
        *matter_facts(matter),
        *((title, names.text(meaning)) for title, meaning in _meaning(dossier)),
        *((("Sealed", moment(dossier.sealed)),) if dossier.sealed else ()),
        *((("Risk", f"{dossier.account}."),) if dossier.account else ()),
        ("The collection", about),
        *((("What it is about", dossier.population),) if dossier.population else ()),
        ("Project", matter.settings.title or dossier.title),
        ("Labelled by", people or "nobody yet"),
        ("Labels", _labels_fact(dossier)),
        *((("Known before", f"{known}."),) if (known := _known(dossier)) else ()),
        *((("Agreement", dossier.agreement.sentence),) if dossier.agreement else ()),
        *((("If labels were wrong", dossier.sensitivity.sentence),) if dossier.sensitivity else ()),
        ("Status", _status(dossier)),
    ]
    return tuple(facts)


def _meaning(dossier: Dossier) -> tuple[tuple[str, str], ...]:
    """What the claim's metric is, for a reader who never heard of it."""
    if dossier.plan is None:
        composed = [survey for survey in dossier.surveys if survey.purpose == "claim"]
        return () if composed else (("The claim", "none is sealed yet"),)
    meaning = MEANINGS.get(dossier.plan.claim.metric)
    return ((dossier.claim_title or "The metric", meaning),) if meaning else ()


def _known(dossier: Dossier) -> str | None:
    return None if dossier.plan is None else known_words(dossier.plan)


def _labels_fact(dossier: Dossier) -> str:
    progress = dossier.progress
    text = f"{progress.labels:,} that count"
    if dossier.plan is None and progress.skipped:
        text += f"; nobody could tell of {counted(progress.skipped, 'item')} more"
    if progress.blocking is not None:
        text += f"; {progress.blocking.sentence.rstrip('.')}"
    elif progress.missing:
        text += f"; {counted(progress.missing, 'drawn item')} without a settled label"
    if progress.outlook:
        text += f"; {progress.outlook}"
    elif progress.expected_left:
        kind = None if dossier.plan is None else dossier.plan.kind
        ends = kind is not None and kind.promise and not kind.judged_once
        text += f"; {'at most ' * ends}{progress.expected_left:,} to go"
    return text


def _status(dossier: Dossier) -> str:
    proof = dossier.proof
    if proof.certificate:
        text = f"certificate issued {moment(proof.issued or '')}"
        if alarms(dossier.surveys):
            text += "; on later items it no longer holds"
        if dossier.bound_certified:
            text += f", of the bound as it stood: {dossier.bound_certified}"
        return text
    if dossier.plan is None and dossier.answer.tone != "no plan":
        return dossier.answer.word.lower()
    return {
        "open": "open: no certificate was issued",
        "failed": "no certificate: the claim was not proven",
        "abandoned": "no certificate: the plan was abandoned",
    }.get(dossier.outcome, dossier.outcome)


def _card_row(number: CardNumber) -> tuple[str, str, str, str]:
    if number.low is None:
        return number.title, "not known", number.reason or "", number.definition
    return number.title, range_text(number), f"estimate {shown(number.point)}", number.definition


def _card_note(dossier: Dossier) -> str:
    known = [number for number in dossier.card if number.low is not None]
    if dossier.card_note is None or not known:
        return ""
    methods = ", ".join(dict.fromkeys(number.method or "" for number in known))
    return f"{dossier.card_note} Method: {methods}."


def _drawn(dossier: Dossier) -> Section | None:
    if dossier.plan is None:
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
    if dossier.plan is None:
        return None
    lower = dossier.plan.claim.side == "lower"
    words = {"pass": "established", "fail": "not established", "continue": "not yet"}
    rows = tuple(
        (
            str(look.event),
            moment(look.time),
            f"{look.labels:,}",
            rounded(look.low) if lower else rounded(look.high, up=True),
            words.get(look.decision, look.decision),
        )
        for look in dossier.looks
    )
    header = ("event", "time", "labels", "at least" if lower else "at most", "verdict then")
    return Section(
        title="Every look",
        sentence=f"The verdict was looked at {counted(len(rows), 'time')}; every look is recorded.",
        tables=(_table("Looks in order", header, rows),) if rows else (),
    )


def _notes(dossier: Dossier, matter: Matter) -> Section | None:
    if dossier.plan is None:
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
        "reviewers, after being given; the verdict uses the latest.",
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
    if dossier.plan is None:
        return None
    number = len(dossier.skipped)
    return Section(
        title="Items that nobody could decide",
        sentence="There were none."
        if not number
        else f"{counted(number, 'item')}; each is counted against the claim.",
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
