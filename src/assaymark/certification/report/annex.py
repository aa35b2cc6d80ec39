"""The annex of a report: the plan, the strata, the scores, and how to check it all."""

from dataclasses import replace

from assaymark.certification.report.charts import card_chart
from assaymark.certification.report.collection_charts import score_chart, strata_chart, stratum_name
from assaymark.certification.view.dossier import Dossier
from assaymark.certification.view.method_words import DOMAINS
from assaymark.claims.results import counted, percent
from assaymark.hints import option
from assaymark.records.seeds import source_in_words
from assaymark.reports.section import Section, Table

ELSEWHERE = f" Where the collection lies elsewhere, add {option('pool')} with its place."


def plan_section(dossier: Dossier) -> Section | None:
    """The plan, or the claim of several parts, as it was sealed."""
    plan = dossier.plan
    if plan is None:
        return _sealed("The sealed claim", dossier.sealed_terms) if dossier.sealed_terms else None
    rows: list[tuple[str, str | None]] = [
        ("number", str(plan.number)),
        ("claim", str(plan.claim)),
        ("confidence", percent(plan.confidence)),
        ("mode", plan.kind.name),
        ("bound", plan.bound),
        ("drawn from", f"{DOMAINS.get(plan.domain, plan.domain)} ({counted(plan.items, 'item')})"),
        ("draws sealed", None if plan.size is None else f"{plan.size:,}"),
        ("informative items", None if plan.informative is None else f"{plan.informative:,}"),
        ("level of this plan's test", plan.level),
        ("seed", plan.seed or "not revealed yet"),
        ("who drew the seed", source_in_words(plan.source)),
    ]
    evidence = () if dossier.evidence is None else (dossier.evidence.sentence,)
    known = tuple((name, value) for name, value in rows if value is not None)
    return replace(_sealed("The sealed plan", known), paragraphs=evidence)


def _sealed(title: str, rows: tuple[tuple[str, str], ...]) -> Section:
    return Section(
        title=title,
        sentence="Nothing of it changed after it was sealed.",
        tables=(Table(caption="Its terms", header=("what", "value"), rows=rows),),
    )


def strata_section(dossier: Dossier) -> Section | None:
    """Where the labels went, stratum by stratum."""
    if not dossier.strata:
        return None
    rows = tuple(
        (
            stratum_name(row),
            f"{row.items:,}",
            f"{row.labels:,}",
            "–" if row.positives is None else f"{row.positives:,}",
            row.sentence,
        )
        for row in dossier.strata
    )
    charts = [chart for chart in (strata_chart(dossier),) if chart is not None]
    return Section(
        title="Groups of items",
        sentence="Where the labels went, and how many errors are still possible there.",
        paragraphs=(
            f"Each number of possible errors holds with {percent(dossier.strata[0].confidence)} "
            "confidence on its own, at every look.",
        ),
        tables=(
            Table(
                caption="Groups by predicted class and score",
                header=("group", "items", "labels", "relevant", "what is uncertain"),
                rows=rows,
            ),
        ),
        charts=tuple(charts),
    )


def scores_section(dossier: Dossier) -> Section | None:
    """The scores of the collection, with the cut-off."""
    chart, card = score_chart(dossier), card_chart(dossier)
    figures = tuple(made for made in (card, chart) if made is not None)
    if not figures:
        return None
    numbers, scores = "The numbers of the first page as ranges", "the scores of the collection"
    contents = f"{numbers}, and {scores}" if len(figures) == 2 else numbers if card else scores
    return Section(
        title="The numbers as pictures",
        sentence=f"{contents[:1].upper()}{contents[1:]}.",
        charts=figures,
    )


def proof_section(dossier: Dossier) -> Section:
    """The hashes, and how to check everything."""
    proof = dossier.proof
    rows = [
        ("ledger, last event", str(proof.events)),
        ("ledger, hash of it", proof.head),
        ("collection, checksum", proof.fingerprint),
        ("certificate, hash", proof.certificate or "none was issued"),
        ("software", f"assaymark {proof.software}"),
    ]
    return Section(
        title="How to check this",
        sentence="Everything above follows from the ledger; anybody who has it and the collection "
        "can recompute every number.",
        paragraphs=(
            "Each event of the ledger carries the hash of the one before, so that no part can change "
            "unnoticed while the last hash is the one printed here. The owner of the ledger could "
            "rewrite all of it: keep this report, or the certificate, with somebody else.",
            "Commands: "
            + "; ".join(proof.commands)
            + "."
            + (ELSEWHERE if proof.certificate else ""),
        ),
        tables=(Table(caption="Hashes (SHA-256)", header=("what", "value"), rows=tuple(rows)),),
    )
