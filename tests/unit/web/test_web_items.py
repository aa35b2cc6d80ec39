"""The lead's list of items: what may be seen, given away, brought in and taken out."""

import csv
import io
import json
import re

import pytest
from test_web import answer, signed

from assaymark.errors import InputError
from assaymark.labelling.desk import read_assignments
from assaymark.labelling.settings import Settings, write_settings
from assaymark.project.folder import Project
from worlds_on_disk import write_labels


@pytest.fixture
def drawn(assaymark, project, world, tmp_path):
    assaymark("plan", "f1 >= 0.8", "--seed", "s", "-p", project)
    items = assaymark("draw", 20, "-o", tmp_path / "b.csv", "-p", project, "--json").json["items"]
    for name, part, flip in (("kim", items[:8], 0), ("lee", items[:3], 1)):
        labels = {item: world.truth[item] ^ (flip and at == 0) for at, item in enumerate(part)}
        file = write_labels(tmp_path / f"{name}.csv", labels)
        assert assaymark("label", file, "--annotator", name, "-p", project).code == 0
    return project, items


def test_items_are_listed_searched_and_filtered(drawn) -> None:
    folder, items = drawn
    with signed(folder, name="ann") as web:

        def shown(query):
            page = web.get(f"/items?{query}", headers={"accept": "text/html"}).text
            return [item for item in items if f">{item}</a>" in page]

        assert shown("") == items
        assert shown("state=conflict") == items[:1]
        assert shown("person=lee") == items[:3]
        assert shown(f"search={items[5]}") == [items[5]]
        assert shown("search=nothing+of+the+kind") == []
        assert set(shown("answer=relevant")) | set(shown("answer=not")) == set(items[:8])
        assert shown("page=99999999999999999999") == items  # nonsense shows the first page
        page = web.get(
            "/items/one", params={"item": items[0]}, headers={"accept": "text/html"}
        ).text
        assert "kim" in page
        assert "lee" in page
        assert web.get("/items/one?item=doc-99999").status_code == 404
    with signed(folder, role="annotator") as web:
        for path in (
            "/items",
            f"/items/one?item={items[0]}",
            "/items/labels.csv",
            "/items/waiting.csv",
        ):
            assert web.get(path).status_code == 403
        for path in ("/items/assign", "/items/import"):
            assert web.post(path, data={"person": "kim", "count": 5}).status_code == 403


def test_a_plan_that_is_judged_once_shows_no_answers_before_its_end(
    assaymark, project, world, tmp_path
) -> None:
    plan = ["accuracy >= 0.7", "--mode", "fixed", "--budget", 30, "--seed", "s"]
    assaymark("plan", *plan, "-p", project)
    items = assaymark("draw", "-o", tmp_path / "b.csv", "-p", project, "--json").json["items"]
    assaymark("label", write_labels(tmp_path / "l.csv", {items[0]: 1}), "-p", project)
    with signed(project) as web:
        page = web.get("/items", headers={"accept": "text/html"}).text
        assert "answers are shown when its last label is there" in page
        assert ": Relevant" not in page
        assert web.get("/items/labels.csv").status_code == 403


def test_an_item_goes_to_the_person_it_was_given_to(drawn) -> None:
    folder, items = drawn
    with signed(folder, name="ann") as lead:
        given = lead.post("/items/assign", data={"item": items[15], "person": "lee"})
        assert given.status_code == 200
        assert lead.post("/items/assign", data={"person": "kim", "count": "4"}).status_code == 200
        assert (
            lead.post("/items/assign", data={"item": items[0], "person": "kim"}).status_code == 400
        )
        assert (
            lead.post("/items/assign", data={"person": "kim", "count": "many"}).status_code == 400
        )
    with signed(folder, name="lee") as web:  # it holds after a restart
        assert web.post("/label/hand", json={}).json()["items"][0]["id"] == items[15]
    with signed(folder, name="other") as web:
        handed = [one["id"] for one in web.post("/label/hand", json={}).json()["items"]]
        assert not {*items[8:12], items[15]} & set(handed)
    with signed(folder, name="kim") as web:
        first = web.post("/label/hand", json={}).json()["items"]
        assert [one["id"] for one in first] == items[8:10]
        assert answer(web, first[0], "not").json()["saved"] is True
    with signed(folder, name="ann") as lead:
        lead.post("/items/assign", data={"person": "kim", "take_back": "yes"})
    assert list(Project(folder=folder).state().answers[items[8]]) == ["kim"]


def test_labels_come_in_and_go_out_as_files(drawn, world, tmp_path) -> None:
    folder, items = drawn
    file = write_labels(tmp_path / "more.csv", {items[9]: 1, items[10]: 0, "doc-nobody-drew": 1})
    with signed(folder, name="ann") as web:
        told = web.post("/items/import?name=x.csv&annotator=zoe", content=file.read_bytes()).json()
        assert told["done"].startswith("2 labels recorded")
        assert "1 left out because it was not drawn" in told["done"]
        for name, text in (("x", b"id,label\n"), ("x.csv", b"\xff\x00"), ("../x.c/v", b"id\n")):
            assert web.post(f"/items/import?name={name}", content=text).status_code == 400
        rows = list(csv.DictReader(io.StringIO(web.get("/items/labels.csv").text)))
        assert {(r["id"], r["annotator"]) for r in rows} >= {(items[9], "zoe"), (items[0], "lee")}
        waiting = list(csv.DictReader(io.StringIO(web.get("/items/waiting.csv").text)))
        assert [r["id"] for r in waiting] == [*items[8:9], *items[11:]]
        assert "score" not in waiting[0]
        assert web.get("/items/waiting.xlsx").content.startswith(b"PK")
        assert web.get("/items/waiting.exe").status_code == 404
        assert web.post("/items/import?name=x.csv", content=b"x" * 20_000_001).status_code == 413
    assert Project(folder=folder).state().answers[items[9]] == {"zoe": 1}


def test_labels_are_read_by_the_names_on_the_buttons_and_go_out_whole(
    drawn, assaymark, tmp_path
) -> None:
    """A file of the lead's words, in an old spreadsheet's letters, and "cannot tell" on the way back."""
    folder, items = drawn
    write_settings(
        folder, Settings(relevant="Fällt an", not_relevant="Nein danke", cannot_tell="Offen")
    )
    text = f"id;label\n{items[9]};fällt an\n{items[10]};Nein danke\n{items[11]};offen\n"
    text += f"{items[12]};ja\n{items[13]};nein\n{items[14]};included\n"
    with signed(folder, name="ann") as web:
        wrong = f"id,label\n{items[9]},maybe\n".encode()
        refused = web.post("/items/import?name=../Büro 1.csv", content=wrong).json()
        assert "Nothing was recorded from 'Büro 1.csv'" in refused["error"]
        told = web.post("/items/import?name=x.csv", content=text.encode("cp1252")).json()
        assert told["done"].startswith("5 labels recorded, 1 cannot tell")
        out = web.get("/items/labels.csv").text
    state = Project(folder=folder).state()
    assert [state.answers[items[n]]["ann"] for n in range(9, 15)] == [1, 0, None, 1, 0, 1]
    path = tmp_path / "out.csv"
    path.write_text(out, encoding="utf-8")
    again = assaymark("label", path, "-p", folder, "--json")
    assert again.code == 0, again.err
    assert (again.json["empty"], again.json["recorded"], again.json["unchanged"]) == (0, 0, 17)


def test_no_name_or_note_of_a_reviewer_runs_in_the_leads_spreadsheet(drawn) -> None:
    folder, _ = drawn
    with signed(folder, name="=zoe") as web:
        items = web.post("/label/hand", json={}).json()["items"]
        for item, note in zip(items, ("so;=1+1", "a\n@SUM(A1)"), strict=False):
            assert answer(web, item, note=note).json()["saved"]
        text = web.get("/items/labels.csv").text
    assert {"'=zoe", "so;'=1+1", "'@SUM(A1)"} <= set(re.split(r'[,"\n]', text))
    assert not re.search(r"(?m)^[=@]|[,;][=@]", text)


def test_assignments_of_endless_brackets_are_one_sentence(drawn) -> None:
    folder, _ = drawn
    (folder / "assignments.json").write_text("[" * 100_000)
    with pytest.raises(InputError, match="cannot be read"):
        read_assignments(folder)


def test_who_differed_decides_last_and_is_flagged(drawn) -> None:
    folder, items = drawn
    with signed(folder, name="kim") as web:
        page = web.get("/decide", headers={"accept": "text/html"}).text
        assert "You labelled this item yourself" in page
    with signed(folder, name="ann") as web:
        page = web.get("/decide", headers={"accept": "text/html"}).text
        assert "You labelled this item yourself" not in page
        assert items[0] in web.get(f"/decide?item={items[0]}", headers={"accept": "text/html"}).text


def test_a_filtered_list_is_walked_item_by_item(drawn) -> None:
    """Before and Next left the list that the lead had filtered."""
    folder, items = drawn
    with signed(folder, name="ann") as web:
        page = web.get("/items?person=lee&state=labelled", headers={"accept": "text/html"}).text
        first, second = items[1:3]
        assert f"item={first}&amp;person=lee&amp;state=labelled" in page
        asked = {"item": first, "person": "lee", "state": "labelled"}
        page = web.get("/items/one", params=asked, headers={"accept": "text/html"}).text
        assert "1 of 2" in page
        assert f'item={second}&amp;person=lee&amp;state=labelled" rel="next"' in page
        assert 'rel="prev"' not in page
        assert "/items?page=1&amp;person=lee&amp;state=labelled" in page
        page = web.get("/items?search=zzz", headers={"accept": "text/html"}).text
        assert "No item fits" in page


def test_records_of_json_are_listed_and_found_by_what_they_say(assaymark, tmp_path) -> None:
    """The list showed the marks of JSON, and no name with an accent could be found."""
    with (tmp_path / "pool.jsonl").open("w") as stream:
        for n in range(30):
            record = json.dumps({"left": {"name": "Kovač"}, "right": {"name": f"Kovac {n}"}})
            stream.write(json.dumps({"id": f"p{n}", "score": n / 30, "pair": record}) + "\n")
    pool = ("--pool", tmp_path / "pool.jsonl", "--id", "id", "--score", "score", "--threshold", 0.5)
    assert assaymark("init", tmp_path / "w", *pool, "--text", "pair").code == 0
    assert assaymark("plan", "accuracy >= 0.7", "--seed", "s", "-p", tmp_path / "w").code == 0
    assert assaymark("draw", 5, "-p", tmp_path / "w").code == 0
    with signed(tmp_path / "w", name="ann") as web:
        page = web.get("/items?search=kovač", headers={"accept": "text/html"}).text
        assert "5</strong> of 5 items" in page
        assert "<span>Kovač Kovac" in page


def test_the_items_of_a_plan_that_ended_can_still_be_read(labelled, assaymark) -> None:
    """After the certificate the list was empty."""
    items = Project(folder=labelled).state().attempt.order
    assert assaymark("certify", "-p", labelled).code == 0
    with signed(labelled, name="ann") as web:
        page = web.get("/items", headers={"accept": "text/html"}).text
        assert f"{len(items):,}</strong> of {len(items):,} items" in page
        asked = {"item": items[0]}
        page = web.get("/items/one", params=asked, headers={"accept": "text/html"}).text
        assert "labelled" in page
        lines = web.get("/items/labels.csv").text.splitlines()
        assert len(lines) > len(items)


def test_files_with_other_columns_come_in_and_empty_ones_are_called_empty(drawn, tmp_path) -> None:
    """Messages named an “id column” and a “format” that the page had no fields for."""
    folder, items = drawn
    rows = f"Doc;Verdict\n{items[9]};1\n{items[10]};0\n".encode()
    with signed(folder, name="ann") as web:
        page = web.get("/items", headers={"accept": "text/html"}).text
        for field in ("Id column", "Label column", "Format"):
            assert f">{field}</label>" in page
        refused = web.post("/items/import?name=x.csv", content=rows).json()
        assert "“id column” and “label column”" in refused["error"]
        asked = {"name": "x.csv", "annotator": "zoe", "id_column": "Doc", "label_column": "Verdict"}
        told = web.post("/items/import", params={**asked, "format": "csv"}, content=rows).json()
        assert told["done"].startswith("2 labels recorded")
        assert web.post("/items/import?name=x.csv").json()["error"] == "The file is empty."
