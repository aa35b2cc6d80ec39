"""What SQL engines write differently. Everything else is written once, in `queries`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assaymark.pool.sources import named, quoted

WHOLE = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"}
WHOLE |= {f"U{name}" for name in WHOLE}
LARGEST_SUM = 9_000_000_000  # items whose integer scores, up to 10⁹ each, surely fit 64 bits


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """How one engine writes names, texts and the few functions that have no common spelling.

    `without` puts a space for every match of a pattern and `matches` lists the matches; `any_of` and
    `spaced` are of a list of texts: has it any of some, and all of them in a row.
    """

    name: Callable[[str], str]
    text: Callable[[str], str]
    sha256: Callable[[str], str]
    finite: Callable[[str], str]
    number: Callable[[str], str]
    pick: Callable[[Sequence[str], str], str]
    total: Callable[[str, int], str]
    lower: Callable[[str], str]
    without: Callable[[str, str], str]
    matches: Callable[[str, str], str]
    any_of: Callable[[str, Sequence[str]], str]
    spaced: Callable[[str], str]
    unnest: str


def double_sql(value: float) -> str:
    """A number as a double in every engine; without an exponent it would be read as a decimal."""
    text = repr(float(value))
    return text if "e" in text else f"{text}e0"


def _backticked(column: str) -> str:
    return "`" + column.replace("`", "``") + "`"


def _spark_text(text: str) -> str:
    # what a backslash or a doubled quote means depends on the session's settings; bytes do not
    if all(letter.isascii() and (letter.isalnum() or letter in " :._-,/#") for letter in text):
        return f"'{text}'"
    return f"decode(unhex('{text.encode().hex()}'), 'UTF-8')"


def _spark_number(text: str) -> str:
    # Java also reads "1d" and "0x1p3" as numbers; text that is no plain decimal is refused instead
    plain = "^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$"
    return f"CASE WHEN trim({text}) RLIKE '{plain}' THEN CAST(trim({text}) AS DOUBLE) END"


def _spark_lower(text: str) -> str:
    # Java lowers these two by what stands around them, or to two letters; DuckDB does neither
    return f"lower(translate({text}, {_spark_text('Σİ')}, {_spark_text('σi')}))"


def _spark_total(whole: str, items: int) -> str:
    # 64-bit sums are several times faster than decimals, and overflow is an error, never silent
    return f"sum({whole})" if items <= LARGEST_SUM else f"sum(CAST({whole} AS DECIMAL(38, 0)))"


DUCKDB = Dialect(
    name=named,
    text=quoted,
    sha256=lambda text: f"sha256({text})",
    finite=lambda number: f"isfinite({number})",
    # without trim, DuckDB moves the cast into the CSV reader, where a bad value is an error
    number=lambda text: f"TRY_CAST(trim({text}) AS DOUBLE)",
    pick=lambda values, place: f"([{', '.join(values)}])[{place} + 1]",
    total=lambda whole, _items: f"sum({whole})",
    lower=lambda text: f"lower({text})",
    without=lambda text, pattern: f"regexp_replace({text}, {quoted(pattern)}, ' ', 'g')",
    matches=lambda text, pattern: f"regexp_extract_all({text}, {quoted(pattern)})",
    any_of=lambda texts, some: f"list_has_any({texts}, [{', '.join(map(quoted, some))}])",
    spaced=lambda texts: f"array_to_string({texts}, ' ')",
    unnest="unnest",
)
SPARK = Dialect(
    name=_backticked,
    text=_spark_text,
    sha256=lambda text: f"sha2({text}, 256)",
    finite=lambda number: f"({number} - {number} = 0)",
    number=_spark_number,
    pick=lambda values, place: f"array({', '.join(values)})[{place}]",
    total=_spark_total,
    lower=_spark_lower,
    without=lambda text, pattern: f"regexp_replace({text}, {_spark_text(pattern)}, ' ')",
    matches=lambda text, pattern: f"regexp_extract_all({text}, {_spark_text(pattern)}, 0)",
    any_of=lambda texts, some: (
        f"arrays_overlap({texts}, array({', '.join(map(_spark_text, some))}))"
    ),
    spaced=lambda texts: f"array_join({texts}, ' ')",
    unnest="explode",
)
