"""A review on the page: one queue for readers, figures and buttons for the lead, a certified end."""

import csv
import json
import random

import pytest
from test_web import answer, signed

from assaymark.files.labels import LabelRow
from assaymark.labelling.recording import label
from assaymark.ledger.events import review_of
from assaymark.project.folder import Project
from assaymark.reviewing.handing import next_items
from assaymark.reviewing.starting import Start, start
from assaymark.reviewing.verifying import verify_review

HTML = {"accept": "text/html"}


@pytest.fixture
def review(tmp_path):
    """A project of 90 records, 30 of them on telescopes, and the truth."""
    rng = random.Random(2)
    truth = {f"r{i:03}": i < 30 for i in range(90)}
    names = rng.sample(sorted(truth), len(truth))
    words = ["rain", "road", "rock", "lamp", "ship", "door"]
    with (tmp_path / "pool.csv").open("w", newline="", encoding="utf-8") as stream:
        out = csv.writer(stream)
        out.writerow(["id", "title"])
        for name in names:
            topic = "telescope" if truth[name] else rng.choice(words)
            out.writerow([name, f"{name} about {topic} and {rng.choice(words)}"])
    wish = Start(
        pool=str(tmp_path / "pool.csv"), id="id", text=("title",), recall="0.6", known="r000"
    )
    start(tmp_path / "work", wish)
    return Project(folder=tmp_path / "work"), truth


def test_a_review_runs_on_the_page_to_its_certified_end(review) -> None:
    project, truth = review
    with signed(project.folder) as web:
        page = web.get("/watch", headers=HTML).text
        assert "Left, at most" in page
        plan = web.get("/plan", headers=HTML).text
        assert "A review. Its target was fixed when it began." in plan
        assert 'id="wish"' not in plan  # a form that every forecast refused stood here
        assert "Hand out the next records" in page
        for _ in range(12):
            done = web.post("/review/next", data={"count": "20"}, headers=HTML)
            assert done.status_code == 200
            items = web.post("/label/hand", json={}).json()["items"]
            assert "to find the relevant records" in web.get("/label", headers=HTML).text
            while items:
                told = json.dumps(items[0])
                assert not any(word in told for word in ("random", "directed", "score"))
                assert [field["name"] for field in items[0]["fields"]] == ["title"]
                word = "relevant" if truth[items[0]["id"]] else "not"
                items = answer(web, items[0], word).json()["items"]
            page = web.get("/review", headers=HTML).text
            if "Issue the certificate" in page:
                break
        assert "Stop: the target is certified." in page
        assert "Recall as labels came" in page
        assert web.post("/review/certify", headers=HTML).status_code == 200
        page = web.get("/review").text
        assert "Issue the certificate" not in page, "it is issued"
        assert 'class="button primary" href="/read"' in page
    found = verify_review(project.folder / "certificate.json", project=project)
    assert found.status == "verified in part", found.checks
    assert found.missing == ("witness", "signature")


def test_handing_out_asks_where_missing_labels_hold_up_others(review) -> None:
    project, truth = review
    for _ in range(3):  # until the ranking has found them and random draws are wanted
        label(project, rows(next_items(project, count=20, write=False).items, truth))
    late = next_items(project, count=10, write=False).items
    first = next(item for item in review_of(project.state()).drawn if item in late)
    label(project, rows([item for item in late if item != first], truth))
    with signed(project.folder) as web:
        asked = web.post("/review/next", data={"count": "7"}, headers=HTML).text
        assert "Hand out more records anyway?" in asked
        held = "do not count yet because 1 drawn record before has no final label."
        assert f"{held} New random draws will not count either until then." in asked
        assert 'name="count" value="7"' in asked
        shown = web.get("/review", headers=HTML).text
        news = web.get("/review/news").json()
        assert f'data-news="{news["at"]} {news["waiting"]} "' in shown
        assert news["busy"] is False
        assert len(review_of(project.state()).handed) == 70
        web.post("/review/next", data={"count": "7", "anyway": "yes"}, headers=HTML)
    assert len(review_of(project.state()).handed) == 77


def rows(items, truth) -> list[LabelRow]:
    return [LabelRow(item=item, label=int(truth[item]), annotator="kim") for item in items]
