"""What every SQL engine does alike with a pool: check it, count it, draw its lowest tickets."""

import difflib
import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assaymark.errors import InputError
from assaymark.hints import option, switch
from assaymark.pool import Progress, silent
from assaymark.pool.dialect import Dialect
from assaymark.pool.grid import grid_sql, merge
from assaymark.pool.queries import (
    ends_sql,
    flaws,
    histogram_sql,
    score_sql,
    strata_sql,
    tickets_sql,
    validation_sql,
)
from assaymark.records.plan import Stratum
from assaymark.records.pool import Columns, Histogram, PoolSummary, ReservedItem

AT_ONCE = 5_000  # ids that one query names


class SqlPool(ABC):
    """A pool that answers SQL under the name `view`, in the columns of `queries.view_sql`.

    Under the name `everything` it has all the columns that it came with, of these `types`.
    """

    dialect: Dialect
    columns: Columns
    view = "pool"
    everything = "everything"
    types: Mapping[str, str]
    id_is_text = True
    comma_may_slip = False
    _summary: PoolSummary | None = None
    _ends: tuple[float | None, float | None] | None = None

    def select(self, sql: str) -> list[Any]:
        """The rows of a plain SELECT over the pool's view; only for answers that fit the memory."""
        return self._rows(sql)

    @abstractmethod
    def _rows(self, sql: str) -> list[Any]:
        """The answer to a query, all of it; only ever asked for what fits the memory."""

    @abstractmethod
    def _repeated(self, items: int) -> list[Any]:
        """Up to three ids that occur more than once, with how often."""

    def summary(self, progress: Progress = silent) -> PoolSummary:
        """Counts and histograms after validation; refuses a pool that cannot be used."""
        if self._summary is None:
            items, low, high = self._checked(progress)
            progress("counting scores", 0.8)
            self._summary = self._counted(items, low, high)
        return self._summary

    def check(self, progress: Progress = silent) -> int:
        """The number of items after the same validation, where no summary is needed."""
        return self._checked(progress)[0]

    def _checked(self, progress: Progress) -> tuple[int, float | None, float | None]:
        progress("checking ids, scores and predictions", 0.1)
        items, low, high = self._validated()
        self._ends = (low, high)
        progress("looking for duplicate ids", 0.4)
        self._refuse_duplicates(items)
        return items, low, high

    @property
    def score_sql(self) -> str:
        """The score as a number, in terms of the columns of `everything`."""
        return score_sql(self.columns.score, self.types, self.dialect)

    def _validated(self) -> tuple[int, float | None, float | None]:
        columns = self.columns
        tests = flaws(columns, self.dialect, id_is_text=self.id_is_text)
        sql = validation_sql(self.view, columns, self.dialect, list(tests.values()))
        items, low, high, *bad = self._rows(sql)[0]
        if items == 0:
            raise InputError("The pool is empty: there is no item to draw from.")
        for (name, condition), number in zip(tests.items(), bad, strict=True):
            if number:
                self._refuse(name, condition, number, items)
        if columns.threshold is not None and not low <= columns.threshold <= high:
            raise InputError(
                f"The threshold {columns.threshold:g} is outside the scores, which run from "
                f"{low:g} to {high:g}. Choose one between them."
            )
        return items, _unsigned_zero(low), _unsigned_zero(high)

    def _refuse(self, name: str, condition: str, number: int, items: int) -> None:
        shown = self._rows(f"SELECT id FROM {self.view} WHERE {condition} ORDER BY id LIMIT 3")
        where = ", ".join(str(row[0]) for row in shown) + (", …" if number > 3 else "")
        columns = self.columns
        hint = self._score_hint(number) if name == "no_score" else ""
        sentence = {
            "no_id": f"have no id in '{columns.id}'",
            "no_score": f"have no number as score in '{columns.score}' (ids {where})",
            "odd_score": f"have a score that is not finite in '{columns.score}' (ids {where})",
            "odd_prediction": f"have neither 0 nor 1 in '{columns.prediction}' (ids {where})",
        }[name]
        if name == "odd_prediction":
            hint = self._empty_hint(str(columns.prediction), number) or (
                f" (Two other words need {option('positive', 'NAME')}, and names of classes need "
                f"{switch('classes')}.)"
            )
        raise InputError(
            f"{number:,} of {items:,} items {sentence}. Every item needs one: leave these items "
            f"out of the pool or complete them, then run it again.{hint}"
        )

    def _score_hint(self, missing: int) -> str:
        """Why scores are no numbers: cells that are empty, or a decimal comma."""
        comma = " (A score such as 0,5 has a decimal comma: write 0.5.)"
        empty = self._empty_hint(str(self.columns.score), missing)
        return empty or (comma if self.comma_may_slip else "")

    def _empty_hint(self, column: str, missing: int) -> str:
        """How many of the cells that hold nothing readable are empty."""
        name = self.dialect.name(column)
        blank = f"{name} IS NULL OR trim(CAST({name} AS STRING)) = ''"
        empty = self._rows(f"SELECT count(*) FROM {self.everything} WHERE {blank}")[0][0]
        if not empty:
            return ""
        verb = "are" if empty > 1 else "is"
        all_of_them = "Their cells" if empty > 1 else "Its cell"
        which = all_of_them if empty == missing else f"{empty:,} of the cells"
        return f" ({which} {verb} empty.)"

    def _refuse_duplicates(self, items: int) -> None:
        repeated = self._repeated(items)
        if repeated:
            shown = ", ".join(f"{name} ({times} times)" for name, times in repeated)
            raise InputError(
                f"Ids in '{self.columns.id}' are not unique: {shown}, … among {items:,} items. "
                "Each item needs its own id; remove the duplicates or choose another column."
            )

    def _counted(self, items: int, low: float | None, high: float | None) -> PoolSummary:
        rows = self._rows(histogram_sql(self.view, self.dialect, items=items, low=low, high=high))
        parts = {side: [row[1:] for row in rows if row[0] is side] for side in (False, True)}
        counts = {side: sum(row[1] for row in part) for side, part in parts.items()}
        return PoolSummary(
            items=items,
            predicted_positive=counts[True],
            predicted_negative=counts[False] if self.columns.predicts else 0,
            score_low=low,
            score_high=high,
            positive=_histogram(parts[True]) if low is not None else None,
            negative=_histogram(parts[False]) if low is not None else None,
        )

    def reserve(
        self,
        seed: str,
        *,
        strata: Sequence[Stratum],
        limits: Sequence[int],
        after: Sequence[str] | None = None,
        progress: Progress = silent,
    ) -> list[ReservedItem]:
        """The lowest tickets of each stratum, in ticket order, that follow the tickets `after`."""
        progress("drawing a ticket for every item", None)
        after = after or [""] * len(strata)
        limits = [min(limit, part.items) for limit, part in zip(limits, strata, strict=True)]
        cuts = [
            ticket_cut(limit, stratum.items, last)
            for stratum, limit, last in zip(strata, limits, after, strict=True)
        ]
        items = self._tickets(seed, strata, limits, after, cuts)
        short = [
            len([item for item in items if item.stratum == k]) < limits[k]
            for k in range(len(strata))
        ]
        if any(short):  # a stratum holds fewer items than asked for, or the cut-off was unlucky
            cuts = ["g" if poor else cut for poor, cut in zip(short, cuts, strict=True)]
            items = self._tickets(seed, strata, limits, after, cuts)
        return items

    def _tickets(
        self,
        seed: str,
        strata: Sequence[Stratum],
        limits: Sequence[int],
        after: Sequence[str],
        cuts: Sequence[str],
    ) -> list[ReservedItem]:
        by_score = any(s.grid_from is not None or s.grid_to is not None for s in strata)
        rows = self._rows(
            tickets_sql(
                self.view,
                self.dialect,
                seed=seed,
                grid=self._grid() if by_score else "0",
                strata=strata,
                limits=limits,
                after=after,
                cuts=cuts,
            )
        )
        items = map(ReservedItem._make, rows)
        # here and not in the engine: a few thousand rows, and every engine sorts text its own way
        return sorted(items, key=lambda item: (item.stratum, item.ticket, item.id))

    def strata_of(self, ids: Sequence[str], strata: Sequence[Stratum]) -> dict[str, int]:
        """The stratum of each of these items that lies in one."""
        by_score = any(s.grid_from is not None or s.grid_to is not None for s in strata)
        grid = self._grid() if by_score else "0"
        strata_by_id: dict[str, int] = {}
        for start in range(0, len(ids), AT_ONCE):
            part = ids[start : start + AT_ONCE]
            sql = strata_sql(self.view, self.dialect, ids=part, grid=grid, strata=strata)
            strata_by_id |= {str(name): int(k) for name, k in self._rows(sql)}
        return strata_by_id

    def _grid(self) -> str:
        if self._ends is None:
            low, high = self._rows(
                f"SELECT {ends_sql(self.columns, self.dialect)} FROM {self.view}"
            )[0]
            self._ends = (_unsigned_zero(low), _unsigned_zero(high))
        low, high = self._ends
        return grid_sql("score", low, high) if low is not None and high is not None else "0"


def refuse_unknown(column: str, known: Iterable[str]) -> None:
    """Refuse a column that the pool does not have, with the nearest name."""
    names = list(known)
    if column in names:
        return
    lowered = {name.lower(): name for name in names}
    near = difflib.get_close_matches(column.lower(), lowered, n=1)
    hint = f" Did you mean '{lowered[near[0]]}'?" if near else ""
    listed = ", ".join(names)
    raise InputError(f"Column '{column}' is not in the pool. Columns: {listed}.{hint}")


def ticket_cut(limit: int, items: int, after: str) -> str:
    """A ticket prefix that about `limit` of the remaining items lie below; 'g' for all of them."""
    start = int(after[:16], 16) / 2**64 if after else 0.0
    chance = start + (limit + 6 * math.sqrt(limit) + 10) / max(items, 1)
    return "g" if chance >= 1 else format(int(chance * 2**64), "016x")


def _unsigned_zero(score: float | None) -> float | None:
    # of 0.0 and -0.0, which are equal, an engine may call either the lowest
    return None if score is None else score + 0.0


def _histogram(rows: list[Any]) -> Histogram:
    positions = [int(row[0]) for row in rows]
    return merge(positions, [int(row[1]) for row in rows], [int(row[2]) for row in rows])
