"""Where to spend labels on overlapping classifiers, and what the same costs without them."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from assaymark.claims.checks import open_share
from assaymark.claims.results import counted
from assaymark.errors import InputError
from assaymark.pair_recall.overlap import (
    Advice,
    CellAdvice,
    CellSample,
    Cost,
    DeltaBand,
    OverlapEstimate,
)
from assaymark.pair_recall.stats.capture_recapture import PAIR_CELLS, share, smoothed_total
from assaymark.pair_recall.stats.three_lists import TRIPLE_CELLS, log_odds_slopes
from assaymark.stats.special import ndtri

LEAST = 10  # labels in each cell, so that its share is never a complete guess
HONEST_DELTA = 1.10


def roughness(cell: CellSample) -> float:
    """√((1−p)/p): the log error of one label in this cell. Rare positives are expensive."""
    rate = share(cell) if cell.labels else 0.5
    rate = min(max(rate, 1e-6), 1 - 1e-6)
    return math.sqrt((1 - rate) / rate)


def cell_weights(cells: Mapping[str, CellSample], target: str = "both") -> dict[str, float]:
    """How many labels each cell deserves, up to a factor: slope of the log-odds times roughness.

    `target` is "both" (all recalls alike), or "a", "b", "c" for one of them.
    """
    names = TRIPLE_CELLS if len(next(iter(cells))) == 3 else PAIR_CELLS
    slopes = _triple_slopes(cells) if names is TRIPLE_CELLS else _PAIR_SLOPES
    if target != "both" and target not in "abc"[: len(slopes)]:
        raise InputError(
            f"'for' must be both, {' or '.join('abc'[: len(slopes)])}, got {target!r}."
        )
    wanted = slopes if target == "both" else slopes["abc".index(target) : "abc".index(target) + 1]
    size = np.sqrt((np.array(wanted) ** 2).sum(axis=0))
    return {
        name: float(size[k]) * roughness(cells[name]) if cells[name].items else 0.0
        for k, name in enumerate(names)
    }


_PAIR_SLOPES: Sequence[Sequence[float]] = ((1, 0, -1), (1, -1, 0))  # of PAIR_CELLS


def _triple_slopes(cells: Mapping[str, CellSample]) -> list[Sequence[float]]:
    totals = {name: max(smoothed_total(cells[name]), 0.5) for name in TRIPLE_CELLS}
    return [log_odds_slopes(which, totals).tolist() for which in range(3)]


def allocate(
    cells: Mapping[str, CellSample], labels: int, *, target: str = "both"
) -> dict[str, int]:
    """How many *new* labels each cell gets, so that the log-odds of the recall become surest.

    Counts what the cells have already, never asks for more than they hold, and gives each cell
    that matters at least ten.

    >>> cells = {"11": CellSample(items=5000), "10": CellSample(items=5000),
    ...          "01": CellSample(items=40)}
    >>> allocate(cells, 300)
    {'11': 152, '10': 108, '01': 40}
    """
    weights = cell_weights(cells, target)
    left = {name: cells[name].items - cells[name].labels for name in weights}
    names = [name for name, weight in weights.items() if weight > 0 and left[name] > 0]
    budget = min(labels, sum(left[name] for name in names))
    table = dict.fromkeys(weights, 0)
    floor = min(LEAST, budget // max(1, len(names)))
    for name in names:
        table[name] = max(0, min(left[name], floor - cells[name].labels))
    while budget - sum(table.values()) > 0:
        open_names = [name for name in names if table[name] < left[name]]
        short = {
            name: (cells[name].labels + table[name] + 1) / weights[name] for name in open_names
        }
        name = min(open_names, key=lambda n: short[n])
        table[name] += _step(name, open_names, cells, table, weights, left, budget)
    return table


def _step(
    name: str,
    names: Sequence[str],
    cells: Mapping[str, CellSample],
    table: Mapping[str, int],
    weights: Mapping[str, float],
    left: Mapping[str, int],
    budget: int,
) -> int:
    """As many labels as the neediest cell may take before another one becomes needier."""
    spare = min(budget - sum(table.values()), left[name] - table[name])
    levels = [
        (cells[other].labels + table[other] + 1) / weights[other]
        for other in names
        if other != name
    ]
    if not levels:
        return spare
    reach = int(min(levels) * weights[name]) - cells[name].labels - table[name]
    return max(1, min(spare, reach))


def half_width(estimate: OverlapEstimate, which: int) -> float:
    """Half the sampling interval of a recall."""
    totals = estimate.recalls[which]
    return (totals.high - totals.low) / 2


def advise(
    cells: Mapping[str, CellSample],
    estimate: OverlapEstimate,
    *,
    wanted: float = 0.05,
    target: str = "both",
) -> Advice:
    """Which cell to label next, and how many, for a sampling interval of ± `wanted`."""
    open_share("half_width", wanted)
    whiches = range(len(estimate.recalls)) if target == "both" else ["abc".index(target)]
    reached = max(half_width(estimate, which) for which in whiches)
    z = float(ndtri((1 + estimate.confidence) / 2))
    names = TRIPLE_CELLS if len(estimate.recalls) == 3 else PAIR_CELLS
    slopes = _triple_slopes(cells) if names is TRIPLE_CELLS else _PAIR_SLOPES
    need = dict.fromkeys(names, 0.0)
    for which in whiches:
        middle = estimate.recalls[which].recall
        scale = max(middle * (1 - middle), wanted / 4)
        budget = (wanted / (z * scale)) ** 2
        sides = {n: abs(slopes[which][k]) * roughness(cells[n]) for k, n in enumerate(names)}
        for name in names:
            need[name] = max(need[name], sides[name] * sum(sides.values()) / budget)
    more = tuple(
        CellAdvice(
            cell=name,
            labels=_more(need[name], cells[name]) if reached > wanted else 0,
            known=cells[name].labels,
            items=cells[name].items,
        )
        for name in names
    )
    band = estimate.band
    widest = max(estimate.recalls[which].recall for which in whiches)
    floor = 0.0 if estimate.method == "combined" else _floor(widest, band)
    return Advice(
        half_width=wanted,
        reached=reached,
        cells=more,
        floor=floor,
        sentence=_sentence(more, wanted=wanted, reached=reached, floor=floor),
    )


def _floor(recall: float, band: DeltaBand) -> float:
    return (min(1.0, recall / band.low) - recall / band.high) / 2


def _more(need: float, cell: CellSample) -> int:
    # without replacement: n/(1 + n/N) labels do what n independent ones would
    wanted = math.ceil(need / (1 + need / cell.items)) if cell.items else 0
    return max(0, min(wanted, cell.items) - cell.labels)


def _flagged_by(cell: str) -> str:
    """The items of a cell, by the letters under which the classifiers were given."""
    letters = [letter for letter, bit in zip("abc", cell, strict=False) if bit == "1"]
    if not letters:
        return "that none flags"
    if len(letters) == len(cell):
        return "flagged by all" if len(cell) > 2 else "flagged by both"
    return f"flagged by {' and '.join(letters)} only"


def _sentence(cells: Sequence[CellAdvice], *, wanted: float, reached: float, floor: float) -> str:
    asked = [
        f"{counted(cell.labels, 'more item')} {_flagged_by(cell.cell)}"
        for cell in cells
        if cell.labels
    ]
    if reached <= wanted:
        text = f"Sampling error is within ± {wanted:g} (± {reached:.3f})."
    elif asked:
        text = f"For ± {wanted:g} from sampling label about {', '.join(asked)}."
    else:
        text = (
            f"Sampling error is ± {reached:.3f}, more than ± {wanted:g}, and the labels so far do not "
            "tell which cell would help most: label more of each, and outside."
        )
    if floor > wanted:
        text += (
            f" Labels in these cells cannot bring the band below ± {floor:.2f}: for that label "
            "outside (an elusion sample) or add a third classifier."
        )
    return text


def unbiased_labels(prevalence: float, recall: float, half_width: float, confidence: float) -> int:
    """Labels of random items until the recall is known to ± half_width (Figure 1 of the paper).

    >>> unbiased_labels(0.01, 0.5, 0.05, 0.95)
    38415
    """
    open_share("prevalence", prevalence)
    open_share("half_width", half_width)
    z = float(ndtri((1 + confidence) / 2))
    return math.ceil(z**2 * recall * (1 - recall) / half_width**2 / prevalence)


def pair_labels(
    recall: float, precisions: tuple[float, float], half_width: float, confidence: float
) -> int:
    """Labels of the cells "11" and "01", best shared out, for the same half-width of a's recall."""
    z = float(ndtri((1 + confidence) / 2))
    rough = sum(math.sqrt((1 - p) / p) for p in precisions)
    return max(2, math.ceil((z * recall * (1 - recall) * rough / half_width) ** 2))


def cost(
    *,
    prevalence: float,
    recall: float,
    precisions: tuple[float, float],
    half_width: float = 0.05,
    confidence: float = 0.95,
    delta: float = HONEST_DELTA,
    budget: int = 1000,
) -> Cost:
    """What unbiased sampling costs beside the pair; `precisions` are those of "11" and "01".

    The honest saving asks how many random items give the root mean squared error that `budget`
    labels of the pair have when its dependence is `delta`: its bias does not shrink with labels.
    """
    open_share("recall", recall)
    rough = sum(math.sqrt((1 - p) / p) for p in precisions)
    sampling = recall * (1 - recall) * rough / math.sqrt(budget)
    squared = sampling**2 + ((delta - 1) * recall) ** 2
    unbiased = unbiased_labels(prevalence, recall, half_width, confidence)
    pair = pair_labels(recall, precisions, half_width, confidence)
    return Cost(
        prevalence=prevalence,
        recall=recall,
        half_width=half_width,
        unbiased=unbiased,
        pair=pair,
        saving=unbiased / pair,
        honest_saving=recall * (1 - recall) / squared / prevalence / budget,
        delta=delta,
    )
