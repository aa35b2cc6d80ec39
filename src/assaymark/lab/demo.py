"""The whole story on a generated pool, with labels from its known truth."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from assaymark.certification.drawing import draw_batch
from assaymark.certification.forecasts.calculators import read_claim
from assaymark.certification.issuing import certify
from assaymark.certification.looks import Look, look
from assaymark.certification.sealing import PlanRequest, forecast_plan, seal_plan
from assaymark.certification.verification import verify
from assaymark.errors import InputError
from assaymark.files.labels import LabelRow
from assaymark.lab.tickets import PREVALENCE, Tickets, make_tickets, write_tickets
from assaymark.labelling.recording import label
from assaymark.project.folder import Project
from assaymark.project.place import is_project
from assaymark.project.registration import init
from assaymark.records.plan import Expectation
from assaymark.records.pool import Columns

CLAIM = "f1 >= 0.75"
EXPECTED = Expectation(precision=0.88, recall=0.8, prevalence=PREVALENCE)
Say = Callable[[str], object]


@dataclass(frozen=True, kw_only=True)
class DemoResult:
    """How the story ended."""

    project: str
    labels: int
    decision: str
    low: float
    true_f1: float
    random_labels: int
    certificate: str | None
    status: str | None


def demo(out: Path, *, items: int, seed: str, say: Say) -> DemoResult:
    """Make a pool, certify a claim about it, verify the certificate; tell each step in a few lines."""
    if is_project(out / "project"):
        raise InputError(f"{str(out)!r} already holds a demo. Choose another folder: --out DIR.")
    out.mkdir(parents=True, exist_ok=True)
    tickets = _generate(out, items, seed, say)
    project = Project(folder=out / "project")
    cost = _plan(project, seed, say)
    result = _label(project, tickets, say)
    return _finish(project, tickets, result, cost, say)


def _generate(out: Path, items: int, seed: str, say: Say) -> Tickets:
    say(
        f"1. A pool of {items:,} support tickets; 3% of them ask for a refund. Nobody has read them."
    )
    number = int(hashlib.sha256(seed.encode()).hexdigest()[:16], 16)
    tickets = make_tickets(items, np.random.default_rng(number))
    write_tickets(tickets, out / "tickets.parquet")
    columns = Columns(id="id", score="score", threshold=0.5, text=("text",))
    pool = init(out / "project", pool=str(out / "tickets.parquet"), columns=columns)
    say(
        f"   A classifier scored them; {pool.summary.predicted_positive:,} have a score of 0.5 or more."
    )
    return tickets


def _plan(project: Project, seed: str, say: Say) -> int:
    request = PlanRequest(claim=read_claim(CLAIM), expectation=EXPECTED, seed=f"{seed} plan")
    cost = forecast_plan(project, request)
    plan = seal_plan(project, request)
    fixed = cost.modes["fixed"].labels or 0 if cost else 0
    say(f'2. The claim: "{CLAIM}" with 95% confidence. Expected: precision 0.88, recall 0.8.')
    say(
        f"   A random sample judged once would need {fixed:,} labels; guided by the scores, about "
        f"{plan.expected_labels or 0:,}."
    )
    say("   Plan sealed: score-guided, and it may be checked at any time.")
    return fixed


def _label(project: Project, tickets: Tickets, say: Say) -> Look:
    truth = dict(zip(tickets.ids, tickets.relevant.tolist(), strict=True))
    say("3. Draw a batch, label it (here from the known truth, otherwise by people), look; again.")
    while True:
        batch = draw_batch(project, write=False)
        label(
            project,
            [LabelRow(item=item, label=int(truth[item]), annotator="demo") for item in batch.items],
        )
        result = look(project)
        estimate = result.verdict.estimate
        if batch.number % 5 == 0 or result.verdict.decision != "continue":
            say(
                f"   after {estimate.labels:>5,} labels: F1 is at least {estimate.interval.low:.3f}"
            )
        if result.verdict.decision != "continue":
            return result


def _finish(project: Project, tickets: Tickets, result: Look, fixed: int, say: Say) -> DemoResult:
    verdict = result.verdict
    used = verdict.estimate.labels
    say(f"4. {verdict}")
    predicted = tickets.scores >= 0.5
    hits = int((predicted & tickets.relevant).sum())
    true_f1 = 2 * hits / int(predicted.sum() + tickets.relevant.sum())
    say(f"   The true F1, which only the demo knows, is {true_f1:.4f}.")
    path = status = None
    if verdict.decision == "pass":
        issued = certify(project)
        verification = verify(issued.path, project=project)
        path, status = str(issued.path), verification.status
        say(f"5. Certificate: {issued.path}")
        say(f"6. Verification: {verification.status}.")
        for check in verification.checks:
            say(f"   {check.outcome:<11} {check.name}: {check.detail}")
    say(f"Labels bought: {used:,}. A random sample judged once: {fixed:,}, and no looking before.")
    say(f"Everything is in {project.folder}: the ledger, the reserve, the certificate.")
    return DemoResult(
        project=str(project.folder),
        labels=used,
        decision=verdict.decision,
        low=verdict.estimate.interval.low,
        true_f1=true_f1,
        random_labels=fixed,
        certificate=path,
        status=status,
    )
