"""The whole story on a generated pool, with labels from its known truth."""

import csv
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from assay.errors import InputError
from assay.lab.tickets import PREVALENCE, Tickets, make_tickets, write_tickets
from assay.steps.calculators import read_claim, size
from assay.steps.certify import certify
from assay.steps.draw import draw_batch
from assay.steps.init import init
from assay.steps.label import label_file
from assay.steps.look import look
from assay.steps.plan import Wish, seal_plan
from assay.steps.project import LEDGER, Project
from assay.steps.verify import verify
from assay.types.plan import Expectation
from assay.types.pool import Columns

CLAIM = "f1 >= 0.75"
EXPECTED = Expectation(precision=0.83, recall=0.83, prevalence=PREVALENCE)
Say = Callable[[str], object]


@dataclass(frozen=True, kw_only=True)
class Told:
    """How the story ended."""

    project: str
    labels: int
    decision: str
    low: float
    true_f1: float
    certificate: str | None
    status: str | None


def demo(out: Path, *, items: int, seed: str, say: Say) -> Told:
    """Make a pool, certify a claim about it, verify the certificate; tell each step in a few lines."""
    if (out / "project" / LEDGER).exists():
        raise InputError(f"{str(out)!r} already holds a demo. Choose another folder: --out DIR.")
    out.mkdir(parents=True, exist_ok=True)
    tickets = _generate(out, items, seed, say)
    project = Project(folder=out / "project")
    _plan(project, seed, say)
    labels = _label(project, out, tickets, say)
    return _finish(project, tickets, labels, say)


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


def _plan(project: Project, seed: str, say: Say) -> None:
    forecast = size(CLAIM, EXPECTED)
    say(f'2. The claim: "{CLAIM}" with 95% confidence. Expected: precision and recall about 0.83.')
    plan = seal_plan(
        project, Wish(claim=read_claim(CLAIM), expectation=EXPECTED, seed=f"{seed} plan")
    )
    say(
        f"   Plan sealed: {plan.size:,} labels, judged once; it passes with chance "
        f"{plan.power or 0:.3f} if the expectation holds."
    )
    floor = forecast.elusion_floor or 0
    say(f"   No method could do with fewer than {floor:.0f} labels of tickets below 0.5.")


def _label(project: Project, out: Path, tickets: Tickets, say: Say) -> int:
    batch = draw_batch(project, output=out / "batch.csv")
    say(
        f"3. {len(batch.items):,} tickets drawn by the sealed seed into {batch.path}: no score in it."
    )
    truth = dict(zip(tickets.ids, tickets.relevant.tolist(), strict=True))
    path = out / "labels.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["id", "label"])
        writer.writerows([item, int(truth[item])] for item in batch.items)
    done = label_file(project, path, annotator="demo")
    say(f"4. {done.recorded:,} labels recorded (here from the known truth; in life, by people).")
    return done.recorded


def _finish(project: Project, tickets: Tickets, labels: int, say: Say) -> Told:
    seen = look(project)
    verdict = seen.verdict
    say(f"5. {verdict}")
    predicted = tickets.scores >= 0.5
    hits = int((predicted & tickets.relevant).sum())
    true_f1 = 2 * hits / int(predicted.sum() + tickets.relevant.sum())
    say(f"   The true F1, which only the demo knows, is {true_f1:.4f}.")
    path = status = None
    if verdict.decision == "pass":
        issued = certify(project)
        found = verify(issued.path, project=project)
        path, status = str(issued.path), found.status
        say(f"6. Certificate: {issued.path}")
        say(f"7. Verification: {found.status}.")
        for check in found.checks:
            say(f"   {check.outcome:<11} {check.name}: {check.detail}")
    say(f"Everything is in {project.folder}: the ledger, the reserve, the certificate.")
    return Told(
        project=str(project.folder),
        labels=labels,
        decision=verdict.decision,
        low=verdict.estimate.interval.low,
        true_f1=true_f1,
        certificate=path,
        status=status,
    )
