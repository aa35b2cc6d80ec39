"""Zip and XML bombs: what a workbook may unpack to, checked before anything in it is parsed.

A part is read in pieces and its tags are counted. The limits follow from what costs memory: a
parser keeps the parts about styles and relations as objects, a sheet row by row, and the texts of
all cells whole.
"""

from typing import IO
from zipfile import ZipFile, ZipInfo

from assaymark.errors import InputError

SMALL = 24 << 20  # bytes that any workbook may unpack to
RATIO = 40  # beyond that, this many bytes for each byte of the file; text comes to 3–15
ROWS = 1_048_576  # of a sheet, by the format
COLUMNS = 16_384
TAGS_PER_CELL = 6
TAGS = 60_000  # in a part that is kept as objects, about 1 kB each
TEXT_TAGS = 1_000_000  # in the table of texts, about 100 bytes each …
TEXT_TAGS_PER_BYTE = 2  # … or this many for each byte that the table takes in the file
PIECE = 1 << 20
EMPTY = 2_000_000  # cells without content that a table may have …
EMPTY_PER_CELL = 50  # … and this many for each one with content


class Emptiness:
    """Counts empty cells: a sheet may name its last cell a billion cells away from the first."""

    def __init__(self) -> None:
        self._empty = 0
        self._filled = 0

    def count(self, cells: int, filled: int) -> None:
        """Take note of a row; refuse once nearly everything is empty."""
        self._filled += filled
        self._empty += 1 + cells - filled
        if self._empty > EMPTY + EMPTY_PER_CELL * self._filled:
            raise InputError(
                f"The workbook has {self._filled:,} cells with content among more than {EMPTY:,} "
                "empty ones, which no list of labels has. Copy the rows into a new workbook, or save "
                "them as CSV UTF-8."
            )


def check_workbook(archive: ZipFile, size: int) -> None:
    """Refuse a workbook whose parts unpack to far more than its size lets one expect."""
    parts = archive.infolist()
    unpacked = sum(part.file_size for part in parts)
    if unpacked > max(SMALL, RATIO * size):
        raise _bomb(f"its {size:,} bytes unpack to {unpacked:,}")
    names = [part.filename for part in parts]
    if len(set(names)) < len(names):
        raise _bomb("it holds two parts of one name")
    for part in parts:
        with archive.open(part) as stream:
            _check_part(part, stream)


def _check_part(part: ZipInfo, stream: IO[bytes]) -> None:
    name = part.filename.lower()
    if name.startswith("xl/worksheets/"):
        _check_sheet(part, stream)
        return
    most = TAGS
    if name == "xl/sharedstrings.xml":
        most = max(TEXT_TAGS, TEXT_TAGS_PER_BYTE * part.compress_size)
    elif not name.endswith((".xml", ".rels")):
        most = max(TAGS, part.file_size // 100)  # pictures: any byte may happen to be a "<"
    tags = 0
    while piece := stream.read(PIECE):
        tags += piece.count(b"<")
        if tags > most:
            raise _bomb(f"its part {part.filename!r} has more than {most:,} tags")


def _check_sheet(part: ZipInfo, stream: IO[bytes]) -> None:
    """A sheet is parsed row by row, so no row may be longer than the format allows."""
    rows = tags = 0
    rest = b""
    while piece := stream.read(PIECE):
        first, *begun = (rest + piece).split(b"<row")
        rows += len(begun)
        counts = [tags + first.count(b"<"), *(text.count(b"<") for text in begun)]
        if max(counts) > COLUMNS * TAGS_PER_CELL or rows > ROWS:
            raise _bomb(
                f"its part {part.filename!r} is larger than {ROWS:,} rows and {COLUMNS:,} columns"
            )
        last = begun[-1] if begun else first
        rest = last[-3:]  # "<row" may be cut in two
        tags = counts[-1] - rest.count(b"<")


def _bomb(why: str) -> InputError:
    return InputError(
        f"The workbook is refused, because opening it would fill the memory: {why}. Save its rows "
        "as CSV UTF-8."
    )
