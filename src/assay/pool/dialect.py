"""What SQL engines write differently. Everything else is written once, in `queries`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assay.pool.sources import named, quoted

WHOLE = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"}
WHOLE |= {f"U{name}" for name in WHOLE}
LARGEST_SUM = 9_000_000_000  # items whose integer scores, up to 10⁹ each, surely fit 64 bits


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """How one engine writes names, texts and the few functions that have no common spelling."""

    name: Callable[[str], str]
    text: Callable[[str], str]
    sha256: Callable[[str], str]
    finite: Callable[[str], str]
    number: Callable[[str], str]
    pick: Callable[[Sequence[str], str], str]
    total: Callable[[str, int], str]


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
)
SPARK = Dialect(
    name=_backticked,
    text=_spark_text,
    sha256=lambda text: f"sha2({text}, 256)",
    finite=lambda number: f"({number} - {number} = 0)",
    number=_spark_number,
    pick=lambda values, place: f"array({', '.join(values)})[{place}]",
    total=_spark_total,
)
