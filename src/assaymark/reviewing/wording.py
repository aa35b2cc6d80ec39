"""The sentences of a review, written once for command line, page and report."""

from assaymark.claims.results import counted, percent
from assaymark.hints import command
from assaymark.labelling.overdue import NOT_FOUND
from assaymark.reviewing.starting import Started
from assaymark.reviewing.status import ReviewStatus

USUAL = 50  # relevant records: the guess that is said in words
CHEAP = 0.75  # share of the irrelevant records from which on reading everything is about as cheap
NEARLY_ALL = 0.9
USEFUL = 0.01  # certified recall below this is not worth a number

REASONS = {
    "certified": "the target is certified",
    "nothing relevant": "every record was read and none is relevant; there is nothing to certify",
    "nothing found": "no relevant record was found yet, and without one nothing can be certified",
    "unclear": "everything is read, and records that nobody could tell stand in the way",
    "not yet": "the target is not certified yet",
}
ASSUMPTIONS = (
    "Each random record was drawn with equal chances from all unread ones, by a secret number whose "
    "hash was recorded before the first draw. Nobody used that number to choose the other records.",
    "A decision does not depend on whether a record came at random or in the model's order: reviewers "
    "are not shown which.",
    "Whoever corrected a decision did not know how the record was chosen, nor the result so far.",
)
DECIDED = {
    "blind": "by people who saw neither how the record was chosen nor the result so far",
    "open": "by people who may have seen the result so far, so that a disputed record never counts as "
    "not relevant",
}
LIMITS = (
    "Recall is about this collection and about decisions as reviewers made them. What the search never "
    "found, and what reviewers got wrong, is not counted.",
    "It covers what was found when the certificate was issued. Records that are set aside later are "
    "not taken into account.",
)


def verdict(now: ReviewStatus) -> str:
    """The answer in one sentence.

    Recall is rounded down, so that it never looks better than it is.
    """
    word = "Stop" if now.decision == "stop" else "Continue"
    if now.certified_recall is None:
        return f"{word}: {REASONS[now.reason]}."
    verb = "is" if now.found == 1 else "are"
    found = f"{counted(now.found, 'relevant record')} {verb} found"
    if now.certified_recall < USEFUL:
        return f"{word}: {REASONS[now.reason]}. {found}; next to nothing is proved yet."
    return (
        f"{word}: {REASONS[now.reason]}. {found} and at most {now.left_at_most:,} are left, so recall is "
        f"at least {rounded_down(now.certified_recall)} with {percent(now.confidence)} confidence; "
        f"{now.target:g} is wanted."
    )


def rounded_down(share: float) -> str:
    """A share to three decimals, never upwards.

    >>> rounded_down(0.8999)
    '0.899'
    """
    return f"{int(share * 1000 + 1e-9) / 1000:g}"


def certified(now: ReviewStatus) -> str:
    """The recall that is proved now, for people."""
    if now.certified_recall is None:
        return "none yet"
    return (
        rounded_down(now.certified_recall) if now.certified_recall >= USEFUL else "next to nothing"
    )


def floor(now: ReviewStatus) -> str:
    """What any method must read, as long as it can be said."""
    if not now.found:
        return "known when the first relevant record is found"
    return f"{now.floor:,} irrelevant records, if those found are all"


def advice(now: ReviewStatus, **options: object) -> str:
    """What to do next."""
    if now.reason == "certified":
        return command("report" if now.issued else "review certify", **options)
    if now.open:
        again = command("review next", pending=True, **options)
        return (
            f"label the {counted(now.open, 'record')} without a label; to write them again: {again}"
        )
    if now.reason == "unclear":
        return f"decide what nobody could tell: {command('label', 'FILE', correct=True, **options)}"
    if now.reason == "nothing relevant":
        return command("report", **options)
    return command("review next", n=USUAL, **options)


def to_go(now: ReviewStatus) -> str:
    """What is still to be read for the target."""
    if now.expected_labels is None:
        return f"no number can be named {_yet(now)}"
    if now.decision == "stop":
        return "nothing"
    text = f"about {now.expected_labels:,} random labels ({now.expected_low:,} to {now.expected_high:,})"
    if now.expected_labels < NEARLY_ALL * now.unread:
        return text
    return f"{text}; reading all {now.unread:,} unread records is about as cheap"


def _yet(now: ReviewStatus) -> str:
    return "yet" if now.random or not now.found else "while the ranking still finds much"


def next_step(now: ReviewStatus) -> str:
    """What the next per cent of certified recall costs."""
    if now.next_recall is None and now.certified_recall is not None:
        return "nothing is left to gain"
    if now.next_recall is None or now.next_percent is None:
        return f"no number can be named {_yet(now)}"
    return f"about {now.next_percent:,} random labels to certify {now.next_recall:g}"


def known_before(now: ReviewStatus) -> str:
    """Records that were screened elsewhere, and those of them that the pool does not hold."""
    left_out = f"{counted(now.unmatched, 'imported record')} not found in the pool"
    return f"{now.known:,}; {left_out}" if now.unmatched else f"{now.known:,}"


def waiting(now: ReviewStatus) -> str | None:
    """What holds the evidence up: random draws without a final label, and those behind them."""
    parts = []
    if now.half_read:
        parts.append(f"{counted(now.half_read, 'record')} with one reader, unread until the second")
    if now.pending:
        parts.append(f"{counted(now.pending, 'random draw')} without a final label")
    if now.held_up:
        verb = "counts" if now.held_up == 1 else "count"
        parts.append(
            f"{counted(now.held_up, 'label')} of later draws {verb} once these have theirs"
        )
    return "; ".join(parts) or None


def last_resort(now: ReviewStatus, **options: object) -> str | None:
    """What can be done about records that hold others up and that nobody will label."""
    if not now.held_up:
        return None
    return (
        f"If nobody will label them, count them as cannot tell ({command('label', overdue=14, **options)}): "
        f"each is then {NOT_FOUND}."
    )


def floor_words(begun: Started) -> tuple[str, ...]:
    """What a proof costs at least, in plain sentences, beside the table over targets."""
    if not begun.floor:
        return ()
    row = min(begun.floor, key=lambda one: abs(one.relevant - USUAL))
    shares = [labels / (begun.items - row.relevant) for labels in row.labels]
    shares_of = [
        f"{share:.0%} for {float(t):g}" for share, t in zip(shares, begun.targets, strict=True)
    ]
    first = (
        f"With about {row.relevant:,} relevant records, a proof of recall {float(begun.targets[-1]):g} means "
        f"reading {shares[-1]:.0%} of all others on average; it is {' and '.join(shares_of[:-1])}."
    )
    place = begun.targets.index(begun.target)
    dear = [one for one in begun.floor if one.labels[place] > CHEAP * (begun.items - one.relevant)]
    if not dear:
        return (first,)
    most = f"With {dear[-1].relevant:,} relevant records or fewer"
    return (
        first,
        f"{most}, reading everything is about as cheap as a proof of {float(begun.target):g}.",
    )
