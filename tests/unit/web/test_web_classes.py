"""Labels that are classes, on the page: a key for each, names in the ledger."""

import re
import time

import pytest
from test_web import answer, signed

from assaymark.project.folder import Project

HTML = {"accept": "text/html"}


def begun(assaymark, tmp_path, count, *, drawn=True):
    lines = ["id,topic,body", *(f"d{i},class {i % count},text {i}" for i in range(60))]
    (tmp_path / "pool.csv").write_text("\n".join(lines) + "\n")
    folder = tmp_path / "work"
    pool = ("--pool", tmp_path / "pool.csv", "--id", "id", "--text", "body")
    made = assaymark("init", folder, *pool, "--prediction", "topic", "--classes")
    assert made.code == 0, made.err
    assert assaymark("plan", "accuracy >= 0.7", "--seed", "s", "-p", folder).code == 0
    if drawn:
        assert assaymark("draw", "10", "-p", folder).code == 0
    return folder


def test_a_class_is_recorded_by_its_name(assaymark, tmp_path):
    folder = begun(assaymark, tmp_path, 3)
    with signed(folder) as web:
        page = web.get("/label", headers=HTML).text
        assert re.findall(r'data-key="(\d)"', page) == ["1", "2", "3", "4"]
        assert "none of the list" in page
        assert 'data-answer="relevant"' not in page
        items = web.post("/label/hand", json={}).json()["items"]
        first = items[0]
        items = answer(web, first, "class-2").json()["items"]
        assert answer(web, items[0], "relevant").status_code == 400
        second = items[0]
        items = answer(web, second, "class-3").json()["items"]
        third = items[0]
        answer(web, third, "unclear")
        back = web.post("/label/back", json={"before": third["id"]}).json()
        assert back["answer"] == "class-3"
    state = Project(folder=folder).state()
    named = [state.value(state.label(one["id"])) for one in (first, second, third)]
    assert named == ["class 2", "none of the list", None]


@pytest.mark.parametrize(("count", "typed"), [(9, False), (10, True), (20, True)])
def test_more_classes_than_keys_are_typed(assaymark, tmp_path, count, typed):
    folder = begun(assaymark, tmp_path, count)
    with signed(folder) as web:
        page = web.get("/label", headers=HTML).text
    assert ('id="class-find"' in page) is typed
    assert page.count('class="answer class"') == count + 1


def test_a_claim_on_a_pool_without_scores_is_read_on_the_page(assaymark, tmp_path):
    """There is no forecast to show, which is said, and the claim can be sealed."""
    folder = begun(assaymark, tmp_path, 12)
    assert assaymark("plan", "--abandon", "x", "-p", folder).code == 0
    with signed(folder) as web:
        read = web.post("/plan/words", json={"claim": "recall of every class >= 0.7"})
    assert read.status_code == 200
    assert read.json()["sentence"] == (
        "Labels to expect: no forecast, because the pool has no scores."
    )
    assert len(read.json()["parts"]) == 12


def test_a_sealed_claim_draws_by_itself_and_nothing_is_called_labelled(assaymark, tmp_path):
    """Before the first items were there the page said that all of them were labelled."""
    folder = begun(assaymark, tmp_path, 3, drawn=False)
    with signed(folder, name="ann", auto_draw=True) as web:
        first = web.post("/label/hand", json={"keep": []}).json()
        if not first["items"]:
            assert first["standing"]["title"] == "Nothing to label yet"
            assert "being drawn" in first["standing"]["text"]
        for _ in range(200):
            if web.post("/label/hand", json={"keep": []}).json()["items"]:
                break
            time.sleep(0.05)
        else:
            raise AssertionError("nothing was drawn")
