"""What the dashboard draws beside the charts of the report: ranges, evidence, cut-offs to try."""

import math
from dataclasses import dataclass

from markupsafe import Markup

from assaymark.certification.view.dossier import CardNumber, Dossier
from assaymark.drawing.responsive import responsive_svg
from assaymark.reports.section import Chart


def picture(chart: Chart | None) -> Markup | None:
    """The chart as SVG that follows the theme of the page."""
    if chart is None:
        return None
    drawn = responsive_svg(chart.figure, title=chart.title, about=chart.caption)
    return Markup(drawn)  # noqa: S704 - its texts are escaped


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


@dataclass(frozen=True, kw_only=True)
class CutOffs:
    """Cut-offs to try, the items at or above each, and which of them is the claim's own."""

    now: float
    place: int
    edges: tuple[str, ...]
    above: tuple[int, ...]


def cut_offs(dossier: Dossier) -> CutOffs | None:
    """What other cut-offs would pick; None where there is no cut-off or no claim."""
    picture = dossier.scores
    if picture is None or picture.threshold is None or not picture.bins or dossier.claim is None:
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


def evidence_bar(dossier: Dossier) -> Markup | None:
    """How far the evidence has come, from nothing to enough."""
    if dossier.evidence is None:
        return None
    share = min(max(dossier.evidence.share, 0.0), 1.0)
    return Markup(  # noqa: S704 - numbers only
        f'<svg class="evidence" viewBox="0 0 300 10" preserveAspectRatio="none" role="img" '
        f'aria-label="{100 * share:.0f} percent of the evidence needed"><rect class="track" width="300" '
        f'height="10"/><rect class="span" width="{max(300 * share, 4):.1f}" height="10"/></svg>'
    )
