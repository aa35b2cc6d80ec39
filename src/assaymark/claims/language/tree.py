"""The claim as a frozen tree, with one canonical text and one plain-JSON form."""

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from assaymark.claims.metrics import (
    ALIASES,
    AVERAGES,
    ESTIMATE_ONLY,
    F_BETA,
    RATIOS,
    decimal,
    spelled,
)

BARE = re.compile(r"[^\W\d]\w*(?:[-.][^\W\d]\w*)*")
STRUCTURE = frozenset(
    [
        "of",
        "every",
        "each",
        "class",
        "classes",
        "in",
        "for",
        "gap",
        "between",
        "within",
        "and",
        "is",
        "at",
        "least",
        "most",
        "percent",
        "score",
        "macro",
        "micro",
        "weighted",
        "balanced",
        "average",
    ]
)
RESERVED = STRUCTURE | {
    word for name in (*RATIOS, *AVERAGES, *ALIASES, *ESTIMATE_ONLY) for word in name.split()
}


def quoted(name: str) -> str:
    """A name as the grammar reads it back: in quotes where it could be taken for a word of it.

    >>> quoted("spam"), quoted("recall"), quoted("sci.space"), quoted('a "b"')
    ('spam', '"recall"', 'sci.space', '"a \\\\"b\\\\""')
    """
    if BARE.fullmatch(name) and not is_reserved(name):
        return name
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def is_reserved(word: str) -> bool:
    """Whether a bare word belongs to the grammar."""
    low = word.lower()
    return low in RESERVED or low == "f" or F_BETA.fullmatch(spelled(low)) is not None


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A metric, of one class or of every class, of one classifier.

    Names in order: class, classifier. A single name is either; the pool decides which.
    """

    metric: str
    names: tuple[str, ...] = ()
    every_class: bool = False

    def __str__(self) -> str:
        every = " of every class" if self.every_class else ""
        return self.metric + every + "".join(f" of {quoted(name)}" for name in self.names)


@dataclass(frozen=True, kw_only=True)
class Threshold:
    """ "The figure is at least, or at most, the target"."""

    figure: Figure
    side: Literal["lower", "upper"]
    target: Fraction

    def __str__(self) -> str:
        relation = ">=" if self.side == "lower" else "<="
        return f"{self.figure} {relation} {decimal(self.target)}"


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """ "The figure of one classifier exceeds that of another by `offset`"; strict is "better"."""

    figure: Figure
    champion: str
    offset: Fraction
    strict: bool

    @property
    def challenger(self) -> str:
        """The classifier on the larger side."""
        return self.figure.names[-1]

    def __str__(self) -> str:
        other = Figure(
            metric=self.figure.metric,
            names=(*self.figure.names[:-1], self.champion),
            every_class=self.figure.every_class,
        )
        sign = f" {'+' if self.offset > 0 else '-'} {decimal(abs(self.offset))}"
        return f"{self.figure} {'>' if self.strict else '>='} {other}{sign if self.offset else ''}"


@dataclass(frozen=True, kw_only=True)
class Within:
    """ "The figures of two classifiers differ by at most `margin`"."""

    figure: Figure
    other: str
    margin: Fraction

    def __str__(self) -> str:
        return f"{self.figure} within {decimal(self.margin)} of {quoted(self.other)}"


@dataclass(frozen=True, kw_only=True)
class Gap:
    """ "The figure differs between any two groups by at most `limit`"."""

    figure: Figure
    columns: tuple[str, ...]
    limit: Fraction

    def __str__(self) -> str:
        return f"{self.figure} gap between {_joined(self.columns)} <= {decimal(self.limit)}"


Part = Threshold | Comparison | Within | Gap
KINDS: dict[str, type[Part]] = {
    "threshold": Threshold,
    "comparison": Comparison,
    "within": Within,
    "gap": Gap,
}


@dataclass(frozen=True, kw_only=True)
class ClaimTree:
    """All parts together, in every group of the columns named."""

    parts: tuple[Part, ...]
    every: tuple[str, ...] = ()

    def __str__(self) -> str:
        text = " and ".join(map(str, self.parts))
        return f"{text} in every {_joined(self.every)}" if self.every else text

    def to_json(self) -> dict[str, Any]:
        """Plain values: exact numbers as decimal text, absent fields left out."""
        plain: dict[str, Any] = {"parts": [_plain_part(part) for part in self.parts]}
        return {**plain, "every": list(self.every)} if self.every else plain


def _joined(columns: tuple[str, ...]) -> str:
    return " and ".join(map(quoted, columns))


def _plain_part(part: Part) -> dict[str, Any]:
    kind = next(name for name, cls in KINDS.items() if isinstance(part, cls))
    fields = {key: _plain(value) for key, value in vars(part).items()}
    return {"kind": kind, **fields}


def _plain(value: Any) -> Any:
    if isinstance(value, Fraction):
        return decimal(value)
    if isinstance(value, Figure):
        figure: dict[str, Any] = {"metric": value.metric}
        if value.names:
            figure["names"] = list(value.names)
        return {**figure, "every_class": True} if value.every_class else figure
    return list(value) if isinstance(value, tuple) else value


def from_json(data: dict[str, Any]) -> ClaimTree:
    """The tree that `to_json` wrote."""
    return ClaimTree(
        parts=tuple(_part(part) for part in data["parts"]), every=tuple(data.get("every", ()))
    )


def _part(data: dict[str, Any]) -> Part:
    fields = {key: value for key, value in data.items() if key != "kind"}
    fields["figure"] = Figure(
        metric=data["figure"]["metric"],
        names=tuple(data["figure"].get("names", ())),
        every_class=data["figure"].get("every_class", False),
    )
    for key in ("target", "offset", "margin", "limit"):
        if key in fields:
            fields[key] = Fraction(fields[key])
    if "columns" in fields:
        fields["columns"] = tuple(fields["columns"])
    return KINDS[data["kind"]](**fields)
