"""Records that were screened elsewhere, in the layouts that other tools write."""

import csv
import json
import sqlite3
import zipfile
from pathlib import Path

import pytest

from assaymark.errors import InputError
from assaymark.project.folder import Project
from assaymark.reviewing.handing import next_items
from assaymark.reviewing.reporting import flow_rows
from assaymark.reviewing.status import review_status
from assaymark.reviewing.wording import known_before
from review_rooms import begun, read_on, run, world
from worlds_on_disk import write_csv

RECORD = (
    "CREATE TABLE record (dataset_row INTEGER, dataset_id TEXT, title TEXT, abstract TEXT, "
    "year INTEGER, doi TEXT, record_id INTEGER, duplicate_of INTEGER)"
)
RESULTS = "CREATE TABLE results (record_id INTEGER UNIQUE, label INTEGER, querier TEXT, time FLOAT)"
OLD_RESULTS = (
    "CREATE TABLE results (record_id INTEGER, label INTEGER, classifier TEXT, query_strategy TEXT, "
    "balance_strategy TEXT, feature_extraction TEXT, training_set INTEGER, labeling_time TEXT, "
    "notes TEXT)"
)
COVIDENCE = (
    "Title,Authors,Abstract,Published Year,Published Month,Journal,Volume,Issue,Pages,"
    "Accession Number,DOI,Ref,Covidence #,Study,Notes,Tags"
)
RAYYAN = (
    "key,title,year,month,day,journal,issn,volume,issue,pages,authors,url,language,publisher,"
    "location,abstract,notes,doi,keywords,pubmed_id,pmc_id"
)
TITLES = [f"Record {n} on {'stars' if n < 4 else 'stones'} and more words" for n in range(12)]
LABELS = {0: 1, 1: 1, 5: 0, 6: 0, 7: None}  # nobody decided 7 yet


def database(path: Path, **tables: tuple[str, list[tuple]]) -> Path:
    made = sqlite3.connect(path)
    for name, (sql, rows) in tables.items():
        made.execute(sql)
        if rows:
            made.executemany(f"INSERT INTO {name} VALUES ({','.join('?' * len(rows[0]))})", rows)
    made.commit()
    made.close()
    return path


def asreview_project(folder: Path, version: int) -> Path:
    """A project file as ASReview of that version writes it."""
    parts = folder / f"parts{version}"
    parts.mkdir()
    write_csv(
        parts / "mine.csv",
        ["PMID", "title", "abstract"],
        ((f"pm{n:02}", title, "") for n, title in enumerate(TITLES)),
    )
    records = [(n, "d", title, "", 2020, None, n, None) for n, title in enumerate(TITLES)]
    if version == 1:
        results = [(n, y, "nb", "max", "x", "tfidf", 1, "2022", None) for n, y in LABELS.items()]
    else:
        results = [(n, y, "max", 1.0) for n, y in LABELS.items()]
    settings = {"datasets": [{"id": "d", "name": "mine.csv"}]}
    path = folder / f"mine{version}.asreview"
    with zipfile.ZipFile(path, "w") as packed:
        packed.write(parts / "mine.csv", "data/mine.csv")
        if version == 3:
            made = database(parts / "x", record=(RECORD, records), results=(RESULTS, results))
            packed.write(made, "results.db")
            packed.writestr("legacy_v2/project.json", "{}")
        elif version == 2:
            packed.write(database(parts / "x", record=(RECORD, records)), "data_store.db")
            packed.write(database(parts / "y", results=(RESULTS, results)), "reviews/r/results.db")
        else:
            settings = {"dataset_path": "mine.csv"}
            made = database(parts / "y", results=(OLD_RESULTS, results))
            packed.write(made, "reviews/r/results.sql")
        packed.writestr("project.json", json.dumps(settings))
    return path


@pytest.mark.parametrize("version", [1, 2, 3])
def test_an_asreview_project_file_is_pool_and_import_at_once(tmp_path, version):
    path = asreview_project(tmp_path, version)
    told = run(
        "review", "start", tmp_path / "work", "--pool", path, "--id", "record_id",
        "--text", "title", "--text", "abstract", "--recall", "0.8",
    )  # fmt: skip
    assert (told["items"], told["known"], told["found"]) == (12, 4, 2)
    project = Project(folder=tmp_path / "work")
    truth = {str(n): int(n < 4) for n in range(12)}
    read_on(project, truth, 8)
    now = review_status(project)
    assert (now.directed, now.random, now.found, now.certified_recall) == (0, 8, 4, 1.0)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_project_file_knows_the_ids_of_the_table_it_was_made_from(tmp_path, version):
    """The pool is the table that ASReview read, by whatever column of it is the id."""
    path = asreview_project(tmp_path, version)
    with zipfile.ZipFile(path) as packed:
        (tmp_path / "mine.csv").write_bytes(packed.read("data/mine.csv"))
    run(
        "review", "start", tmp_path / "work", "--pool", tmp_path / "mine.csv", "--id", "PMID",
        "--text", "title", "--import", path,
    )  # fmt: skip
    known = Project(folder=tmp_path / "work").state().reviews[0].known
    assert known == {"pm00": 1, "pm01": 1, "pm05": 0, "pm06": 0}


def test_a_file_that_is_no_project_is_refused(tmp_path):
    (tmp_path / "mine.asreview").write_text("no zip")
    with pytest.raises(InputError, match=r"'mine.asreview' cannot be read as an ASReview project"):
        begun(
            tmp_path,
            screened=(str(tmp_path / "mine.asreview"),),
            pool=str(tmp_path / "mine.asreview"),
        )


def covidence(number: int, item: str) -> str:
    return f"Title,A B,Text,2020,,J,1,2,3-4,{item},10.1/{number},{item},#{number},A 2020,,"


def rayyan(key: str, votes: str) -> str:
    notes = votes.replace('"', '""')
    return f'rayyan-{key},T,2020,1,1,J,,1,1,1,A,,eng,,,Text,"RAYYAN-INCLUSION: {{{notes}}} | X",,,,'


@pytest.mark.parametrize(
    ("name", "lines", "expected"),
    [
        ("asreview.csv", ["id,title,asreview_label", "r0001,x,1", "r0002,y,0", "r0003,z,"], {"r0001": 1, "r0002": 0}),
        (
            "articles.csv",
            [RAYYAN, rayyan("r0001", '"Kim"=>"Included"'), rayyan("r0002", '"Kim"=>"Excluded", "Bo"=>"Included"'),
             rayyan("r0003", '"Kim"=>"Excluded"'), rayyan("r0004", '"Kim"=>"Maybe"')],
            {"r0001": 1, "r0002": None, "r0003": 0, "r0004": None},
        ),
        (
            "review_12345_irrelevant_csv_20260603221248.csv",
            [COVIDENCE, covidence(1, "r0001"), covidence(2, "r0002")],
            {"r0001": 0, "r0002": 0},
        ),
        ("review_12345_select_csv_20260603221248.csv", [COVIDENCE, covidence(9, "r0003")], {"r0003": 1}),
        (
            "covidence.csv",
            ["Covidence #,Ref,Title,Decision", "#1,r0001,x,Included", "#2,r0002,y,Excluded"],
            {"r0001": 1, "r0002": 0},
        ),
        (
            "articles.ris",
            ["TY  - JOUR", "ID  - rayyan-r0001", "T1  - x", 'N1  - RAYYAN-INCLUSION: {"Kim"=>"Included"} | RAYYAN-LABELS: a', "ER  - ",
             "TY  - JOUR", "ID  - rayyan-r0002", 'N1  - RAYYAN-INCLUSION: {"Kim"=>"Excluded"}', "ER  - ",
             "TY  - JOUR", "ID  - rayyan-r0003", "N1  - nobody voted", "ER  - "],
            {"r0001": 1, "r0002": 0},
        ),
        ("articles.csv", [RAYYAN, rayyan("r0001", '"Kim"=>true'), rayyan("r0002", '"Kim"=>false')], {"r0001": 1, "r0002": 0}),
        ("done.ris", ["TY  - GEN", "ID  - r0001", "N1  - ASReview_relevant", "ER  - "], {"r0001": 1}),
    ],
)  # fmt: skip
def test_screened_records_of_other_tools(tmp_path, name, lines, expected):
    world(tmp_path, items=40)
    (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    project = begun(tmp_path, screened=(str(tmp_path / name),))
    assert project.state().reviews[0].known == expected


def test_stages_of_covidence_come_in_several_files(tmp_path):
    """Excluded at full text is no decision about title and abstract: somebody must say which."""
    world(tmp_path, items=40)
    for stage, item in (("irrelevant", "r0001"), ("included", "r0002"), ("excluded", "r0003")):
        path = tmp_path / f"review_1_{stage}_csv_2026.csv"
        path.write_text(f"{COVIDENCE}\n{covidence(7, item)}\n", encoding="utf-8")
    files = [str(one) for one in sorted(tmp_path.glob("review_1_*"))]
    with pytest.raises(InputError, match="excluded at full text"):
        begun(tmp_path, screened=tuple(files))
    project = begun(tmp_path, screened=(f"{files[0]}=relevant", *files[1:]))
    assert project.state().reviews[0].known == {"r0001": 0, "r0002": 1, "r0003": 1}
    (tmp_path / "records.csv").write_text(f"{COVIDENCE}\n{covidence(7, 'r0001')}\n")
    with pytest.raises(InputError, match="the name of the file tells no stage"):
        begun(tmp_path, folder="two", screened=(str(tmp_path / "records.csv"),))


def test_a_pool_that_was_exported_from_the_tool_keeps_its_ids(tmp_path):
    (tmp_path / "all.csv").write_text(
        "Covidence #,Title\n" + "".join(f"#{n},Record {n} on its own subject\n" for n in range(9))
    )
    (tmp_path / "review_1_included_csv_1.csv").write_text(f"{COVIDENCE}\n{covidence(3, 'x')}\n")
    run(
        "review", "start", tmp_path / "work", "--pool", tmp_path / "all.csv", "--id", "Covidence #",
        "--text", "Title", "--import", tmp_path / "review_1_included_csv_1.csv",
    )  # fmt: skip
    assert Project(folder=tmp_path / "work").state().reviews[0].known == {"#3": 1}


def test_import_with_strange_ids_shows_three(tmp_path):
    world(tmp_path)
    (tmp_path / "done.csv").write_text("id,label\n1,1\n2,0\n3,0\n4,0\n", encoding="utf-8")
    with pytest.raises(InputError, match="'1', '2', '3', …"):
        begun(tmp_path, screened=(str(tmp_path / "done.csv"),))
    with pytest.raises(InputError, match="1 record of the known ids"):
        begun(tmp_path, known="r0001,nobody")
    with pytest.raises(InputError, match=r"There is no file '.*gone.csv' to import"):
        begun(tmp_path, screened=(str(tmp_path / "gone.csv"),))


def test_records_that_cannot_be_found_by_title_are_named_by_it(tmp_path):
    world(tmp_path)
    lines = 'key,title,notes\nrayyan-1,Editorial,"RAYYAN-INCLUSION: {""Ann""=>""Included""}"\n'
    (tmp_path / "rayyan.csv").write_text(lines, encoding="utf-8")
    told = r"'rayyan-1' \('Editorial'\)\. Records are found by id, by DOI, by a title"
    with pytest.raises(InputError, match=told):
        begun(tmp_path, screened=(str(tmp_path / "rayyan.csv"),))


def test_a_rank_of_another_system_drives_directed_reading(tmp_path):
    """Rank 1 is read first; records without one come last."""
    write_csv(
        tmp_path / "pool.csv",
        ["id", "title", "abstract", "place"],
        ((f"r{n}", title, "", 12 - n or "") for n, title in enumerate(TITLES)),
    )
    project = begun(tmp_path, rank="place")
    assert set(next_items(project, count=3).items) == {"r11", "r10", "r9"}
    with pytest.raises(InputError, match="not both"):
        begun(tmp_path, folder="two", rank="place", score="place")


def test_records_of_another_tool_are_found_by_doi_or_title(tmp_path):
    """Rayyan and Covidence number records anew, so their ids say nothing about those of the pool."""
    titles = [f"Record {n} on {'stars' if n < 4 else 'stones'} and more words" for n in range(12)]
    write_csv(
        tmp_path / "mine.csv",
        ["id", "title", "doi"],
        ((n, title, f"10.1/{n}" if n % 2 else "") for n, title in enumerate(titles)),
    )
    vote = '"RAYYAN-INCLUSION: {""Kim""=>""%s""}"'
    rows = [
        f"rayyan-3,{titles[0].upper()}.,2020,,,,,,,,,,,,,,{vote % 'Included'},,,,",
        f"rayyan-4,A title that was put right since,2020,,,,,,,,,,,,,,{vote % 'Excluded'},"
        "https://doi.org/10.1/5,,,",
    ]
    (tmp_path / "articles.csv").write_text("\n".join([RAYYAN, *rows]), encoding="utf-8")
    told = {"pool": str(tmp_path / "mine.csv"), "id": "id", "text": ("title",)}
    project = begun(tmp_path, screened=(str(tmp_path / "articles.csv"),), **told)
    assert project.state().reviews[0].known == {"0": 1, "5": 0}  # not 3 and 4
    rows[1] = rows[1].replace("10.1/5", "10.1/99")
    (tmp_path / "articles.csv").write_text("\n".join([RAYYAN, *rows]), encoding="utf-8")
    with pytest.raises(
        InputError, match=r"1 record of 'articles\.csv' \(of 2\) was not found in the"
    ):
        begun(tmp_path, folder="other", screened=(str(tmp_path / "articles.csv"),), **told)


REFERENCES = [
    ("1", "Editorial", "2019", "Smith, John; Doe, Ann", "", "10.1/a"),
    ("2", "Editorial", "2020", "Smith, John", "", ""),
    ("3", "Editorial", "2020", "Li, Wei", "", ""),
    ("4", "Response to a letter to the editor", "2020", "Kim, B.", "", "10.1/d"),
    ("5", "Response to a letter to the editor", "2021", "Kim, B.", "", ""),
    ("6", "Reply", "", "", "We thank the authors of the letter for their interest in our trial of bees, "
     "and answer their three questions in turn below.", ""),
]  # fmt: skip


def short_titles(folder: Path) -> dict:
    write_csv(
        folder / "mine.csv", ["id", "title", "year", "authors", "abstract", "doi"], REFERENCES
    )
    return {"pool": str(folder / "mine.csv"), "id": "id", "text": ("title", "abstract")}


def votes(path: Path, rows: list[tuple[str, ...]]) -> str:
    with path.open("w", newline="", encoding="utf-8") as stream:
        out = csv.writer(stream)
        out.writerow(["key", "title", "year", "authors", "abstract", "doi", "notes"])
        for *cells, vote in rows:
            out.writerow([*cells, f'RAYYAN-INCLUSION: {{"Kim"=>"{vote}"}}'])
    return str(path)


def test_short_and_shared_titles_are_told_apart_by_year_author_and_abstract(tmp_path):
    """Six records with three titles: each decision reaches its own, though every key is another's."""
    told = short_titles(tmp_path)
    keys = ["rayyan-6", "rayyan-5", "rayyan-4", "rayyan-3", "rayyan-2", "rayyan-1"]
    rows = [
        (keys[0], "EDITORIAL.", "2019", "J Smith and A Doe", "", "", "Included"),
        (keys[1], "Editorial", "2020", "Smith J, Poe E", "", "", "Excluded"),
        (keys[2], "Editorial", "2020/5/1", "Li W", "", "", "Included"),
        (keys[3], "Response to a letter to the editor", "", "", "", "doi: 10.1/D", "Excluded"),
        (keys[4], "Response to a letter to the editor", "2021", "B. Kim", "", "", "Included"),
        (keys[5], "Reply", "", "", REFERENCES[5][4].upper(), "", "Maybe"),
    ]
    project = begun(tmp_path, screened=(votes(tmp_path / "articles.csv", rows),), **told)
    assert project.state().reviews[0].known == {"1": 1, "2": 0, "3": 1, "4": 0, "5": 1, "6": None}


def test_records_that_cannot_be_told_apart_are_listed_and_counted_when_left_out(tmp_path):
    """Refused with examples; on request left out, and then named in a file, ledger and report."""
    told = short_titles(tmp_path)
    rows = [
        ("rayyan-1", "Editorial", "2019", "Smith", "", "", "Included"),
        ("rayyan-7", "Editorial", "2020", "", "", "", "Excluded"),  # whose?
        ("rayyan-3", "A record of another search", "2020", "Roe", "", "10.9/z", "Included"),
    ]
    screened = (votes(tmp_path / "articles.csv", rows),)
    with pytest.raises(
        InputError, match=r"2 records .* 'rayyan-7' \('Editorial'\), .*skip_unmatched"
    ):
        begun(tmp_path, screened=screened, **told)
    assert not (tmp_path / "work").exists()
    project = begun(tmp_path, screened=screened, skip_unmatched=True, **told)
    work = project.state().reviews[0]
    assert (work.known, work.unmatched) == ({"1": 1}, 2)
    listed = (project.folder / "unmatched.csv").read_text(encoding="utf-8").splitlines()
    assert listed == [
        "file,id,doi,title,label",
        "articles.csv,rayyan-7,,Editorial,0",
        "articles.csv,rayyan-3,10.9/z,A record of another search,1",
    ]
    now = review_status(project)
    assert known_before(now) == "1; 2 imported records not found in the pool"
    assert ("screened elsewhere, not found in the pool", 2) in flow_rows(now, work)


def test_an_import_of_which_nothing_is_found_is_refused_even_so(tmp_path):
    told = short_titles(tmp_path)
    rows = [("rayyan-9", "A record of another search", "2020", "Roe", "", "", "Included")]
    with pytest.raises(InputError, match=r"1 record .* was not found in the pool"):
        begun(
            tmp_path,
            screened=(votes(tmp_path / "articles.csv", rows),),
            skip_unmatched=True,
            **told,
        )


def test_references_of_endnote_are_found_by_doi_and_title(tmp_path):
    """EndNote numbers references by itself: its number 2 is not the pool's."""
    told = short_titles(tmp_path)
    lines = [
        "TY  - JOUR", "ID  - 2", "TI  - Something else", "DO  - 10.1/A", "LB  - Included", "ER  - ",
        "TY  - JOUR", "ID  - 3", "AU  - Kim, B.", "AU  - Roe, C.", "PY  - 2021",
        "TI  - Response to a letter to the editor", "KW  - bees", "KW  - excluded", "ER  - ",
    ]  # fmt: skip
    (tmp_path / "endnote.ris").write_text("\n".join(lines), encoding="utf-8")
    project = begun(tmp_path, screened=(str(tmp_path / "endnote.ris"),), **told)
    assert project.state().reviews[0].known == {"1": 1, "5": 0}


def test_the_log_of_rayyan_is_told_from_its_votes(tmp_path):
    world(tmp_path, items=40)
    log = tmp_path / "customizations_log.csv"
    log.write_text("article_id,user_id,user_email,created_at,key,value\n1,2,a@b,x,included,1\n")
    with pytest.raises(InputError, match=r"Import the file articles\.csv"):
        begun(tmp_path, screened=(str(log),))
