"""Collections of references as tables: RIS, and MEDLINE (.nbib) as PubMed writes it."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from assaymark.errors import InputError
from assaymark.files.answers import Table
from assaymark.files.decoding import read_text
from assaymark.files.formats import ris

ENDINGS = (".ris", ".nbib")
NUMBER = "record"
COLUMNS = (NUMBER, "id", "pmid", "title", "abstract", "doi", "year", "authors", "journal")
RIS_TAGS = {
    "ID": "id", "TI": "title", "T1": "title", "AB": "abstract", "N2": "abstract", "DO": "doi",
    "AU": "authors", "A1": "authors", "PY": "year", "Y1": "year", "JO": "journal", "T2": "journal",
    "JF": "journal",
}  # fmt: skip
MEDLINE_TAGS = {
    "PMID": "pmid", "TI": "title", "AB": "abstract", "DP": "year", "FAU": "authors", "JT": "journal",
    "LID": "doi", "AID": "doi",
}  # fmt: skip
MEDLINE = re.compile(r"([A-Z]{2,4}) {0,2}- (.*)$")
LINE_END = re.compile(r"\r\n?|\n")  # and no other: texts hold separators of lines and pages
DOI_MARK = " [doi]"


def is_reference_file(path: str | Path) -> bool:
    """Whether the name is that of a file of references."""
    return str(path).lower().endswith(ENDINGS)


def read_references(path: Path) -> Table:
    """One row per reference: its number in the file, and the columns that any reference fills."""
    rows = [{NUMBER: str(n), **row} for n, row in enumerate(reference_rows(path), start=1)]
    if not rows:
        raise InputError(f"{path.name!r} holds no reference.")
    header = [name for name in COLUMNS if any(row.get(name) for row in rows)]
    cells = ((n, [row.get(name, "") for name in header]) for n, row in enumerate(rows, start=1))
    return Table(header=header, rows=cells, first_line="")


def reference_rows(path: Path) -> Iterator[dict[str, str]]:
    """The references of a RIS or MEDLINE file by the names of COLUMNS, without their decisions."""
    if path.suffix.lower() == ".nbib":
        records, tags = _medline(path), MEDLINE_TAGS
    else:
        records, tags = (fields for _line, fields in ris.references(path)), RIS_TAGS
    for fields in records:
        yield _row(fields, tags)


def _row(fields: list[tuple[str, str]], tags: Mapping[str, str]) -> dict[str, str]:
    """The first value of every column; of authors all."""
    row: dict[str, str] = {}
    for tag, value in fields:
        name = tags.get(tag)
        if name == "doi" and tags is MEDLINE_TAGS:  # such a tag holds other names too
            if not value.endswith(DOI_MARK):
                continue
            value = value.removesuffix(DOI_MARK)
        if name == "authors" and name in row:
            row[name] += f"; {value}"
        elif name is not None and value:
            row.setdefault(name, value)
    return row


def _medline(path: Path) -> Iterator[list[tuple[str, str]]]:
    """The tags of every reference; indented lines go on with the one before, PMID begins the next."""
    fields: list[tuple[str, str]] = []
    for number, line in enumerate(LINE_END.split(read_text(path)), start=1):
        match = MEDLINE.match(line)
        if match and match[1] == "PMID" and fields:
            yield fields
            fields = []
        if match:
            fields.append((match[1], match[2].strip()))
        elif line.strip() and not (line.startswith(" ") and fields):
            raise InputError(
                f"Line {number} of {path.name!r} is no line of a MEDLINE file: a tag such as 'TI  - ' "
                "was expected. In PubMed choose Save, then the format PubMed."
            )
        elif line.strip():
            tag, value = fields[-1]
            fields[-1] = (tag, f"{value} {line.strip()}")
    if fields:
        yield fields
