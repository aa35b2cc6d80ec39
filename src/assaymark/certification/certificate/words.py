"""What a certificate says in words: rendered from its facts, so that words may change."""

from assaymark.certification.modes import mode_of
from assaymark.certification.modes.tallies import counts_of_tallies
from assaymark.certification.modes.words import CENSUS, census_sentence, sentence
from assaymark.claims.ratio_metrics import metric
from assaymark.claims.results import Estimate, Interval, counted, percent
from assaymark.ledger.events import population_words
from assaymark.records.certificate import Certificate
from assaymark.records.plan import FAMILY, Plan


def estimate_of(certificate: Certificate) -> Estimate:
    """The estimate behind the certificate, as it was when it was issued."""
    plan, row, census = certificate.plan, certificate.rows[0], certificate.census
    counts = counts_of_tallies(plan.claim, certificate.tallies, certificate.pool.predictions)
    ratio = metric(plan.claim.metric)
    guided = plan.kind.guided
    drawn = counted(len(plan.strata), "stratum", "strata") if guided else plan.design
    return Estimate(
        metric=ratio.name,
        title=ratio.title,
        point=ratio.value(counts.cells) if census or not guided else None,
        interval=Interval(
            low=row.low,
            high=row.high,
            confidence=plan.confidence,
            side="both" if census else plan.claim.side,
            method="census" if census else plan.bound,
            guaranteed=True,
        ),
        labels=certificate.labels,
        draws=certificate.draws,
        design="census" if census else drawn,
        counts=counts,
        assumptions=CENSUS if census else mode_of(plan).assumptions_of(certificate.changed or 0),
    )


def account_words(plan: Plan) -> str | None:
    """Which plan on its claim this is, and what the confidence covers; None for a first plan."""
    stake = plan.stake
    if not stake.earlier and plan.stake.risk is None:
        return None
    number = len(stake.earlier) + 1
    if stake.account == FAMILY and stake.risk is None:
        sure = percent(plan.confidence)
        return f"Plan {number} of one family of claims; the {sure} covers all of them together"
    if stake.risk is not None:
        return (
            f"Plan {number} in a further risk account of this claim; the "
            f"{percent(plan.confidence)} covers all accounts and all their plans together"
        )
    return (
        f"Plan {number} on this claim; the {percent(plan.confidence)} covers all of them together"
    )


def known_words(plan: Plan) -> str | None:
    """What labels known before the seal do; None where there are none."""
    known = plan.known
    if known is None:
        return None
    labels = counted(known.items, "label")
    if known.strata is not None:
        return f"{labels} before the seal, counted as certain; draws come from the other items"
    return (
        f"{labels} before the seal; draws come from the whole collection, and these labels cost "
        "nothing more"
    )


def statement_of(certificate: Certificate) -> str:
    """What is certified, in one sentence."""
    words = census_sentence if certificate.census else sentence
    estimate = estimate_of(certificate)
    if certificate.bound is not None:
        word = "at least" if certificate.claim.side == "lower" else "at most"
        return (
            f"{estimate.title} {word} {certificate.bound} with {percent(certificate.plan.confidence)} "
            f"confidence: the bound as it stood after {estimate.labels:,} labels; the claim was {word} "
            f"{certificate.plan.claim.target:g}."
        )
    return words(certificate.plan.claim, estimate, certificate.rows[0].decision)


def population_in_words(certificate: Certificate) -> str | None:
    """What the claim is about, where its classifier was trained in the project."""
    if certificate.population is None:
        return None
    return population_words(certificate.population, certificate.plan.claim)
