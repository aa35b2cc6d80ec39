"""Collections that reference managers and PubMed write, as pools and as decisions of a review."""

from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner

from assaymark.certification.issuing import certify
from assaymark.cli import cli
from assaymark.errors import InputError, PlanError
from assaymark.files.formats import ris
from assaymark.files.formats.reference_tables import read_references
from assaymark.project.folder import Project
from assaymark.reviewing.certificate import certify_review
from assaymark.reviewing.starting import Start, start
from assaymark.reviewing.status import review_status
from assaymark.reviewing.wording import next_step
from review_rooms import begun, read_on, world

NBIB = """
PMID- 30000001
OWN - NLM
DP  - 2019 Mar 2
TI  - Honeybees of the northern slopes and
      their pollen.
LID - S0000-0000(19)30000-1 [pii]
LID - 10.1/bees [doi]
AB  - First line
      and second line - with a dash.
FAU - Meyer, Ann
FAU - Kim, Lee

PMID- 30000002
TI  - Roads in the rain, a survey of drivers
"""
RIS = """TY  - JOUR
ID  - 1001.2260
TI  - Honeybees of the northern slopes and
their pollen
KW  - bees
included
ER  -

TY  - JOUR
ID  - 1001.2270
TI  - Roads in the rain, a survey of drivers
ER  -
"""


def written(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


def test_a_file_of_pubmed_is_a_table(tmp_path):
    table = read_references(Path(written(tmp_path, "found.nbib", NBIB)))
    first, second = (dict(zip(table.header, cells, strict=True)) for _, cells in table.rows)
    assert first == {
        "record": "1",
        "pmid": "30000001",
        "title": "Honeybees of the northern slopes and their pollen.",
        "abstract": "First line and second line - with a dash.",
        "doi": "10.1/bees",
        "year": "2019 Mar 2",
        "authors": "Meyer, Ann; Kim, Lee",
    }
    assert (second["record"], second["pmid"], second["abstract"]) == ("2", "30000002", "")


@pytest.mark.parametrize(("name", "text", "item"), [("a.nbib", NBIB, "pmid"), ("a.ris", RIS, "id")])
def test_references_are_the_pool_of_a_review(tmp_path, name, text, item):
    pool = written(tmp_path, name, text)
    start(tmp_path / "work", Start(pool=pool, id=item, text=("title",)))
    copied = tmp_path / "work" / "copied.parquet"
    rows = duckdb.sql(f"SELECT {item}, title FROM '{copied}'").fetchall()
    assert [ident for ident, _ in rows] == (
        ["30000001", "30000002"] if item == "pmid" else ["1001.2260", "1001.2270"]
    )
    assert rows[0][1].startswith("Honeybees of the northern slopes and their pollen")


@pytest.mark.parametrize("mark", ["\u2028", "\x0b", "\x85", "\x1c"])
def test_a_separator_inside_a_text_ends_no_line(tmp_path, mark):
    """An abstract with one was "no line of a MEDLINE file"."""
    text = NBIB.replace("First line", f"First{mark}line").replace("\n", "\r\n")
    table = read_references(Path(written(tmp_path, "found.nbib", text)))
    first, second = (dict(zip(table.header, cells, strict=True)) for _, cells in table.rows)
    assert first["abstract"] == f"First{mark}line and second line - with a dash."
    assert second["pmid"] == "30000002"


def test_a_file_that_is_no_file_of_pubmed_names_the_line(tmp_path):
    pool = written(tmp_path, "a.nbib", "PMID- 1\nid,title\n")
    with pytest.raises(InputError, match=r"^Line 2 of 'a\.nbib' is no line of a MEDLINE file"):
        start(tmp_path / "work", Start(pool=pool, id="pmid", text=("title",)))
    with pytest.raises(InputError, match=r"^'b\.ris' holds no reference"):
        start(
            tmp_path / "work", Start(pool=written(tmp_path, "b.ris", ""), id="id", text=("title",))
        )
    assert not (tmp_path / "work").exists()


def test_a_reference_file_decides_by_its_keywords_or_as_a_whole(tmp_path):
    pool = written(tmp_path, "all.nbib", NBIB)
    for number, screened in enumerate(
        (written(tmp_path, "a.ris", RIS), written(tmp_path, "b.nbib", NBIB[: NBIB.index("PMID- 30000002")]) + "=relevant")
    ):  # fmt: skip
        folder = tmp_path / f"work{number}"
        start(folder, Start(pool=pool, id="pmid", text=("title",), screened=(screened,)))
        assert Project(folder=folder).state().reviews[0].known == {"30000001": 1}


@pytest.mark.parametrize(
    ("name", "text"), [("a.nbib", NBIB), ("a.ris", RIS.replace("included", ""))]
)
def test_references_without_decisions_are_refused(tmp_path, name, text):
    """They were taken for a review without any decision, whose reading is not directed."""
    world(tmp_path, items=20, relevant=4)
    screened = written(tmp_path, name, text)
    with pytest.raises(InputError, match=f"^The references of {name!r} carry no decisions"):
        begun(tmp_path, screened=(screened,))


def test_keywords_of_endnote_stand_on_lines_of_their_own(tmp_path):
    (_, fields), _ = ris.references(Path(written(tmp_path, "a.ris", RIS)))
    assert [value for tag, value in fields if tag == "KW"] == ["bees", "included"]


def test_two_records_under_one_id_are_refused(tmp_path):
    """The second was merged away, and nobody would have read it."""
    pool = written(tmp_path, "p.csv", "id,title\na,Bees\na,Roads\n")
    with pytest.raises(InputError, match=r"^The id 'a' stands at two different records"):
        start(tmp_path / "work", Start(pool=pool, id="id", text=("title",)))


def test_the_price_begins_with_the_records_known_to_be_relevant(tmp_path):
    world(tmp_path, items=400, relevant=60)
    known = tuple(f"r{i:04}" for i in range(60))
    pool = str(tmp_path / "pool.csv")
    begun = start(tmp_path / "work", Start(pool=pool, id="id", text=("title",), known=known))
    assert [row.relevant for row in begun.floor] == [60, 100, 200]


def test_a_pool_too_small_for_a_guess_has_no_price(tmp_path):
    pool = written(tmp_path, "p.csv", "id,title\na,Bees\n")
    words = [
        "review",
        "start",
        str(tmp_path / "w"),
        "--pool",
        pool,
        "--id",
        "id",
        "--text",
        "title",
    ]
    done = CliRunner().invoke(cli, words, catch_exceptions=False)
    assert "No method" not in done.output


def test_a_review_read_to_its_end_has_nothing_to_gain(tmp_path):
    truth = world(tmp_path, items=20, relevant=4)
    project = begun(tmp_path, known="r0000")
    read_on(project, truth)
    assert review_status(project).certified_recall == 1
    assert next_step(review_status(project)) == "nothing is left to gain"
    certify_review(project)
    with pytest.raises(PlanError, match="This project is a review and has no plan"):
        certify(project)
