"""Line ends of CSV files: where a text without quotes holds one."""

from collections.abc import Sequence
from pathlib import Path


def carriage_return(files: Sequence[Path]) -> int | None:
    """The first line with a carriage return outside quotes that ends no line; None where there is none.

    pandas writes such texts without quotes, and DuckDB says only that it cannot go on. Of a gzipped
    file nothing is said.
    """
    for path in files:
        inside = False
        if path.suffix == ".gz":
            continue
        with path.open("rb") as stream:
            for number, line in enumerate(stream, start=1):
                pieces = line.rstrip(b"\r\n").split(b'"')
                if any(b"\r" in piece for piece in pieces[inside::2]):
                    return number
                inside ^= len(pieces) % 2 == 0
    return None
