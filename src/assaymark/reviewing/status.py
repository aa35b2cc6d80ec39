"""Where a review stands, for its lead: found, at most left, certified recall, labels to go."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from assaymark.ledger.events import ReviewWork, State
from assaymark.project.folder import Project
from assaymark.reviewing.standing import (
    TARGETS,
    Account,
    account_of,
    confidence_of,
    readings,
    target_of,
    the_review,
)
from assaymark.reviewing.stats import (
    Experience,
    Forecast,
    certified_recall,
    experience,
    floor_labels,
    forecast,
    is_certified,
    left_estimate,
    row_of_target,
    upper_bound,
    wants_random,
)


@dataclass(frozen=True, kw_only=True)
class TargetStatus:
    """One target: whether it is certified, what is left to label, and what nobody escapes."""

    recall: float
    certified: bool
    expected_labels: int | None
    expected_low: int | None
    expected_high: int | None
    floor: int


@dataclass(frozen=True, kw_only=True)
class ReviewStatus:
    """A review at this look. `left_at_most` relevant records are missing, with the confidence.

    `floor` counts irrelevant records that any method reads on average if those found are all;
    `next_percent` are random labels until the certified recall reaches `next_recall`. `pending`
    random draws have no final label, and `held_up` labelled ones count once those before them do;
    `half_read` records wait for their second reader and count as unread. `known` records were screened
    elsewhere; `unmatched` ones too, but they are not in the pool. `issued`: a certificate says it all.
    """

    decision: str
    reason: str
    target: float
    confidence: float
    items: int
    known: int
    unmatched: int
    labels: int
    directed: int
    random: int
    evidence: int
    found: int
    found_known: int
    found_directed: int
    found_random: int
    unclear: int
    unread: int
    open: int
    pending: int
    half_read: int
    held_up: int
    left_at_most: int
    certified_recall: float | None
    floor: int
    expected_labels: int | None
    expected_low: int | None
    expected_high: int | None
    next_recall: float | None
    next_percent: int | None
    targets: tuple[TargetStatus, ...]
    issued: bool = False


def review_status(project: Project, *, also: Sequence[Fraction] = ()) -> ReviewStatus:
    """The review by the labels of now. Reading it costs nothing: the bound holds at every look.

    `also` are more targets to read; the bound speaks of all of them at once.
    """
    state = project.state()
    return status_of(state, the_review(state), also=also)


def status_of(state: State, work: ReviewWork, *, also: Sequence[Fraction] = ()) -> ReviewStatus:
    """The same, from a state that was replayed."""
    account = account_of(state, work)
    standing, confidence = account.standing, confidence_of(work)
    bound = upper_bound(standing, confidence)
    target = target_of(work)
    targets = tuple(_target(work, account, one) for one in sorted({*TARGETS, *also, target}))
    asked = next(one for one in targets if one.recall == float(target))
    further = _next_recall(standing.found, bound)
    decision, reason = _decision(account, certified=asked.certified)
    return ReviewStatus(
        decision=decision,
        reason=reason,
        target=float(target),
        confidence=float(confidence),
        items=work.opened.items,
        known=len(work.known),
        unmatched=work.unmatched,
        labels=account.directed + account.random,
        directed=account.directed,
        random=account.random,
        evidence=standing.draws.count,
        found=standing.found,
        found_known=account.found_known,
        found_directed=standing.found - account.found_known - account.found_random,
        found_random=account.found_random,
        unclear=standing.unclear,
        unread=standing.unread,
        open=account.open,
        pending=account.pending,
        half_read=account.half_read,
        held_up=account.random - standing.draws.count,
        left_at_most=bound - standing.found,
        certified_recall=certified_recall(standing.found, bound),
        floor=asked.floor,
        expected_labels=asked.expected_labels,
        expected_low=asked.expected_low,
        expected_high=asked.expected_high,
        next_recall=None if further is None else float(further),
        next_percent=None if further is None else _target(work, account, further).expected_labels,
        targets=targets,
        issued=work.is_issued(state),
    )


def _decision(account: Account, *, certified: bool) -> tuple[str, str]:
    standing = account.standing
    if certified:
        return "stop", "certified"
    if not standing.found and not standing.unread:
        return "stop", "nothing relevant"
    if not standing.found:
        return "continue", "nothing found"
    if not standing.unread:
        return "continue", "unclear"
    return "continue", "not yet"


def _target(work: ReviewWork, account: Account, target: Fraction) -> TargetStatus:
    standing, confidence = account.standing, confidence_of(work)
    certified = is_certified(standing, target, confidence)
    done = Forecast(expected=0, low=0, high=0)
    forecast = done if certified else _forecast(work, account, target)
    return TargetStatus(
        recall=float(target),
        certified=certified,
        expected_labels=forecast.expected if forecast else None,
        expected_low=forecast.low if forecast else None,
        expected_high=forecast.high if forecast else None,
        floor=floor_labels(work.opened.items, standing.found, target, confidence),
    )


def _forecast(work: ReviewWork, account: Account, target: Fraction) -> Forecast | None:
    standing = account.standing
    if not standing.found:
        return None
    past = experience(
        readings(work, account.plays),
        relevant=standing.found,
        unread=standing.unread,
        target=target,
    )
    if not _may_draw(work, account, past):
        return None  # directed reading still finds too much to say what is left
    allowed = row_of_target(standing.found, target) - standing.found
    left = left_estimate(allowed, standing.unread, hits=past.hits, draws=past.draws)
    return forecast(standing, target, confidence_of(work), left=left)


def _may_draw(work: ReviewWork, account: Account, past: Experience) -> bool:
    """Whether random draws have begun, or would be the better use of the next labels."""
    standing, wanted = account.standing, target_of(work)
    if past.draws or work.opened.ranking == "none":
        return True
    return wants_random(past, relevant=standing.found, unread=standing.unread, target=wanted)


def _next_recall(relevant: int, bound: int) -> Fraction | None:
    """The next whole per cent above the certified recall; None where nothing is found or to gain."""
    target = Fraction(relevant * 100 // bound + 1, 100) if relevant else Fraction(1)
    return target if target < 1 else None
