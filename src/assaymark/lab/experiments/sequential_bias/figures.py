"""The four figures of `sequential-bias`, as Vega-Lite that reads the same in black and white."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from assaymark.claims.claim import Claim
from assaymark.lab import vega_lite as vega
from assaymark.lab.experiments.sequential_bias.growing_sample import CONFIDENCE, Schedule, counts_at
from assaymark.lab.experiments.sequential_bias.growing_training import TARGET
from assaymark.lab.experiments.sequential_bias.looks import Ints, beta_bounds, beta_doubt, point_f1
from assaymark.lab.tasks import TaskResult, rng_of
from assaymark.lab.vega_lite import Spec
from assaymark.stats.sequential.beta_mixture import lower_share_path, metric_at, mixture_test

ABOVE = 0.05  # the target of the first figure lies this far above the truth
TRIES = 400
KEPT = {"anytime": "anytime", "budget": "budget", "weighted": "score-guided"}
SIZE: Spec = {"width": 440, "height": 250}
# dash and grey; the bound for one look is drawn bold as well
STYLES = {
    "true F1": ([8, 4], "#000000"),
    "target": ([1, 3], "#000000"),
    "point estimate": ([1, 0], "#999999"),
    "95 % bound for one look": ([1, 0], "#000000"),
    "anytime bound": ([10, 3, 2, 3], "#444444"),
}
BOLD = "95 % bound for one look"


def figures_of(
    world: TaskResult,
    curves: dict[str, list[TaskResult]],
    actual: list[dict[str, Any]],
    rows: Sequence[Any],
    *,
    seed: int,
) -> dict[str, Spec]:
    """One growing test that goes wrong, one curve per training protocol, and all levels."""
    figures = {"one-growing-test": growing_test_figure(world, seed)}
    for protocol, runs in curves.items():
        kept = _telling([run for run in runs if "curve" in run])
        if kept is not None:
            figures[f"one-run-{protocol.replace(' ', '-')}"] = curve_figure(kept, protocol)
    figures["nominal-and-actual"] = levels_figure(actual, rows)
    return figures


def growing_test_figure(world: TaskResult, seed: int) -> Spec:
    """The first of up to 400 runs in which the bound for one look passes a target it should not."""
    cells = np.array(world["cells"], dtype=np.float64)
    target, plan = world["truth"] + ABOVE, Schedule()
    rng = rng_of(seed, "figure", world["world"])
    for _ in range(TRIES):
        drawn = np.searchsorted(np.cumsum(cells / cells.sum())[:3], rng.random((1, plan.most)))
        counts = counts_at(drawn, plan.step)[0]
        enough = plan.sizes >= 100
        if (beta_doubt(counts[enough], target) < 1 - CONFIDENCE).any():
            break
    lines = {
        "true F1": np.full(len(counts), world["truth"]),
        "target": np.full(len(counts), target),
        "point estimate": point_f1(counts),
        "95 % bound for one look": beta_bounds(counts, confidence=CONFIDENCE),
        "anytime bound": _anytime(drawn[0], plan, target),
    }
    title = f"A test that grows; {world['world'].split(', quality')[0]}"
    return _lines(lines, plan.sizes, x="test items (log scale)", title=title, log=True)


def _anytime(cells: Ints, plan: Schedule, target: float) -> Any:
    claim = Claim(metric="f1", side="lower", target=target)
    informative = cells < 3
    shares = lower_share_path(mixture_test(claim, confidence=CONFIDENCE), cells[informative] == 0)
    counts = np.cumsum(informative)[plan.step - 1 :: plan.step]
    return np.array([metric_at(claim, float(shares[m])) for m in counts])


def _telling(runs: list[TaskResult]) -> TaskResult | None:
    """A run in which the bound stops too early, if there is one; otherwise the first."""
    early = [run for run in runs if run["early_beta"][45]]
    return next(iter(early or runs), None)


def curve_figure(run: TaskResult, protocol: str) -> Spec:
    """One learning curve with what the test said about it."""
    curve, counts = run["curve"], np.array(run["curve"]["counts"])
    truth = np.array(curve["truth"])
    lines = {
        "true F1": truth,
        "target": np.full(len(truth), TARGET * truth.max()),
        "point estimate": point_f1(counts),
        "95 % bound for one look": beta_bounds(counts, confidence=CONFIDENCE),
    }
    title = "Training grows, the test stays" if protocol == "training grows" else "Both grow"
    return _lines(lines, np.array(curve["training"]), x="training items", title=title, log=False)


def _lines(lines: dict[str, Any], sizes: Ints, *, x: str, title: str, log: bool) -> Spec:
    values = [
        {"n": int(size), "f1": round(float(value), 4), "line": name}
        for name, series in lines.items()
        for size, value in _thinned(sizes, series)
    ]
    scale = {"type": "log", "domain": [int(sizes[0]), int(sizes[-1])]} if log else {"nice": False}
    axis: Spec = {"title": x, "grid": False, "format": "d"}
    if log:
        axis["values"] = [20, 50, 100, 200, 500, 1000, 2000, 5000, 10000]
    return vega.figure(
        title,
        **SIZE,
        data=vega.rows(values),
        layer=[
            {"mark": {"type": "line", "strokeWidth": 1.3}},
            {
                "transform": [{"filter": {"field": "line", "equal": BOLD}}],
                "mark": {"type": "line", "strokeWidth": 3},
            },
        ],
        encoding={
            "x": vega.number("n", scale=scale, axis=axis),
            "y": vega.number("f1", title="F1", scale={"domain": [0, 1]}),
            **_style(list(lines)),
        },
    )


def _thinned(sizes: Ints, series: Any) -> list[tuple[Any, Any]]:
    """At most about 160 points, closer together at the start, so that the picture stays small."""
    places = np.unique(np.geomspace(1, len(sizes), 200).astype(int)) - 1
    return [(sizes[i], series[i]) for i in places]


def _style(names: list[str]) -> Spec:
    legend = {"title": None, "orient": "bottom", "columns": 2, "symbolSize": 500, "labelLimit": 260}
    dashes, greys = zip(*(STYLES[name] for name in names), strict=True)
    return {
        channel: {
            "field": "line",
            "type": "nominal",
            "scale": {"domain": names, "range": list(values)},
            "legend": legend,
        }
        for channel, values in (("strokeDash", dashes), ("color", greys))
    }


def levels_figure(actual: list[dict[str, Any]], rows: Sequence[Any]) -> Spec:
    """What a nominal level is worth under each protocol; marks are bounds that keep theirs."""
    names = list(dict.fromkeys(row["where"] for row in actual))
    dashes = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [1, 4], [12, 4], [4, 1])
    shown = [row for row in actual if row["nominal"] <= 0.995]
    diagonal = [{"nominal": v, "actual": v} for v in (0.5, 1.0)]
    kept = [
        {"nominal": 0.95, "actual": 1 - row.false_acceptance, "bound": KEPT[row.bound]}
        for row in rows
        if row.bound in KEPT
    ]
    percent = {"format": "%"}
    nominal = vega.number(
        "nominal", title="nominal confidence", scale={"domain": [0.5, 1.0]}, axis=percent
    )
    reached = vega.number(
        "actual", title="actual confidence", scale={"domain": [0.0, 1.0]}, axis=percent
    )
    axes = {"x": nominal, "y": reached}
    line = {"type": "line", "color": "black", "strokeWidth": 1.6}
    even = {"type": "line", "color": "#999999", "strokeWidth": 1}
    point = {"type": "point", "color": "black", "size": 60, "strokeWidth": 1.5}
    shapes = ("circle", "square", "triangle-up")
    legend = {"orient": "bottom", "symbolSize": 500, "labelLimit": 300}
    series = _one_column("where", names, dashes, **legend)
    bounds = _one_column("bound", list(KEPT.values()), shapes, orient="top-left")
    return vega.figure(
        "What a level is worth if one stops at the first pass",
        width=360,
        height=300,
        layer=[
            vega.layer(line, shown, **axes, strokeDash=series),
            vega.layer(even, diagonal, **axes),
            vega.layer(point, kept, **axes, shape=bounds),
        ],
    )


def _one_column(field: str, names: list[str], looks: Sequence[Any], **legend: Any) -> Spec:
    return {
        "field": field,
        "type": "nominal",
        "scale": {"domain": names, "range": list(looks[: len(names)])},
        "legend": {"title": None, "columns": 1, **legend},
    }
