"""RIS: the reference format of literature reviews, with labels as review tools note them.

ASReview writes its label into a note (N1); Rayyan writes the votes of all readers there; EndNote has
a label (LB) and keywords (KW) that people use for "included" and "excluded"; other tools write a note
that is the decision and nothing else.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from assaymark.claims.canonical import read_json
from assaymark.errors import InputError
from assaymark.files.answers import ITEM, Answer
from assaymark.files.decoding import Glimpse, read_text
from assaymark.files.formats.asreview import record
from assaymark.files.formats.ris_notes import decision_in, is_doubtful
from assaymark.files.places import BatchRow, write_safely
from assaymark.files.spelling import Names

TAG = re.compile(r"([A-Z][A-Z0-9]|NOTES?)  -(?: (.*))?$")
NOTE, KEYWORD = "N1", "KW"
NOTE_TAGS = (NOTE, "RN", "NOTE", "NOTES")  # what programs call a note of the reader
NOTES = {"ASReview_relevant": "1", "ASReview_irrelevant": "0", "ASReview_not_seen": ""}
RAYYAN = re.compile(r"RAYYAN-INCLUSION:\s*\{([^}]*)\}")
RAYYAN_VOTE = re.compile(r'"([^"]*)"\s*=>\s*"?(\w+)')  # older exports say true and false
PARAGRAPH = re.compile(r"^<p>|</p>$")


def fits(glimpse: Glimpse) -> bool:
    """Whether the file begins with a reference."""
    return bool(re.match(r"(?:\d+\.\s+)?TY  -", glimpse.text))


def read(path: Path, names: Names) -> Iterator[Answer]:
    """The answers in the notes of the references; a reference is known by its ID."""
    silent, sample = 0, ""
    for line, fields in references(path):
        answers = answers_of(fields, names, place=f"the reference in line {line}")
        yield from answers
        if any(answer.label or answer.fault for answer in answers):
            silent = -1
        elif silent >= 0:
            silent += 1
            sample = sample or _unread_note(fields)
    if silent > 0 and sample:
        raise InputError(
            f"None of the {silent:,} references in {path.name!r} has a decision that can be read. A note "
            f"such as {sample[:60]!r} is none: it must be Include, Exclude or Maybe alone, or stand "
            "after “Decision:”. Votes of Rayyan, labels of ASReview, and LB or KW of EndNote are read too."
        )


def _unread_note(fields: list[tuple[str, str]]) -> str:
    return next((note for note in _notes(fields) if note and not _of_asreview(note)), "")


def _of_asreview(note: str) -> bool:
    return note.lower().startswith("asreview_")


def answers_of(fields: list[tuple[str, str]], names: Names, *, place: str) -> list[Answer]:
    """What one reference says of itself: a vote per reader, or one label that may be empty."""
    item = _item(fields)
    votes = [
        Answer(place=place, item=item, label=vote, annotator=reader)
        for reader, vote in _votes(fields)
    ]
    others = [(tag, value) for tag, value in fields if not RAYYAN.search(value)]
    answer = _answer(place, others, names)
    if not votes:
        return [answer]
    agreed = {names.meaning(vote.label) for vote in votes if vote.label} | {None}
    if answer.fault or (answer.label and names.meaning(answer.label) not in agreed):
        return [Answer(place=place, fault="a note of it differs from the votes of its readers")]
    return votes


def _votes(fields: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Reader and vote, as Rayyan notes them."""
    for tag, value in fields:
        match = RAYYAN.search(value) if tag == NOTE else None
        if match:
            votes = RAYYAN_VOTE.findall(match[1])
            return [(who, "?" if vote.lower() == "maybe" else vote) for who, vote in votes]
    return []


def _item(fields: list[tuple[str, str]]) -> str:
    return next((value for tag, value in fields if tag == "ID"), "")


def references(path: Path) -> Iterator[tuple[int, list[tuple[str, str]]]]:
    """The references of a file: the line where each begins, and its tags with their values."""
    text = read_text(path)
    fields: list[tuple[str, str]] = []
    begun = 0
    for number, line in enumerate(text.split("\n"), start=1):
        match = TAG.match(line.rstrip("\r").strip("\ufeff"))
        if not match:  # blank, numbered by some exporters, or the rest of a text
            if line.strip() and fields:
                _go_on(fields, line.strip())
            continue
        tag, value = match.group(1), (match.group(2) or "").strip()
        tag = NOTE if tag in NOTE_TAGS else tag
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


def _go_on(fields: list[tuple[str, str]], line: str) -> None:
    """A line without a tag: one more keyword, as EndNote writes them, or the rest of a text."""
    tag, value = fields[-1]
    if tag == KEYWORD:
        fields.append((tag, line))
    else:
        between = "\n" if tag == NOTE else " "
        fields[-1] = (tag, f"{value}{between}{line}")


def _answer(place: str, fields: list[tuple[str, str]], names: Names) -> Answer:
    notes, item = _notes(fields), _item(fields)
    labels = {NOTES[note]: NOTES[note] for note in notes if note in NOTES}
    if not labels:
        words = [decision for note in notes if (decision := decision_in(note, names))]
        words += [
            value for tag, value in fields if tag in ("LB", KEYWORD)
        ]  # EndNote's, if any are labels
        labels = {code: word for word in words if (code := names.meaning(word)) is not None}
    if len(labels) > 1:
        return Answer(place=place, fault="its notes give it two different labels")
    doubtful = next((note for note in notes if is_doubtful(note)), None)
    if doubtful is not None:
        why = "could be a decision, but it is not certain which; write Include, Exclude or Maybe alone"
        return Answer(place=place, fault=f"its note {doubtful[:60]!r} {why}")
    return Answer(
        place=place,
        item=item,
        label=next(iter(labels.values()), ""),
        annotator=_note(notes, "asreview_user_name") or _note(notes, "asreview_user_email"),
        time=_note(notes, "asreview_time"),
    )


def _notes(fields: list[tuple[str, str]]) -> list[str]:
    return [PARAGRAPH.sub("", value) for tag, value in fields if tag == NOTE]


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
