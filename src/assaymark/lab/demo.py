"""The whole story on a generated pool of support tickets, with labels from its known truth."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assaymark.certification.drawing import draw_batch
from assaymark.certification.issuing import certify
from assaymark.certification.looks import Look, look
from assaymark.certification.sealing import PlanRequest, forecast_plan, seal_plan
from assaymark.certification.verification import verify
from assaymark.claims.ratio_metrics import parse_claim
from assaymark.errors import InputError
from assaymark.files.labels import LabelRow
from assaymark.labelling.recording import label
from assaymark.pool.tables import write_table
from assaymark.project.folder import Project
from assaymark.project.place import is_project
from assaymark.project.registration import init
from assaymark.records.plan import Expectation
from assaymark.records.pool import Columns

PREVALENCE = 0.03
SEPARATION = 3.6  # standard deviations between the two classes: an F1 of about 0.84

REFUND = (
    "I was charged {amount} for {product} and would like my money back.",
    "Please refund order {order}. {product} arrived {fault}.",
    "My {product} was returned {days} days ago and the {amount} is still not on my account.",
    "You billed me twice for {product}: {amount} and again {amount}. Send one of them back.",
    "I cancelled {product} within the trial period, so {amount} should not have been taken.",
    "The {product} I got is {fault}. I do not want another one, I want the {amount} returned.",
    "Could you reverse the payment of {amount} for order {order}? It was never delivered.",
)
OTHER = (
    "How do I change the email address on my account? The page for {product} says error {days}.",
    "When will order {order} be delivered? It has been {days} days.",
    "The app closes when I open {product} on my tablet.",
    "I forgot my password and the reset mail for {product} does not arrive.",
    "Do you ship {product} abroad, and what does it cost? I saw {amount} somewhere.",
    "Please send the invoice for order {order} with our tax number on it.",
    "Is {product} compatible with last year's model? The manual does not say.",
    "My parcel {order} arrived {fault}; can you send a replacement for {product}?",
    "I would like to upgrade {product}. What would it cost on top of {amount}?",
    "Thank you for the quick help with {product} last week!",
    "Where can I download my data from {product}? I need it within {days} days.",
    "Your chat has been offline for {days} hours. My question is about {product}.",
)
PRODUCTS = (
    "the annual plan",
    "the coffee grinder",
    "the desk lamp",
    "the photo book",
    "the premium package",
    "the running watch",
    "the travel adapter",
    "the wireless headset",
)
FAULTS = ("broken", "in the wrong colour", "without the cable", "late", "scratched", "half empty")


@dataclass(frozen=True, kw_only=True)
class Tickets:
    """Ids, texts, scores and what is true of each ticket."""

    ids: list[str]
    texts: list[str]
    scores: NDArray[np.float64]
    relevant: NDArray[np.bool_]


def make_tickets(items: int, rng: np.random.Generator) -> Tickets:
    """A collection in which 3 % of the tickets ask for a refund, scored by a fair classifier."""
    relevant = rng.random(items) < PREVALENCE
    signal = rng.normal(np.where(relevant, SEPARATION / 2, -SEPARATION / 2), 1.0)
    # the log-odds of being relevant given the signal: the scores are calibrated
    odds = SEPARATION * signal + np.log(PREVALENCE / (1 - PREVALENCE))
    choices = rng.integers(0, 2**31, (items, 5))
    return Tickets(
        ids=[f"T{number:07d}" for number in range(1, items + 1)],
        texts=[_text(wanted, row) for wanted, row in zip(relevant, choices.tolist(), strict=True)],
        scores=np.round(1 / (1 + np.exp(-odds)), 6),
        relevant=relevant,
    )


def _text(wanted: bool, numbers: list[int]) -> str:  # noqa: FBT001 - one of two template books
    template, product, fault, order, days = numbers
    book = REFUND if wanted else OTHER
    return book[template % len(book)].format(
        product=PRODUCTS[product % len(PRODUCTS)],
        fault=FAULTS[fault % len(FAULTS)],
        order=10_000 + order % 90_000,
        days=2 + days % 27,
        amount=f"{5 + days % 195}.{order % 100:02d} EUR",
    )


def write_tickets(tickets: Tickets, path: Path) -> None:
    """The pool as a parquet file: id, text and score, without the truth."""
    write_table(path, {"id": tickets.ids, "text": tickets.texts, "score": tickets.scores})


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
    request = PlanRequest(claim=parse_claim(CLAIM), expectation=EXPECTED, seed=f"{seed} plan")
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
