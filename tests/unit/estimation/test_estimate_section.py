"""The section of a report about an estimate."""

import re

from assaymark.estimation.report import estimate_section
from worlds_on_disk import write_labels


def row(metric: str, low: float, high: float) -> dict[str, object]:
    names = {"metric": metric, "title": metric, "point": 0.1, "low": 0.05, "high": 0.2}
    return {**names, "guaranteed_low": low, "guaranteed_high": high}


def test_the_guaranteed_side_is_the_one_that_people_ask_for() -> None:
    """A table said "at least 0.005" of elusion, which is good when it is small."""
    metrics = [row("recall", 0.8, 0.95), row("elusion", 0.005, 0.0178), row("accuracy", 0.0, 0.9)]
    result = {"metrics": metrics, "labels": 100, "strata": ()}
    (table, *_) = estimate_section(result).tables
    column = table.header.index("guaranteed")
    told = [cells[column] for cells in table.rows]
    assert told == ["at least 0.8", "at most 0.0178", "at most 0.9"]


def test_nobody_is_sent_to_prove_what_is_guaranteed(assaymark, project, world, tmp_path) -> None:
    """`estimate` guaranteed an F1 of 0.86 and advised to buy a proof of 0.84."""
    write_labels(tmp_path / "all.csv", world.truth)
    steps = []
    for budget in (20, len(world.truth) - 40):
        plan = ("plan", "--estimate", "f1", "--budget", budget, "-p", project)
        assert assaymark(*plan).code == 0
        assert assaymark("draw", "-p", project, "-o", tmp_path / f"{budget}.csv").code == 0
        assert assaymark("label", tmp_path / "all.csv", "-p", project).code == 0
        steps.append(assaymark("estimate", "-p", project).out)
    assert re.search(r'Next: if you want it proved: assaymark plan "f1 >= 0\.\d+"', steps[0])
    assert steps[1].endswith(f"Next: a page with these figures: assaymark report -p {project}\n")


def test_without_scores_nothing_is_said_to_follow_from_them(assaymark, tmp_path) -> None:
    """A forecast "if the scores are right" and what they promise were printed where there are none."""
    rows = [f"{n},{int(n % 5 == 0)},text {n}" for n in range(400)]
    (tmp_path / "pool.csv").write_text("\n".join(["id,flag,text", *rows]))
    work = tmp_path / "work"
    columns = ("--id", "id", "--prediction", "flag", "--text", "text")
    assert assaymark("init", work, "--pool", tmp_path / "pool.csv", *columns).code == 0
    estimate = ("plan", "--estimate", "recall", "--budget", 100, "-p", work)
    for more in (("--forecast",), ()):
        said = assaymark(*estimate, *more).out
        assert "scores promise" not in said
        assert "if the scores are right" not in said
        assert "forecast       none: without scores nothing is known before the first label" in said
