"""What is said about a claim of several rows: sentences from its sealed words and its facts."""

import re
from collections.abc import Sequence
from typing import Literal

from assaymark.claims.results import Ending, counted, percent, rounded, unclear_words
from assaymark.composite.look_facts import (
    ComparisonFacts,
    ConjunctionFacts,
    CutOffFacts,
    LookFacts,
    PartFacts,
)
from assaymark.composite.sealed import SealedClaim
from assaymark.composite.shared_risk.risk import FAMILY, JOINT

CLASSIFIER = re.compile(r"\bof ([ab])(?=\s*(?:[<>=+-]|in |$))")
NAMED = 3  # failed parts; the others stand in the list of parts
ASSUMPTIONS = (
    "An item's label, or that nobody could tell, does not depend on which items were drawn.",
    "Nobody who knew labels chose the seed.",
    "The statement is about the items of the pool as they were when the claim was sealed, and "
    "about no others.",
)


def account_words(sealed: SealedClaim) -> str | None:
    """Which claim on its subjects this is, and what the confidence covers; None for a first one.

    Every part has an account of its own. Two claims of several parts can be false in different parts,
    so the confidence covers the claims on one part together, not those on all of them.
    """
    risk, sure = sealed.risk, percent(sealed.stated)
    if risk.account == JOINT:
        return (
            f"Claim {risk.number} on its subject whose seed is drawn jointly, with a risk of its "
            f"own; the {sure} covers all of them together"
        )
    if not risk.earlier and not risk.others:
        return None
    number = len(risk.earlier) + 1
    if risk.account == FAMILY and not risk.others:
        return f"Claim {number} of one family; the {sure} covers all of them together"
    several = sealed.kind == "conjunction" and len(sealed.compiled[0].parts) > 1
    each = "for each of its parts, " if several and sealed.family != "named" else ""
    if risk.others:
        return (
            f"Claim {number} in a further risk account on its subject; {each}the {sure} covers "
            "all accounts and all their claims together"
        )
    return f"Claim {number} on its subject; {each}the {sure} covers all of them together"


def bounds_words(result: LookFacts) -> str | None:
    """At which level the bounds of several parts hold, each alone and all with the claim.

    What is claimed of a part and its bound share one risk; all parts together: at most the sum of
    their risks, and one more for the names of a family. None for a single part, and where nothing is
    proved yet.
    """
    parts = result.parts if result.kind == "conjunction" else []
    if len(parts) < 2 or all(part.bound is None for part in parts):
        return None
    confidence = result.confidence
    risks = len(parts) + (result.kind == "conjunction" and result.family == "named")
    together = 1 - risks * (1 - confidence)
    words = f"Each bound of a part holds with {percent(confidence)} confidence on its own"
    if together <= 0:
        return f"{words}; nothing is stated about all of them together."
    return f"{words}; all of them and the claim together with at least {percent(together)}."


def is_established(result: LookFacts) -> bool:
    """Whether there is something to certify."""
    if result.kind == "comparison":
        return result.decision != "undecided" or result.not_worse
    if result.kind == "conjunction" and result.family == "named":
        return any(part.state == "reached" for part in result.parts)
    return result.decision == "pass"


def ending_of(result: LookFacts) -> Ending:
    """How it stands for who asks whether it holds: what is out of reach is not shown to be false."""
    if result.decision in ("fail", "worse"):
        unreachable = result.kind == "conjunction" and result.unreachable
        return "unproven" if unreachable else "fail"
    return "pass" if is_established(result) else "continue"


def claim_title(result: LookFacts) -> str:
    """The claim as a heading; a comparison says who is who, and a ladder that a cut-off is looked for."""
    if result.kind == "cut-off":
        return f"Claim: a cut-off with {result.claim}"
    classifiers = result.classifiers if result.kind == "comparison" else ()
    return f"Claim: {spoken_claim(result.claim, classifiers)}"


def spoken_claim(claim: str, classifiers: Sequence[str]) -> str:
    """The claim with the names of the two classifiers that it calls a and b.

    >>> spoken_claim("accuracy of b > accuracy of a", ["old", "new"])
    "accuracy of 'new' > accuracy of 'old'"
    """
    if len(classifiers) != 2:
        return claim
    names = dict(zip("ab", classifiers, strict=True))
    return CLASSIFIER.sub(lambda match: f"of '{names[match[1]]}'", claim)


def sealed_words(sealed: SealedClaim) -> str:
    """The sealed claim as people read it."""
    compared = sealed.kind == "comparison"
    return spoken_claim(sealed.claim, sealed.columns.predictions if compared else ())


def statement(result: LookFacts) -> str:
    """The sentence that the facts of a look or a certificate establish, or what is in its way."""
    sure = percent(result.confidence)
    if result.kind == "comparison":
        return _compared(result, sure)
    if result.kind == "cut-off":
        return _cut_off(result, sure)
    if result.family == "named":
        return _named(result, sure)
    if result.decision == "undecided":
        most = counted(result.most, "draw")
        return f"{result.claim} is undecided: all {most} of the budget were used."
    if result.decision == "pass":
        together = " for all of it together" if len(result.parts) > 1 else ""
        sentence = f"{result.claim}, with {sure} confidence{together}"
        if result.certain:
            sentence = f"{result.claim}: certain, by counting"
        return f"{sentence}{_left_out(result)}."
    if result.decision == "fail":
        return _refuted(result, sure)
    left = [p for p in result.parts if p.state == "open"]
    if len(result.parts) == 1:
        return f"{result.claim} is not proven yet{_one_so_far(result, sure)}."
    return f"{result.claim} is open: {len(left)} of {len(result.parts)} parts are not proven yet."


def verdict_sentence(result: LookFacts) -> str:
    """The statement with its verdict before it, as for a claim of one part.

    Comparisons, cut-offs and the names of a family are sentences of their own, and so is "undecided".
    """
    every = result.kind == "conjunction" and result.family != "named"
    word = VERDICTS[result.decision] if every and result.decision != "undecided" else None
    return statement(result) if word is None else f"{word}: {statement(result)}"


def _refuted(result: ConjunctionFacts, sure: str) -> str:
    """That the claim does not hold, how sure that is, and which parts failed."""
    how = f"does not hold, with {sure} confidence"
    if result.unreachable:
        how = "can no longer be established"
    elif result.certain:
        how = "does not hold: certain, by counting"
    return f"{result.claim} {how}{_failed(result)}."


def _failed(result: ConjunctionFacts) -> str:
    """Which of several parts failed, where it is not all of them."""
    failed = [part_name(part) for part in result.parts if part.state == "failed"]
    if not 0 < len(failed) < len(result.parts):
        return ""
    more = f" and {len(failed) - NAMED} more" if len(failed) > NAMED else ""
    return f"; failed: {', '.join(failed[:NAMED])}{more}"


def so_far_of(result: LookFacts) -> tuple[float | None, ...]:
    """What is proven so far of every part of an undecided claim, all together; None of the others."""
    if result.kind != "conjunction":
        return ()
    return result.so_far or (None,) * len(result.parts)


def _one_so_far(result: ConjunctionFacts, sure: str) -> str:
    """How far a claim of one part is, where anything is proven."""
    (bound,) = so_far_of(result)
    if bound is None:
        return ""
    return f"; proven so far, with {sure} confidence: {_bounded(result.parts[0], bound)}"


def so_far_words(result: LookFacts) -> str | None:
    """The one level at which everything holds that is proven so far of several parts."""
    if result.kind != "conjunction" or all(bound is None for bound in so_far_of(result)):
        return None
    sure = percent(result.confidence)
    return f"All figures above hold together with {sure} confidence, at every look."


def _bounded(part: PartFacts, bound: float) -> str:
    return f"{'at most' if '<=' in part.part else 'at least'} {bound:g}"


def _cut_off(result: CutOffFacts, sure: str) -> str:
    if result.cutoff is not None:
        return f"From score {result.cutoff:g} up, {result.claim}, with {sure} confidence."
    if result.decision == "undecided":
        return f"No cut-off is proven for {result.claim}: all {result.most:,} labels are given."
    if result.judged == "once":
        return (
            f"The cut-offs for {result.claim} are judged once, when all {result.most:,} labels are "
            f"there: {result.draws:,} so far."
        )
    return f"No cut-off is proven for {result.claim} yet."


def part_name(part: PartFacts) -> str:
    """A part with its group."""
    return " ".join([part.part, *(f"[{name}]" for name in part.group)])


def _named(result: ConjunctionFacts, sure: str) -> str:
    """Which parts hold: the family is all parts that were sealed, and its size is stated."""
    count = len(result.parts)
    good = [part_name(p) for p in result.parts if p.state == "reached"]
    if not good:
        return f"None of the {count} claims is proven so far: {result.claim}."
    return (
        f"Of {count} claims these hold, with {sure} confidence for all of them together: "
        f"{'; '.join(good)}{_left_out(result)}."
    )


def _left_out(result: ConjunctionFacts) -> str:
    if not result.left_out:
        return ""
    return f"; left out as too small: {', '.join(' '.join(g) for g in result.left_out)}"


def _compared(result: ComparisonFacts, sure: str) -> str:
    a, b = (f"'{name}'" for name in result.classifiers)
    low, high, metric = result.gap_low, result.gap_high, result.metric
    if result.decision == "better":
        return f"{b} is better than {a} in {metric}{_by(low)}, with {sure} confidence."
    if result.decision == "worse":
        return f"{b} is worse than {a} in {metric}{_by(-high)}, with {sure} confidence."
    margin = float(result.margin or 0)
    if result.decision == "within":
        return f"{b} and {a} differ in {metric} by at most {margin:g}, with {sure} confidence."
    if result.equal:
        return f"{b} and {a} have the same {metric}: every item that could make a difference was labelled."
    if result.not_worse:
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


def verdict_of(result: LookFacts) -> tuple[Literal["pass", "fail", "not yet"], str]:
    """Tone and word of a verdict; what can be certified while the claim is open says what it is."""
    if result.decision not in TONES and is_established(result):
        return "not yet", "Not worse" if result.kind == "comparison" else "Proven in part"
    return TONES.get(result.decision, "not yet"), VERDICTS[result.decision]


def _by(least: float) -> str:
    return f" by at least {rounded(least)}" if least > 0 and rounded(least) != "0" else ""


def gap_words(result: ComparisonFacts) -> str:
    """Bounds of the gap in words; a bound that no label has moved is left out."""
    low, high = result.gap_low, result.gap_high
    least, most = rounded(low), rounded(high, up=True)
    if (low, high) == (-1.0, 1.0):
        return "no bound yet"
    if high == 1.0:
        return f"more than {least}" if low >= 0 and least == "0" else f"at least {least}"
    if low == -1.0:
        return f"less than {most}" if high <= 0 and most == "0" else f"at most {most}"
    return f"{least} to {most}"


def look_lines(result: LookFacts) -> list[tuple[str, str]]:
    """What a look prints below its statement."""
    answers = result.labels + result.skipped
    lines = [("labels", f"{answers:,} ({counted(result.draws, 'draw')})")]
    if result.skipped:
        lines.append(("could not tell", unclear_words(result.skipped, "every statement")))
    if result.kind == "comparison":
        a, b = result.classifiers
        lines.append(("gap", f"{gap_words(result)} ({b} minus {a})"))
        lines.append(("predictions differ", counted(result.disagree, "item")))
    if result.kind == "conjunction":
        proof = "holds" if result.family == "named" else "proven"
        lines += [
            (part_name(part), _part_line(part, proof, so_far))
            for part, so_far in zip(result.parts, _known_of(result), strict=True)
        ]
        if result.family == "named" and is_established(result) and _is_open(result):
            lines.append(("or go on", "more labels may prove further ones; certify after that"))
        if len(result.parts) > 1 and (note := so_far_words(result)):
            lines.append(("proven so far", note))
    if (result.kind != "conjunction" or result.so_far is None) and (note := bounds_words(result)):
        lines.append(("bounds", note))
    if result.kind == "cut-off":
        for rung in result.rungs:
            text = f"{rung.state}; {counted(rung.items, 'item')} above"
            lines.append((f"{rung.cutoff:g}", text))
        if better := _next_rung(result):
            lines.append(("or go on", better))
    return lines


def _is_open(result: ConjunctionFacts) -> bool:
    return any(part.state == "open" for part in result.parts)


def _known_of(result: ConjunctionFacts) -> list[str]:
    """What is proven of every part: all together while the claim is open, then each on its own."""
    together = result.so_far is not None
    bounds = result.so_far or tuple(part.bound for part in result.parts)
    ending = "so far" if together else "on its own"
    return [
        "" if bound is None else f"; {_bounded(part, bound)} {ending}"
        for part, bound in zip(result.parts, bounds, strict=True)
    ]


def _part_line(part: PartFacts, proof: str, known: str) -> str:
    words = {"reached": proof, "open": "open", "failed": "failed"}[part.state]
    return f"{words}{known} ({part.labels:,} of {part.items:,} labelled)"


def _next_rung(result: CutOffFacts) -> str | None:
    """What a better cut-off would change, where more labels may still prove one."""
    rungs = result.rungs
    left = [rung for rung in rungs if rung.state == "open"]
    if not left or len(left) == len(rungs) or result.judged == "once":
        return None
    before, after = rungs[-len(left) - 1], left[0]
    change = after.items - before.items
    return (
        f"cut-off {after.cutoff:g} comes next, with {counted(abs(change), 'item')} "
        f"{'more' if change > 0 else 'fewer'} above it; more labels may prove it; certify after "
        "that"
    )
