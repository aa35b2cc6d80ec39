"""One project, one set of numbers: look, status, estimate, page, report, certificate and verify agree."""

import html
import importlib
import json
import re
import time
import warnings

import pytest

with warnings.catch_warnings():  # it asks for another name of the same library
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

from assaymark.claims.results import rounded, shown
from assaymark.project.folder import Project
from assaymark.web.app import Options, make_app
from assaymark.web.rooms import ROOMS
from worlds_on_disk import write_labels, write_world

for _page in ROOMS:  # pytest rewrites what is loaded, which two threads must not do at once
    importlib.import_module(f"assaymark.web.{_page}")
GUIDED, SIMPLE = ("--design", "weighted"), ("--design", "simple")
STATES = {
    "few labels, score-guided": ("f1 >= 0.7", GUIDED, 15, "continue"),
    "few labels, anytime": ("recall >= 0.6", ("--mode", "anytime", *SIMPLE), 15, "continue"),
    "established, score-guided": ("recall >= 0.5", GUIDED, 250, "pass"),
    "established, anytime": ("f1 >= 0.4", ("--mode", "anytime", *SIMPLE), 250, "pass"),
    "established, budget": ("accuracy >= 0.8", ("--mode", "budget", "--expect", 0.95), 250, "pass"),
    "established, fixed": ("accuracy >= 0.8", ("--mode", "fixed", "--budget", 90), 250, "pass"),
    "refuted, score-guided": ("precision >= 0.99", GUIDED, 250, "fail"),
    "refuted, anytime": ("f1 >= 0.99", ("--mode", "anytime", *SIMPLE), 600, "fail"),
    "not established, fixed": ("recall >= 0.99", ("--mode", "fixed", "--budget", 90), 250, "fail"),
    "every item labelled": ("accuracy >= 0.99", GUIDED, 10_000, "fail"),
}


@pytest.fixture(params=STATES, ids=lambda name: name.replace(", ", "-").replace(" ", "-"))
def worked(request, assaymark, tmp_path):
    """A project in this state, and how its last look ended."""
    claim, options, most, expected = STATES[request.param]
    whole = request.param == "every item labelled"
    world = write_world(tmp_path / "scores.csv", items=60 if whole else 1500, seed=7)
    columns = ("--id", "id", "--score", "score", "--threshold", 0.5, "--text", "body")
    folder = tmp_path / "work"
    assaymark("init", folder, "--pool", world.path, *columns)
    sealed = assaymark("plan", claim, *options, "--anyway", "--seed", "s", "-p", folder)
    assert sealed.code == 0, sealed.err
    decision, done = "continue", 0
    while done < most and (whole or decision == "continue"):
        count = () if whole or "fixed" in options else (min(40, most),)
        drawn = assaymark("draw", *count, "-o", tmp_path / f"{done}.csv", "-p", folder, "--json")
        items = drawn.json["items"] if drawn.code == 0 else []
        if not items:
            break
        labels = write_labels(tmp_path / "l.csv", {item: world.truth[item] for item in items})
        assert assaymark("label", labels, "-p", folder).code == 0
        done += len(items)
        if not whole:
            decision = assaymark("look", "-p", folder, "--json").json["decision"]
    look = assaymark("look", "-p", folder, "--json").json
    assert look["decision"] == expected
    return folder, look


def text_of(page: str) -> str:
    """What a reader sees of a page, without pictures."""
    page = re.sub(r"<(style|script|svg)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def range_of(one: dict) -> str:
    """The range as page and report print it; one value where it is known exactly."""
    if one["low"] == one["high"]:
        return shown(one["low"])
    return f"{rounded(one['low'])} to {rounded(one['high'], up=True)}"


def watched(folder) -> str:
    """The dashboard with its four numbers."""
    app = make_app(Project(folder=folder), Options(links={"lead": "secret"}), clock=time.time)
    with TestClient(app, base_url="http://127.0.0.1:8765", follow_redirects=True) as web:
        web.post("/enter", data={"token": "secret", "name": "kim"}, follow_redirects=False)
        page = web.get("/watch").text
        return text_of(page + web.get("/watch/numbers").text)


def test_every_number_is_the_same_everywhere(worked, assaymark, tmp_path) -> None:
    folder, look = worked
    own, labels = look["metric"], look["labels"]
    estimate = assaymark("estimate", "-p", folder, "--json").json
    status = assaymark("status", "-p", folder, "--json").json
    said = assaymark("look", "-p", folder).out + assaymark("status", "-p", folder).out
    page = watched(folder)
    assert assaymark("report", "-o", tmp_path / "r.html", "-p", folder).code == 0
    report = text_of((tmp_path / "r.html").read_text(encoding="utf-8"))

    assert labels == estimate["labels"] == status["labelled"]
    assert f"{labels:,} labelled" in page
    assert f"Labels {labels:,} that count" in report
    assert f"{labels:,} of them are labelled" in report
    assert f"{labels:,} label" in said or f"all {labels:,} items were labelled" in said

    card = ("prevalence", "recall", "precision", "elusion")
    for name in (one for one in card if one in estimate and estimate[one]["point"] is not None):
        title = {"prevalence": "Richness"}.get(name, name.capitalize())
        value = range_of(estimate[name])
        assert f"{title} {value} " in page
        assert f"{title} {value} estimate {shown(estimate[name]['point'])}" in report

    one = estimate[own]
    assert one["low"] <= one["point"] <= one["high"]
    assert one["point"] == pytest.approx(look["point"]) or look["census"]
    target = float(look["claim"].split()[-1])
    assert (one["low"] >= target) == (look["decision"] == "pass")
    if look["decision"] == "pass":
        proves(assaymark, folder, look, page, report)


def proves(assaymark, folder, look, page, report) -> None:
    """What is proven is one number, from the look to the stranger's check."""
    proven = f"{rounded(look['low'])} or more (95% confidence)"
    assert proven in page
    assert proven in report
    issued = assaymark("certify", "-p", folder)
    checked = assaymark("verify", folder / "certificate.json", "-p", folder)
    bound = f"≥ {rounded(look['low'])} with 95% confidence ({look['labels']:,} labels"
    assert bound in issued.out
    assert bound in checked.out
    text = json.dumps(json.loads((folder / "certificate.json").read_text(encoding="utf-8")))
    assert str(look["labels"]) in text


SEVERAL = {
    "few labels": ("recall >= 0.6 and precision >= 0.6", 20, "continue"),
    "established": ("recall >= 0.5 and precision >= 0.4", 400, "pass"),
    "refuted": ("recall >= 0.5 and precision >= 0.99", 600, "fail"),
    "groups": ("recall >= 0.4 in every team", 400, "pass"),
}


@pytest.mark.parametrize("state", SEVERAL)
def test_every_number_of_several_parts_is_the_same_everywhere(state, assaymark, tmp_path) -> None:
    claim, most, expected = SEVERAL[state]
    world = write_world(tmp_path / "scores.csv", items=1500, seed=7)
    lines = world.path.read_text(encoding="utf-8").splitlines()
    teams = [f"{line},{('a', 'b')[at % 2]}" for at, line in enumerate(lines[1:])]
    world.path.write_text("\n".join([f"{lines[0]},team", *teams]) + "\n", encoding="utf-8")
    columns = ("--id", "id", "--score", "score", "--threshold", 0.5, "--group", "team")
    folder = tmp_path / "work"
    assert assaymark("init", folder, "--pool", world.path, *columns, "--text", "body").code == 0
    assert assaymark("plan", claim, "--seed", "s", "-p", folder).code == 0
    look, done = {"decision": "continue"}, 0
    while done < most and look["decision"] == "continue":
        file = tmp_path / f"{done}.csv"
        items = assaymark("draw", min(50, most), "-o", file, "-p", folder, "--json").json["items"]
        labels = write_labels(tmp_path / "l.csv", {item: world.truth[item] for item in items})
        assert assaymark("label", labels, "-p", folder).code == 0
        done += len(items)
        look = assaymark("look", "-p", folder, "--json").json
    assert (look["decision"], look["labels"]) == (expected, done)
    status = assaymark("status", "-p", folder, "--json").json
    assert status["labelled"] == done
    said = assaymark("look", "-p", folder).out
    page = watched(folder)
    assert assaymark("report", "-o", tmp_path / "r.html", "-p", folder).code == 0
    report = text_of((tmp_path / "r.html").read_text(encoding="utf-8"))
    places = {"look": said, "page": page, "report": report}
    assert f"Labels {done:,} that count" in report
    for part in look["parts"]:
        assert [name for name, text in places.items() if part["part"] not in text] == []
        if part["bound"] is not None:
            assert f"at least {part['bound']:g} on its own" in said
            row = f" {part['bound']:g} {part['labels']:,} {part['items']:,} "
            assert row in page
            assert row in report
    if expected == "pass":
        statement = look["statement"]
        assert said.startswith(f"Established: {statement}")
        issued = assaymark("certify", "-p", folder).out
        checked = assaymark("verify", folder / "certificate.json", "-p", folder).out
        for text in (said, page, report, issued, checked):
            assert statement.rstrip(".") in text
