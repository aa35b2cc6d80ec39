"""What a stranger, a broken disk or a typo can send: one clear sentence, and nobody else is hurt."""

import asyncio
import contextlib
import errno
import json
import logging
import socket
import threading
import time

import uvicorn
from test_web import LINKS, answer, client, signed

from assaymark.errors import LedgerError
from assaymark.labelling.desk import Desk, Submission
from assaymark.ledger.sqlite import SqliteLedger
from assaymark.project.folder import Project
from assaymark.web.access.connections import protocol, room_for, say_shortage_once
from assaymark.web.access.guard import MOST_KNOWN, Buckets
from assaymark.web.app import Options, make_app

PATIENCE = 300  # seconds; on an idle machine nothing here takes one
TYPED = {"content-type": "application/json"}


def hostile(item, ticket):
    """Bodies that are no answers, as bytes."""
    good = {"item": item, "ticket": ticket, "answer": "not"}
    yield b"[" * 60_000
    yield b'{"a":' * 20_000 + b"1" + b"}" * 20_000
    yield b'{"seconds": ' + b"9" * 5_000 + b"}"
    yield b"\xff\xfe"
    yield json.dumps({**good, "answer": ["not"]}).encode()
    yield json.dumps({**good, "answer": {"not": 1}}).encode()
    yield json.dumps({**good, "item": "\ud800"}).encode()
    yield json.dumps({**good, "ticket": "\udfff\ud800"}).encode()
    yield json.dumps({**good, "ticket": 5}).encode()
    yield json.dumps({**good, "keep": ["doc-1"]}).encode()
    yield json.dumps({**good, "keep": [{"id": ["x"], "ticket": None}]}).encode()
    yield json.dumps({**good, "note": ["x"]}).encode()


def test_no_body_is_a_fault_of_the_server(drawn) -> None:
    with signed(drawn) as web:
        item = web.post("/label/hand", json={}).json()["items"][0]
        for sent in hostile(item["id"], item["ticket"]):
            found = web.post("/label/answer", content=sent, headers=TYPED)
            assert found.status_code in (400, 409), (found.status_code, sent[:60])
            assert found.json()["error"].endswith(".")
            for path in ("/label/hand", "/label/back", "/plan/forecast"):
                assert web.post(path, content=sent, headers=TYPED).status_code in (200, 400, 409)
        assert Project(folder=drawn).state().answers == {}


def test_giant_numbers_are_refused_or_ignored(drawn) -> None:
    digits = "9" * 4_000
    with signed(drawn) as web:
        asked = f'{{"metric": "f1", "target": 0.8, "precision": {digits}, "recall": 0.9}}'
        found = web.post("/plan/forecast", content=asked, headers=TYPED)
        assert found.json()["error"].endswith(".")
        for length in ("9" * 5_000, "²", "-1", "1.5"):
            refused = web.post("/label/hand", headers={"content-length": length.encode()})
            assert refused.status_code == 413
        item = web.post("/label/hand", json={}).json()["items"][0]
        asked = json.dumps({"item": item["id"], "ticket": item["ticket"], "answer": "not"})
        asked = f'{asked[:-1]}, "seconds": {digits}}}'
        assert web.post("/label/answer", content=asked, headers=TYPED).json()["saved"] is True


def test_a_cookie_of_any_bytes_is_nobodys(drawn) -> None:
    with signed(drawn) as web:
        [(name, good)] = web.cookies.items()
        web.cookies.clear()
        for value in (
            b"\xe9.\xe9",
            good.encode() + b"\xff",
            good.encode().replace(b".", b".\xc3\xa9"),
            b"=;=;;",
            b'"',
        ):
            headers = [(b"cookie", name.encode() + b"=" + value), (b"accept", b"application/json")]
            assert web.post("/label/hand", json={}, headers=headers).status_code == 401


def test_half_a_character_in_a_note_is_replaced_not_refused(drawn) -> None:
    with signed(drawn) as web:
        item = web.post("/label/hand", json={}).json()["items"][0]
        asked = {
            "item": item["id"],
            "ticket": item["ticket"],
            "answer": "not",
            "note": "cut \ud83d",
        }
        found = web.post("/label/answer", content=json.dumps(asked), headers=TYPED)
        assert found.json()["saved"] is True
    assert json.loads(Project(folder=drawn).ledger.entries()[-1].body)["note"] == "cut \ufffd"


def test_each_item_to_keep_needs_its_ticket(drawn) -> None:
    with signed(drawn) as web, signed(drawn, name="lee") as other:
        mine = web.post("/label/hand", json={}).json()["items"]
        theirs = other.post("/label/hand", json={"keep": mine})
        assert theirs.status_code == 409
        chosen = [
            {"id": item, "ticket": "0" * 64} for item in Project(folder=drawn).state().attempt.order
        ]
        assert other.post("/label/hand", json={"keep": chosen[-1:]}).status_code == 409
        assert answer(web, mine[0], keep=chosen[-1:]).status_code == 409
        assert web.post("/label/hand", json={"keep": mine}).json()["items"] == mine
    assert Project(folder=drawn).state().answers == {}


def desk_of(folder):
    desk = Desk(Project(folder=folder), clock=time.time)
    return desk, list(desk.queue.waiting)


def test_one_bad_note_fails_nobody_else_in_the_same_write(drawn) -> None:
    desk, items = desk_of(drawn)
    given = [Submission(item=item, annotator=f"p{n}", label=1) for n, item in enumerate(items[:5])]
    given[2] = Submission(item=items[2], annotator="p2", label=1, note="half \ud800")
    found = desk.record(given)
    assert [str(one) for one in found[:2] + found[3:]] == ["recorded"] * 4
    assert "half a character" in str(found[2])
    assert set(Project(folder=drawn).state().answers) == {*items[:2], *items[3:5]}


def test_an_answer_that_breaks_the_write_fails_alone(drawn, monkeypatch) -> None:
    desk, items = desk_of(drawn)
    given = [Submission(item=item, annotator=f"p{n}", label=1) for n, item in enumerate(items[:4])]
    usual = Desk._event

    def breaks(self, answer):
        if answer.annotator == "p1":
            raise RuntimeError("nobody thought of this")
        return usual(self, answer)

    monkeypatch.setattr(Desk, "_event", breaks)
    found = desk.record(given)
    assert [type(one).__name__ for one in found] == ["str", "RuntimeError", "str", "str"]
    assert desk.state.answers == Project(folder=drawn).state().answers
    assert set(desk.state.answers) == {items[0], *items[2:4]}


@contextlib.contextmanager
def troubled(monkeypatch, error):
    """A ledger that cannot be used for a while."""

    @contextlib.contextmanager
    def writing(self, after=None):
        raise error
        yield

    with monkeypatch.context() as patch:
        patch.setattr(SqliteLedger, "writing", writing)
        yield


def test_trouble_of_the_store_is_503_and_the_same_answer_is_taken_afterwards(
    drawn, monkeypatch
) -> None:
    with signed(drawn) as web:
        item = web.post("/label/hand", json={}).json()["items"][0]
        for error in (
            LedgerError("The ledger cannot be used: disk is full."),
            OSError(errno.EIO, "Input/output error"),
        ):
            with troubled(monkeypatch, error):
                found = answer(web, item)
                assert found.status_code == 503
                assert found.json()["error"].endswith(".")
        assert answer(web, item).json()["outcome"] == "recorded"


def test_a_lost_text_file_does_not_hide_that_an_answer_was_saved(drawn, monkeypatch) -> None:
    with signed(drawn) as web:
        item = web.post("/label/hand", json={}).json()["items"][0]

        async def lost(*_):
            raise OSError(errno.EIO, "Input/output error")

        with monkeypatch.context() as patch:
            patch.setattr("assaymark.web.pages.labelling._handed", lost)
            found = answer(web, item).json()
        assert found["saved"] is True
        assert "items" not in found
        assert "Input/output error" in found["trouble"]


def test_memory_for_failures_is_bounded_and_forgets_the_oldest() -> None:
    buckets = Buckets(rate=0.0, burst=1, clock=lambda: 0.0)
    assert buckets.take("first")
    assert buckets.take("mine")
    for number in range(MOST_KNOWN - 2):
        buckets.take(str(number))
        buckets.take("mine")
    buckets.take("one more")
    assert buckets.spent("mine")
    assert not buckets.spent("first")


@contextlib.contextmanager
def running(folder, **limits):
    """A real server with real connections."""
    bound = socket.create_server(("127.0.0.1", 0))
    app = make_app(Project(folder=folder), Options(links=LINKS))
    config = uvicorn.Config(
        app, http=protocol(**limits), ws="none", log_config=None, timeout_graceful_shutdown=5
    )
    server = uvicorn.Server(config)
    server.capture_signals = contextlib.nullcontext
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
    thread.start()
    try:
        yield bound.getsockname()
    finally:
        server.should_exit = True
        thread.join(timeout=PATIENCE)


def ended(connection) -> bool:
    """Whether the server ends the connection; waits for it."""
    connection.settimeout(PATIENCE)
    try:
        while connection.recv(4096):
            pass
    except ConnectionError:
        return True
    return True


HEAD = b"POST /enter HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"


def test_idle_and_half_sent_connections_end(drawn, caplog) -> None:
    caplog.set_level(logging.WARNING)
    with running(drawn, receive=0.3) as address:
        for sent in (b"", b"GET /ent", HEAD, HEAD + b"Content-Length: 100\r\n\r\nname="):
            with socket.create_connection(address) as one:
                one.sendall(sent)
                assert ended(one), sent
        with socket.create_connection(address) as slow:  # a byte now and then is no way out
            start = time.monotonic()
            with contextlib.suppress(ConnectionError):
                while time.monotonic() - start < PATIENCE:
                    slow.sendall(b"x")
                    time.sleep(0.05)
            assert time.monotonic() - start < PATIENCE
        assert asked(address).startswith(b"HTTP/1.1 200")
    assert not [record for record in caplog.records if record.exc_info]


def asked(address) -> bytes:
    """The answer to a request; asks again when a busy machine was slower than the server's patience."""
    for _ in range(100):
        with socket.create_connection(address) as one, contextlib.suppress(ConnectionError):
            one.settimeout(PATIENCE)
            one.sendall(b"GET /alive HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            if answer := one.recv(4096):
                return answer
    return b""


def test_idle_connections_make_room_for_those_who_ask(drawn) -> None:
    with running(drawn, most=10, receive=60) as address, contextlib.ExitStack() as held:
        idle = [held.enter_context(socket.create_connection(address)) for _ in range(40)]
        assert asked(address).startswith(b"HTTP/1.1 200")
        assert ended(idle[0])


def test_a_reader_who_does_not_read_is_not_waited_for(drawn) -> None:
    with running(drawn, send=0.3, receive=60) as address, contextlib.ExitStack() as held:
        one = held.enter_context(socket.socket())
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        one.connect(address)
        start = time.monotonic()
        with contextlib.suppress(ConnectionError):
            one.sendall(b"GET /static/x/page.css HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 500)
            while time.monotonic() - start < PATIENCE:  # asks and asks, and takes in nothing
                one.send(b"GET ")
                time.sleep(0.05)
        assert time.monotonic() - start < PATIENCE
        assert asked(address).startswith(b"HTTP/1.1 200")


def test_a_lack_of_open_files_is_one_line_a_minute(caplog) -> None:
    caplog.set_level(logging.WARNING)
    loop = asyncio.new_event_loop()
    try:
        say_shortage_once(loop)
        for _ in range(100):
            error = OSError(errno.EMFILE, "Too many open files")
            loop.call_exception_handler(
                {"message": "socket.accept() out of system resource", "exception": error}
            )
        assert [record.exc_info for record in caplog.records] == [None]
        loop.call_exception_handler({"message": "something else", "exception": KeyError("x")})
        assert len(caplog.records) == 2
    finally:
        loop.close()
    assert 8 <= room_for() <= 500


def test_strangers_without_a_session_get_a_sentence_for_any_address(drawn) -> None:
    with client(drawn) as web:
        for path in (
            "/%ff",
            "/label/%00",
            "/watch/nothing/a/b",
            "/" + "x" * 5_000,
            "/enter?token=%ed%a0%80",
        ):
            assert web.get(path).status_code in (200, 403, 404)
