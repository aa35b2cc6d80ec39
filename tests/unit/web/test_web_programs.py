"""Programs: tokens of their own, an interface that is described, hooks out and in."""

import hashlib
import hmac
import http.server
import json
import threading
from xml.etree import ElementTree

import pytest
from test_web import client, signed

from assaymark import certify_parts, compare, review
from assaymark.files.answers import ITEM
from assaymark.labelling.settings import Settings, write_settings
from assaymark.ledger.events import Attempt
from assaymark.overview.recorded import event_of, subject_of
from assaymark.project.connections import Hook, add_hook, add_program, remove_program
from assaymark.project.folder import Project
from assaymark.web.app import ROUTES
from assaymark.web.programs.connecting import choices
from assaymark.web.programs.description import CALLS, PREFIX
from assaymark.web.programs.hooks_out import already_sent, deliver


def program(folder, right="label"):
    web = client(folder)
    web.headers["authorization"] = f"Bearer {add_program(folder, 'bot', right)}"
    return web


class Ear:
    """A server on loopback that remembers what it was told, and answers what it is told to."""

    def __init__(self, answers=()) -> None:
        self.heard, self.answers = [], dict(answers)
        ear = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                ear.heard.append((self.path, dict(self.headers), body))
                self._answer()

            def do_GET(self) -> None:
                ear.heard.append((self.path, dict(self.headers), b""))
                self._answer()

            def _answer(self) -> None:
                status, found = ear.answers.get(self.path.split("?")[0], (200, {}))
                text = json.dumps(found).encode()
                self.send_response(status)
                if status == 302:
                    self.send_header("location", "/elsewhere")
                self.send_header("content-length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_args) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_args) -> None:
        self.server.shutdown()
        self.server.server_close()


def test_a_program_fetches_items_and_sends_labels(drawn) -> None:
    with program(drawn) as web:
        items = web.get("/api/v1/items?limit=5").json()["items"]
        assert len(items) == 5
        assert set(items[0]) == {"id", "fields"}
        assert set(items[0]["fields"]) == {"body"}
        labels = [{"id": one["id"], "label": 1, "annotator": "zoe"} for one in items[:2]]
        labels.append({"id": items[2]["id"], "label": None})
        found = web.post("/api/v1/labels", json={"labels": labels}).json()
        assert (found["recorded"], found["skipped"]) == (2, 1)
        changed = [{**labels[0], "label": 0}]
        assert web.post("/api/v1/labels", json={"labels": changed}).status_code == 400
        again = web.post("/api/v1/labels", json={"labels": changed, "correct": True})
        assert again.json()["corrected"] == 1
        status = web.get("/api/v1/status").json()
        assert (status["labelled"], status["looks"]) == (3, 0)
        assert web.post("/api/v1/draw", json={}).status_code == 403
        assert web.post("/api/v1/look", json={}).status_code == 403
    state = Project(folder=drawn).state()
    assert state.answers[items[0]["id"]] == {"zoe": 0}
    assert state.answers[items[2]["id"]] == {"bot": None}


@pytest.mark.parametrize(
    "labels",
    [None, [], "x", [{}], [{"id": 3}], [{"id": "a", "label": "maybe"}], [{"id": "a", "label": True}],
     [{"id": "a", "label": 1, "annotator": ""}], [{"id": "nobody-drew-this", "label": 1}]],
)  # fmt: skip
def test_bad_labels_are_refused_and_nothing_is_recorded(drawn, labels) -> None:
    with program(drawn) as web:
        assert web.post("/api/v1/labels", json={"labels": labels}).status_code == 400
    assert Project(folder=drawn).state().answers == {}


def test_without_a_token_or_after_its_end_nothing_is_answered(drawn) -> None:
    calls = [("get", "/status"), ("get", "/items"), ("post", "/labels"), ("post", "/draw"),
             ("post", "/look"), ("post", "/hooks/label-studio")]  # fmt: skip
    with program(drawn, "lead") as web:
        assert web.post("/api/v1/draw", json={"count": 5}).json() == {"drawn": 5, "warning": None}
        assert web.post("/api/v1/look", json={}).json()["tone"] == "not yet"
        remove_program(drawn, "bot")
        for method, path in calls:
            assert getattr(web, method)(f"/api/v1{path}").status_code == 401
    with signed(drawn) as web:  # the lead's cookie is no token
        assert web.get("/api/v1/status").status_code == 401


def test_the_description_names_every_call(drawn) -> None:
    served = {
        (route.path.removeprefix(PREFIX), method.lower())
        for route in ROUTES
        for method in route.methods - {"HEAD"}
        if route.path.startswith(PREFIX) and not route.path.endswith("openapi.json")
    }
    assert served == {(path, method) for path, calls in CALLS.items() for method in calls}
    with client(drawn) as web:
        assert web.get("/api/v1/openapi.json").json()["openapi"] == "3.1.0"


def event(item: str, choice: str, action="ANNOTATION_CREATED", **more):
    """The documented shape of an annotation event of Label Studio 1.x."""
    result = [
        {
            "from_name": "label",
            "to_name": "text-1",
            "type": "choices",
            "value": {"choices": [choice]},
        }
    ]
    annotation = {"id": 7, "completed_by": {"id": 1, "email": "zoe@example.org"}, "result": result,
                  "was_cancelled": False, "lead_time": 3.5, "created_at": "2026-01-01T10:00:00Z"}  # fmt: skip
    task = {"id": 3, "data": {ITEM: item, "body": "text"}, "project": 1}
    return {"action": action, "project": {"id": 1}, "task": task, "annotation": annotation | more}


def test_annotations_of_label_studio_come_in_as_labels(drawn) -> None:
    first, second = Project(folder=drawn).state().attempt.order[:2]
    with program(drawn) as web:
        hook = "/api/v1/hooks/label-studio"
        assert web.post(hook, json=event(first, "relevant")).json()["recorded"] == 1
        assert web.post(hook, json=event(first, "relevant")).json()["unchanged"] == 1  # sent twice
        update = event(first, "not relevant", "ANNOTATION_UPDATED")
        assert web.post(hook, json=update).json()["corrected"] == 1
        skipped = event(second, "relevant", was_cancelled=True)
        assert web.post(hook, json=skipped).json()["skipped"] == 1
        assert "ignored" in web.post(hook, json={"action": "PROJECT_UPDATED"}).json()
        for bad in ({"action": "ANNOTATION_CREATED"}, event("nobody-drew-this", "relevant"),
                    event(first, "perhaps", completed_by=9)):  # fmt: skip
            assert web.post(hook, json=bad).status_code == 400
    answers = Project(folder=drawn).state().answers
    assert answers == {first: {"zoe@example.org": 0}, second: {"zoe@example.org": None}}


def test_label_studio_becomes_the_front_end_by_four_calls(drawn) -> None:
    exported = [event("x", "relevant")["task"] | {"annotations": []}]
    answers = {"/api/projects/": (201, {"id": 5}), "/api/projects/5/import": (201, {"task_count": 20}),
               "/api/webhooks/": (201, {"id": 2}), "/api/projects/5/export": (200, exported)}  # fmt: skip
    with Ear(answers) as ear, signed(drawn) as web:
        asked = {"url": ear.url, "token": "secret", "back": "http://127.0.0.1:8765"}
        page = web.post("/connect/label-studio", data=asked, headers={"accept": "text/html"}).text
        assert "Project 5 in Label Studio has 20 tasks" in page
        page = web.post(
            "/connect/label-studio", data={**asked, "project": "5"}, headers={"accept": "text/html"}
        )
        assert "Caught up" in page.text
        paths = [path.split("?")[0] for path, _, _ in ear.heard]
        assert paths == list(answers)
        assert all(headers["Authorization"] == "Token secret" for _, headers, _ in ear.heard)
        tasks, hook = json.loads(ear.heard[1][2]), json.loads(ear.heard[2][2])
        assert set(tasks[0]["data"]) == {ITEM, "body"}
        token = hook["headers"]["Authorization"]
        first = Project(folder=drawn).state().attempt.order[0]
        sent = web.post(
            hook["url"], json=event(first, "relevant"), headers={"authorization": token}
        )
        assert sent.json()["recorded"] == 1
        wrong = web.post("/connect/label-studio", data={**asked, "url": "file:///etc/passwd"})
        assert wrong.status_code == 400


def test_label_studio_shows_the_names_that_the_lead_chose(drawn) -> None:
    """Its choices said "relevant" where the lead had renamed the answers."""
    write_settings(
        drawn, Settings(relevant="Refund", not_relevant="No refund & co", cannot_tell="?!")
    )
    answers = {"/api/projects/": (201, {"id": 5}), "/api/webhooks/": (201, {"id": 2})}
    first, second, third = Project(folder=drawn).state().attempt.order[:3]
    with Ear(answers) as ear, signed(drawn) as web:
        asked = {"url": ear.url, "token": "secret", "back": "http://127.0.0.1:8765"}
        assert web.post("/connect/label-studio", data=asked).status_code == 200
        shown = ElementTree.fromstring(json.loads(ear.heard[0][2])["label_config"]).iter("Choice")
        assert [(one.get("value"), one.get("alias")) for one in shown] == [
            ("Refund", "relevant"), ("No refund & co", "not relevant"), ("?!", "cannot tell"),
        ]  # fmt: skip
        headers = {"authorization": json.loads(ear.heard[2][2])["headers"]["Authorization"]}
        for item, choice in ((first, "relevant"), (second, "No refund & co"), (third, "?!")):
            sent = web.post("/api/v1/hooks/label-studio", json=event(item, choice), headers=headers)
            assert sent.status_code == 200
    given = Project(folder=drawn).state().answers
    assert [given[item]["zoe@example.org"] for item in (first, second, third)] == [1, 0, None]


def test_label_studio_offers_the_classes_and_cannot_tell() -> None:
    named = choices(Settings(cannot_tell="Unsure"), ("ham", "spam"))
    assert named == {"ham": "ham", "spam": "spam", "Unsure": "cannot tell"}
    assert choices(Settings(cannot_tell="spam"), ("ham", "spam")) == {"ham": "ham", "spam": "spam"}


def test_what_label_studio_refuses_is_told_in_its_own_words(drawn) -> None:
    """A refused token was told as an answer that is not JSON."""
    refusal = {"/api/projects/": (401, {"detail": "legacy token authentication has been disabled"})}
    with Ear(refusal) as ear, signed(drawn) as web:
        asked = {"url": ear.url, "token": "secret", "back": "http://127.0.0.1:8765"}
        told = web.post("/connect/label-studio", data=asked)
    assert told.status_code == 400
    assert "Label Studio answered 401" in told.json()["error"]
    assert "legacy token authentication has been disabled" in told.json()["error"]
    assert "Make a personal access token" in told.json()["error"]


def test_hooks_are_signed_and_follow_nobody() -> None:
    with Ear({"/moved": (302, {}), "/broken": (500, {})}) as ear:
        hook = Hook(url=f"{ear.url}/hook", secret="s3cret")
        assert deliver(hook, b'{"event": "established"}')
        (_, headers, body) = ear.heard[0]
        expected = hmac.new(b"s3cret", body, hashlib.sha256).hexdigest()
        assert headers["x-assaymark-signature".title()] == f"sha256={expected}"
        assert not deliver(Hook(url=f"{ear.url}/moved", secret="s"), b"{}", tries=1)
        assert not deliver(Hook(url=f"{ear.url}/broken", secret="s"), b"{}", tries=2, pause=0.01)
        assert [path for path, _, _ in ear.heard] == ["/hook", "/moved", "/broken", "/broken"]


@pytest.mark.parametrize(
    "url", ["ftp://x/y", "file:///x", "http://", "https://u:p@x/", "x", "http://a b/"]
)
def test_only_addresses_of_the_web_can_be_told(tmp_path, url) -> None:
    with pytest.raises(ValueError, match="An address begins with"):
        add_hook(tmp_path, url, ("established",))


def test_an_established_claim_is_told_once(labelled, assaymark, monkeypatch) -> None:
    monkeypatch.setattr("assaymark.web.programs.hooks_out.EVERY", 0.05)
    assert assaymark("look", "-p", labelled).code == 0
    attempt: Attempt = Project(folder=labelled).state().attempt
    assert event_of(attempt) == "established"
    with Ear() as ear:
        add_hook(labelled, f"{ear.url}/told", ("established", "stale"))
        for _ in range(2):  # a restart tells nothing again
            with client(labelled) as web:
                for _ in range(200):
                    web.get("/alive")
                    if ear.heard and (labelled / "hooks-sent.json").exists():
                        break
                    threading.Event().wait(0.05)
        assert len(ear.heard) == 1
        told = json.loads(ear.heard[0][2])
    assert told["event"] == "established"
    assert told["claim"] == "f1 >= 0.8"


def test_only_the_lead_connects(drawn) -> None:
    with signed(drawn, role="annotator") as web:
        assert web.get("/connect").status_code == 403
        for path in ("program", "remove", "hook", "label-studio"):
            assert (
                web.post(f"/connect/{path}", data={"name": "x", "right": "lead"}).status_code == 403
            )
    with signed(drawn) as web:
        page = web.post(
            "/connect/program",
            data={"name": "bot", "right": "read"},
            headers={"accept": "text/html"},
        )
        assert "The token is" in page.text
        assert "The token is" not in web.get("/connect", headers={"accept": "text/html"}).text
        assert web.post("/connect/program", data={"name": "bot", "right": "all"}).status_code == 400
        assert (drawn / "connections.json").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("text", ["", "[" * 100_000, "[]", '{"u": 3}', '{"u": ["1 refuted"]}'])
def test_a_broken_list_of_what_was_told_ends_no_telling(text: str, tmp_path) -> None:
    (tmp_path / "sent.json").write_text(text)
    told = already_sent(tmp_path / "sent.json")
    assert told == ({"u": ["1 refuted"]} if "refuted" in text else {})


TRUTH = [i % 2 for i in range(120)]
POOL = {
    "id": [f"d{i}" for i in range(120)],
    "score": [0.1 + 0.8 * one for one in TRUTH],
    "good": TRUTH,
    "bad": [1 - one for one in TRUTH],
}
BEGUN = {
    "recall >= 0.6 and precision >= 0.6": (
        lambda folder: certify_parts(
            POOL, "recall >= 0.6 and precision >= 0.6", threshold=0.5, seed=1, folder=folder
        ),
        "established",
    ),
    "accuracy of 'good' > accuracy of 'bad'": (
        lambda folder: compare(POOL, a="bad", b="good", only="better", seed=1, folder=folder),
        "established",
    ),
    "accuracy of 'bad' > accuracy of 'good'": (
        lambda folder: compare(POOL, a="good", b="bad", seed=1, folder=folder),
        "refuted",
    ),
}


@pytest.mark.parametrize("claim", BEGUN)
def test_programs_hear_of_claims_that_are_no_plan(claim, tmp_path) -> None:
    """Their status was "no plan" from first to last, and no message was ever sent of them."""
    begin, event = BEGUN[claim]
    work = begin(tmp_path / "work")
    assert subject_of(work.project.state()).event is None
    work.run(lambda item: int(item.id[1:]) % 2)
    subject = subject_of(work.project.state())
    assert (subject.kind, subject.number, subject.claim, subject.confidence, subject.event) == (
        "claim", 1, claim, 0.95, event,
    )  # fmt: skip
    with program(tmp_path / "work", right="lead") as web:
        status = web.get("/api/v1/status").json()
        assert (status["kind"], status["claim"], status["outcome"]) == ("claim", claim, "open")
        look = web.post("/api/v1/look", json={}).json()
        assert (look["claim"], look["confidence"]) == (claim, 0.95)


def test_programs_hear_of_a_review(tmp_path) -> None:
    texts = {"id": POOL["id"], "text": [f"word {i % 7}" for i in range(120)]}
    work = review(texts, text="text", recall=0.5, folder=tmp_path / "work")
    subject = subject_of(work.project.state())
    assert (subject.kind, subject.event) == ("review", None)
    with program(tmp_path / "work", right="read") as web:
        assert web.get("/api/v1/status").json()["kind"] == "review"
