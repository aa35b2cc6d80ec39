"""The start page: tables come in whole or not at all, and projects keep to themselves."""

import json
import re
import warnings

import pytest
from openpyxl import Workbook

with warnings.catch_warnings():  # it asks for another name of the same library
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

from assaymark.pool.preview import Table
from assaymark.project.folder import Project
from assaymark.project.tables import safe_name
from assaymark.project.users import add_user
from assaymark.web.app import Options
from assaymark.web.pieces import OPEN, PIECE
from assaymark.web.start.app import make_start_app
from worlds_on_disk import write_labels, write_world

JSON = {"accept": "application/json"}
LINKS = {"lead": "the-lead-s-secret", "annotator": "the-reviewers-secret"}


def signed(folder, name="ann", role="lead") -> TestClient:
    app = make_start_app(folder, Options(links=LINKS))
    web = TestClient(app, base_url="http://127.0.0.1:8765")
    web.post("/enter", data={"token": LINKS[role], "name": name}, follow_redirects=False)
    mark = re.search(r'assaymark-token" content="(\w+)"', web.get("/").text).group(1)
    web.headers.update({"x-assaymark-token": mark, **JSON})
    return web


def upload(web, name: str, data: bytes, piece: int = 50_000):
    key = web.post("/start/upload/begin", json={"name": name, "size": len(data)}).json()["upload"]
    for at in range(0, len(data), piece):
        where = f"/start/upload/piece?upload={key}&at={at}"
        found = web.post(where, content=data[at : at + piece])
    return found


@pytest.fixture(scope="module")
def table(tmp_path_factory) -> bytes:
    return write_world(tmp_path_factory.mktemp("w") / "w.csv", items=600).path.read_bytes()


CHOSEN = {"id": "id", "score": "score", "threshold": "0.5", "text": ["body"]}


def begin(web, name: str, **asked):
    wish = {"table": name, "title": "My project", "purpose": "prove", **CHOSEN, **asked}
    return web.post("/start/begin", json=wish)


def test_a_table_is_uploaded_checked_and_becomes_a_project(tmp_path, table) -> None:
    with signed(tmp_path) as web:
        name = upload(web, "../../Scores (1).CSV", table).json()["table"]
        assert name == "Scores-1.csv"
        assert (tmp_path / "tables" / name).read_bytes() == table
        page = web.get("/start/table", params={"name": name}).text
        assert "600 rows" in page
        found = web.post("/start/check", json={"table": name, **CHOSEN}).json()
        assert [one["level"] for one in found["findings"]] == ["fine", "fine"]
        where = begin(web, name).json()["where"]
        assert where == "/p/my-project/plan"
        assert "What it will cost" in web.get(where).text
        assert "My project" in web.get("/").text
    assert Project(folder=tmp_path / "my-project").state().pool.summary.items == 600


def test_a_workbook_and_a_windows_file_become_what_a_pool_is_read_from(tmp_path) -> None:
    book = Workbook()
    book.active.append(["id", "body"])
    book.active.append([1002.0, "Grüße"])
    book.save(tmp_path / "b.xlsx")
    with signed(tmp_path) as web:
        name = upload(web, "b.xlsx", (tmp_path / "b.xlsx").read_bytes()).json()["table"]
        assert (tmp_path / "tables" / name).read_text() == "id,body\n1002,Grüße\n"
        old = "id,body\n1,Grüße\n".encode("cp1252")
        name = upload(web, "old.csv", old).json()["table"]
        assert (tmp_path / "tables" / name).read_text() == "id,body\n1,Grüße\n"
        load = "þidþ\x14þbodyþ\nþ1þ\x14þGrüße, alleþ\n"
        name = upload(web, "load.DAT", load.encode("cp1252")).json()["table"]
        assert (tmp_path / "tables" / name).read_text() == 'id,body\n1,"Grüße, alle"\n'
        (tmp_path / "lying.csv").write_bytes(old)
        assert "Grüße" in web.get("/start/table", params={"name": "lying.csv"}).text
        assert (tmp_path / "lying.csv").read_bytes() == old  # what lies there is not changed
        assert upload(web, "bomb.xlsx", b"PK\x03\x04" + b"x" * 99).status_code == 400
        assert "bomb" not in " ".join(path.name for path in (tmp_path / "tables").iterdir())


def test_every_sheet_of_a_workbook_can_be_chosen(tmp_path) -> None:
    """The first sheet was taken without a word, whatever it was."""
    book = Workbook()
    book.active.append(["About this file"])
    book.active.append([None, "scores of March"])  # no table: its first row names one column
    scores, notes = book.create_sheet("Scores 3.24"), book.create_sheet("Notes")
    for row in (["id", "score"], ["a", 0.2], ["b", 0.7]):
        scores.append(row)
    notes.append(["who"])
    notes.append(["Ann"])
    book.save(tmp_path / "b.xlsx")
    (tmp_path / "here").mkdir()
    with signed(tmp_path / "here") as web:
        name = upload(web, "b.xlsx", (tmp_path / "b.xlsx").read_bytes()).json()["table"]
        page = web.get("/start/table", params={"name": name}).text
        assert name == "b.Scores-3-24.csv"
        assert "the sheet “Scores-3-24” of a workbook" in page
        assert '<a href="/start/table?name=b.Notes.csv">Notes</a>.' in page
        assert "About" not in page
        other = web.get("/start/table", params={"name": "b.Notes.csv"}).text
        assert "Ann" in other
        again = upload(web, "b.xlsx", (tmp_path / "b.xlsx").read_bytes()).json()["table"]
        assert again == "b-2.Scores-3-24.csv"


def test_references_are_uploaded_as_a_table(tmp_path) -> None:
    ris = "TY  - JOUR\nTI  - On telescopes\nAB  - A study.\nER  - \n"
    with signed(tmp_path) as web:
        name = upload(web, "found.ris", ris.encode()).json()["table"]
        page = web.get("/start/table", params={"name": name}).text
    assert (
        tmp_path / "tables" / name
    ).read_text() == "record,title,abstract\n1,On telescopes,A study.\n"
    assert "On telescopes" in page


def test_a_score_that_cannot_be_read_is_found_and_named(tmp_path) -> None:
    """It was passed over, and the page asked for a score that the lead saw before her."""
    said = {}
    with signed(tmp_path) as web:
        for kind, cells in {
            "comma": [f'"0,{n:02}"' for n in range(20)],
            "empty": ["", *(f"0.{n:02}" for n in range(19))],
        }.items():
            rows = "".join(f"i{n},{cell},a text to be read {n}\n" for n, cell in enumerate(cells))
            name = upload(web, f"{kind}.csv", f"id,score,body\n{rows}".encode()).json()["table"]
            assert (
                '<option value="score" selected>'
                in web.get("/start/table", params={"name": name}).text
            )
            asked = {"table": name, **CHOSEN, "purpose": "prove"}
            findings = web.post("/start/check", json=asked).json()["findings"]
            said[kind] = [one["sentence"] for one in findings if one["level"] == "wrong"]
    assert said["comma"] == [
        "20 values of “score” are no numbers, such as “0,00”. Numbers are written 0.5: with a point, "
        "and without a sign of per cent."
    ]
    assert said["empty"][0].startswith("1 item without a score in “score”. Score them, or leave")


def test_the_columns_of_a_real_table_are_guessed(tmp_path) -> None:
    """An approximate count of 5,000 ids was 9 % low, and no column was guessed at all."""
    names = [f"mail/{number:05d}.{number * 7919 % 5003:04x}" for number in range(5_000)]
    lines = ["id,subject,body,score"]
    lines += [
        f"{name},Re: about {name[-4:]},a longer text of {name},0.{at:04d}"
        for at, name in enumerate(names)
    ]
    path = tmp_path / "mails.csv"
    path.write_text("\n".join(lines) + "\n")
    with Table(path) as table:
        preview = table.preview()
    assert preview.columns[0].different == 5_000
    guess = preview.guess
    assert guess is not None
    assert (guess.id, guess.score, guess.threshold) == ("id", "score", 0.5)
    assert guess.text == ("subject", "body")


def test_a_table_without_score_or_cut_off_cannot_judge_a_classifier(tmp_path, table) -> None:
    with signed(tmp_path) as web:
        name = upload(web, "t.csv", table).json()["table"]

        def wrong(**asked) -> list[str]:
            found = web.post("/start/check", json={"table": name, **CHOSEN, **asked}).json()
            return [one["sentence"] for one in found["findings"] if one["level"] == "wrong"]

        assert "cannot be judged" in wrong(purpose="prove", score="")[0]
        assert "cut-off" in wrong(purpose="estimate", threshold="")[0]
        assert wrong(purpose="review", score="") == wrong(purpose="prove") == []


def test_only_what_the_purpose_reads_must_be_in_order(tmp_path) -> None:
    """Triage began without a score and was refused by an option of the command line."""
    rows = "".join(f"i{n % 299},{'' if n else 'x'},a text to be read {n}\n" for n in range(300))
    with signed(tmp_path) as web:
        name = upload(web, "t.csv", f"id,score,body\n{rows}".encode()).json()["table"]

        def levels(**asked) -> list[str]:
            found = web.post("/start/check", json={"table": name, **CHOSEN, **asked}).json()
            return [one["level"] for one in found["findings"]]

        assert levels(purpose="prove") == levels(purpose="triage") == ["wrong"] * 3
        assert levels(purpose="compare") == levels(purpose="train") == ["wrong"]
        assert levels(purpose="review") == ["careful"], "a review merges records that are alike"
        asked = {"table": name, **CHOSEN, "purpose": "triage", "score": ""}
        told = web.post("/start/check", json=asked).json()["findings"][-1]["sentence"]
        assert told == "Choose the score of the classifier: triage decides by it."


def test_what_is_wrong_with_a_table_is_said_before_anything_begins(tmp_path) -> None:
    rows = "id,score,body\na,0.5,x\na,zero,y\nb,,\n"
    with signed(tmp_path) as web:
        name = upload(web, "bad.csv", rows.encode()).json()["table"]
        found = web.post("/start/check", json={"table": name, **CHOSEN}).json()["findings"]
        text = " ".join(one["sentence"] for one in found)
        for part in ("1 row of “id” repeats an id: a (2×)", "1 value of “score” is no number, such as “zero”", "without a score",
                     "1 item without any text"):  # fmt: skip
            assert part in text
        refused = begin(web, name)
        assert refused.status_code == 400
        assert not (tmp_path / "my-project").exists()
        assert begin(web, name, purpose="conquer").status_code == 400
        told = begin(web, name, purpose="train", target="a lot").json()
        assert told["field"] == "target"


@pytest.mark.parametrize(
    ("purpose", "asked", "page"),
    [
        ("estimate", {"metric": "accuracy", "within": "5 %"}, "/watch"),
        ("compare", {"a": "prediction", "b": "new", "metric": "accuracy"}, "/watch"),
        ("review", {"target": "80 %"}, "/review"),
        ("triage", {"target": "0.9", "budget": "60"}, "/watch"),
        ("train", {"target": "70", "metric": "f1", "budget": "1,000"}, "/watch"),
    ],
)
def test_everything_that_can_be_found_out_begins_on_the_page(
    tmp_path, table, purpose, asked, page
) -> None:
    lines = table.decode().splitlines()
    new = [f"{line},{number % 7 == 0:d}" for number, line in enumerate(lines[1:])]
    data = "\n".join([lines[0] + ",new", *new]).encode()
    with signed(tmp_path) as web:
        name = upload(web, "t.csv", data).json()["table"]
        if purpose == "train":
            asked = {**asked, "score": "", "threshold": ""}
        where = begin(web, name, purpose=purpose, **asked)
        assert where.json() == {"where": f"/p/my-project{page}"}
        assert web.get(f"/p/my-project{page}").status_code == 200
        handed = web.post("/p/my-project/label/hand", json={}).json()
        assert len(handed["items"]) == 2


def test_a_review_begins_with_search_terms_and_the_price_of_a_proof(tmp_path, table) -> None:
    """Terms and double reading are those of the command line; the floor is shown before the first find."""
    with signed(tmp_path) as web:
        name = upload(web, "t.csv", table).json()["table"]
        asked = {"target": "80 %", "terms": " refund, money back ,", "twice": "20 %"}
        assert begin(web, name, purpose="review", **asked).status_code == 200
        page = web.get("/p/my-project/review", headers={"accept": "text/html"}).text
    opened = Project(folder=tmp_path / "my-project").state().reviews[0].opened
    assert (opened.terms, opened.twice) == (("refund", "money back"), "0.2")
    assert "What a proof costs at least" in page


def test_a_review_goes_on_from_decisions_of_another_tool(tmp_path, table) -> None:
    """A second table brings them; records that it decided are not read again, and strangers are refused."""
    ids = [line.split(",")[0] for line in table.decode().splitlines()[1:]]
    decided = "\n".join(["id,label", *(f"{name},{k % 2}" for k, name in enumerate(ids[:20]))])
    with signed(tmp_path) as web:
        name = upload(web, "t.csv", table).json()["table"]
        other = upload(web, "rayyan.csv", decided.encode()).json()["table"]
        strange = upload(web, "strange.csv", b"id,label\nnobody,1\n").json()["table"]
        page = web.get("/start/table", params={"name": name}, headers={"accept": "text/html"}).text
        assert f'<option value="{other}">' in page
        asked = {"target": "80 %", "purpose": "review"}
        refused = begin(web, name, screened=strange, **asked)
        assert (refused.status_code, "nobody" in refused.text) == (400, True)
        assert begin(web, name, screened="../users.json", **asked).status_code == 400
        assert not (tmp_path / "my-project").exists()
        done = begin(web, name, screened=other, known=ids[30], **asked)
        assert done.json() == {"where": "/p/my-project/review"}
    state = Project(folder=tmp_path / "my-project").state()
    assert set(state.reviews[0].known) == {*ids[:20], ids[30]}
    assert not {*ids[:20], ids[30]} & set(state.reviews[0].handed)


def test_the_list_counts_the_labels_that_the_dashboard_counts(
    assaymark, project, world, tmp_path
) -> None:
    """An item on which reviewers differ was labelled in the list and not on the dashboard."""
    assaymark("plan", "f1 >= 0.8", "--seed", "s", "-p", project)
    items = assaymark("draw", 5, "-o", tmp_path / "b.csv", "-p", project, "--json").json["items"]
    for name, labels in (("kim", dict.fromkeys(items, 1)), ("lee", {items[0]: 0})):
        path = write_labels(tmp_path / f"{name}.csv", labels)
        assert assaymark("label", path, "--annotator", name, "-p", project).code == 0
    with signed(project.parent) as web:
        assert (
            "F1 is at least 0.8 · 4 labelled" in web.get("/", headers={"accept": "text/html"}).text
        )
        seen = web.get(f"/p/{project.name}/watch", headers={"accept": "text/html"}).text
        assert '<p class="progress">4 labelled' in seen


def test_uploads_are_bounded_and_in_order(tmp_path, table) -> None:
    with signed(tmp_path) as web:
        asked = {"name": "t.csv", "size": 10}
        for bad in ({"name": "t.exe", "size": 10}, {"name": "t.csv", "size": 0}, {"name": "t.csv"},
                    {"name": "t.csv", "size": 10**15}, {"name": "t.csv", "size": True}):  # fmt: skip
            assert web.post("/start/upload/begin", json=bad).status_code == 400
        keys = [
            web.post("/start/upload/begin", json=asked).json()["upload"] for _ in range(OPEN + 1)
        ]
        where = f"/start/upload/piece?upload={keys[0]}&at=0"
        assert (
            web.post(where, content=b"0123456789").status_code == 409
        )  # the ninth ended the first
        where = f"/start/upload/piece?upload={keys[1]}&at="
        for at, data in (("5", b"x"), ("0", b"12345678901"), ("0", b""), ("-1", b"x"), ("x", b"x")):
            assert web.post(where + at, content=data).status_code in (400, 409)
        assert web.post(where + "0", content=b"x" * (PIECE + 5_000)).status_code == 413
        assert web.post("/start/check", content=b"x" * 200_000).status_code == 413
        parts = [
            path for path in (tmp_path / "tables").iterdir() if path.name.startswith(".upload-")
        ]
        assert len(parts) == OPEN
    with signed(tmp_path):
        assert list((tmp_path / "tables").iterdir()) == []  # a restart clears what was left


@pytest.mark.parametrize(
    "name", ["../users.json", "serve.key", "/etc/passwd", "tables/x.csv", "\x00"]
)
def test_no_name_leads_out_of_the_folder(tmp_path, name) -> None:
    with signed(tmp_path) as web:
        assert web.get("/start/table", params={"name": name}).status_code == 400
        assert web.post("/start/check", json={"table": name, **CHOSEN}).status_code == 400
    assert "/" not in safe_name(f"{name}.csv")


def test_strangers_and_reviewers_begin_nothing(tmp_path, table) -> None:
    with signed(tmp_path) as lead:
        name = upload(lead, "t.csv", table).json()["table"]
        begin(lead, name)
    stranger = TestClient(
        make_start_app(tmp_path, Options(links=LINKS)), base_url="http://127.0.0.1:8765"
    )
    with stranger as web:
        for path in ("/", "/start/table?name=t.csv", "/p/my-project/watch", "/p/nowhere/label"):
            found = web.get(path, follow_redirects=False)
            assert (found.status_code, found.headers["location"]) == (303, "/enter")
        assert web.post("/start/begin", json={}).status_code == 401
    with signed(tmp_path, "kim", "annotator") as web:
        assert "Upload" not in web.get("/").text
        assert web.post("/start/upload/begin", json={"name": "t.csv", "size": 1}).status_code == 403
        assert web.get("/start/table", params={"name": "t.csv"}).status_code == 403
        assert web.get("/p/my-project/watch").status_code == 403
        assert web.get("/p/my-project/label").status_code == 200
        assert web.get("/p/nowhere/label").status_code == 404
        del web.headers["x-assaymark-token"]
        assert web.post("/p/my-project/label/hand", json={}).status_code == 403


def test_what_one_project_handed_out_does_not_hold_in_another(tmp_path, table) -> None:
    with signed(tmp_path) as web:
        name = upload(web, "t.csv", table).json()["table"]
        for title in ("One", "Two"):
            where = begin(web, name, title=title, purpose="estimate", budget="40").json()["where"]
            assert where == f"/p/{title.lower()}/watch"
        items = web.post("/p/one/label/hand", json={}).json()["items"]
        asked = {"item": items[0]["id"], "ticket": items[0]["ticket"], "answer": "not"}
        assert web.post("/p/two/label/answer", json=asked).status_code == 409
        assert web.post("/p/one/label/answer", json=asked).json()["saved"] is True


def test_a_project_with_users_of_its_own_is_served_by_itself(tmp_path, table) -> None:
    with signed(tmp_path) as web:
        begin(web, upload(web, "t.csv", table).json()["table"])
    add_user(tmp_path / "my-project", "kim", "lead")
    with signed(tmp_path) as web:
        assert "serve it by itself" in web.get("/").text
        assert web.get("/p/my-project/watch").status_code == 404


def test_every_answer_carries_the_safety_headers(tmp_path) -> None:
    (tmp_path / "t.csv").write_text("id,<b>x</b>\n1,<script>alert(1)</script>\n")
    with signed(tmp_path) as web:
        for path in ("/", "/start/table?name=t.csv", "/nowhere"):
            found = web.get(path, headers={"accept": "text/html"})
            assert "default-src 'self'" in found.headers["content-security-policy"]
            assert not re.search(r"<script(?![^>]*\bsrc=)|\son\w+=|\sstyle=", found.text), path
            assert "<script>alert" not in found.text
        assert json.loads(web.post("/start/check", json={"table": "t.csv", "id": "1"}).text)


CLASSES = b"id,body,topic,country\n" + b"".join(
    b"i%d,about %d,%s,%s\n" % (n, n, (b"ham", b"spam", b"eggs")[n % 3], (b"de", b"fr")[n % 2])
    for n in range(300)
)


def test_a_project_of_classes_and_groups_begins_on_the_page(tmp_path) -> None:
    """Only the command line could register names of classes and columns of groups."""
    with signed(tmp_path) as web:
        name = upload(web, "topics.csv", CLASSES).json()["table"]
        asked = {"id": "id", "score": "", "threshold": "", "text": ["body"], "prediction": "topic"}
        found = web.post("/start/check", json={"table": name, "purpose": "prove", **asked}).json()
        assert found["names"]
        assert found["values"] == ["eggs", "ham", "spam"]
        asked |= {"classes": True, "groups": ["country"]}
        found = web.post("/start/check", json={"table": name, "purpose": "prove", **asked}).json()
        assert {one["level"] for one in found["findings"]} == {"fine"}
        assert found["findings"][-1]["sentence"] == "3 classes: eggs, ham, spam."
        where = begin(web, name, **asked).json()["where"]
        page = web.get(where).text
        assert "Plan a claim about classes" in page
        assert "in every country" in page
        assert "Reviewers choose among 3 classes: eggs, ham, spam." in page
        assert "relevant" not in page.lower()
    assert Project(folder=tmp_path / "my-project").state().classes[:3] == ("eggs", "ham", "spam")


def test_a_cut_off_may_be_per_cent_and_a_wrong_one_is_marked(tmp_path, table) -> None:
    """It was called by a word that the page does not use, and no field was marked."""
    with signed(tmp_path) as web:
        name = upload(web, "a.csv", table).json()["table"]

        def checked(cut_off):
            asked = {"table": name, "purpose": "prove", **CHOSEN, "threshold": cut_off}
            return web.post("/start/check", json=asked).json()

        assert checked("50 %") == checked("0.5")
        wrong = checked("half")
        assert wrong["field"] == "threshold"
        assert wrong["findings"][0]["sentence"] == "The cut-off must be a number, got “half”."


def test_a_reviewer_of_the_only_project_begins_to_label_at_once(tmp_path, table) -> None:
    """They found a list of one."""
    with signed(tmp_path) as web, signed(tmp_path) as other:
        name = upload(web, "a.csv", table).json()["table"]
        begin(web, name)

        def first(role):
            asked = {"token": LINKS[role], "name": "kim"}
            return other.post("/enter", data=asked, follow_redirects=False).headers["location"]

        assert (first("annotator"), first("lead")) == ("/p/my-project/label", "/")
        begin(web, name, title="Another")
        assert first("annotator") == "/"
        listed = other.get("/", headers={"accept": "text/html"}).text
        assert "0 labelled" in listed
        assert "plan" not in listed, "whoever labels learns nothing of a claim or its verdict"
        assert "No plan yet" in web.get("/", headers={"accept": "text/html"}).text
