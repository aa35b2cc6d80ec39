"""Whether a sealed plan is one that assaymark would have sealed for this pool."""

from assaymark.certification.modes import JUDGES
from assaymark.certification.planning.rows import compiled, constants_of
from assaymark.certification.planning.strata import domain_strata, guided_strata
from assaymark.errors import VerificationError
from assaymark.records.plan import Plan
from assaymark.records.pool import PoolSummary
from assaymark.stats.methods import fits


def check_sealed(plan: Plan, summary: PoolSummary) -> None:
    """Refuses a plan whose parts do not follow from its claim, its mode and the pool."""
    if plan.design == "weighted":
        strata = guided_strata(plan.claim, summary, method=plan.method)
    else:
        strata = domain_strata(plan.claim, summary)
    rows = compiled(plan.claim, summary)
    faults = {
        "mode": (plan.mode, plan.design) not in JUDGES,
        "strata": plan.strata != strata,
        "method": not fits(plan.method, plan.mode, plan.design),
        "claim": (plan.rows, plan.constants) != (rows.digest, constants_of(rows)),
        "size": not _sized(plan),
    }
    for name, wrong in faults.items():
        if wrong:
            raise VerificationError(
                f"The plan's field '{name}' does not follow from its claim and the pool."
            )


def _sized(plan: Plan) -> bool:
    if plan.design == "census":
        return plan.size == plan.items
    if plan.mode == "anytime":
        return plan.size is None
    budget = plan.mode == "budget"
    return plan.size is not None and plan.size >= 1 and budget == (plan.informative is not None)
