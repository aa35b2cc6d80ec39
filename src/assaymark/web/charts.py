"""Pictures of the dashboard as inline SVG: classes only, so that they follow light and dark."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from assaymark.certification.view.dossier import CardNumber, Dossier
from assaymark.claims.results import PowerCurve, rounded, shown


@dataclass(frozen=True, kw_only=True)
class Frame:
    """A plot area: where data values lie on the picture."""

    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int
    x0: float
    x1: float
    y0: float
    y1: float

    def x(self, value: float) -> float:
        """Across."""
        span = (self.x1 - self.x0) or 1
        return round(
            self.left + (value - self.x0) / span * (self.width - self.left - self.right), 1
        )

    def y(self, value: float) -> float:
        """Down."""
        span = (self.y1 - self.y0) or 1
        room = self.height - self.top - self.bottom
        return round(self.top + (self.y1 - value) / span * room, 1)

    @property
    def floor(self) -> float:
        """The lower edge of the plot."""
        return self.height - self.bottom

    def open(self, title: str, about: str) -> str:
        """The beginning of the picture, with what it shows in words."""
        return (
            f'<svg class="chart" viewBox="0 0 {self.width} {self.height}" role="img" '
            f'aria-label="{escape(title)}. {escape(about)}"><title>{escape(title)}</title>'
        )

    def axes(self, xs: Sequence[float], ys: Sequence[float], across: str, down: str) -> str:
        """Grid lines, numbers and names."""
        parts = []
        for value in ys:
            y = self.y(value)
            parts.append(
                f'<line class="grid" x1="{self.left}" x2="{self.width - self.right}" y1="{y}" y2="{y}"/>'
                f'<text class="tick end" x="{self.left - 8}" y="{y + 4}">{value:g}</text>'
            )
        for value in xs:
            parts.append(
                f'<text class="tick mid" x="{self.x(value)}" y="{self.floor + 18}">{value:,.0f}</text>'
            )
        parts.append(
            f'<line class="axis" x1="{self.left}" x2="{self.width - self.right}" y1="{self.floor}" '
            f'y2="{self.floor}"/>'
        )
        parts.append(
            f'<text class="name end" x="{self.width - self.right}" y="{self.height - 4}">{across}</text>'
            f'<text class="name" x="{self.left - 34}" y="{self.top - 12}">{escape(down)}</text>'
        )
        return "".join(parts)


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Round numbers between two ends."""
    if high <= low:
        return [low]
    raw = (high - low) / about
    power = 10 ** math.floor(math.log10(raw))
    step = next(power * m for m in (1, 2, 2.5, 5, 10) if power * m >= raw)
    first = math.ceil(low / step - 1e-9)
    return [round(i * step, 10) for i in range(first, math.floor(high / step + 1e-9) + 1)]


def path_picture(seen: Dossier) -> Markup | None:
    """Point and bound against labels so far, the claim as a dashed line, looks as marks."""
    path = seen.path
    if path is None or not path.points or path.reason is not None:
        return None
    lines = [(p.point, p.bound, p.passing) for p in path.points]
    values = [value for line in lines for value in line if value is not None] + [path.target]
    marked = [m.bound for m in path.marks if m.bound is not None]
    low, high = min([*values, *marked]), max([*values, *marked])
    room = max(0.06 * (high - low), 0.01)
    last = max(p.labels for p in path.points)
    frame = Frame(
        width=760, height=340, left=52, right=138, top=34, bottom=44,
        x0=0, x1=max(last, 1), y0=max(low - room, 0), y1=min(high + room, 1),
    )  # fmt: skip
    parts = [
        frame.open("Progress", seen.answer.sentence),
        frame.axes(
            ticks(0, frame.x1), ticks(frame.y0, frame.y1), "labels", seen.claim_title or path.metric
        ),
    ]
    side = "at least" if path.side == "lower" else "at most"
    goal = frame.y(path.target)
    parts.append(
        f'<line class="claim" x1="{frame.left}" x2="{frame.width - frame.right}" y1="{goal}" y2="{goal}"/>'
    )
    bounds = [(p.labels, p.bound) for p in path.points if p.bound is not None]
    points = [(p.labels, p.point) for p in path.points if p.point is not None]
    parts.append(f'<path class="point" d="{_line(frame, points)}"/>')
    parts.append(f'<path class="bound" d="{_line(frame, bounds)}"/>')
    passing = [(p.labels, p.passing) for p in path.points if p.passing is not None]
    parts.append(f'<path class="passing" d="{_line(frame, passing)}"/>')
    for mark in path.marks:
        parts.append(_mark(frame, mark.kind, mark.labels, mark.bound))
    ends = [("claim", path.target, f"claimed {path.target:g}")]
    if bounds:
        told = rounded(bounds[-1][1], up=path.side == "upper")
        ends.append(("bound", bounds[-1][1], f"{side} {told}"))
    if passing:
        ends.append(("passing", passing[-1][1], f"passes at {shown(passing[-1][1])}"))
    if points:
        ends.append(("point", points[-1][1], f"estimate {shown(points[-1][1])}"))
    parts += _end_labels(frame, ends)
    return Markup("".join(parts) + "</svg>")  # noqa: S704 - numbers and escaped titles only


def _line(frame: Frame, places: Sequence[tuple[float, float]]) -> str:
    return "".join(
        f"{'L' if i else 'M'}{frame.x(x)} {frame.y(y)}" for i, (x, y) in enumerate(places)
    )


def _mark(frame: Frame, kind: str, labels: int, bound: float | None) -> str:
    x = frame.x(min(labels, frame.x1))
    if kind == "look":
        top = (
            f'<circle class="look" cx="{x}" cy="{frame.y(bound)}" r="3"/>'
            if bound is not None
            else ""
        )
        return (
            f'<line class="look" x1="{x}" x2="{x}" y1="{frame.floor}" y2="{frame.floor + 5}"/>{top}'
        )
    return f'<path class="correction" d="M{x - 4} {frame.top}h8l-4 7z"><title>{escape(kind)}</title></path>'


APART = 19  # lines of text, large enough for the letters on a phone


def _end_labels(frame: Frame, ends: list[tuple[str, float, str]]) -> list[str]:
    """Names at the right end of each line, kept apart."""
    placed: list[tuple[float, str, str]] = []
    for kind, value, text in sorted(ends, key=lambda end: -end[1]):
        y = frame.y(value) + 4
        if placed and y - placed[-1][0] < APART:
            y = placed[-1][0] + APART
        placed.append((y, kind, text))
    x = frame.width - frame.right + 8
    return [
        f'<text class="label {kind}" x="{x}" y="{y}">{escape(t)}</text>' for y, kind, t in placed
    ]


def range_picture(number: CardNumber) -> Markup | None:
    """A range on a line from 0 to 1, as wide as it is uncertain."""
    if number.low is None or number.high is None:
        return None
    top = 1.0 if number.high > 0.3 else 10 ** math.ceil(math.log10(max(number.high, 1e-6)))
    x0, x1 = 200 * number.low / top, 200 * number.high / top
    dot = (
        ""
        if number.point is None
        else f'<circle cx="{200 * number.point / top:.1f}" cy="7" r="4"/>'
    )
    return Markup(  # noqa: S704 - numbers only
        f'<svg class="range" viewBox="-5 0 210 26" aria-hidden="true"><line class="track" x1="0" x2="200" '
        f'y1="7" y2="7"/><line class="span" x1="{x0:.1f}" x2="{max(x1, x0 + 2):.1f}" y1="7" y2="7"/>{dot}'
        f'<text x="0" y="24">0</text><text class="end" x="200" y="24">{top:g}</text></svg>'
    )


def score_picture(seen: Dossier) -> Markup | None:
    """How many items have which score; labelled ones marked, the cut-off drawn."""
    picture = seen.scores
    if picture is None or not picture.scored or not picture.bins:
        return None
    bins = picture.bins
    most = max(b.predicted_positive + b.predicted_negative for b in bins)
    frame = Frame(
        width=760, height=230, left=52, right=18, top=30, bottom=44,
        x0=bins[0].low, x1=bins[-1].high, y0=0, y1=math.sqrt(max(most, 1)),
    )  # fmt: skip
    parts = [
        frame.open("Scores of the collection", "Number of items by score, on a square-root scale")
    ]
    for value in ticks(0, most, 3):
        y = frame.y(math.sqrt(value))
        parts.append(
            f'<line class="grid" x1="{frame.left}" x2="{frame.width - frame.right}" y1="{y}" y2="{y}"/>'
            f'<text class="tick end" x="{frame.left - 8}" y="{y + 4}">{_short(value)}</text>'
        )
    for value in ticks(frame.x0, frame.x1):
        parts.append(
            f'<text class="tick mid" x="{frame.x(value)}" y="{frame.floor + 18}">{value:g}</text>'
        )
    for b in bins:
        total = b.predicted_positive + b.predicted_negative
        x, wide = frame.x(b.low) + 0.5, max(frame.x(b.high) - frame.x(b.low) - 1, 1)
        kind = "positive" if b.predicted_positive >= b.predicted_negative else "negative"
        y = frame.y(math.sqrt(total))
        hint = f"score {b.low:.3g} to {b.high:.3g}: {total:,} items"
        parts.append(
            f'<rect class="bar {kind}" x="{x}" y="{y}" width="{wide:.1f}" height="{frame.floor - y:.1f}">'
            f"<title>{hint}</title></rect>"
        )
        if b.labelled:
            y = frame.y(math.sqrt(min(b.labelled, total)))
            parts.append(
                f'<rect class="bar labelled" x="{x}" y="{y}" width="{wide:.1f}" '
                f'height="{frame.floor - y:.1f}"><title>{b.labelled:,} labelled</title></rect>'
            )
    if picture.threshold is not None:
        x = frame.x(picture.threshold)
        parts.append(
            f'<line class="cut" x1="{x}" x2="{x}" y1="{frame.top - 14}" y2="{frame.floor}"/>'
            f'<line class="cut other" id="cut-line" data-x0="{frame.x0:.6g}" data-x1="{frame.x1:.6g}" '
            f'data-left="{frame.left}" data-right="{frame.width - frame.right}" x1="{x}" x2="{x}" '
            f'y1="{frame.top}" y2="{frame.floor}" visibility="hidden"/>'
            f'<text class="label mid" x="{x}" y="{frame.top - 18}">cut-off {picture.threshold:g}</text>'
        )
    parts.append(
        f'<text class="name end" x="{frame.width - frame.right}" y="{frame.height - 4}">score</text>'
        f'<text class="name" x="{frame.left - 34}" y="{frame.top - 12}">items</text></svg>'
    )
    return Markup("".join(parts))  # noqa: S704 - numbers only


@dataclass(frozen=True, kw_only=True)
class CutOffs:
    """Cut-offs to try, the items at or above each, and which of them is the claim's own."""

    now: float
    place: int
    edges: tuple[str, ...]
    above: tuple[int, ...]


def cut_offs(seen: Dossier) -> CutOffs | None:
    """What other cut-offs would pick; None where there is no cut-off or no claim."""
    picture = seen.scores
    if picture is None or picture.threshold is None or not picture.bins or seen.claim is None:
        return None
    edges = [b.low for b in picture.bins]
    place = min(range(len(edges)), key=lambda i: abs(edges[i] - (picture.threshold or 0.0)))
    totals = [b.predicted_positive + b.predicted_negative for b in picture.bins]
    above = [sum(totals[i:]) for i in range(len(totals))]
    # the claim's own cut-off need not lie between two bars
    edges[place], above[place] = picture.threshold, sum(b.predicted_positive for b in picture.bins)
    return CutOffs(
        now=picture.threshold,
        place=place,
        edges=tuple(f"{edge:.4g}" for edge in edges),
        above=tuple(above),
    )


def _short(value: float) -> str:
    return f"{value / 1000:g}k" if value >= 10_000 else f"{value:,.0f}"


def evidence_bar(seen: Dossier) -> Markup | None:
    """How far the evidence has come, from nothing to enough."""
    if seen.evidence is None:
        return None
    share = min(max(seen.evidence.share, 0.0), 1.0)
    return Markup(  # noqa: S704 - numbers only
        f'<svg class="evidence" viewBox="0 0 300 10" preserveAspectRatio="none" role="img" '
        f'aria-label="{100 * share:.0f} percent of the evidence needed"><rect class="track" width="300" '
        f'height="10" rx="5"/><rect class="span" width="{max(300 * share, 4):.1f}" height="10" rx="5"/></svg>'
    )


@dataclass(frozen=True, kw_only=True)
class Spot:
    """A point of a curve that is named: so many labels, for this chance."""

    labels: int
    chance: float
    name: str


def power_picture(
    curve: PowerCurve, *, power: float, floor: float | None, spots: Sequence[Spot]
) -> Markup:
    """The chance to have passed, against labels; the elusion floor as a wall."""
    sizes, chances = curve.sizes, curve.power
    frame = Frame(
        width=560, height=300, left=52, right=24, top=42, bottom=44, x0=0, x1=max(sizes), y0=0, y1=1
    )
    about = ". ".join(f"{spot.name} {spot.labels:,} labels" for spot in spots)
    parts = [
        frame.open("Chance to pass by number of labels", about),
        frame.axes(ticks(0, max(sizes)), [0, 0.25, 0.5, 0.75, 1], "labels", "chance to pass"),
    ]
    if floor is not None and floor < max(sizes):
        x = frame.x(floor)
        parts.append(
            f'<rect class="wall" x="{frame.left}" y="{frame.top}" width="{x - frame.left:.1f}" '
            f'height="{frame.floor - frame.top}"/><text class="label wall" x="{x + 6}" '
            f'y="{frame.floor - 9}">elusion floor</text>'
        )
    asked = frame.y(power)
    parts.append(
        f'<line class="claim" x1="{frame.left}" x2="{frame.width - frame.right}" y1="{asked}" y2="{asked}"/>'
        f'<text class="label claim" x="{frame.left + 6}" y="{asked - 7}">{power:.0%} wanted</text>'
    )
    parts.append(
        f'<path class="bound" d="{_line(frame, list(zip(sizes, chances, strict=True)))}"/>'
    )
    for spot in spots:
        x, y = frame.x(min(spot.labels, max(sizes))), frame.y(spot.chance)
        end = " end" if x > 0.6 * frame.width else ""
        parts.append(
            f'<circle class="spot" cx="{x}" cy="{y}" r="4.5"/><text class="label{end}" '
            f'x="{x - 8 if end else x + 10:.1f}" y="{y + 20}">{escape(spot.name)} {spot.labels:,}</text>'
        )
    return Markup("".join(parts) + "</svg>")  # noqa: S704 - numbers and escaped names only
