"""Which tool wrote a file of labels, and which one a batch is written for: readers and writers by name."""

from pathlib import Path

from assaymark.errors import InputError
from assaymark.files.decoding import glimpse
from assaymark.files.formats import (
    GROUP,
    Reader,
    Writer,
    asreview,
    concordance,
    delimited,
    jsonl,
    label_studio,
    parquet,
    prodigy,
    reader_of,
    ris,
    writer_of,
    xlsx,
)
from assaymark.hints import option
from assaymark.plugins import Registry

COLUMN = "fill in the column 'label'"
READ = {
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
WRITTEN = {
    "csv": Writer(
        title="a table in text with an empty column label",
        endings=(".csv",),
        write=delimited.write,
        fill=COLUMN,
    ),
    "jsonl": Writer(
        title="one JSON object per line",
        endings=(".jsonl", ".ndjson"),
        write=jsonl.write,
        fill="fill in 'label'",
    ),
    "xlsx": Writer(
        title="an Excel workbook; ids keep their zeros",
        endings=(".xlsx",),
        write=xlsx.write,
        fill=COLUMN,
    ),
    "parquet": Writer(
        title="a parquet file", endings=(".parquet",), write=parquet.write, fill=COLUMN
    ),
    "label-studio": Writer(
        title="tasks for Label Studio",
        endings=(".json",),
        write=label_studio.write,
        fill="import it into Label Studio, label, export as JSON",
    ),
    "ris": Writer(
        title="references for ASReview and reference managers",
        endings=(".ris",),
        write=ris.write,
        fill="import it into ASReview, label, export as RIS",
    ),
    "asreview": Writer(
        title="records for ASReview",
        endings=(".csv",),
        write=asreview.write,
        fill="import it into ASReview, label, export as CSV",
    ),
    "prodigy": Writer(
        title="tasks for Prodigy",
        endings=(".jsonl",),
        write=prodigy.write,
        fill="label it in Prodigy, write it out with db-out",
    ),
    "concordance": Writer(
        title="a load file for Concordance or Relativity (UTF-8)",
        endings=(".dat",),
        write=concordance.write,
        fill="overlay it, label, export the columns id and label as DAT",
    ),
}
READERS: Registry[Reader] = Registry(GROUP, READ, reader_of)
WRITERS: Registry[Writer] = Registry(GROUP, WRITTEN, writer_of)


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


def find_writer(path: Path, form: str = "auto") -> Writer:
    """The writer of this format, or the first that writes files with this ending."""
    ending = path.suffix.lower()
    if form == "auto":
        writer = next((one for one in WRITERS.values() if ending in one.endings), None)
        if writer is None:
            endings = dict.fromkeys(one.endings[0] for one in WRITERS.values())
            raise InputError(
                f"A batch is written as {', '.join(endings)}, got {path.name!r}. Choose an ending, or "
                f"a {option('format')}: {', '.join(WRITERS)}."
            )
        return writer
    writer = WRITERS.find("format", form, also=("auto",))
    if ending not in writer.endings:
        raise InputError(
            f"The format {form} is written as {' or '.join(writer.endings)}, got {path.name!r}."
        )
    return writer


def usual_ending(form: str) -> str:
    """The ending of a batch in this format, where nobody gave it a name."""
    return ".csv" if form == "auto" else WRITERS.find("format", form).endings[0]
