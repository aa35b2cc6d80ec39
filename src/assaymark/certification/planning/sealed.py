"""Whether a sealed plan is one that assaymark would have sealed for this pool."""

import math

from assaymark.certification.modes import mode_of
from assaymark.certification.planning.family import family_confidence
from assaymark.certification.planning.rows import compiled, constants_of
from assaymark.certification.planning.strata import domain_strata, guided_strata
from assaymark.errors import VerificationError
from assaymark.records.plan import Plan
from assaymark.records.pool import PoolSummary
from assaymark.stats.methods import fits


def check_sealed(plan: Plan, summary: PoolSummary) -> None:
    """Refuses a plan whose parts do not follow from its claim, its mode and the pool."""
    if plan.kind.guided:
        strata = guided_strata(plan.claim, summary, method=plan.method)
    else:
        strata = domain_strata(plan.claim, summary)
    asked, rows = plan.confidence, compiled(plan.claim, summary)
    if plan.family is not None:
        asked = family_confidence(plan.family, plan.number)
    faults = {
        "strata": plan.strata != strata,
        "method": not fits(plan.method, plan.mode, plan.design),
        "claim": (plan.rows, plan.constants) != (rows.digest, constants_of(rows)),
        "family": not math.isclose(asked, plan.confidence, rel_tol=1e-12),
        "size": not mode_of(plan).is_sized(plan),
    }
    for name, wrong in faults.items():
        if wrong:
            raise VerificationError(
                f"The plan's field '{name}' does not follow from its claim and the pool."
            )
