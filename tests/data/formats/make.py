"""Writes the files of this folder, each with the tool whose format it is.

    python make.py tasks           with assaymark: what is handed to the tools
    python make.py asreview        with asreview 1.6.6, 2.2 and 3.0.8, one after the other
    python make.py label-studio    with label-studio-sdk 2.1.2
    python make.py server          with label-studio 1.23.2, started on port 8099 with
                                   --enable-legacy-api-token; its token is in LABEL_STUDIO_TOKEN
    python make.py prodigy         with nothing: Prodigy is not free, so the file follows its
                                   documentation (prodi.gy/docs/api-interfaces and /docs/review)
    python make.py spreadsheets    with openpyxl 3.1.5, playing Excel: what people send back

Each part runs in an environment of its own that holds the tool. ASReview's files go through its own
reader and its own writer, with the result columns that its export adds. Label Studio's tasks and
annotations are checked by the SDK against the labelling configuration, and JSON-MIN and CSV are made
by its converter. The people and their answers are made up.
"""

import json
import sys
from pathlib import Path

HERE = Path(__file__).parent
COLUMNS = ("title", "body")
ITEMS = {
    "007": ("Leading zeros", "An agent's file."),
    "=A1": ("=1+1", "@SUM(A1), a formula in an id and in a text"),
    "doc 3": ('Quotes " and, commas', "two\nlines; and a semicolon"),
    "ünï-4": ("Umlaute", "naïve façade"),
    "5": ("", "no title"),
    "מסמך-6": ("מימין לשמאל", "right to left"),
}
ANSWERS = {"007": 1, "=A1": 0, "doc 3": 1, "ünï-4": 0, "5": None}  # the last one nobody has seen
CONFIG = """
<View>
  <Header value="$title"/>
  <Text name="text" value="$body"/>
  <Choices name="label" toName="text" choice="single">
    <Choice value="Relevant"/><Choice value="Not relevant"/><Choice value="Cannot tell"/>
  </Choices>
</View>
"""


def tasks() -> None:
    """What assaymark hands out."""
    from assaymark.files.batch import write_batch

    rows = [{"id": item, "title": t, "body": b} for item, (t, b) in ITEMS.items()]
    for name, form in (
        ("tasks-asreview.csv", "asreview"),
        ("tasks.ris", "ris"),
        ("tasks-label-studio.json", "label-studio"),
        ("tasks-prodigy.jsonl", "prodigy"),
    ):
        write_batch(HERE / name, rows, COLUMNS, form=form)


def asreview() -> None:
    """The tasks read, labelled and written by the ASReview of this environment."""
    from importlib.metadata import version

    release = version("asreview")
    make = _asreview_1 if release.startswith("1.") else _asreview_2
    for ending, name in ((".csv", "tasks-asreview.csv"), (".ris", "tasks.ris")):
        make(HERE / name, HERE / f"asreview-{release}{ending}")


def _asreview_1(source: Path, target: Path) -> None:
    from asreview.data import ASReviewData

    data = ASReviewData.from_file(str(source))
    labels = [[n, a] for n, a in enumerate(ANSWERS.values()) if a is not None]
    seen = [n for n, _ in labels]
    rest = [n for n in range(len(ITEMS)) if n not in seen]
    data.to_file(str(target), labels=labels, ranking=seen + rest)


def _asreview_2(source: Path, target: Path) -> None:
    import asreview.data
    import pandas as pd
    from asreview.data import CSVWriter, RISWriter

    ris = source.suffix == ".ris"
    reader = asreview.data.RISReader if ris else asreview.data.CSVReader
    table = reader.read_data(str(source))
    answers = pd.Series([*ANSWERS.values(), None], dtype="Int64")
    table["asreview_label"] = answers.astype(object).where(answers.notna(), None)
    seen = answers.notna()
    table["asreview_time"] = seen.map({True: "2026-03-01 10:00:00", False: None})
    table["asreview_note"] = None
    table["asreview_user_name"] = seen.map({True: "Kim", False: None})
    table["asreview_user_email"] = seen.map({True: "kim@example.org", False: None})
    (RISWriter if ris else CSVWriter).write_data(table, str(target))


def label_studio() -> None:
    """An export with two annotators, a skipped task, an untouched one and one to be ignored."""
    from label_studio_sdk.converter import Converter
    from label_studio_sdk.label_interface import LabelInterface

    interface = LabelInterface(CONFIG)
    given = json.loads((HERE / "tasks-label-studio.json").read_text(encoding="utf-8"))
    exported = []
    for number, (task, answer) in enumerate(zip(given, [*ANSWERS.values(), ...], strict=True), 1):
        interface.validate_task(task)
        annotations = [] if answer is ... else [_annotation(number, answer, 1)]
        if number == 1:
            annotations.append(_annotation(number, answer, 2))
        for one in annotations:
            interface.validate_annotation(one)
        exported.append(
            {
                "id": 100 + number,
                "annotations": annotations,
                "drafts": [],
                "predictions": [],
                "data": task["data"],
                "meta": {},
                "created_at": "2026-03-01T09:00:00.000000Z",
                "updated_at": "2026-03-01T10:00:00.000000Z",
                "inner_id": number,
                "project": 1,
            }
        )
    target = HERE / "label-studio.json"
    target.write_text(json.dumps(exported, ensure_ascii=False, indent=1), encoding="utf-8")
    converter = Converter(CONFIG, str(HERE))
    converter.convert_to_json_min(str(target), str(HERE / "min"), is_dir=False)
    options = {"sep": ",", "header": True}
    converter.convert_to_csv(str(target), str(HERE / "min"), is_dir=False, **options)
    (HERE / "min" / "result.json").rename(HERE / "label-studio-min.json")
    (HERE / "min" / "result.csv").rename(HERE / "label-studio.csv")
    (HERE / "min").rmdir()


def server() -> None:
    """The tasks imported, labelled and exported through a running Label Studio."""
    project = _call(
        "POST", "/api/projects/", {"title": "assaymark formats", "label_config": CONFIG}
    )
    given = json.loads((HERE / "tasks-label-studio.json").read_text(encoding="utf-8"))
    number = json.loads(project)["id"]
    _call("POST", f"/api/projects/{number}/import", given)
    imported = json.loads(_call("GET", f"/api/tasks/?project={number}&page_size=100"))["tasks"]
    for task, (item, answer) in zip(imported, ANSWERS.items(), strict=False):
        said = {k: v for k, v in _annotation(1, answer, 1).items() if k in GIVEN}
        for _ in range(2 if item == "007" else 1):
            _call("POST", f"/api/tasks/{task['id']}/annotations/", said)
    for form, name in (("JSON", ".json"), ("JSON_MIN", "-min.json"), ("CSV", ".csv")):
        wish = f"exportType={form}&download_all_tasks=true"
        exported = _call("GET", f"/api/projects/{number}/export?{wish}")
        (HERE / f"label-studio-1.23.2{name}").write_bytes(exported)


GIVEN = ("result", "was_cancelled", "lead_time")


def _call(method: str, path: str, body: object = None) -> bytes:
    import os
    from urllib.request import Request, urlopen

    data = None if body is None else json.dumps(body).encode()
    marks = {
        "Authorization": f"Token {os.environ['LABEL_STUDIO_TOKEN']}",
        "Content-Type": "application/json",
    }
    request = Request(f"http://127.0.0.1:8099{path}", method=method, data=data, headers=marks)
    with urlopen(request) as answer:
        return answer.read()


def _annotation(task: int, answer: int | None, person: int) -> dict[str, object]:
    chosen = {1: "Relevant", 0: "Not relevant"}.get(answer)
    result = {
        "id": f"r{task}{person}",
        "type": "choices",
        "value": {"choices": [chosen]},
        "from_name": "label",
        "to_name": "text",
        "origin": "manual",
    }
    return {
        "id": 10 * task + person,
        "completed_by": {"id": person, "email": f"person{person}@example.org"},
        "result": [result] if chosen else [],
        "was_cancelled": chosen is None,
        "ground_truth": False,
        "created_at": "2026-03-01T10:00:00.000000Z",
        "updated_at": "2026-03-01T10:00:30.500000Z",
        "lead_time": 4.25,
        "task": 100 + task,
    }


def prodigy() -> None:
    """The tasks as textcat.manual answers them: one label, and a choice among two."""
    given = (HERE / "tasks-prodigy.jsonl").read_text(encoding="utf-8").splitlines()
    words = {1: "accept", 0: "reject", None: "ignore"}
    binary, choice = [], []
    options = [{"id": name, "text": name} for name in ("RELEVANT", "IRRELEVANT")]
    for line, answer in zip(given, ANSWERS.values(), strict=False):
        task = json.loads(line)
        marks = {
            "_input_hash": -1530009927,
            "_task_hash": -340967702,
            "_is_binary": True,
            "_view_id": "classification",
            "answer": words[answer],
            "_timestamp": 1772359200,
            "_annotator_id": "tickets-kim",
            "_session_id": "tickets-kim",
        }
        binary.append({**task, "label": "COMPLAINT", **marks})
        accepted = [] if answer is None else [options[1 - answer]["id"]]
        said = {"answer": "ignore" if answer is None else "accept", "_view_id": "choice"}
        choice.append({**task, "options": options, "accept": accepted, **marks, **said})
    for name, rows in (("prodigy.jsonl", binary), ("prodigy-choice.jsonl", choice)):
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (HERE / name).write_text(text, encoding="utf-8")


def spreadsheets() -> None:
    """A workbook as people save it, and a semicolon CSV and a Unicode text as Excel writes them."""
    from openpyxl import Workbook

    book = Workbook()
    book.active.title = "notes"
    book.active.append(["Please label the second sheet."])
    sheet = book.create_sheet("items")
    sheet.append(["ID", "title", "Label", "annotator"])
    for row, (item, answer) in enumerate(ANSWERS.items(), start=2):
        said = {1: True, 0: 0, None: "unclear"}[answer]
        sheet.append([None, ITEMS[item][0], said, "kim"])
        for column, text in ((1, item), (2, ITEMS[item][0])):
            cell = sheet.cell(row, column, text)
            cell.data_type = "s"
    sheet.append([None, None, None, None])
    book.save(HERE / "excel.xlsx")
    lines = ["id;title;label"]
    lines += [f"'{i};x;{a}" if i[0] == "=" else f"{i};x;{a}" for i, a in ANSWERS.items()]
    lines = [line.replace(";None", ";?") for line in lines] + [";;"]
    text = "".join(line + "\r\n" for line in lines)
    (HERE / "excel-semicolon.csv").write_bytes(b"\xef\xbb\xbf" + text.encode())
    (HERE / "excel-unicode.txt").write_bytes(text.replace(";", "\t").encode("utf-16"))


if __name__ == "__main__":
    parts = {
        "tasks": tasks,
        "asreview": asreview,
        "label-studio": label_studio,
        "server": server,
        "prodigy": prodigy,
        "spreadsheets": spreadsheets,
    }
    parts[sys.argv[1]]()
