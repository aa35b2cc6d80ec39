"""Estimates from a labelled file that was sampled elsewhere, with two classes or many."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from assaymark.claims.ratio_metrics import metric
from assaymark.claims.results import counted
from assaymark.errors import InputError
from assaymark.estimation.estimate import ClassEstimate, Estimates, MetricEstimate
from assaymark.estimation.stats.confidence_axis import Floats, Ints
from assaymark.estimation.stats.horvitz_thompson import (
    RatioEstimate,
    Weighted,
    binary_parts,
    chances_to_weights,
    mean_of_ratios,
    ratio_estimate,
)
from assaymark.estimation.stats.side_intervals import weighted_estimate
from assaymark.files.sampled import SampledRow, read_sampled
from assaymark.files.spelling import read_label

BINARY = ("accuracy", "precision", "recall", "f1", "prevalence", "elusion")
REASON = (
    "the order and the chances of the draws are not stored in this file; a project planned with a "
    "guarantee stores them"
)
METHOD = "Korn-Graubard on weights"


def estimate_file(path: Path, *, key: Path | None = None, confidence: float = 0.95) -> Estimates:
    """Every metric of the file: two classes as 0/1, or accuracy and macro figures of many."""
    read = read_sampled(path, key=key)
    if not read.rows:
        raise InputError(f"{path.name!r} has no labelled row ({counted(read.empty, 'row')} empty).")
    two = _two_classes(path, read.rows)
    names = {row.prediction for row in read.rows}
    # a class may be called as people write "cannot tell"; then it is the class that is meant
    known = [row for row in read.rows if row.label in names or _binary(row.label) is not None]
    skipped = len(read.rows) - len(known)
    if not known:
        raise InputError(f"{path.name!r} has no label but 'cannot tell', so there is no estimate.")
    sample = _weights(known)
    classes: tuple[ClassEstimate, ...] = ()
    if two:
        metrics = _two(known, sample, confidence)
    else:
        metrics, classes = _many(known, sample, confidence)
    warnings: list[str] = []
    warnings += _left_out(classes)
    if classes and not names & {row.label for row in known}:
        warnings.append(
            "No label is the name of a predicted class. Are both spelled in the same way, and are "
            "these two files of the same draw?"
        )
    if skipped:
        warnings.append(f"{counted(skipped, 'item')} marked as cannot tell were left out.")
    return Estimates(
        metrics=metrics,
        labels=len(known),
        skipped=skipped,
        waiting=read.empty,
        confidence=confidence,
        design="known chances" if key is None else "known chances, from the key",
        classes=classes,
        warnings=tuple(warnings),
        assumptions=(
            "Every item of the collection had the stated chance to be drawn, and no item without a "
            "label was left out because of what it is.",
            "The interval is for reading: its coverage was measured, not proved.",
            _together(sample),
        ),
    )


def _together(sample: Weighted) -> str:
    if sample.cluster is None:
        return (
            "Items were drawn one by one. Where they came together (threads, custodians, cases), name "
            "them in a column 'cluster': the intervals are too narrow otherwise."
        )
    return f"{counted(int(sample.cluster.max()) + 1, 'cluster')} were drawn, with their items."


def _two_classes(path: Path, rows: Sequence[SampledRow]) -> bool:
    """Whether these are labels of two classes, 0 and 1; refused where they may or may not be."""
    guesses = {_binary(row.prediction) for row in rows}
    odd = [row for row in rows if _binary(row.label) == ""]
    if not guesses <= {0, 1}:
        return False
    stray = next((row for row in odd if not row.label.lstrip("-").isdigit()), None)
    if stray is not None:
        raise InputError(
            f"{path.name!r}: every prediction is 0 or 1, and the label of item {stray.item!r} is "
            f"{stray.label!r}. Labels of two classes are 0, 1, or '?' for cannot tell."
        )
    return not odd


def _left_out(classes: Sequence[ClassEstimate]) -> list[str]:
    """Which classes a macro figure is not about, because nothing of them was seen."""
    said = []
    for kind, why in (("precision", "has no prediction of"), ("recall", "has no item of")):
        missing = [one.name for one in classes if getattr(one, kind) is None]
        if missing:
            shown = ", ".join(repr(name) for name in missing[:5])
            more = ", …" if len(missing) > 5 else ""
            said.append(f"Macro {kind} leaves out what the sample {why}: {shown}{more}.")
    return said


def _binary(text: str) -> int | str | None:
    """0, 1, None for "cannot tell", or "" where the text is a name of a class."""
    try:
        return read_label(text)
    except InputError:
        return ""


def _weights(rows: Sequence[SampledRow]) -> Weighted:
    names = {name: k for k, name in enumerate(dict.fromkeys(row.stratum for row in rows))}
    stratum = np.array([names[row.stratum] for row in rows], dtype=np.int64)
    if all(row.probability is not None for row in rows):
        weight = chances_to_weights([row.probability or 0.0 for row in rows])
        return Weighted(weight=weight, stratum=stratum, cluster=_clusters(rows))
    sizes: dict[str, set[int]] = {}
    for row in rows:
        sizes.setdefault(row.stratum, set()).add(row.items or 0)
    mixed = next((name for name, size in sizes.items() if len(size) > 1), None)
    if mixed is not None:
        raise InputError(
            f"The stratum {mixed!r} has two sizes, {sorted(sizes[mixed])}. Were two files mixed up?"
        )
    drawn = Counter(row.stratum for row in rows)
    over = next((row for row in rows if (row.items or 0) < drawn[row.stratum]), None)
    if over is not None:
        raise InputError(
            f"The stratum {over.stratum!r} has {over.items} items and {drawn[over.stratum]} labels. Were "
            "two files mixed up?"
        )
    weight = np.array([(row.items or 0) / drawn[row.stratum] for row in rows])
    return Weighted(weight=weight, stratum=stratum, cluster=_clusters(rows))


def _clusters(rows: Sequence[SampledRow]) -> Ints | None:
    """The cluster of each row, counted within its stratum; None where the file names none."""
    if rows[0].cluster is None:
        return None
    names = [(row.stratum, row.cluster) for row in rows]
    number = {name: k for k, name in enumerate(dict.fromkeys(names))}
    return np.array([number[name] for name in names], dtype=np.int64)


def _two(
    rows: Sequence[SampledRow], sample: Weighted, confidence: float
) -> tuple[MetricEstimate, ...]:
    label = np.array([_binary(row.label) == 1 for row in rows])
    predicted = np.array([_binary(row.prediction) == 1 for row in rows])
    metrics = []
    for name in BINARY:
        ratio = metric(name)
        ratio_estimate = weighted_estimate(
            ratio, sample, predicted=predicted, label=label, confidence=confidence
        )
        metrics.append(_metric(ratio.name, ratio.title, ratio_estimate, confidence))
    return tuple(metrics)


def _many(
    rows: Sequence[SampledRow], sample: Weighted, confidence: float
) -> tuple[tuple[MetricEstimate, ...], tuple[ClassEstimate, ...]]:
    """Accuracy, macro figures and every class. A macro figure is the mean over classes."""
    label = np.array([row.label for row in rows])
    predicted = np.array([row.prediction for row in rows])
    right = (label == predicted).astype(np.float64)
    ones = np.ones(len(right))
    estimate = ratio_estimate(right, ones, sample, confidence=confidence)
    metrics = [_metric("accuracy", "accuracy", estimate, confidence)]
    names = sorted({*label.tolist(), *predicted.tolist()})
    parts: dict[str, list[tuple[Floats, Floats]]] = {}
    classes = []
    for name in names:
        values: dict[str, float | None] = {}
        for kind in ("precision", "recall", "f1"):
            part = binary_parts(metric(kind), predicted == name, label == name)
            parts.setdefault(kind, []).append(part)
            values[kind] = ratio_estimate(*part, sample, confidence=confidence).point
        classes.append(ClassEstimate(name=name, labels=int((label == name).sum()), **values))
    for kind, ratios in parts.items():
        macro = mean_of_ratios(ratios, sample, confidence=confidence)
        metrics.append(_metric(f"macro-{kind}", f"macro {metric(kind).title}", macro, confidence))
    return tuple(metrics), tuple(classes)


def _metric(name: str, title: str, estimate: RatioEstimate, confidence: float) -> MetricEstimate:
    return MetricEstimate(
        metric=name,
        title=title,
        point=estimate.point,
        low=estimate.low,
        high=estimate.high,
        method=METHOD,
        confidence=confidence,
        guaranteed_reason=REASON,
        reason=estimate.reason,
    )
