"""The sentences of a review, written once for command line, page and report."""

from assaymark.claims.results import percent
from assaymark.reviewing.status import ReviewStatus

REASONS = {
    "certified": "the target is certified",
    "nothing relevant": "every record was read and none is relevant; there is nothing to certify",
    "nothing found": "no relevant record was found yet, and without one nothing can be certified",
    "unclear": "everything is read, and records that nobody could tell stand in the way",
    "not yet": "the target is not certified yet",
}
ASSUMPTIONS = (
    "Random draws are uniform on all unread records, by tickets of a secret that was committed to "
    "before the first draw and that nobody used to choose directed records.",
    "Labels do not depend on whether a record came at random or directed: one queue, no kind shown.",
    "Corrections were decided without sight of route and figures.",
)
LIMITS = (
    "Recall is of the labels as they were given, within this pool: what the search missed and what "
    "readers got wrong is outside.",
    "It speaks of what was found when the certificate was issued, not of the papers kept later.",
)


def verdict(now: ReviewStatus) -> str:
    """The answer in one sentence.

    Recall is rounded down, so that it never looks better than it is.
    """
    word = "Stop" if now.decision == "stop" else "Continue"
    if now.certified_recall is None:
        return f"{word}: {REASONS[now.reason]}."
    return (
        f"{word}: {REASONS[now.reason]}. {now.found:,} relevant records are found and at most "
        f"{now.left_at_most:,} are left, so recall is at least {rounded_down(now.certified_recall)} with "
        f"{percent(now.confidence)} confidence; {now.target:g} is wanted."
    )


def rounded_down(share: float) -> str:
    """A share to three decimals, never upwards.

    >>> rounded_down(0.8999)
    '0.899'
    """
    return f"{int(share * 1000 + 1e-9) / 1000:g}"


def to_go(now: ReviewStatus) -> str:
    """What is still to be read for the target."""
    if now.expected_labels is None:
        return "no number can be named yet"
    return f"about {now.expected_labels:,} random labels ({now.expected_low:,} to {now.expected_high:,})"
