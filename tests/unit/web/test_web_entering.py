"""Who comes in and how they leave: links, names, tokens, proxies."""

import re
import socket
import time

import pytest
from test_web import LINKS, client, mark_of, signed, standing

from assaymark.errors import InputError
from assaymark.project.folder import Project
from assaymark.project.users import KEY, UsersError, add_user, read_users, server_key
from assaymark.web.access.proxy import Front
from assaymark.web.access.sessions import start_links
from assaymark.web.app import Options, make_app

PAGES = ("/", "/label", "/watch", "/plan", "/decide", "/read")


def test_nobody_comes_in_without_a_link_not_even_from_this_machine(drawn) -> None:
    with client(drawn) as web:
        for page in PAGES:
            found = web.get(page)
            assert found.url.path == "/enter"
            assert found.status_code == 200
            assert "Open the link that <code>assaymark serve</code> printed" in found.text
        assert web.post("/enter", data={"name": "kim"}).status_code == 403
        assert web.post("/label/hand", json={}).status_code == 401
        assert web.get("/enter?token=guessed").status_code == 403
        assert not list(web.cookies.keys())


def test_a_link_is_exchanged_for_a_cookie_and_leaves_the_address(drawn) -> None:
    with client(drawn) as web:
        first = web.get(f"/enter?token={LINKS['lead']}", follow_redirects=False)
        assert first.status_code == 303
        assert first.headers["location"] == "/enter"
        assert LINKS["lead"] not in first.headers["set-cookie"]
        assert "HttpOnly" in first.headers["set-cookie"]
        asked = web.get("/enter")
        assert "Your name" in asked.text
        assert web.get("/watch").url.path == "/enter"  # a link alone is nobody
        assert web.post("/enter", data={"name": " "}).status_code == 400
        assert web.post("/enter", data={"name": "kim"}).url.path == "/watch"
        assert web.get("/enter").url.path == "/watch"  # signed in, so there is no form


def test_each_link_gives_its_role(drawn) -> None:
    with signed(drawn, role="annotator") as web:
        page = {"accept": "text/html"}
        found = {path: web.get(path, headers=page).status_code for path in PAGES[1:]}
        assert found == {"/label": 200, "/watch": 403, "/plan": 403, "/decide": 403, "/read": 403}
        assert (
            web.post("/watch/draw", data={"mark": web.headers["x-assaymark-token"]}).status_code
            == 403
        )
        web.get(f"/enter?token={LINKS['lead']}")  # the same person, with the lead's link
        assert web.get("/watch", headers=page).status_code == 200


def test_a_name_given_at_the_start_is_not_asked_for(drawn) -> None:
    with client(drawn, annotator="kim") as web:
        assert web.get("/").url.path == "/enter"
        assert web.get(f"/enter?token={LINKS['lead']}").url.path == "/watch"


def test_secrets_of_links_are_fresh_and_open_no_project_with_users(drawn) -> None:
    assert start_links() != start_links()
    add_user(drawn, "ann", "lead")
    with client(drawn) as web:
        assert web.get(f"/enter?token={LINKS['lead']}").status_code == 403


def test_a_cookie_of_a_link_is_worth_nothing_once_there_are_users(drawn) -> None:
    with signed(drawn) as web:
        cookies = dict(web.cookies)
    add_user(drawn, "ann", "lead")
    with client(drawn) as web:
        web.cookies.update(cookies)
        assert web.get("/watch").url.path == "/enter"


def test_a_link_followed_from_another_site_asks_the_browser_once_more(drawn) -> None:
    with client(drawn) as web:
        crossed = web.get("/enter", headers={"sec-fetch-site": "cross-site"})
        assert 'http-equiv="refresh" content="0;url=/enter?again=1"' in crossed.text
        again = web.get("/enter?again=1", headers={"sec-fetch-site": "cross-site"})
        assert "http-equiv" not in again.text


def test_signing_out_ends_the_session_on_the_server_and_after_a_restart(drawn) -> None:
    with signed(drawn) as web:
        cookies, headers = dict(web.cookies), dict(web.headers)
        assert web.post("/leave", data={"mark": headers["x-assaymark-token"]}).url.path == "/enter"
        web.cookies.update(cookies)  # somebody kept the cookie
        assert web.post("/label/hand", json={}).status_code == 401
    assert (drawn / "serve.ended").stat().st_mode & 0o077 == 0
    with client(drawn) as again:
        again.cookies.update(cookies)
        again.headers.update(headers)
        assert again.post("/label/hand", json={}).status_code == 401


def test_two_projects_on_one_machine_do_not_sign_each_other_out(drawn, labelled_elsewhere) -> None:
    with signed(drawn) as one, signed(labelled_elsewhere) as other:
        assert set(one.cookies.keys()).isdisjoint(other.cookies.keys())
        one.cookies.update(dict(other.cookies))
        assert one.post("/label/hand", json={}).status_code == 200


@pytest.fixture
def labelled_elsewhere(assaymark, world, tmp_path):
    folder = tmp_path / "other"
    assert assaymark("init", folder, "--pool", world.path, "--id", "id", "--score", "score",
                     "--threshold", 0.5, "--text", "body").code == 0  # fmt: skip
    return folder


def test_only_failures_are_counted_and_by_verified_session(drawn) -> None:
    slow = {"burst": 5, "rate": 0.001}
    with signed(drawn, **slow) as web:
        stranger = type(web)(web.app, base_url=str(web.base_url))
        assert [stranger.get("/enter").status_code for _ in range(9)] == [200] * 9
        codes = [stranger.get("/nowhere").status_code for _ in range(7)]
        assert codes == [404] * 5 + [429] * 2
        for number in range(3):  # an invented cookie is no new identity
            stranger.cookies.set("assaymark_session", str(number))
            assert stranger.get("/nowhere").status_code == 429
        assert [web.post("/label/hand", json={}).status_code for _ in range(9)] == [200] * 9


def test_a_right_token_is_never_refused_for_the_failures_of_others(drawn) -> None:
    token = add_user(drawn, "kim", "lead").token
    with client(drawn, clock=standing(time.time())) as web:
        codes = [web.post("/enter", data={"token": str(n)}).status_code for n in range(12)]
        assert codes == [403] * 10 + [429] * 2
        assert web.post("/enter", data={"token": token}).url.path == "/watch"


def test_a_broken_file_of_users_lets_nobody_in_and_says_so(drawn) -> None:
    token = add_user(drawn, "kim", "lead").token
    good = (drawn / "users.json").read_text()
    with client(drawn) as web:
        web.post("/enter", data={"token": token})
        for broken in ("{", "[]", '{"users": 3}', '{"users": [3]}', "[" * 100_000, "\udcff",
                       '{"users": [{"name": "kim", "role": "lead", "token_sha256": 5}]}'):  # fmt: skip
            (drawn / "users.json").write_bytes(broken.encode("utf-8", "surrogateescape"))
            with pytest.raises(UsersError):
                read_users(drawn)
            for page in ("/label", "/enter", "/"):
                assert web.get(page).status_code == 503 or page == "/enter", (page, broken[:30])
            assert web.post("/enter", data={"token": token}).status_code == 503
        (drawn / "users.json").write_text(good)
        assert web.get("/label").status_code == 200


def test_half_a_key_is_refused(drawn) -> None:
    for damaged in ("", "abcd", "no hex"):
        (drawn / KEY).write_text(damaged)
        with pytest.raises(InputError, match="damaged"):
            server_key(drawn)


def test_everything_works_under_a_prefix_whether_the_proxy_strips_it_or_not(drawn) -> None:
    with client(drawn, root="/deep/labels") as web:
        for prefix in ("", "/deep/labels"):
            web.cookies.clear()
            entered = web.post(
                f"{prefix}/enter",
                data={"token": LINKS["lead"], "name": "kim"},
                follow_redirects=False,
            )
            assert entered.headers["location"] == "/deep/labels/watch"
            assert "Path=/deep/labels;" in entered.headers["set-cookie"]
        for page in PAGES:
            found = web.get(f"/deep/labels{page}")
            assert found.status_code == 200
            addresses = re.findall(r'(?:href|src|action|data-chart)="(/[^"]*)"', found.text)
            assert addresses
            assert all(one.startswith("/deep/labels/") for one in addresses), (page, addresses)
            assert '<meta name="assaymark-root" content="/deep/labels">' in found.text
        label = web.get("/deep/labels/label")
        assert 'href="/deep/labels/label" aria-current="page"' in label.text
        web.headers.update({"x-assaymark-token": mark_of(label), "accept": "application/json"})
        items = web.post("/deep/labels/label/hand", json={}).json()["items"]
        asked = {"item": items[0]["id"], "ticket": items[0]["ticket"], "answer": "not"}
        assert web.post("/deep/labels/label/answer", json=asked).json()["saved"] is True


def test_prefixes_and_proxies_that_cannot_be_meant_are_refused(assaymark, drawn) -> None:
    add_user(drawn, "ann", "lead")
    for options in (["--root-path", "/a b"], ["--root-path", "/../x"], ["--root-path", 'x"y'],
                    ["--trust-proxy", "proxy.example"], ["--sso-header", "X Remote"]):  # fmt: skip
        found = assaymark("serve", *options, "-p", drawn)
        assert found.code == 2
        assert "Example: " in found.err


def test_https_alone_is_demanded_for_names_but_never_for_localhost(drawn) -> None:
    add_user(drawn, "ann", "lead")
    with client(drawn, hosts=("labels.example",), secure=True) as web:
        named = web.get("/enter", headers={"host": "labels.example"})
        assert named.headers["strict-transport-security"] == "max-age=31536000"
        for host in ("localhost:8765", "127.0.0.1:8765", "[::1]"):
            found = web.get("/enter", headers={"host": host})
            assert "strict-transport-security" not in found.headers
    with client(drawn, hosts=("labels.example",)) as web:
        found = web.get("/enter", headers={"host": "labels.example"})
        assert "strict-transport-security" not in found.headers


def proxied(folder, peer, **front):
    from starlette.testclient import TestClient

    app = make_app(Project(folder=folder), Options(front=Front(**front)))
    return TestClient(app, base_url="http://127.0.0.1", follow_redirects=True, client=(peer, 1))


def test_a_proxy_may_name_users_if_it_was_asked_to(drawn) -> None:
    add_user(drawn, "ann", "lead")
    add_user(drawn, "kim", "annotator")
    said = {"x-remote-user": "ann"}
    with proxied(drawn, "127.0.0.1", header="X-Remote-User") as web:
        assert web.get("/", headers=said).url.path == "/watch"
        assert "Sign out" not in web.get("/watch", headers=said).text
        assert web.get("/watch", headers={"x-remote-user": "kim"}).status_code == 403
        assert web.get("/watch").url.path == "/enter"
        strange = web.get("/enter", headers={"x-remote-user": "eve"})
        assert strange.status_code == 403
        assert "nobody of that name" in strange.text
        twice = [("x-remote-user", "kim"), ("x-remote-user", "ann")]
        assert web.get("/watch", headers=twice).url.path == "/enter"
        mark = mark_of(web.get("/label", headers=said))
        hand = {**said, "x-assaymark-token": mark, "accept": "application/json"}
        assert web.post("/label/hand", json={}, headers=hand).status_code == 200
        other = {**hand, "x-remote-user": "kim"}  # somebody else's mark
        assert web.post("/label/hand", json={}, headers=other).status_code == 403
    for peer, front in (
        ("127.0.0.1", {}),
        ("127.0.0.1", {"behind": True}),
        ("10.0.0.9", {"header": "X-Remote-User"}),
        ("10.0.0.9", {"header": "X-Remote-User", "proxies": ("10.0.0.2",)}),
        ("127.0.0.1", {"header": "X-Remote-User", "proxies": ("10.0.0.2",)}),
    ):
        with proxied(drawn, peer, **front) as web:
            assert web.get("/watch", headers=said).url.path == "/enter", (peer, front)
    with proxied(drawn, "::ffff:10.0.0.2", header="X-Remote-User", proxies=("10.0.0.2",)) as web:
        assert web.get("/watch", headers=said).url.path == "/watch"


def test_an_address_is_believed_only_from_the_proxy() -> None:
    def address(peer, said, **front):
        scope = {"client": (peer, 1), "headers": [(b"x-forwarded-for", said)]}
        return Front(**front).address(scope)

    assert address("127.0.0.1", b"9.9.9.9") == "127.0.0.1"
    assert address("127.0.0.1", b"1.1.1.1, 9.9.9.9", behind=True) == "9.9.9.9"
    assert address("127.0.0.1", b"1.1.1.1, junk", behind=True) == "127.0.0.1"
    assert address("8.8.8.8", b"9.9.9.9", behind=True) == "8.8.8.8"


def test_sso_needs_users(assaymark, drawn) -> None:
    found = assaymark("serve", "--sso-header", "X-Remote-User", "-p", drawn)
    assert found.code == 2
    assert "assaymark users add NAME" in found.err


def test_the_command_prints_a_link_for_each_role(assaymark, drawn, monkeypatch) -> None:
    monkeypatch.setattr("assaymark.cli.serve._run", lambda app, bound, *_: bound.close())
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    found = assaymark("serve", "--port", port, "--root-path", "x/", "--json", "-p", drawn).json
    assert found["url"] == f"http://127.0.0.1:{port}/x/"
    assert set(found["links"]) == {"lead", "annotator"}
    assert all(
        re.fullmatch(rf"{found['url']}enter\?token=[\w-]{{32}}", link)
        for link in found["links"].values()
    )
    told = assaymark("serve", "--port", port, "-p", drawn).out
    assert "link for the lead" in told
    assert "link for reviewers" in told
    add_user(drawn, "ann", "lead")
    assert assaymark("serve", "--port", port, "--json", "-p", drawn).json["links"] == {}
