"""The page on errors of estimates: every cell beside its best rival, and why a rival leads where it does."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

FILE = "estimate-errors.json"
POOLS = {"race": "race", "fresh": "fresh", "made": "made"}
TITLES = {"f1": "F1", "precision": "Precision", "recall": "Recall"}
WAYS = ("fixed", "renewed")
Cell = dict[str, Any]


def estimates_page(folder: Path, note: str) -> str:
    """How both allocations stand, kind of pool by kind of pool, and then every cell."""
    cells: list[Cell] = json.loads((folder / FILE).read_text(encoding="utf-8"))
    parts = [
        note,
        "# Errors of estimates, cell by cell",
        "F1, precision and recall are estimated again and again in pools whose labels are all known, by "
        "`estimate` with fixed and with renewed chances and by four rivals: short implementations in the "
        "lab of Sawade et al. (2010), OASIS (Marchant and Rubinstein, 2017) and AIPW, and a simple random "
        "sample. A cell is a pool, a metric and a number of labels; a ratio is our root mean squared error "
        "over that of the rival with the smallest error in that cell, which nobody knows beforehand. Cells "
        "where a rival may lead were measured again with new and six times as many samples, and those "
        "count. *Race* are the topics of the race, some of which had a part in choosing settings; *fresh* "
        "topics had none; *made* pools set traps. Pools that would be read whole are left out.",
        "    assaymark lab estimate-errors --runs 500                        # made pools\n"
        "    assaymark lab estimate-errors --data FILE … --runs 500          # collections",
        _summary(cells),
        "A rival is *clearly* ahead where the ratio is above 1 by two standard errors. There the reason "
        "stands beside the cell: the same estimate was measured again with one thing changed at a time "
        "(labels aimed by the true rates of the strata, which no plan knows; 27 strata; no bias, which "
        "only somebody who knows the truth can take off), and the one that brings the ratio down most is "
        "named. *Luck* is added where fewer than five labels of a sample decide. *Over means of strata* is "
        "the error of the regression estimate over that of the means of strata, from the same samples. "
        "The guaranteed width is that of one sample at 95 %, at every look; no rival has one.",
    ]
    for metric in TITLES:
        for labels in sorted({cell["labels"] for cell in cells}):
            own = [c for c in cells if (c["metric"], c["labels"]) == (metric, labels)]
            parts += [f"## {TITLES[metric]}, {labels} labels", _cells(own)]
    return "\n\n".join(parts) + "\n"


def _summary(cells: Sequence[Cell]) -> str:
    lines = [
        "| pools | metric | labels | cells | fixed: mean ratio (worst) | best in | clearly behind | renewed: "
        "mean ratio (worst) | best in | clearly behind | guaranteed width | over means of strata |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for where in POOLS:
        for metric in TITLES:
            for labels in sorted({cell["labels"] for cell in cells}):
                own = [
                    c
                    for c in cells
                    if (c["where"], c["metric"], c["labels"]) == (where, metric, labels)
                ]
                if own:
                    lines.append(_line(where, metric, labels, own))
    lines.append(_line("all", "all", "all", cells))
    return "\n".join(lines)


def _line(where: str, metric: str, labels: int | str, own: Sequence[Cell]) -> str:
    standing = [
        f"{_mean([c[f'{way} over best rival'] for c in own]):.2f} "
        f"({max(c[f'{way} over best rival'] for c in own):.2f}) | "
        f"{sum(c[f'{way} over best rival'] <= 1 for c in own)} | "
        f"{sum(bool(c[f'why not {way}']) for c in own)}"
        for way in WAYS
    ]
    widths = ", ".join(
        f"{sum(c[f'guaranteed width of {way}'] for c in own) / len(own):.2f}" for way in WAYS
    )
    gains = [c[way] / c[f"{way}, means"] for c in own for way in WAYS if c[f"{way}, means"]]
    return (
        f"| {where} | {TITLES.get(metric, metric)} | {labels} | {len(own)} | {' | '.join(standing)} | "
        f"{widths} | {_mean(gains):.3f} |"
    )


def _cells(own: Sequence[Cell]) -> str:
    lines = [
        "| pool | best rival | fixed over it | renewed over it | guaranteed width, fixed and renewed | why "
        "not below it |",
        "|---|---|---|---|---|---|",
    ]
    order = sorted(own, key=lambda c: (list(POOLS).index(c["where"]), c["world"]))
    for c in order:
        ratios = " | ".join(
            f"{c[f'{way} over best rival']:.2f} ± {c[f'se of {way}']:.2f}" for way in WAYS
        )
        widths = ", ".join(f"{c[f'guaranteed width of {way}']:.2f}" for way in WAYS)
        pool = f"{c['world'].replace('_', ' ')} ({c['where']})"
        lines.append(f"| {pool} | {c['best rival']} | {ratios} | {widths} | {_why(c)} |")
    return "\n".join(lines)


def _why(cell: Cell) -> str:
    """The reasons of both allocations; nothing where ours is below, or not clearly above."""
    said = [f"*{way}*: {cell[f'why not {way}']}" for way in WAYS if cell[f"why not {way}"]]
    if said:
        return ". ".join(said) + "."
    above = [way for way in WAYS if cell[f"{way} over best rival"] > 1]
    return f"{' and '.join(above)}: within two standard errors" if above else ""


def _mean(ratios: Sequence[float]) -> float:
    open_ = [ratio for ratio in ratios if ratio > 0]  # elsewhere every item was read
    return math.exp(sum(map(math.log, open_)) / len(open_))
