"""What labels that exist can support, and the estimate that they support, repaired by weights."""

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any, NoReturn

import numpy as np

from assaymark.claims.checks import open_share
from assaymark.claims.pictures import (
    Bar,
    Picture,
    frame,
    html_answer,
    html_table,
    interval_picture,
)
from assaymark.claims.ratio_metrics import metric
from assaymark.claims.record import plain
from assaymark.claims.results import counted, percent
from assaymark.errors import InputError
from assaymark.estimation.doctor_claim import JudgedClaim, counts_of, judge_labels
from assaymark.estimation.label_file import (
    Cell,
    LabelColumns,
    LabelFile,
    collection_sizes,
    read_labels,
)
from assaymark.estimation.stats.horvitz_thompson import Weighted
from assaymark.estimation.stats.label_design import (
    DOUBT,
    Mix,
    Support,
    chance_of_mix,
    stratum_weights,
)
from assaymark.estimation.stats.side_intervals import weighted_estimate
from assaymark.hints import option, switch

METRICS = ("accuracy", "precision", "recall", "f1", "prevalence")
WORDS: dict[Support, str] = {
    "random": "These labels can support an estimate: a random sample.",
    "repairable": "These labels can support an estimate, with weights.",
    "refused": "These labels support no estimate of the collection.",
}


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A metric as the labels give it: taken as they are, and repaired with its interval."""

    metric: str
    plain: float | None
    repaired: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, kw_only=True)
class Diagnosis:
    """What the labels support and why, what is wrong with them, and the figures they give."""

    support: Support
    reason: str
    labels: int
    file: LabelFile
    figures: tuple[Figure, ...]
    findings: tuple[str, ...]
    confidence: float
    claim: JudgedClaim | None = None

    def __str__(self) -> str:
        verdict = "" if self.claim is None else f" {self.claim.sentence}"
        return f"{WORDS[self.support]}{verdict}"

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "A diagnosis is neither true nor false. Write diagnosis.established for the claim, or "
            "compare diagnosis.support with 'refused'."
        )

    @property
    def established(self) -> bool:
        """Whether the labels establish the claim that was asked about."""
        return self.claim is not None and self.claim.ruling == "established"

    @property
    def bound(self) -> float | None:
        """The proven bound on the claim's side; None without a claim."""
        return None if self.claim is None else self.claim.bound

    def to_frame(self) -> Any:
        """One row per metric: a pandas or polars data frame, or a list of dicts without either."""
        return frame([plain(one) for one in self.figures])

    def plot(self) -> Picture:
        """The repaired figures with their intervals."""
        bars = [
            Bar(title=one.metric, low=one.low, high=one.high, point=one.repaired)
            for one in self.figures
        ]
        return interval_picture(bars, caption=str(self))

    def _repr_html_(self) -> str:
        rows = [("because", self.reason), ("labels", f"{self.labels:,}")]
        table = html_table([plain(one) for one in self.figures])
        return html_answer(str(self), rows, self.plot()) + table

    def result(self) -> dict[str, Any]:
        """The diagnosis as plain values."""
        known = plain(self)
        known["file"].pop("cells")
        return {**known.pop("file"), **known}


def diagnose(
    path: str,
    columns: LabelColumns,
    *,
    random: bool = False,
    pool: str | None = None,
    confidence: float = 0.95,
    claim: str | None = None,
) -> Diagnosis:
    """What the labels of this file can support. `random`: whoever drew them says so.

    A `claim` is judged once, where the labels support a proof.
    """
    open_share("confidence", confidence)
    if random and columns.strata is not None:
        raise InputError(
            f"Labels are a random sample or drawn by strata: give {switch('random')} or {option('strata')}."
        )
    file = read_labels(path, columns)
    if not file.cells:
        raise InputError(
            "No item of the file has a label that counts, so there is nothing to judge."
        )
    mix = _mix(file, columns, pool, labels=path)
    support, reason, weights = _support(file, columns, mix, random=random)
    return Diagnosis(
        support=support,
        reason=reason,
        labels=sum(cell.count for cell in file.cells),
        file=file,
        figures=_figures(file, weights, confidence),
        findings=_findings(file),
        confidence=confidence,
        claim=None
        if claim is None
        else judge_labels(
            file, columns, support=support, claim=claim, pool=pool, confidence=confidence
        ),
    )


def _mix(file: LabelFile, columns: LabelColumns, pool: str | None, *, labels: str) -> Mix:
    """The labels' parts beside the collection's: by the named strata, or by the prediction."""
    labelled: Counter[str] = Counter()
    for cell in file.cells:
        named = columns.strata is not None
        labelled[cell.stratum if named else str(int(cell.predicted))] += cell.count
    if pool is None:
        return Mix(labelled=labelled)
    rule = columns if columns.strata is not None else replace(columns, strata="prediction")
    return Mix(labelled=labelled, collection=collection_sizes(pool, rule, labels=labels))


Weights = dict[Cell, float] | None


def _support(
    file: LabelFile, columns: LabelColumns, mix: Mix, *, random: bool
) -> tuple[Support, str, Weights]:
    if columns.strata is not None:
        by_stratum = stratum_weights(mix)
        weights = {cell: by_stratum[cell.stratum] for cell in file.cells}
        rule = "the prediction" if columns.strata == "prediction" else repr(columns.strata)
        return "repairable", f"drawn at random within each value of {rule}, as you say", weights
    if random:
        return _random(file, mix)
    if any(cell.chance is not None for cell in file.cells):
        return "repairable", "every item carries the chance with which it was drawn", _chances(file)
    if any(cell.items is not None for cell in file.cells):
        return "repairable", "every item carries its stratum and the stratum's size", _sized(file)
    return "refused", _convenience(mix), None


def _random(file: LabelFile, mix: Mix) -> tuple[Support, str, Weights]:
    chance = chance_of_mix(mix)
    if chance is not None and chance < DOUBT:
        return (
            "refused",
            f"said to be a random sample, but {_shares(mix)}, which a random sample shows in fewer than "
            f"1 of {1 / DOUBT:,.0f} cases. If they were drawn by the prediction, say "
            f"{option('strata', 'prediction')}",
            None,
        )
    checked = (
        f"not checked: give the collection with {option('pool')}"
        if chance is None
        else "its mix agrees"
    )
    return "random", f"a random sample, as you say ({checked})", dict.fromkeys(file.cells, 1.0)


def _convenience(mix: Mix) -> str:
    text = (
        "nothing says how these items were chosen, and labels chosen by people, by rules or by chance of "
        "being at hand stand for nothing but themselves. If they are a random sample, say "
        f"{switch('random')}; if they "
        f"were drawn at random within strata, name them with {option('strata')} and give the "
        f"collection with {option('pool')}"
    )
    chance = chance_of_mix(mix)
    if chance is not None and chance < DOUBT:
        text += f". They are no random sample: {_shares(mix)}"
    return text


def _shares(mix: Mix) -> str:
    held = mix.collection or {}
    labels, items = sum(mix.labelled.values()), sum(held.values())
    name = max(held, key=lambda each: abs(mix.labelled.get(each, 0) / labels - held[each] / items))
    mine = percent(round(mix.labelled.get(name, 0) / labels, 4))
    theirs = percent(round(held[name] / items, 4))
    return f"{mine} of the labels are predicted {name}, and {theirs} of the collection"


def _chances(file: LabelFile) -> Weights:
    bad = next((c for c in file.cells if c.chance is None or not 0 < c.chance <= 1), None)
    if bad is not None:
        raise InputError(
            f"A probability in the file is {bad.chance}; every item needs a chance above 0 and at most 1."
        )
    return {cell: 1 / float(cell.chance or 1) for cell in file.cells}


def _sized(file: LabelFile) -> Weights:
    labelled: Counter[str] = Counter()
    sizes: dict[str, int] = {}
    for cell in file.cells:
        labelled[cell.stratum] += cell.count
        if cell.items is None or sizes.setdefault(cell.stratum, cell.items) != cell.items:
            raise InputError(
                f"The stratum {cell.stratum!r} has two sizes or none in stratum_items."
            )
    weights = stratum_weights(Mix(labelled=labelled, collection=sizes))
    return {cell: weights[cell.stratum] for cell in file.cells}


def _figures(file: LabelFile, weights: Weights, confidence: float) -> tuple[Figure, ...]:
    as_is = counts_of(file).cells
    plain = {name: metric(name).value(as_is) for name in METRICS}
    if weights is None:
        none = {"repaired": None, "low": None, "high": None}
        return tuple(Figure(metric=name, plain=plain[name], **none) for name in METRICS)
    cells = file.cells
    counts = np.array([cell.count for cell in cells])
    names = {name: k for k, name in enumerate(dict.fromkeys(cell.stratum for cell in cells))}
    sample = Weighted(
        weight=np.repeat([weights[cell] for cell in cells], counts),
        stratum=np.repeat([names[cell.stratum] for cell in cells], counts),
    )
    items = {
        "predicted": np.repeat([cell.predicted for cell in cells], counts),
        "label": np.repeat([cell.label for cell in cells], counts),
    }
    figures = []
    for name in METRICS:
        one = weighted_estimate(metric(name), sample, **items, confidence=confidence)
        figures.append(
            Figure(metric=name, plain=plain[name], repaired=one.point, low=one.low, high=one.high)
        )
    return tuple(figures)


def _findings(file: LabelFile) -> tuple[str, ...]:
    findings = []
    if file.repeats:
        findings.append(f"{counted(file.repeats, 'row')} repeat an item; each item counts once.")
    if file.conflicts:
        findings.append(
            f"{counted(file.conflicts, 'item')} with labels that contradict each other were left out; "
            "settle them, for hard items are not like the rest."
        )
    if file.unclear:
        findings.append(f"{counted(file.unclear, 'item')} nobody could tell were left out.")
    if file.missing:
        findings.append(
            f"{counted(file.missing, 'item')} without a label; the figures hold if these are like the rest."
        )
    if file.compared:
        findings.append(
            f"{file.agreed:,} of {counted(file.compared, 'item')} with two or more labels agree."
        )
    return tuple(findings)
