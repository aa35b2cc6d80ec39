"""Laws of the formats: whatever the text, the id comes back, and nothing but the label is added."""

import csv
import io
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from assaymark.errors import InputError
from assaymark.files.answers import ITEM
from assaymark.files.batch import write_batch
from assaymark.files.formats import asreview, delimited, label_studio, prodigy, xlsx
from assaymark.files.labels import read_labels
from assaymark.files.spelling import USUAL
from assaymark.files.tools import WRITERS

# control characters, every line separator, right-to-left marks, formulas, quotes, what other
# formats take for their own, and any letter
STRANGE = [*"\x00\x01\t\n\x0b\x0c\r\x1c\x85\u2028\u202e\u200f\ufeff\ufffe\uffff=+-@'\",; א"]
STRANGE += ["_x0041_", "_x005F_", "ER  - ", "\r\n", "item:", "007", "NA", "TY  - "]
pieces = st.one_of(st.sampled_from(STRANGE), st.characters(exclude_categories=["Cs"]))
texts = st.lists(pieces, max_size=20).map("".join)
ids = st.lists(texts.filter(bool), min_size=1, max_size=5, unique=True)


def written(form: str, rows: list[dict[str, str | None]], folder: str) -> Path:
    path = Path(folder) / f"b{WRITERS[form].endings[0]}"
    write_batch(path, rows, ["body"], form=form)
    return path


@pytest.mark.parametrize("form", sorted(set(WRITERS) - {"ris"}))
@settings(max_examples=25)
@given(items=ids, body=texts)
def test_ids_come_back_unchanged(form: str, items: list[str], body: str) -> None:
    """Each item is in the file once, by the id that it had, and has no label yet."""
    from assaymark.files.tools import READERS

    if form == "concordance":  # fields are trimmed and line breaks have a sign of their own there
        items = [i for i in items if i.isprintable() and i == i.strip() and "®" not in i]
        assume(items)
    with tempfile.TemporaryDirectory() as folder:
        path = written(form, [{"id": item, "body": body} for item in items], folder)
        if form == "asreview":  # the tool adds the column for the labels
            text = path.read_bytes().decode()
            path.write_bytes(text.replace("abstract\n", "abstract,included\n", 1).encode())
        found = [answer.item for answer in READERS[form].read(path, USUAL)]
    assert found == items


@given(items=ids, body=texts)
def test_references_keep_their_ids_or_are_refused(items: list[str], body: str) -> None:
    from assaymark.files.formats import ris

    rows: list[dict[str, str | None]] = [{"id": item, "body": body} for item in items]
    with tempfile.TemporaryDirectory() as folder:
        try:
            path = written("ris", rows, folder)
        except InputError:
            assert any(item != " ".join(item.splitlines()).strip() for item in items)
            return
        assert [answer.item for answer in ris.read(path, USUAL)] == items


@given(text=texts)
def test_a_guard_is_taken_off_exactly(text: str) -> None:
    guarded = delimited.guard(text)
    assert delimited.unguard(guarded) == text
    assert not guarded.startswith(("=", "+", "-", "@", "\t", "\r"))


@given(body=texts)
def test_texts_are_told_whole(body: str) -> None:
    """What people read is what the pool holds, in every format that shows a text."""
    rows: list[dict[str, str | None]] = [{"id": "a", "body": body}]
    with tempfile.TemporaryDirectory() as folder:
        table = written("csv", rows, folder).read_bytes().decode()
        cells = list(csv.reader(io.StringIO(table, newline="")))[1]
        assert delimited.unguard(cells[1]) == body
        tasks = json.loads(written("label-studio", rows, folder).read_text(encoding="utf-8"))
        assert tasks == [{"data": {ITEM: "a", "body": body}}]
        line = written("prodigy", rows, folder).read_bytes().decode()
        assert json.loads(line) == {ITEM: "a", "text": body}
        table = written("xlsx", rows, folder)
        from openpyxl import load_workbook

        with table.open("rb") as stream:
            book = load_workbook(stream, read_only=True)
            cell = list(book.active.iter_rows())[1][1]
            assert xlsx._value(cell) == (body or None)
            book.close()


@settings(max_examples=10)
@given(body=st.text(min_size=1, max_size=50), times=st.integers(1_000, 40_000))
def test_very_long_texts(body: str, times: int) -> None:
    long = body * times
    with tempfile.TemporaryDirectory() as folder:
        path = written("csv", [{"id": "a", "body": long}], folder)
        row = next(iter(delimited.read_table(path).rows))[1]
        assert row[1] == long
        assert read_labels(path, annotator="x").empty == 1


words = st.sampled_from(["1", "0", "yes", "no", "?", "TRUE", " relevant "])


@given(labels=st.dictionaries(texts.filter(bool), words, max_size=5))
def test_the_same_labels_in_every_format_are_the_same_answers(labels: dict[str, str]) -> None:
    plain = "".join(json.dumps({"id": i, "label": w}) + "\n" for i, w in labels.items())
    means = {"1": "Relevant", "0": "irrelevant"}
    tasks = [
        {
            "data": {ITEM: item},
            "annotations": [
                {
                    "was_cancelled": USUAL.meaning(word) == "?",
                    "result": [{"from_name": "q", "value": {"choices": [means.get(m, "")]}}],
                }
            ],
        }
        for item, word in labels.items()
        for m in [str(USUAL.meaning(word))]
    ]
    said = {"1": "accept", "0": "reject", "?": "ignore"}
    binary = "".join(
        json.dumps({ITEM: i, "label": "TOPIC", "answer": said[str(USUAL.meaning(w))]}) + "\n"
        for i, w in labels.items()
    )
    with tempfile.TemporaryDirectory() as folder:
        contents = {"jsonl": plain, "label-studio": json.dumps(tasks), "prodigy": binary}
        found = []
        for form, content in contents.items():
            path = Path(folder) / f"l-{form}"
            path.write_text(content, encoding="utf-8")
            found.append(read_labels(path, annotator="x", form=form))
    assert found[0] == found[1] == found[2]


def test_the_readers_are_those_of_their_modules() -> None:
    """The registry names each module's own reader, so the laws above hold for all of them."""
    from assaymark.files.tools import READERS

    assert READERS["asreview"].read is asreview.read
    assert READERS["label-studio"].read is label_studio.read
    assert READERS["prodigy"].read is prodigy.read
