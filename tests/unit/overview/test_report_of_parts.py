"""The report of a claim of several parts: its certificate, its counts and its annex agree with it."""

import re
import shutil
from html import unescape
from pathlib import Path

import pytest

from assaymark.overview.report import write_report
from assaymark.project.folder import Project

GOLDEN = Path(__file__).parents[2] / "data" / "golden_claims"


def _report(name: str, place: Path) -> str:
    for pool in ("pool.csv", "tags.csv"):
        shutil.copy(GOLDEN / pool, place)
    folder = Path(shutil.copytree(GOLDEN / name, place / "work"))
    written = write_report(Project(folder=folder), output=place / "report.html")
    text = re.sub(r"<(style|svg|script).*?</\1>", " ", written.path.read_text("utf-8"), flags=re.S)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", text)).split())


@pytest.mark.parametrize("name", ["groups", "comparison", "tags", "cut-off"])
def test_a_certified_claim_says_how_to_verify_it(name: str, tmp_path: Path) -> None:
    text = _report(name, tmp_path)
    assert "none was issued" not in text
    assert "certificate issued 20" in text
    assert "assaymark verify work/certificate.json -p work" in text
    letters = re.findall(r"Annex ([A-Z]):", text)
    assert letters == list("ABCD"[: len(letters)])


@pytest.mark.parametrize("name", ["groups", "tags"])
def test_labels_are_counted_once(name: str, tmp_path: Path) -> None:
    text = _report(name, tmp_path)
    count, unclear = re.search(
        r"(\d+) that count; nobody could tell of (\d+) items more", text
    ).groups()
    assert f"{count} labels of {int(count) + int(unclear)} draws" in text


def test_a_comparison_says_who_is_who(tmp_path: Path) -> None:
    text = _report("comparison", tmp_path)
    assert "Claim: accuracy of 'new' > accuracy of 'old'" in text


def test_classes_have_no_count_of_relevant_items(tmp_path: Path) -> None:
    assert "labels relevant cannot tell" in _report("groups", tmp_path)
    (tmp_path / "t").mkdir()
    assert "labels cannot tell" in _report("tags", tmp_path / "t")


@pytest.mark.parametrize("name", ["groups", "comparison"])
def test_the_first_page_says_what_the_claim_does_not_say(name: str, tmp_path: Path) -> None:
    text = _report(name, tmp_path)
    assert "What it does not say It is about this collection of" in text
    assert "That is a property of the method, not the chance that this claim is true." in text
    assert text.index("What it does not say") < text.index("Review protocol")
    assert "What it assumes An item's label, or that nobody could tell" in text
    assert text.index("What it assumes") < text.index("What it does not say")


@pytest.mark.parametrize("name", ["groups", "comparison", "cut-off"])
def test_it_says_how_the_sample_was_drawn_and_every_look_and_change(
    name: str, tmp_path: Path
) -> None:
    """Seed, looks and decisions stood in reports of one figure only."""
    text = _report(name, tmp_path)
    for title in ("How the sample was drawn", "Every look", "Corrections and decisions",
                  "Items that nobody could decide", "Annex A: the sealed claim", "who drew the seed"):  # fmt: skip
        assert title in text
    assert re.search(r"Sealed 20\d\d-", text)


def test_a_figure_that_a_claim_names_is_explained(tmp_path: Path) -> None:
    assert "Accuracy the share of all items that the classifier decided rightly" in _report(
        "comparison", tmp_path
    )


def test_a_cut_off_that_is_looked_for_has_no_other_beside_it(tmp_path: Path) -> None:
    """The pool's own cut-off, and what it flags, stood beside the proven one."""
    text = _report("cut-off", tmp_path)
    assert "Claim: a cut-off with" in text
    assert "of which the classifier flagged" not in text
    assert "A new cut-off would be a new claim" not in text


@pytest.mark.parametrize("name", ["groups-shared", "comparison", "cut-off"])
def test_page_one_says_how_few_wrong_labels_overturn_it(name: str, tmp_path: Path) -> None:
    text = _report(name, tmp_path)
    assert re.search(
        r"If labels were wrong What wrong labels would do to this verdict: it would fall if \d+ of",
        text,
    )
