"""Labels from a file: every row is understood, or nothing of the file is used."""

from dataclasses import dataclass
from pathlib import Path

from assaymark.claims.label_sets import SEPARATOR
from assaymark.errors import InputError
from assaymark.files.answers import Answer, read_time
from assaymark.files.spelling import USUAL, Names, read_label
from assaymark.files.tools import find_reader
from assaymark.hints import option


@dataclass(frozen=True, kw_only=True)
class LabelRow:
    """One answer: who said what about which item. None stands for "cannot tell".

    `answered` is when, as RFC 3339 text in UTC, and `seconds` how long it took, where that is known.
    """

    item: str
    label: int | None
    annotator: str
    answered: str | None = None
    seconds: float | None = None


@dataclass(frozen=True, kw_only=True)
class LabelFile:
    """The answers of a file, and how many rows were still empty."""

    rows: tuple[LabelRow, ...]
    empty: int


def read_labels(
    path: Path, *, annotator: str, form: str = "auto", names: Names = USUAL
) -> LabelFile:
    """The answers in a file of labels. Refuses the whole file if a row is malformed.

    `annotator` is whose answers they are where the file does not say; `names` are other names of
    the labels.
    """
    rows: dict[tuple[str, str], LabelRow] = {}
    empty = 0
    faults: list[str] = []
    for answer in find_reader(path, form).read(path, names):
        try:
            row = _row(answer, annotator, names)
        except InputError as error:
            faults.append(f"{answer.place}: {error.message}")
            continue
        if row is None:
            empty += 1
        elif rows.setdefault((row.item, row.annotator), row).label != row.label:
            faults.append(
                f"{answer.place}: {row.annotator} labelled {row.item!r} twice, differently"
            )
    if faults:
        more = f" and {len(faults) - 3} more" if len(faults) > 3 else ""
        raise InputError(
            f"Nothing was recorded from {path.name!r}: {'; '.join(faults[:3])}{more}. A label is "
            f"{_labels_words(names)}. Correct these rows and import the file again."
        )
    return LabelFile(rows=tuple(rows.values()), empty=empty)


def _labels_words(names: Names) -> str:
    """How a label may be spelled here: the project's own names come first."""
    if names.tags:
        return (
            f"any of the project's labels with '{SEPARATOR}' between them, '{names.classes[-1]}', or ? for "
            "cannot tell"
        )
    if names.classes:
        return f"the name of a class as it was sealed, '{names.classes[-1]}', or ? for cannot tell"
    usual = "1 or 0, true or false, yes or no, relevant or irrelevant, included or excluded"
    verdict_names = [
        " or ".join(f"'{word}'" for word in sorted(words))
        for words in (names.relevant, names.irrelevant)
    ]
    if all(verdict_names):
        return (
            f"{verdict_names[0]} (that is 1), {verdict_names[1]} (that is 0), or ? for cannot tell"
        )
    others = f"{option('relevant', 'NAME')} and {option('irrelevant', 'NAME')}"
    return f"{usual}, or ? for cannot tell; other names need {others}"


def _row(answer: Answer, annotator: str, names: Names) -> LabelRow | None:
    if answer.fault:
        raise InputError(answer.fault)
    if answer.label.strip() == "":
        return None
    if answer.item == "":
        raise InputError("the id is missing")
    label = read_label(answer.label, names)
    return LabelRow(
        item=answer.item,
        label=label,
        annotator=answer.annotator or annotator,
        answered=read_time(answer.time),
        seconds=answer.seconds,
    )
