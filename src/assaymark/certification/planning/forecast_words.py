"""What a forecast says in sentences: one place for command line, page and Python."""

import math

from assaymark.claims.claim import Claim, Side
from assaymark.claims.ratio_metrics import metric
from assaymark.claims.results import Basis, Forecast, ModeForecast, chance, counted, shown
from assaymark.errors import InputError
from assaymark.hints import command, option

EDGE = 1e-6
FIRST_SAMPLE = 100
"""Labels of a first estimate that is advised where only raw scores speak."""
ROOM, LEAST = 0.05, 0.005
"""How far from what is expected a lesser claim is advised: nearer ones take many labels. The least that
is advised of something that should be small."""
COLUMNS = ("plan size", "average", "typical", "bad luck")
"""What each mode takes: the size that is sealed, and the labels that it really uses."""
SOURCES: dict[Basis, str] = {
    "expectation": "if the classifier is as you expect",
    "pilot": "judging by the pilot",
    "scores": "if the scores are right",
    "labels": "judging by the labels bought so far",
}


def refuse_the_edge(claim: Claim, value: float | None) -> None:
    """Refuse an expected value that is the target itself: no number of labels tells the two apart."""
    if value is not None and abs(value - claim.target) < EDGE:
        better = "above" if claim.side == "lower" else "below"
        raise InputError(
            f"You expect {metric(claim.metric).title} {shown(value)}, which is the target itself: "
            f"no number of labels proves a claim that is only just true. Expect a value {better} "
            "the target, or claim less."
        )


def false_words(claim: Claim, value: float | None, basis: Basis) -> str | None:
    """That the claim looks false, by what, and what to do; None where the value meets it."""
    if value is None or (value >= claim.target) is (claim.side == "lower"):
        return None
    title, beyond = metric(claim.metric).title, "below" if claim.side == "lower" else "above"
    if basis == "expectation":
        return (
            f"You expect {title} {shown(value)}, {beyond} the target of {claim.target:g}, so no "
            "number of labels would prove the claim. Choose an easier target, or expect a better "
            "value."
        )
    by = {
        "pilot": "the pilot",
        "scores": "the raw scores",
        "labels": "the labels bought so far",
        "expectation": "",
    }[basis]
    return (
        f"Judging by {by} the claim looks false: {title} would be {shown(value)}, {beyond} the target "
        f"of {claim.target:g}.{_ways_on(claim, value, basis)}"
    )


def _ways_on(claim: Claim, value: float, basis: Basis) -> str:
    """What to do about a claim that looks false: find out, say what is known, or claim less."""
    ways, off = [], ""
    if basis == "scores":
        off = " Raw scores are often off."
        sample = command("plan", estimate=claim.metric, budget=FIRST_SAMPLE)
        ways.append(f"label a small random part, which tells how good it really is ({sample})")
    if better := hopeful_value(claim):
        ways.append(f"say what you expect, if you know better ({option('expect', better)})")
    if lesser := lesser_claim(claim, value):
        ways.append(f"claim less ({command('plan', lesser)})")
    text = "; or ".join(ways)
    return f"{off} {text[:1].upper()}{text[1:]}." if ways else off


def lesser_claim(claim: Claim, value: float) -> str | None:
    """The claim with a target that this value would meet with room to spare; None where none is left.

    >>> from assaymark.claims.ratio_metrics import parse_claim
    >>> lesser_claim(parse_claim("f1 >= 0.8"), 0.7461)
    'f1 >= 0.69'
    """
    target = target_with_room(value, claim.side)
    sign = 1 if claim.side == "lower" else -1
    if target is None or sign * (claim.target - target) <= 0:
        return None
    return f"{claim.metric} {'>=' if sign > 0 else '<='} {target:g}"


def target_with_room(value: float, side: Side, *, end: float | None = None) -> float | None:
    """A target in two digits that this value meets with room to spare; None at the edge.

    `end` is that of the value's interval on the side of the target: the room is half the way to it at
    least, so that the claim is probably true. What should be small is small: the room doubles it at most.

    >>> target_with_room(0.76, "lower"), target_with_room(0.76, "lower", end=0.48)
    (0.71, 0.62)
    >>> target_with_room(0.0365, "upper"), target_with_room(0.2, "upper")
    (0.073, 0.25)
    """
    sign = 1 if side == "lower" else -1
    room = min(value / 2 if sign > 0 else min((1.0 - value) / 2, max(value, LEAST)), ROOM)
    target = value - sign * max(room, 0.0 if end is None else abs(value - end) / 2)
    if not 0 < target < 1:
        return None
    digits = 2 if sign > 0 else max(2, 1 - math.floor(math.log10(target)))
    target = sign * math.floor(sign * target * 10**digits + 1e-9) / 10**digits
    return target if 0 < target < 1 else None


def needed_words(forecast: Forecast) -> str | None:
    """What a claim that looks false would cost if the classifier were good enough; None if unknown."""
    then = forecast.if_needed
    if then is None or then.recommended is None:
        return None
    cost = then.modes[then.recommended]
    title = metric(forecast.claim.metric).title
    return (
        f"If {title} is {shown(then.value)}, it takes about {counted(round(cost.expected or 0), 'label')} "
        f"on average ({cost.quantile or 0:,} with bad luck)."
    )


def hopeful_value(claim: Claim) -> str | None:
    """A value halfway between the target and the best one, in as few digits as tell it from both."""
    best = 1.0 if claim.side == "lower" else 0.0
    for digits in range(2, 8):
        text = f"{0.5 * (claim.target + best):.{digits}g}"
        if min(claim.target, best) < float(text) < max(claim.target, best):
            return text
    return None


def basis_words(forecast: Forecast, expected: str) -> list[tuple[str, str]]:
    """The assumptions of the numbers, as rows of name and text."""
    lines = [("expected", expected)]
    if forecast.basis == "pilot":
        lines.append(
            ("chance that it is true", f"{chance(forecast.reachable_power)}, by the pilot")
        )
    return lines


def floor_words(forecast: Forecast) -> str | None:
    """How many rejected items must be read whatever the method; None where it does not matter."""
    if forecast.elusion_floor is None or forecast.elusion_floor < 1:
        return None
    items = counted(round(forecast.elusion_floor), "item")
    return f"At least about {items} that the classifier rejected must be read, whatever the method."


def draws_words(forecast: Forecast) -> str | None:
    """That a plan's size counts draws with replacement, where it is beyond the items there are."""
    left = forecast.unlabelled
    sizes = [mode.labels or 0 for mode in forecast.modes.values()]
    if left is None or max(sizes, default=0) <= left:
        return None
    return (
        f"A plan size counts random draws. Only {counted(left, 'item')} can be labelled: an item "
        "that is drawn again has its label already."
    )


def mode_words(mode: ModeForecast) -> str:
    """What is promised of a mode that seals a size."""
    return "" if mode.power is None else f"{chance(mode.power)} chance to pass"


def read_all_words(forecast: Forecast) -> str | None:
    """That reading everything is the cheaper way; None where it is not."""
    if forecast.read_all is None:
        return None
    return (
        f"Reading all {counted(forecast.read_all, 'item')} costs hardly more than a proof, and then "
        "every value is known exactly: go on drawing until none is left."
    )


def recommended_words(forecast: Forecast) -> str | None:
    """The recommended mode and why."""
    if forecast.recommended is None:
        return None
    return f"recommended: {forecast.recommended}, because {forecast.why}"
