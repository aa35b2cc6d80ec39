"""Colours by role: for pages that have both themes, for paper, and for notebooks."""

from dataclasses import dataclass

SANS = "system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', Arial, sans-serif"
PRINT = "Libertinus Serif"  # the typesetter brings it, so that a PDF never lacks it


@dataclass(frozen=True, kw_only=True)
class Theme:
    """A colour for each role, the font of the texts, and what is behind the chart."""

    colours: dict[str, str]
    font: str = SANS
    background: str | None = None


_LIGHT = {
    "ink": "#1b1f24",
    "soft": "#6b7280",
    "accent": "#1d5fa8",
    "paper": "#ffffff",
    "grid": "#e3e6ea",
    "warn": "#9a5b00",
}
# a page sets --chart-ink, --chart-soft, … once for each of its themes; without them it is light
PAGE = Theme(colours={role: f"var(--chart-{role}, {value})" for role, value in _LIGHT.items()})
PAPER = Theme(colours=_LIGHT, font=PRINT)
FILE = Theme(colours=_LIGHT, background="#ffffff")
# a notebook is light or dark and does not say which: colours that can be read on both
NOTEBOOK = Theme(
    colours={
        "ink": "#777b80",
        "soft": "#8b929c",
        "accent": "#3f83c9",
        "paper": "#ffffff",
        "grid": "#9aa0a833",
        "warn": "#b8761c",
    }
)
