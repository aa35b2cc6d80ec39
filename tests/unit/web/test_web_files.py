"""Pictures and PDFs that texts name, the protocol in Markdown, and numbers as people type them."""

import csv
import json

import pytest
from test_web import signed

from assaymark.errors import InputError
from assaymark.labelling.settings import Settings, write_settings
from assaymark.web.attachments import find_attachment
from assaymark.web.markdown import rendered
from assaymark.web.numbers import count_of, number_of, share_of

PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 40


@pytest.fixture
def pictured(assaymark, tmp_path):
    (tmp_path / "secret.png").write_bytes(PNG)
    names = [
        "a.png",
        "b.pdf",
        "../secret.png",
        "/etc/passwd",
        "fake.png",
        "a.png\nx",
        "nul\x00.png",
        "",
    ]
    with (tmp_path / "p.jsonl").open("w") as stream:
        for number, name in enumerate(names):
            stream.write(
                json.dumps({"key": str(number), "score": (number + 1) / 10, "scan": name}) + "\n"
            )
    folder = tmp_path / "w"
    made = assaymark("init", folder, "--pool", tmp_path / "p.jsonl", "--id", "key", "--score", "score",
                     "--threshold", 0.5, "--text", "scan")  # fmt: skip
    assert made.code == 0, made.err
    files = folder / "files"
    files.mkdir()
    (files / "a.png").write_bytes(PNG)
    (files / "b.pdf").write_bytes(b"%PDF-1.7 x")
    (files / "fake.png").write_bytes(b"<svg onload=alert(1)>")
    assaymark("plan", "accuracy >= 0.5", "--mode", "fixed", "--budget", 8, "-p", folder)
    assaymark("draw", "-p", folder)
    return folder


def test_only_pictures_and_pdfs_of_the_folder_are_shown(pictured) -> None:
    files = pictured / "files"
    assert find_attachment(files, "a.png").type == "image/png"
    assert find_attachment(files, " b.pdf ").kind == "pdf"
    for name in (
        "../secret.png",
        "/etc/passwd",
        "fake.png",
        "a.png\nx",
        "nul\x00.png",
        "",
        "x" * 999,
        ".",
    ):
        assert find_attachment(files, name) is None, name
    assert find_attachment(None, "a.png") is None
    (files / "link.png").symlink_to(pictured.parent / "secret.png")
    assert find_attachment(files, "link.png") is None


def test_a_file_goes_to_whoever_has_the_item(pictured) -> None:
    with signed(pictured) as web, signed(pictured, name="lee") as other:
        found = {}
        for _ in range(8):
            items = web.post("/label/hand", json={}).json()["items"]
            if not items:
                break
            found[items[0]["id"]] = items[0]["fields"][0]
            asked = {"item": items[0]["id"], "ticket": items[0]["ticket"], "answer": "not"}
            web.post("/label/answer", json=asked)
        shown = {item: field["file"]["kind"] for item, field in found.items() if "file" in field}
        assert set(shown.items()) <= {("0", "image"), ("1", "pdf")}
        assert shown
        for item in shown:
            url = found[item]["file"]["url"]
            got = web.get(url)
            assert got.status_code == 200
            assert got.headers["x-content-type-options"] == "nosniff"
            assert other.get(url).status_code == 403
            assert web.get(url.replace("field=0", "field=7")).status_code == 404
            assert web.get(url.replace("field=0", "field=-1")).status_code == 404


def test_the_protocol_is_markdown_without_html(project) -> None:
    write_settings(
        project, Settings(criteria="**Relevant** <script>alert(1)</script> [x](javascript:1)")
    )
    with signed(project) as web:
        page = web.get("/label", headers={"accept": "text/html"}).text
    assert "<strong>Relevant</strong>" in page
    assert "<script>alert" not in page
    assert 'href="javascript' not in page
    for text in ("<img src=x onerror=1>", "![p](http://x/p.png)", "[a](data:text/html,x)"):
        assert "<img" not in rendered(text)
        assert "data:text" not in str(rendered(text)).replace("(data:text", "")


def test_numbers_are_understood_as_people_type_them() -> None:
    shares = {
        "0.75": 0.75,
        "75 %": 0.75,
        "75": 0.75,
        "0,75": 0.75,
        "0.5 %": 0.005,
        "1": 1.0,
        "": None,
    }
    assert {text: share_of({"t": text}, "t") for text in shares} == shares
    assert number_of({"c": "1 000,5"}, "c") == 1000.5
    assert count_of({"n": "1,000"}, "n") == 1000
    for text in ("much", "-1", "101 %", "nan", "inf", "1e999", "1.5", "2"):
        with pytest.raises(InputError) as caught:
            share_of({"t": text}, "t")
        assert caught.value.field == "t"
    for text in ("0", "-3", "1.5", "9" * 20):
        with pytest.raises(InputError):
            count_of({"n": text}, "n")


def test_the_text_that_people_read_is_the_same_on_every_screen(assaymark, tmp_path) -> None:
    """A short text of the first item stood in small letters beside its title."""
    rows = [("id", "score", "subject", "body", "customer")]
    rows += [
        (f"d{n}", n / 40, "Thanks", "Short." if n % 4 else "word " * 60, "Acme") for n in range(40)
    ]
    with (tmp_path / "pool.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows(rows)
    texts = [part for name in ("subject", "body", "customer") for part in ("--text", name)]
    pool = ("--pool", tmp_path / "pool.csv", "--id", "id", "--score", "score", "--threshold", "0.5")
    assert assaymark("init", tmp_path / "w", *pool, *texts).code == 0
    assert assaymark("plan", "accuracy >= 0.7", "--seed", "s", "-p", tmp_path / "w").code == 0
    assert assaymark("draw", 20, "-p", tmp_path / "w").code == 0
    with signed(tmp_path / "w") as web:
        for item in web.post("/label/hand", json={}).json()["items"]:
            assert [one["name"] for one in item["fields"] if one["main"]] == ["body"]


def test_pictures_that_come_later_are_shown_without_a_restart(assaymark, tmp_path) -> None:
    """The folder was looked for when the server began, and never again."""
    lines = ["id,score,page", *(f"d{n},{n / 40},scan.png" for n in range(40))]
    (tmp_path / "pool.csv").write_text("\n".join(lines) + "\n")
    pool = ("--pool", tmp_path / "pool.csv", "--id", "id", "--score", "score", "--threshold", "0.5")
    assert assaymark("init", tmp_path / "w", *pool, "--text", "page").code == 0
    assert assaymark("plan", "accuracy >= 0.7", "--seed", "s", "-p", tmp_path / "w").code == 0
    assert assaymark("draw", 5, "-p", tmp_path / "w").code == 0
    with signed(tmp_path / "w") as web:
        assert "file" not in web.post("/label/hand", json={}).json()["items"][0]["fields"][0]
        (tmp_path / "w" / "files").mkdir()
        (tmp_path / "w" / "files" / "scan.png").write_bytes(b"\x89PNG\r\n\x1a\n and more")
        assert web.post("/label/hand", json={}).json()["items"][0]["fields"][0]["file"]
