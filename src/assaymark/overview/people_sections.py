"""What a report says of the people who labelled: who they are, and how far they agree."""

from assaymark.certification.view.dossier import Dossier
from assaymark.claims.results import counted, percent
from assaymark.records.agreement import Coefficient
from assaymark.reports.section import Section, Table


def moment(time: str) -> str:
    """A time of the ledger as people read it."""
    return f"{time[:10]} {time[11:16]} UTC" if len(time) >= 16 else time


def people_section(dossier: Dossier) -> Section | None:
    """Who gave the answers; None where nobody did."""
    if not dossier.people:
        return None
    with_relevant = any(person.relevant is not None for person in dossier.people)
    rows = tuple(
        (
            person.name,
            f"{person.labels:,}",
            *((f"{person.relevant or 0:,}",) if with_relevant else ()),
            f"{person.skipped:,}",
            f"{person.corrections:,}",
            f"{person.decisions:,}",
            "–" if person.seconds is None else f"{person.seconds:.1f} s",
            f"{moment(person.first)} to {moment(person.last)}",
        )
        for person in dossier.people
    )
    counts = (
        "labels",
        *(("relevant",) if with_relevant else ()),
        "cannot tell",
        "corrections",
        "decisions",
    )
    header = ("name", *counts, "time each", "when")
    alone = any(person.decisions and not person.labels for person in dossier.people)
    decided = " or decided where others differed" if alone else ""
    return Section(
        title="Who labelled",
        sentence=("1 person" if len(dossier.people) == 1 else f"{len(dossier.people)} people")
        + f" gave labels{decided}. What is handed out to label holds no score and no prediction.",
        tables=(Table(caption="Answers by person", header=header, rows=rows),),
    )


def coefficient_text(coefficient: Coefficient) -> str:
    """A coefficient to three decimals, or why there is none."""
    return (
        f"undefined ({coefficient.reason})"
        if coefficient.value is None
        else f"{coefficient.value:.3f}"
    )


def agreement_section(dossier: Dossier) -> Section | None:
    """How far annotators agree on items that several of them labelled."""
    sentences: list[str] = []
    agreement = dossier.agreement
    classes = all(person.relevant is None for person in dossier.people)  # none is measured for them
    if dossier.plan is None and (not dossier.people or (agreement is None and classes)):
        return None
    if agreement is None:
        return Section(
            title="Agreement between reviewers",
            sentence="No item was labelled by two people, so agreement cannot be measured.",
            paragraphs=tuple(sentences),
        )
    error = agreement.implied_error
    if error.value is not None:
        sentences.append(
            f"If reviewers erred independently and equally often, about {percent(round(error.value, 2))} "
            "of single labels would be wrong. Errors that they share leave no trace in agreement."
        )
    rows = tuple(
        (
            f"{pair.first} and {pair.second}",
            f"{pair.counts.items:,}",
            coefficient_text(pair.raw),
            coefficient_text(pair.kappa),
            coefficient_text(pair.ac1),
        )
        for pair in agreement.pairs
    )
    waiting = len(dossier.disputed)
    end = f" {counted(waiting, 'item')} still wait for a decision." if waiting else ""
    return Section(
        title="Agreement between reviewers",
        sentence=agreement.sentence + end,
        paragraphs=tuple(sentences),
        tables=(
            Table(
                caption="Raw agreement, and agreement beyond chance by two definitions of chance",
                header=("reviewers", "items", "raw", "Cohen's kappa", "Gwet's AC1"),
                rows=rows,
            ),
        ),
    )
