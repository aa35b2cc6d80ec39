"""RIS: the reference format of literature reviews, with labels as review tools note them.

ASReview writes its label into a note (N1); Rayyan writes the votes of all readers there; EndNote has
a label (LB) and keywords (KW) that people use for "included" and "excluded".
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from assaymark.claims.canonical import read_json
from assaymark.errors import InputError
from assaymark.files.answers import ITEM, Answer
from assaymark.files.decoding import Glimpse, read_text
from assaymark.files.formats.asreview import record
from assaymark.files.places import BatchRow, write_safely
from assaymark.files.spelling import Names

TAG = re.compile(r"([A-Z][A-Z0-9])  -(?: (.*))?$")
NOTES = {"ASReview_relevant": "1", "ASReview_irrelevant": "0", "ASReview_not_seen": ""}
RAYYAN = re.compile(r"RAYYAN-INCLUSION:\s*\{([^}]*)\}")
RAYYAN_VOTE = re.compile(r'"([^"]*)"\s*=>\s*"?(\w+)')  # older exports say true and false
PARAGRAPH = re.compile(r"^<p>|</p>$")


def fits(glimpse: Glimpse) -> bool:
    """Whether the file begins with a reference."""
    return bool(re.match(r"(?:\d+\.\s+)?TY  -", glimpse.text))


def read(path: Path, names: Names) -> Iterator[Answer]:
    """The answers in the notes of the references; a reference is known by its ID."""
    for line, fields in references(path):
        yield from answers_of(fields, names, place=f"the reference in line {line}")


def answers_of(fields: list[tuple[str, str]], names: Names, *, place: str) -> list[Answer]:
    """What one reference says of itself: a vote per reader, or one label that may be empty."""
    item = _item(fields)
    votes = [
        Answer(place=place, item=item, label=vote, annotator=reader)
        for reader, vote in _votes(fields)
    ]
    return votes or [_answer(place, fields, names)]


def _votes(fields: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Reader and vote, as Rayyan notes them."""
    for tag, value in fields:
        match = RAYYAN.search(value) if tag == "N1" else None
        if match:
            votes = RAYYAN_VOTE.findall(match[1])
            return [(who, "?" if vote.lower() == "maybe" else vote) for who, vote in votes]
    return []


def _item(fields: list[tuple[str, str]]) -> str:
    return next((value for tag, value in fields if tag == "ID"), "")


def _endnote_label(fields: list[tuple[str, str]], names: Names) -> set[str]:
    """What EndNote's label or keywords say, where they are labels at all."""
    words = {value for tag, value in fields if tag in ("LB", "KW")}
    return {meaning for word in words if (meaning := names.meaning(word)) is not None}


def references(path: Path) -> Iterator[tuple[int, list[tuple[str, str]]]]:
    """The references of a file: the line where each begins, and its tags with their values."""
    text = read_text(path)
    fields: list[tuple[str, str]] = []
    begun = 0
    for number, line in enumerate(text.split("\n"), start=1):
        match = TAG.match(line.rstrip("\r").strip("\ufeff"))
        if not match:
            continue  # blank, numbered by some exporters, or the rest of a text
        tag, value = match.group(1), (match.group(2) or "").strip()
        if tag == "TY":
            if fields:
                raise InputError(
                    f"The reference in line {begun} of the label file has no end (ER)."
                )
            begun = number
        if tag == "ER":
            yield begun, fields
            fields = []
        else:
            fields.append((tag, value))
    if fields:
        raise InputError(f"The reference in line {begun} of the label file has no end (ER).")


def _answer(place: str, fields: list[tuple[str, str]], names: Names) -> Answer:
    notes = [PARAGRAPH.sub("", value) for tag, value in fields if tag == "N1"]
    labels = {NOTES[note] for note in notes if note in NOTES} or _endnote_label(fields, names)
    item = _item(fields)
    if len(labels) > 1:
        return Answer(place=place, fault="its notes give it two different labels")
    return Answer(
        place=place,
        item=item,
        label=labels.pop() if labels else "",
        annotator=_note(notes, "asreview_user_name") or _note(notes, "asreview_user_email"),
        time=_note(notes, "asreview_time"),
    )


def _note(notes: list[str], name: str) -> str:
    note_text = next((note for note in notes if note.startswith(f"{name}: ")), None)
    if note_text is None:
        return ""
    try:
        value = read_json(note_text.removeprefix(f"{name}: "))
    except ValueError:
        return ""
    return value if isinstance(value, str) else ""


def write(path: Path, rows: Sequence[BatchRow], columns: Sequence[str]) -> None:
    """One reference per item, with its texts as title and abstract, each in one line."""
    write_noted(path, [(row, None) for row in rows], columns)


def write_noted(
    path: Path, rows: Sequence[tuple[BatchRow, str | None]], columns: Sequence[str]
) -> None:
    """The same, where a reference may have a note."""
    lines: list[str] = []
    for row, note in rows:
        fields = record(row, columns)
        item = fields[ITEM] or ""
        if item != _one_line(item).strip():
            raise InputError(
                f"The id {item!r} cannot be written as RIS: it holds a line break or begins or ends "
                "with a space. Choose another format, such as asreview."
            )
        lines += ["TY  - GEN", f"ID  - {item}"]
        lines += [
            f"{tag}  - {_one_line(fields[name] or '')}"
            for tag, name in (("TI", "title"), ("AB", "abstract"))
            if fields[name]
        ]
        lines += [f"N1  - {note}"] if note else []
        lines += ["ER  - ", ""]
    write_safely(path, "".join(line + "\n" for line in lines))


def _one_line(text: str) -> str:
    # a line of a document that reads "ER  - " must not end its reference
    return " ".join(text.splitlines())
