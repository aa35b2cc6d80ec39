"""Page one of a report: the verdict, what it is about, the four numbers, one chart, what it assumes."""

import re
from dataclasses import replace

from assaymark.certification.certificate.words import known_words
from assaymark.certification.report.charts import range_text
from assaymark.certification.view.answer import upper_first
from assaymark.certification.view.dossier import CardNumber, Dossier, SurveySeen
from assaymark.claims.metrics import AVERAGES
from assaymark.claims.ratio_metrics import metric
from assaymark.claims.results import counted, shown
from assaymark.overview.answer_names import AnswerNames
from assaymark.overview.matter import Matter, matter_facts
from assaymark.overview.people_sections import moment
from assaymark.overview.survey_sections import alarms, reported, survey_section
from assaymark.reports.section import Section

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
NAMED = re.compile(rf"\b(?:{'|'.join([*AVERAGES, *MEANINGS])})\b", re.IGNORECASE)


def main_survey(dossier: Dossier) -> SurveySeen | None:
    """The survey that page one is about, where no plan is: the latest claim, or the latest with a chart."""
    if dossier.plan is not None:
        return None
    results = [survey for survey in reported(dossier.surveys) if survey.result]
    claims = [survey for survey in results if survey.claim]
    drawn = [survey for survey in results if survey.result and survey.result.charts]
    return next(reversed(claims or drawn), None)


def beyond_page_one(section: Section) -> Section:
    """The section without what page one shows of it."""
    return replace(section, charts=section.charts[1:], assumptions=())


def title_of(dossier: Dossier, matter: Matter) -> str:
    """The claim, or whose labels are reported."""
    if dossier.claim_text:
        return f"Claim: {dossier.claim_text}"
    claims = [survey.claim for survey in dossier.surveys if survey.claim]
    if claims:
        return claims[-1]
    results = any(survey.result for survey in dossier.surveys)
    name = matter.settings.title or dossier.title
    return f"What the labels of {name} say" if results else "No claim yet"


def verdict_of(dossier: Dossier) -> str:
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


def facts_of(dossier: Dossier, matter: Matter) -> tuple[tuple[str, str], ...]:
    """Who claims what, about which collection, and where it stands: names with their values."""
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
        *((("Status", status),) if (status := _status(dossier)) else ()),
    ]
    return tuple(facts)


def _meaning(dossier: Dossier) -> tuple[tuple[str, str], ...]:
    """What the claim's metric is, for a reader who never heard of it."""
    if dossier.plan is None:
        composed = [survey for survey in dossier.surveys if survey.purpose == "claim"]
        if not composed:
            return (("The claim", "none is sealed yet"),)
        return _meanings_in(composed[-1].claim or "")
    meaning = MEANINGS.get(dossier.plan.claim.metric)
    return ((dossier.claim_title or "The metric", meaning),) if meaning else ()


def _meanings_in(claim: str) -> tuple[tuple[str, str], ...]:
    """What each figure that the claim names is."""
    names = dict.fromkeys(name.lower() for name in NAMED.findall(claim))
    return tuple(
        (upper_first(name), f"the mean over the classes of their {metric(AVERAGES[name]).title}")
        if name in AVERAGES
        else (upper_first(metric(name).title), MEANINGS[name])
        for name in names
    )


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


def _status(dossier: Dossier) -> str | None:
    """How it ended or where it stands; None where nothing was claimed."""
    proof = dossier.proof
    if proof.certificate:
        text = f"certificate issued {moment(proof.issued or '')}"
        if alarms(dossier.surveys):
            text += "; on later items it no longer holds"
        if dossier.bound_certified:
            text += f", of the bound as it stood: {dossier.bound_certified}"
        return text
    if dossier.plan is None:
        return None if dossier.answer.tone == "no plan" else dossier.answer.word.lower()
    return {
        "open": "open: no certificate was issued",
        "failed": "no certificate: the claim was not proven",
        "abandoned": "no certificate: the plan was abandoned",
    }.get(dossier.outcome, dossier.outcome)


def card_row(number: CardNumber) -> tuple[str, str, str, str]:
    """One of the four numbers: its title, range, estimate and meaning."""
    if number.low is None:
        return number.title, "not known", number.reason or "", number.definition
    return number.title, range_text(number), f"estimate {shown(number.point)}", number.definition


def card_note_of(dossier: Dossier) -> str:
    """At which level the four ranges hold, and by which method."""
    known = [number for number in dossier.card if number.low is not None]
    if dossier.card_note is None or not known:
        return ""
    methods = ", ".join(dict.fromkeys(number.method or "" for number in known))
    return f"{dossier.card_note} Method: {methods}."
