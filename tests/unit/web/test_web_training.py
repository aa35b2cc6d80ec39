"""Training on the page: items are labelled there, and the lead goes on or stops with a button."""

import asyncio
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from test_web import answer, signed

from assaymark.ledger.events import settings_of, training_of
from assaymark.project.folder import Project
from assaymark.web.pages import training as buttons
from training_worlds import answer_training, begun, write_texts

HTML = {"accept": "text/html"}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return write_texts(tmp_path_factory.mktemp("texts") / "pool.csv", items=600)


@pytest.fixture
def project(world, tmp_path):
    return begun(world, tmp_path / "work")


def test_training_items_are_labelled_on_the_page(project, world) -> None:
    with signed(project.folder) as web:
        page = web.get("/label", headers=HTML).text
        assert "to train a classifier" in page
        items = web.post("/label/hand", json={}).json()["items"]
        given = []
        while items:
            assert [field["name"] for field in items[0]["fields"]] == ["title", "body"]
            given.append(items[0]["id"])
            word = "relevant" if world.truth[items[0]["id"]] else "not"
            items = answer(web, items[0], word).json()["items"]
    assert sorted(given) == sorted(training_of(project.state()).order)


def test_the_lead_goes_on_and_stops_with_buttons(project, world) -> None:
    with signed(project.folder) as web:
        page = web.get("/watch", headers=HTML).text
        assert "Refit" not in page, "there is nothing to learn from"
        assert "Stop training and certify" not in page, "there is no model yet"
        assert page.count("Training has begun with 0 labels") == 1, "a sentence is said once"
        assert "command line" not in page
        assert "<h1>F1 is at least 0.8</h1>" in web.get("/plan", headers=HTML).text
        answer_training(project, world)
        told = web.post("/label/hand", json={}).json()["standing"]["text"]
        assert told.startswith("Let the classifier learn from them"), "nothing is proven yet"
        page = web.get("/read", headers=HTML).text
        assert 'href="/watch">Progress</a>' in page, "no dead end"
        page = web.get("/watch", headers=HTML).text
        assert "Refit and draw the next batch" in page
        assert "no classifier was trained on them yet" in page
        done = web.post("/watch/train", headers=HTML)
        assert done.status_code == 200
        assert "How the classifier is being trained" in done.text
        assert "Keep labelling: " in done.text
        assert re.search(r"flagged for reading</td>\s*<td[^>]*>\d+% of the items", done.text)
        assert re.search(r"labels in all</td>\s*<td[^>]*>(about|no forecast)", done.text)
        assert '<figure class="drawn" tabindex="0"><svg' in done.text
        assert not (project.folder / "survey-1-2.csv").exists(), "nobody needs a file here"
        answer_training(project, world)
        web.post("/plan/settings", data={"cost": "1"})
        asked = web.post("/watch/stop", headers=HTML)
        assert "Freeze the classifier and seal the plan?" in asked.text
        assert re.search(r"Certifying f1 &gt;= 0.8 will take about [\d,]+ labels?", asked.text)
        assert re.search(r"\d+ answers so far: [\d,]+\.00 EUR\.", asked.text)
        assert re.search(r"The labels to come will cost about [\d,]+ EUR\.", asked.text)
        assert project.state().attempt is None, "nothing is sealed before the cost was seen"
        stopped = web.post("/watch/stop", data={"sure": "yes"}, headers=HTML)
        assert stopped.status_code == 200
        assert "The claim is about the 480 items that training never took" in stopped.text
        assert "Draw the next items" in stopped.text
        assert "Refit" not in stopped.text
        plan = web.get("/plan", headers=HTML).text
        assert "is being trained" not in plan
        assert "expected" not in plan, "two forecasts of one plan would contradict each other"
    assert project.state().attempt.open


def test_target_and_budget_change_on_the_page_until_the_freeze(project, world) -> None:
    """Advice to lower the target or to raise the budget can be followed without a terminal."""
    with signed(project.folder) as web:
        answer_training(project, world)
        page = web.post("/watch/train", headers=HTML).text
        assert "Change the target or the budget" in page
        budget = settings_of(training_of(project.state())).goal.budget
        done = web.post(
            "/watch/train", data={"target": "70 %", "budget": f"{budget + 100:,}"}, headers=HTML
        )
        assert done.status_code == 200
        goal = settings_of(training_of(project.state())).goal
        assert (str(goal.claim), goal.budget) == ("f1 >= 0.7", budget + 100)
        wrong = web.post("/watch/train", data={"target": "much", "budget": ""}, headers=HTML)
        assert wrong.status_code == 400
        assert settings_of(training_of(project.state())).goal == goal


def test_training_items_are_not_handed_out_while_they_are_judged(project, world) -> None:
    with signed(project.folder) as web:
        answer_training(project, world)
        web.post("/watch/train", headers=HTML)
        web.post("/watch/stop", data={"sure": "yes"}, headers=HTML)
        assert web.post("/label/hand", json={}).json()["items"] == []
        web.post("/watch/draw", headers=HTML)
        items = web.post("/label/hand", json={}).json()["items"]
    assert items
    assert not {item["id"] for item in items} & set(training_of(project.state()).order)


def test_the_first_items_of_the_sealed_plan_are_drawn_by_themselves(project, world) -> None:
    with signed(project.folder, auto_draw=True) as web:
        answer_training(project, world)
        web.post("/watch/train", headers=HTML)
        answer_training(project, world)
        web.post("/watch/stop", data={"sure": "yes"}, headers=HTML)
        for _ in range(600):
            if project.state().attempt.draws:
                break
            time.sleep(0.1)  # the draw is made beside the answer
    assert project.state().attempt.draws


def test_an_answer_about_a_training_item_is_refused_while_it_is_judged(project, world) -> None:
    with signed(project.folder) as web:
        (item,) = web.post("/label/hand", json={}).json()["items"][:1]
        answer_training(project, world)
        web.post("/watch/train", headers=HTML)
        web.post("/watch/stop", data={"sure": "yes"}, headers=HTML)
        before = len(project.ledger.entries())
        other = "not" if world.truth[item["id"]] else "relevant"
        refused = answer(web, item, other, correcting=True)
    assert "is frozen, so no label of it is taken" in refused.text
    assert len(project.ledger.entries()) == before


def test_the_buttons_are_the_leads(project) -> None:
    with signed(project.folder) as web:
        refused = web.post("/watch/train", headers={"x-assaymark-token": "wrong"})
    assert refused.status_code == 403
    assert Project(folder=project.folder).state().attempt is None


def test_a_refit_says_what_it_does_and_runs_once_at_a_time(project, monkeypatch) -> None:
    told, go_on = threading.Event(), threading.Event()

    def slow(*_, progress, **__) -> None:
        progress("cross-validating", 0.4)
        told.set()
        assert go_on.wait(30)

    monkeypatch.setattr(buttons, "train_on", slow)
    with signed(project.folder) as web:
        assert web.get("/watch/progress").json() == {"stage": ""}
        first = threading.Thread(target=web.post, args=("/watch/train",), kwargs={"headers": HTML})
        first.start()
        assert told.wait(30)
        assert web.get("/watch/progress").json() == {"stage": "cross-validating, 40%"}
        page = web.get("/watch", headers=HTML).text
        assert "The classifier is being trained (cross-validating, 40%)" in page
        second = web.post("/watch/stop")
        assert second.status_code == 409
        assert "is being trained at this moment" in second.json()["error"]
        go_on.set()
        first.join()
        assert web.get("/watch/progress").json() == {"stage": ""}


def test_a_server_that_ends_gives_the_refit_up_at_its_next_word() -> None:
    busy: dict[str, buttons.Work] = {}
    site = SimpleNamespace(busy=busy)
    request = SimpleNamespace(
        app=SimpleNamespace(state=SimpleNamespace(site=site)),
        headers={"accept": "application/json"},
    )
    told, ended, outcome = threading.Event(), threading.Event(), []

    def step(progress) -> None:
        progress("cross-validating", None)
        told.set()
        assert ended.wait(30)
        try:
            progress("scoring", None)
        except buttons.EndedError as error:
            outcome.append(error)

    async def end_during_it() -> int:
        task = asyncio.create_task(buttons._worked(request, step))
        await asyncio.to_thread(told.wait, 30)
        task.cancel()
        answered = await task
        ended.set()
        return answered.status_code

    # in a thread of its own: browser tests before this one leave a running loop in theirs
    with ThreadPoolExecutor(1) as alone:
        assert alone.submit(lambda: asyncio.run(end_during_it())).result() == 503
    assert len(outcome) == 1
    assert busy == {}
