"""The strata of a claim in the pool: counting them, and drawing their lowest tickets."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from assaymark.claims.label_sets import SEPARATOR
from assaymark.claims.results import counted
from assaymark.composite.sealed import DIGITS, ClaimStratum, PoolColumns
from assaymark.composite.views import REST
from assaymark.errors import InputError
from assaymark.hints import option, switch
from assaymark.pool import Pool
from assaymark.pool.dialect import double_sql
from assaymark.pool.queries import FALSE, TRUE
from assaymark.pool.sources import named, quoted, set_sql
from assaymark.pool.sql import refuse_unknown, ticket_cut
from assaymark.project.class_names import is_number
from assaymark.project.folder import Project
from assaymark.records.pool import NONE_OF_LIST, RegisteredPool

THIRDS = (0.333333, 0.666667)
UNLIKELY = (0.5, 0.812, 0.9293, 0.9734, 0.99)
"""Shares of the scores below each cut. Where no classifier predicts the class, few items have it and
they have the highest scores: these are cut finely, as in a claim about one figure."""
FEWEST_IN_BINS, FEWEST_IN_TAIL = 60, 20
MISSING = "(missing)"


class ClaimPool:
    """A registered pool seen through the columns of a claim."""

    def __init__(self, project: Project, registered: RegisteredPool, columns: PoolColumns) -> None:
        if registered.engine != "duckdb":
            raise InputError(
                "Claims with several parts, comparisons and cut-offs need a pool that DuckDB can "
                "read, and this pool needs Spark. Write its ids, predictions and texts as "
                "parquet files, and begin a project on these."
            )
        self.columns = columns
        self.pool: Pool = project.pool(registered)
        named = (*columns.predictions, *columns.scores, *columns.groups, *columns.probabilities)
        for name in named:
            refuse_unknown(name, self.pool.types)

    def __enter__(self) -> "ClaimPool":
        return self

    def __exit__(self, *_: object) -> None:
        self.pool.close()

    @property
    def base(self) -> str:
        """The pool as a subquery: id, predictions p0, p1, …, groups g0, g1, …, score s."""
        columns = self.columns
        parts = [f"CAST({named(columns.id)} AS VARCHAR) AS id", f"{self._score()} AS s"]
        parts += [f"{sql} AS p{i}" for i, sql in enumerate(self._viewed())]
        if columns.view == "labels":
            parts += [f"{number_sql(c)} AS q{i}" for i, c in enumerate(columns.probabilities)]
        if columns.threshold is not None:
            parts.append(
                f"CASE WHEN {self._score()} >= {double_sql(columns.threshold)} THEN '1' ELSE '0' END AS p0"
            )
        parts += [f"{_group(name)} AS g{i}" for i, name in enumerate(columns.groups)]
        return f"(SELECT {', '.join(parts)} FROM {self.pool.everything})"

    def _viewed(self) -> list[str]:
        """The predictions as the claim counts them."""
        columns, raw = self.columns, self._raw()
        if columns.view == "two":
            return [self._flag(name) for name in columns.predictions]
        if columns.view == "class":
            about = quoted(columns.positive or "")
            if columns.tags:
                sets = [
                    f"list_contains({self._set(name)}, {about})" for name in columns.predictions
                ]
                return [f"CASE WHEN {has} THEN {about} ELSE {quoted(REST)} END" for has in sets]
            return [
                f"CASE WHEN {p} = {about} THEN {about} WHEN {p} IS NOT NULL THEN {quoted(REST)} END"
                for p in raw
            ]
        return raw if columns.view == "labels" else [_pattern(raw, i) for i in range(len(raw))]

    def _raw(self) -> list[str]:
        """The predicted classes by their names."""
        columns = self.columns
        if columns.tags:
            return [self._set_name(name) for name in columns.predictions]
        if not columns.probabilities:
            return [f"nullif(trim(CAST({named(c)} AS VARCHAR)), '')" for c in columns.predictions]
        pairs = list(zip(columns.classes, map(number_sql, columns.probabilities), strict=True))
        best = f"greatest({', '.join(sql for _, sql in pairs)})"
        cases = " ".join(f"WHEN {sql} = {best} THEN {quoted(name)}" for name, sql in pairs)
        return [f"CASE {cases} END"]

    def _set(self, column: str) -> str:
        """The tags in a column, as a list; an empty cell holds none."""
        return set_sql(column, self.pool.types[column])

    def _set_name(self, column: str) -> str:
        """The name of the set of listed tags, as in `label_sets.set_name`."""
        inside = self._set(column)
        each = ", ".join(
            f"CASE WHEN list_contains({inside}, {quoted(tag)}) THEN {quoted(tag)} END"
            for tag in self.columns.tags
        )
        return f"coalesce(nullif(concat_ws('{SEPARATOR} ', {each}), ''), {quoted(NONE_OF_LIST)})"

    def _score(self) -> str:
        columns = self.columns
        if columns.probabilities and columns.view == "class":
            return number_sql(columns.probabilities[columns.classes.index(columns.positive or "")])
        if columns.probabilities:
            return f"greatest({', '.join(map(number_sql, columns.probabilities))})"
        if not columns.scores:
            return "CAST(NULL AS DOUBLE)"
        each = map(number_sql, columns.scores)
        return f"(({' + '.join(each)}) / {len(columns.scores)})"

    def predictions(self, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """The predicted classes of these items, where a label is compared with them."""
        if self.columns.view != "right" or not ids:
            return {}
        raw = ", ".join(self._raw())
        name = f"CAST({named(self.columns.id)} AS VARCHAR)"
        listed = ", ".join(map(quoted, ids))
        rows = self.select(
            f"SELECT {name}, {raw} FROM {self.pool.everything} WHERE {name} IN ({listed})"
        )
        return {str(row[0]): tuple(map(str, row[1:])) for row in rows}

    def _flag(self, column: str) -> str:
        text = f"trim(CAST({named(column)} AS VARCHAR))"
        if self.columns.positive is not None:
            return (
                f"CASE WHEN {text} = {quoted(self.columns.positive)} THEN '1' "
                f"WHEN {text} <> '' THEN '0' END"
            )
        return (
            f"CASE WHEN lower({text}) IN {TRUE} THEN '1' WHEN lower({text}) IN {FALSE} THEN '0' END"
        )

    def refuse_bad(self) -> None:
        """Refuse predictions that are not of two kinds, and scores that are no numbers."""
        for place, column in enumerate(self.columns.predictions):
            if self.columns.tags:
                continue  # those outside the list are left out
            if self.columns.classes:
                self._refuse_unlisted(column)
            else:
                self._refuse_classes(column)
            self._refuse_missing(f"p{place} IS NULL", f"no prediction in '{column}'")
        if self.columns.probabilities:
            self._refuse_missing("s IS NULL", "no probability of some class")
        elif self.columns.scores:
            shown = "' and '".join(self.columns.scores)
            self._refuse_missing("s IS NULL OR NOT isfinite(s)", f"no number in '{shown}'")

    def _refuse_classes(self, column: str) -> None:
        text = f"trim(CAST({named(column)} AS VARCHAR))"
        rows = self.pool.select(
            f"SELECT DISTINCT {text} AS v FROM {self.pool.everything} "
            f"WHERE {named(column)} IS NOT NULL AND {text} <> '' ORDER BY v LIMIT 4"
        )
        words = [str(row[0]) for row in rows]
        positive = self.columns.positive
        many = len({word.lower() for word in words}) > 2 and not _usual(words)
        if many and any(map(is_number, words)):
            raise InputError(
                f"'{column}' holds numbers ({', '.join(words[:3])}, …), and predictions were expected: 1 "
                "and 0, two words, or names of classes. Write 1 where a score is at your threshold or "
                f"above, else 0; numbers that are classes need {switch('classes')}."
            )
        if many:
            raise InputError(
                f"'{column}' holds more than two classes ({', '.join(words[:3])}, …). If labels are "
                f"names of classes, say so when the project begins: {switch('classes')}."
            )
        if positive is not None and len(words) == 2 and positive not in words:
            raise InputError(
                f"'{column}' holds {' and '.join(map(repr, words))}, and {option('positive')} says "
                f"{positive!r}. Give one of the two."
            )
        if positive is None and words and not _usual(words):
            raise InputError(
                f"'{column}' holds {' and '.join(map(repr, words))}. Say which one is positive: "
                f"{option('positive', repr(words[-1]))}."
            )

    def _refuse_unlisted(self, column: str) -> None:
        text = f"trim(CAST({named(column)} AS VARCHAR))"
        listed = ", ".join(map(quoted, self.columns.classes))
        rows = self.pool.select(
            f"SELECT DISTINCT {text} AS v FROM {self.pool.everything} "
            f"WHERE {text} <> '' AND {text} NOT IN ({listed}) ORDER BY v LIMIT 4"
        )
        if rows:
            shown = ", ".join(repr(str(row[0])) for row in rows[:3])
            raise InputError(
                f"'{column}' predicts {shown}{', …' if len(rows) > 3 else ''}, which this project's "
                f"list of {len(self.columns.classes)} classes does not have. Begin a project whose list "
                f"has every class: {option('class', 'NAME')} for each."
            )

    def _refuse_missing(self, condition: str, what: str) -> None:
        number = self.select(f"SELECT count(*) FROM {self.base} WHERE {condition}")[0][0]
        if number:
            first = self.select(
                f"SELECT id FROM {self.base} WHERE {condition} ORDER BY id LIMIT 1"
            )[0][0]
            raise InputError(
                f"{counted(number, 'item has', 'items have')} {what} (the first is {first!r}). Every "
                "item needs one: complete them or leave them out of the pool."
            )

    def select(self, sql: str) -> list[Any]:
        """The rows of a query."""
        return self.pool.select(sql)

    def count_strata(self) -> tuple[ClaimStratum, ...]:
        """The strata by predictions, groups and three bins of the score, with sizes and means."""
        places = [f"p{i}" for i in range(self.columns.classifiers)]
        groups = [f"g{i}" for i in range(len(self.columns.groups))]
        keys = ", ".join([*places, *groups])
        cuts = ", ".join(f"{share:.6f}" for share in (*THIRDS, *UNLIKELY, *_likely_first()))
        scored = self.columns.scores or self.columns.probabilities
        edges = f", quantile_disc(s, [{cuts}])" if scored else ", NULL"
        rows = self.select(
            f"SELECT {keys}, count(*){edges} FROM {self.base} GROUP BY {keys} ORDER BY {keys}"
        )
        open_ended = [
            ClaimStratum(
                predictions=tuple(row[: len(places)]),
                groups=tuple(row[len(places) : len(places) + len(groups)]),
                low=low,
                high=high,
                items=0,
            )
            for row in rows
            for low, high in _bins(self._cuts(row[: len(places)], row[-1], row[-2]), row[-2])
        ]
        return self.measured(open_ended)

    def _cuts(
        self, predictions: Sequence[str], edges: Sequence[float] | None, items: int
    ) -> list[float]:
        """The edges of the bins of items with these predictions."""
        if not edges:
            return []
        columns = self.columns
        unlikely = {"two": "0", "class": REST}.get(columns.view)
        if set(predictions) != {unlikely}:
            return list(edges[: len(THIRDS)])
        shares: tuple[float, ...] = UNLIKELY
        cuts = edges[len(THIRDS) : len(THIRDS) + len(UNLIKELY)]
        if columns.view == "class" and not columns.probabilities:  # the score of another class
            shares, cuts = _likely_first(), edges[len(THIRDS) + len(UNLIKELY) :]
        return [
            edge
            for share, edge in zip(shares, cuts, strict=True)
            if min(share, 1 - share) * items >= FEWEST_IN_TAIL
        ]

    def measured(self, strata: Sequence[ClaimStratum]) -> tuple[ClaimStratum, ...]:
        """These strata with the sizes and mean scores that they have in the pool."""
        low, high = self.score_range()
        means = low is not None and high is not None and low >= 0 and high <= 1
        shares = self.columns.probabilities if self.columns.view == "labels" else ()
        each = "".join(f", avg(q{i})" for i in range(len(shares)))
        rows = self.select(
            f"SELECT k, count(*), avg(s){each} FROM (SELECT *, {self.stratum_number(strata)} AS k "
            f"FROM {self.base}) GROUP BY k"
        )
        counts = {row[0]: row[1:] for row in rows}
        if None in counts:
            raise InputError(
                f"{counts[None][0]:,} items of the pool lie in no stratum of the claim: the pool "
                "is not the one for which the claim was sealed."
            )
        return tuple(
            ClaimStratum(
                predictions=s.predictions,
                groups=s.groups,
                low=s.low,
                high=s.high,
                items=int(counts[k][0]),
                mean_score=round(float(counts[k][1]), DIGITS) if means else None,
                shares=tuple(round(float(x), DIGITS) for x in counts[k][2:]) if means else (),
            )
            for k, s in enumerate(strata)
            if k in counts
        )

    def score_range(self) -> tuple[float | None, float | None]:
        """The lowest and the highest score; None without scores."""
        low, high = self.select(f"SELECT min(s), max(s) FROM {self.base}")[0]
        return low, high

    def stratum_number(self, strata: Sequence[ClaimStratum]) -> str:
        """The number of an item's stratum, as an expression over the base."""
        cases = " ".join(f"WHEN {self._inside(s)} THEN {k}" for k, s in enumerate(strata))
        return f"CASE {cases} END"

    def _inside(self, stratum: ClaimStratum) -> str:
        terms = []
        if not self.columns.rungs:
            terms = [f"p{i} = {quoted(value)}" for i, value in enumerate(stratum.predictions)]
        terms += [f"g{i} = {quoted(value)}" for i, value in enumerate(stratum.groups)]
        terms += [f"s >= {double_sql(stratum.low)}"] if stratum.low is not None else []
        terms += [f"s < {double_sql(stratum.high)}"] if stratum.high is not None else []
        return " AND ".join(terms) or "true"

    def items(
        self,
        seed: str,
        strata: Sequence[ClaimStratum],
        *,
        taken: Mapping[int, int],
        new: Mapping[int, int],
    ) -> dict[int, list[str]]:
        """The ids at the places taken+1 … taken+new in the ticket order of each stratum."""
        wanted = {k: taken.get(k, 0) + count for k, count in new.items() if count}
        cuts = {k: ticket_cut(limit, strata[k].items, "") for k, limit in wanted.items()}
        items = self._tickets(seed, strata, taken, wanted, cuts)
        if any(len(items.get(k, ())) < new[k] for k in wanted):
            items = self._tickets(seed, strata, taken, wanted, dict.fromkeys(wanted, "g"))
        return items

    def _tickets(
        self,
        seed: str,
        strata: Sequence[ClaimStratum],
        taken: Mapping[int, int],
        wanted: Mapping[int, int],
        cuts: Mapping[int, str],
    ) -> dict[int, list[str]]:
        # joined, so that an engine works out the number of an item's stratum once, not for each cut
        cut = ", ".join(
            f"({k}, '{cuts[k]}', {taken.get(k, 0)}, {limit})" for k, limit in wanted.items()
        )
        rows = self.select(
            f"WITH c(number, cut, taken, top) AS (VALUES {cut}), "
            f"t AS (SELECT id, sha256({quoted(seed + ':')} || id) AS ticket, "
            f"{self.stratum_number(strata)} AS k FROM {self.base}), "
            "u AS (SELECT t.id, t.ticket, t.k, c.taken, c.top FROM t JOIN c ON t.k = c.number "
            "WHERE t.ticket < c.cut), v AS (SELECT id, k, taken, top, "
            "row_number() OVER (PARTITION BY k ORDER BY ticket, id) AS place FROM u) "
            "SELECT k, id FROM v WHERE place > taken AND place <= top ORDER BY k, place"
        )
        items: dict[int, list[str]] = {}
        for k, item in rows:
            items.setdefault(int(k), []).append(str(item))
        return items

    def texts(self, ids: Sequence[str]) -> dict[str, dict[str, str | None]]:
        """What people read of these items."""
        return self.pool.texts(ids)


def number_sql(column: str) -> str:
    """A column as a number; NULL where it holds none."""
    return f"TRY_CAST(CAST({named(column)} AS VARCHAR) AS DOUBLE)"


def _pattern(raw: Sequence[str], place: int) -> str:
    """The first classifier with the same prediction, as in `views.pattern`."""
    cases = " ".join(f"WHEN {raw[place]} = {p} THEN 'c{i}'" for i, p in enumerate(raw[:place]))
    return f"CASE {cases} WHEN {raw[place]} IS NOT NULL THEN 'c{place}' END"


def _usual(values: Sequence[str]) -> bool:
    """Whether all values are spellings of 0 and 1."""
    return all(f"'{value.lower()}'" in TRUE + FALSE for value in values)


def _group(column: str) -> str:
    return f"coalesce(nullif(trim(CAST({named(column)} AS VARCHAR)), ''), {quoted(MISSING)})"


def _likely_first() -> tuple[float, ...]:
    """The cuts where the lowest scores are the likely ones."""
    return tuple(round(1 - share, 6) for share in reversed(UNLIKELY))


def _bins(edges: Sequence[float] | None, items: int) -> list[tuple[float | None, float | None]]:
    """Bins between distinct edges; small strata and strata without scores have one."""
    if not edges or items < FEWEST_IN_BINS:
        return [(None, None)]
    cuts: list[float | None] = [None, *sorted(set(map(float, edges))), None]
    return list(itertools.pairwise(cuts))
