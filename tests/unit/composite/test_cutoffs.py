"""A cut-off with a promised number of labels: the fixed walk, and what a ladder is told to cost."""

import csv
import json
import math

import pytest

import assaymark as am
from assaymark.errors import InputError
from assaymark.project.folder import Project
from worlds_on_disk import write_rows


@pytest.fixture(scope="module")
def pool(tmp_path_factory):
    """1,200 items: above a score of 0.3 nearly all are positive, below it none is."""
    path = tmp_path_factory.mktemp("cutoff") / "pool.csv"
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "body", "score"])
        for i in range(1200):
            score = (i * 37 % 1200) / 1200
            positive = score > 0.3 and i % 40 != 0
            writer.writerow([f"m{i}", f"{int(positive)} text", f"{score:.4f}"])
    return path


def begun(assaymark, pool, folder):
    columns = ("--id", "id", "--score", "score", "--threshold", "0.5", "--text", "body")
    done = assaymark("init", folder, "--pool", pool, *columns)
    assert done.code == 0, done.err


def labelled(assaymark, folder, batch, count):
    drawn = assaymark("draw", str(count), "-o", batch, "-p", folder, "--json")
    assert drawn.code == 0, drawn.err
    rows = list(csv.DictReader(batch.read_text().splitlines()))
    write_rows(batch, ({**row, "label": row["body"][0]} for row in rows))
    assert assaymark("label", batch, "-p", folder).code == 0
    return len(rows)


@pytest.mark.parametrize("claim", ["recall >= 0.8", "precision >= 0.8"])
def test_a_budget_is_judged_once_and_certified(assaymark, pool, tmp_path, claim):
    folder = tmp_path / "w"
    begun(assaymark, pool, folder)
    sealed = assaymark("cutoff", claim, "--budget", "150", "--seed", "s", "--json", "-p", folder)
    assert sealed.code == 0, sealed.err
    told = json.loads(sealed.out)
    assert (told["judged"], told["budget"]) == ("once", 150)
    labelled(assaymark, folder, tmp_path / "b1.csv", 40)
    early = json.loads(assaymark("look", "--json", "-p", folder).out)
    assert early["decision"] == "continue"
    assert early["cutoff"] is None
    assert "judged once, when all 150 labels are there: 40 so far" in early["statement"]
    assert labelled(assaymark, folder, tmp_path / "b2.csv", 200) == 110, "the promise is kept"
    seen = json.loads(assaymark("look", "--json", "-p", folder).out)
    assert seen["decision"] == "pass", seen
    states = [rung["state"] for rung in seen["rungs"]]
    assert states == sorted(states, reverse=True), "a rung counts only with all before it"
    assert "budget of 150 draws is spent" in assaymark("draw", "-p", folder).err
    issued = json.loads(assaymark("certify", "--json", "-p", folder).out)
    assert issued["statement"].startswith(f"From score {seen['cutoff']:g} up, {claim}")
    checked = assaymark("verify", folder / "certificate.json", "-p", folder, "--json")
    assert checked.code == 0, checked.out
    assert assaymark("report", "-p", folder).code == 0


def test_draws_of_a_walk_do_not_depend_on_the_batches(assaymark, pool, tmp_path):
    ids = []
    for name, sizes in (("a", (150,)), ("b", (7, 100, 43))):
        folder = tmp_path / name
        begun(assaymark, pool, folder)
        assaymark("cutoff", "recall >= 0.8", "--budget", "150", "--seed", "s", "-p", folder)
        for number, size in enumerate(sizes):
            labelled(assaymark, folder, tmp_path / f"{name}{number}.csv", size)
        ids.append(Project(folder=folder).state().surveys[-1].order)
    assert ids[0] == ids[1]
    assert len(set(ids[0])) == 150


def test_every_rung_has_its_price(assaymark, pool, tmp_path):
    begun(assaymark, pool, tmp_path / "w")
    sealed = assaymark("cutoff", "recall >= 0.8", "--seed", "s", "--json", "-p", tmp_path / "w")
    rungs = json.loads(sealed.out)["forecast"]
    priced = [rung for rung in rungs if rung["labels_ladder"] is not None]
    assert priced
    climb = [rung["labels_ladder"] for rung in priced]
    assert climb == sorted(climb), "a cut-off counts only with all before it"
    assert all(
        low <= n <= bad
        for n, (low, bad) in zip(climb, (r["range_ladder"] for r in priced), strict=True)
    )
    assert [rung["cutoff"] for rung in rungs] == sorted(rung["cutoff"] for rung in rungs)


def fewest_of_precision():
    """Of 60 items above 0.95 up to 53 are positive where precision is below 0.9."""
    return next(n for n in range(1, 60) if math.comb(53, n) <= 0.05 * math.comb(60, n))


@pytest.mark.parametrize(
    ("claim", "fewest"),
    [("recall >= 0.9", 29), ("precision >= 0.9", fewest_of_precision())],
    ids=["recall", "precision"],
)
def test_a_budget_that_can_prove_no_cut_off_is_refused(assaymark, pool, tmp_path, claim, fewest):
    """Of recall: 0.9^28 = 0.0523 is above the level of 0.05, and 0.9^29 = 0.0471 is not."""
    folder = tmp_path / "w"
    begun(assaymark, pool, folder)
    asked = ("cutoff", claim, "--at", "0.9", "--at", "0.95", "-p", folder, "--budget")
    refused = assaymark(*asked, fewest - 1)
    assert refused.code == 2
    assert f"it takes at least {fewest}" in refused.err
    assert assaymark(*asked, fewest).code == 0


def test_a_promised_number_of_labels_in_python(pool):
    """The fixed walk, as with --budget: nothing is said before the last label."""
    work = am.cutoff(pool, "recall >= 0.8", budget=100, id="id", text="body", seed=1)
    half = work.run(lambda item: int(item.text[0]), batch=50, max_labels=50)
    assert (half.decision, half.bound) == ("continue", None)
    found = work.run(lambda item: int(item.text[0]), batch=50)
    assert (found.decision, found.labels) == ("pass", 100)
    assert found.bound is not None
    assert work.certify().path.exists()
    with pytest.raises(InputError, match="no cut-off can be proved"):
        am.cutoff(pool, "recall >= 0.8", budget=3, id="id")
