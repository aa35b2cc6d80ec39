"""Which tool wrote a file of labels: the registry of readers, and how to tell them apart."""

from pathlib import Path

from assaymark.errors import InputError
from assaymark.files.decoding import glimpse
from assaymark.files.formats import (
    GROUP,
    Reader,
    asreview,
    concordance,
    delimited,
    jsonl,
    label_studio,
    parquet,
    prodigy,
    reader_of,
    ris,
    xlsx,
)
from assaymark.hints import option
from assaymark.plugins import Registry

BUILT_IN = {
    "csv": Reader(
        title="a table in text: comma, semicolon or tab; UTF-8, UTF-16 or Windows-1252",
        endings=(".csv", ".tsv", ".txt"),
        fits=delimited.fits,
        read=delimited.read,
    ),
    "jsonl": Reader(
        title="one JSON object per line",
        endings=(".jsonl", ".ndjson"),
        fits=jsonl.fits,
        read=jsonl.read,
    ),
    "xlsx": Reader(
        title="an Excel workbook; the first sheet with id and label",
        endings=(".xlsx",),
        fits=xlsx.fits,
        read=xlsx.read,
    ),
    "parquet": Reader(
        title="a parquet file", endings=(".parquet",), fits=parquet.fits, read=parquet.read
    ),
    "label-studio": Reader(
        title="Label Studio's JSON or JSON-MIN export",
        endings=(".json",),
        fits=label_studio.fits,
        read=label_studio.read,
    ),
    "asreview": Reader(
        title="ASReview's exported CSV",
        endings=(".csv", ".tsv"),
        fits=asreview.fits,
        read=asreview.read,
    ),
    "ris": Reader(
        title="references with a decision in their notes, of ASReview, Rayyan, EndNote and others",
        endings=(".ris",),
        fits=ris.fits,
        read=ris.read,
    ),
    "prodigy": Reader(
        title="what `prodigy db-out` prints",
        endings=(".jsonl",),
        fits=prodigy.fits,
        read=prodigy.read,
    ),
    "concordance": Reader(
        title="a load file of Concordance or Relativity (DAT)",
        endings=(".dat",),
        fits=concordance.fits,
        read=concordance.read,
    ),
}
READERS: Registry[Reader] = Registry(GROUP, BUILT_IN, reader_of)


def find_reader(path: Path, form: str = "auto") -> Reader:
    """The reader for this file; what the file holds decides, then its ending.

    Refuses with the list of formats where no reader or more than one fits.
    """
    if form != "auto":
        return READERS.find("format", form, also=("auto",))
    head = glimpse(path)
    fitting = [name for name, reader in READERS.items() if reader.fits(head)]
    if len(fitting) > 1:
        by_ending = [n for n in fitting if path.suffix.lower() in READERS[n].endings]
        fitting = by_ending if len(by_ending) == 1 else fitting
    if len(fitting) == 1:
        return READERS[fitting[0]]
    guess = (
        f"could be {' or '.join(fitting)}"
        if fitting
        else "is not a kind of file that assaymark knows"
    )
    raise InputError(
        f"{path.name!r} {guess}. Say which with {option('format')}: {', '.join(READERS)}."
    )
