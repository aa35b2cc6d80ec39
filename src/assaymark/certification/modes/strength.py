"""How strong the evidence is, and how strong it must be."""

import math

from assaymark.certification.modes.mode import EvidenceNow
from assaymark.certification.modes.prefix import Prefix
from assaymark.certification.modes.sequential import informative_draws, spending_test_of
from assaymark.claims.results import Verdict, counted
from assaymark.ledger.events import Attempt
from assaymark.records.plan import Plan
from assaymark.stats.sequential.alpha_spending import spending_boundary


def wealth_evidence(plan: Plan, verdict: Verdict) -> EvidenceNow:
    """The wealth of the bets, on a logarithmic scale."""
    value = verdict.e_value or 1.0
    needed = 1 / (1 - plan.tested_at)
    share = min(1.0, max(0.0, math.log(max(value, 1.0)) / math.log(needed)))
    return EvidenceNow(
        kind="wealth",
        value=value,
        needed=needed,
        share=share,
        sentence=f"Strength of evidence for the claim: {_amount(value)} ({_amount(needed)} needed).",
    )


def _amount(value: float) -> str:
    return f"{value:,.3g}" if value < 1000 else f"{value:.2e}" if value >= 1e6 else f"{value:,.0f}"


def boundary_evidence(attempt: Attempt, prefix: Prefix) -> EvidenceNow | None:
    """The successes of a budget plan, and those that its boundary asks for now."""
    plan = attempt.plan
    if plan.informative is None:
        return None
    informative = informative_draws(plan.claim, prefix)
    wins = informative.wins[: plan.informative]
    test = spending_test_of(plan)
    least = int(spending_boundary(test).least[len(wins)]) if len(wins) else plan.informative + 1
    successes = int(wins.sum())
    reachable = least <= len(wins)
    return EvidenceNow(
        kind="boundary",
        value=float(successes),
        needed=float(least),
        share=min(1.0, successes / least) if least else 0.0,
        sentence=f"{successes:,} successes among {counted(len(wins), 'informative item')}"
        + (
            f"; at least {least:,} would pass at this point."
            if reachable
            else "; too few items for any number to pass yet."
        ),
    )
