"""Vega-Lite figures of the experiments: what all of them share."""

from typing import Any

Spec = dict[str, Any]
FONTS = {"labelFontSize": 11, "titleFontSize": 11}


def titled(text: str) -> Spec:
    """A title above the figure, at its left."""
    return {"text": text, "anchor": "start", "fontSize": 13}


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
