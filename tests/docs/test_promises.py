"""The table of promises is complete: no sentence with a probability lacks its null, level and test."""

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
ROOT = DOCS.parent


@pytest.fixture(scope="module")
def promises():
    spec = importlib.util.spec_from_file_location("promises", DOCS / "promises.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["promises"] = module
    spec.loader.exec_module(module)
    return module


def test_every_sentence_with_a_probability_has_an_entry(promises):
    """To mend: python docs/promises.py --missing, an entry in promises.toml for each, then write."""
    missing = sorted(set(promises.sentences()) - set(promises.entries()))
    assert missing == []


def test_no_entry_is_about_a_sentence_that_is_gone(promises):
    assert sorted(set(promises.entries()) - set(promises.sentences())) == []


def test_records_and_page_follow_from_the_code(promises):
    found = promises.records()
    assert json.loads(promises.RECORDS.read_text(encoding="utf-8")) == found
    assert promises.PAGE.read_text(encoding="utf-8") == promises.page(found)


def test_every_promise_names_a_null_a_level_and_a_test_that_exists(promises):
    for record in promises.records():
        assert record["null"], record
        assert record["level"], record
        path, *names = record["test"].split("::")
        text = (ROOT / path).read_text(encoding="utf-8")
        for name in names:
            assert re.search(rf"^def {re.escape(name)}\(", text, re.MULTILINE), record["test"]


def test_what_promises_nothing_says_why(promises):
    for about in promises.entries().values():
        assert "test" in about or about.get("why")


def test_a_new_sentence_is_noticed(promises, tmp_path, monkeypatch):
    """The scan is no formality: a promise written into the code is found."""
    (tmp_path / "new.py").write_text('SAID = f"sure with {0.95} confidence for ever"\n')
    monkeypatch.setattr(promises, "SOURCE", tmp_path)
    assert promises.sentences() == [
        promises.Sentence("new.py", "sure with {…} confidence for ever")
    ]


def test_the_named_tests_can_be_collected(promises):
    """One collection of all of them: an address that pytest cannot run is no evidence."""
    addresses = sorted({record["test"] for record in promises.records()})
    found = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:xdist", *addresses],
        cwd=ROOT, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stdout[-2000:]
