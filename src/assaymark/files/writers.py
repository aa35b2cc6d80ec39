"""Which tool a batch is written for: the registry of writers."""

from pathlib import Path

from assaymark.errors import InputError
from assaymark.files.formats import (
    GROUP,
    Writer,
    asreview,
    concordance,
    delimited,
    jsonl,
    label_studio,
    parquet,
    prodigy,
    ris,
    writer_of,
    xlsx,
)
from assaymark.hints import option
from assaymark.plugins import Registry

COLUMN = "fill in the column 'label'"
BUILT_IN = {
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
WRITERS: Registry[Writer] = Registry(GROUP, BUILT_IN, writer_of)


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
