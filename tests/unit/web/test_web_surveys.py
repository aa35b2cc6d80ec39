"""Items of surveys on the page: handed out blind, recorded, and their results on the dashboard."""

import csv
import html
import json
import re
import time

import numpy as np
import pytest
from test_web import answer, signed

from assaymark.ledger.events import SurveyReported
from assaymark.project.folder import Project

HTML = {"accept": "text/html"}
STALE = "Labels were given after the result below was worked out."


@pytest.fixture
def pair(tmp_path, assaymark):
    """A project on a pool that two classifiers flagged, and what is true of it."""
    rng = np.random.default_rng(3)
    truth = {f"d{number}": int(rng.random() < 0.2) for number in range(600)}
    with (tmp_path / "pool.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "score", "left", "right", "body"])
        for item, label in truth.items():
            one, two = (int(rng.random() < (0.8 if label else 0.1)) for _ in range(2))
            score = round(float(np.clip(rng.normal(0.3 + 0.4 * label, 0.15), 0, 1)), 4)
            writer.writerow([item, score, one, two, f"text of {item}"])
    folder = tmp_path / "work"
    made = assaymark("init", folder, "--pool", tmp_path / "pool.csv", "--id", "id", "--score", "score",
                 "--threshold", 0.5, "--text", "body")  # fmt: skip
    assert made.code == 0, made.err
    return folder, truth


SURVEYS = {
    "recall": (("recall", "--a", "left", "--b", "right", "--draw", 60), ("recall", "--a", "left", "--b", "right")),
    "triage": (("triage", "draw", "--target", 0.8, "--labels", 60), ("triage",)),
}  # fmt: skip


@pytest.mark.parametrize("kind", SURVEYS)
def test_items_of_a_survey_are_labelled_on_the_page(kind, pair, assaymark) -> None:
    folder, truth = pair
    draw, ask = SURVEYS[kind]
    assert assaymark(*draw, "--seed", "s", "-p", folder).code == 0
    (work,) = Project(folder=folder).state().surveys
    with signed(folder) as web:
        page = web.get("/label", headers=HTML).text
        assert "What are these labels for?" in page
        assert not re.search(r"left|right|elusion|automat\w* region", page), "cells stay unnamed"
        items = web.post("/label/hand", json={}).json()["items"]
        given = []
        while items:
            assert items[0]["fields"] == [{"name": "body", "text": f"text of {items[0]['id']}"}]
            assert not re.search(r"left|right|cell|survey|score", json.dumps(items[0]))
            given.append(items[0]["id"])
            word = "relevant" if truth[items[0]["id"]] else "not"
            items = answer(web, items[0], word).json()["items"]
        assert sorted(given) == sorted(work.order)
        assert given != work.order
    state = Project(folder=folder).state()
    assert {item: state.answers[item] for item in given} == {i: {"kim": truth[i]} for i in given}
    told = assaymark(*ask, "-p", folder, "--json")
    assert told.code in (0, 1), told.err
    with signed(folder) as web:
        page = web.get("/watch", headers=HTML).text
        charts = re.findall(r'<figure class="drawn"[^>]*>(<svg.*?</svg>)', page, re.DOTALL)
        assert charts
        for drawn in charts:
            assert "var(--chart-ink" in drawn, "the colours are left to the page's theme"
            assert not re.search(r"<script|\sstyle=|\son\w+=|href", drawn)
    assert Project(folder=folder).state().head.kind == "SurveyReported", "no look was recorded"


def test_an_estimate(pair, assaymark) -> None:
    folder, truth = pair
    plan = ("plan", "--estimate", "accuracy", "--within", 0.15, "--seed", "s")
    planned = assaymark(*plan, "-p", folder)
    assert planned.code == 0, planned.err
    assert assaymark("draw", "-p", folder).code == 0
    with signed(folder) as web:
        assert "how good the classifier is" in web.get("/label", headers=HTML).text
        items = web.post("/label/hand", json={}).json()["items"]
        while items:
            word = "relevant" if truth[items[0]["id"]] else "not"
            items = answer(web, items[0], word).json()["items"]
        page = web.get("/watch", headers=HTML).text
        assert "No result yet" in page
        assert "Seal a plan first" not in page  # nothing was to be claimed
        result = web.get("/read", headers=HTML).text
        assert "Report as HTML" in result
        assert "before a claim is planned" not in result
        assert assaymark("estimate", "-p", folder).code == 0
        page = web.get("/watch", headers=HTML).text
        assert "No result yet" not in page
        assert STALE not in page
        assert 'name="count"' in page, "all that was planned is drawn: the page asks how many more"
        before = len(Project(folder=folder).state().surveys[0].order)
        assert web.post("/watch/survey/1", data={"step": "draw", "count": "7"}).status_code == 200
        assert len(Project(folder=folder).state().surveys[0].order) == before + 7
        items = web.post("/label/hand", json={}).json()["items"]
        page = web.get("/watch", headers=HTML).text
        assert "a missing one holds up those after it" in page
        while items:
            items = answer(web, items[0], "relevant").json()["items"]
        page = web.get("/watch", headers=HTML).text
        assert STALE in page, "the result is of fewer labels than there are"
        assert 'class="primary" name="step" value="result"' in page


def test_a_new_classifier_that_is_worse_is_not_called_established(tmp_path, assaymark) -> None:
    """Its certificate stood under a green Established, with the claim that it is better."""
    pool, folder = tmp_path / "pool.csv", tmp_path / "work"
    rows = [f"d{n},{n % 2},{1 - n % 2},text of d{n}" for n in range(200)]
    pool.write_text("\n".join(["id,old,new,body", *rows]) + "\n")
    assert assaymark("init", folder, "--pool", pool, "--id", "id", "--text", "body").code == 0
    assert assaymark("compare", "--a", "old", "--b", "new", "-p", folder).code == 0
    assert assaymark("draw", "-p", folder).code == 0
    with signed(folder) as web:
        items = web.post("/label/hand", json={}).json()["items"]
        while items:
            word = "relevant" if int(items[0]["id"][1:]) % 2 else "not"
            items = answer(web, items[0], word).json()["items"]
        page = web.get("/watch", headers=HTML).text
        assert "<strong>Worse.</strong>" in page
        assert "Issue the certificate" in page
        assert "Draw the next items" not in page, "it is decided"
        assert ">✗</span> Worse</p>" in web.get("/read", headers=HTML).text
        assert assaymark("certify", "-p", folder).code == 0
        result = web.get("/read", headers=HTML).text
        assert ">✗</span> Worse</p>" in result
        assert "Established" not in result


def test_an_estimate_goes_on_by_itself_when_the_labels_are_there(pair, assaymark) -> None:
    """Its later items are chosen by the labels of the first ones, and nobody has to ask for them."""
    folder, truth = pair
    plan = ("plan", "--estimate", "f1", "--allocation", "renewed", "--budget", 40, "--seed", "s")
    assert assaymark(*plan, "-p", folder).code == 0
    assert assaymark("draw", "-p", folder).code == 0
    with signed(folder, auto_draw=True) as web:
        for _ in range(600):
            items = web.post("/label/hand", json={}).json()["items"]
            for item in items:
                answer(web, item, "relevant" if truth[item["id"]] else "not")
            (work,) = Project(folder=folder).state().surveys
            if not items and len(work.order) == 40:
                break
            time.sleep(0 if items else 0.1)  # the draw is made beside the answers
    assert [len(one.items) for one in work.files] == [10, 10, 20]
    assert [bool(one.renewed) for one in work.files] == [False, True, True]


def test_a_fixed_plan_counts_the_items_that_its_draws_are_of(pair, assaymark) -> None:
    """308 items were labelled "of 356", and the plan was complete."""
    folder, truth = pair
    plan = ["accuracy >= 0.99", "--mode", "fixed", "--budget", 200, "--seed", "s"]
    assert assaymark("plan", *plan, "-p", folder).code == 0
    assert assaymark("draw", "-p", folder).code == 0
    items = Project(folder=folder).state().attempt.order
    assert len(items) < 200
    with signed(folder) as web:
        page = web.get("/watch", headers=HTML).text
        assert f"0 labelled of {len(items)}</p>" in page
        assert f"The 200 draws are of {len(items)} items: some were drawn more than once" in page
        page = web.get("/items", headers=HTML).text
        assert "/items/waiting.csv" in page
        rows = "".join(f"{item},{truth[item]}\n" for item in items)
        web.post("/items/import?name=x.csv", content=f"id,label\n{rows}".encode())
        page = web.get("/items", headers=HTML).text
        assert "/items/waiting.csv" not in page, "it was refused"
        assert "No item waits for a first label." in page
        page = web.get("/watch", headers=HTML).text
        assert f"{len(items)} labelled" in page
        assert "<strong>Not established.</strong>" in page
        assert 'href="/read">Result and report</a>' in page


def test_the_next_items_are_drawn_after_a_file_of_labels(pair, assaymark) -> None:
    folder, truth = pair
    assert assaymark("plan", "f1 >= 0.5", "--seed", "s", "-p", folder).code == 0
    assert assaymark("draw", "-p", folder).code == 0
    items = list(Project(folder=folder).state().attempt.order)
    with signed(folder, auto_draw=True) as web:
        rows = "".join(f"{item},{truth[item]}\n" for item in items)
        web.post("/items/import?name=x.csv", content=f"id,label\n{rows}".encode())
        for _ in range(600):
            after = Project(folder=folder).state().attempt.order
            if len(after) > len(items):
                break
            time.sleep(0.1)  # the draw is made beside the answer
    assert len(after) > len(items)


def test_what_wrong_labels_would_do_comes_after_the_verdict(labelled) -> None:
    with signed(labelled) as web:
        assert 'id="doubt"' in web.get("/watch", headers=HTML).text
        sentence = web.get("/watch/doubt").json()["sentence"]
        assert "wrong" in sentence
        page = web.get("/watch", headers=HTML).text
        assert 'id="doubt"' not in page
        assert html.escape(sentence, quote=False).replace('"', "&#34;") in page


def test_changed_criteria_leave_the_old_ones_on_record(pair) -> None:
    folder, _ = pair
    with signed(folder, "ann") as web:
        for text in ("First rule.", "Second rule.", "Second rule."):
            kept = web.post("/plan/settings", data={"criteria": text}, headers=HTML)
            assert kept.status_code == 200
    lines = [json.loads(line) for line in (folder / "page-history.jsonl").read_text().splitlines()]
    assert [line["settings"]["criteria"] for line in lines] == ["First rule.", "Second rule."]
    assert all(line["by"] == "ann" and line["time"] for line in lines)


def test_progress_says_first_that_a_certificate_no_longer_holds(labelled, assaymark) -> None:
    assert assaymark("certify", "-p", labelled).code == 0
    assert assaymark("sentinel", "start", "-p", labelled).code == 0
    found = assaymark("sentinel", "look", "-p", labelled, "--json").json
    told = found | {"decision": "refuted", "sentence": "Refuted: it fell."}
    with Project(folder=labelled).writing() as session:
        session.record(SurveyReported(survey=1, labels=0, result=told))
    with signed(labelled) as web:
        page = web.get("/watch", headers=HTML).text
    assert '<p class="alert">Since then: Refuted: it fell.</p>' in page.split("</section>")[0]
    assert "<strong>No longer holds.</strong>" in page
