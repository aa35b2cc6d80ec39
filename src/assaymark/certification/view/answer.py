"""The verdict as people say it: one word, and a sentence that anybody understands."""

from assaymark.certification.modes.words import closed_because
from assaymark.certification.view.dossier import Answer, Tone
from assaymark.claims.claim import Claim
from assaymark.claims.ratio_metrics import metric
from assaymark.claims.results import Estimate, Verdict, counted, percent, rounded, shown, useful
from assaymark.ledger.events import Attempt

WORDS: dict[str, tuple[Tone, str]] = {
    "pass": ("pass", "Established"),
    "continue": ("not yet", "Not yet"),
    "fail": ("fail", "Not established"),
}
NO_PLAN = Answer(
    tone="no plan",
    word="No claim yet",
    sentence="No plan is sealed, so nothing is claimed and nothing can be established.",
    for_lead="Seal a plan first: it says what you claim and how it will be tested.",
)

SURVEYING = Answer(
    tone="no plan",
    word="No result yet",
    sentence="Nothing was claimed, and what the labels say is not computed yet.",
    for_lead="The result appears below when there are enough labels.",
)
"""Of a project without a plan whose labels are being bought for something else."""

SURVEYED = Answer(
    tone="no plan",
    word="Result",
    sentence="No claim was sealed; what the labels say is shown below.",
    for_lead="No claim was sealed; what the labels say is shown below.",
)
"""Of a project without a plan whose labels were bought for something else."""


def wanted(claim: Claim) -> str:
    """The target as people say it: "at least 0.75"."""
    return f"{'at least' if claim.side == 'lower' else 'at most'} {claim.target:g}"


def claim_sentence(claim: Claim) -> str:
    """The claim as people say it: "Recall is at least 0.8"."""
    return f"{upper_first(metric(claim.metric).title)} is {wanted(claim)}"


def answer_of(
    attempt: Attempt, verdict: Verdict | None, *, superseded: bool, no_point: str | None = None
) -> Answer:
    """What is established about the plan's claim; without a verdict, why there is none.

    `no_point` is why the metric has no estimate yet, where it has none.
    """
    if superseded:
        return _superseded(attempt, verdict)
    if attempt.outcome == "failed" and (verdict is None or verdict.decision != "fail"):
        return _same("fail", "Not established", _reason(attempt))
    if verdict is None:
        return _abandoned(attempt) if attempt.outcome == "abandoned" else _too_early(attempt)
    tone, word = WORDS[verdict.decision]
    sentence, then = _finding(verdict, no_point), _outlook(attempt, verdict)
    target, met = f"{verdict.claim.target:g}", tone == "pass" and not verdict.census
    claimed = f"the claim of {target}" if met else f"the claim is {wanted(verdict.claim)}"
    yours = f"your claim of {target}" if met else f"you claimed {target}"
    return Answer(
        tone=tone,
        word=word,
        sentence=f"{sentence.format(claimed=claimed)}{then}",
        for_lead=f"{sentence.format(claimed=yours)}{then}{f' {verdict.doubt}' if verdict.doubt else ''}",
        advice=verdict.advice,
    )


def _same(tone: Tone, word: str, sentence: str, advice: str | None = None) -> Answer:
    return Answer(tone=tone, word=word, sentence=sentence, for_lead=sentence, advice=advice)


def _reason(attempt: Attempt) -> str:
    return upper_first(closed_because(attempt).rstrip(".") + ".")


def _abandoned(attempt: Attempt) -> Answer:
    sentence = f"Plan {attempt.plan.number} was abandoned before it was decided. Reason given: "
    return _same("abandoned", "Abandoned", f"{sentence}{_reason(attempt)}")


def _too_early(attempt: Attempt) -> Answer:
    plan = attempt.plan
    size = plan.size or plan.items
    return _same(
        "too early",
        "Too early to look",
        f"This plan is judged once, when all of its {counted(size, 'draw')} are labelled; with an earlier "
        "look its confidence would no longer hold.",
    )


def _superseded(attempt: Attempt, verdict: Verdict | None) -> Answer:
    now = "" if verdict is None else f" With the labels as they are now: {verdict.reason}"
    return _same(
        "fail",
        "Superseded",
        f"A label that the certificate of plan {attempt.plan.number} uses was changed after it was "
        f"issued, so it no longer holds.{now}",
    )


def _finding(verdict: Verdict, no_point: str | None) -> str:
    """What was found, with {claimed} where the claim is named."""
    estimate, interval = verdict.estimate, verdict.estimate.interval
    title = upper_first(estimate.title)
    if verdict.decision == "fail":
        return _braced(upper_first(verdict.reason))
    if verdict.census:
        everything = f"all {counted(estimate.labels, 'item')} were labelled"
        return f"{title} is {shown(estimate.point)}: {everything}; {{claimed}}."
    lower = verdict.claim.side == "lower"
    if verdict.decision == "continue" and not useful(verdict.claim, interval):
        now = no_point or _so_far(estimate)
        return f"Nothing useful is proven about {estimate.title} so far; {now}; {{claimed}}."
    bound = rounded(interval.low) if lower else rounded(interval.high, up=True)
    if verdict.decision == "pass":
        proven = f"{estimate.title} is {bound} or {'more' if lower else 'less'}"
        sure = f"{percent(interval.confidence)} confidence"
        return f"Proven: {proven} ({sure}). That meets {{claimed}}."
    word = "at least" if lower else "at most"
    return f"{title} is {word} {bound} with {percent(interval.confidence)} confidence; {{claimed}}."


def _so_far(estimate: Estimate) -> str:
    if not estimate.labels:
        return "no label counts yet"
    if estimate.point is None:
        return "there is no estimate yet"
    return f"the estimate is {shown(estimate.point)}"


def _outlook(attempt: Attempt, verdict: Verdict) -> str:
    if verdict.decision != "continue":
        return ""
    if attempt.plan.kind.counts_down:
        return f" {upper_first(verdict.reason)}"
    return f" {upper_first(verdict.outlook)}." if verdict.outlook else ""


def _braced(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def upper_first(text: str) -> str:
    """The text with a capital letter at its start."""
    return text[:1].upper() + text[1:]
