"""What is said about a claim of several rows: sentences from its sealed words and its facts."""

from collections.abc import Mapping
from typing import Any, Literal

from assaymark.claims.results import percent
from assaymark.composite.sealed import SealedClaim
from assaymark.composite.shared_risk.risk import FAMILY

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


def is_established(result: Mapping[str, Any]) -> bool:
    """Whether there is something to certify."""
    if result["kind"] == "comparison":
        return result["decision"] != "undecided" or bool(result["not_worse"])
    if result.get("family") == "named":
        return any(part["state"] == "reached" for part in result["parts"])
    return bool(result["decision"] == "pass")


def statement(result: Mapping[str, Any]) -> str:
    """The sentence that the facts of a look or a certificate establish, or what is in its way."""
    sure = percent(result["confidence"])
    if result["kind"] == "comparison":
        return _compared(result, sure)
    if result["kind"] == "cut-off":
        return _cut_off(result, sure)
    if result["family"] == "named":
        return _named(result, sure)
    if result["decision"] == "undecided":
        return (
            f"{result['claim']} is undecided: all {result['most']:,} draws of the budget were made."
        )
    if result["decision"] == "pass":
        together = " for all of it together" if len(result["parts"]) > 1 else ""
        told = f"{result['claim']}, with {sure} confidence{together}"
        if result["certain"]:
            told = f"{result['claim']}: counted, not estimated"
        return f"{told}{_left_out(result)}."
    if result["decision"] == "fail":
        how = "can no longer be established" if result["unreachable"] else "does not hold"
        return f"{result['claim']} {how}{'' if result['unreachable'] else f', with {sure} confidence'}."
    left = [p for p in result["parts"] if p["state"] == "open"]
    if len(result["parts"]) == 1:
        return f"{result['claim']} is not proved yet."
    return f"{result['claim']} is open: {len(left)} of {len(result['parts'])} parts want labels."


def _cut_off(result: Mapping[str, Any], sure: str) -> str:
    if result.get("cutoff") is not None:
        return f"From score {result['cutoff']:g} up, {result['claim']}, with {sure} confidence."
    if result["decision"] == "undecided":
        return (
            f"No cut-off is proved to keep {result['claim']}: all {result['most']:,} labels are in."
        )
    if result["judged"] == "once":
        return (
            f"The cut-offs for {result['claim']} are judged once, when all {result['most']:,} labels are "
            f"there: {result['draws']:,} so far."
        )
    return f"No cut-off is proved to keep {result['claim']} yet."


def part_name(part: Mapping[str, Any]) -> str:
    """A part with its group."""
    return " ".join([part["part"], *(f"[{name}]" for name in part["group"])])


def _named(result: Mapping[str, Any], sure: str) -> str:
    """Which parts hold: the family is all parts that were sealed, and its size is stated."""
    count = len(result["parts"])
    good = [part_name(p) for p in result["parts"] if p["state"] == "reached"]
    if not good:
        return f"None of the {count} claims is proved so far: {result['claim']}."
    return (
        f"Of a family of {count} claims these hold, with {sure} confidence for all names together: "
        f"{'; '.join(good)}{_left_out(result)}."
    )


def _left_out(result: Mapping[str, Any]) -> str:
    if not result["left_out"]:
        return ""
    return f"; left out as too small: {', '.join(' '.join(g) for g in result['left_out'])}"


def _compared(result: Mapping[str, Any], sure: str) -> str:
    a, b = (f"'{name}'" for name in result["classifiers"])
    low, high, metric = result["gap_low"], result["gap_high"], result["metric"]
    if result["decision"] == "better":
        return f"{b} is better than {a} in {metric}{_by(low)}, with {sure} confidence."
    if result["decision"] == "worse":
        return f"{b} is worse than {a} in {metric}{_by(-high)}, with {sure} confidence."
    margin = float(result.get("margin") or 0)
    if result["decision"] == "within":
        return f"{b} and {a} differ in {metric} by at most {margin:g}, with {sure} confidence."
    if result["equal"]:
        return f"{b} and {a} have the same {metric}: every item that matters was counted."
    if result["not_worse"]:
        return f"{b} is not worse than {a} in {metric} by more than {margin:g}, with {sure} confidence."
    return f"Which of {a} and {b} has the higher {metric} is undecided so far."


TONES: dict[str, Literal["pass", "fail"]] = {
    "better": "pass",
    "pass": "pass",
    "within": "pass",
    "worse": "fail",
    "fail": "fail",
}
VERDICTS = {
    "better": "Better",
    "worse": "Worse",
    "within": "Within the margin",
    "pass": "Established",
    "fail": "Not established",
    "undecided": "Undecided",
    "continue": "Not yet",
}


def _by(least: float) -> str:
    return f" by at least {least:g}" if least > 0 else ""


def gap_words(result: Mapping[str, Any]) -> str:
    """Bounds of the gap in words; a bound that no label has moved is left out."""
    low, high = result["gap_low"], result["gap_high"]
    if (low, high) == (-1.0, 1.0):
        return "no bound yet (b less a)"
    if high == 1.0:
        return f"{'more than' if low == 0 else 'at least'} {low:g} (b less a)"
    if low == -1.0:
        return f"{'less than' if high == 0 else 'at most'} {high:g} (b less a)"
    return f"{low:g} to {high:g} (b less a)"
