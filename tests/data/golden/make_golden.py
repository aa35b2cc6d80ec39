"""Writes the golden projects: one certified project for every numbered method.

A project is written once, when its method gets its number, and never again: whatever later versions
change, `tests/replication/test_golden_projects.py` has them verify it. `PYTHONPATH=tests python
tests/data/golden/make_golden.py` writes those that are missing and leaves the others alone.
"""

import shutil
from dataclasses import dataclass
from pathlib import Path

from assaymark.certification.drawing import draw_batch
from assaymark.certification.issuing import certify
from assaymark.certification.looks import look
from assaymark.certification.planning import PlanRequest
from assaymark.certification.sealing import abandon_plan, seal_plan
from assaymark.certification.signatures.signing import load_signer, new_key
from assaymark.claims.ratio_metrics import parse_claim
from assaymark.ledger.head import settle_heads
from assaymark.project.folder import Project
from assaymark.project.registration import init
from assaymark.records.plan import Expectation
from assaymark.records.pool import Columns
from golden_writing import label_batch, truth_in, write_missing

HERE = Path(__file__).parent
FACTS = HERE.parent / "facts"


@dataclass(frozen=True, kw_only=True)
class Golden:
    """A claim that holds, how it is certified, and whether an abandoned plan came before."""

    claim: str
    mode: str
    design: str = "simple"
    budget: int | None = None
    batch: int | None = 60
    second: bool = False
    method: str | None = None


PROJECTS = {
    "exact-1": Golden(claim="f1 >= 0.6", mode="fixed", budget=200, batch=None),
    "census-1": Golden(claim="precision >= 0.65", mode="fixed", budget=600, batch=None),
    "spending-1": Golden(claim="f1 >= 0.6", mode="budget"),
    "mixture-1": Golden(claim="elusion <= 0.15", mode="anytime"),
    "betting-1": Golden(claim="f1 >= 0.75", mode="anytime", design="weighted", method="betting/1"),
    "betting-1-second-plan": Golden(
        claim="recall >= 0.8", mode="anytime", design="weighted", second=True, method="betting/1"
    ),
    "betting-2": Golden(claim="f1 >= 0.75", mode="anytime", design="weighted"),
    "betting-2-ceiling": Golden(
        claim="precision >= 0.7", mode="budget", design="weighted", budget=140, batch=None
    ),
    "betting-2-second-plan": Golden(
        claim="recall >= 0.8", mode="anytime", design="weighted", second=True
    ),
}


def write(place: Path, golden: Golden) -> dict[str, str]:
    """The project beside its pool; the head of its ledger and the public key come back."""
    shutil.copy(FACTS / "pool.csv", place)
    columns = Columns(id="id", score="score", threshold=0.5)
    init(place / "work", pool=str(place / "pool.csv"), columns=columns)
    project = Project(folder=place / "work")
    expected = Expectation(precision=0.9, recall=0.9, prevalence=0.25)
    request = PlanRequest(
        claim=parse_claim(golden.claim),
        mode=golden.mode,
        design=golden.design,
        budget=golden.budget,
        expectation=expected if golden.mode == "budget" else None,
        seed=None if golden.second else "golden",
        method=golden.method,
    )
    if golden.second:
        seal_plan(project, request)
        _batch(project, golden.batch)
        look(project)
        abandon_plan(project, reason="a golden project begins again")
    seal_plan(project, request)
    decision = "continue"
    while decision == "continue":
        _batch(project, golden.batch)
        decision = look(project).verdict.decision
    public = new_key(place / "key.pem")  # thrown away: whoever verifies needs its public half alone
    certify(project, signer=load_signer(place / "key.pem"))
    settle_heads()
    return {"head": project.ledger.entries()[-1].hash, "key": public}


def _batch(project: Project, count: int | None) -> None:
    items = draw_batch(project, count=count, write=False).items
    label_batch(project, items, truth_in(FACTS / "truth.csv"))


def main() -> None:
    """Write what is missing."""
    write_missing(HERE, "witnesses.json", PROJECTS, write)


if __name__ == "__main__":
    main()
