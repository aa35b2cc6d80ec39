"""Ids that somebody names to be labelled first: known positives, mostly."""

import csv
from pathlib import Path

from assaymark.errors import InputError


def read_seeds(path: Path) -> list[str]:
    """The ids of a file: its column 'id', or one id in each line; each once."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"The file {str(path)!r} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"The file {str(path)!r} is not UTF-8 text.") from error
    lines = [line for line in text.splitlines() if line.strip()]
    header = next(csv.reader(lines[:1]), [])
    if "id" in header:
        place = header.index("id")
        rows = csv.reader(lines[1:])
        ids = [row[place].strip() for row in rows if len(row) > place]
    else:
        ids = [line.strip() for line in lines]
    items = [item for item in dict.fromkeys(ids) if item]
    if not items:
        raise InputError(
            f"{path.name!r} names no item. Give one id in each line, or a column 'id'."
        )
    return items
