"""What the forecast of a claim of several parts says: one place for command line, page and Python."""

from collections.abc import Mapping

from assaymark.claims.results import counted, digits, shown
from assaymark.composite.planning.forecast import ClaimForecast, PartForecast
from assaymark.composite.planning.rehearsing import Labels
from assaymark.composite.sealed import SealedClaim
from assaymark.hints import command, option

NAMED = 3
Lines = list[tuple[str, str]]


def about(labels: Labels, most: int) -> str:
    """A typical number with its range, in no more digits than it has, and never beyond `most` items.

    >>> about(Labels(typical=503, low=151, bad_luck=864), 20_000)
    'about 500 labels (from roughly 150 to 860 with bad luck)'
    """
    each = (labels.typical, labels.low, labels.bad_luck)
    typical, low, high = (min(rounded(one), most) for one in each)
    if low == high:
        return f"about {typical:,} labels"
    luck = " with bad luck" if labels.rehearsed else ": too many parts to rehearse"
    return f"about {typical:,} labels (from roughly {low:,} to {high:,}{luck})"


def rounded(labels: float) -> int:
    """In the two digits that a forecast has."""
    step = int(10 ** max(0, len(str(round(labels))) - 2))
    return round(labels / step) * step


def condition(forecast: ClaimForecast) -> str:
    """What is assumed where the scores are not taken at their word."""
    several = "the worst part" if len(forecast.parts) > 1 else "it"
    if forecast.expect is not None:
        return f"{several} is {forecast.expect:g}"
    if (
        forecast.parts[0].part.startswith(("gap", "max gap"))
        or "gap between" in forecast.parts[0].part
    ):
        return "the gap is half of what is claimed"
    return f"{several} is {digits(forecast.ahead)} better than claimed"


def cost_lines(sealed: SealedClaim, forecast: ClaimForecast) -> Lines:
    """Labels to expect, by the scores and if the claim holds well, and what looks false."""
    lines: Lines = []
    if forecast.expect is None and forecast.labels is not None:
        lines.append(
            ("labels to expect", f"{about(forecast.labels, sealed.items)} if the scores are right")
        )
    if forecast.looks_false:
        lines.append(("judging by the raw scores", f"the claim looks false: {_false(forecast)}"))
    if forecast.needed is not None:
        lines.append(
            ("labels to expect", f"{about(forecast.needed, sealed.items)} if {condition(forecast)}")
        )
    wins = [part.wins for part in forecast.parts if part.wins]
    if len(forecast.parts) == 1 and wins:
        lines.append(("predictions differ", counted(forecast.parts[0].items, "item")))
    lines += [
        ("labels to expect", f"about {max(w[when] for w in wins):,} if {_winner(when, wins)}")
        for when in (wins[0] if wins else ())
    ]
    if not sealed.is_scored and not wins:
        lines.append(("labels to expect", "no forecast, because the pool has no scores"))
    known = [one.typical for one in (forecast.labels, forecast.needed) if one is not None]
    least = min(known, default=0)
    if sealed.ceiling is not None and least > sealed.most:
        lines.append(
            (
                "budget",
                "smaller than the labels to expect, so the claim will probably end undecided",
            )
        )
    return lines


def _false(forecast: ClaimForecast) -> str:
    """Which parts look false, with what the scores say of them."""
    parts = [f"{part.name} would be {shown(part.value)}" for part in forecast.false_parts]
    more = f" and {len(parts) - NAMED} more parts" if len(parts) > NAMED else ""
    return "; ".join(parts[:NAMED]) + more


def doubt(sealed: SealedClaim, forecast: ClaimForecast) -> str:
    """That the claim looks false by the scores alone, what it would cost, and what to do about it."""
    price = ""
    if forecast.needed is not None:
        price = f" If {condition(forecast)}, it takes {about(forecast.needed, sealed.items)}."
    return (
        f"Judging by the raw scores the claim looks false: {_false(forecast)}. Raw scores are often "
        f"off.{price} {ways_on(sealed)}"
    )


def ways_on(sealed: SealedClaim) -> str:
    """What to do about a claim that looks false: find out, say what is known, or claim less."""
    metric = sealed.statements[0].tree.parts[0].figure.metric
    ways = []
    if metric in ("accuracy", "precision", "recall", "f1") and sealed.columns.view == "two":
        sample = command("plan", estimate=metric, budget=100)
        ways.append(f"label a small random part, which tells how good it really is ({sample})")
    if "gap between" not in sealed.claim:
        ways.append(
            f"say what you expect of the worst part, if you know better ({option('expect', 'X')})"
        )
    ways.append("claim less")
    text = "; or ".join(ways)
    return f"{text[:1].upper()}{text[1:]}."


def part_line(part: PartForecast, forecast: ClaimForecast) -> tuple[str, str]:
    """A part: its items, what the scores say of it, and its price in the world of the total beside it."""
    text = counted(part.items, "item") + (" differ" if part.wins else "")
    if part.positives is not None:
        text += f", about {part.positives:,} positive by the scores"
    if part.value is not None:
        text += f"; {shown(part.value)} if the scores are right"
    price = part_price(part, forecast)
    if price is not None:
        when = "then" if believes_scores(forecast) else f"if {condition(forecast)}"
        text += f"; {price} labels {when}"
    return part.name, text


def part_price(part: PartForecast, forecast: ClaimForecast) -> str | None:
    """Labels of a part: if the scores are right where they say that the claim holds, else if it does."""
    labels = part.labels if believes_scores(forecast) else part.needed
    if labels is None:
        return None
    return (
        f"all {part.items:,}"
        if labels >= part.items
        else f"about {min(rounded(labels), part.items):,}"
    )


def believes_scores(forecast: ClaimForecast) -> bool:
    """Whether the first price is that of the world in which the scores are right."""
    return forecast.expect is None and forecast.labels is not None


def _winner(when: str, wins: list[Mapping[str, int]]) -> str:
    """Who wins this share of the disagreements: the better one of the words, in every part."""
    share = when.replace("b is", "the better one is")
    return f"{share}, for the part that needs most" if len(wins) > 1 else share
