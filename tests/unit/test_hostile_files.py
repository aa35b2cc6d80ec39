"""Files that strangers made, and what strangers lay in our way: nothing runs, nothing fills up."""

import csv
import io
import os
import resource
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assaymark.files.batch import write_batch
from assaymark.files.formats.delimited import guard, unguard
from assaymark.files.places import part_of, write_safely
from assaymark.reviewing.exporting import WRITERS
from worlds_on_disk import Answer

FORMULA = "=+-@＝＋－＠"
HIDDEN = [
    "a;=1+1", "a;; @x", "a\t=cmd|' /C calc'!A0", "a\n=1+1", "a\r\n-2+3", "a\r+1", 'a;"=1+1', "a;'=1",
    'say "x";=1', "a\n\n=1", "\t=1", ";=1", " =1", "＝1+1", "a;\xa0=1",
]  # fmt: skip


def cells(text: str, separator: str) -> list[str]:
    """What a spreadsheet that splits at this separator puts into cells."""
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    return [cell for row in rows for cell in row]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("text", HIDDEN)
def test_no_cell_runs_wherever_a_spreadsheet_splits(
    text: str, separator: str, tmp_path: Path
) -> None:
    write_batch(tmp_path / "b.csv", [{"id": text, "body": text}], ["body"])
    for cell in cells((tmp_path / "b.csv").read_bytes().decode(), separator):
        assert not cell.lstrip(' \xa0"\t\r\n').startswith(tuple(FORMULA)), cell


@given(st.text(alphabet="a'\" \t\r\n;,=+-@＝"))
def test_guards_come_off_again(text: str) -> None:
    assert unguard(guard(text)) == text
    for separator in ";\t\r\n":
        for part in guard(text).split(separator)[1:]:
            assert not part.startswith(tuple(FORMULA))


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".xlsx", ".parquet", ".json", ".ris"])
def test_a_link_laid_beside_a_batch_leads_nowhere(ending: str, tmp_path: Path) -> None:
    """Whoever may write in the folder could otherwise have us overwrite any file of ours."""
    precious = tmp_path / "precious"
    precious.write_text("untouched")
    (tmp_path / f"b{ending}.part").symlink_to(precious)
    write_batch(tmp_path / f"b{ending}", [{"id": "a", "body": "x"}], ["body"])
    assert precious.read_text() == "untouched"
    assert (tmp_path / f"b{ending}").stat().st_mode & 0o777 == 0o600
    assert len(list(tmp_path.iterdir())) == 3, "nothing is left beside it"


def test_a_part_is_new_has_a_name_of_its_own_and_goes_when_writing_fails(tmp_path: Path) -> None:
    with part_of(tmp_path / "x") as one, part_of(tmp_path / "x") as other:
        assert one != other
        assert one.exists()
    with pytest.raises(ZeroDivisionError), part_of(tmp_path / "y"):
        raise ZeroDivisionError
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_what_is_handed_on_follows_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_safely(tmp_path / "shared", "x", mode=0o666)
    finally:
        os.umask(before)
    assert (tmp_path / "shared").stat().st_mode & 0o777 == 0o640


MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
HEAD = '<row r="1"><c r="A1" t="inlineStr"><is><t>id</t></is></c><c r="B1" t="inlineStr"><is><t>label</t></is></c></row>'
ROW = '<row r="2"><c r="A2" t="inlineStr"><is><t>a</t></is></c><c r="B2"><v>1</v></c></row>'


def book(path: Path, sheet: str, parts: dict[str, bytes] | None = None) -> Path:
    """A workbook with this first sheet, and other parts put in the place of its own."""
    from openpyxl import Workbook

    plain = path.with_name("plain.xlsx")
    Workbook().save(plain)
    changed = {
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{MAIN}">{sheet}</worksheet>'.encode()
    }
    changed |= parts or {}
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name in {*old.namelist(), *changed}:
            new.writestr(name, changed[name] if name in changed else old.read(name))
    plain.unlink()
    return path


READ = """
import resource, sys, time
from pathlib import Path
from assaymark.errors import InputError
from assaymark.files.labels import read_labels
import openpyxl
before = time.process_time()
try:
    print(len(read_labels(Path(sys.argv[1]), annotator="x").rows), "rows")
except InputError as error:
    print(error)
print(time.process_time() - before)
status = Path("/proc/self/status")  # getrusage would count the peak of the process that forked
lines = status.read_text().splitlines() if status.exists() else []
peaks = [line.split()[1] for line in lines if line.startswith("VmHWM")]
print(peaks[0] if peaks else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def read_apart(path: Path) -> tuple[str, float, float]:
    """The answer, its CPU seconds and the peak of its memory in MB; in a process with a limit."""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
        resource.setrlimit(resource.RLIMIT_CPU, (120, 120))

    done = subprocess.run(
        [sys.executable, "-c", READ, str(path)],
        capture_output=True, text=True, check=False, preexec_fn=limited,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-500:]
    answer, seconds, peak = done.stdout.splitlines()
    return answer, float(seconds), float(peak) / 1000


def sheet(rows: str, before: str = "") -> str:
    return f"{before}<sheetData>{rows}</sheetData>"


STYLES = f'<styleSheet xmlns="{MAIN}"><cellXfs>{"<xf/>" * 2_000_000}</cellXfs></styleSheet>'
TEXTS = f'<sst xmlns="{MAIN}">{"<si><t>aa</t></si>" * 1_300_000}</sst>'
BOMBS: dict[str, Callable[[Path], Path]] = {
    "blanks": lambda path: book(path, sheet(HEAD + ROW) + " " * (1 << 26)),
    "one long row": lambda path: book(path, sheet(f"{HEAD}<row>{'<c/>' * 5_000_000}</row>")),
    "styles": lambda path: book(path, sheet(HEAD + ROW), {"xl/styles.xml": STYLES.encode()}),
    "texts": lambda path: book(path, sheet(HEAD + ROW), {"xl/sharedStrings.xml": TEXTS.encode()}),
    "rows": lambda path: book(path, sheet(HEAD + "<row/>" * 3_000_000)),
    "a far row": lambda path: book(path, sheet(f'{HEAD}{ROW}<row r="999999999"><c><v>1</v></c></row>')),
    "far columns": lambda path: book(
        path, sheet(HEAD + "".join(f'<row><c r="XFD{n}"><v>1</v></c></row>' for n in range(2, 9000)))
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BOMBS)
def test_a_workbook_that_would_fill_the_memory_is_refused(name: str, tmp_path: Path) -> None:
    answer, seconds, peak = read_apart(BOMBS[name](tmp_path / "l.xlsx"))
    assert "refused" in answer or "empty ones" in answer, answer
    assert "CSV UTF-8" in answer
    assert seconds < 30, "CPU time: a few seconds at most on any machine"
    assert peak < 200


def test_a_false_size_is_passed_over(tmp_path: Path) -> None:
    """Some programs write the size of the whole grid; what counts is what stands in the rows."""
    rows = sheet(HEAD + ROW, before='<dimension ref="A1:XFD1048576"/>')
    answer, seconds, peak = read_apart(book(tmp_path / "l.xlsx", rows))
    assert answer == "1 rows"
    assert seconds < 10
    assert peak < 200


def test_a_large_honest_workbook_is_read(tmp_path: Path) -> None:
    rows = [{"id": f"{n:06}", "body": f"text {n} " * 40} for n in range(5_000)]
    write_batch(tmp_path / "b.xlsx", rows, ["body"])
    assert read_apart(tmp_path / "b.xlsx")[0] == "0 rows"


EVIL = "id\x1b]0;owned\x07\x1b[2J\x9b31m\u202e"


def test_no_column_or_id_steers_the_terminal(
    tmp_path: Path, assaymark: Callable[..., Answer]
) -> None:
    pool = tmp_path / "pool.csv"
    pool.write_text(f'"{EVIL}",prediction\na{EVIL},1\na{EVIL},1\nb,0\n', encoding="utf-8")
    answers = [
        assaymark("init", tmp_path / "w", "--pool", pool, "--id", *options)
        for options in (
            ("nothing", "--prediction", "prediction"),
            (EVIL, "--prediction", "prediction"),
            (EVIL, "--prediction", "prediction", "--json"),
            (EVIL, "--prediction", EVIL),
        )
    ]
    for answer in answers:
        assert answer.code == 2
        shown = answer.out + answer.err
        assert not set(shown) & set("\x1b\x07\x9b\u202e\r"), shown
        assert len(answer.err.splitlines()) == 1
    assert "owned" in answers[0].err, "it is shown, written out"


def test_what_is_printed_line_by_line_stays_in_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    from assaymark.terminal.output import headline, rows, say, show_json, warn

    headline("a\nVerified")
    rows([("name", f"{EVIL}\nVerified")])
    say(EVIL, tone="good")
    warn(EVIL)
    show_json({"id": f"{EVIL}\ud800"})
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 5
    assert not any(set(line) & set("\x07\x9b\u202e") for line in lines)
    assert "\\u001b]0;owned\\u0007" in lines[4]
    import json

    assert json.loads(lines[4]) == {"id": f"{EVIL}\ud800"}


def test_a_title_that_ends_like_a_reference_moves_no_label(tmp_path: Path) -> None:
    """It ended its reference early, and all later labels went to the record before theirs."""
    rows: list[dict[str, str | None]] = [
        {"id": "a", "title": "how it ends: ER  - ", "label": "1"},
        {"id": "b", "title": "b", "label": "0"},
        {"id": "c", "title": "c", "label": ""},
    ]
    WRITERS["ris"](tmp_path / "d.ris", rows, ("title",))
    text = (tmp_path / "d.ris").read_text(encoding="utf-8")
    records = [part.splitlines() for part in text.split("\nER  - \n") if part.strip()]
    kept = ["ASReview_relevant", "ASReview_irrelevant", "ASReview_not_seen"]
    assert [record[-1] for record in records] == [f"N1  - {note}" for note in kept]


def test_a_converted_pool_holds_no_formula(
    tmp_path: Path, assaymark: Callable[..., Answer]
) -> None:
    """Ids and texts of a pool stay as they are, so what a spreadsheet would run is not written as CSV."""
    alerts = "alert_id,rule_name,time,message\n1,R1,noon,=cmd|' /C calc'!A0\n"
    (tmp_path / "alerts.csv").write_text(alerts, encoding="utf-8")
    command = ("convert", tmp_path / "alerts.csv", "--from", "alerts", "-o")
    done = assaymark(*command, tmp_path / "pool.csv")
    assert done.code == 2
    assert "Write .jsonl instead" in done.err
    assert not (tmp_path / "pool.csv").exists()
    assert assaymark(*command, tmp_path / "pool.jsonl").code == 0


def test_bytes_that_are_no_characters_get_a_sentence(
    project: Path, assaymark: Callable[..., Answer]
) -> None:
    """A terminal in another encoding sends them; they were called our bug."""
    done = assaymark("plan", "f1 >= 0.8", "--seed", "\udcff" * 20, "-p", project)
    assert done.code == 2
    assert "holds bytes that are no characters" in done.err
