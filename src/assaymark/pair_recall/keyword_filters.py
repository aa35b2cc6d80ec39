"""Keyword filters, and the neighbours of seed terms: a pair of classifiers from a handful of words.

What a term is: a run of letters, digits and underscores, in lower case, with a # or @ before it if
there is one ("#mars" and "mars" are two terms). Letters of every script count; accents are kept.
Addresses (http…) are left out. A phrase is terms in a row. An item matches a filter if it has any
of its terms. Everything is counted by the pool's engine; no text enters Python.

*Source*: Bommannavar, Kolcz, Rajaraman (KDD 2014), section 6.1.1.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assaymark.claims.checks import choice
from assaymark.errors import InputError
from assaymark.hints import option
from assaymark.pool import Pool
from assaymark.pool.cells import Selects
from assaymark.pool.dialect import DUCKDB, Dialect, double_sql

TERM = r"[#@]?[\p{L}\p{M}\p{N}_]+"
ADDRESS = r"https?://[^ \t\n\r\f]+"  # \S is not the same in every engine
SHORTEST = 2  # characters of a neighbour


@dataclass(frozen=True, kw_only=True)
class Neighbour:
    """A term that occurs with the seed terms: its score, its items, and those it shares with them."""

    term: str
    score: float
    items: int
    joint: int


@dataclass(frozen=True, kw_only=True)
class Similarity:
    """How near a term is to the seeds, as SQL over `found`, `joint`, `seeds` and `items`.

    `final` turns what is ranked into the score, where engines would round it in different ways.
    """

    name: str
    title: str
    sql: Callable[[float, float], str]
    final: Callable[[float], float] = float


SIMILARITIES = {
    similarity.name: similarity
    for similarity in (
        Similarity(
            name="jaccard",
            title="shared items over all items of either",
            sql=lambda _a, _b: "joint / (found + seeds - joint)",
        ),
        Similarity(
            name="overlap",
            title="shared items over the term's items",
            sql=lambda _a, _b: "joint / found",
        ),
        Similarity(
            name="pmi",
            title="how much more often together than by chance (logarithm)",
            sql=lambda _a, _b: "joint * items / (found * seeds)",
            final=math.log,
        ),
        Similarity(
            name="tversky",
            title="shared items over shared plus weighted rest of the term and of the seeds",
            sql=lambda a, b: (
                f"joint / (joint + {double_sql(a)} * (found - joint) "
                f"+ {double_sql(b)} * (seeds - joint))"
            ),
        ),
    )
}


def terms_sql(text: str, dialect: Dialect = DUCKDB) -> str:
    """SQL for the list of terms in a text."""
    clean = dialect.lower(dialect.without(f"coalesce({text}, '')", ADDRESS))
    return dialect.matches(clean, TERM)


def joined_text(columns: int) -> str:
    """SQL for all text columns of an item together."""
    return " || ' ' || ".join(f"coalesce(text_{i}, '')" for i in range(columns))


def match_sql(terms: str, filters: Sequence[Sequence[str]], dialect: Dialect = DUCKDB) -> str:
    """SQL that is true where the list `terms` has any of the words or phrases."""
    words = [f[0] for f in filters if len(f) == 1]
    phrases = [" ".join(f) for f in filters if len(f) > 1]
    tests = []
    if words:
        tests.append(dialect.any_of(terms, words))
    padded = f"(' ' || {dialect.spaced(terms)} || ' ')"
    tests += [f"contains({padded}, {dialect.text(f' {phrase} ')})" for phrase in phrases]
    return "(" + " OR ".join(tests) + ")"


def read_terms(pool: Selects, terms: Sequence[str]) -> list[list[str]]:
    """Each given word or phrase as its terms; refuses one that has no letter or digit."""
    patterns = []
    for text in terms:
        words = pool.select(f"SELECT {terms_sql(pool.dialect.text(text), pool.dialect)}")[0][0]
        if not words:
            raise InputError(
                f"The seed term {text!r} holds no letter or digit. Give words, phrases, #hashtags or "
                "@mentions, separated by commas."
            )
        patterns.append([str(word) for word in words])
    if not patterns:
        raise InputError(f"Give at least one seed term: {option('seed-terms', 'mars,#mars')}.")
    return patterns


def count_matches(pool: Selects, columns: int, filters: Sequence[Sequence[str]]) -> tuple[int, int]:
    """How many items match the filter, and how many there are. Refuses nothing and everything."""
    matched, items = pool.select(
        f"WITH t AS ({_read_sql(pool, columns)}) SELECT "
        f"count(*) FILTER (WHERE {match_sql('terms', filters, pool.dialect)}), count(*) FROM t"
    )[0]
    shown = ", ".join(" ".join(words) for words in filters)
    if matched == 0:
        raise InputError(
            f"The seed terms ({shown}) match none of {items:,} items. Check their spelling, or use "
            "broader ones."
        )
    if matched == items:
        raise InputError(
            f"The seed terms ({shown}) match all {items:,} items, so they tell nothing apart. Use "
            "narrower ones."
        )
    return int(matched), int(items)


def find_neighbours(
    pool: Selects,
    columns: int,
    seeds: Sequence[Sequence[str]],
    *,
    score: str = "jaccard",
    top: int = 30,
    least_items: int = 5,
    most_share: float = 0.05,
    weights: tuple[float, float] = (0.9, 0.1),
) -> tuple[Neighbour, ...]:
    """The terms nearest to the seeds, best first; seeds, their words and their #/@ forms left out.

    `least_items` is how many items a term must occur in, `most_share` the largest share of all
    items ("the" is near to everything); `weights` are Tversky's, for the rest of the term and of
    the seeds.
    """
    similarity = SIMILARITIES[choice("score", score, SIMILARITIES)]
    if min(weights) < 0 or sum(weights) == 0:
        raise InputError(f"Tversky's weights are at least 0 and not both 0, got {weights}.")
    matched, items = count_matches(pool, columns, seeds)
    if not 0 < most_share <= 1:
        raise InputError(f"'max_share' must be above 0 and at most 1, got {most_share!r}.")
    formula = similarity.sql(*map(float, weights))
    rows = pool.select(
        f"{_counts_sql(pool, columns, seeds)}, "
        f"k AS (SELECT *, CAST({matched} AS DOUBLE) AS seeds, CAST({items} AS DOUBLE) AS items "
        f"FROM c WHERE found BETWEEN {int(least_items)} AND {double_sql(items * most_share)} "
        f"AND joint > 0 AND length(term) >= {SHORTEST} "
        f"AND term NOT IN ({_left_out(pool, seeds)})) "
        f"SELECT term, {formula} AS score, found, joint FROM k "
        f"ORDER BY score DESC, joint DESC, term LIMIT {int(top)}"
    )
    if not rows:
        raise InputError(
            f"No other term occurs with the seed terms in at least {least_items} items and at most "
            f"{most_share:.0%} of them. Lower "
            f"{option('min-items')} or choose broader seed terms."
        )
    return tuple(
        Neighbour(
            term=str(term), score=similarity.final(value), items=int(matches), joint=int(joint)
        )
        for term, value, matches, joint in rows
    )


def _read_sql(pool: Selects, columns: int) -> str:
    return f"SELECT {terms_sql(joined_text(columns), pool.dialect)} AS terms FROM {pool.view}"


def _counts_sql(pool: Selects, columns: int, seeds: Sequence[Sequence[str]]) -> str:
    """Common table expressions up to `c`: for each term its items, and those the seeds match."""
    hit = match_sql("terms", seeds, pool.dialect)
    return (
        f"WITH t AS ({_read_sql(pool, columns)}), "
        f"s AS (SELECT array_distinct(terms) AS terms, {hit} AS hit FROM t), "
        f"u AS (SELECT {pool.dialect.unnest}(terms) AS term, hit FROM s), "
        "c AS (SELECT term, CAST(count(*) AS DOUBLE) AS found, "
        "CAST(count(*) FILTER (WHERE hit) AS DOUBLE) AS joint FROM u GROUP BY term)"
    )


def _left_out(pool: Selects, seeds: Sequence[Sequence[str]]) -> str:
    bare = sorted({word.lstrip("#@") for words in seeds for word in words})
    return ", ".join(pool.dialect.text(mark + word) for word in bare for mark in ("", "#", "@"))


def flag_sql(
    pool: Pool, texts: Sequence[str], filters: Mapping[str, Sequence[Sequence[str]]]
) -> str:
    """SQL for every column of the pool and one 0/1 column per filter."""
    dialect = pool.dialect
    joined = " || ' ' || ".join(f"coalesce(CAST({dialect.name(t)} AS STRING), '')" for t in texts)
    columns = [dialect.name(column) for column in pool.types]
    columns += [
        f"CAST({match_sql('assaymark_terms', terms, dialect)} AS INTEGER) AS {dialect.name(name)}"
        for name, terms in filters.items()
    ]
    return (
        f"WITH t AS (SELECT *, {terms_sql(joined, dialect)} AS assaymark_terms FROM {pool.everything}) "
        f"SELECT {', '.join(columns)} FROM t"
    )


def overlap_counts(
    pool: Selects, columns: int, first: Sequence[Any], second: Sequence[Any]
) -> dict[str, int]:
    """How many items each of two filters flags, and both."""
    a, b = (match_sql("terms", filters, pool.dialect) for filters in (first, second))
    row = pool.select(
        f"WITH t AS ({_read_sql(pool, columns)}) "
        f"SELECT count(*) FILTER (WHERE {a}), count(*) FILTER (WHERE {b}), "
        f"count(*) FILTER (WHERE {a} AND {b}) FROM t"
    )[0]
    return {"first": int(row[0]), "second": int(row[1]), "both": int(row[2])}
