"""Labels and tasks in the formats of other tools, on files that the tools themselves wrote."""

import codecs
import csv
import importlib.util
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assaymark.errors import InputError
from assaymark.files.batch import write_batch
from assaymark.files.labels import LabelFile, read_labels
from assaymark.files.spelling import label_names
from assaymark.files.tools import READERS, WRITERS, find_reader

DATA = Path(__file__).parents[2] / "data" / "formats"
Assaymark = Callable[..., Any]


def _make() -> Any:
    spec = importlib.util.spec_from_file_location("make", DATA / "make.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MAKE = _make()
LABELS = {item: answer for item, answer in MAKE.ANSWERS.items() if answer is not None}
SKIPPED = next(item for item, answer in MAKE.ANSWERS.items() if answer is None)


def read(name: str | Path, **options: Any) -> LabelFile:
    return read_labels(DATA / name, annotator="reviewer", **options)


def answers(found: LabelFile) -> dict[str, int | None]:
    return {row.item: row.label for row in found.rows}


@pytest.mark.parametrize("release", ["1.6.6", "2.2", "3.0.8"])
@pytest.mark.parametrize("ending", ["csv", "ris"])
def test_what_asreview_exports(release: str, ending: str) -> None:
    """Every id comes back as it went out, and records that nobody has seen are still empty."""
    found = read(f"asreview-{release}.{ending}")
    assert answers(found) == LABELS
    assert found.empty == 2
    who = {row.annotator for row in found.rows}
    assert who == ({"reviewer"} if release.startswith("1") else {"Kim"})
    when = {row.answered for row in found.rows}
    assert when == ({None} if release.startswith("1") else {"2026-03-01T10:00:00.000Z"})


def test_what_label_studio_exports() -> None:
    """Two annotators of one task are two answers; a skipped task is one nobody could tell."""
    found = read("label-studio.json")
    assert answers(found) == {**LABELS, SKIPPED: None}
    assert found.empty == 1
    pairs = [(row.item, row.annotator) for row in found.rows]
    assert pairs[:2] == [("007", "person1@example.org"), ("007", "person2@example.org")]
    assert {row.answered for row in found.rows} == {"2026-03-01T10:00:30.500Z"}
    assert {row.seconds for row in found.rows} == {4.25}


@pytest.mark.parametrize("name", ["label-studio-min.json", "label-studio.csv"])
def test_label_studio_s_smaller_exports(name: str) -> None:
    """They leave skipped tasks out, and their own numbers are not taken for ids."""
    found = read(name)
    assert answers(found) == LABELS
    assert len(found.rows) == len(LABELS) + 1


def test_what_a_running_label_studio_exports() -> None:
    """Its tasks were imported from ours; its users are numbers, and one labelled an item twice."""
    found = read("label-studio-1.23.2.json")
    assert answers(found) == {**LABELS, SKIPPED: None}
    assert (found.empty, {row.annotator for row in found.rows}) == (1, {"1"})
    assert {row.seconds for row in found.rows} == {4.25}
    for name in ("label-studio-1.23.2-min.json", "label-studio-1.23.2.csv"):
        assert answers(read(name)) == LABELS


@pytest.mark.parametrize("name", ["prodigy.jsonl", "prodigy-choice.jsonl"])
def test_what_prodigy_writes(name: str) -> None:
    found = read(name)
    assert answers(found) == {**LABELS, SKIPPED: None}
    assert {row.annotator for row in found.rows} == {"tickets-kim"}
    assert {row.answered for row in found.rows} == {"2026-03-01T10:00:00.000Z"}


@pytest.mark.parametrize("name", ["excel.xlsx", "excel-semicolon.csv", "excel-unicode.txt"])
def test_what_spreadsheets_leave_behind(name: str) -> None:
    """Byte-order marks, UTF-16, semicolons, Windows line ends, empty rows, a sheet before ours."""
    found = read(name)
    assert answers(found) == {**LABELS, SKIPPED: None}
    assert found.empty == 0


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("tasks-asreview.csv", "asreview"),
        ("tasks.ris", "ris"),
        ("tasks-label-studio.json", "label-studio"),
        ("tasks-prodigy.jsonl", "prodigy"),
    ],
)
def test_the_tasks_are_those_that_the_tools_were_given(
    name: str, form: str, tmp_path: Path
) -> None:
    rows = [{"id": i, "title": t, "body": b, "score": "0.9"} for i, (t, b) in MAKE.ITEMS.items()]
    write_batch(tmp_path / name, rows, MAKE.COLUMNS, form=form)
    written = (tmp_path / name).read_bytes()
    assert written == (DATA / name).read_bytes()
    assert b"0.9" not in written, "blind"


def filled(path: Path, form: str, labels: dict[str, str]) -> None:
    """Play the annotator: put labels into the plain formats."""
    if form == "csv":
        rows = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8"), newline="")))
        place = {row[0]: row for row in rows[1:]}
        for item, label in labels.items():
            guarded = "'" + item if item[0] in "=+-@" else item
            place[guarded][-1] = label
        with path.open("w", newline="", encoding="utf-8") as stream:
            csv.writer(stream).writerows(rows)
    elif form == "jsonl":
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for line in lines:
            line["label"] = labels[line["id"]]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    elif form == "xlsx":
        from openpyxl import load_workbook

        book = load_workbook(path)
        for row in book.active.iter_rows(min_row=2):
            row[-1].value = labels[row[0].value]
        book.save(path)
    else:
        from assaymark.pool.tables import write_table

        write_table(path, {"id": list(labels), "label": list(labels.values())})


@pytest.mark.parametrize("form", ["csv", "jsonl", "xlsx", "parquet"])
def test_plain_formats_come_back_filled(form: str, tmp_path: Path) -> None:
    rows = [{"id": i, "title": t, "body": b} for i, (t, b) in MAKE.ITEMS.items()]
    path = tmp_path / f"batch.{form}"
    write_batch(path, rows, MAKE.COLUMNS)
    assert read(path).empty == len(rows), "nothing is labelled yet"
    filled(path, form, dict.fromkeys(MAKE.ITEMS, "yes"))
    assert answers(read(path)) == dict.fromkeys(MAKE.ITEMS, 1)
    assert not (tmp_path / f"batch.{form}.part").exists()


def test_a_workbook_runs_nothing(tmp_path: Path) -> None:
    """Text that looks like a formula is stored as text, and so is an id with zeros in front."""
    path = tmp_path / "b.xlsx"
    write_batch(path, [{"id": "007", "body": '=HYPERLINK("http://x","y")'}], ["body"])
    sheet = zipfile.ZipFile(path).read("xl/worksheets/sheet1.xml").decode()
    assert "<f>" not in sheet
    assert "=HYPERLINK" in sheet
    from openpyxl import load_workbook

    cells = next(load_workbook(path).active.iter_rows(min_row=2))
    assert [cell.data_type for cell in cells] == ["s", "s", "n"]
    assert [cell.number_format for cell in cells] == ["@", "@", "@"]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "'=1", "''+2"])
def test_a_csv_runs_nothing(text: str, tmp_path: Path) -> None:
    path = tmp_path / "b.csv"
    write_batch(path, [{"id": text, "body": text}], ["body"])
    row = list(csv.reader(io.StringIO(path.read_bytes().decode(), newline="")))[1]
    assert row[0] == row[1] == "'" + text
    path.write_text('id,label\n"' + row[0] + '",1\n', encoding="utf-8", newline="")
    assert answers(read(path)) == {text: 1}


def test_formulas_in_a_workbook_are_named(tmp_path: Path) -> None:
    from openpyxl import Workbook

    book = Workbook()
    for row in (["id", "label"], ["a", 1], ["b", "=IF(1,1,0)"]):
        book.active.append(row)
    book.save(tmp_path / "l.xlsx")
    with pytest.raises(InputError, match=r"row 3: .* the formula =IF\(1,1,0\); paste the values"):
        read(tmp_path / "l.xlsx")


def test_a_text_too_long_for_a_cell_is_refused(tmp_path: Path) -> None:
    long = "x" * 40_000
    with pytest.raises(InputError, match=r"Item 'a' has 40,000 characters in 'body'"):
        write_batch(tmp_path / "b.xlsx", [{"id": "a", "body": long}], ["body"])
    assert list(tmp_path.iterdir()) == []
    write_batch(tmp_path / "b.csv", [{"id": "a", "body": long * 50}], ["body"])
    assert read(tmp_path / "b.csv").empty == 1


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("l.csv", 'id,text,label\n1,"open,1\n2,x,0\n', "is not CSV"),
        ("l.csv", "id,text,label\n1,yes, no,1\n", "row 2: it has 4 fields, and the first line names 3"),
        ("l.csv", "id,label,label\n1,1,0\n", "two columns 'label'"),
        ("l.csv", "id,label,included\n1,1,0\n", "could be csv or asreview. Say which with format="),
        ("l.csv", "id,label,time\n1,1,yesterday\n", "row 2: the time 'yesterday' cannot be read"),
        ("l.csv", "id,included\n1,2\n", "row 2: '2' is no label"),
        ("l.csv", b"id,label\n\x81,1\n", "neither UTF-8, UTF-16 nor Windows-1252"),
        ("l.jsonl", '{"id": "a", "label": [1]}\n', "row 1: a text or a number was expected"),
        ("l.jsonl", '{"id": "a", "label": "yes", "answer": "accept"}\n', "could be jsonl or prodigy"),
        ("l.jsonl", '{"assaymark_id": "a", "label": "X", "answer": "accept"}\n[1]\n', "Line 2 of the label file is not a JSON object"),
        ("l.jsonl", '{"text": "a", "answer": "accept"}\n', "row 1: it has no 'assaymark_id'"),
        ("l.jsonl", '{"assaymark_id": 1, "options": [{"id": "yes"}, {"id": "no"}], "accept": ["yes", "no"], "answer": "accept"}\n', "row 1: it chooses several labels"),
        ("l.jsonl", '{"assaymark_id": 1, "options": [{"id": "yes"}, {"id": "no"}], "accept": [], "answer": "accept"}\n', "row 1: it was accepted without choosing"),
        ("l.json", "[{]", "is not JSON"),
        ("l.json", "[3]", "task 1: it is not a JSON object"),
        ("l.json", '[{"data": {"text": "x"}, "annotations": [{"result": []}]}]', "task 1: its data has no 'assaymark_id'"),
        ("l.json", '[{"data": {"id": 1}, "annotations": 7}]', "task 1: its annotations are not a list"),
        ("l.json", '[{"data": {"id": 1}, "annotations": [{"result": [{"from_name": "l", "value": {"choices": ["yes", "no"]}}]}]}]', "task 1: it chooses 2 labels: yes, no"),
        ("l.json", '[{"data": {"id": 1}, "annotations": [{"result": [{"from_name": "a", "value": {"choices": ["yes"]}}, {"from_name": "b", "value": {"choices": ["no"]}}]}]}]', "it answers several questions (a, b)"),
        ("l.json", '[{"id": 4, "annotation_id": 3, "label": "yes"}]', "task 1: it has no 'assaymark_id'"),
        ("l.json", '[{"data": {"id": 1}, "annotations": [{"result": [{"from_name": "l", "value": {"choices": ["Spam"]}}]}]}]', "task 1: 'Spam' is no label"),
        ("l.ris", "TY  - GEN\nID  - 1\nN1  - ASReview_relevant\n", "The reference in line 1 of the label file has no end"),
        ("l.ris", "TY  - GEN\nN1  - ASReview_relevant\nER  - \n", "the reference in line 1: the id is missing"),
        ("l.ris", "TY  - GEN\nID  - 1\nN1  - ASReview_relevant\nN1  - ASReview_irrelevant\nER  - \n", "two different labels"),
        ("l.xlsx", b"PK\x03\x04 not a workbook", "is no workbook that can be read"),
        ("l.parquet", b"PAR1 not parquet", "cannot be read"),
        ("l.csv", b"\x00\x01\x02\x03\x00\x00", "is not a kind of file that assaymark knows. Say which with format=: csv, jsonl"),
    ],
)  # fmt: skip
def test_malformed_files_are_refused_by_row(
    tmp_path: Path, name: str, content: str | bytes, sentence: str
) -> None:
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError) as refusal:
        read(tmp_path / name)
    assert sentence in str(refusal.value)


def test_the_content_decides_and_not_the_ending(tmp_path: Path) -> None:
    for name in ("label-studio.json", "prodigy.jsonl", "asreview-2.2.ris", "excel.xlsx"):
        (tmp_path / "labels.csv").write_bytes((DATA / name).read_bytes())
        assert answers(read(tmp_path / "labels.csv")) == answers(read(name))


def test_a_named_format_is_taken_at_its_word(tmp_path: Path) -> None:
    (tmp_path / "l.csv").write_text("id,label,included\n1,1,0\n", encoding="utf-8")
    assert answers(read(tmp_path / "l.csv", form="csv")) == {"1": 1}
    assert answers(read(tmp_path / "l.csv", form="asreview")) == {"1": 0}
    with pytest.raises(InputError, match=r"'format' must be one of auto, csv, jsonl"):
        find_reader(tmp_path / "l.csv", "excel")


def test_what_can_be_written_can_be_read() -> None:
    assert set(WRITERS) == set(READERS)


@pytest.mark.parametrize(
    ("name", "form", "sentence"),
    [
        ("b.txt", "auto", "A batch is written as .csv, .jsonl, .xlsx, .parquet, .json, .ris"),
        ("b.csv", "label-studio", "The format label-studio is written as .json, got 'b.csv'"),
        ("b.csv", "labelstudio", "Did you mean 'label-studio'?"),
    ],
)
def test_batches_that_cannot_be_written(
    name: str, form: str, sentence: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as refusal:
        write_batch(tmp_path / name, [{"id": "a"}], [], form=form)
    assert sentence in str(refusal.value)


def test_a_document_cannot_end_its_reference(tmp_path: Path) -> None:
    """RIS is made of lines, and documents hold lines that look like tags."""
    body = "first\nER  - \nTY  - GEN\nID  - forged\nN1  - ASReview_relevant\u2028ER  - "
    write_batch(tmp_path / "b.ris", [{"id": "real", "body": body}], ["body"])
    found = read(tmp_path / "b.ris")
    assert (found.rows, found.empty) == ((), 1)
    with pytest.raises(InputError, match="cannot be written as RIS"):
        write_batch(tmp_path / "c.ris", [{"id": "a\nb", "body": ""}], ["body"])


@pytest.mark.parametrize("item", ["Acme®", "a\rb", "a\u2028b"])
def test_a_load_file_refuses_an_id_that_would_come_back_as_another(
    item: str, tmp_path: Path
) -> None:
    """® stands for a line break there, and every kind of line break comes back as one."""
    with pytest.raises(InputError, match="would come back as another one"):
        write_batch(tmp_path / "b.dat", [{"id": item, "body": "®"}], ["body"])
    write_batch(tmp_path / "b.dat", [{"id": "a\nb", "body": "®"}], ["body"])
    found = READERS["concordance"].read(tmp_path / "b.dat", label_names())
    assert [answer.item for answer in found] == ["a\nb"]


def test_other_names_of_labels(tmp_path: Path) -> None:
    (tmp_path / "l.csv").write_text("id,label\n1,Spam\n2,ham\n3,dunno\n", encoding="utf-8")
    names = label_names(relevant=["SPAM"], irrelevant=["Ham"], unclear=["dunno"])
    assert answers(read(tmp_path / "l.csv", names=names)) == {"1": 1, "2": 0, "3": None}
    with pytest.raises(InputError, match="'x' is given two meanings"):
        label_names(relevant=["x"], irrelevant=["X"])


def test_a_rejected_name_for_irrelevant_is_relevant(tmp_path: Path) -> None:
    """In Prodigy one label is accepted or rejected; what it stands for is in its name."""
    line = {"assaymark_id": "1", "label": "HAM", "answer": "reject", "text": ""}
    (tmp_path / "p.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    assert answers(read(tmp_path / "p.jsonl")) == {"1": 0}
    assert answers(read(tmp_path / "p.jsonl", names=label_names(irrelevant=["ham"]))) == {"1": 1}


def test_a_session_without_a_name_is_nobody_s(tmp_path: Path) -> None:
    line = {"assaymark_id": "1", "answer": "accept", "_session_id": "set-2026-03-01_10-00-00"}
    (tmp_path / "p.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    assert read(tmp_path / "p.jsonl").rows[0].annotator == "reviewer"


@pytest.mark.parametrize("mark", [codecs.BOM_UTF8, b""])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_tables_in_text(mark: bytes, end: str, separator: str, tmp_path: Path) -> None:
    lines = ["", separator.join(["Label", "note", "ID"]), separator.join(["yes", '"a;b,c"', "x"])]
    lines += [separator * 2, separator.join(["", "", "y"]), ""]
    (tmp_path / "l.csv").write_bytes(mark + end.join(lines).encode())
    found = read(tmp_path / "l.csv")
    assert answers(found) == {"x": 1}
    assert found.empty == 1, "the row without anything is passed over"


def test_excel_says_its_separator_and_forgets_its_mark(tmp_path: Path) -> None:
    (tmp_path / "l.csv").write_bytes("sep=;\r\nid;label\r\na;1\r\n".encode("utf-16-le"))
    assert answers(read(tmp_path / "l.csv")) == {"a": 1}


def test_a_hundred_thousand_rows(tmp_path: Path) -> None:
    """Correct at size; how long it takes is measured in bench."""
    lines = "".join(f"{n},{n % 2},kim\n" for n in range(100_000))
    (tmp_path / "l.csv").write_text("id,label,annotator\n" + lines, encoding="utf-8")
    found = read(tmp_path / "l.csv")
    assert len(found.rows) == 100_000
    assert sum(row.label or 0 for row in found.rows) == 50_000


@pytest.fixture
def drawn(assaymark: Assaymark, project: Path, tmp_path: Path) -> list[str]:
    assert assaymark("plan", "f1 >= 0.8", "--seed", "s", "-p", project).code == 0
    options = ("-o", tmp_path / "tasks.json", "--format", "label-studio", "--json")
    return assaymark("draw", 40, *options, "-p", project).json["items"]


def test_from_draw_to_labels_through_label_studio(
    assaymark: Assaymark, project: Path, tmp_path: Path, drawn: list[str]
) -> None:
    tasks = json.loads((tmp_path / "tasks.json").read_text(encoding="utf-8"))
    assert [set(task) for task in tasks] == [{"data"}] * 40
    assert [set(task["data"]) for task in tasks] == [{"assaymark_id", "body"}] * 40
    for number, task in enumerate(tasks):
        choice = {"from_name": "l", "type": "choices", "value": {"choices": ["Spam"]}}
        task["annotations"] = [
            {"completed_by": 7, "result": [choice], "updated_at": "2026-03-01T10:00:00Z"}
        ]
        if number == 0:
            task["annotations"] = [{"completed_by": 7, "was_cancelled": True, "result": []}]
    (tmp_path / "export.json").write_text(json.dumps(tasks), encoding="utf-8")
    refused = assaymark("label", tmp_path / "export.json", "-p", project)
    assert (refused.code, "task 2: 'Spam' is no label" in refused.err) == (2, True)
    assert assaymark("status", "-p", project, "--json").json["labelled"] == 0
    done = assaymark(
        "label", tmp_path / "export.json", "--relevant", "spam", "-p", project, "--json"
    )
    assert (done.json["recorded"], done.json["skipped"]) == (39, 1)


def test_advice_names_the_tool(assaymark: Assaymark, project: Path, drawn: list[str]) -> None:
    answer = assaymark("draw", "--pending", "--format", "prodigy", "-p", project)
    assert (
        "Next: label it in Prodigy, write it out with db-out, then: assaymark label FILE"
        in answer.out
    )
    assert (project / "batch-1-pending-1.jsonl").exists()
    assert assaymark("draw", "--format", "nothing", "-p", project).code == 2


@pytest.mark.parametrize("form", ["{}", " {}.0 "])
def test_lost_zeros_are_named_and_put_back(form: str, assaymark: Assaymark, tmp_path: Path) -> None:
    pool = "id,prediction\n" + "".join(f"{n:05d},{n % 2}\n" for n in range(300))
    (tmp_path / "pool.csv").write_text(pool, encoding="utf-8")
    folder = tmp_path / "z"
    source = ("--pool", tmp_path / "pool.csv", "--id", "id", "--prediction", "prediction")
    assert assaymark("init", folder, *source).code == 0
    assaymark("plan", "accuracy >= 0.5", "--seed", "s", "-p", folder)
    items = assaymark("draw", 40, "-p", folder, "--json").json["items"]
    bare = [form.format(item.lstrip("0")) for item in items[1:]]
    lines = [f"{item},1\n" for item in (*bare, items[0])]
    (tmp_path / "l.csv").write_text("id,label\n" + "".join(lines), encoding="utf-8")
    refused = assaymark("label", tmp_path / "l.csv", "-p", folder)
    assert refused.code == 2
    assert "removed leading zeros. Nothing was recorded" in refused.err
    done = assaymark("label", tmp_path / "l.csv", "--restore-zeros", "-p", folder, "--json").json
    assert (done["recorded"], done["not_drawn"]) == (40, 0)


def test_a_number_cut_short_is_named(assaymark: Assaymark, tmp_path: Path) -> None:
    pool = "id,prediction\n" + "".join(f"{10**17 + n},{n % 2}\n" for n in range(300))
    (tmp_path / "pool.csv").write_text(pool, encoding="utf-8")
    folder = tmp_path / "z"
    source = ("--pool", tmp_path / "pool.csv", "--id", "id", "--prediction", "prediction")
    assert assaymark("init", folder, *source).code == 0
    assaymark("plan", "accuracy >= 0.5", "--seed", "s", "-p", folder)
    items = assaymark("draw", 40, "-p", folder, "--json").json["items"]
    (tmp_path / "l.csv").write_text(f"id,label\n{items[0]},1\n1E+17,1\n", encoding="utf-8")
    refused = assaymark("label", tmp_path / "l.csv", "-p", folder)
    assert "'1E+17' is a long number that a spreadsheet cut short" in refused.err
