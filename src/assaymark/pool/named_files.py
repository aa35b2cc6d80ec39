"""The names of pictures and PDFs in the cells of a table, as SQL that every engine understands."""

from collections.abc import Sequence

from assaymark.errors import InputError
from assaymark.pool import Pool

ENDINGS = ("png", "jpg", "jpeg", "gif", "webp", "pdf")
LONGEST = 300  # characters of a cell that may name a file
MOST_NAMES = 200_000


class TooManyNamesError(InputError):
    """A table names more files than can be compared."""


def names_file_sql(text: str) -> str:
    """Whether a cell reads like the name of such a file; `text` is the cell as SQL."""
    ends = " OR ".join(f"lower(trim({text})) LIKE '%_.{ending}'" for ending in ENDINGS)
    return f"(length(trim({text})) <= {LONGEST} AND ({ends}))"


def file_names_sql(texts: Sequence[str], rows_of: str) -> str:
    """All such cells of these columns, each once."""
    columns = [
        f"SELECT trim({text}) AS name FROM {rows_of} WHERE {names_file_sql(text)}" for text in texts
    ]
    both = " UNION ".join(columns)
    return f"SELECT DISTINCT name FROM ({both}) AS names ORDER BY name LIMIT {MOST_NAMES + 1}"


def files_named_by(pool: Pool, columns: int) -> list[str]:
    """The files that the first text columns of a pool name."""
    if not columns:
        return []
    texts = [f"text_{number}" for number in range(columns)]
    return within_limit([row[0] for row in pool.select(file_names_sql(texts, pool.view))])


def within_limit(names: list[str]) -> list[str]:
    """These names; refused where there are too many to compare them with files."""
    if len(names) > MOST_NAMES:
        raise TooManyNamesError(
            f"The table names more than {MOST_NAMES:,} files, too many to compare: which are missing is "
            "not known. A cell that is a name alone, such as 001.png, shows the uploaded file of that "
            "name; one with a folder before it shows none, because two of them could end with one name."
        )
    return names
