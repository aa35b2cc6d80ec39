"""Vega-Lite figures of the experiments: what all of them share."""

from collections.abc import Iterable
from typing import Any

Spec = dict[str, Any]
FONTS = {"labelFontSize": 11, "titleFontSize": 11}


def room(*, left: int = 12, right: int = 12, above: int = 6, below: int = 6) -> Spec:
    """Padding around the figure; fonts differ in width from one machine to another."""
    return {"left": left, "right": right, "top": above, "bottom": below}


def frame(*, axis: Spec | None = None, **settings: Any) -> Spec:
    """Schema, paper and fonts; `settings` are further ones of the configuration, by its names."""
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "background": "white",
        "config": {
            "aria": False,
            "font": "sans-serif",
            "axis": {**FONTS, **(axis or {})},
            **settings,
        },
    }


def figure(title: str, *, look: Spec | None = None, **parts: Any) -> Spec:
    """A figure with its title above, at the left; `look` is its frame and padding."""
    heading = {"text": title, "anchor": "start", "fontSize": 13}
    return {**(look or frame()), "title": heading, **parts}


def rows(values: Iterable[Any]) -> Spec:
    """The data of a figure or layer."""
    return {"values": list(values)}


def number(field: str, **settings: Any) -> Spec:
    """A quantitative channel, by the names of Vega-Lite."""
    return {"field": field, "type": "quantitative", **settings}


def name(field: str, **settings: Any) -> Spec:
    """A nominal channel without a title, unless one is given."""
    return {"field": field, "type": "nominal", "title": None, **settings}


def layer(mark: Spec, values: Iterable[Any] | None = None, **encoding: Spec) -> Spec:
    """A mark and its channels; `values` are data of its own."""
    data = {} if values is None else {"data": rows(values)}
    return {**data, "mark": mark, "encoding": encoding}


def dashed(**encoding: Spec) -> Spec:
    """A dashed rule: what figures are compared with."""
    return {"mark": {"type": "rule", "strokeDash": [4, 3]}, "encoding": encoding}
