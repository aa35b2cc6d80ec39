"""What the parts of a claim are about: parts with one subject share a risk account."""

from dataclasses import dataclass
from typing import Any

from assaymark.claims.canonical import canonical
from assaymark.claims.language.grammar import parse
from assaymark.claims.language.tree import Comparison, Part, Threshold
from assaymark.claims.rows import RowPart
from assaymark.composite.sealed import PoolColumns, SealedClaim
from assaymark.stats.risk_account import Side

STRICT = 1e-12
"""How much harder "better" is than "at least as good"."""


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A figure of classifiers on the pool or a group of it, and which way it is claimed.

    `target` orders the claims on it; None where they have no order, so that only an identical claim
    is on the same row. `opposite` is the subject of the same comparison the other way round.
    """

    key: str
    side: Side = "lower"
    target: float | None = None
    opposite: str | None = None


def subjects_of(sealed: SealedClaim) -> tuple[Subject, ...]:
    """The subject of every part, in the order of the compiled parts."""
    return tuple(
        _subject(sealed, part, statement.tree.every)
        for claim, statement in zip(sealed.compiled, sealed.statements, strict=True)
        for part in claim.parts
    )


def rows_of_parts(sealed: SealedClaim) -> tuple[tuple[int, ...], ...]:
    """The rows of every part by their numbers in the test."""
    numbers, start = [], 0
    for claim in sealed.compiled:
        for part in claim.parts:
            numbers.append(tuple(range(start, start + len(part.rows))))
            start += len(part.rows)
    return tuple(numbers)


def _subject(sealed: SealedClaim, part: RowPart, every: tuple[str, ...]) -> Subject:
    columns = sealed.columns
    if sealed.kind == "cut-off":
        return Subject(key=_key("cut-off", scores=columns.scores, claim=sealed.claim))
    leaf = parse(part.text).parts[0]
    groups = dict(zip(columns.groups[: len(every)], part.group, strict=True))
    where = {"groups": groups, "labels": _labels(columns)}
    if isinstance(leaf, Comparison):
        return _compared(sealed, leaf, where)
    if isinstance(leaf, Threshold):
        return _threshold(sealed, leaf, where)
    names = _columns_of(sealed)
    return Subject(key=_key("other", claim=str(leaf), columns=names, **where))


def _compared(sealed: SealedClaim, leaf: Comparison, where: dict[str, Any]) -> Subject:
    columns = dict(zip(sealed.classifiers, _columns_of(sealed), strict=True))
    ends = columns[leaf.challenger], columns[leaf.champion]
    rest = {"metric": leaf.figure.metric, "classes": leaf.figure.names[:-1], **where}
    return Subject(
        key=_key("comparison", ends=ends, **rest),
        opposite=_key("comparison", ends=ends[::-1], **rest),
        target=float(leaf.offset) + STRICT * leaf.strict,
    )


def _threshold(sealed: SealedClaim, leaf: Threshold, where: dict[str, Any]) -> Subject:
    metric, side, target = on_one_scale(leaf.figure.metric, leaf.side, float(leaf.target))
    known = dict(zip(sealed.classifiers, _columns_of(sealed), strict=True))
    columns = [known[name] for name in leaf.figure.names if name in known]
    classes = [name for name in leaf.figure.names if name not in known]
    classifier = (columns or _columns_of(sealed))[0]
    key = _key("threshold", metric=metric, classes=classes, classifier=classifier, **where)
    return Subject(key=key, side=side, target=target)


def on_one_scale(metric: str, side: Side, target: float) -> tuple[str, Side, float]:
    """Jaccard on the scale of F1, and the negative predictive value on that of elusion.

    >>> on_one_scale("npv", "lower", 0.75)
    ('elusion', 'upper', 0.25)
    """
    if metric == "jaccard":
        return "f1", side, 2 * target / (1 + target)
    if metric == "npv":
        return "elusion", "upper" if side == "lower" else "lower", 1 - target
    return metric, side, target


def _columns_of(sealed: SealedClaim) -> tuple[str, ...]:
    """What makes the predictions of each classifier: a column, a threshold, probabilities."""
    columns = sealed.columns
    made: list[str] = list(columns.predictions)
    if columns.threshold is not None:
        made.append(f"{columns.scores[0]} >= {columns.threshold!r}")
    if columns.probabilities:
        made.append("largest of " + ", ".join(columns.probabilities))
    return tuple(made)


def _labels(columns: PoolColumns) -> list[Any]:
    """What labels can be; the way in which a claim counts them is no part of its subject."""
    return [columns.positive if columns.view == "two" else None, list(columns.classes)]


def _key(kind: str, **parts: Any) -> str:
    return canonical({"kind": kind, **{k: _plain(v) for k, v in parts.items()}})


def _plain(value: Any) -> Any:
    return [_plain(one) for one in value] if isinstance(value, tuple | list) else value


def is_about_registered(sealed: SealedClaim, leaf: Part) -> bool:
    """Whether plans of one row on the project's classifier speak of the same figure."""
    return (
        sealed.kind == "conjunction"
        and sealed.names == ("classifier",)
        and not sealed.statements[0].tree.every
        and isinstance(leaf, Threshold)
        and not leaf.figure.names
        and not sealed.columns.classes
    )
