"""A review in real Chromium: by keyboard to its certified end, with two readers and a third who decides."""

import csv
import json
import random

import pytest
from navigation import follow
from test_page import label, shown

from assaymark.certification.verification import Brought
from assaymark.project.folder import Project
from assaymark.reviewing.starting import Start, start
from assaymark.reviewing.verifying import verify_review

axe = pytest.importorskip("axe_playwright_python.sync_playwright")
FIGURES = ("At most left", "Certified recall", "random", "directed")


@pytest.fixture
def review(tmp_path, request):
    """A project of 60 records, 20 of them on telescopes, and the truth; a share may be read twice."""
    rng = random.Random(2)
    truth = {f"r{i:03}": int(i < 20) for i in range(60)}
    words = ["rain", "road", "rock", "lamp", "ship", "door"]
    with (tmp_path / "pool.csv").open("w", newline="", encoding="utf-8") as stream:
        out = csv.writer(stream)
        out.writerow(["id", "title"])
        for name in rng.sample(sorted(truth), len(truth)):
            topic = "telescope" if truth[name] else rng.choice(words)
            out.writerow([name, f"{name} about {topic} and {rng.choice(words)}"])
    pool = str(tmp_path / "pool.csv")
    twice = getattr(request, "param", "0")
    asked = Start(pool=pool, id="id", text=("title",), recall="0.5", known="r000", twice=twice)
    start(tmp_path / "work", asked)
    return tmp_path / "work", truth


def test_a_review_by_keyboard_to_its_certified_end(serve, enter, review, tmp_path) -> None:
    folder, truth = review
    with serve(folder, "--auto-draw") as server:
        lead = enter(server, "ann")
        lead.fill("input[name=count]", "20")
        lead.click("text=Hand out the next records")
        reader = enter(server, "kim", "annotator")
        lead.wait_for_selector("text=20 waiting")
        for _ in range(len(truth)):
            label(reader, truth)
            told = reader.text_content("main")
            assert not any(word in told for word in FIGURES)
            if len(Project(folder=folder).state().answers) % 5 == 0:
                lead.reload()
                if "Stop:" in lead.text_content("h1"):
                    break
        lead.wait_for_selector("figure svg")
        seen = axe.Axe().run(lead)
        assert seen.violations_count == 0, seen.generate_report()
        lead.click("text=Issue the certificate")
        with lead.expect_download() as download:
            lead.click("text=Download the certificate")
        mine = tmp_path / "mine.json"
        download.value.save_as(mine)
        assert "of all relevant records" in lead.text_content("main")
        assert lead.faults + reader.faults == []
    project = Project(folder=folder)
    assert len(project.state().reviews[0].batches) > 1  # more came by itself while somebody read
    head = Brought(heads=(project.ledger.entries()[-1].hash.encode(),))
    assert verify_review(mine, project=project, brought=head).status == "verified"


@pytest.mark.parametrize("review", ["1"], indirect=True)
def test_readers_differ_and_somebody_who_sees_no_figures_decides(serve, enter, review) -> None:
    folder, _truth = review
    with serve(folder, "--twice", "1") as server:
        lead = enter(server, "ann")
        lead.fill("input[name=count]", "4")
        lead.click("text=Hand out the next records")
        lead.wait_for_selector("text=4 waiting")
        kim, lee = enter(server, "kim", "annotator"), enter(server, "lee", "annotator")
        item = shown(kim)
        assert shown(lee) == item
        for page, key in ((kim, "j"), (lee, "f")):
            page.keyboard.press(key)
            page.wait_for_function(
                f"() => document.querySelector('#item-id').textContent !== {json.dumps(item)}"
            )
        lead.goto(f"{server.url}/decide")
        assert "blind in this review" in lead.text_content("main")
        kim.goto(f"{server.url}/decide")
        kim.wait_for_selector("text=Nothing to decide")
        third = enter(server, "max", "annotator")
        follow(third, "nav >> text=Conflicts")
        assert third.text_content(".id") == item
        third.keyboard.press("j")
        third.wait_for_selector("text=Nothing to decide")
    assert Project(folder=folder).state().decided == {item: 1}
