"""Records that were screened elsewhere: decisions of other tools, by the ids of the pool."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from assaymark.errors import InputError
from assaymark.files.decoding import glimpse, read_text
from assaymark.files.formats import ris
from assaymark.files.formats.asreview_project import is_project_file, read_project
from assaymark.files.formats.delimited import RIVALS, header_names, read_table
from assaymark.files.formats.reference_tables import is_reference_file, reference_rows
from assaymark.files.formats.ris import RAYYAN, RAYYAN_VOTE
from assaymark.files.labels import read_labels
from assaymark.files.spelling import USUAL, read_label
from assaymark.reviewing.references import Reference, reference

DECISIONS = {
    "included": 1, "include": 1, "relevant": 1, "yes": 1, "true": 1, "1": 1,
    "excluded": 0, "exclude": 0, "irrelevant": 0, "no": 0, "false": 0, "0": 0,
    "maybe": None, "conflict": None, "?": None,
}  # fmt: skip
SAID = {"relevant": 1, "irrelevant": 0}  # what FILE=WORD may say of a whole file
PLAIN = ", plain"  # an id without what a tool puts in front
STAGE = re.compile(r"(?:^|_)(irrelevant|included|extract|select|excluded|screen)(?:_|$)")
STAGES = {"irrelevant": 0, "included": 1, "extract": 1, "select": 1}
TAGS = {
    "ID": "id", "TI": "title", "T1": "title", "DO": "doi", "AU": "author", "A1": "author",
    "PY": "year", "Y1": "year", "AB": "abstract", "N2": "abstract",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Screened:
    """A record with its decision: the ids it has, by the column that gives them, and its reference.

    `title` and `doi` are as they are written, for people.
    """

    label: int | None
    names: Mapping[str, str] = field(default_factory=dict)
    reference: Reference = field(default_factory=Reference)
    title: str = ""
    doi: str = ""


def read_ids(text: str) -> list[str]:
    """Ids separated by commas, or the lines (or the column id) of a file."""
    path = Path(text)
    if not path.is_file():
        return [part.strip() for part in text.split(",") if part.strip()]
    names = header_names(glimpse(path)) or set()
    if "id" in names:
        return [row["id"].strip() for row in _table(path)]
    lines = path.read_text(encoding="utf-8-sig").splitlines()
    return [line.strip() for line in lines if line.strip()]


def read_screened(text: str, *, id_column: str) -> list[Screened]:
    """Records with their decisions: ASReview, RIS, Rayyan, Covidence, or a plain table.

    `text` is a file, or FILE=relevant and FILE=irrelevant for a file whose records were all decided
    so. Readers who differ make a record unclear: it counts as cannot tell.
    """
    path, said = _file(text)
    if is_project_file(path):
        return _project(path, id_column)
    if is_reference_file(path) and (said is not None or not ris.fits(glimpse(path))):
        return _undecided(path, id_column, said)
    names = (header_names(glimpse(path)) or set()) - {""}
    if said is not None:
        return _all_as(path, id_column, names, said)
    if "covidence #" in names:
        return _covidence(path, id_column)
    if {"article_id", "user_email"} <= names:
        raise InputError(
            f"{path.name!r} is Rayyan's log of who did what. Import the file articles.csv that came with "
            "it: it holds the votes. Nothing was recorded."
        )
    if ris.fits(glimpse(path)):
        return _references(path, id_column)
    if "notes" in names and RAYYAN.search(read_text(path)):
        return _rayyan(path, id_column)
    if "id" not in names and names & {"label", *RIVALS}:
        return _labelled(path, id_column)
    rows = read_labels(path, annotator="import").rows
    return [Screened(names={"id": row.item}, label=row.label) for row in rows]


def _file(text: str) -> tuple[Path, int | None]:
    name, _, word = text.rpartition("=")
    if name and word in SAID:
        path, said = Path(name), SAID[word]
    else:
        path, said = Path(text), None
    if not path.is_file():
        raise InputError(f"There is no file {str(path)!r} to import.")
    return path, said


def _table(path: Path) -> list[dict[str, str]]:
    table = read_table(path)
    header = [name.strip().lower() for name in table.header]
    return [
        dict(zip(header, map(str, cells), strict=False)) for _, cells in table.rows if any(cells)
    ]


def _names(row: Mapping[str, str], columns: Iterable[str]) -> dict[str, str]:
    """The ids of a row: as they are written, and without what a tool puts in front."""
    names = {}
    for column in columns:
        if value := row.get(column.lower(), "").strip():
            names[column] = value
            names[f"{column}{PLAIN}"] = value.removeprefix("rayyan-").removeprefix("#")
    return names


def _record(row: Mapping[str, str], label: int | None, columns: Iterable[str]) -> Screened:
    doi, title = (row.get(name) or "" for name in ("doi", "title"))
    ids = _names(row, columns)
    return Screened(label=label, names=ids, reference=reference(row), title=title, doi=doi)


def _project(path: Path, id_column: str) -> list[Screened]:
    return [
        _record({"record_id": one.record_id, **one.row}, one.label, (id_column, "record_id"))
        for one in read_project(path)
        if one.label is not None
    ]


def _all_as(path: Path, id_column: str, columns: set[str], label: int) -> list[Screened]:
    known = (id_column, "covidence #", "ref", "key", "id")
    if not columns.intersection(name.lower() for name in known):
        raise InputError(
            f"{path.name!r} has no column of ids: {id_column!r} was expected, or a column id."
        )
    return [_record(row, label, known) for row in _table(path)]


def _labelled(path: Path, id_column: str) -> list[Screened]:
    records = []
    for row in _table(path):
        said = next((row[name] for name in ("label", *RIVALS) if row.get(name, "").strip()), "")
        if said:
            records.append(_record(row, _label(path, said), (id_column,)))
    return records


def _label(path: Path, text: str) -> int | None:
    try:
        return read_label(text)
    except InputError as error:
        raise InputError(
            f"{path.name!r} has a label that cannot be read: {error}. Expected was 1, 0 or ?. Nothing "
            "was recorded."
        ) from error


def _rayyan(path: Path, id_column: str) -> list[Screened]:
    """Rayyan keeps the votes of all readers in the notes."""
    records = []
    for row in _table(path):
        votes = RAYYAN.search(row.get("notes", ""))
        said = (
            {DECISIONS.get(vote.lower()) for _reader, vote in RAYYAN_VOTE.findall(votes[1])}
            if votes
            else set()
        )
        if said:
            records.append(_record(row, _agreed(said), (id_column, "key", "id")))
    return records


def _agreed(labels: set[int | None]) -> int | None:
    """What all readers said; cannot tell where they differ."""
    return next(iter(labels)) if len(labels) == 1 else None


def _references(path: Path, id_column: str) -> list[Screened]:
    """RIS of ASReview, Rayyan or EndNote: the notes, the label or the keywords have the decision."""
    records = []
    for line, fields in ris.references(path):
        answers = ris.answers_of(fields, USUAL, place=f"the reference in line {line}")
        fault = next((f"{one.place}: {one.fault}" for one in answers if one.fault), None)
        if fault:
            raise InputError(f"Nothing was recorded from {path.name!r}: {fault}.")
        said = {_label(path, one.label) for one in answers if one.label.strip()}
        if said:
            row: dict[str, str] = {}
            for tag, value in fields:
                row.setdefault(TAGS.get(tag, tag), value)
            records.append(_record(row, _agreed(said), (id_column, "id")))
    if not records:
        return _undecided(path, id_column, None)
    return records


def _undecided(path: Path, id_column: str, said: int | None) -> list[Screened]:
    """References without decisions of their own: what is said of the whole file."""
    if said is None:
        raise InputError(
            f"The references of {path.name!r} carry no decisions. Say it of the whole file: "
            f"{path.name}=relevant or {path.name}=irrelevant. Nothing was recorded."
        )
    return [_record(row, said, (id_column, "id", "pmid")) for row in reference_rows(path)]


def _covidence(path: Path, id_column: str) -> list[Screened]:
    """Covidence exports one file per stage, so that its name is the decision; or a column has it."""
    rows = _table(path)
    column = next(
        (n for n in ("decision", "status", "vote", "label") if rows and n in rows[0]), None
    )
    known = (id_column, "covidence #", "ref", "accession number")
    if column is None:
        label = _stage(path)
        return [_record(row, label, known) for row in rows]
    records = []
    for row in rows:
        word = row[column].strip().lower()
        if word and word not in DECISIONS:
            raise InputError(
                f"{path.name!r} says {row[column]!r} of a record, and included, excluded or maybe was "
                "expected. Nothing was recorded."
            )
        if word:
            records.append(_record(row, DECISIONS[word], known))
    return records


def _stage(path: Path) -> int:
    stage = STAGE.search(path.stem.lower())
    if stage is not None and stage[1] in STAGES:
        return STAGES[stage[1]]
    why = {
        "excluded": "were excluded at full text, and whether they count as relevant is yours to say",
        "screen": "are not screened yet",
    }.get(stage[1] if stage else "", "carry no decision, and the name of the file tells no stage")
    raise InputError(
        f"The records of {path.name!r} {why}. Say it of the whole file: {path.name}=relevant or "
        f"{path.name}=irrelevant. Nothing was recorded."
    )
