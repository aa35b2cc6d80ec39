"""Report section on training: the learning curve, what it would cost, what was frozen; and its plot."""

from collections.abc import Sequence
from html import escape
from pathlib import Path

from assaymark.claims.results import counted, percent
from assaymark.drawing.marks import Band, Dots, Figure, Line, Mark, Plot, Rule, Words, figure
from assaymark.drawing.scales import Axis
from assaymark.drawing.svg import svg
from assaymark.drawing.themes import FILE
from assaymark.errors import InputError, PlanError
from assaymark.files.places import KEPT, part_of, refuse_existing
from assaymark.hints import command
from assaymark.reports.section import Chart, Section, Table
from assaymark.reports.typesetter import png
from assaymark.training.summary import TrainingSummary
from assaymark.training.total_words import cost_rows

MOST_LOOKS = 60
ABOUT = {
    "rest": "The claim is about the items that training never takes",
    "whole": "The claim is about the whole collection, training items with the label people gave them",
    "future": "The claim is about a part that a lot set aside before training",
}
SAMPLINGS = {
    "random": "All training items are drawn at random.",
    "uncertainty": "Of every batch a part is drawn at random; the rest are items that the classifier "
    "of that moment doubted most.",
    "relevance": "Of every batch a part is drawn at random; the rest are items that the classifier of "
    "that moment scored highest.",
}


def training_section(result: TrainingSummary) -> Section:
    """The section on a training."""
    charts = (learning_chart(result), total_chart(result)) if result.looks else ()
    return Section(
        title="How the classifier was trained"
        if result.frozen
        else "How the classifier is being trained",
        sentence=result.sentence,
        paragraphs=_paragraphs(result),
        tables=(_labels(result), *((_looks(result),) if result.looks else ())),
        charts=tuple(chart for chart in charts if chart is not None),
        assumptions=(
            "The learning curve, its range and the projected totals are advice: they decide when "
            "training stops, never whether the claim is established.",
            "Cross-validation uses the random training items alone, with cut-offs that did not see "
            "the item.",
        ),
    )


def _paragraphs(result: TrainingSummary) -> tuple[str, ...]:
    budget = "without a budget"
    if result.budget is not None:
        budget = f"with {counted(result.budget, 'label')} for training and certification together"
    when = (
        "; this was sealed before training chose any item"
        if result.named
        else ", which is usual with random sampling"
    )
    sentences = [
        f"The aim is {result.claim} with {percent(result.confidence)} confidence, {budget}, by "
        f"the policy “{result.policy}”. Learner: {_learner(result)}.",
        f"{SAMPLINGS[result.sampling]} {ABOUT[result.population]}{when}.",
    ]
    frozen = result.frozen
    if frozen is not None:
        again = "" if result.freezes == 1 else f" (the latest of {result.freezes} freezes)"
        sentences.append(
            f"Model {frozen.model}, trained on {counted(frozen.labels, 'label')}, was frozen"
            f"{again} with its cut-off at {frozen.threshold:.4g} before the plan that judges it drew "
            f"its first item. It flags {frozen.flagged:,} of {counted(frozen.items, 'item')} for "
            f"reading. {frozen.sentence}"
        )
        sentences.append(
            "No label of the certification trained the classifier: items handed out for training are "
            "not in the scored collection, and the ledger takes no training label while a plan is "
            "open. The command verify checks both."
        )
    return tuple(sentences)


def _learner(result: TrainingSummary) -> str:
    return str(result.looks[-1].learner if result.looks else result.learner)


def _labels(result: TrainingSummary) -> Table:
    names = {
        "handed_out": "items handed out",
        "labels": "labelled",
        "positives": "of these, relevant",
        "random": "of these, drawn at random",
        "active": "of these, chosen by the model",
        "skipped": "items that nobody could tell",
        "waiting": "items still without a label",
    }
    advice = None if result.frozen else result.advice
    cost = cost_rows(advice, result.budget) if advice else []
    return Table(
        caption="Training items",
        header=("what", "number"),
        rows=(*((text, f"{getattr(result, name):,}") for name, text in names.items()), *cost),
    )


def _looks(result: TrainingSummary) -> Table:
    looks = result.looks[-MOST_LOOKS:]
    left = len(result.looks) - len(looks)
    frozen = result.frozen.model if result.frozen else None
    rows = tuple(
        (
            f"{look.model}{' (frozen)' if look.model == frozen else ''}",
            f"{look.labels:,}",
            f"{look.positives:,}",
            _short(look.cross_validated),
            _short(look.estimate),
            f"{_short(look.low)} to {_short(look.high)}",
            "–" if look.flagged is None else f"{look.flagged:.0%}",
            "–" if look.total is None else f"{look.total:,}",
            {"train": "keep labelling", "certify": "certify", "reconsider": "reconsider"}[
                look.action
            ],
        )
        for look in looks
    )
    return Table(
        caption="Every model" if not left else f"The latest models; {left:,} earlier ones left out",
        header=(
            "model", "labels", "relevant", "raw estimate", "estimate", "likely range",
            "flagged", "labels in all", "advice",
        ),
        rows=rows,
    )  # fmt: skip


def _short(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _x(result: TrainingSummary) -> Axis:
    # room on both sides, so that a single look is no line at the edge
    most = max(look.labels for look in result.looks)
    return Axis(high=most * 1.08, title="training labels", numbers="count")


def learning_chart(result: TrainingSummary) -> Chart:
    """The believed metric with its range against training labels; dots are cross-validation."""
    target = result.target
    looks = [
        (look.labels, look.estimate, look.low, look.high)
        for look in result.looks
        if look.estimate is not None and look.low is not None and look.high is not None
    ]
    lowest = min([target, *(low for _, _, low, _ in looks)])
    checked = [(look.labels, look.cross_validated) for look in result.looks]
    plot = Plot(
        x=_x(result),
        y=Axis(low=max(0.0, round(lowest - 0.05, 1)), title=result.metric, grid=True),
        marks=(
            _range([(labels, low, high) for labels, _, low, high in looks]),
            *_curve([(labels, estimate) for labels, estimate, _, _ in looks]),
            Dots(
                points=tuple((labels, value) for labels, value in checked if value is not None),
                hollow=True,
                radius=3.5,
            ),
            Rule(y=target),
            Words(x=0, y=target, text=f"claimed: {target:g}", dx=6, dy=-5),
        ),
    )
    return Chart(
        title="Learning curve",
        caption=f"Line: the estimate of {result.metric} with its likely range (90%). Circles: "
        "the raw estimate by cross-validation, which is noisy. Dashed line: the claim.",
        figure=figure(plot),
    )


def _range(ranges: list[tuple[float, float, float]]) -> Mark:
    """The 90% range as a band, or as a thick line where there is one look."""
    if len(ranges) == 1:
        ((labels, low, high),) = ranges
        return Line(points=((labels, low), (labels, high)), role="grid", width=7)
    return Band(points=tuple(ranges))


def _curve(points: Sequence[tuple[float, float]]) -> list[Mark]:
    return [
        Line(points=tuple(points), role="accent", width=2.5),
        Dots(points=tuple(points), role="accent", radius=3),
    ]


def total_chart(result: TrainingSummary) -> Chart | None:
    """Labels in all if training had stopped there, against training labels; the budget on top."""
    totals = [(look.labels, look.total) for look in result.looks]
    known = [(labels, total) for labels, total in totals if total is not None]
    if not known:
        return None
    budget = result.budget
    x = _x(result)
    most = 1.1 * max([*(total for _, total in known), budget or 0])
    end = min(most, x.high)
    marks: list[Mark] = [
        *_curve(known),
        Line(points=((0, 0), (end, end)), role="soft", width=1),
        Words(x=0.7 * end, y=0.7 * end, text="training alone", dx=-6, dy=-8, role="soft"),
    ]
    caption = (
        "Line: training and certification together, had training stopped there. Thin: training."
    )
    if budget is not None:
        caption += " Dashed: the budget."
        marks.append(Rule(y=budget))
        marks.append(Words(x=0, y=budget, text=f"budget: {budget:,}", dx=6, dy=-5))
    y = Axis(high=most, title="labels in all", numbers="count", grid=True)
    plot = Plot(x=x, y=y, marks=tuple(marks), height=260)
    return Chart(title="Projected total", caption=caption, figure=figure(plot))


FORMS = (".html", ".svg", ".png")


def write_training_plot(path: Path, summary: TrainingSummary) -> None:
    """Learning curve and projected total: one picture, or a page with both and their captions."""
    refuse_existing(path, because=KEPT)
    form = path.suffix.lower()
    if form not in FORMS:
        raise InputError(f"A plot is written as {', '.join(FORMS)}, got {path.name!r}.")
    if not summary.looks:
        raise PlanError(
            "There is no model yet, so there is no learning curve to draw. Label what was handed out, "
            f"then: {command('train')}."
        )
    charts = [
        chart for chart in (learning_chart(summary), total_chart(summary)) if chart is not None
    ]
    if form == ".html":
        made = _page(summary, charts).encode()
    else:
        plots = tuple(plot for chart in charts for plot in chart.figure.plots)
        made = _picture(Figure(plots=plots, gap=28), form)
    with part_of(path) as part:
        part.write_bytes(made)


def _picture(figure: Figure, form: str) -> bytes:
    return png(figure) if form == ".png" else svg(figure, theme=FILE).encode()


def _page(summary: TrainingSummary, charts: list[Chart]) -> str:
    figures = "".join(
        f"<h2>{escape(chart.title)}</h2><figure>{svg(chart.figure, theme=FILE)}"
        f"<figcaption>{escape(chart.caption)}</figcaption></figure>"
        for chart in charts
    )
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Learning curve</title>'
        "<style>body{font:16px system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}"
        "figure{margin:0}</style>"
        f"<h1>{escape(summary.claim)}</h1><p>{escape(summary.sentence)}</p>{figures}</html>\n"
    )
