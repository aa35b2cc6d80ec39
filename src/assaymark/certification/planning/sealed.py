"""Whether a sealed plan is one that assaymark would have sealed for this pool."""

from assaymark.certification.modes import mode_of
from assaymark.certification.planning.rows import compiled, constants_of
from assaymark.certification.planning.strata import domain_strata, guided_strata
from assaymark.errors import VerificationError
from assaymark.records.plan import Plan
from assaymark.records.pool import PoolSummary
from assaymark.stats.methods import fits, lead_of


def check_sealed(plan: Plan, summary: PoolSummary) -> None:
    """Refuses a plan whose parts do not follow from its claim, its mode and the pool."""
    if plan.kind.guided:
        strata = guided_strata(plan.claim, summary, method=plan.method)
    else:
        strata = domain_strata(plan.claim, summary)
    rows = compiled(plan.claim, summary)
    faults = {
        "strata": plan.strata != strata,
        "method": not fits(plan.method, plan.kind),
        "claim": (plan.rows, plan.constants) != (rows.digest, constants_of(rows)),
        "renewal": plan.lead not in (lead_of(plan.method), lead_of(plan.method, one_by_one=True)),
        "size": not mode_of(plan).is_sized(plan),
    }
    for name, wrong in faults.items():
        if wrong:
            raise VerificationError(
                f"The plan's field '{name}' does not follow from its claim and the pool."
            )
