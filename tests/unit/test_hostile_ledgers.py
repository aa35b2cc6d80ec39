"""A stranger's ledger may hold any values: none of them becomes a query, a path or a fault of ours."""

import hashlib
import json
import os
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from assaymark.composite.sealed import read_settings
from assaymark.errors import InputError, VerificationError
from assaymark.ledger.events import START, SurveyOpened, check_chain, read_event, seal
from assaymark.monitoring.sentinels import _where
from assaymark.pool import has_pool
from assaymark.pool.cells import _tickets
from assaymark.pool.dialect import DUCKDB
from assaymark.pool.sources import find_source
from assaymark.pool.tables import file_digest
from assaymark.project.folder import Project

INJECTED = "0\" ' ) FROM t; COPY (SELECT 1) TO 'stolen.csv'; --"


class Spy:
    """A pool that keeps the query instead of running it."""

    dialect, view = DUCKDB, "pool"

    def select(self, sql: str) -> list[tuple[object, ...]]:
        self.sql = sql
        return []


@pytest.fixture
def settings(tmp_path: Path, assaymark):
    rows = "".join(f"i{n},{n % 7 / 7}\n" for n in range(60))
    (tmp_path / "pool.csv").write_text("id,score\n" + rows)
    pool = ("--pool", tmp_path / "pool.csv", "--id", "id", "--score", "score", "--threshold", "0.4")
    assert assaymark("init", tmp_path / "w", *pool).code == 0
    assert assaymark("plan", "recall >= 0.5 and precision >= 0.5", "-p", tmp_path / "w").code == 0
    events = [e.event for e in Project(folder=tmp_path / "w").ledger.entries()]
    (opened,) = [event for event in events if isinstance(event, SurveyOpened)]
    return json.loads(opened.body())["survey"]["settings"]


def test_an_honest_claim_is_read(settings) -> None:
    assert read_settings(settings).columns.threshold == 0.4


@pytest.mark.parametrize(
    ("where", "value"),
    [
        (("columns", "threshold"), INJECTED),
        (("columns", "id"), 7),
        (("columns", "groups"), [["x"]]),
        (("columns", "unheard"), "x"),
        (("strata", 0, "low"), INJECTED),
        (("statements", 0, "tree"), {}),
        (("risk", "carried"), 3),
        (("risk", "others"), ["many"]),
        (("confidence",), "sure"),
    ],
)
def test_a_claim_with_values_of_another_kind_is_refused_in_a_sentence(
    settings, where, value
) -> None:
    *way, last = where
    place = settings
    for step in way:
        place = place[step]
    place[last] = value
    with pytest.raises(VerificationError, match="cannot be read"):
        read_settings(settings)


def test_cut_offs_of_sentinels_are_numbers() -> None:
    with pytest.raises(ValueError, match="could not convert"):
        _where("score", 0.5, INJECTED)  # type: ignore[arg-type]


def test_names_of_cells_are_quoted() -> None:
    spy = Spy()
    name = "1' OR true; --"
    _tickets(spy, "seed", {name: 1}, {}, {name: "g"})  # type: ignore[arg-type]
    assert "cell = '1'' OR true; --'" in spy.sql


FILES = {
    "ReserveStored": {"plan": 1, "items": 1, "tickets": "", "limits": [1]},
    "SurveyDrawn": {"survey": 1, "batch": 1, "items": []},
    "ReviewDrawn": {"review": 1, "batch": 1, "handout": 1, "route": "random", "items": []},
}


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize(
    "name", ["/dev/zero", "../x", "a/../../x", "a//b", "C:x", "a\\b", "", "x\u001b[2J", "x."]
)
def test_a_file_that_a_ledger_names_lies_in_the_project(kind: str, name: str) -> None:
    """`check` read /dev/zero for ever, and a stranger could have any file hashed."""
    body = FILES[kind] | {"sha256": "0" * 64}
    assert read_event(kind, json.dumps(body | {"file": "reserve/x.parquet"}))
    with pytest.raises(VerificationError, match="no name of a file inside a project"):
        read_event(kind, json.dumps(body | {"file": name}))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in folders here")
def test_what_never_ends_is_not_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pool.csv"
    os.mkfifo(pipe)
    for read in (find_source, lambda path: file_digest(Path(path))):
        with pytest.raises(InputError, match="not a file that can be read to its end"):
            read(str(pipe))


def test_no_engine_is_started_for_an_address_that_a_ledger_names() -> None:
    assert not has_pool("https://127.0.0.1:9/pool.parquet", engine="duckdb")


DEEP = "[" * 100_000


@pytest.mark.parametrize(
    "text",
    [
        DEEP,
        '{"kind":"assaymark claim certificate","x":' + DEEP,
        '{"kind":"assaymark review certificate","x":' + DEEP,
    ],
)
def test_a_certificate_of_endless_brackets_fails_in_a_sentence(text, tmp_path, assaymark) -> None:
    (tmp_path / "c.json").write_text(text)
    told = assaymark("verify", tmp_path / "c.json")
    assert told.code == 1
    assert "nested too deeply" in told.out


def test_claim_files_of_endless_brackets_or_digits_are_refused(tmp_path, assaymark) -> None:
    for text in ("a = " + DEEP, "a = " + "9" * 5000):
        (tmp_path / "c.toml").write_text(text)
        told = assaymark("gate", tmp_path)
        assert told.code == 2
        assert "not readable TOML" in told.err


def test_label_files_of_endless_brackets_are_refused(tmp_path, assaymark) -> None:
    (tmp_path / "pool.csv").write_text("id,p\n" + "".join(f"i{n},1\n" for n in range(9)))
    pool = ("--pool", tmp_path / "pool.csv", "--id", "id", "--prediction", "p")
    assert assaymark("init", tmp_path / "w", *pool).code == 0
    (tmp_path / "l.jsonl").write_text('{"id":' + DEEP)
    told = assaymark("label", tmp_path / "l.jsonl", "-p", tmp_path / "w")
    assert told.code == 2


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", '{"eval":{},"samples":[1,null]}'),
        ("a.json", '{"evalId":"x","results":{"results":[{"prompt":1,"gradingResult":[]}]}}'),
        ("a.sarif", '{"version":"2.1.0","runs":[{"results":[7]}]}'),
        ("a.sarif", '{"version":"2.1.0","runs":7}'),
        ("a.eval", "PK"),
        ("a.jsonl", "7\n"),
    ],
)
def test_logs_with_values_of_another_kind_are_refused(name, text, tmp_path, assaymark) -> None:
    (tmp_path / name).write_text(text)
    told = assaymark("convert", tmp_path / name, "-o", tmp_path / "o.jsonl")
    assert told.code == 2
    assert told.err.startswith("Error: ")
    assert not (tmp_path / "o.jsonl").exists()


def test_a_log_that_would_fill_the_memory_is_refused(tmp_path, assaymark) -> None:
    with zipfile.ZipFile(tmp_path / "a.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", "{}")
        archive.writestr("samples/1_epoch_1.json", b"[" + b" " * 80_000_000)
    told = assaymark("convert", tmp_path / "a.eval", "-o", tmp_path / "o.jsonl")
    assert told.code == 2
    assert "unpack to 80,000,00" in told.err


@pytest.mark.parametrize("field", ["time", "kind"])
def test_a_link_whose_time_or_kind_is_no_text_is_refused(field: str) -> None:
    """Even with the hash that fits: a backup may hold numbers where a ledger holds text."""
    honest = seal(None, time="5", kind="LabelRecorded", body="{}")
    check_chain([honest])
    odd = replace(honest, **{field: 5})
    text = json.dumps([START, 1, odd.time, odd.kind, {}], separators=(",", ":"))
    with pytest.raises(VerificationError, match="do not match its hash"):
        check_chain([replace(odd, hash=hashlib.sha256(text.encode()).hexdigest())])
