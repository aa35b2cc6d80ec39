"""A claim of several rows as people read it: what is established, and every part in one picture."""

from dataclasses import replace

from assaymark.claims.results import counted, percent
from assaymark.composite.look_facts import (
    ComparisonFacts,
    ConjunctionFacts,
    DisagreementFacts,
    LookFacts,
    PartFacts,
    RungFacts,
)
from assaymark.composite.wording import (
    ASSUMPTIONS,
    bounds_words,
    claim_title,
    gap_words,
    part_name,
    so_far_words,
    statement,
)
from assaymark.drawing.marks import Bars, Dots, Line, Plot, Rule, Words, figure
from assaymark.drawing.scales import Axis
from assaymark.reports.section import Chart, Section, Table

TALLY = 120  # pixels beside the bars, for the counts of both
WORDS = {"reached": "proven", "open": "open", "failed": "failed"}


def claim_section(result: LookFacts) -> Section:
    """The statement of the latest look, and what stands behind it."""
    tables, charts = [], []
    if result.kind == "comparison":
        tables.append(_comparison(result))
        if any(cell.labels for cell in result.disagreements):
            charts.append(_disagreements(result))
    elif result.kind == "conjunction":
        parts, level = _with_bounds(result)
        tables.append(_parts(parts, level))
        if any(part.bound is not None for part in parts):
            charts.append(_bounds(parts, level))
    else:
        tables.append(_rungs(result.rungs))
    return Section(
        title=claim_title(result),
        sentence=statement(result),
        paragraphs=(_covered(result),),
        tables=tuple(tables),
        charts=tuple(charts),
        assumptions=ASSUMPTIONS,
    )


def _with_bounds(result: ConjunctionFacts) -> tuple[tuple[PartFacts, ...], str]:
    """The parts with their bounds, and at which level they hold: together while nothing is decided."""
    if result.so_far is None:
        return result.parts, bounds_words(result) or ""
    pairs = zip(result.parts, result.so_far, strict=True)
    return tuple(replace(part, bound=bound) for part, bound in pairs), so_far_words(result) or ""


def _covered(result: LookFacts) -> str:
    """What the confidence covers: two claims of several parts may be false in different ones."""
    several = result.kind == "conjunction" and len(result.parts) > 1
    scope = "all claims made on each part" if several else "all claims on the same subject"
    return (
        f"{counted(result.labels, 'label')} of {counted(result.draws, 'draw')}; "
        f"{percent(result.confidence)} confidence covers {scope} in this project together."
    )


def _comparison(result: ComparisonFacts) -> Table:
    a, b = result.classifiers
    return Table(
        caption=f"The gap is the figure of '{b}' minus that of '{a}'",
        header=("what", "value"),
        rows=(
            ("decision", result.decision),
            ("gap", gap_words(result)),
            ("predictions differ", f"{result.disagree:,} of {counted(result.items, 'item')}"),
        ),
    )


def _disagreements(result: ComparisonFacts) -> Chart:
    """Who was right among the labelled disagreements, by predictions and scores."""
    a, b = result.classifiers
    cells = [cell for cell in result.disagreements if cell.labels]
    wins = [(-cell.a_right / cell.labels, cell.b_right / cell.labels) for cell in cells]
    counts = [
        Words(x=1.0, y=float(row), dx=10, dy=4, role="soft", text=_tally(cell))
        for row, cell in enumerate(cells)
    ]
    plot = Plot(
        x=Axis(low=-1.0, high=1.0, ticks=()),
        y=Axis(names=tuple(_cell_name(cell, result) for cell in cells)),
        marks=(
            Bars(
                boxes=tuple(
                    (low, 0.0, row + 0.32, row - 0.32) for row, (low, _) in enumerate(wins)
                ),
                role="soft",
            ),
            Bars(
                boxes=tuple(
                    (0.0, high, row + 0.32, row - 0.32) for row, (_, high) in enumerate(wins)
                ),
                role="accent",
            ),
            Rule(x=0.0, dashed=False),
            *counts,
        ),
        height=34 * len(cells) + 60,
        room_right=TALLY,
        key=(("soft", 1.0, f"{a} is right"), ("accent", 1.0, f"{b} is right")),
    )
    return Chart(
        title="Who is right where they differ",
        caption=f"Labelled items on which the predictions differ; to the left the share that '{a}' "
        f"has right, to the right that of '{b}'. In the rest both are wrong.",
        figure=figure(plot),
    )


def _tally(cell: DisagreementFacts) -> str:
    return f"{cell.a_right} : {cell.b_right} of {cell.labels}"


def _cell_name(cell: DisagreementFacts, result: ComparisonFacts) -> str:
    """Predictions and scores of a cell, as a name for people."""
    low, high = cell.low, cell.high
    ends = [f"from {low:.3g}"] if low is not None else []
    ends += [f"below {high:.3g}"] if high is not None else []
    about = f", score {' '.join(ends)}" if ends else ""
    first, second = cell.predictions
    if (first, second) == ("c0", "c1"):
        return f"two classes{about}"
    a, b = result.classifiers
    return f"{a} says {first}, {b} {second}{about}"


def _parts(parts: tuple[PartFacts, ...], level: str) -> Table:
    return Table(
        caption=f"Parts; a part alone is not certified. {level}".strip(),
        header=("part", "state", "bound", "labels", "items"),
        rows=tuple(
            (
                part_name(part),
                WORDS[part.state],
                "–" if part.bound is None else f"{part.bound:g}",
                f"{part.labels:,}",
                f"{part.items:,}",
            )
            for part in parts
        ),
    )


def _bounds(parts: tuple[PartFacts, ...], level: str) -> Chart:
    """A dot for the bound of every part beside its target: filled where its proof is reached."""
    rows = [(part.bound, part.target, part.state) for part in parts]
    dots = [(x, float(y), state) for y, (x, _, state) in enumerate(rows) if x is not None]
    goals = [(goal, float(y)) for y, (_, goal, _) in enumerate(rows) if goal is not None]
    least = max(0.0, min([x for x, _, _ in dots] + [goal for goal, _ in goals]) - 0.1)
    plot = Plot(
        x=Axis(low=least, title="bound; the upright line is the target", grid=True),
        y=Axis(names=tuple(part_name(part) for part in parts)),
        marks=(
            *(
                Line(points=((goal, y - 0.35), (goal, y + 0.35)), role="warn", width=2.0)
                for goal, y in goals
            ),
            Dots(points=tuple((x, y) for x, y, state in dots if state == "reached")),
            Dots(points=tuple((x, y) for x, y, state in dots if state != "reached"), hollow=True),
            *(
                Words(x=least, y=float(y), text=WORDS[state], dx=9, dy=4, role="soft")
                for y, (x, _, state) in enumerate(rows)
                if x is None
            ),
        ),
        height=28 * len(rows) + 60,
    )
    return Chart(
        title="What is proven of every part",
        caption=f"The bound of every part. {level} Filled dot: proven.",
        figure=figure(plot),
    )


def _rungs(rungs: tuple[RungFacts, ...]) -> Table:
    return Table(
        caption="Cut-offs in their sealed order; a cut-off is proven only if all before it are",
        header=("cut-off", "items above", "state"),
        rows=tuple((f"{r.cutoff:g}", f"{r.items:,}", r.state) for r in rungs),
    )
