"""`assaymark recall` with files and in a project: what it draws, answers, records and refuses."""

import csv
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assaymark.overview.survey_sections import section_of
from worlds_on_disk import read_rows, write_rows

KEYS = {"recall", "low", "high", "band_low", "band_high"}
FLAGS = ("--a", "a", "--b", "b")


@pytest.fixture(scope="module")
def flagged_pool(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, int]]:
    """6,000 items, about 400 positive; three classifiers that find them independently."""
    rng = np.random.default_rng(42)
    truth = rng.random(6000) < 0.07
    flags = [rng.random(6000) < np.where(truth, found, 0.05) for found in (0.7, 0.6, 0.5)]
    path = tmp_path_factory.mktemp("flagged") / "pool.csv"
    ids = [f"i{number:04d}" for number in range(6000)]
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "a", "b", "c", "inside", "score", "body"])
        for k, name in enumerate(ids):
            a, b, c = (int(own[k]) for own in flags)
            writer.writerow([name, a, b, c, int(a and b), 0.5, f"text, {name}"])
    return path, dict(zip(ids, truth.astype(int).tolist(), strict=True))


@pytest.fixture
def flagged(flagged_pool, tmp_path: Path) -> tuple[Path, dict[str, int]]:
    return Path(shutil.copy(flagged_pool[0], tmp_path)), flagged_pool[1]


def fill(path: Path, truth: dict[str, int]) -> Path:
    rows = read_rows(path)
    write_rows(path, ({**row, "label": truth[row["id"]]} for row in rows))
    return path


def files(path: Path) -> tuple[object, ...]:
    return ("recall", "--pool", path, "--id", "id")


def test_draw_label_and_answer(flagged, tmp_path: Path, assaymark: Callable) -> None:
    pool, truth = flagged
    batch = tmp_path / "b.csv"
    drawn = assaymark(*files(pool), *FLAGS, "--text", "body", "--draw", 400, "-o", batch, "--json")
    assert drawn.code == 0, drawn.err
    assert sum(drawn.json["cells"].values()) == 400
    head = batch.read_text(encoding="utf-8").splitlines()[0]
    assert head == "id,body,label"
    done = assaymark(*files(pool), *FLAGS, "--labels", fill(batch, truth), "--json")
    assert done.code == 0, done.err
    result = done.json
    for letter, recall in (("a", 0.7), ("b", 0.6)):
        assert set(result[letter]) >= KEYS
        assert result[letter]["band_low"] < recall < result[letter]["band_high"]
    assert {"positives", "delta_band", "labels", "warnings"} <= set(result)
    assert result["labels"] == 400
    assert result["delta_band"] == [0.85, 1.25]
    assert result["warnings"] == []
    assert result["positives_range"]["band_low"] < sum(truth.values())


def test_the_draw_is_a_function_of_the_seed(flagged, tmp_path: Path, assaymark: Callable) -> None:
    pool, _ = flagged

    def drawn(name: str, *more: object) -> list[str]:
        return assaymark(
            *files(pool), *FLAGS, "--draw", 50, "-o", tmp_path / name, "--json", *more
        ).json["items"]

    assert drawn("1.csv") == drawn("2.csv")
    assert set(drawn("3.csv", "--seed", "x")) != set(drawn("4.csv"))


def test_an_elusion_sample_is_combined(flagged, tmp_path: Path, assaymark: Callable) -> None:
    pool, truth = flagged
    batch = tmp_path / "b.csv"
    assaymark(*files(pool), *FLAGS, "--draw", 300, "--elusion", 1500, "-o", batch)
    result = assaymark(*files(pool), *FLAGS, "--labels", fill(batch, truth), "--json").json
    assert result["method"] == "combined"
    assert result["labels"] == 1800
    assert result["delta1"]["low"] < 1 < result["delta1"]["high"]


def test_three_classifiers(flagged, tmp_path: Path, assaymark: Callable) -> None:
    pool, truth = flagged
    batch = tmp_path / "b.csv"
    three = (*files(pool), *FLAGS, "--c", "c")
    drawn = assaymark(*three, "--draw", 700, "-o", batch, "--json").json
    assert set(drawn["cells"]) == {"111", "110", "101", "011", "100", "010", "001"}
    found = assaymark(*three, "--labels", fill(batch, truth), "--json").json
    assert found["method"] == "triple"
    assert found["c"]["band_low"] < 0.5 < found["c"]["band_high"]
    assert found["chao"] > 0
    assert "Chao" in assaymark(*three, "--labels", batch).out


def test_items_that_are_not_the_drawn_ones_are_told(flagged, tmp_path, assaymark: Callable) -> None:
    pool, truth = flagged
    batch = tmp_path / "b.csv"
    assaymark(*files(pool), *FLAGS, "--draw", 200, "-o", batch, "--seed", "x")
    done = assaymark(*files(pool), *FLAGS, "--labels", fill(batch, truth), "--json").json
    assert "are not the first that seed 'recall' draws" in done["warnings"][0]
    again = assaymark(*files(pool), *FLAGS, "--labels", batch, "--seed", "x", "--json").json
    assert again["warnings"] == []


def labels(path: Path, given: dict[str, object]) -> Path:
    lines = [f"{item},{label}" for item, label in given.items()]
    path.write_text("\n".join(["id,label", *lines]) + "\n", encoding="utf-8")
    return path


def outside_items(pool: Path, number: int) -> list[str]:
    rows = read_rows(pool)
    return [row["id"] for row in rows if row["a"] == row["b"] == "0"][:number]


def test_labels_outside_the_cells_are_refused(flagged, tmp_path, assaymark: Callable) -> None:
    pool, truth = flagged
    batch = tmp_path / "b.csv"
    assaymark(*files(pool), *FLAGS, "--draw", 200, "-o", batch)
    fill(batch, truth)
    with batch.open("a", encoding="utf-8") as stream:
        stream.writelines(f"{item},0\n" for item in outside_items(pool, 5))
    done = assaymark(*files(pool), *FLAGS, "--labels", batch)
    assert done.code == 2
    assert "No classifier flags 5 labelled items" in done.err
    assert assaymark(*files(pool), *FLAGS, "--labels", batch, "--outside").code == 0
    strange = labels(tmp_path / "s.csv", {"nobody": 1})
    done = assaymark(*files(pool), *FLAGS, "--labels", strange)
    assert done.code == 2
    assert "The pool does not hold 1 labelled item (the first is 'nobody')" in done.err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--a", "a", "--b", "a", "--draw", 9), "must be different columns"),
        (("--a", "a", "--b", "inside", "--draw", 9), "Every item that the second classifier flags"),
        (("--a", "a", "--b", "score", "--draw", 9), "have neither 0 nor 1 in 'score'"),
        (("--a", "a", "--b", "bb", "--draw", 9), "Column 'bb' is not in the pool"),
        ((*FLAGS,), "Give --draw N to get a batch, or --labels FILE"),
        ((*FLAGS, "--draw", 9, "--delta", "1.1,1.2"), "must run from a number in (0, 1]"),
        ((*FLAGS, "--draw", 9, "--delta", "1"), "Expected LOW,HIGH, got '1'"),
        ((*FLAGS, "--draw", 9, "--text", "a"), "cannot be shown as text"),
        ((*FLAGS, "--draw", 9, "--for", "c"), "'for' must be both, a or b"),
    ],
)
def test_bad_input_is_one_clear_sentence(
    arguments: tuple[object, ...], sentence: str, flagged, tmp_path: Path, assaymark: Callable
) -> None:
    done = assaymark(*files(flagged[0]), *arguments, "-o", tmp_path / "b.csv")
    assert done.code == 2
    assert sentence in done.err
    assert not (tmp_path / "b.csv").exists()


def test_no_positive_in_the_joint_cell_is_refused(flagged, tmp_path, assaymark: Callable) -> None:
    pool, truth = flagged
    batch = tmp_path / "b.csv"
    assaymark(*files(pool), *FLAGS, "--draw", 60, "-o", batch)
    fill(batch, dict.fromkeys(truth, 0))
    done = assaymark(*files(pool), *FLAGS, "--labels", batch)
    assert done.code == 2
    assert "is positive, and the estimate divides by their number" in done.err


def test_a_batch_is_never_written_over(flagged, tmp_path: Path, assaymark: Callable) -> None:
    (tmp_path / "b.csv").write_text("mine")
    done = assaymark(*files(flagged[0]), *FLAGS, "--draw", 9, "-o", tmp_path / "b.csv")
    assert done.code == 2
    assert (tmp_path / "b.csv").read_text() == "mine"


@pytest.fixture
def surveyed(flagged, tmp_path: Path, assaymark: Callable) -> tuple[Path, dict[str, int]]:
    pool, truth = flagged
    folder = tmp_path / "work"
    assert assaymark("init", folder, "--pool", pool, "--id", "id", "--text", "body").code == 0
    batch = tmp_path / "b.csv"
    drawn = assaymark("recall", *FLAGS, "--draw", 300, "--elusion", 100, "-o", batch, "-p", folder)
    assert drawn.code == 0, drawn.err
    assert assaymark("label", fill(batch, truth), "-p", folder).code == 0
    return folder, truth


def test_a_project_keeps_batches_and_answers(surveyed, tmp_path: Path, assaymark: Callable) -> None:
    from assaymark.project.folder import Project

    folder, _ = surveyed
    found = assaymark("recall", *FLAGS, "-p", folder, "--json").json
    work = Project(folder=folder).state().surveys[0]
    assert work.survey.purpose == "recall"
    assert work.reports[0].event.result == found
    assert work.reports[0].event.labels == 400
    more = assaymark(
        "recall", *FLAGS, "--draw", 50, "-o", tmp_path / "c.csv", "-p", folder, "--json"
    )
    assert len(more.json["items"]) == 50
    assert not set(more.json["items"]) & set(work.order)
    waiting = assaymark("recall", *FLAGS, "-p", folder, "--json").json
    assert "Drawn without a label yet: 50 items" in waiting["warnings"][0]
    assert len(Project(folder=folder).state().surveys) == 1


def test_items_nobody_could_tell_are_left_out_and_said(
    surveyed, tmp_path, assaymark: Callable
) -> None:
    from assaymark.project.folder import Project

    folder, _ = surveyed
    item = Project(folder=folder).state().surveys[0].order[0]
    given = labels(tmp_path / "s.csv", {item: "?"})
    assert assaymark("label", given, "--correct", "-p", folder).code == 0
    found = assaymark("recall", *FLAGS, "-p", folder, "--json").json
    assert found["labels"] == 399
    assert "Left out because nobody could tell: 1 item" in found["warnings"][0]


def test_asking_before_drawing_is_refused(flagged, tmp_path: Path, assaymark: Callable) -> None:
    folder = tmp_path / "w"
    assaymark("init", folder, "--pool", flagged[0], "--id", "id", "--text", "body")
    done = assaymark("recall", *FLAGS, "-p", folder)
    assert done.code == 2
    assert "No batch was drawn for a and b in this project yet" in done.err


def test_the_report_tells_the_result(surveyed, assaymark: Callable) -> None:
    folder, _ = surveyed
    result = assaymark("recall", *FLAGS, "-p", folder, "--json").json
    section = section_of("recall")(result)
    assert section.sentence.startswith("The classifier 'a' finds between 0.")
    assert [chart.title for chart in section.charts] == [
        "Recall, sampling error and dependence",
        "Who flags what",
        "What the same would cost",
    ]
    assert len(section.tables[1].rows) == 4
    assert section.assumptions


def test_warnings_for_a_pair_that_is_known_to_be_dependent(surveyed, assaymark: Callable) -> None:
    folder, _ = surveyed
    found = assaymark("recall", *FLAGS, "--pair", "pmi", "-p", folder, "--json").json
    assert any("δ1 was 1.36 to 2.41 where we measured it" in text for text in found["warnings"])
    shown = assaymark("recall", *FLAGS, "--pair", "pmi", "-p", folder).out
    assert "Warning: Pairs of seed terms and neighbours by PMI" in shown
    assert "Next: " in shown


def test_items_that_nobody_could_tell_do_not_make_the_draw_look_foreign(
    flagged, tmp_path: Path, assaymark: Callable
) -> None:
    pool, truth = flagged
    batch = tmp_path / "b.csv"
    assaymark(*files(pool), *FLAGS, "--draw", 200, "--elusion", 300, "-o", batch)
    outside = set(outside_items(pool, 6000))
    with fill(batch, truth).open(encoding="utf-8") as stream:
        given = {row["id"]: row["label"] for row in csv.DictReader(stream)}
    given[next(item for item in given if item in outside)] = "?"
    done = assaymark(*files(pool), *FLAGS, "--labels", labels(batch, given), "--json")
    assert done.code == 0, done.err
    assert done.json["method"] == "combined"
    assert done.json["warnings"][0].startswith("Left out because nobody could tell: 1 item")
    assert not any("are not the first" in warning for warning in done.json["warnings"])


def test_three_of_which_a_cell_is_empty_are_refused_before_any_label_is_bought(
    flagged, tmp_path: Path, assaymark: Callable
) -> None:
    pool, _ = flagged
    drawn = assaymark(
        *files(pool), *FLAGS, "--c", "inside", "--draw", 100, "-o", tmp_path / "b.csv"
    )
    assert drawn.code == 2
    assert "No item is flagged as in the cell '110'" in drawn.err
    assert not (tmp_path / "b.csv").exists()


def test_items_of_a_survey_without_a_label_can_be_written_again(
    flagged, tmp_path: Path, assaymark: Callable
) -> None:
    pool, truth = flagged
    folder = tmp_path / "work"
    assert assaymark("init", folder, "--pool", pool, "--id", "id", "--text", "body").code == 0
    assert assaymark("recall", *FLAGS, "--draw", 60, "-p", folder).code == 0
    again = tmp_path / "again.csv"
    waiting = assaymark("draw", "--pending", "-o", again, "-p", folder, "--json")
    assert len(waiting.json["items"]) == 60, waiting.err
    told = assaymark("label", fill(again, truth), "-p", folder)
    assert "Next: assaymark recall --a a --b b" in told.out
    assert assaymark("draw", "--pending", "-p", folder).code == 2
