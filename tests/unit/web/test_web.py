"""Every safety rule of the page, and that what it records is what the command line would."""

import importlib
import inspect
import json
import re
import subprocess
import sys
import time
import warnings

import pytest

with warnings.catch_warnings():  # it asks for another name of the same library
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

from assaymark.labelling.settings import Settings, read_settings, write_settings
from assaymark.project.folder import Project
from assaymark.project.users import add_user, read_users, remove_user
from assaymark.web.access.guard import LARGEST, POLICY
from assaymark.web.app import ROUTES, Options, make_app
from assaymark.web.display import visible
from worlds_on_disk import write_labels, write_world

JSON = {"accept": "application/json"}
LINKS = {"lead": "the-lead-s-secret", "annotator": "the-reviewers-secret"}


def client(folder, *, clock=time.time, **options) -> TestClient:
    app = make_app(Project(folder=folder), Options(**{"links": LINKS, **options}), clock=clock)
    return TestClient(app, base_url="http://127.0.0.1:8765", follow_redirects=True)


def standing(moment: float):
    """A clock that stands still: failures are not forgiven while a busy machine takes its time."""
    return lambda: moment


def mark_of(page) -> str:
    return re.search(r'assaymark-token" content="(\w*)"', page.text).group(1)


def signed(folder, name="kim", role="lead", **options) -> TestClient:
    """A browser that has signed in by a link, and sends the mark along as the page's script does."""
    found = client(folder, **options)
    found.post("/enter", data={"token": LINKS[role], "name": name}, follow_redirects=False)
    found.headers.update({"x-assaymark-token": mark_of(found.get("/label")), **JSON})
    return found


def answer(web, item, word="relevant", **more):
    asked = {"item": item["id"], "ticket": item["ticket"], "answer": word, **more}
    return web.post("/label/answer", json=asked)


def test_an_answer_is_recorded_and_the_next_item_comes_with_it(drawn) -> None:
    with signed(drawn) as web:
        items = web.post("/label/hand", json={}).json()["items"]
        found = answer(web, items[0], seconds=4.24, note="why", keep=items[1:]).json()
    assert found["saved"] is True
    assert found["outcome"] == "recorded"
    assert found["items"][0]["id"] == items[1]["id"]
    last = Project(folder=drawn).ledger.entries()[-1]
    expected = {
        "item": items[0]["id"],
        "value": 1,
        "annotator": "kim",
        "seconds": 4.2,
        "note": "why",
    }
    assert json.loads(last.body) == expected


def test_nothing_that_is_sent_gives_the_prediction_away(drawn) -> None:
    with signed(drawn) as web:
        found = web.post("/label/hand", json={}).json()
    assert set(found["items"][0]) == {"id", "ticket", "name", "fields"}
    assert [field["name"] for field in found["items"][0]["fields"]] == ["body"]
    assert not re.search(r"score|prediction|stratum|threshold", json.dumps(found))


def test_every_answer_carries_the_safety_headers(drawn) -> None:
    with signed(drawn) as web:
        for path in ("/label", "/watch", "/plan", "/decide", "/read", "/enter", "/nowhere"):
            found = web.get(path, headers={"accept": "text/html"})
            assert found.headers["content-security-policy"] == POLICY
            assert found.headers["x-content-type-options"] == "nosniff"
            assert found.headers["x-frame-options"] == "DENY"
            assert found.headers["cache-control"] == "no-store"
            assert not re.search(r"<script(?![^>]*\bsrc=)|\son\w+=|\sstyle=", found.text), path
    assert "unsafe" not in POLICY


def test_only_known_names_are_answered(drawn) -> None:
    hosts = {"evil.example": 421, "127.0.0.1.evil.example": 421, "": 421, "localhost:8765": 200,
             "127.0.0.1": 200, "[::1]:8765": 200, "labels.example:80": 200}  # fmt: skip
    with client(drawn, hosts=("labels.example",)) as web:
        found = {host: web.get("/enter", headers={"host": host}).status_code for host in hosts}
    assert found == hosts


def test_a_form_from_another_site_is_refused(drawn) -> None:
    with signed(drawn) as web:
        item = web.post("/label/hand", json={}).json()["items"][0]
        asked = {"item": item["id"], "ticket": item["ticket"], "answer": "not"}
        foreign = {"origin": "https://evil.example"}
        assert web.post("/label/answer", json=asked, headers=foreign).status_code == 403
        crossed = {"sec-fetch-site": "cross-site"}
        assert web.post("/label/answer", json=asked, headers=crossed).status_code == 403
        del web.headers["x-assaymark-token"]
        assert web.post("/label/answer", json=asked).status_code == 403
        assert (
            web.post(
                "/label/answer", json=asked, headers={"x-assaymark-token": "0" * 64}
            ).status_code
            == 403
        )
        assert web.post("/watch/draw", data={"mark": "0" * 64}).status_code == 403
    assert Project(folder=drawn).state().answers == {}


def test_only_items_in_hand_can_be_answered(drawn) -> None:
    with signed(drawn) as web, signed(drawn, name="lee") as other:
        item = web.post("/label/hand", json={}).json()["items"][0]
        found = answer(other, item)
        assert found.status_code == 409
        assert found.json()["error"] == "This item was not handed to you. Reload the page."
        assert answer(web, {**item, "id": "../../etc/passwd"}).status_code == 409


def test_a_restart_in_the_middle_costs_nobody_anything(drawn) -> None:
    with signed(drawn) as web:
        item = web.post("/label/hand", json={}).json()["items"][0]
        cookies, headers = dict(web.cookies), dict(web.headers)
    with client(drawn) as again:
        again.cookies.update(cookies)
        again.headers.update(headers)
        assert answer(again, item).json()["outcome"] == "recorded"
        assert answer(again, item).json()["outcome"] == "unchanged"
    assert Project(folder=drawn).state().answers[item["id"]] == {"kim": 1}


def test_malformed_requests_are_refused_in_one_sentence(drawn) -> None:
    bad = ({}, {"item": 3, "answer": "not"}, {"item": "doc-00001", "answer": "maybe"}, [], "x",
           {"item": "doc-00001", "answer": "not", "keep": "all"},
           {"item": "doc-00001", "answer": ["not"]})  # fmt: skip
    with signed(drawn) as web:
        for asked in bad:
            found = web.post("/label/answer", json=asked)
            assert found.status_code in (400, 409)
            assert found.json()["error"].endswith(".")


def test_size_is_limited(drawn) -> None:
    with signed(drawn) as web:
        assert web.post("/label/hand", content=b"x" * (LARGEST + 1)).status_code == 413

        typed = {"content-type": "application/json"}

        def endless():
            for _ in range(40):
                yield b"y" * 10_000

        assert web.post("/label/hand", content=endless(), headers=typed).status_code == 413
        long = web.post("/label/hand", json={}).json()["items"][0]
        assert answer(web, long, note="n" * 2001).status_code == 400


def test_paths_reach_no_file(drawn) -> None:
    with client(drawn) as web:
        for path in ("/static/x/../../users.json", "/static/x/%2e%2e%2fserve.key", "/static/x/label.html",
                     "/read/report.exe", "/ledger.sqlite", "/static/x/page.css/.."):  # fmt: skip
            found = web.get(path, headers={"accept": "text/html"})
            assert found.status_code == 404 or found.url.path == "/enter"
        assert web.get("/static/any/page.css").headers["cache-control"].endswith("immutable")


def test_tokens_roles_and_removal(drawn) -> None:
    tokens = {role: add_user(drawn, role, role).token for role in ("annotator", "lead", "reader")}
    stored = (drawn / "users.json").read_text()
    assert not any(token in stored for token in tokens.values())
    assert (drawn / "users.json").stat().st_mode & 0o077 == 0
    assert (drawn / "users.json").exists()
    may = {
        "annotator": {"/label": 200, "/watch": 403, "/plan": 403, "/decide": 403, "/read": 403},
        "lead": {"/label": 200, "/watch": 200, "/plan": 200, "/decide": 200, "/read": 200},
        "reader": {"/label": 403, "/watch": 403, "/plan": 403, "/decide": 403, "/read": 200},
    }
    for role, pages in may.items():
        with client(drawn) as web:
            assert web.get("/label").url.path == "/enter"
            assert web.post("/enter", data={"name": "kim"}).status_code == 403
            assert web.post("/enter", data={"token": "wrong"}).status_code == 403
            entered = web.post("/enter", data={"token": tokens[role]}, follow_redirects=False)
            cookie = entered.headers["set-cookie"]
            assert "HttpOnly" in cookie
            assert "SameSite=strict" in cookie
            assert tokens[role] not in cookie + entered.headers["location"]
            found = {path: web.get(path).status_code for path in pages}
            assert found == pages, role
            remove_user(drawn, role)
            assert web.get("/read").url.path == "/enter"
            add_user(drawn, role, role)  # a new token ends the sessions of the old one
            assert web.get("/read").url.path == "/enter"
    (drawn / "users.json").unlink()
    assert read_users(drawn) == ()


def test_forged_and_old_cookies_are_nobodys(drawn) -> None:
    now = [1_000_000.0]
    app = make_app(Project(folder=drawn), Options(links=LINKS), clock=lambda: now[0])
    with TestClient(app, base_url="http://localhost", follow_redirects=True) as web:
        web.post("/enter", data={"token": LINKS["lead"], "name": "kim"})
        assert web.get("/label").url.path == "/label"
        [(cookie, good)] = web.cookies.items()
        now[0] += 8 * 24 * 3600
        assert web.get("/label").url.path == "/enter"
        now[0] -= 8 * 24 * 3600
        for forged in ("", "x", "x.y", good[:-1] + ("0" if good[-1] != "0" else "1"), "." + good):
            web.cookies.set(cookie, forged, domain="localhost.local")
            assert web.get("/label").url.path == "/enter"


def test_signing_in_cannot_be_guessed_at_speed(drawn) -> None:
    add_user(drawn, "kim", "lead")
    with client(drawn, clock=standing(time.time())) as web:
        codes = [web.post("/enter", data={"token": str(n)}).status_code for n in range(12)]
    assert codes == [403] * 10 + [429] * 2


def test_another_host_needs_users(assaymark, drawn) -> None:
    for options in (
        ["--host", "0.0.0.0"],
        ["--host", "10.0.0.1"],
        ["--allow-host", "labels.example"],
    ):
        found = assaymark("serve", *options, "-p", drawn)
        assert found.code == 2
        assert "nobody is named who may" in found.err
        assert "assaymark users add NAME --role lead" in found.err


def test_users_on_the_command_line(assaymark, drawn) -> None:
    made = assaymark("users", "add", "kim", "--role", "annotator", "-p", drawn, "--json").json
    assert made["link"].endswith(f"/enter#{made['token']}")
    assert assaymark("users", "list", "-p", drawn, "--json").json == {
        "users": [{"name": "kim", "role": "annotator"}]
    }
    assert assaymark("users", "remove", "lee", "-p", drawn).code == 2
    assert assaymark("users", "remove", "kim", "-p", drawn).code == 0
    assert assaymark("users", "add", "\x00", "--role", "lead", "-p", drawn).code == 2
    assert assaymark("serve", "--annotator", "x" * 70, "-p", drawn).code == 2


def test_the_certificate_equals_the_command_lines(assaymark, project, world, tmp_path) -> None:
    assaymark("plan", "f1 >= 0.5", "--seed", "s", "-p", project)
    with signed(project, auto_draw=True) as web:
        mark = web.headers["x-assaymark-token"]
        web.post("/watch/draw", data={"mark": mark})
        for _ in range(2000):
            items = web.post("/label/hand", json={}).json()["items"]
            if not items:
                break
            for item in items:
                answer(web, item, "relevant" if world.truth[item["id"]] else "not")
            if "Established" in web.get("/watch", headers={"accept": "text/html"}).text:
                break
        result = web.get("/read", headers={"accept": "text/html"}).text
        assert "The certificate is not issued yet." in result
        assert "Not yet" not in result
        page = web.post("/watch/certify", data={"mark": mark}, headers={"accept": "text/html"})
        assert page.url.path == "/read"
        downloaded = web.get("/read/certificate.json").content
    assert downloaded == (project / "certificate.json").read_bytes()
    again = tmp_path / "again.json"
    assert assaymark("certify", "-o", again, "-p", project).code == 0
    assert again.read_bytes() == downloaded
    assert assaymark("verify", again, "-p", project).code == 0


def test_the_dashboard_speaks_the_names_of_the_project(labelled) -> None:
    settings = Settings(relevant="Refund", not_relevant="Not a refund")
    write_settings(labelled, settings)
    with signed(labelled) as web:
        pages = [
            web.get(path, headers={"accept": "text/html"}).text
            for path in ("/watch", "/watch/numbers", "/watch/doubt", "/items")
        ]
    words = [re.sub(r"<script.*?</script>|<[^>]+>", " ", page, flags=re.DOTALL) for page in pages]
    assert [re.findall(r".{40}\brelevant\b.{20}", page) for page in words] == [[], [], [], []]
    assert "predicted “Refund”" in words[0]
    assert "“Refund” items that the classifier found" in words[1]
    assert "“Refund”" in words[2]


def test_strata_without_scores_have_no_empty_column(drawn, assaymark) -> None:
    with signed(drawn) as web:
        page = web.get("/watch", headers={"accept": "text/html"}).text
        assert '<th scope="col">Scores</th>' in page
    assert assaymark("plan", "--abandon", "x", "-p", drawn).code == 0
    plan = ["accuracy >= 0.7", "--mode", "budget", "--expect", 0.85]
    assert assaymark("plan", *plan, "-p", drawn).code == 0
    assert assaymark("draw", 5, "-p", drawn).code == 0
    with signed(drawn) as web:
        page = web.get("/watch", headers={"accept": "text/html"}).text
        assert "Where the labels went" in page
        assert '<th scope="col">Scores</th>' not in page


def test_drawing_by_itself_records_no_look_while_nothing_more_counts(drawn) -> None:
    with signed(drawn, auto_draw=True) as web:
        first, *items = web.post("/label/hand", json={}).json()["items"]
        for _ in range(15):  # the first drawn item is held up, so no label counts
            found = answer(web, items[0], keep=[first, *items[1:]]).json()
            items = [*items[1:], *(one for one in found["items"] if one["id"] != first["id"])]
            items = list({one["id"]: one for one in items}.values())
        web.get("/label", headers={"accept": "text/html"})
    assert Project(folder=drawn).state().attempt.looks == []


@pytest.mark.parametrize("asked", [None, True, False])
def test_who_draws_is_what_the_plan_page_shows(asked, project) -> None:
    """The box was never ticked, and the server drew all the same."""
    with signed(project, auto_draw=asked) as web:

        def box() -> str:
            page = web.get("/plan", headers={"accept": "text/html"}).text
            return re.search(r'<input[^>]*name="auto_draw"[^>]*>', page)[0]

        assert ("checked" in box()) is (asked is not False)
        assert ("disabled" in box()) is (asked is not None)
        form = {"relevant": "Yes", "not_relevant": "No", "cannot_tell": "?"}
        assert web.post("/plan/settings", data=form).status_code == 200
        assert ("checked" in box()) is (asked is True)
    assert read_settings(project).auto_draw is (asked is not None), (
        "what a server was started with is not kept"
    )


def test_plan_page_forecasts_seals_and_refuses_a_second_plan(project) -> None:
    with signed(project) as web:
        asked = {
            "metric": "f1",
            "target": "0.75",
            "confidence": "0.95",
            "precision": 0.9,
            "recall": 0.9,
        }
        found = web.post("/plan/forecast", json=asked).json()
        assert {row["mode"] for row in found["rows"]} == {
            "fixed",
            "budget",
            "anytime",
            "score-guided",
        }
        assert all(curve.startswith("<svg") for curve in found["curves"].values())
        assert set(found["curves"]) == {row["mode"] for row in found["rows"] if not row["reason"]}
        by_scores = {"metric": "f1", "target": 0.99, "confidence": 0.95}
        doubtful = web.post("/plan/forecast", json=by_scores).json()["sentence"]
        assert "looks false" in doubtful
        assert "“What you expect of …”" in doubtful  # the page's words, never the marks of a hint
        assert "⟦" not in doubtful
        assert web.post("/plan/forecast", json=by_scores).json()["looks_false"]
        for target, sentence in (
            ("much", "The target must be a number, got “much”."),
            ("100 %", "The target must lie above 0 and below 1 (100 %)."),
        ):
            wrong = web.post("/plan/forecast", json={**asked, "target": target})
            assert wrong.json() == {"error": sentence, "field": "target"}
        nothing = web.post("/plan/forecast", json={**asked, "precision": "0"}).json()
        assert nothing["error"].startswith("Expect a precision above 0")
        assert "error" in web.post("/plan/forecast", json={**asked, "metric": "<b>"}).json()
        form = {
            "mark": web.headers["x-assaymark-token"],
            "mode": "score-guided",
            "metric": "f1",
            "target": "0.75",
        }
        assert web.post("/plan/seal", data=form).json() == {"where": "/watch"}
        second = web.post("/plan/seal", data=form)
        assert second.status_code == 400
        assert "is still open" in second.json()["error"]
        settings = {
            "mark": form["mark"],
            "criteria": "<script>alert(1)</script>",
            "twice": "10",
            "cost": "2.5",
        }
        assert (
            web.post("/plan/settings", data=settings, headers={"accept": "text/html"}).status_code
            == 200
        )
        page = web.get("/label", headers={"accept": "text/html"}).text
        assert "&lt;script&gt;alert(1)" in page
        assert "<script>alert" not in page


def test_hidden_characters_are_shown_not_obeyed() -> None:
    assert visible("a\x00\x1b[31m\x7f\x9b") == "a␀␛[31m␡⟨U+009B⟩"
    assert visible("\u202eabc\u2066") == "⟨U+202E⟩abc⟨U+2066⟩"
    assert visible("line\r\nnext\ttab") == "line\nnext\ttab"
    assert visible("שלום עליכם 👩\u200d👧") == "שלום עליכם 👩\u200d👧"


def test_two_megabytes_of_text(assaymark, tmp_path) -> None:
    world = write_world(tmp_path / "p.csv", items=30)
    lines = world.path.read_text().splitlines()
    big = "x" * 2_000_000
    lines[1:] = [line.split(",")[0] + f",{line.split(',')[1]},{line.split(',')[2]},{big if n == 3 else ''}"
                 for n, line in enumerate(lines[1:])]  # fmt: skip
    world.path.write_text("\n".join(lines) + "\n")
    folder = tmp_path / "w"
    assert assaymark("init", folder, "--pool", world.path, "--id", "id", "--score", "score", "--threshold", 0.5,
                 "--text", "body").code == 0  # fmt: skip
    assaymark("plan", "f1 >= 0.8", "--mode", "fixed", "--budget", 30, "-p", folder)
    assaymark("draw", "-p", folder)
    with signed(folder) as web:
        sizes = []
        while items := web.post("/label/hand", json={}).json()["items"]:
            sizes.append(len(items[0]["fields"][0]["text"]))
            assert answer(web, items[0], "unclear").status_code == 200
    assert sorted(sizes) == [0] * (len(sizes) - 1) + [2_000_000]


def test_every_address_has_its_page() -> None:
    """Pages are loaded when somebody asks for them, so a wrong name would show only then."""
    later = [inspect.getclosurevars(route.endpoint).nonlocals for route in ROUTES]
    pages = [(found["module"], found["name"]) for found in later if "module" in found]
    assert len(pages) > 30
    for module, name in pages:
        assert callable(getattr(importlib.import_module(f"assaymark.web.{module}"), name))


def test_the_four_numbers_come_after_the_verdict(drawn) -> None:
    with signed(drawn, role="annotator", name="lee") as web:
        assert web.get("/watch/numbers").status_code == 403
    with signed(drawn) as web:
        items = web.post("/label/hand", json={}).json()["items"]
        assert answer(web, items[0]).json()["saved"]
        assert web.get("/watch", headers={"accept": "text/html"}).status_code == 200
        found = web.get("/watch/numbers", headers={"accept": "text/html"})
        assert re.findall("<h2>(.*?)</h2>", found.text) == [
            "Richness", "Recall", "Precision", "Elusion",
        ]  # fmt: skip
        assert "data-later" not in web.get("/watch", headers={"accept": "text/html"}).text


def test_no_page_waits_for_distributions_that_it_does_not_need() -> None:
    """scipy.stats takes half a second to load, and only walks over cut-offs ask for it."""
    pages = "import sys, assaymark.web.rooms as rooms; [rooms._enter(name) for name in rooms.ROOMS]"
    done = subprocess.run(
        [sys.executable, "-c", f"{pages}; print('scipy.stats' in sys.modules)"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == "False\n"


def test_the_plan_page_says_what_was_known_before_the_seal(assaymark, project, world, tmp_path):
    known = write_labels(tmp_path / "known.csv", dict(list(world.truth.items())[:40]))
    assert "40 known labels taken in" in assaymark("label", known, "--known", "-p", project).out
    assaymark("plan", "f1 >= 0.8", "--mode", "score-guided", "--anyway", "-p", project)
    with signed(project) as web:
        page = web.get("/plan", headers={"accept": "text/html"}).text
    assert "40 labels before the seal, counted as certain; draws come from the other items" in page
