"""A CSV pool whose dialect is found once is read as if it were found for every query."""

import gzip
import os
from pathlib import Path

import duckdb
import pytest

from assaymark.errors import EngineError
from assaymark.pool import open_pool
from assaymark.pool.duckdb import carriage_return, connect, reader_sql, settled_reader
from assaymark.pool.sources import find_source
from assaymark.records.pool import Columns

PLAIN = "id,score,body\n" + "".join(f"d{n},0.{n},text {n}\n" for n in range(9))
FILES = {
    "plain": PLAIN,
    "nothing but names": "id,score\n",
    "one column": "id\n1\n002\n",
    "semicolons": PLAIN.replace(",", ";"),
    "tabs": PLAIN.replace(",", "\t"),
    "Windows": PLAIN.replace("\n", "\r\n"),
    "old Macintosh": PLAIN.replace("\n", "\r"),
    "no last line end": PLAIN.rstrip("\n"),
    "byte order mark": "\ufeff" + PLAIN,
    "quoted": PLAIN + 'x,0.5,"a, ""b""\nand c"\n',
    "quotes within": PLAIN + 'x,0.5,a "b" c\n',
    "missing and empty": PLAIN + 'x,,""\n',
    "a comment": PLAIN + "# no item\n",
    "a number sign": PLAIN + "#1,0.5,#2\n",
    "names that need quotes": 'i\'d,"sc""ore",b c,b c\n1,0.5,x,y\n',
    "a title above": "made on Monday\n" + PLAIN,
    "an odd row after the sample": PLAIN + "d,0.1,x\n" * 30_000 + "x,0.5,a,b\n",
}


def answer(connection: duckdb.DuckDBPyConnection, reader: str) -> object:
    """Names and rows, or the first line of the refusal."""
    try:
        found = connection.execute(f"SELECT * FROM {reader}")
        return [column[0] for column in found.description or ()], found.fetchall()
    except duckdb.Error as error:
        return str(error).splitlines()[0]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("packed", [False, True])
def test_the_same_rows_or_the_same_refusal(name: str, packed: bool, tmp_path: Path) -> None:
    path = tmp_path / ("it's.csv.gz" if packed else "it's.csv")
    content = FILES[name].encode()
    path.write_bytes(gzip.compress(content) if packed else content)
    source = find_source(str(path))
    connection = connect()
    settled = settled_reader(connection, source)
    assert settled is not None
    assert "auto_detect = false" in settled
    assert answer(connection, settled) == answer(connection, reader_sql(source))
    connection.close()


def test_what_has_no_dialect_is_refused_as_before(tmp_path: Path) -> None:
    (tmp_path / "pool.csv").write_text(PLAIN.replace("\n", "\r\n", 3), encoding="utf-8")
    connection = connect()
    assert settled_reader(connection, find_source(str(tmp_path / "pool.csv"))) is None
    connection.close()
    with pytest.raises(EngineError, match=r"The pool 'pool\.csv' cannot be read"):
        open_pool(str(tmp_path / "pool.csv"), Columns(id="id"))


def test_a_file_that_changed_is_looked_at_again(tmp_path: Path) -> None:
    """Of the same length, and with its old time put back."""
    path = tmp_path / "pool.csv"
    connection = connect()
    for text in (PLAIN, PLAIN.replace(",", ";")):
        path.write_text(text, encoding="utf-8")
        os.utime(path, ns=(1, 1))
        source = find_source(str(path))
        settled = settled_reader(connection, source)
        assert settled == settled_reader(connection, source)
        assert answer(connection, str(settled)) == answer(connection, reader_sql(source))
    connection.close()


def test_several_files_keep_the_plain_call(tmp_path: Path) -> None:
    for part in "ab":
        (tmp_path / f"{part}.csv").write_text(PLAIN, encoding="utf-8")
    connection = connect()
    assert settled_reader(connection, find_source(str(tmp_path / "*.csv"))) is None
    connection.close()


def test_the_first_quotes_may_come_after_the_rows_that_duckdb_looks_at(tmp_path: Path) -> None:
    path = tmp_path / "late.csv"
    path.write_text(PLAIN + "d,0.1,x\n" * 30_000 + '"x, y",0.5,"a ""b"" c"\n', encoding="utf-8")
    connection = connect()
    reader = settled_reader(connection, find_source(str(path)))
    rows = connection.execute(f"SELECT * FROM {reader} WHERE score = '0.5'").fetchall()
    assert ("x, y", "0.5", 'a "b" c') in rows
    connection.close()


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        ("a,plain\nb,one\rtwo\nc,plain\n", 3),
        ('a,"over\ntwo\rlines"\nb,one\rtwo\n', 4),
        ('a,"one\rtwo"\nb,plain\n', None),
        ("a,plain\r\nb,plain\r\n", None),
    ],
)
def test_a_carriage_return_without_quotes_is_found(rows: str, line: int, tmp_path: Path) -> None:
    """pandas writes it, and DuckDB says only that its parser "reached an invalid state"."""
    path = tmp_path / "pool.csv"
    path.write_bytes(b"id,text\n" + rows.encode())
    assert carriage_return([path]) == line


def test_a_pool_with_a_carriage_return_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "pool.csv"
    rows = "".join(f"{n},text {n},0.5\n" for n in range(30_000))
    path.write_bytes(f"id,text,score\n{rows}x,one\rtwo,0.5\n{rows}".encode())
    columns = Columns(id="id", score="score", threshold=0.5, text=("text",))

    def read() -> None:
        open_pool(str(path), columns).summary()

    with pytest.raises(EngineError, match="in line 30,002 a text without quotes holds a carriage"):
        read()
