"""The claim as it is sealed: its words, its strata and everything its test depends on."""

import itertools
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, cast, get_args

from assaymark.claims.cells import Cell, Cells
from assaymark.claims.ladders import compile_ladder
from assaymark.claims.language.tree import ClaimTree, from_json
from assaymark.claims.linear import Choices, compile_claim
from assaymark.claims.record import restored, stored
from assaymark.claims.rows import LinearClaim
from assaymark.composite.shared_risk.risk import ClaimRisk, read_risk
from assaymark.composite.views import View, believed, counted_names
from assaymark.errors import InputError, VerificationError, message_of
from assaymark.records.seeds import SeedSource

PURPOSE: Literal["claim"] = "claim"
COMPILER, RENEWAL = "claims/1", "sealed/1"
METHODS = {"any time": "betting/2", "once": "walk/1"}
DIGITS = 6
Kind = Literal["comparison", "conjunction", "cut-off"]
Lead = Literal["one", "several"]
Family = Literal["every", "named"]
Judged = Literal["any time", "once"]
Allocation = Literal["one at a time", "shared"]
COMPILED = ("cells", "beliefs", "compiled", "row_numbers")
MAY_LACK = ("only", "start", "ceiling")
AS_THEY_ARE = (
    "kind", "claim", "confidence", "level", "lead", "chained", "metric", "least_group", "names",
    "family", "judged", *MAY_LACK,
)  # fmt: skip
NOTES = {"left_out", "level", "risk", "source", "digests", "constants"}


@dataclass(frozen=True, kw_only=True)
class PoolColumns:
    """Which columns of the pool the strata are made of.

    `predictions` are one column for each classifier; `threshold` makes them from the score, and
    `probabilities`, one for each of the `classes`, by the largest. `view` is how labels are
    counted; that of a class is about `positive`. With `tags` every class is a set of them.
    """

    id: str
    predictions: tuple[str, ...] = ()
    positive: str | None = None
    scores: tuple[str, ...] = ()
    threshold: float | None = None
    groups: tuple[str, ...] = ()
    rungs: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    probabilities: tuple[str, ...] = ()
    view: View = "two"
    tags: tuple[str, ...] = ()

    def to_settings(self) -> dict[str, Any]:
        """Plain values for the ledger; without tags as before there were any."""
        plain = _listed(vars(self))
        return {name: value for name, value in plain.items() if name != "tags" or value}

    @property
    def classifiers(self) -> int:
        """How many classifiers there are."""
        made = self.threshold is not None or bool(self.probabilities)
        return len(self.predictions) + made


@dataclass(frozen=True, kw_only=True)
class ClaimStratum:
    """Items with the same predictions, groups and score bin; scores from `low` up to below `high`.

    `shares` are the mean probabilities of the classes, where there is a column for each.
    """

    predictions: tuple[str, ...]
    groups: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    items: int
    mean_score: float | None = None
    shares: tuple[float, ...] = ()

    @property
    def name(self) -> str:
        """A name for people."""
        bounds = [f"from {self.low:g}"] if self.low is not None else []
        bounds += [f"below {self.high:g}"] if self.high is not None else []
        return ", ".join(["predicted " + " ".join(self.predictions), *self.groups, *bounds])


@dataclass(frozen=True, kw_only=True)
class Statement:
    """One statement of a claim. In a comparison `winner` beats the other by `offset`."""

    tree: ClaimTree
    winner: str | None = None
    offset: Fraction = Fraction(0)


@dataclass(frozen=True, kw_only=True)
class SealedClaim:
    """Everything that is fixed before the first label.

    `level` is the chance that a single statement is wrong, `confidence` what is promised of all
    together. With `chained` a statement counts only after every easier one of its side. `names`
    are what the claim calls its classifiers; `family` says whether all parts hold together or each
    is named by itself; `ceiling` is the number of draws after which the test ends. A ladder that is
    `judged` once is walked when all of them are labelled. `allocation` says whether a segment of draws
    is for one group or shared among all that want labels. `risk` is what earlier
    claims on the same subjects left of the risk that all of them share; `source` is where the seed
    comes from.
    """

    kind: Kind
    claim: str
    confidence: float
    level: float
    lead: Lead = "several"
    columns: PoolColumns
    strata: tuple[ClaimStratum, ...]
    statements: tuple[Statement, ...]
    chained: bool = False
    metric: str = ""
    margin: Fraction | None = None
    only: str | None = None
    start: str | None = None
    left_out: tuple[tuple[str, ...], ...] = ()
    least_group: int = 0
    names: tuple[str, ...] = ("classifier",)
    family: Family = "every"
    ceiling: int | None = None
    judged: Judged = "any time"
    allocation: Allocation = "one at a time"
    risk: ClaimRisk = field(default_factory=ClaimRisk)
    source: SeedSource = field(default_factory=SeedSource)
    digests: tuple[str, ...] = ()
    constants: tuple[dict[str, Any], ...] = field(default=())

    @cached_property
    def compiled(self) -> tuple[LinearClaim, ...]:
        """The rows of every statement."""
        if self.kind == "cut-off":
            return (compile_ladder(self.statements[0].tree, self.cells, start=self.start),)
        choices = Choices(least_group=self.least_group, family=self.family)
        return tuple(compile_claim(s.tree, self.cells, choices) for s in self.statements)

    @cached_property
    def row_numbers(self) -> tuple[tuple[int, ...], ...]:
        """The rows of every statement by their numbers in the test."""
        stops = list(itertools.accumulate((len(c.rows) for c in self.compiled), initial=0))
        return tuple(tuple(range(*ends)) for ends in itertools.pairwise(stops))

    @cached_property
    def cells(self) -> Cells:
        """The strata as the compiler of claims reads them."""
        columns = self.columns
        count = len(columns.rungs) or columns.classifiers
        names, others, positive = counted_names(
            columns.view, columns.classes, about=columns.positive, classifiers=count
        )
        return Cells(
            classifiers=self.classifiers,
            classes=names,
            others=others,
            positive=positive,
            tags=columns.tags if columns.view == "labels" else (),
            columns=columns.groups,
            cells=tuple(
                Cell(
                    predictions=s.predictions,
                    groups=s.groups,
                    items=s.items,
                    beliefs=tuple(map(_fraction, self.beliefs[k])) if self.beliefs else (),
                )
                for k, s in enumerate(self.strata)
            ),
        )

    @cached_property
    def beliefs(self) -> tuple[tuple[float, ...], ...]:
        """The expected share of every outcome per stratum; empty without scores."""
        if not self.is_scored:
            return ()
        columns = self.columns
        return tuple(
            (*s.shares, 0.0)
            if s.shares
            else believed(
                columns.view,
                columns.classes,
                about=columns.positive,
                predictions=s.predictions,
                score=s.mean_score or 0.0,
            )
            for s in self.strata
        )

    @property
    def classifiers(self) -> tuple[str, ...]:
        """The names of the classifiers in the claim."""
        if self.kind == "cut-off":
            return self.columns.rungs
        return ("a", "b") if self.kind == "comparison" else self.names

    @property
    def is_scored(self) -> bool:
        """Whether every stratum has a mean score."""
        return all(s.mean_score is not None for s in self.strata)

    @property
    def items(self) -> int:
        """How many items the pool holds."""
        return sum(s.items for s in self.strata)

    @property
    def most(self) -> int:
        """How many draws there can be."""
        if self.ceiling is None:
            return self.items
        reach = self.items
        if self.judged == "once":
            inside = {cell for row in self.compiled[0].rows for cell in row.domain}
            reach = sum(self.strata[k].items for k in inside)
        return min(self.ceiling, reach)

    @property
    def disagree(self) -> int:
        """How many items the two classifiers of a comparison judge differently."""
        return sum(s.items for s in self.strata if len(set(s.predictions)) > 1)

    @property
    def stated(self) -> float:
        """The confidence in all claims of this account, and of further ones on its subjects."""
        return self.risk.stated(self.confidence)

    def to_settings(self) -> dict[str, Any]:
        """Plain values for the ledger."""
        settings: dict[str, Any] = _listed({name: getattr(self, name) for name in AS_THEY_ARE})
        settings |= {
            "compiler": COMPILER,
            "method": METHODS[self.judged],
            "renewal": RENEWAL,
            "columns": self.columns.to_settings(),
            "strata": [_listed(vars(s)) for s in self.strata],
            "statements": [
                {
                    "text": str(s.tree),
                    "tree": s.tree.to_json(),
                    "winner": s.winner,
                    "offset": str(s.offset),
                    "rows": d,
                    "constants": c,
                }
                for s, d, c in zip(self.statements, self.digests, self.constants, strict=True)
            ],
            "margin": None if self.margin is None else str(self.margin),
            "left_out": [list(group) for group in self.left_out],
            "risk": self.risk.to_json(),
        }
        if self.allocation != "one at a time":
            settings["allocation"] = self.allocation
        if self.source.law != "open":
            settings["seed_source"] = stored(self.source)
        return settings


def annotated(sealed: SealedClaim, **notes: Any) -> SealedClaim:
    """The claim with notes that its rows do not depend on, so that they are not compiled again."""
    if notes.keys() - NOTES:
        raise TypeError(f"rows may depend on {', '.join(sorted(notes.keys() - NOTES))}")
    claim = replace(sealed, **notes)
    vars(claim).update({name: vars(sealed)[name] for name in COMPILED if name in vars(sealed)})
    return claim


def read_settings(data: dict[str, Any]) -> SealedClaim:
    """The claim that `to_settings` wrote; refused where a stranger's ledger holds something else."""
    try:
        return _read(data)
    except (
        KeyError, TypeError, ValueError, AttributeError, ArithmeticError, InputError
    ) as error:  # fmt: skip
        raise VerificationError(
            f"A claim in the ledger cannot be read: {message_of(error)}"
        ) from error


def _read(data: dict[str, Any]) -> SealedClaim:
    sealed_by = (data["compiler"], data["method"], data["renewal"])
    known = (COMPILER, METHODS.get(data["judged"], ""), RENEWAL)
    if sealed_by != known:
        raise VerificationError(
            f"The claim was sealed with {', '.join(sealed_by)}, and this version of assaymark knows "
            f"{', '.join((COMPILER, *METHODS.values(), RENEWAL))}. Install a newer assaymark to read it."
        )
    fields = {name: data.get(name) if name in MAY_LACK else data[name] for name in AS_THEY_ARE}
    fields |= {name: float(data[name]) for name in ("confidence", "level")}
    return SealedClaim(
        **_tuples(fields),
        columns=_columns(data["columns"]),
        strata=tuple(_stratum(s) for s in data["strata"]),
        statements=tuple(
            Statement(
                tree=from_json(s["tree"]), winner=s.get("winner"), offset=Fraction(s["offset"])
            )
            for s in data["statements"]
        ),
        margin=Fraction(data["margin"]) if data.get("margin") is not None else None,
        left_out=tuple(tuple(group) for group in data["left_out"]),
        allocation=_allocation(data.get("allocation", "one at a time")),
        risk=read_risk(data["risk"]),
        source=restored(SeedSource, data["seed_source"]) if "seed_source" in data else SeedSource(),
        digests=tuple(s["rows"] for s in data["statements"]),
        constants=tuple(s["constants"] for s in data["statements"]),
    )


def _allocation(word: str) -> Allocation:
    if word not in get_args(Allocation):
        raise ValueError(f"no way to share draws among groups is called {word!r}")
    return cast("Allocation", word)


def _fraction(share: float) -> Fraction:
    return Fraction(round(share * 10**DIGITS), 10**DIGITS)


def _columns(data: dict[str, Any]) -> PoolColumns:
    """Columns with values of the right kind: they go into queries of the pool."""
    fields = _tuples(data)
    if fields.get("threshold") is not None:
        fields["threshold"] = float(fields["threshold"])
    for name, value in fields.items():
        texts = value if isinstance(value, tuple) else (value,)
        if name != "threshold" and not all(text is None or isinstance(text, str) for text in texts):
            raise TypeError(f"the column '{name}' has no name")
    return PoolColumns(**fields)


def _stratum(data: dict[str, Any]) -> ClaimStratum:
    fields = _tuples(data)
    for name in ("low", "high", "mean_score"):
        if fields.get(name) is not None:
            fields[name] = float(fields[name])
    fields["shares"] = tuple(map(float, fields.get("shares", ())))
    return ClaimStratum(**fields)


def _tuples(data: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(v) if isinstance(v, list) else v for key, v in data.items()}


def _listed(data: dict[str, Any]) -> dict[str, Any]:
    return {key: list(v) if isinstance(v, tuple) else v for key, v in data.items()}
