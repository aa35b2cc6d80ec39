"""The pages do what they say: their commands run and print what the page shows."""

import os
from pathlib import Path

import pytest
from pages import DOCS, commands, fences, in_a_shell, run_page, same, type_in

COLLECTIONS = {
    "perspective.md": ("davidson_perspective.parquet", 15),
    "train-arxiv.md": ("arxiv_cs.parquet", 35),
}


def test_the_tutorial_and_the_stranger_who_checks_it(tmp_path: Path) -> None:
    """The page on certificates goes on where the tutorial ends, with code that needs no assaymark."""
    assert run_page(DOCS / "tutorial.md", tmp_path) >= 15
    assert run_page(DOCS / "explanation" / "certificates.md", tmp_path) >= 5


@pytest.mark.parametrize(
    "name",
    [
        "../README.md",
        "how-to/csv-of-scores.md",
        "how-to/keep-a-project-safe.md",
        "how-to/hand-over-a-report.md",
        "how-to/label-in-another-tool.md",
        "how-to/other-side.md",
        "how-to/estimate.md",
        "how-to/gate-a-release.md",
        "how-to/rare-topic.md",
        "how-to/compare.md",
        "how-to/classes.md",
        "how-to/groups-and-cutoffs.md",
        "how-to/triage.md",
        "how-to/labels-from-before.md",
        "how-to/stop-a-review.md",
        "how-to/review-from-asreview.md",
        "how-to/is-it-still-true.md",
        "how-to/judge-a-judge.md",
        "how-to/link-records.md",
        "how-to/detection-rules.md",
        "how-to/train.md",
        "explanation/claims.md",
        "explanation/exact-bounds.md",
        "explanation/planning.md",
    ],
)
def test_a_page_prints_what_it_shows(name: str, tmp_path: Path) -> None:
    assert run_page(DOCS / name, tmp_path) > 0


def test_the_page_on_spark(tmp_path: Path, cluster) -> None:
    """Its commands find the session that runs already, as in a notebook."""
    assert run_page(DOCS / "how-to" / "spark.md", tmp_path) == 8


@pytest.mark.parametrize("page", COLLECTIONS)
def test_the_real_collection(page: str, tmp_path: Path) -> None:
    """Needs the collection: ASSAYMARK_DATA=FOLDER names where it lies."""
    name, least = COLLECTIONS[page]
    source = Path(os.environ.get("ASSAYMARK_DATA", "")) / name
    if not source.is_file():
        pytest.skip(f"{name} is not at hand: name its folder with ASSAYMARK_DATA")
    (tmp_path / name).symlink_to(source.resolve())
    assert run_page(DOCS / "how-to" / page, tmp_path) > least


def test_a_wrong_page_is_noticed(tmp_path: Path) -> None:
    """The comparison is no formality: another number on the page fails."""
    page = tmp_path / "page.md"
    page.write_text("```console\n$ echo 12 34\n12 35\n```\n", encoding="utf-8")
    with pytest.raises(AssertionError, match=r"shown:\n12 35\nactual:\n12 34"):
        run_page(page, tmp_path)


def test_a_refusal_and_its_exit_code_are_seen(tmp_path: Path) -> None:
    shown = type_in('assaymark status -p nowhere; echo "exit code $?"', tmp_path)
    assert shown[-1] == "exit code 2"
    assert shown[0].startswith("Error: 'nowhere' is not an assaymark project")


@pytest.mark.parametrize(
    "line",
    [
        "for n in 1 2; do assaymark status -p no$n; assaymark --version; done > log.txt; cat log.txt",
        "for n in 1 2; do assaymark status -p no$n; assaymark --version; done > log.txt",
        'cd inner && assaymark status -p "$(basename ../no)" > /dev/null; echo "exit code $?"',
        "assaymark --version | wc -l",
        "until assaymark --version | grep -q version; do assaymark status; done > log.txt",
    ],
)
def test_what_needs_no_shell_answers_as_in_a_shell(line: str, tmp_path: Path) -> None:
    """The same is shown and the same is written, by fewer programs."""
    found = []
    for name, run in (("in process", type_in), ("shell", in_a_shell)):
        (tmp_path / name / "inner").mkdir(parents=True)
        shown = run(line, tmp_path / name)
        found.append((shown, [p.read_text() for p in sorted((tmp_path / name).glob("*.txt"))]))
    assert found[0] == found[1]


def test_only_three_dots_stand_for_anything() -> None:
    assert same(("hash  …",), ("hash  12ab",))
    assert not same(("hash  …",), ("hush  12ab",))
    assert not same(("a.b",), ("axb",))
    assert not same(("one",), ("one", "two"))


def test_no_page_names_a_place_on_somebody_s_machine() -> None:
    for page in DOCS.rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        for place in ("home", "root", "tmp", "work"):
            assert f"/{place}/" not in text, page


def test_every_console_block_has_a_command() -> None:
    for page in DOCS.rglob("*.md"):
        for language, block in fences(page.read_text(encoding="utf-8")):
            assert language != "console" or commands(block), page
