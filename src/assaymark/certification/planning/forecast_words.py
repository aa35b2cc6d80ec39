"""What a forecast says in sentences: one place for command line, page and Python."""

from assaymark.claims.claim import Claim
from assaymark.claims.ratio_metrics import metric
from assaymark.claims.results import Basis, Forecast, ModeForecast, chance, counted, shown
from assaymark.errors import InputError
from assaymark.hints import command, option

EDGE = 1e-6
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
            f"You expect {metric(claim.metric).title} {shown(value)}, which is the target itself: no "
            f"number of labels proves a claim on its edge. Expect a value {better} the target, or "
            "claim less."
        )


def false_words(claim: Claim, value: float | None, basis: Basis) -> str | None:
    """That the claim looks false, by what, and what to do; None where the value meets it."""
    if value is None or (value >= claim.target) is (claim.side == "lower"):
        return None
    title, beyond = metric(claim.metric).title, "below" if claim.side == "lower" else "above"
    if basis == "expectation":
        return (
            f"You expect {title} {shown(value)}, {beyond} the target of {claim.target:g}, so no number "
            "of labels would prove the claim. Claim less, or expect more."
        )
    by = {
        "pilot": "the pilot",
        "scores": "the raw scores",
        "labels": "the labels bought so far",
        "expectation": "",
    }[basis]
    often = " Raw scores are often off." if basis == "scores" else ""
    known = (
        f" If you know better, say what you expect ({option('expect', better)});"
        if (better := hopeful_value(claim))
        else ""
    )
    return (
        f"Judging by {by} the claim looks false: {title} would be {shown(value)}, {beyond} the target "
        f"of {claim.target:g}.{often}{known} {'or measure' if known else 'Measure'} it first "
        f"({command('plan', estimate=claim.metric, budget=300)})."
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
    """What the numbers rest on, as rows of name and text."""
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
