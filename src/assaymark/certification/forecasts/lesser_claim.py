"""What could still be claimed after a plan failed: what is proven of it, and a claim that labels allow."""

from dataclasses import dataclass

from assaymark.certification.forecasts.bought_labels import FEWEST
from assaymark.certification.planning import PlanRequest
from assaymark.certification.planning.forecast import expected_value
from assaymark.certification.planning.forecast_words import FIRST_SAMPLE, lesser_claim
from assaymark.certification.sealing import expected_by, forecast_plan
from assaymark.claims.claim import Claim
from assaymark.claims.ratio_metrics import metric, parse_claim
from assaymark.claims.results import Interval, counted, rounded, shown, useful
from assaymark.errors import AssaymarkError
from assaymark.hints import command
from assaymark.ledger.events import Attempt
from assaymark.project.folder import Project, registered_pool


@dataclass(frozen=True, kw_only=True)
class StillPossible:
    """`proven` can be certified at once; `claim` would take about `labels` more labels.

    Too few labels tell neither: `unknown` is then the metric of which an estimate tells more.
    """

    proven: str | None = None
    claim: str | None = None
    labels: int | None = None
    unknown: str | None = None

    @property
    def sentence(self) -> str:
        """Both in words; that there is neither, where there is."""
        parts = []
        if self.proven:
            parts.append(f"{self.proven} and can be certified: {command('certify', bound=True)}.")
        if self.claim and self.labels is not None:
            price = f"about {counted(self.labels, 'more label')}"
            parts.append(
                f"{'Or claim' if parts else 'Claim'} less: judging by the labels so far, "
                f"{self.claim} would take {price} ({command('plan', self.claim)})."
            )
        if not parts and self.unknown:
            sample = command("plan", estimate=self.unknown, budget=FIRST_SAMPLE)
            return f"These labels are too few to tell what could be claimed; an estimate tells: {sample}."
        return " ".join(parts) or "Nothing else can be claimed from these labels."


def still_possible(project: Project) -> StillPossible | None:
    """What is left of the latest plan's claim; None unless that plan failed and was looked at."""
    state = project.state()
    attempt = state.attempt
    if attempt is None or attempt.outcome != "failed" or not attempt.looks:
        return None
    claim, summary = attempt.plan.claim, registered_pool(state).summary
    if attempt.closed is not None and attempt.closed.reason == "census":
        return StillPossible(proven=left_proven(attempt))
    known = expected_by(state, PlanRequest(claim=claim))
    value = None
    if known is not None and known.basis == "labels":
        value = expected_value(claim, known.expectation, summary)
    text = None if value is None else lesser_claim(claim, value)
    return StillPossible(
        proven=left_proven(attempt),
        claim=text,
        labels=None if text is None else _price(project, text),
        unknown=claim.metric if attempt.looks[-1].event.labels < FEWEST else None,
    )


def left_proven(attempt: Attempt) -> str | None:
    """What a failed plan proves all the same, by its last look; None where that is nothing useful."""
    if attempt.outcome != "failed" or not attempt.looks:
        return None
    counted_all = attempt.closed is not None and attempt.closed.reason == "census"
    return _counted(attempt) if counted_all else _proven(attempt)


def _counted(attempt: Attempt) -> str | None:
    """The value of the claimed metric where all its items are labelled; None where it has none."""
    look, title = attempt.looks[-1].event, metric(attempt.plan.claim.metric).title
    return f"{title} of {shown(look.low)} is known exactly" if look.low == look.high else None


def _proven(attempt: Attempt) -> str | None:
    """What the last look proves of the claim; None where it says nothing useful."""
    look, claim = attempt.looks[-1].event, attempt.plan.claim
    interval = Interval(
        low=look.low, high=look.high, confidence=attempt.plan.confidence, side=claim.side,
        method=attempt.plan.bound, guaranteed=True,
    )  # fmt: skip
    return _bound(claim, interval) if useful(claim, interval) else None


def _bound(claim: Claim, interval: Interval) -> str:
    title = metric(claim.metric).title
    if claim.side == "lower":
        return f"{title} of at least {rounded(interval.low)} is proven"
    return f"{title} of at most {rounded(interval.high, up=True)} is proven"


def _price(project: Project, text: str) -> int | None:
    """Labels of a new plan, judging by the labels so far; None where it cannot be sealed."""
    try:
        cost = forecast_plan(project, PlanRequest(claim=parse_claim(text)))
    except AssaymarkError:
        return None
    return None if cost is None else cost.labels
