"""Label files and pools as tools and old spreadsheets leave them behind."""

from dataclasses import replace

import pytest

from assaymark.errors import InputError
from assaymark.files.labels import read_labels
from assaymark.files.spelling import USUAL, label_names, read_label
from assaymark.project.foreign_pools import readable_pool
from worlds_on_disk import write_csv


def labels(path, **columns):
    found = read_labels(path, annotator="kim", names=label_names(**columns))
    return {(row.item, row.annotator): row.label for row in found.rows}


@pytest.fixture
def drawn(assaymark, tmp_path):
    """A project whose ids are whole numbers, with every item drawn."""
    pool = tmp_path / "pool.csv"
    write_csv(pool, ["id", "score"], ([1000 + n, n / 40] for n in range(40)))
    folder = tmp_path / "work"
    assert assaymark("init", folder, "--pool", pool, "--id", "id", "--score", "score", "--threshold", 0.5).code == 0  # fmt: skip
    assert assaymark("plan", "accuracy >= 0.6", "--mode", "fixed", "--budget", 40, "-p", folder).code == 0  # fmt: skip
    assert assaymark("draw", 40, "-p", folder).code == 0
    return folder


def test_windows_1252_is_read(tmp_path):
    """What Excel writes where it is old; it used to be refused."""
    path = tmp_path / "a.csv"
    path.write_bytes("id;label;note\ndoc-é;1;naïve – “x”\n".encode("cp1252"))
    assert labels(path) == {("doc-é", "kim"): 1}


def test_a_broken_file_is_still_refused(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"id,label\n\x81\x8d\x8f,1\n")
    with pytest.raises(Exception, match="Windows-1252"):
        labels(path)


def test_blanks_and_decimals_around_ids_are_taken_away(assaymark, drawn, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("id,label\n 1002 ,1\n1003.0,0\n1004,1\n")
    done = assaymark("label", path, "-p", drawn, "--json").json
    assert (done["recorded"], done["not_drawn"]) == (3, 0)


def test_an_id_that_really_ends_in_zeros_is_left_alone(assaymark, drawn, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("id,label\n1002.5,1\n1003,0\n")
    done = assaymark("label", path, "-p", drawn, "--json").json
    assert (done["recorded"], done["not_drawn"]) == (1, 1)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "xlsx", "parquet"])
def test_columns_may_be_called_otherwise(tmp_path, ending):
    path = tmp_path / f"a.{ending}"
    if ending == "csv":
        path.write_text("Doc ID,Responsive,label\nx1,Yes,9\nx2,No,9\n")
    elif ending == "jsonl":
        path.write_text('{"Doc ID": "x1", "Responsive": "Yes"}\n{"Doc ID": "x2", "Responsive": "No"}\n')  # fmt: skip
    elif ending == "xlsx":
        from openpyxl import Workbook

        book = Workbook()
        for row in (["Doc ID", "Responsive"], ["x1", "Yes"], ["x2", "No"]):
            book.active.append(row)
        book.save(path)
    else:
        from assaymark.pool.tables import write_table

        write_table(path, {"Doc ID": ["x1", "x2"], "Responsive": ["Yes", "No"]})
    found = labels(path, id_column="Doc ID", label_column="Responsive")
    assert found == {("x1", "kim"): 1, ("x2", "kim"): 0}


def test_a_missing_column_says_how_to_name_it(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("doc,verdict\nx1,1\n")
    with pytest.raises(Exception, match="label_column"):
        labels(path)


@pytest.mark.parametrize(
    ("word", "label"),
    [("Included", 1), ("excluded", 0), ("Responsive", 1), ("Non-Responsive", 0)],
)
def test_words_of_review_tools(word, label):
    assert read_label(word) == label


def test_rayyan_s_references_hold_the_votes_of_all_readers(tmp_path):
    path = tmp_path / "a.ris"
    path.write_text(
        "TY  - JOUR\nID  - d1\nTI  - A\n"
        'N1  - RAYYAN-INCLUSION: {"Ann"=>"Included", "Bob"=>"Excluded"} | RAYYAN-LABELS: x\nER  - \n'
        'TY  - JOUR\nID  - d2\nTI  - B\nN1  - RAYYAN-INCLUSION: {"Ann"=>"Maybe"}\nER  - \n'
    )
    assert labels(path) == {("d1", "Ann"): 1, ("d1", "Bob"): 0, ("d2", "Ann"): None}


def test_endnote_s_label_and_keywords(tmp_path):
    path = tmp_path / "a.ris"
    path.write_text(
        "TY  - JOUR\nID  - d1\nLB  - included\nER  - \n"
        "TY  - JOUR\nID  - d2\nKW  - heart\nKW  - Excluded\nER  - \n"
        "TY  - JOUR\nID  - d3\nKW  - heart\nER  - \n"
    )
    assert labels(path) == {("d1", "kim"): 1, ("d2", "kim"): 0}


def references(path, *notes: str):
    """A reference for each note, as a plain RIS file has it."""
    lines = [
        f"TY  - JOUR\nID  - d{n}\nTI  - A\n{note}\nER  - \n"
        for n, note in enumerate(notes, start=1)
    ]
    path.write_text("".join(lines))
    return path


@pytest.mark.parametrize(
    ("note", "label"),
    [
        ("N1  - Include", 1),
        ("N1  - Excluded.", 0),
        ("N1  - <p>EXCLUDE</p>", 0),
        ("N1  - Maybe", None),
        ("NOTES  - Included", 1),
        ("RN  - Relevant", 1),
        ("N1  - Decision: exclude", 0),
        ("N1  - Screening status: Included", 1),
        ("N1  - Final decision = no", 0),
        ("N1  - Title and abstract: Include", 1),
        ("N1  - Excluded: wrong population", 0),
        ("N1  - Exclude (not a trial)", 0),
        ("N1  - INCLUDE on title & abstract", 1),
        ("N1  - Read by kim\nN1  - Include", 1),
        ("N1  - Include\nKW  - included", 1),
    ],
)
def test_a_note_that_is_a_decision_is_read(tmp_path, note, label):
    assert labels(references(tmp_path / "a.ris", note)) == {("d1", "kim"): label}


@pytest.mark.parametrize(
    ("note", "why"),
    [
        ("N1  - Include?", "could be a decision, but it is not certain which"),
        ("N1  - include/exclude", "could be a decision"),
        ("N1  - Not excluded", "could be a decision"),
        ("N1  - Excluded, later included", "could be a decision"),
        ("N1  - Include\nif nothing else is found, otherwise exclude", "could be a decision"),
        ("N1  - Title/abstract: Include\nN1  - Full text: Exclude", "two different labels"),
        ("N1  - Include\nKW  - excluded", "two different labels"),
        ("N1  - Include: no", "could be a decision"),
        ("N1  - included: false", "could be a decision"),
        ("N1  - Exclude: 0", "could be a decision"),
        ("N1  - Include (or not)", "could be a decision"),
        ("N1  - included, maybe", "could be a decision"),
        ("N1  - Excluded (conflict)", "could be a decision"),
        ("N1  - Include - pending second reviewer", "could be a decision"),
        ("N1  - Excluded (2 votes), Relevant (3 votes)", "could be a decision"),
        ("N1  - Include\nN1  - Exclude?", "could be a decision"),
        ("N1  - Include\nN1  - Not included", "could be a decision"),
        (
            'N1  - RAYYAN-INCLUSION: {"Ann"=>"Included"}\nN1  - Exclude',
            "differs from the votes of its readers",
        ),
    ],
)
def test_a_note_that_may_be_a_decision_is_refused_with_the_reason(tmp_path, note, why):
    path = references(tmp_path / "a.ris", "N1  - Include", note)
    with pytest.raises(
        InputError, match=rf"Nothing was recorded.*: the reference in line 6: .*{why}"
    ):
        labels(path)


@pytest.mark.parametrize(
    "note",
    [
        "N1  - We included 40 patients",
        "N1  - 1",
        "N1  - Included studies: 12",
        "N1  - y",
        "N1  - Full text: no",
        "N1  - Abstract: yes",
        "N1  - Status: 1",
        "N1  - Excluded after randomisation: 12 patients",
        "N1  - Included on day 1 were 300 patients",
    ],
)
def test_other_notes_are_no_decisions(tmp_path, note):
    assert labels(references(tmp_path / "a.ris", "N1  - Exclude", note)) == {("d1", "kim"): 0}


def test_a_file_of_notes_without_any_decision_says_what_is_read(tmp_path):
    path = references(tmp_path / "a.ris", "N1  - of 1998", "N1  - a long story")
    with pytest.raises(InputError, match=r"^None of the 2 references in 'a\.ris' has a decision.*'of 1998' is none: it must be Include, Exclude or Maybe alone"):  # fmt: skip
        labels(path)
    assert labels(references(tmp_path / "b.ris", "AB  - nothing yet")) == {}


def test_notes_of_a_project_of_classes_hold_its_classes_only(tmp_path):
    names = replace(USUAL, classes=("sport", "art"))
    path = references(tmp_path / "a.ris", "N1  - art", "KW  - sport", "N1  - Include")
    rows = read_labels(path, annotator="kim", names=names).rows
    assert [(row.item, row.label) for row in rows] == [("d1", 1), ("d2", 0)]


DAT = (
    "þDOCIDþ\x14þRESPONSIVEþ\x14þTEXTþ\x14þSCOREþ\r\n"
    "þABC0001þ\x14þYesþ\x14þfirst line®second “line”þ\x14þ0.9þ\r\n"
    "þABC0002þ\x14þNoþ\x14þplainþ\x14þ0.2þ\r\n"
)


@pytest.mark.parametrize("encoding", ["cp1252", "utf-8", "utf-16"])
def test_concordance_load_files_as_labels_and_as_a_pool(tmp_path, encoding):
    path = tmp_path / "load.dat"
    path.write_bytes(DAT.encode(encoding))
    found = labels(path, id_column="DOCID", label_column="RESPONSIVE")
    assert found == {("ABC0001", "kim"): 1, ("ABC0002", "kim"): 0}
    import duckdb

    with readable_pool(str(path), tmp_path / "work") as copy:
        rows = duckdb.sql(f"FROM read_parquet('{copy}')").fetchall()
    assert rows[0] == ("ABC0001", "Yes", "first line\nsecond “line”", 0.9)


def test_a_pool_that_is_refused_leaves_no_copy(assaymark, tmp_path):
    from openpyxl import Workbook

    book = Workbook()
    for row in (["id", "score"], ["a", 0.1], [None, 0.2]):
        book.active.append(row)
    book.save(tmp_path / "pool.xlsx")
    columns = ("--id", "id", "--score", "score", "--threshold", 0.5)
    for folder, before in ((tmp_path / "new", None), (tmp_path / "mine", "notes.txt")):
        if before:
            folder.mkdir()
            (folder / before).write_text("mine")
        done = assaymark("init", folder, "--pool", tmp_path / "pool.xlsx", *columns)
        assert (done.code, "have no id" in done.err) == (2, True)
        left = [path.name for path in folder.iterdir()] if folder.exists() else None
        assert left == ([before] if before else None)


def test_a_workbook_is_a_pool(assaymark, tmp_path):
    from openpyxl import Workbook

    book = Workbook()
    for row in (["id", "score", "body"], *([f"{n:03d}", n / 40, f"text {n}"] for n in range(40))):
        book.active.append(row)
    book.save(tmp_path / "pool.xlsx")
    done = assaymark(
        "init", tmp_path / "work", "--pool", tmp_path / "pool.xlsx", "--id", "id", "--score", "score",
        "--threshold", 0.5, "--text", "body", "--json",
    )  # fmt: skip
    assert done.json["items"] == 40
    assert done.json["predicted_positive"] == 20
    assert assaymark("plan", "accuracy >= 0.6", "--mode", "fixed", "--budget", 5, "-p", tmp_path / "work").code == 0  # fmt: skip
    batch = assaymark("draw", 5, "-p", tmp_path / "work", "--json").json
    assert all(len(item) == 3 for item in batch["items"]), "zeros in front are kept"


def test_a_text_that_a_workbook_holds_as_a_formula_is_named_with_its_place(assaymark, tmp_path):
    """The refusal named neither the row nor the column, and no way on."""
    from openpyxl import Workbook

    book = Workbook()
    for row in (["id", "score", "body"], ["a", 0.1, "text"], ["b", 0.9, f"{'=' * 50} Dear Sir"]):
        book.active.append(row)
    book.save(tmp_path / "pool.xlsx")
    columns = ("--id", "id", "--score", "score", "--threshold", 0.5, "--text", "body")
    refused = assaymark("init", tmp_path / "work", "--pool", tmp_path / "pool.xlsx", *columns)
    assert refused.code == 2
    assert "Row 3 of 'pool.xlsx', column 'body': a text or a number was expected" in refused.err
    assert "paste the values instead. A text that begins with = may have been" in refused.err
