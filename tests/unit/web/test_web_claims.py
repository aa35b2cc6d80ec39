"""Claims of several parts on the page: words, cost, seal, draw, look, certificate."""

import asyncio
import csv
from html import escape

import pytest
from test_web import answer, signed

from assaymark.composite.drawing import draw_for_claim
from assaymark.project.folder import Project
from assaymark.web.pages import watching

HTML = {"accept": "text/html"}


@pytest.fixture
def folder(assaymark, tmp_path):
    """300 items in two languages; the classifier is always right."""
    with (tmp_path / "pool.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "body", "score", "lang"])
        for i in range(300):
            score = 0.9 if i % 2 else 0.1
            writer.writerow([f"d{i}", f"{i % 2} text", score, "de" if i % 3 else "en"])
    pool = ("--pool", tmp_path / "pool.csv", "--id", "id", "--text", "body", "--group", "lang")
    made = assaymark("init", tmp_path / "w", *pool, "--score", "score", "--threshold", "0.5")
    assert made.code == 0, made.err
    return tmp_path / "w"


def sent(web, path, **fields):
    mark = web.get("/plan", headers=HTML).text.split('name="mark" value="')[1].split('"')[0]
    return web.post(path, data={"mark": mark, **fields}, headers=HTML, follow_redirects=False)


CLAIM = "recall >= 0.6 in every lang"


def test_words_are_read_and_slips_are_pointed_at(folder):
    with signed(folder) as web:
        page = web.get("/plan", headers=HTML).text
        assert 'data-word="in every lang"' in page
        told = web.post("/plan/words", json={"claim": CLAIM}).json()
        assert told["claim"] == CLAIM
        assert [part[0] for part in told["parts"]] == [
            "recall >= 0.6 [de]",
            "recall >= 0.6 [en]",
        ]
        slip = web.post("/plan/words", json={"claim": "recal >= 0.6 in every lang"})
        assert CLAIM in slip.json()["error"]
        odd = web.post("/plan/words", json={"claim": CLAIM, "confidence": "much"})
        assert "must be a number" in odd.json()["error"]
    assert not Project(folder=folder).state().surveys, "asking seals nothing"


def test_a_claim_that_is_being_typed_is_no_failure(folder):
    """Whoever types slowly is answered each time, and is never taken for somebody who guesses."""
    with signed(folder) as web:
        for typed in ("accuracy", "accuracy >=", "recal") * 40:
            half = web.post("/plan/words", json={"claim": typed})
            assert (half.status_code, half.json().keys()) == (200, {"error"})
            half = web.post("/plan/forecast", json={"metric": "recall", "target": ""})
            assert (half.status_code, half.json()["field"]) == (200, "target")
        assert web.post("/plan/words", json={"claim": CLAIM}).json()["parts"]


def test_a_claim_from_words_to_a_certificate(assaymark, folder):
    with signed(folder) as web:
        assert sent(web, "/plan/words/seal", claim=CLAIM).status_code == 303
        assert escape(CLAIM) in web.get("/plan", headers=HTML).text
        assert "Nothing is proven yet" in web.get("/watch", headers=HTML).text
        for _ in range(4):
            assert sent(web, "/watch/draw").status_code == 303
            items = web.post("/label/hand", json={}).json()["items"]
            while items:
                word = "relevant" if items[0]["fields"][0]["text"][0] == "1" else "not"
                items = answer(web, items[0], word).json()["items"]
            page = web.get("/watch", headers=HTML).text
            if "Issue the certificate" in page:
                break
        assert "with 95% confidence for all of it together" in page
        assert "The certificate is not issued yet." in web.get("/read", headers=HTML).text
        assert sent(web, "/watch/certify").status_code == 303
        over = web.get("/watch", headers=HTML).text
        assert "Certificate and report" in over
        assert not any(w in over for w in ("Issue the certificate", "Draw more", "See what is"))
        read = web.get("/read", headers=HTML).text
        assert "Established" in read
        assert escape(CLAIM) in read
        given = web.get("/read/certificate.json").content
    assert given == (folder / "certificate.json").read_bytes()
    assert assaymark("verify", folder / "certificate.json", "-p", folder).code == 0


def test_what_is_expected_of_the_worst_part_moves_the_costs(folder):
    """The page advised to say it, and had no field for it."""
    with signed(folder) as web:
        assert ">What you expect of the worst part <input" in web.get("/plan", headers=HTML).text

        def price(**asked):
            return web.post("/plan/words", json={"claim": CLAIM, **asked}).json()

        assert "if the worst part is 0.9." in price(expect="90 %")["sentence"]
        assert (
            price(expect="")["sentence"] == price()["sentence"] != price(expect="0.9")["sentence"]
        )
        assert price(expect="a lot")["error"].startswith("What you expect of the worst part must")
        assert "would not hold" in price(expect="0.5")["error"]
        assert sent(web, "/plan/words/seal", claim=CLAIM, expect="0.5").status_code == 400
        assert sent(web, "/plan/words/seal", claim=CLAIM, expect="0.9").status_code == 303


def test_a_claim_that_points_the_wrong_way_is_asked_about(folder):
    with signed(folder) as web:
        said = web.post("/plan/words", json={"claim": "recall <= 0.6"}).json()
        assert said["doubtful"]
        assert 'Did you mean "recall >= 0.6"?' in said["sentence"]
        assert not web.post("/plan/words", json={"claim": "recall >= 0.1"}).json()["doubtful"]
        assert sent(web, "/plan/words/seal", claim="recall <= 0.6").status_code == 400
        assert sent(web, "/plan/words/seal", claim="recall <= 0.6", anyway="yes").status_code == 303


def test_somebody_who_asks_while_the_page_draws_by_itself_is_sent_to_what_it_drew(
    folder, monkeypatch
):
    """Their request waits for the ledger, and then finds the items drawn and the desk behind it."""
    draw_next = watching.draw_next

    async def overtaken(site):
        await asyncio.to_thread(draw_for_claim, Project(folder=folder), write=False)
        return await draw_next(site)

    monkeypatch.setattr(watching, "draw_next", overtaken)
    with signed(folder) as web:
        sent(web, "/plan/words/seal", claim=CLAIM)
        asked = sent(web, "/watch/draw")
        assert (asked.status_code, asked.headers["location"]) == (303, "/watch?drawn=before")


def test_a_claim_is_given_up_with_a_reason(folder):
    with signed(folder) as web:
        sent(web, "/plan/words/seal", claim=CLAIM)
        assert sent(web, "/plan/abandon", reason="another claim").status_code == 303
        assert 'id="words"' in web.get("/plan", headers=HTML).text
