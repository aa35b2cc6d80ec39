"""How a claim stands at the gate, and the exit code of each outcome."""

from collections.abc import Iterable
from typing import Literal

from assaymark.claims.results import Ending

Outcome = Literal["certified", "refuted", "undecided", "stale", "tampered"]

EXIT_CODES: dict[Outcome, int] = {
    "certified": 0,
    "refuted": 1,
    "undecided": 4,
    "stale": 5,
    "tampered": 6,
}
GRAVEST_FIRST: tuple[Outcome, ...] = ("tampered", "refuted", "stale", "undecided", "certified")
MEANINGS: dict[Outcome, str] = {
    "certified": "the claim is proved, and nothing it depends on has changed",
    "refuted": "the labels, or the sentinels since, show that the claim is false",
    "undecided": "the labels do not decide yet, or a plan ended without proof",
    "stale": "the certificate is out of date: expired, the classifier or the pool changed, or scores drifted",
    "tampered": "the claim file, the lock, the ledger or the certificate was changed afterwards",
}
DECIDED: dict[Ending, Outcome] = {
    "pass": "certified",
    "fail": "refuted",
    "unproven": "undecided",
    "continue": "undecided",
}


def gravest(outcomes: Iterable[Outcome]) -> Outcome:
    """The outcome that counts of several.

    >>> gravest(["certified", "stale", "refuted"])
    'refuted'
    """
    return min(outcomes, key=GRAVEST_FIRST.index)
