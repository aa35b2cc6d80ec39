"""What the answers of a project cost, second readings too."""

from assaymark.labelling.settings import Settings
from assaymark.labelling.spending import Spending, spending
from assaymark.project.folder import Project
from worlds_on_disk import write_labels

SETTINGS = Settings(cost=0.8, currency="USD")


def test_every_answer_costs_second_readings_too(assaymark, project, world, tmp_path) -> None:
    assert spending(Project(folder=project).state(), SETTINGS).sentence == ""
    assaymark("plan", "f1 >= 0.8", "--seed", "s", "-p", project)
    items = assaymark("draw", 5, "-o", tmp_path / "b.csv", "-p", project, "--json").json["items"]
    for name, read in (("kim", items), ("lee", items[:2])):
        path = write_labels(tmp_path / f"{name}.csv", {item: world.truth[item] for item in read})
        assert assaymark("label", path, "--annotator", name, "-p", project).code == 0
    state = Project(folder=project).state()
    told = spending(state, SETTINGS).sentence
    assert told == "7 answers so far (2 of them second readings): 5.60 USD"
    assert spending(state, Settings()).sentence == "7 answers so far (2 of them second readings)"
    one = Spending(answers=3, again=1, cost=0, currency="")
    assert one.sentence == "3 answers so far (1 of them a second reading)"
