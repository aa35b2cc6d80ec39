"""What goes wrong with people and browsers: double clicks, two tabs, the back button, lost lines."""

import csv
import json

import numpy as np
import pytest
from navigation import PATIENCE, follow
from test_page import label, shown

from assaymark.project.folder import Project

SAVED = "() => document.querySelector('#saved').textContent === 'saved ✓'"


@pytest.fixture
def thirty(assaymark, project):
    """A plan of thirty draws, drawn."""
    plan = ["accuracy >= 0.7", "--mode", "fixed", "--budget", 30, "--seed", "s"]
    assert assaymark("plan", *plan, "-p", project).code == 0
    assert assaymark("draw", "-p", project).code == 0
    return project


def answers(folder) -> dict[str, dict[str, int | None]]:
    return Project(folder=folder).state().answers


def test_double_click_two_tabs_and_the_back_button(serve, enter, thirty, world) -> None:
    with serve(thirty) as server:
        page = enter(server)
        page.goto(f"{server.url}/label")

        first = shown(page)
        page.dblclick("[data-answer=relevant]")  # the second click must not hit the next item
        page.wait_for_function(SAVED)
        page.wait_for_timeout(300)
        assert answers(thirty) == {first: {"kim": 1}}
        second = shown(page)
        assert second != first

        page.mouse.down(click_count=2)  # a slow double click: the first was saved long ago
        page.mouse.up(click_count=2)
        assert page.text_content("#saved") == "saved ✓"
        assert answers(thirty) == {first: {"kim": 1}}

        other = page.context.new_page()
        other.set_default_timeout(PATIENCE)
        other.goto(f"{server.url}/label")
        assert shown(other) == second  # the same person, so the same item
        label(page, {second: 1})
        other.keyboard.press("f")  # the other tab does not know yet
        other.wait_for_function(
            "() => document.querySelector('#saved').textContent.includes('Not saved')"
        )
        assert "another tab" in other.text_content("#saved")
        assert answers(thirty)[second] == {"kim": 1}
        other.wait_for_function(
            f"() => document.querySelector('#item-id').textContent !== {json.dumps(second)}"
        )
        assert shown(other) == shown(page)
        other.close()

        third = label(page, world.truth)
        fourth = shown(page)
        page.goto(f"{server.url}/watch")
        page.go_back()
        assert shown(page) == fourth  # an item that was answered does not come back to the screen
        assert label(page, world.truth) == fourth
        assert set(answers(thirty)) == {first, second, third, fourth}
        assert [fault for fault in page.faults if "409" not in fault] == []


def test_a_lost_line_holds_the_keys_and_saves_once(serve, enter, thirty) -> None:
    with serve(thirty) as server:
        page = enter(server)
        page.goto(f"{server.url}/label")
        item = shown(page)
        sent, line = [], {"lost": True}

        def lose(route) -> None:
            """The answer gets through, and the reply is lost: the page cannot know that."""
            sent.append(route.request.post_data_json["item"])
            if not line["lost"]:
                route.continue_()
                return
            if len(sent) == 1:
                route.fetch()
            route.abort("connectionreset")

        page.route("**/label/answer", lose)
        page.keyboard.press("j")
        page.wait_for_function(
            "() => document.querySelector('#saved').textContent === 'Not saved. Trying again…'"
        )
        page.keyboard.press("f")  # the keys pause, so this goes nowhere
        page.keyboard.press("j")
        line["lost"] = False
        page.wait_for_function(SAVED)
        assert len(sent) >= 2
        assert set(sent) == {item}
        page.wait_for_timeout(200)
        assert answers(thirty) == {item: {"kim": 1}}
        events = [e for e in Project(folder=thirty).ledger.entries() if e.kind == "LabelRecorded"]
        assert len(events) == 1, "the same answer, sent three times, is recorded once"


def test_a_survey_is_labelled_and_its_result_is_drawn(serve, enter, assaymark, tmp_path) -> None:
    rng = np.random.default_rng(3)
    truth = {f"d{number}": int(rng.random() < 0.3) for number in range(300)}
    with (tmp_path / "pool.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "score", "left", "right", "body"])
        for item, answer in truth.items():
            flags = [int(rng.random() < (0.8 if answer else 0.1)) for _ in range(2)]
            writer.writerow([item, 0.3 + 0.4 * answer, *flags, f"text of {item}"])
    folder = tmp_path / "work"
    assaymark("init", folder, "--pool", tmp_path / "pool.csv", "--id", "id", "--score", "score",
          "--threshold", 0.5, "--text", "body")  # fmt: skip
    ask = ("recall", "--a", "left", "--b", "right")
    assert assaymark(*ask, "--draw", 24, "--seed", "s", "-p", folder).code == 0
    with serve(folder) as server:
        page = enter(server)
        follow(page, "nav >> text=Label")
        for _ in range(24):
            label(page, truth)
        page.wait_for_selector("#done h2")
        assert assaymark(*ask, "-p", folder).code in (0, 1)
        page.goto(f"{server.url}/watch")
        page.wait_for_selector("figure.drawn svg text")
        ink = page.evaluate(
            "() => getComputedStyle(document.querySelector('.drawn svg text')).fill"
        )
        page.click(".menu summary")
        page.click("[data-theme-choice=dark]")
        dark = page.evaluate(
            "() => getComputedStyle(document.querySelector('.drawn svg text')).fill"
        )
        assert ink != dark, "the picture follows the page's colours"
        assert page.faults == []
    assert all(given == {"kim": truth[item]} for item, given in answers(folder).items())


def test_another_cut_off_is_tried_and_called_a_new_claim(serve, enter, assaymark, project) -> None:
    assaymark("plan", "f1 >= 0.8", "--seed", "s", "-p", project)
    assaymark("draw", 20, "-p", project)
    with serve(project) as server:
        page = enter(server)
        page.goto(f"{server.url}/watch")
        page.focus("#cut")
        for _ in range(5):
            page.keyboard.press("ArrowRight")
        told = page.text_content("#cut-told")
        assert "new claim" in told
        assert page.get_attribute(".cut-line >> nth=0", "visibility") == "visible"
        for _ in range(5):
            page.keyboard.press("ArrowLeft")
        assert page.get_attribute(".cut-line >> nth=0", "visibility") == "hidden"
        assert "part of the claim" in page.text_content("#cut-told")
        assert page.faults == []
