"""The figures of `pairs`: what labels cost, how dependent pairs are, errors over random splits."""

from collections.abc import Sequence
from typing import Any

from assaymark.lab import vega_lite as vega
from assaymark.lab.vega_lite import FONTS, Spec

LIMIT = {"labelLimit": 300}
LOOK = {**vega.frame(axis=LIMIT, legend=FONTS | LIMIT), "padding": vega.room(left=40, right=16)}
Rows = Sequence[dict[str, Any]]


def cost_figure(cost: Rows) -> Spec:
    """Labels for ± 0.05 against prevalence, both axes logarithmic (the paper's Figure 1)."""
    values = [
        {"prevalence": row["prevalence"], "labels": row[column], "how": how}
        for row in cost
        for column, how in (("unbiased", "unbiased sampling"), ("pair", "pair, if independent"))
    ]
    x = vega.number(
        "prevalence",
        scale={"type": "log", "reverse": True},
        axis={"values": [0.01, 0.001, 0.0001], "format": "~g"},
        title="share of positives",
    )
    y = vega.number(
        "labels",
        scale={"type": "log"},
        axis={"values": [100, 1000, 10000, 100000, 1000000, 10000000], "format": ",~r"},
        title="labels",
    )
    return vega.figure(
        "Labels for recall to ± 0.05",
        look=LOOK,
        width=380,
        height=230,
        data=vega.rows(values),
        mark={"type": "line", "point": {"size": 60, "color": "black"}, "color": "black"},
        encoding={
            "x": x,
            "y": y,
            "strokeDash": vega.name("how", legend={"symbolType": "stroke", "symbolSize": 600}),
        },
    )


def dependence_figure(summary: Rows) -> Spec:
    """δ1 of every pair, by how it was built, with the band that is assumed by default."""
    values = [
        {"built": f"{row['built']} ({row['collection']})", "delta1": round(row["delta1"], 4)}
        for row in summary
    ]
    x = vega.number("delta1", title="δ1: 1 is independent", scale={"zero": False, "nice": True})
    band = vega.layer(
        {"type": "rect", "color": "#e6e6e6"},
        [{"from": 0.85, "to": 1.25}],
        x=vega.number("from"),
        x2={"field": "to"},
    )
    return vega.figure(
        "How dependent the pairs are",
        look=LOOK,
        width=420,
        height=24 * len({value["built"] for value in values}),
        data=vega.rows(values),
        layer=[
            band,
            vega.dashed(x=vega.number("one")) | {"data": vega.rows([{"one": 1}])},
            _dots(45, x=x, y=vega.name("built", sort=None)),
        ],
    )


def split_figure(summary: Rows) -> Spec:
    """Mean error over random splits with its 95 % interval, as in the paper's Figure 5."""
    values = [
        {
            "topic": f"{row['topic']} ({row['collection']})",
            "error": round(row["error"], 5),
            "low": round(row["error_low"], 5),
            "high": round(row["error_high"], 5),
        }
        for row in summary
        if row["built"] == "columns"
    ]
    y = vega.name("topic", sort=None)
    title = "estimate minus true recall, mean and 95 % interval"
    zero = vega.dashed(x=vega.number("zero", title=title, scale={"domainMin": -0.02}))
    interval = {"x": vega.number("low", title=title), "x2": {"field": "high"}}
    return vega.figure(
        "Error over random splits",
        look=LOOK,
        width=380,
        height=24 * max(1, len(values)),
        data=vega.rows(values),
        layer=[
            zero | {"data": vega.rows([{"zero": 0}])},
            vega.layer({"type": "rule", "strokeWidth": 2}, y=y, **interval),
            _dots(50, y=y, x=vega.number("error", title=title)),
        ],
    )


def _dots(size: int, **encoding: Spec) -> Spec:
    return vega.layer({"type": "point", "filled": True, "color": "black", "size": size}, **encoding)
