"""The pictures of the documentation, drawn from real output. Run by docs/generate.py."""

import contextlib
import io
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

from assaymark.certification.forecasts.calculators import curve, size
from assaymark.records.plan import Expectation

HERE = Path(__file__).parent
CLAIM, PREVALENCE, LARGEST = "f1 >= 0.75", 0.03, 16_000
LINES = ((0.86, "", 3.0), (0.83, "9 5", 2.4), (0.80, "2 4", 2.4))
INK = "#123a6b"
LEFT, TOP, WIDTH, HEIGHT = 78, 62, 640, 330
FONT = "font-family=\"system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif\""

SVG = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xml:space="preserve"
  xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: "DejaVu Sans Mono", Menlo, Consolas, monospace;
  font-size: {char_height}px; line-height: {line_height}px;
  white-space: pre; }}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def draw_all() -> None:
    """Draw every picture."""
    (HERE / "demo.svg").write_text(demo_picture(), encoding="utf-8")
    (HERE / "power.svg").write_text(power_picture(), encoding="utf-8")


def demo_picture() -> str:
    """The terminal after `assaymark demo`."""
    run = "from assaymark.cli import main; main()"
    with tempfile.TemporaryDirectory() as folder:
        told = subprocess.run(
            [sys.executable, "-c", run, "demo", "--out", "demo"],
            cwd=folder,
            capture_output=True,
            encoding="utf-8",
            check=True,
        ).stdout
    lines = told.rstrip().split("\n")
    console = Console(
        record=True,
        width=max(map(len, lines)) + 1,
        file=io.StringIO(),
        force_terminal=True,
        color_system="truecolor",
    )
    console.print(Text("$ assaymark demo --out demo", style="bold"))
    for line in lines:
        text = Text(line)
        text.highlight_regex(r"^\d\.", "bold cyan")
        text.highlight_regex(r"Established|verified|^   ok", "bold green")
        text.highlight_regex(r"not checked", "yellow")
        console.print(text, highlight=False)
    return console.export_svg(title="assaymark demo", unique_id="demo", code_format=SVG)


def _x(labels: float) -> float:
    return LEFT + WIDTH * labels / LARGEST


def _y(chance: float) -> float:
    return TOP + HEIGHT * (1 - chance)


def _text(x: float, y: float, text: str, *, anchor: str = "middle", more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {more}>{text}</text>'


def power_picture() -> str:
    """Chance to pass against labels, for three classifiers."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 460" {FONT} font-size="14" '
        'fill="#111" role="img" aria-label="Chance to pass against labels">',
        '<rect width="760" height="460" fill="#fff"/>',
        _text(
            LEFT,
            26,
            "How many labels to certify F1 ≥ 0.75 (95 % confidence, 3 % relevant)",
            anchor="start",
            more='font-size="16" font-weight="600"',
        ),
        *_axes(),
    ]
    for row, (expected, dash, width) in enumerate(LINES):
        parts += _line(row, expected, dash, width)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _axes() -> list[str]:
    parts = []
    for chance in (0, 0.25, 0.5, 0.75, 1):
        y = _y(chance)
        parts.append(f'<path d="M{LEFT} {y:.1f}h{WIDTH}" stroke="#ddd"/>')
        parts.append(_text(LEFT - 10, y + 5, f"{100 * chance:.0f} %", anchor="end"))
    for labels in range(0, LARGEST + 1, 4000):
        parts.append(_text(_x(labels), TOP + HEIGHT + 22, f"{labels:,}"))
        parts.append(f'<path d="M{_x(labels):.1f} {TOP + HEIGHT}v5" stroke="#111"/>')
    y = _y(0.93)
    parts += [
        f'<path d="M{LEFT} {TOP}V{TOP + HEIGHT}H{LEFT + WIDTH}" fill="none" stroke="#111"/>',
        f'<path d="M{LEFT} {y:.1f}h{WIDTH}" stroke="#777" stroke-dasharray="1 3"/>',
        _text(LEFT - 10, y + 5, "93 %", anchor="end"),
        _text(_x(8300), _y(0.17), "dots: where the chance is 93 %", anchor="start"),
        _text(LEFT + WIDTH / 2, TOP + HEIGHT + 50, "labels bought"),
        _text(LEFT, TOP - 10, "chance to pass", anchor="start"),
    ]
    return parts


def _line(row: int, expected: float, dash: str, width: float) -> list[str]:
    wish = Expectation(precision=expected, recall=expected, prevalence=PREVALENCE)
    sizes = tuple(range(200, LARGEST + 1, 200))
    chances = curve(CLAIM, wish, sizes).power
    points = " ".join(f"{_x(n):.1f},{_y(p):.1f}" for n, p in zip(sizes, chances, strict=True))
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    parts = [
        f'<polyline points="{points}" fill="none" stroke="{INK}" stroke-width="{width}"{dashed}/>'
    ]
    needed = size(CLAIM, wish).modes["fixed"].labels or 0
    parts.append(f'<circle cx="{_x(needed):.1f}" cy="{_y(0.93):.1f}" r="5" fill="{INK}"/>')
    y = _y(0.44) + 24 * row
    sample = (
        f'<path d="M{_x(8300):.1f} {y - 5:.1f}h56" stroke="{INK}" stroke-width="{width}"{dashed}/>'
    )
    name = f"F1 is {expected:.2f}: {needed:,} labels"
    return [*parts, sample, _text(_x(8300) + 68, y, name, anchor="start")]


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        draw_all()
