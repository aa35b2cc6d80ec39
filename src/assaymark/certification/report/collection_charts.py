"""Charts of the collection: where the labels went, and the scores with the cut-off."""

from collections.abc import Sequence

from assaymark.certification.view.dossier import Dossier, ScorePicture, StratumRow
from assaymark.claims.results import digits
from assaymark.drawing.marks import Bars, Figure, Mark, MovableRule, Plot, Role, Rule, Words, figure
from assaymark.drawing.scales import Axis
from assaymark.reports.section import Chart


def strata_chart(dossier: Dossier) -> Chart | None:
    """Labels and what may still hide, side by side, for each stratum."""
    rows = [row for row in dossier.strata if row.hidden is not None]
    if len(rows) < 2:
        return None
    names = tuple(stratum_name(row) for row in rows)
    labels = [row.labels for row in rows]
    hidden = [row.hidden or 0 for row in rows]
    return Chart(
        title="Where the labels went",
        caption="Labels in each group of items, and how many more errors are possible at most among "
        "its unlabelled items.",
        figure=Figure(
            plots=(
                row_bars(names, labels, title="labels given", width=430, opacity=0.55),
                row_bars(
                    [""] * len(rows),
                    hidden,
                    title="errors still possible",
                    width=318,
                    opacity=0.55,
                ),
            ),
            across=True,
        ),
    )


def stratum_name(row: StratumRow) -> str:
    """The group in words, with its scores where it is cut by score."""
    if row.score_low is None or row.score_high is None:
        return row.name
    return f"{row.name}, {digits(row.score_low)} to {digits(row.score_high)}"


def score_chart(dossier: Dossier) -> Chart | None:
    """Items by score and predicted class, labelled items marked, the cut-off as a line."""
    scores = dossier.scores
    if scores is None or not scores.bins or not scores.scored:
        return None
    return Chart(
        title="Scores of the collection",
        caption="Number of items by score. Bars are not to scale: small ones are drawn higher, so that "
        "they show. A new cut-off would be a new claim.",
        figure=figure(_score_plot(scores, predicts=dossier.collection.predicts)),
    )


def _score_plot(scores: ScorePicture, *, predicts: bool) -> Plot:
    bins = scores.bins
    most = max(b.predicted_positive + b.predicted_negative for b in bins)
    labelled = tuple((b.low, b.high, 0.0, float(b.labelled)) for b in bins if b.labelled)
    marks: list[Mark] = [
        _bars(scores, role="grid", flagged=False),
        _bars(scores, role="accent", flagged=True),
        Bars(boxes=labelled, role="ink", opacity=0.55),
    ]
    if scores.threshold is not None:
        cut = scores.threshold
        marks += [
            Rule(x=cut, width=1.5, dashed=False),
            MovableRule(x=cut, name="cut-line"),
            Words(x=cut, y=most, text=f"cut-off {cut:g}", dy=-8, anchor="middle", bold=True),
        ]
    flagged: tuple[tuple[Role, float, str], ...] = (
        (("accent", 1, "flagged by the classifier"), ("grid", 1, "rejected"))
        if predicts
        else (("grid", 1, "items"),)
    )
    return Plot(
        x=Axis(low=bins[0].low, high=bins[-1].high, title="score"),
        y=Axis(high=max(most, 1), title="items", scale="sqrt", numbers="count", grid=True),
        marks=tuple(marks),
        height=240,
        key=(*flagged, *((("ink", 0.55, "labelled"),) if labelled else ())),
    )


def _bars(scores: ScorePicture, *, role: Role, flagged: bool) -> Bars:
    """The bars whose items are mostly flagged, or those that are not."""
    chosen = [b for b in scores.bins if (b.predicted_positive > b.predicted_negative) == flagged]
    totals = [(b, b.predicted_positive + b.predicted_negative) for b in chosen]
    return Bars(
        boxes=tuple((b.low, b.high, 0.0, float(total)) for b, total in totals),
        role=role,
        outline="soft",
        hints=tuple(
            f"score {digits(b.low)} to {digits(b.high)}: {total:,} items" for b, total in totals
        ),
    )


ROW = 24


def row_bars(
    names: Sequence[str], values: Sequence[int], *, title: str, width: int = 760, opacity: float = 1
) -> Plot:
    """A bar for each name, as long as its count."""
    rows = [(float(place), float(value)) for place, value in enumerate(values)]
    numbers: list[Mark] = [
        Words(x=value, y=place, text=f"{value:,.0f}", dx=5, dy=4) for place, value in rows
    ]
    boxes = tuple((0.0, value, place + 0.3, place - 0.3) for place, value in rows)
    return Plot(
        x=Axis(high=1.15 * max([1, *values]), title=title, numbers="count"),
        y=Axis(names=tuple(names)),
        marks=(Bars(boxes=boxes, opacity=opacity), *numbers),
        width=width,
        height=ROW * len(rows) + 50,
        room_right=30,
    )
