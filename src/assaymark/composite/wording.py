"""What is said about a claim of several rows: sentences from its sealed words and its facts."""

from collections.abc import Mapping
from typing import Any

from assaymark.claims.results import percent
from assaymark.composite.risk import FAMILY
from assaymark.composite.sealed import SealedClaim

ASSUMPTIONS = (
    "An item's label, or that nobody could tell, does not depend on which items were drawn.",
    "The seed was not chosen by somebody who knew labels.",
    "The statement is about the items of the pool as they were sealed, and about no others.",
)


def account_words(sealed: SealedClaim) -> str | None:
    """Which claim on its subjects this is, and what the confidence covers; None for a first one."""
    risk, sure = sealed.risk, percent(sealed.stated)
    if not risk.earlier and not risk.others:
        return None
    number = len(risk.earlier) + 1
    if risk.account == FAMILY and not risk.others:
        return f"Claim {number} of one family; the {sure} covers all of them together"
    if risk.others:
        return (
            f"Claim {number} in a further account on what it speaks of; the {sure} covers all accounts "
            "and all their claims together"
        )
    return f"Claim {number} on what it speaks of; the {sure} covers all of them together"


def is_established(result: dict[str, Any]) -> bool:
    """Whether there is something to certify."""
    if result["kind"] == "comparison":
        return result["decision"] != "undecided" or bool(result["not_worse"])
    if result.get("family") == "named":
        return any(part["state"] == "reached" for part in result["parts"])
    return bool(result["decision"] == "pass")


def statement(sealed: SealedClaim, result: dict[str, Any]) -> str:
    """The sentence that is established, or what stands in its way."""
    sure = percent(sealed.stated)
    if sealed.kind == "comparison":
        return _compared(sealed, result, sure)
    if sealed.kind == "cut-off":
        if result["cutoff"] is None:
            return f"No cut-off is proved to keep {sealed.claim} yet."
        return f"From score {result['cutoff']:g} up, {sealed.claim}, with {sure} confidence."
    if sealed.family == "named":
        return _named(sealed, result, sure)
    if result["decision"] == "undecided":
        return f"{sealed.claim} is undecided: all {sealed.most:,} draws of the budget were made."
    if result["decision"] == "pass":
        told = f"{sealed.claim}, with {sure} confidence for all of it together"
        if result["certain"]:
            told = f"{sealed.claim}: counted, not estimated"
        return f"{told}{_left_out(sealed)}."
    if result["decision"] == "fail":
        how = "can no longer be established" if result["unreachable"] else "does not hold"
        return (
            f"{sealed.claim} {how}{'' if result['unreachable'] else f', with {sure} confidence'}."
        )
    left = [p for p in result["parts"] if p["state"] == "open"]
    return f"{sealed.claim} is open: {len(left)} of {len(result['parts'])} parts want labels."


def part_name(part: Mapping[str, Any]) -> str:
    """A part with its group."""
    return " ".join([part["part"], *(f"[{name}]" for name in part["group"])])


def _named(sealed: SealedClaim, result: dict[str, Any], sure: str) -> str:
    """Which parts hold: the family is all parts that were sealed, and its size is stated."""
    count = len(result["parts"])
    good = [part_name(p) for p in result["parts"] if p["state"] == "reached"]
    if not good:
        return f"None of the {count} claims is proved so far: {sealed.claim}."
    return (
        f"Of a family of {count} claims these hold, with {sure} confidence for all names together: "
        f"{'; '.join(good)}{_left_out(sealed)}."
    )


def _left_out(sealed: SealedClaim) -> str:
    if not sealed.left_out:
        return ""
    return f"; left out as too small: {', '.join(' '.join(g) for g in sealed.left_out)}"


def _compared(sealed: SealedClaim, result: dict[str, Any], sure: str) -> str:
    a, b = (f"'{name}'" for name in sealed.columns.predictions)
    low, high, metric = result["gap_low"], result["gap_high"], sealed.metric
    if result["decision"] == "better":
        return f"{b} is better than {a} in {metric}{_by(low)}, with {sure} confidence."
    if result["decision"] == "worse":
        return f"{b} is worse than {a} in {metric}{_by(-high)}, with {sure} confidence."
    margin = float(sealed.margin or 0)
    if result["decision"] == "within":
        return f"{b} and {a} differ in {metric} by at most {margin:g}, with {sure} confidence."
    if result["equal"]:
        return f"{b} and {a} have the same {metric}: every item that matters was counted."
    if result["not_worse"]:
        return f"{b} is not worse than {a} in {metric} by more than {margin:g}, with {sure} confidence."
    return f"Which of {a} and {b} has the higher {metric} is undecided so far."


def _by(least: float) -> str:
    return f" by at least {least:g}" if least > 0 else ""
