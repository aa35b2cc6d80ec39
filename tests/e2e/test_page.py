"""The page in real Chromium: by keyboard to a certificate, and whatever goes wrong on the way."""

import csv
import json

import pytest
from navigation import PATIENCE, follow

from assaymark.ledger.events import Remark
from assaymark.project.folder import Project
from assaymark.project.users import add_user

axe = pytest.importorskip("axe_playwright_python.sync_playwright")
READY = "() => document.querySelector('#item [data-text], #item p') && !document.querySelector('#deck').hidden"


def shown(page) -> str:
    page.wait_for_function(READY)
    return page.text_content("#item-id")


def label(page, truth: dict[str, int]) -> str:
    """One item by keyboard, by the truth; back when the page says that it is saved."""
    item = shown(page)
    page.keyboard.press("j" if truth[item] else "f")
    page.wait_for_function("() => document.querySelector('#saved').textContent === 'saved ✓'")
    page.wait_for_function(
        f"() => document.querySelector('#item-id').textContent !== {json.dumps(item)}"
    )
    return item


@pytest.fixture
def thirty(assaymark, project):
    """A plan of thirty draws, drawn."""
    plan = ["accuracy >= 0.7", "--mode", "fixed", "--budget", 30, "--seed", "s"]
    assert assaymark("plan", *plan, "-p", project).code == 0
    assert assaymark("draw", "-p", project).code == 0
    return project


def test_thirty_items_by_keyboard_to_a_certificate(
    serve, enter, thirty, world, assaymark, tmp_path
) -> None:
    with serve(thirty) as server:
        page = enter(server)
        page.wait_for_selector("h1.verdict")
        assert "Too early to look" in page.text_content("h1.verdict")
        assert (
            page.query_selector("path.bound") is None
        )  # a fixed plan shows no bound before its size
        follow(page, "nav >> text=Label")
        items = len(Project(folder=thirty).state().attempt.order)
        for _ in range(items):
            label(page, world.truth)
        page.wait_for_selector("#done h2")
        assert page.text_content("#done h2") == "All items are labelled"
        follow(page, "nav >> text=Progress")
        assert page.text_content("h1.verdict strong") == "Established."
        page.click("text=Issue the certificate")
        with page.expect_download() as download:
            page.click("text=Download the certificate")
        mine = tmp_path / "mine.json"
        download.value.save_as(mine)
        assert page.faults == []
    theirs = tmp_path / "theirs.json"
    assert assaymark("certify", "-o", theirs, "-p", thirty).code == 0
    assert theirs.read_bytes() == mine.read_bytes()
    assert assaymark("verify", mine, "-p", thirty).code == 0


def test_undo_goes_back_and_the_change_is_a_correction(serve, browser, thirty, world) -> None:
    with serve(thirty, "--annotator", "kim") as server:
        page = browser.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(server.links["lead"])  # with --annotator nobody is asked for a name
        follow(page, "nav >> text=Label")
        first, second = label(page, world.truth), label(page, world.truth)
        third = shown(page)
        for expected in (second, first):
            page.keyboard.press("u")
            page.wait_for_function(
                f"() => document.querySelector('#item-id').textContent === '{expected}'"
            )
        assert "You answered" in page.text_content("#going-back")
        page.keyboard.press("f" if world.truth[first] else "j")
        page.wait_for_function(
            f"() => document.querySelector('#item-id').textContent === '{third}'"
        )
        page.wait_for_function("() => document.querySelector('#saved').textContent === 'saved ✓'")
        page.keyboard.press("n")
        page.fill("#note", "a remark")
        page.keyboard.press("Escape")
        page.keyboard.press("x")
        page.wait_for_function(
            f"() => document.querySelector('#item-id').textContent !== '{third}'"
        )
        page.wait_for_function("() => document.querySelector('#saved').textContent === 'saved ✓'")
    state = Project(folder=thirty).state()
    assert [(one.event.item, one.event.after) for one in state.corrections] == [
        (first, 1 - world.truth[first])
    ]
    assert state.answers[third] == {"kim": None}
    assert state.notes[third] == [Remark(annotator="kim", text="a remark")]


def test_two_annotators_differ_and_a_lead_decides(serve, enter, thirty, world) -> None:
    with serve(thirty, "--twice", "1") as server:
        kim, lee = enter(server, "kim"), enter(server, "lee")
        kim.goto(f"{server.url}/label")
        lee.goto(f"{server.url}/label")
        item = shown(kim)
        assert shown(lee) == item  # every item is read twice here
        kim.keyboard.press("j")
        lee.keyboard.press("f")
        for page in (kim, lee):
            page.wait_for_function(
                "() => document.querySelector('#saved').textContent === 'saved ✓'"
            )
        lead = enter(server, "ann")
        follow(lead, "nav >> text=Conflicts")
        assert lead.text_content(".id") == item
        said = lead.locator(".said .tag").all_text_contents()
        assert said == ["Relevant", "Not relevant"]
        assert "kim" not in lead.text_content("main")
        lead.keyboard.press("f")
        lead.wait_for_selector("text=Nothing to decide")
        assert kim.faults + lee.faults + lead.faults == []
    state = Project(folder=thirty).state()
    assert state.answers[item] == {"kim": 1, "lee": 0}
    assert state.decided == {item: 0}


def test_the_server_dies_and_comes_back_while_somebody_labels(serve, enter, thirty, world) -> None:
    with serve(thirty) as server:
        page = enter(server)
        page.goto(f"{server.url}/label")
        label(page, world.truth)
        item = shown(page)
        server.kill()
        page.keyboard.press("j")
        page.wait_for_function(
            "() => document.querySelector('#saved').textContent.startsWith('Not saved')"
        )
        assert page.is_disabled("[data-answer=relevant]")
        assert item not in Project(folder=thirty).state().answers
        server.start()
        page.wait_for_function("() => document.querySelector('#saved').textContent === 'saved ✓'")
        assert Project(folder=thirty).state().answers[item] == {"kim": 1}
        assert not page.is_disabled("[data-answer=relevant]")
        label(page, world.truth)


HOSTILE = [
    "<script>window.hit = 1; alert(1)</script>",
    "<img src=x onerror='window.hit = 1'><svg onload='window.hit = 1'>",
    "</article></main><form action='https://evil.example'><input name=q></form>",
    "{{ 7*7 }} {% raw %} javascript:alert(1)",
    "before \x00\x1b[2J \u202egnp.exe\u202c after",
    "שלום! קרא את זה מימין לשמאל, then English.",
    "",
    "https://evil.example/pixel.png ![x](https://evil.example/p.png)",
    "long " * 400_000,
]


def test_hostile_documents_do_nothing(serve, enter, assaymark, tmp_path) -> None:
    with (tmp_path / "h.jsonl").open("w") as stream:
        for number, text in enumerate(HOSTILE):
            row = {
                "key": f"<b>{number}</b>",
                "score": (number + 1) / 10,
                "subject": text[:80],
                "body": text,
            }
            stream.write(json.dumps(row) + "\n")
    folder = tmp_path / "w"
    made = assaymark("init", folder, "--pool", tmp_path / "h.jsonl", "--id", "key", "--score", "score",
                 "--threshold", 0.5, "--text", "subject", "--text", "body")  # fmt: skip
    assert made.code == 0, made.err
    assaymark("plan", "accuracy >= 0.5", "--mode", "fixed", "--budget", 9, "-p", folder)
    assaymark("draw", "-p", folder)
    seen = []
    with serve(folder, "--twice", "1") as server:
        page, other = enter(server), enter(server, "lee")
        for reader, key in ((page, "j"), (other, "f")):
            reader.goto(f"{server.url}/label")
            for _ in HOSTILE:
                item = shown(reader)
                seen.append(reader.locator("#item [data-text]").all_text_contents())
                if reader is page:
                    reader.fill("#find", "o")
                    reader.keyboard.press("Escape")
                reader.keyboard.press(key)
                reader.wait_for_function(
                    "() => document.querySelector('#saved').textContent === 'saved ✓'"
                )
                reader.wait_for_function(
                    f"() => document.querySelector('#item-id').textContent !== {json.dumps(item)}"
                )
            assert reader.evaluate("() => window.hit ?? null") is None
        for _ in HOSTILE:
            page.goto(f"{server.url}/decide")
            page.click("[value=not]")
        page.goto(f"{server.url}/watch")
        assert page.evaluate("() => window.hit ?? null") is None
        assert page.faults + other.faults == []
    texts = {text for fields in seen for text in fields}
    assert HOSTILE[0] in texts
    assert any(text.startswith("long long") for text in texts)
    assert "before ␀␛[2J ⟨U+202E⟩gnp.exe⟨U+202C⟩ after" in texts


PAGES = ("label", "watch", "decide", "plan", "items", "connect", "read", "enter", "nowhere")


BEYOND = """() => document.documentElement.scrollWidth > innerWidth || [...document.querySelectorAll("svg.chart text")]
    .some((text) => text.getClientRects().length && text.getBoundingClientRect().right > innerWidth)"""


def test_every_page_is_accessible_in_light_and_dark_and_fits_a_phone(
    serve, enter, assaymark, project, world, tmp_path
) -> None:
    assaymark("plan", "f1 >= 0.8", "--seed", "s", "-p", project)
    drawn = assaymark("draw", 60, "-o", tmp_path / "b.csv", "-p", project, "--json").json["items"]
    for name, part in (("kim", drawn[:40]), ("lee", drawn[:10])):
        with (tmp_path / f"{name}.csv").open("w", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(["id", "label"])
            flips = {part[0]} if name == "lee" else set()
            writer.writerows([i, world.truth[i] ^ (i in flips)] for i in part)
        assert (
            assaymark("label", tmp_path / f"{name}.csv", "--annotator", name, "-p", project).code
            == 0
        )
    found = {}
    with serve(project) as server:
        for theme in ("light", "dark"):
            page = enter(server, color_scheme=theme, viewport={"width": 390, "height": 780})
            for name in PAGES:
                page.goto(f"{server.url}/{name}")
                page.wait_for_load_state("networkidle")
                result = axe.Axe().run(page)
                faults = [
                    f"{v['id']}: {v['nodes'][0]['html'][:120]}"
                    for v in result.response["violations"]
                ]
                wide = page.evaluate(BEYOND)
                if faults or wide:
                    found[theme, name] = [*faults, *(["wider than a phone"] if wide else [])]
            page.goto(f"{server.url}/label")
            shown(page)
            box = page.locator("[data-answer=relevant]").bounding_box()
            assert box["y"] + box["height"] <= 780
            assert box["height"] >= 44
        page.goto(f"{server.url}/watch")
        assert "do not count yet" in page.text_content("#verdict")
        page.click("text=Draw the next items")  # a conflict holds up the labels that choose them
        page.wait_for_selector("text=No more items can be drawn yet")
        found["question"] = [v["id"] for v in axe.Axe().run(page).response["violations"]]
        page.goto(f"{server.url}/watch")
        page.evaluate("() => { document.getElementById('verdict').dataset.drawn -= 5; }")
        page.wait_for_selector("#news:has-text('5 more items were drawn')")
    assert found == {"question": []}


def test_a_link_with_a_token_signs_in_and_leaves_no_trace(serve, browser, thirty) -> None:
    token = add_user(thirty, "kim", "annotator").token
    with serve(thirty) as server:
        context = browser.new_context()
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{server.url}/enter#{token}")
        page.wait_for_url("**/label")
        assert not any(token in url for url in asked[1:])
        assert token not in page.url
        assert page.evaluate("() => document.cookie") == ""
        page.go_back()
        assert token not in page.url
        context.close()


def test_a_reviewer_labels_under_a_prefix_and_the_link_leaves_no_trace(
    serve, enter, thirty, world
) -> None:
    with serve(thirty, "--root-path", "/deep/labels") as server:
        page = enter(server, role="annotator")
        page.wait_for_url("**/deep/labels/label")
        assert "token" not in page.url
        label(page, world.truth)
        assert page.query_selector("nav >> text=Progress") is None
        page.click(".menu summary")
        assert "(reviewer)" in page.text_content(".sheet")
        page.keyboard.press("Escape")
        assert page.is_hidden("text=Sign out")
        page.click(".menu summary")
        page.click("text=Sign out")
        page.wait_for_url("**/deep/labels/enter")
        assert "Open the link" in page.text_content("main")
        assert page.faults == []
