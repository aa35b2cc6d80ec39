"""The charts of dashboard and report that show a plan: its path, its four numbers, its power."""

from collections.abc import Sequence
from dataclasses import replace

from assaymark.certification.view.dossier import CardNumber, Dossier, Path
from assaymark.claims.results import ModeForecast, PowerCurve, rounded, shown
from assaymark.drawing.interval_rows import IntervalRow, interval_figure
from assaymark.drawing.marks import (
    Bars,
    Dots,
    EndLabels,
    Figure,
    Line,
    Mark,
    Notches,
    Plot,
    Point,
    Role,
    Rule,
    Words,
    figure,
)
from assaymark.drawing.scales import Axis
from assaymark.reports.section import Chart

NAME_WIDE, NAME_HIGH = 0.3, 0.12
"""What the name of the elusion floor takes of a plot for phones, across and up."""


def path_chart(dossier: Dossier) -> Chart | None:
    """Estimate and bound against labels, with the claim and every look and correction."""
    path = dossier.path
    if path is None or not any(p.point is not None or p.bound is not None for p in path.points):
        return None
    word = "lower bound" if path.side == "lower" else "upper bound"
    low, high = _window(path)
    plot = Plot(
        x=Axis(high=max(1, *(p.labels for p in path.points)), title="labels", numbers="count"),
        y=Axis(low=low, high=high, title=dossier.claim_title or path.metric, grid=True),
        marks=(*_lines(path, low, high), *_events(path, low), _ends(path)),
        height=320,
        room_right=138,
    )
    return Chart(
        title="Progress",
        caption=f"Thin line: estimate. {_bound_in_words(path, word, low, high)} Dashed line: the claim."
        f"{_events_in_words(path)}",
        figure=figure(plot),
    )


def _bound_in_words(path: Path, word: str, low: float, high: float) -> str:
    number = len(_drawn_bounds(path, low, high))
    if any(point.passing is not None for point in path.points):
        beyond = "above" if path.side == "lower" else "below"
        return f"Dotted line: the plan passes when the estimate is {beyond} it."
    if number == 0:
        return f"There is no {word} yet."
    if number == 1:
        return f"Dot: {word}, at the look for which it holds."
    return f"Thick line: {word}, which holds at every look."


def _events_in_words(path: Path) -> str:
    kinds = {mark.kind for mark in path.marks}
    looks = " Ticks on the axis: looks." if "look" in kinds else ""
    return looks + (" Triangles: corrections and decisions." if kinds - {"look"} else "")


def _window(path: Path) -> tuple[float, float]:
    """The part of the axis that is worth looking at; what lies outside is not drawn."""
    points = [p.point for p in path.points if p.point is not None]
    settled = points[len(points) // 8 :] or [path.target]
    bounds = [p.bound for p in path.points if p.bound is not None]
    if path.side == "lower":
        # the bound that the first sentence quotes is always in the picture
        low = min(path.target - 0.25, min(settled) - 0.05, *(last - 0.05 for last in bounds[-1:]))
        return max(0.0, int(low * 20) / 20), 1.0
    return 0.0, min(1.0, max(2.2 * path.target, 1.15 * max(settled), 1.1 * (bounds or [0])[-1]))


def _drawn_bounds(path: Path, low: float, high: float) -> tuple[Point, ...]:
    """The bounds inside the picture: drawn along its edge, one of nothing would look like that value."""
    return tuple(
        (float(p.labels), p.bound)
        for p in path.points
        if p.bound is not None and low <= p.bound <= high
    )


def _lines(path: Path, low: float, high: float) -> list[Mark]:
    bounds = _drawn_bounds(path, low, high)
    points = tuple(
        (float(p.labels), p.point)
        for p in path.points
        if p.point is not None and low <= p.point <= high
    )
    marks: list[Mark] = [
        Rule(y=path.target),
        Line(points=points, role="soft"),
        # between two prefixes the bound is not known to be higher than at the first of them
        Line(points=bounds, role="accent", width=3, steps=True),
    ]
    passing = tuple((float(p.labels), p.passing) for p in path.points if p.passing is not None)
    if passing:
        marks.append(Line(points=passing, role="warn", width=2.2, dashed=True))
    if len(bounds) == 1:  # a line without length
        marks.append(Dots(points=bounds, role="accent"))
    return marks


def _events(path: Path, low: float) -> list[Mark]:
    looks = tuple(float(m.labels) for m in path.marks if m.kind == "look")
    changes = tuple((float(m.labels), low) for m in path.marks if m.kind != "look")
    return [Notches(places=looks), Dots(points=changes, shape="triangle")]


def _ends(path: Path) -> EndLabels:
    """What each line stands at now, beside its right end."""
    labels: list[tuple[float, str, Role]] = [(path.target, f"claimed {path.target:g}", "ink")]
    bounds = [p.bound for p in path.points if p.bound is not None]
    points = [p.point for p in path.points if p.point is not None]
    if bounds:
        side = "at least" if path.side == "lower" else "at most"
        labels.append(
            (bounds[-1], f"{side} {rounded(bounds[-1], up=path.side == 'upper')}", "accent")
        )
    passing = [p.passing for p in path.points if p.passing is not None]
    if passing:
        labels.append((passing[-1], f"passes at {shown(passing[-1])}", "warn"))
    if points:
        labels.append((points[-1], f"estimate {shown(points[-1])}", "soft"))
    return EndLabels(labels=tuple(labels))


def card_chart(dossier: Dossier) -> Chart | None:
    """The four numbers as ranges, each on its own scale."""
    known = [number for number in dossier.card if number.low is not None]
    if not known:
        return None
    return Chart(
        title="Four numbers",
        caption="The ranges of the first page; the dot is the estimate.",
        figure=Figure(plots=tuple(_range_plot(number) for number in known), gap=4),
    )


def _range_plot(number: CardNumber) -> Plot:
    low, high = number.low or 0.0, number.high if number.high is not None else 1.0
    row = IntervalRow(name=number.title, low=low, high=high, point=number.point)
    wide = 1.0 if high > 0.3 else min(1.0, 1.25 * high)
    return interval_figure([row], high=wide, numbers="percent", names_width=80).plots[0]


def range_text(number: CardNumber) -> str:
    """The range as text, rounded outwards: "0.71 to 0.83"."""
    if number.low is None or number.high is None:
        return "not known"
    if number.low == number.high:
        return shown(number.low)
    return f"{rounded(number.low)} to {rounded(number.high, up=True)}"


def power_chart(
    curve: PowerCurve, *, mode: ModeForecast, power: float, floor: float | None
) -> Chart:
    """The chance to have passed in one mode, against labels; the elusion floor as a wall."""
    most = max(curve.sizes)
    points = tuple((float(n), p) for n, p in zip(curve.sizes, curve.power, strict=True))
    marks: list[Mark] = [
        *_floor(floor, points),
        Rule(y=power),
        Words(x=0, y=power, text=f"{power:.0%} wanted", dx=6, dy=-6),
        Line(points=points, role="accent", width=3),
    ]
    for labels, chance, name in _named_sizes(mode, power):
        text = f"{name} {labels:,}"
        marks += [
            Dots(points=((min(labels, most), chance),), role="accent", radius=4.5),
            _beside_the_curve(labels, chance, text, most),
        ]
    plot = Plot(
        x=Axis(high=most, title="labels", numbers="count"),
        y=Axis(title="chance to pass", ticks=(0, 0.25, 0.5, 0.75, 1), grid=True),
        marks=tuple(marks),
        width=560,
    )
    return Chart(
        title="Chance to pass",
        caption="The chance to have passed by each number of labels.",
        figure=figure(plot),
    )


def _beside_the_curve(labels: int, chance: float, text: str, most: int) -> Words:
    """The name of a point where the rising curve is not: right of it, below it, at the edge above it."""
    if labels > 0.9 * most:
        return Words(x=most, y=chance, text=text, dx=-9, dy=-7, anchor="end", bold=True)
    if labels > 0.6 * most:
        return Words(x=most, y=chance, text=text, dy=36, anchor="end", bold=True)
    return Words(x=labels, y=chance, text=text, dx=10, dy=20, bold=True)


def _named_sizes(mode: ModeForecast, power: float) -> list[tuple[int, float, str]]:
    """The points of the curve that the table of costs names."""
    if mode.power is not None and mode.labels is not None and mode.median == mode.quantile:
        return [(mode.labels, mode.power, "plan size")]
    known = ((mode.median, 0.5, "typical"), (mode.quantile, power, "bad luck"))
    return [(labels, chance, name) for labels, chance, name in known if labels]


def _floor(labels: float | None, curve: Sequence[Point]) -> list[Mark]:
    """The wall of items that any method must read, named where the rising curve is not."""
    most = curve[-1][0]
    if labels is None or labels >= most:
        return []
    near = labels + NAME_WIDE * most
    risen = next((n for n, chance in curve if chance > NAME_HIGH and n > labels), most)
    name = Words(x=labels, y=0, text="elusion floor", dx=6, dy=-9, role="warn", bold=True)
    if near > most:
        name = replace(name, dx=-6, anchor="end")
    elif risen < near:
        name = replace(name, x=risen, text="← elusion floor")
    wall = (0.0, float(labels), 0.0, 1.0)
    return [Bars(boxes=(wall,), role="warn", opacity=0.16), name]
