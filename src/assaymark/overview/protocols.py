"""Presets for known protocols: the numbers that a court or a journal asks for, under their names."""

from collections.abc import Callable

from assaymark.certification.view.dossier import CardNumber, Dossier
from assaymark.claims.results import percent, rounded
from assaymark.reports.section import Section, Table


def _range(number: CardNumber | None) -> str:
    if number is None or number.low is None or number.high is None:
        return "not known from this sample"
    return f"{rounded(number.low)} to {rounded(number.high, up=True)}"


def _some(count: int, remark: str) -> str:
    return f"{count:,}, {remark}" if count else "none"


def _card(dossier: Dossier) -> dict[str, CardNumber]:
    return {number.name: number for number in dossier.card}


def _null_set(dossier: Dossier) -> tuple[int, int, int | None]:
    """Items left out by the classifier, those labelled among them, and those found relevant."""
    rows = [row for row in dossier.strata if row.prediction is False]
    positives = [row.positives for row in rows]
    unknown = not rows or any(one is None for one in positives)
    relevant = None if unknown else sum(one or 0 for one in positives)
    return dossier.collection.predicted_negative, sum(row.labels for row in rows), relevant


def _table(title: str, sentence: str, rows: list[tuple[str, str]]) -> Section:
    table = Table(caption=title, header=("what", "value"), rows=tuple(rows))
    return Section(title=title, sentence=sentence, tables=(table,))


def _unequal(dossier: Dossier) -> str:
    """For a reader who would divide the counts of the sample: why the share is not that."""
    if dossier.plan is None or not dossier.plan.kind.guided:
        return ""
    return (
        " Items were sampled at unequal, recorded rates, and the ranges account for that: a share of the "
        "sample is not the share of the collection."
    )


def elusion_test(dossier: Dossier) -> Section:
    """An elusion test: what a sample of the null set says of the relevant items left in it."""
    size, sample, relevant = _null_set(dossier)
    number = _card(dossier).get("elusion")
    rows = [
        ("items in the null set", f"{size:,}"),
        ("of them in the sample", f"{sample:,}"),
        ("found relevant in the sample", "–" if relevant is None else f"{relevant:,}"),
        ("elusion", _range(number)),
    ]
    if number is not None and number.high is not None and number.low is not None:
        rows.append(
            (
                "relevant items left in the null set",
                f"{int(number.low * size):,} to {-int(-number.high * size // 1):,}",
            )
        )
        rows.append(("confidence", dossier.card_note or percent(number.confidence)))
    return _table(
        "Elusion test",
        "The null set holds the items that the classifier rejected; elusion is the share of it that is "
        f"relevant.{_unequal(dossier)}",
        rows,
    )


def tar_validation(dossier: Dossier) -> Section:
    """The validation of a technology-assisted review, as validation orders ask for it."""
    card = _card(dossier)
    size, sample, relevant = _null_set(dossier)
    collection = dossier.collection
    rows = [
        ("documents in the collection", f"{collection.items:,}"),
        ("documents that the review would produce", f"{collection.predicted_positive:,}"),
        ("documents in the null set", f"{size:,}"),
        (
            "validation sample",
            f"{dossier.progress.labelled:,} documents, {sample:,} of the null set",
        ),
        ("relevant in the sample of the null set", "–" if relevant is None else f"{relevant:,}"),
        ("recall", _range(card.get("recall"))),
        ("precision", _range(card.get("precision"))),
        ("elusion", _range(card.get("elusion"))),
        ("richness", _range(card.get("prevalence") or card.get("richness"))),
        (
            "reviewers",
            f"{len(dossier.people)}, who saw neither score nor decision of the classifier",
        ),
        ("documents nobody could decide", _some(len(dossier.skipped), "counted against the claim")),
        ("corrections and decisions", _some(len(dossier.notes), "all in this report")),
        ("earlier plans on this collection", _some(len(dossier.earlier), "all in this report")),
        ("confidence", dossier.card_note or "not known from this sample"),
    ]
    return _table(
        "TAR validation",
        "The figures that a validation order asks for, from one random sample that was drawn after the "
        f"classifier was fixed.{_unequal(dossier)}",
        rows,
    )


def systematic_review(dossier: Dossier) -> Section:
    """The records of a screening, by the boxes of a PRISMA 2020 flow diagram."""
    collection, progress = dossier.collection, dossier.progress
    rows = [
        ("records identified", f"{collection.items:,}"),
        ("records marked as ineligible by automation", f"{collection.predicted_negative:,}"),
        ("records to be screened by people", f"{collection.predicted_positive:,}"),
        ("records read here to judge the automation", f"{progress.labelled:,}"),
        ("share of the eligible records kept (recall)", _range(_card(dossier).get("recall"))),
        ("eligible among those left out (elusion)", _range(_card(dossier).get("elusion"))),
        ("confidence", dossier.card_note or "not known from this sample"),
    ]
    return _table(
        "Flow of records (PRISMA 2020)",
        "Items 8 and 16a of PRISMA 2020 ask how automation took part in the selection and how many records "
        "it removed.",
        rows,
    )


PROTOCOLS: dict[str, tuple[str, Callable[[Dossier], Section]]] = {
    "elusion-test": ("Elusion test", elusion_test),
    "tar-validation": ("TAR validation order", tar_validation),
    "systematic-review": ("Systematic review (PRISMA)", systematic_review),
}
"""Name of a preset -> its title, and the section that it adds after page one."""


def protocol_section(name: str, dossier: Dossier) -> Section | None:
    """The section of a preset; None where none was chosen or there is nothing to tell yet."""
    if name not in PROTOCOLS or dossier.plan is None or not dossier.collection.predicts:
        return None
    return PROTOCOLS[name][1](dossier)
