"""Charts as data become SVG: values land where the axes say, texts are escaped, themes fill colours."""

import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from assaymark.certification.report.collection_charts import row_bars
from assaymark.drawing.flow_boxes import FlowStep, flow_boxes, narrow_flow
from assaymark.drawing.interval_rows import IntervalRow, interval_figure
from assaymark.drawing.marks import (
    Band,
    Bars,
    Circle,
    Dots,
    EndLabels,
    Figure,
    Line,
    MovableRule,
    Notches,
    Plot,
    Rule,
    Words,
    figure,
)
from assaymark.drawing.responsive import PHONE, phone_figure, responsive_svg
from assaymark.drawing.scales import Axis, round_numbers
from assaymark.drawing.svg import svg
from assaymark.drawing.themes import FILE, NOTEBOOK, PAGE, PAPER

UNIT = Axis(low=0, high=1)
EVERY_MARK = (
    Line(points=((0, 0), (0.5, 0.2), (1, 1)), dashed=True, steps=True),
    Line(points=()),
    Band(points=((0, 0, 0.5), (1, 0.5, 1))),
    Bars(boxes=((0, 0.5, 0, 1),), outline="ink", hints=("half & half",)),
    Dots(points=((0.5, 0.5),), hollow=True),
    Dots(points=((0.5, 0.5),), shape="triangle"),
    Rule(x=0.5),
    Rule(y=0.5, dashed=False),
    Notches(places=(0.1, 0.2)),
    Words(x=0, y=0, text="<script>alert(1)</script>"),
    EndLabels(labels=((0.5, "a", "ink"), (0.51, "b", "accent"))),
    Circle(x=0.5, y=0.5, radius=30),
    MovableRule(x=0.5, name='cut"line'),
)


def drawn(*marks: object, x: Axis = UNIT, y: Axis = UNIT) -> str:
    return svg(figure(Plot(x=x, y=y, marks=marks, width=220, height=130)))


@pytest.mark.parametrize("theme", [PAGE, PAPER, FILE, NOTEBOOK])
def test_every_mark_is_well_formed_and_its_texts_are_escaped(theme) -> None:
    text = svg(
        figure(Plot(x=UNIT, y=UNIT, marks=EVERY_MARK, key=(("ink", 1, "<key>"),))),
        theme=theme,
        title='a "title" <b>',
        about="what it & shows",
    )
    ElementTree.fromstring(text)
    assert "<script" not in text
    assert "style=" not in text, "a strict content security policy forbids it"
    assert "href" not in text


def test_a_page_gives_the_colours_and_a_file_has_its_own() -> None:
    assert "var(--chart-accent" in svg(figure(row_bars(["a"], [1], title="t")))
    assert "var(" not in svg(figure(row_bars(["a"], [1], title="t")), theme=FILE)


def test_values_lie_between_the_ends_in_proportion() -> None:
    text = drawn(Dots(points=((0, 0), (0.5, 0.5), (1, 1), (9, 9))))
    places = [
        (float(x), float(y)) for x, y in re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', text)
    ]
    (x0, y0), (x1, y1), (x2, y2), outside = places
    assert x1 == pytest.approx((x0 + x2) / 2, abs=0.1)
    assert y1 == pytest.approx((y0 + y2) / 2, abs=0.1)
    assert y0 > y2, "up is up"
    assert outside == (x2, y2), "what lies outside is drawn at the edge"


@pytest.mark.parametrize(("scale", "middle"), [("linear", 50.5), ("sqrt", 30.25), ("log", 10.0)])
def test_scales_stretch(scale, middle) -> None:
    axis = Axis(low=1, high=100, scale=scale)
    assert axis.share(1) == 0
    assert axis.share(100) == 1
    assert axis.share(middle) == pytest.approx(0.5)


def test_ticks_are_round_and_counts_are_whole() -> None:
    assert round_numbers(0, 1) == [0, 0.2, 0.4, 0.6, 0.8, 1.0]
    assert round_numbers(3, 3) == [3]
    assert [text for _, text in Axis(high=2, numbers="count").labels()] == ["0", "1", "2"]
    assert [text for _, text in Axis(high=30_000, numbers="count").labels()][-1] == "30,000"
    assert Axis(low=0.5, numbers="percent").labels()[0] == (0.5, "50%")
    assert [v for v, _ in Axis(low=1, high=2000, scale="log").labels()] == [1, 10, 100, 1000]


def test_labels_at_the_end_are_kept_apart() -> None:
    text = drawn(
        EndLabels(labels=((0.50, "one", "ink"), (0.51, "two", "ink"), (0.52, "three", "ink")))
    )
    rows = [
        float(y) for y in re.findall(r'y="([\d.]+)"[^>]*font-weight="600">(?:one|two|three)', text)
    ]
    assert all(later - earlier >= 19 for earlier, later in pairwise(rows))


def test_a_figure_is_as_large_as_its_plots() -> None:
    plot = row_bars(["a", "b"], [1, 2], title="t", width=100)
    across = svg(Figure(plots=(plot, plot), across=True, gap=10))
    below = svg(Figure(plots=(plot, plot), gap=10))
    assert f'viewBox="0 0 210 {plot.height}"' in across
    assert f'viewBox="0 0 100 {2 * plot.height + 10}"' in below


def test_a_row_without_an_interval_is_only_its_name() -> None:
    text = svg(
        interval_figure([IntervalRow(name="nothing known"), IntervalRow(name="b", low=0, high=1)])
    )
    assert text.count("<rect") == 1
    assert "nothing known" in text


def test_a_phone_gets_the_same_figure_with_nothing_beyond_its_edge() -> None:
    key = (("accent", 1.0, "predicted relevant"), ("grid", 1.0, "predicted not relevant"))
    plot = Plot(x=UNIT, y=UNIT, marks=(), key=(*key, ("ink", 0.5, "labelled items")))
    wide, phone = re.findall(r"<svg.*?</svg>", responsive_svg(figure(plot)), re.DOTALL)
    assert 'class="chart on-wide" viewBox="0 0 760' in wide
    assert 'class="chart on-phone" viewBox="0 0 380' in phone
    assert [text for text in ("predicted relevant", "labelled items") if text not in phone] == []
    places = [float(x) for x in re.findall(r'<rect x="([\d.]+)"', phone)]
    assert places[2] < places[1]  # the third entry begins a line of its own


def test_a_phone_shows_plots_below_each_other_each_with_its_names() -> None:
    names = ("predicted relevant, 0.5 to 1", "predicted not relevant, 0 to 0.5")
    left = row_bars(names, [1, 2], title="labels", width=430)
    right = row_bars(["", ""], [3, 4], title="errors", width=318)
    shown = phone_figure(Figure(plots=(left, right), across=True))
    assert not shown.across
    for plot in shown.plots:  # above their rows, which get the whole width
        assert plot.y.names == ("", "")
        assert plot.room_left >= 12, "a number of the axis would be cut at the edge"
        assert [m.text for m in plot.marks if isinstance(m, Words) and m.text in names] == [*names]


def test_boxes_of_a_flow_stand_below_each_other_on_a_phone_and_hold_their_texts() -> None:
    """Two columns of boxes were pressed together, and their texts ran beyond them."""
    long = "at most 1,234 relevant ones are missed (95%)"
    steps = (
        FlowStep(lines=("Records: 9,000",)),
        FlowStep(lines=("Screened: 800", "at random: 300"), aside=("Not screened: 8,200", long)),
        FlowStep(lines=("Stopped",)),
    )
    drawn = Figure(plots=(flow_boxes(steps),), narrow=(narrow_flow(steps),))
    (plot,) = phone_figure(drawn).plots
    assert plot.width <= PHONE
    boxes = [box for mark in plot.marks if isinstance(mark, Bars) for box in mark.boxes]
    assert [top <= bottom for (_, _, bottom, _), (_, _, _, top) in pairwise(boxes)] == [True] * 3
    for words in (mark for mark in plot.marks if isinstance(mark, Words)):
        left, right, *_ = next(b for b in boxes if b[2] <= words.y <= b[3])
        assert left < words.x
        assert words.x + 6.4 * len(words.text) < right


def test_letters_on_a_phone_are_of_one_size_however_long_the_names() -> None:
    """The picture is scaled to the screen: one that is drawn wider has smaller letters."""
    for names in (("a", "b"), ("recall >= 0.8 [north-west]", "recall >= 0.8 [east]")):
        shown = phone_figure(figure(row_bars(names, [1, 2], title="labels")))
        assert [plot.width for plot in shown.plots] == [PHONE]


def test_numbers_of_an_axis_never_overlap() -> None:
    axis = Axis(high=500_000, numbers="count")
    text = svg(figure(Plot(x=axis, y=Axis(ticks=()), marks=(), width=160)))
    assert text.count('text-anchor="middle"') == 3  # of six
