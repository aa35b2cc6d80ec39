"""Labels bought for something other than a claim: a survey of named cells of a collection."""

from dataclasses import dataclass, field
from typing import Any

from assaymark.claims.checks import choice
from assaymark.claims.record import Record
from assaymark.records.pool import PoolFile
from assaymark.records.survey_kinds import SURVEY_KINDS


@dataclass(frozen=True, kw_only=True)
class Cell(Record):
    """A part of the collection that is sampled on its own, and how many items it holds."""

    name: str
    items: int


@dataclass(frozen=True, kw_only=True)
class Survey(Record):
    """What is asked, of which cells. Items come lowest ticket first within each cell.

    `source` and `files` name the collection where it is not the project's own pool; `settings`
    are the purpose's own values, such as the columns of a pair of classifiers.
    """

    number: int
    purpose: str
    seed: str
    cells: tuple[Cell, ...]
    text: tuple[str, ...] = ()
    source: str | None = None
    files: tuple[PoolFile, ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        choice("purpose", self.purpose, SURVEY_KINDS)
