"""The figures that a certificate proves, one per part of its claim, with their bounds."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assaymark.certification.certificate.words import estimate_of
from assaymark.claims.language.grammar import parse
from assaymark.claims.language.tree import Comparison, Gap, Part, Threshold, Within
from assaymark.composite.look_facts import (
    ComparisonFacts,
    ConjunctionFacts,
    CutOffFacts,
    LookFacts,
    PartFacts,
)
from assaymark.composite.wording import statement
from assaymark.records.certificate import Certificate

LEAST_GAP = -1.0


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A metric with what is proved of it; an end of which nothing is proved is that of its scale.

    `part` says of which class, group or pair of classifiers it is; None for the whole pool.
    `key` tells it from the other figures of its certificate, in letters that every tool takes.
    """

    metric: str
    title: str
    key: str
    claim: str
    confidence: float
    method: str
    labels: int
    part: str | None = None
    point: float | None = None
    low: float = 0.0
    high: float = 1.0
    least: float = 0.0
    lower_is_better: bool = False

    @property
    def score(self) -> float:
        """The estimate; where none is defined, the proved bound is the only figure."""
        bound = self.high if self.lower_is_better else self.low
        return bound if self.point is None else self.point

    def of(self, pool: str) -> str:
        """What it was measured on: the pool, or a part of it."""
        return pool if self.part is None else f"{pool}: {self.part}"


def single_figure(certificate: Certificate) -> Figure:
    """The figure of a claim of one part, with its estimate."""
    estimate, claim = estimate_of(certificate), certificate.claim
    interval = estimate.interval
    return Figure(
        metric=estimate.metric,
        title=estimate.title,
        key=estimate.metric,
        claim=str(claim),
        confidence=interval.confidence,
        method=interval.method,
        labels=estimate.labels,
        point=estimate.point,
        low=interval.low,
        high=interval.high,
        lower_is_better=claim.side == "upper",
    )


def several_figures(result: LookFacts) -> tuple[Figure, ...]:
    """The figures of a certificate of several parts, a comparison or a cut-off: what is proved."""
    if result.kind == "comparison":
        return _with_keys(_compared(result))
    return _with_keys(_cut_off(result) if result.kind == "cut-off" else _parts(result))


def _common(result: LookFacts) -> dict[str, Any]:
    judged = "judged once" if result.judged == "once" else "judged at any time"
    return {
        "key": "",
        "confidence": result.confidence,
        "method": f"score-guided, {judged}",
        "labels": result.labels,
    }


def _compared(result: ComparisonFacts) -> list[Figure]:
    a, b = result.classifiers
    return [
        Figure(
            **_common(result),
            metric=f"{result.metric} gap",
            title=f"{result.metric} of {b} less that of {a}",
            claim=statement(result),
            part=f"{b} less {a}",
            low=result.gap_low,
            high=result.gap_high,
            least=LEAST_GAP,
        )
    ]


def _cut_off(result: CutOffFacts) -> list[Figure]:
    (part,) = parse(result.claim).parts
    proved = _proved(part, None) | {"part": f"score >= {result.cutoff:g}"}
    return [Figure(**_common(result), **proved, claim=statement(result))]


def _parts(result: ConjunctionFacts) -> list[Figure]:
    columns = parse(result.claim).every
    return [_of_part(result, part, columns) for part in result.parts if part.state == "reached"]


def _of_part(result: ConjunctionFacts, facts: PartFacts, columns: Sequence[str]) -> Figure:
    (part,) = parse(facts.part).parts
    named = zip(columns, facts.group, strict=True) if columns else ()
    groups = [f"{column} = {value}" for column, value in named]
    proved = _proved(part, facts.bound)
    where = [name for name in (proved.pop("part", None), *groups) if name]
    common = _common(result) | {"labels": facts.labels}
    return Figure(**common, **proved, claim=facts.part, part=", ".join(where) or None)


def _proved(part: Part, bound: float | None) -> dict[str, Any]:
    """The metric of a part and what is proved of it: its bound, or else what was claimed."""
    name, words = part.figure.metric, str(part.figure)
    if isinstance(part, Threshold):
        value = float(part.target) if bound is None else bound
        upper = part.side == "upper"
        return {
            "metric": name,
            "title": words,
            "part": ", ".join(part.figure.names) or None,
            "lower_is_better": upper,
            ("high" if upper else "low"): value,
        }
    if isinstance(part, Gap):
        limit = float(part.limit)
        title = f"{words} gap between {' and '.join(part.columns)}"
        return {"metric": f"{name} gap", "title": title, "high": limit, "lower_is_better": True}
    first, second = part.figure.names[-1], _other(part)
    ends: dict[str, Any] = {"low": float(part.offset)} if isinstance(part, Comparison) else {}
    if isinstance(part, Within):
        ends = {"low": -float(part.margin), "high": float(part.margin)}
    of_class = [", ".join(part.figure.names[:-1])] if part.figure.names[:-1] else []
    return {
        "metric": f"{name} gap",
        "title": f"{words} less that of {second}",
        "part": ", ".join([*of_class, f"{first} less {second}"]),
        "least": LEAST_GAP,
        **ends,
    }


def _other(part: Comparison | Within) -> str:
    return part.champion if isinstance(part, Comparison) else part.other


def _with_keys(figures: Iterable[Figure]) -> tuple[Figure, ...]:
    """Each figure with a key of its own: the metric, and the part where there is one."""
    keyed: dict[str, Figure] = {}
    for figure in figures:
        slug = _slug(figure.metric) + (f"/{_slug(figure.part)}" if figure.part else "")
        number, key = 1, slug
        while key in keyed:
            number += 1
            key = f"{slug}-{number}"
        keyed[key] = replace(figure, key=key)
    return tuple(keyed.values())


def _slug(text: str) -> str:
    """Letters, digits and underscores only.

    >>> _slug("language = de"), _slug("macro f1")
    ('language_de', 'macro_f1')
    """
    return re.sub(r"[^A-Za-z0-9.]+", "_", text).strip("_") or "part"
