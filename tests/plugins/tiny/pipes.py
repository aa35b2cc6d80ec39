"""Labels as `id|label`, one in a line."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from assaymark.files.answers import Answer
from assaymark.files.decoding import Glimpse
from assaymark.files.formats import LabelFormat, Reader, Writer
from assaymark.files.places import BatchRow
from assaymark.files.spelling import Names


def read(path: Path, _names: Names) -> Iterator[Answer]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        item, _, label = line.partition("|")
        yield Answer(place=f"line {number}", item=item, label=label)


def write(path: Path, rows: Sequence[BatchRow], _columns: Sequence[str]) -> None:
    path.write_text("".join(f"{row['id']}|\n" for row in rows), encoding="utf-8")


def fits(_seen: Glimpse) -> bool:
    return False  # never guessed: --format pipes


FORMAT = LabelFormat(
    reader=Reader(title="id|label in lines", endings=(".pipes",), fits=fits, read=read),
    writer=Writer(title="id| in lines", endings=(".pipes",), write=write, fill="write it after |"),
)
