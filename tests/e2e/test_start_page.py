"""From a file to a report by somebody who never sees a terminal; on a desktop and on a phone."""

import json
import struct
import zipfile
import zlib

import pytest
from navigation import follow

from assaymark.project.folder import Project
from worlds_on_disk import write_world

axe = pytest.importorskip("axe_playwright_python.sync_playwright")
DESKTOP, PHONE = {"width": 1280, "height": 860}, {"width": 390, "height": 780}
WIDE = """() => document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll("*")]
  .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
  .map((one) => `wider than the screen: ${one.outerHTML.slice(0, 100)}`)"""
SAVED = "() => document.querySelector('#saved').textContent === 'saved ✓'"


def faults(page) -> list[str]:
    """What axe finds, and whether the page is wider than the screen."""
    found = [
        f"{v['id']}: {v['nodes'][0]['html'][:120]}"
        for v in axe.Axe().run(page).response["violations"]
    ]
    return found + page.evaluate(WIDE)


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_from_a_file_to_a_report_without_a_terminal(
    serve, enter, assaymark, tmp_path, size
) -> None:
    world = write_world(tmp_path / "scores.csv", items=1200)
    home = tmp_path / "served"
    home.mkdir()
    theme = "dark" if size is PHONE else "light"
    with serve(home) as server:
        page = enter(server, "Ann", viewport=size, color_scheme=theme, accept_downloads=True)
        page.wait_for_selector("#upload")
        assert faults(page) == []
        page.set_input_files("#file", world.path)
        page.click("#upload button")
        page.wait_for_selector("#findings .fine")
        assert page.locator(".preview tbody tr").count() == 10
        assert faults(page) == []
        page.check("input[name=purpose][value=triage]")
        page.select_option("#score", "")
        page.wait_for_selector("#go:disabled")  # nothing begins that is refused
        page.select_option("#score", "score")
        page.check("input[name=purpose][value=prove]")
        page.wait_for_selector("#go:not(:disabled)")
        page.fill("#title", "Refunds")
        page.click("#go")
        page.wait_for_url("**/p/refunds/plan")
        page.select_option("[name=metric]", "accuracy")
        held = []  # forecasts that take long
        page.route("**/plan/forecast", lambda route: held.append(route))
        page.fill("[name=target]", "75 %")
        assert page.is_disabled("#seal"), "the dialog would repeat the forecast of another claim"
        page.unroute("**/plan/forecast")
        for route in held:
            route.continue_()
        page.wait_for_selector("#cost input[value=fixed]:not([disabled])")
        page.wait_for_function("() => !document.querySelector('#cost[aria-busy]')")
        page.check("#cost input[value=fixed]")
        page.click("#seal")
        assert "Accuracy is at least 75 %" in page.text_content("#sealing-claim")
        assert faults(page) == []
        page.click("#sealing button[value=yes]")
        page.wait_for_url("**/watch")
        # the server draws the items of the plan by itself, and the page shows it by itself
        page.wait_for_selector("a:has-text('waiting')")
        page.wait_for_function("() => !document.querySelector('#to-draw:not([hidden]) .primary')")
        follow(page, "nav >> text=Label")
        state = Project(folder=home / "refunds").state()
        for _ in state.attempt.order:
            page.wait_for_selector("#item [data-text]")
            item = page.text_content("#item-id")
            answer = "relevant" if world.truth[item] else "not"
            if size is PHONE:
                page.click(f"[data-answer={answer}]")
            else:
                page.keyboard.press("j" if answer == "relevant" else "f")
            page.wait_for_function(
                f"() => document.querySelector('#item-id').textContent !== {json.dumps(item)}"
            )
            page.wait_for_function(SAVED)
        page.wait_for_selector("#done h2")
        follow(page, "nav >> text=Progress")
        page.click("text=Issue the certificate")
        page.wait_for_selector("text=Download the certificate")
        assert faults(page) == []
        with page.expect_download() as report:
            page.click("text=Report as HTML")
        report.value.save_as(tmp_path / "report.html")
        follow(page, "nav >> text=Projects")
        page.wait_for_selector("text=certified")
        assert page.faults == []
    assert "Refunds" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert (
        assaymark("verify", home / "refunds" / "certificate.json", "-p", home / "refunds").code == 0
    )


def small_png() -> bytes:
    """Two by two pixels."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        body = kind + content
        return struct.pack(">I", len(content)) + body + struct.pack(">I", zlib.crc32(body))

    rows = zlib.compress(b"\x00\xff\x00\x00\x00\xff\x00" * 2)
    head = struct.pack(">IIBBBBB", 2, 2, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def test_pictures_are_uploaded_beside_the_table_and_later(serve, enter, tmp_path) -> None:
    rows = [{"id": f"d{n}", "score": n / 30, "scan": f"scans/{n % 3}.png"} for n in range(30)]
    (tmp_path / "scans.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for name in ("0.png", "1.png", "2.png"):
        (tmp_path / name).write_bytes(small_png())
    (tmp_path / "fake.png").write_text("<svg onload=alert(1)>")
    home = tmp_path / "served"
    home.mkdir()
    with serve(home) as server:
        page = enter(server, "Ann", viewport=DESKTOP)
        page.set_input_files("#file", tmp_path / "scans.jsonl")
        page.click("#upload button")
        page.wait_for_selector(
            "#attach-findings >> text=3 of 3 files that the table names are missing"
        )
        page.set_input_files("#attach-files", [tmp_path / "0.png", tmp_path / "fake.png"])
        page.click("#attach-send")
        page.wait_for_selector("#attach-told >> text=fake.png: it is no picture or PDF")
        page.wait_for_selector(
            "#attach-findings >> text=2 of 3 files that the table names are missing"
        )
        assert faults(page) == []
        page.check("input[name=purpose][value=estimate]")
        page.fill("#estimate-budget", "20")
        page.click("#go")
        page.wait_for_url("**/p/scans/watch")
        follow(page, "nav >> text=Items")
        page.click("a.button >> text=Pictures and PDFs")
        page.wait_for_selector("#attach-findings >> text=2 of 3 files")
        assert faults(page) == []
        with zipfile.ZipFile(tmp_path / "rest.zip", "w") as archive:
            for name in ("1.png", "2.png"):
                archive.write(tmp_path / name, f"scans/{name}")
        page.set_input_files("#attach-files", tmp_path / "rest.zip")
        page.click("#attach-send")
        page.wait_for_selector(
            "#attach-findings >> text=All 3 files that the table names are here."
        )
        follow(page, "nav >> text=Label")
        page.wait_for_function("() => document.querySelector('#item img')?.naturalWidth === 2")
        assert page.faults == []


def test_items_of_a_lead_who_looked_at_label_and_left_are_free_at_once(
    serve, enter, assaymark, project
) -> None:
    plan = ["accuracy >= 0.7", "--mode", "fixed", "--budget", 2, "--seed", "s"]
    assert assaymark("plan", *plan, "-p", project).code == 0
    assert assaymark("draw", "-p", project).code == 0
    with serve(project) as server:
        lead = enter(server, "Ann")
        follow(lead, "nav >> text=Label")
        lead.wait_for_selector("#item [data-text]")
        page = enter(server, "kim", role="annotator")
        page.wait_for_selector("#done h2")
        assert page.is_hidden("#deck")
        follow(lead, "nav >> text=Progress")
        page.wait_for_selector("#item [data-text]")  # the empty page goes on by itself
        assert lead.faults + page.faults == []


def test_labelling_has_no_traps(serve, enter, assaymark, project, world) -> None:
    plan = ["accuracy >= 0.7", "--mode", "fixed", "--budget", 30, "--seed", "s"]
    assert assaymark("plan", *plan, "-p", project).code == 0
    with serve(
        project, "--auto-draw"
    ) as server:  # the first items are drawn without anybody asking
        page = enter(server, "kim", role="annotator")
        page.wait_for_url("**/label")
        page.wait_for_selector("#item [data-text]")
        item = page.text_content("#item-id")
        page.keyboard.press("Space")
        page.keyboard.press("?")
        assert page.is_visible("#keys")
        page.keyboard.press("j")  # not while the keys are shown
        page.keyboard.press("Escape")
        assert page.text_content("#item-id") == item
        left, right = (
            page.locator(f"[data-answer={name}]").bounding_box() for name in ("not", "relevant")
        )
        assert left["x"] < right["x"]
        page.fill("#find", "text, comma")
        page.keyboard.press("Enter")
        assert page.locator("#item mark").count() == 2
        at = page.locator("[data-answer=not]").bounding_box()
        find = page.locator("#find").bounding_box()
        page.keyboard.press("x")
        page.wait_for_function(SAVED)
        assert page.locator("#find").bounding_box() == find
        assert page.locator("#item mark").count() == 2  # kept on the next item
        page.keyboard.press("u")
        page.wait_for_selector("#going-back:not([hidden])")
        assert page.locator("[data-answer=not]").bounding_box() == at  # nothing jumps
        page.keyboard.press("c")
        assert page.locator("[data-answer=not]").bounding_box() == at
        page.keyboard.press("c")
        page.keyboard.press("f")
        page.wait_for_function(SAVED)
        assert page.faults == []
    state = Project(folder=project).state()
    assert state.answers[item] == {"kim": 0}
    assert state.attempt.looks == []
