"""The table of promises is complete: no sentence with a probability lacks its null, level and test."""

import functools
import importlib.util
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterable
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
    module.READERS = {kind: _once(read) for kind, read in module.READERS.items()}
    return module


def _once(read: Callable[[str], Iterable[str]]) -> Callable[[str], tuple[str, ...]]:
    """The same, with the texts of a file found once for all tests."""
    return functools.cache(lambda text: tuple(read(text)))


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


NEW = {
    "a.py": ('SAID = f"sure with {0.95} confidence for ever"', "sure with {…} confidence for ever"),
    "b.py": (
        'def said(x):\n    return "right with " + x + " confidence"',
        "right with {…} confidence",
    ),
    "c.py": ('SAID = "right with %s confidence" % 95', "right with %s confidence"),
    "d.py": ('SAID = "right {}".format("in at most 5 % of cases")', "in at most 5 % of cases"),
    "e.py": ('def said(x):\n    return " ".join(["a", x, "confidence"])', "a {…} confidence"),
    "f.py": ('def said(x):\n    return f"{x} confidence"', "{…} confidence"),
    "g.py": (
        'def said(x):\n    return f"the {x} " f"covers all plans"',
        "the {…} covers all plans",
    ),
    "h.py": ('SAID = "it is very likely true"', "it is very likely true"),
    "i.js": ("const said = `right with ${sure} confidence`;", "right with {…} confidence"),
    "j.js": ("say('guaranteed for all time');", "guaranteed for all time"),
    "k.html": ("<p>It holds with {{ x }}\n<b>confidence</b>\n", "It holds with {{ x }} confidence"),
    "l.html": ("<p>Right in at\nmost 5 % of cases</p>", "most 5 % of cases"),
}


@pytest.mark.parametrize("name", NEW)
def test_a_new_sentence_is_noticed(name, promises, tmp_path, monkeypatch):
    """The scan is no formality: a promise is found in whichever way it is put together."""
    text, sentence = NEW[name]
    (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(promises, "SOURCE", tmp_path)
    monkeypatch.setattr(promises, "PAGES", ())
    assert promises.Sentence(name, sentence) in promises.sentences()


def test_a_promise_on_a_page_is_noticed_and_its_figures_may_change(promises, tmp_path, monkeypatch):
    monkeypatch.setattr(promises, "SOURCE", tmp_path / "src")
    monkeypatch.setattr(promises, "ROOT", tmp_path)
    for share in (95, 99):
        (tmp_path / "README.md").write_text(
            f"Fine. It is right with {share} % confidence.\n```\nwith 95% confidence\n```\n"
        )
        found = promises.Sentence("README.md", "It is right with {…} % confidence.")
        assert promises.sentences() == [found]


def test_the_named_tests_can_be_collected(promises):
    """One collection of all of them: an address that pytest cannot run is no evidence."""
    repairs = json.loads(promises.REPAIRS.read_text(encoding="utf-8"))
    addresses = sorted({record["test"] for record in [*promises.records(), *repairs]})
    found = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:xdist", *addresses],
        cwd=ROOT, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stdout[-2000:]
