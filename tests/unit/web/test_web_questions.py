"""What the page asks before it does it: draws that would not count, and reviewers who are away."""

import pytest
from test_web import signed

from assaymark.project.folder import Project
from worlds_on_disk import write_labels

HTML = {"accept": "text/html"}


@pytest.fixture
def blocked(assaymark, project, world, tmp_path):
    """A project whose first item has no label while later ones have theirs."""
    assaymark("plan", "f1 >= 0.8", "--mode", "anytime", "--seed", "s", "-p", project)
    items = assaymark("draw", 12, "-o", tmp_path / "b.csv", "-p", project, "--json").json["items"]
    labels = {item: world.truth[item] for item in items[1:]}
    assaymark("label", write_labels(tmp_path / "l.csv", labels), "-p", project)
    return project, items


def drawn(folder) -> int:
    return len(Project(folder=folder).state().attempt.order)


def test_drawing_asks_where_new_items_would_not_count(blocked) -> None:
    folder, items = blocked
    with signed(folder) as web:
        page = web.get("/watch", headers=HTML).text
        assert f"11 labels do not count yet because item {items[0]} has no label" in page
        asked = web.post("/watch/draw", headers=HTML)
        assert "Draw more items anyway?" in asked.text
        assert "New items will not count either until then." in asked.text
        assert drawn(folder) == 12
        web.post("/watch/draw", data={"anyway": "yes"}, headers=HTML)
    assert drawn(folder) > 12


def test_nothing_is_offered_where_the_next_items_need_the_missing_labels(
    assaymark, project, world, tmp_path
) -> None:
    """The page offered to draw anyway, and then refused it."""
    assaymark("plan", "f1 >= 0.8", "--mode", "score-guided", "--seed", "s", "-p", project)
    drew = assaymark("draw", 500, "-o", tmp_path / "b.csv", "-p", project, "--json")
    first, *others = drew.json["items"]
    labels = {item: world.truth[item] for item in others}
    assaymark("label", write_labels(tmp_path / "l.csv", labels), "-p", project)
    with signed(project) as web:
        asked = web.post("/watch/draw", headers=HTML).text
        assert "No more items can be drawn yet" in asked
        assert f"because item {first} has no label. The next items are chosen by" in asked
        assert "anyway" not in asked
        assert 'href="/items?state=waiting"' in asked


def test_counts_follow_without_a_look(blocked, assaymark) -> None:
    folder, _ = blocked
    with signed(folder) as web:
        web.get("/watch", headers=HTML)
        before = len(Project(folder=folder).ledger.entries())
        assert web.get("/watch/news").json()["drawn"] == 12
        assert len(Project(folder=folder).ledger.entries()) == before
        assaymark("draw", 5, "--anyway", "-p", folder)
        news = web.get("/watch/news").json()
    assert (news["drawn"], news["mine"], news["waiting"]) == (17, 6, 6)
    assert news["can_draw"] is True


def test_the_money_spent_stands_on_progress_and_result(blocked) -> None:
    folder, _ = blocked
    with signed(folder) as web:
        for page in ("/watch", "/read", "/plan"):  # nobody has set a price yet
            shown = web.get(page, headers=HTML).text
            assert "11 answers so far." in shown or page == "/plan"
            assert ".00 EUR" not in shown
            assert ">money<" not in shown
        web.post("/plan/settings", data={"cost": "1.5"})
        for page in ("/watch", "/read"):
            assert "11 answers so far: 16.50 EUR" in web.get(page, headers=HTML).text
        web.post("/plan/settings", data={"cost": ""})
        assert "11 answers so far." in web.get("/watch", headers=HTML).text
        assert "<h1>F1 is at least 0.8</h1>" in web.get("/read", headers=HTML).text


def test_after_a_closed_plan_all_labels_are_counted_not_those_of_an_earlier_sample(
    assaymark, project, world, tmp_path
) -> None:
    def labelled(file) -> None:
        items = assaymark("draw", "-o", file, "-p", project, "--json").json["items"]
        labels = write_labels(file.with_suffix(".l.csv"), {i: world.truth[i] for i in items})
        assert assaymark("label", labels, "-p", project).code == 0

    assaymark("plan", "--estimate", "accuracy", "--budget", 20, "-p", project)
    labelled(tmp_path / "a.csv")
    assaymark("plan", "accuracy >= 0.5", "--mode", "fixed", "--budget", 40, "-p", project)
    labelled(tmp_path / "b.csv")
    assert assaymark("look", "-p", project).code == 0
    assert assaymark("certify", "-p", project).code == 0
    answers = len(Project(folder=project).state().answers)
    with signed(project) as web:
        progress = web.post("/label/hand", json={}).json()["progress"]
    assert answers > 20
    assert (progress["done"], progress["of"]) == (answers, answers)


def test_whoever_leaves_the_labelling_page_keeps_no_item_from_others(blocked) -> None:
    folder, items = blocked
    with signed(folder, name="ann") as lead:
        assert [one["id"] for one in lead.post("/label/hand", json={}).json()["items"]] == items[:1]
        with signed(folder, name="kim", role="annotator") as web:
            assert web.post("/label/hand", json={}).json()["items"] == []
            assert lead.post("/label/release", json={}).status_code == 204
            handed = web.post("/label/hand", json={}).json()["items"]
    assert [one["id"] for one in handed] == items[:1]


def test_items_of_somebody_who_is_away_are_counted_after_the_cost_was_shown(blocked) -> None:
    folder, items = blocked
    with signed(folder, name="ann") as web:
        assert "Is a reviewer away?" in web.get("/items", headers=HTML).text
        asked = web.post("/items/overdue", data={"days": "0"}, headers=HTML)
        assert "Count 1 item as cannot tell?" in asked.text
        assert "it is counted against the claim, whatever it is in truth" in asked.text
        assert not Project(folder=folder).state().answers.get(items[0])
        none = web.post("/items/overdue", data={"days": "14"})
        assert none.status_code == 400
        assert "No drawn item has been without an answer for 14 days." in none.text
        assert web.post("/items/overdue", data={"days": "soon"}).json()["field"] == "days"
        done = web.post("/items/overdue", data={"days": "0", "sure": "yes"}, headers=HTML)
        assert done.status_code == 200
    state = Project(folder=folder).state()
    assert state.answers[items[0]] == {"ann": None}
    with signed(folder, role="annotator") as web:
        assert web.post("/items/overdue", data={"days": "0"}).status_code == 403


def test_one_open_item_of_a_claim_of_several_parts_is_named_and_can_be_counted(
    assaymark, project, world, tmp_path
) -> None:
    """Labels after it did not count, and every place said to draw more."""
    claim = "recall >= 0.6 and precision >= 0.5"
    assert assaymark("plan", claim, "--seed", "s", "-p", project).code == 0
    assaymark("draw", 20, "-o", tmp_path / "b.csv", "-p", project)
    order = Project(folder=project).state().surveys[-1].order
    labels = {item: world.truth[item] for item in order[1:]}
    told = assaymark("label", write_labels(tmp_path / "l.csv", labels), "-p", project).out
    held_up = f"{len(order) - 1} labels do not count yet because item {order[0]} has no label"
    for said in (
        told,
        assaymark("look", "-p", project).out,
        assaymark("status", "-p", project).out,
    ):
        assert held_up in said
        assert "draw --pending" in said
    refused = assaymark("draw", 5, "-p", project)
    assert (refused.code, held_up in refused.err) == (2, True)
    with signed(project, name="ann") as web:
        assert held_up in web.get("/watch", headers=HTML).text
        assert "Draw more items anyway?" in web.post("/watch/draw", headers=HTML).text
        assert "Is a reviewer away?" in web.get("/items", headers=HTML).text
        asked = web.post("/items/overdue", data={"days": "0"}, headers=HTML)
        assert "Count 1 item as cannot tell?" in asked.text
        web.post("/items/overdue", data={"days": "0", "sure": "yes"}, headers=HTML)
        assert "do not count yet" not in web.get("/watch", headers=HTML).text
    assert Project(folder=project).state().answers[order[0]] == {"ann": None}
    assert assaymark("draw", 5, "-p", project).code == 0


def test_what_a_failed_plan_proves_is_certified_on_the_page(
    assaymark, project, world, tmp_path
) -> None:
    """It named a command, which whoever has no terminal cannot type."""
    assaymark("plan", "f1 >= 0.95", "--mode", "fixed", "--budget", 600, "-p", project)
    items = assaymark("draw", "-p", project, "-o", tmp_path / "b.csv", "--json").json["items"]
    labels = {item: world.truth[item] for item in items}
    assaymark("label", write_labels(tmp_path / "l.csv", labels), "-p", project)
    with signed(project) as web:
        page = web.get("/watch", headers=HTML).text
        assert "Not established" in page
        assert ">Certify what is proven</button>" in page
        assert web.post("/watch/certify", headers=HTML).status_code == 400, "not what was claimed"
        result = web.post("/watch/certify", data={"bound": "yes"}, headers=HTML).text
        assert "Download the certificate" in result
        assert "Certify what is proven" not in web.get("/watch", headers=HTML).text
    certificate = Project(folder=project).state().attempt
    assert certificate.bound is not None
