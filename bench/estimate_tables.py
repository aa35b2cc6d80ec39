"""The tables of `bench/estimates.py`: a record of cells as Markdown, and where it stands in a page."""

import itertools
import math

import numpy as np

METRICS, SIZES, COMPARED = ("f1", "precision", "recall"), (50, 100, 200, 400, 800), (200, 800)
WAYS = ("fixed", "renewed")


def mean(ratios):
    return math.exp(float(np.mean(np.log(ratios)))) if ratios else math.nan


def cover_lines(cells):
    yield "| chances | labels | cells | mean cover | least (pool, metric) | most often above the truth |"
    yield "|---|---|---|---|---|---|"
    for way, labels in itertools.product(WAYS, SIZES):
        rows = [
            (1 - (above + below) / shown, above / shown, c["world"].replace("_", " "), c["metric"])
            for c in cells
            for shown, above, below in [c["cover"][way]]
            if c["labels"] == labels and shown >= 50
        ]
        least = min(rows)
        yield (
            f"| {way} | {labels} | {len(rows)} | {np.mean([row[0] for row in rows]):.3f} | "
            f"{least[0]:.3f} ({least[2]}, {least[3]}) | {max(row[1] for row in rows):.3f} |"
        )


def width_lines(cells):
    for labels in SIZES:
        over = {
            name: mean(
                [
                    c["width"]["renewed"] / c["width"]["fixed"]
                    for c in cells
                    if (c["labels"], c["metric"]) == (labels, name)
                    and c["width"]["fixed"]
                    and c["width"]["renewed"]
                ]
            )
            for name in METRICS
        }
        text = ", ".join(f"{name} {ratio:.2f}" for name, ratio in over.items())
        yield f"width for reading, renewed over fixed, {labels} labels: {text}"
    pairs = [
        (c["bets"]["fixed"]["width"], c["bets"]["renewed"]["width"])
        for c in cells
        if c["bets"] and c["bets"]["fixed"]["width"]
    ]
    if pairs:
        text = f"{np.mean([a for a, _ in pairs]):.3f}, {np.mean([b for _, b in pairs]):.3f}"
        yield f"guaranteed width, fixed and renewed, mean of {len(pairs)} fresh cells: {text}"


def other_lines(cells):
    for way, labels in itertools.product(WAYS, COMPARED):
        own = [c for c in cells if c["labels"] == labels and c["bets"]]
        runs = sum(c["bets"][way]["runs"] for c in own)
        errors = sum(np.array(c["bets"][way]["errors"]) for c in own)
        sides = np.array([row for c in own for row in c["sides"][way].values()]).sum(axis=0)
        yield (
            f"guaranteed, {way}, {labels} labels: truth ever excluded from below {errors[0][0] / runs:.4f}, "
            f"from above {errors[1][0] / runs:.4f} (0.05 each), by both at 0.025 "
            f"{errors[:, 1].sum() / runs:.4f}, of {runs:,}"
        )
        yield (
            f"side metrics, {way}, {labels} labels: {sides[0]:,} intervals, above the truth "
            f"{sides[1] / sides[0]:.4f}, below {sides[2] / sides[0]:.4f}"
        )


def lines(cells):
    """Everything that the record shows, as Markdown."""
    yield from cover_lines(cells)
    yield ""
    for line in (*width_lines(cells), *other_lines(cells)):
        yield f"- {line}"


def write_page(page, cells):
    """Put the tables between the two marks of the page."""
    start, end = "<!-- written by bench/estimates.py -->\n", "<!-- end of what it wrote -->"
    text = page.read_text(encoding="utf-8")
    before, rest = text.split(start, 1)
    after = rest.split(end, 1)[1]
    page.write_text(f"{before}{start}{chr(10).join(lines(cells))}\n{end}{after}", encoding="utf-8")
