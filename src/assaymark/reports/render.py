"""Charts to pictures, offline: one theme for paper and light pages, one for dark pages."""

import hashlib
import json
import re
from functools import lru_cache
from typing import Any

from assaymark.reports.renderer import NOT_DRAWN, can_draw, chart_renderer

FONT = "system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', Arial, sans-serif"
PRINT_FONT = "Liberation Sans"  # comes with the renderer, so that a PDF never lacks it
LIGHT = {
    "ink": "#1b1f24",
    "soft": "#6b7280",
    "accent": "#1d5fa8",
    "paper": "#ffffff",
    "grid": "#e3e6ea",
}
DARK = {
    "ink": "#e6e8eb",
    "soft": "#9aa4b2",
    "accent": "#6fb1ff",
    "paper": "#15181c",
    "grid": "#2b3038",
}
# a page sets --chart-ink, --chart-soft, … once for each of its themes; without them it is light
PAGE = {role: f"var(--chart-{role}, {colour})" for role, colour in LIGHT.items()}
THEMES = {"page": PAGE, "light": LIGHT, "dark": DARK}
VERSION = "5.21"
# charts that are also drawn by themselves name plain colours; in a page they follow its theme
PLAIN = {
    "black": "ink",
    "#333333": "ink",
    "#555555": "soft",
    "#777777": "soft",
    "#888888": "soft",
    "white": "paper",
}
COLOURED = ("color", "fill", "stroke")


def svg(spec: dict[str, Any], *, theme: str = "page") -> str:
    """The chart as SVG text to stand in a page, without style attributes, scripts or links.

    The theme "page" leaves the colours to the page's variables; "light" and "dark" fix them.
    Without the renderer, a sentence in place of the chart says so.
    """
    if not can_draw():
        return _left_out(theme)
    return _svg(json.dumps(spec, sort_keys=True), theme)


def pdf(spec: dict[str, Any]) -> bytes:
    """The chart as a one-page PDF with its fonts inside."""
    made: bytes = chart_renderer().vegalite_to_pdf(
        themed(spec, LIGHT, font=PRINT_FONT), vl_version=VERSION, allowed_base_urls=[]
    )
    return made


@lru_cache(maxsize=64)
def _svg(spec: str, theme: str) -> str:
    made: str = chart_renderer().vegalite_to_svg(
        themed(json.loads(spec), THEMES[theme], font=FONT), vl_version=VERSION, allowed_base_urls=[]
    )
    # several charts share a page, so the names of their clip paths must differ
    mark = hashlib.sha256(spec.encode()).hexdigest()[:8]
    return re.sub(r'(id="|url\(#)(clip|gradient_)', rf"\g<1>{mark}-\2", made)


def _left_out(theme: str) -> str:
    colour = THEMES[theme]["soft"]
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 30" width="640" height="30">'
        f'<text x="0" y="20" font-size="12" font-family="sans-serif" fill="{colour}">{NOT_DRAWN}</text>'
        "</svg>"
    )


def themed(spec: dict[str, Any], theme: dict[str, str], *, font: str) -> dict[str, Any]:
    """The specification with the theme's colours in place of their roles."""
    return {**_filled(spec, theme), "background": None, "config": _config(theme, font)}


def _filled(value: Any, theme: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {
            key: theme[PLAIN[item]]
            if key in COLOURED and isinstance(item, str) and item in PLAIN
            else _filled(item, theme)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [_filled(item, theme) for item in value]
    if isinstance(value, str) and value.startswith("{") and value.endswith("}"):
        return theme.get(value[1:-1], value)
    return value


def _config(theme: dict[str, str], font: str) -> dict[str, Any]:
    ink, soft = theme["ink"], theme["soft"]
    return {
        "font": font,
        "view": {"stroke": None},
        "axis": {
            "labelColor": ink,
            "titleColor": ink,
            "domainColor": soft,
            "tickColor": soft,
            "gridColor": theme["grid"],
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "titlePadding": 8,
        },
        "legend": {"labelColor": ink, "labelFontSize": 12, "titleColor": ink},
        "text": {"color": ink},
        "rule": {"color": ink},
    }
