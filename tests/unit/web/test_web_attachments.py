"""Pictures and PDFs uploaded on the page: beside a table that becomes a project, and later."""

import json
import time
import zipfile
from collections import namedtuple
from types import SimpleNamespace
from typing import cast

import pytest
from test_web import signed as signed_in
from test_web_start import begin, signed, upload

from assaymark.project import attachments
from assaymark.project.attachments import FOLDER, Attachments
from assaymark.web import pieces
from assaymark.web.attachments import hidden_for
from assaymark.web.intake import UNPACKED, AttachmentUploads
from assaymark.web.site import Site

PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 40
PDF = b"%PDF-1.7 x"


def table(names=("s/0.png", "1.png", "2.pdf", "a/3.png", "b/3.png")) -> bytes:
    """Forty rows that name these files in turn."""
    rows = [
        {"id": f"d{n}", "score": n / 40, "body": "Words to read.", "scan": names[n % len(names)]}
        for n in range(40)
    ]
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def send(web, name: str, content: bytes, *, at: str = "", **asked):
    """One file through begin and piece, below /p/NAME or for a table of the start page."""
    first = web.post(f"{at}/files/begin", json={**asked, "name": name, "size": len(content)})
    if first.status_code != 200:
        return first
    query = {**asked, "upload": first.json()["upload"], "at": 0}
    return web.post(f"{at}/files/piece", params=query, content=content)


def archive(path, **files) -> bytes:
    with zipfile.ZipFile(path, "w") as made:
        for name, content in files.items():
            made.writestr(name.replace("_", "/"), content)
    return path.read_bytes()


def sentences(state) -> list[str]:
    return [one["sentence"] for one in state["findings"]]


def test_files_come_with_the_table_and_are_shown_to_reviewers(tmp_path) -> None:
    asked = {"id": "id", "score": "score", "threshold": "0.5", "text": ["body", "scan"]}
    with signed(tmp_path) as web:
        name = upload(web, "t.jsonl", table()).json()["table"]
        page = web.get("/start/table", params={"name": name}).text
        assert 'value="scan" checked' in page  # a column of file names is for reviewers to see
        found = web.post("/start/check", json={"table": name, **asked}).json()["files"]
        assert sentences(found)[0].startswith(
            "5 of 5 files that the table names are missing: 1.png"
        )
        told = send(web, "0.png", PNG, at="/start", table=name).json()
        assert (told["added"], told["left_out"]) == (1, [])
        packed = archive(tmp_path / "z.zip", **{"x_1.png": PNG, "3.png": PNG, "z.pdf": PDF})  # fmt: skip
        told = send(web, "scans.zip", packed, at="/start", table=name).json()
        assert told["added"] == 3
        found = web.post("/start/check", json={"table": name, **asked}).json()["files"]
        assert sentences(found) == [
            "3 of 5 files that the table names are missing: 2.pdf, a/3.png, b/3.png. Reviewers see the "
            "name only.",
            "“a/3.png” and “b/3.png” end with one name, and uploaded files are known by their name "
            "alone. Neither is shown: rename the files, and the cells of the table.",
            "1 uploaded file is named by no row: z.pdf.",
        ]
        for title in ("One", "Two"):  # a table can begin several projects, each with its files
            where = begin(web, name, title=title, **asked, purpose="estimate", budget="40")
            assert where.json()["where"] == f"/p/{title.lower()}/watch"
        assert sorted(p.name for p in (tmp_path / "two" / FOLDER).iterdir()) == ["0.png", "1.png", "z.pdf"]  # fmt: skip
        shown = {}
        for item in web.post("/p/one/label/hand", json={}).json()["items"]:
            field = item["fields"][1]
            shown[field["text"]] = field["file"]["kind"]
            if field["file"]["kind"] == "image":
                got = web.get(field["file"]["url"])
                assert (got.content, got.headers["content-type"]) == (PNG, "image/png")
                assert got.headers["x-content-type-options"] == "nosniff"
                assert "sandbox" in got.headers["content-security-policy"]
        assert shown
        assert set(shown.items()) <= {("s/0.png", "image"), ("1.png", "image"), ("2.pdf", "missing"), ("a/3.png", "missing"), ("b/3.png", "missing")}  # fmt: skip


@pytest.fixture
def pictured(assaymark, tmp_path):
    (tmp_path / "p.jsonl").write_bytes(table())
    folder = tmp_path / "w"
    made = assaymark("init", folder, "--pool", tmp_path / "p.jsonl", "--id", "id", "--score", "score",
                     "--threshold", 0.5, "--text", "body", "--text", "scan")  # fmt: skip
    assert made.code == 0, made.err
    return folder


def test_files_come_later_and_the_page_says_what_is_missing(pictured) -> None:
    with signed_in(pictured) as web:
        assert "Upload pictures and PDFs" in web.get("/files", headers={"accept": "text/html"}).text
        assert web.get("/files/state").json()["missing"] == ["1.png", "2.pdf", "a/3.png", "b/3.png", "s/0.png"]  # fmt: skip
        told = send(web, "3.png", PNG).json()
        assert told["left_out"][0]["reason"].startswith("the table writes two different paths")
        assert send(web, "1.png", PNG).json()["added"] == 1
        assert send(web, "1.png", PNG).json()["same"] == 1
        assert send(web, "1.png", PNG + b"x").json()["left_out_count"] == 1
        assert send(web, "1.png", PNG + b"x", replace="yes").json()["replaced"] == 1
        (pictured / "files").mkdir()
        (pictured / "files" / "2.pdf").write_bytes(PDF)  # put there by hand, as before
        assert web.get("/files/state").json()["missing"] == ["a/3.png", "b/3.png", "s/0.png"]


def test_what_is_hostile_leaves_nothing_behind(pictured, tmp_path) -> None:
    with signed_in(pictured) as web:
        told = send(web, "../../evil.png", b"<svg onload=alert(1)>").json()
        assert told["left_out"] == [{"name": "evil.png", "reason": "it is no picture or PDF, whatever its name says"}]  # fmt: skip
        for name in ("page.html", "run.sh", "x.svg"):
            assert send(web, name, PNG).json()["left_out_count"] == 1
        refused = send(web, "a.zip", archive(tmp_path / "z.zip", **{"ok.png": PNG, "..//a.png": PNG}))  # fmt: skip
        assert (refused.status_code, refused.json()["error"]) == (400, "The archive is refused: the path '..//a.png' leads out of it. Nothing of it was taken.")  # fmt: skip
        assert send(web, "b.zip", b"PK\x03\x04").status_code == 400
        for bad in ({"name": "a.png", "size": 10**9}, {"name": "a.png", "size": 0}, {"name": "a.png"},
                    {"name": ["a"], "size": 1}):  # fmt: skip
            assert web.post("/files/begin", json=bad).status_code == 400
        assert web.post("/files/piece", params={"upload": "none", "at": 0}).status_code == 409
        assert list((pictured / FOLDER).iterdir()) == []
    (pictured / FOLDER / f"{UNPACKED}x").mkdir()
    with signed_in(pictured):
        assert list((pictured / FOLDER).iterdir()) == []  # a restart clears what was left


def test_only_the_lead_uploads(pictured, tmp_path) -> None:
    with signed_in(pictured, role="annotator") as web:
        assert web.get("/files").status_code == 403
        assert web.get("/files/state").status_code == 403
        assert web.post("/files/begin", json={"name": "a.png", "size": 1}).status_code == 403
        assert web.post("/files/piece", params={"upload": "x", "at": 0}).status_code == 403
    (tmp_path / "home").mkdir()
    with signed(tmp_path / "home", "kim", "annotator") as web:
        for path in ("/start/files/begin", "/start/files/piece"):
            assert web.post(path, json={"name": "a.png", "size": 1}).status_code == 403
    with signed(tmp_path / "home") as web:
        asked = {"table": "../p.jsonl", "name": "a.png", "size": 1}
        assert web.post("/start/files/begin", json=asked).status_code == 400


def test_without_the_collection_files_are_taken_all_the_same(pictured, tmp_path) -> None:
    (tmp_path / "p.jsonl").unlink()
    with signed_in(pictured) as web:
        assert send(web, "1.png", PNG).json()["added"] == 1
        assert "pool" in web.get("/files/state").json()["error"]


def test_a_table_of_the_folder_is_copied_once(tmp_path) -> None:
    """Every check of its columns left another copy on the disk and in the list."""
    (tmp_path / "Tickets (1).csv").write_bytes("id,score,body\na,0.1,Gr\xfc\xdfe\nb,0.9,zwei\n".encode("cp1252"))  # fmt: skip
    with signed(tmp_path) as web:
        for _ in range(3):
            assert web.get("/start/table", params={"name": "Tickets (1).csv"}).status_code == 200
        assert [path.name for path in (tmp_path / "tables").iterdir()] == ["Tickets-1.csv"]


def shown_kinds(web) -> set[tuple[str, str]]:
    items = web.post("/label/hand", json={}).json()["items"]
    return {(item["fields"][1]["text"], item["fields"][1]["file"]["kind"]) for item in items}


def test_a_file_of_two_paths_is_not_shown_though_it_was_taken(assaymark, tmp_path) -> None:
    """It came while the collection was away, and was shown for both paths."""
    (tmp_path / "p.jsonl").write_bytes(table(("a/3.png", "b/3.png")))
    folder = tmp_path / "w"
    made = assaymark("init", folder, "--pool", tmp_path / "p.jsonl", "--id", "id", "--score", "score",
                     "--threshold", 0.5, "--text", "body", "--text", "scan")  # fmt: skip
    assert made.code == 0, made.err
    assert assaymark("plan", "--estimate", "accuracy", "--budget", 40, "-p", folder).code == 0
    assert assaymark("draw", "-p", folder).code == 0
    (tmp_path / "p.jsonl").rename(tmp_path / "away")
    with signed_in(folder) as web:
        assert send(web, "3.png", PNG).json()["added"] == 1
        assert {kind for _, kind in shown_kinds(web)} == {"missing"}  # nobody can tell yet
    (tmp_path / "away").rename(tmp_path / "p.jsonl")
    with signed_in(folder) as web:
        assert "Neither is shown" in " ".join(sentences(web.get("/files/state").json()))
        assert {kind for _, kind in shown_kinds(web)} == {"missing"}


Disk = namedtuple("Disk", "total used free")


def test_uploads_under_way_hold_their_room(pictured, monkeypatch) -> None:
    monkeypatch.setattr(attachments.shutil, "disk_usage", lambda _: Disk(0, 0, 4_300_000_000))
    with signed_in(pictured) as web:
        asked = [{"name": f"{n}.zip", "size": 2_000_000_000} for n in range(3)]
        begun = [web.post("/files/begin", json=one).status_code for one in asked]
        assert begun == [200, 400, 400]
        now = time.monotonic()
        monkeypatch.setattr(pieces.time, "monotonic", lambda: now + pieces.IDLE + 60)
        assert web.post("/files/begin", json=asked[1]).status_code == 200  # the first was given up
        assert len(list((pictured / FOLDER).iterdir())) == 1
    assert pieces.owed_to_all() == 0  # a project that is closed holds nothing
    assert list((pictured / FOLDER).iterdir()) == []


def test_an_archive_without_room_is_not_unpacked(tmp_path, monkeypatch) -> None:
    uploads = AttachmentUploads(Attachments(tmp_path / FOLDER))
    packed = tmp_path / "z.zip"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("a.png", PNG + bytes(1_000_000))
    content = packed.read_bytes()
    free = attachments.SPARE + 2 * len(content)
    monkeypatch.setattr(attachments.shutil, "disk_usage", lambda _: Disk(0, 0, free))
    opened = []
    monkeypatch.setattr(zipfile.ZipFile, "open", lambda *_: opened.append(1))
    key = uploads.begin("z.zip", len(content))
    with pytest.raises(attachments.InputError, match="not enough room"):
        uploads.add(key, 0, content, replace=False)
    assert (opened, list((tmp_path / FOLDER).iterdir())) == ([], [])


def test_another_page_of_the_same_folder_leaves_open_uploads_alone(tmp_path) -> None:
    first = AttachmentUploads(Attachments(tmp_path / FOLDER))
    key = first.begin("a.png", len(PNG))
    (tmp_path / FOLDER / f"{pieces.PART}left").touch()
    AttachmentUploads(Attachments(tmp_path / FOLDER))
    assert not (tmp_path / FOLDER / f"{pieces.PART}left").exists()
    assert first.add(key, 0, PNG, replace=False)[1].added == ["a.png"]


def test_tables_of_similar_names_have_files_of_their_own(tmp_path) -> None:
    (tmp_path / "Tickets (1).jsonl").write_bytes(table(("0.png",)))
    asked = {"id": "id", "score": "score", "threshold": "0.5", "text": ["body", "scan"]}
    with signed(tmp_path) as web:
        name = upload(web, "Tickets-1.jsonl", table(("0.png",))).json()["table"]
        assert send(web, "0.png", PNG, at="/start", table="Tickets (1).jsonl").json()["added"] == 1
        for which, missing in (("Tickets (1).jsonl", []), (name, ["0.png"])):
            found = web.post("/start/check", json={"table": which, **asked}).json()["files"]
            assert found["missing"] == missing


def test_a_damaged_archive_is_answered_with_a_sentence(pictured, tmp_path) -> None:
    packed = archive(tmp_path / "z.zip", **{"m\u00e9.png": PNG})
    with signed_in(pictured) as web:
        told = send(web, "z.zip", packed.replace("m\u00e9.png".encode(), b"m\xff\xfe.png"))
        assert told.status_code == 400
        assert "damaged" in told.json()["error"]


def test_a_table_that_names_too_many_files_shows_no_picture_that_could_be_another_ones(
    tmp_path, monkeypatch
) -> None:
    """Nothing was compared, and a/3.png and b/3.png both showed the file 3.png."""
    monkeypatch.setattr("assaymark.pool.named_files.MOST_NAMES", 3)
    asked = {"id": "id", "score": "score", "threshold": "0.5", "text": ["body", "scan"]}
    with signed(tmp_path) as web:
        name = upload(web, "t.jsonl", table()).json()["table"]
        for file in ("1.png", "3.png"):
            assert send(web, file, PNG, at="/start", table=name).status_code == 200
        checked = web.post("/start/check", json={"table": name, **asked}).json()
        assert "too many to compare" in sentences(checked["files"])[0]
        assert any("40 items" in one["sentence"] for one in checked["findings"])
        made = begin(web, name, **{**asked, "purpose": "estimate", "budget": "30", "title": "Many"})
        assert made.status_code == 200, made.text
        state = web.get("/p/many/files/state").json()
        assert "one with a folder before it shows none" in sentences(state)[0]
        items = web.post("/p/many/label/hand", json={}).json()["items"]
        shown = {one["fields"][1]["text"]: one["fields"][1]["file"]["kind"] for one in items}
        assert shown
        assert all(
            kind == ("image" if cell == "1.png" else "missing") for cell, kind in shown.items()
        )


def test_without_a_comparison_a_cell_with_a_folder_shows_no_uploaded_file() -> None:
    site = cast("Site", SimpleNamespace(unclear_files=frozenset(), uncompared=True))
    assert hidden_for(site, " a\\3.png") == {"3.png"}
    assert hidden_for(site, "a/3.png") == {"3.png"}
    assert hidden_for(site, "3.png") == frozenset()
