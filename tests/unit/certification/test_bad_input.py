"""Bad input gets one clear sentence, exit code 2, and leaves nothing half-written."""

import pytest

from worlds_on_disk import write_csv, write_labels


def pool(path, rows, header=("id", "score", "prediction", "body")):
    write_csv(path, header, rows)
    return path


GOOD = [["a", 0.1, 0, "x"], ["b", 0.9, 1, "y"], ["c", 0.4, 0, "z"]]


@pytest.mark.parametrize(
    ("rows", "options", "sentence"),
    [
        (GOOD, ["--score", "scor"], "Column 'scor' is not in the pool. Columns: id, score, prediction, body. Did you mean 'score'?"),
        ([*GOOD, GOOD[0]], ["--prediction", "prediction"], "Ids in 'id' are not unique: a (2 times)"),
        ([*GOOD, ["d", "nan", 0, ""]], ["--score", "score", "--threshold", "0.5"], "1 of 4 items have a score that is not finite in 'score' (ids d)"),
        ([*GOOD, ["d", "inf", 0, ""]], ["--score", "score", "--threshold", "0.5"], "not finite"),
        ([*GOOD, ["d", "", 0, ""]], ["--score", "score", "--threshold", "0.5"], "1 of 4 items have no number as score in 'score'"),
        ([*GOOD, ["d", "", 0, ""]], ["--score", "score", "--threshold", "0.5"], "(Its cell is empty.)"),
        ([*GOOD, ["d", "", 0, ""], ["e", "0;5", 0, ""]], ["--score", "score", "--threshold", "0.5"], "(1 of the cells is empty.)"),
        ([*GOOD, ["d", "high", 0, ""]], ["--score", "score", "--threshold", "0.5"], "decimal comma"),
        ([*GOOD, ["d", "high", 0, ""]], ["--score", "score", "--threshold", "0.5"], "no number as score"),
        ([*GOOD, ["d", 0.2, 2, ""]], ["--prediction", "prediction"], "have neither 0 nor 1 in 'prediction' (ids d)"),
        ([*GOOD, ["", 0.2, 1, ""]], ["--prediction", "prediction"], "1 of 4 items have no id in 'id'"),
        ([], ["--prediction", "prediction"], "The pool is empty"),
        (GOOD, ["--score", "score", "--threshold", "5"], "The threshold 5 is outside the scores, which run from 0.1 to 0.9"),
        (GOOD, ["--threshold", "0.5"], "--threshold needs --score"),
        (GOOD, ["--score", "score", "--threshold", "0.5", "--prediction", "prediction"], "either --prediction or --threshold"),
        (GOOD, ["--prediction", "prediction", "--text", "prediction"], "without seeing scores or predictions"),
        (GOOD, ["--prediction", "prediction", "--engine", "oracle"], "'engine' must be one of duckdb"),
    ],
)  # fmt: skip
def test_pools_that_cannot_be_used(assaymark, tmp_path, rows, options, sentence) -> None:
    path = pool(tmp_path / "pool.csv", rows)
    answer = assaymark("init", tmp_path / "work", "--pool", path, "--id", "id", *options)
    assert answer.code == 2
    assert sentence in answer.err
    assert len(answer.err.strip().splitlines()) == 1
    assert not (tmp_path / "work").exists()


def test_files_that_cannot_be_read(assaymark, tmp_path) -> None:
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 this is not parquet")
    (tmp_path / "notes.docx").write_bytes(b"x")
    for name, sentence in [
        ("missing.csv", "There is no pool at"),
        ("broken.parquet", "cannot be read"),
        ("notes.docx", "is not a kind of file that assaymark reads"),
    ]:
        answer = assaymark(
            "init", tmp_path / "w", "--pool", tmp_path / name, "--id", "id", "--prediction", "p"
        )
        assert answer.code == 2
        assert sentence in answer.err


def test_a_folder_that_is_no_project(assaymark, tmp_path) -> None:
    for command in (
        ["look"],
        ["draw"],
        ["plan", "f1 >= 0.8", "--mode", "fixed", "--mode", "fixed", "--budget", "9"],
        ["certify"],
    ):
        answer = assaymark(*command, "-p", tmp_path)
        assert answer.code == 2
        assert "is not an assaymark project" in answer.err


def test_init_twice_is_refused(assaymark, project, world) -> None:
    answer = assaymark(
        "init", project, "--pool", world.path, "--id", "id", "--prediction", "prediction"
    )
    assert answer.code == 2
    assert "already is an assaymark project" in answer.err


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["f1 ~ 0.8", "--mode", "fixed", "--budget", "50"], "cannot be read"),
        (["f1 >= 80", "--mode", "fixed", "--budget", "50"], "Try: f1 >= 0.8"),
        (["f1 >= 0.8", "--mode", "fixed"], "give --budget N, or a pilot"),
        (["f2 >= 0.8", "--mode", "fixed", "--budget", "50"], "no exact bound for a simple random sample"),
        (["f1 >= 0.8", "--pilot", "80,20,20,880", "--power", "93"], "Did you mean 0.93?"),
        (["f1 >= 0.8", "--mode", "fixed", "--budget", "50", "--confidence", "95"], "Did you mean 0.95?"),
        (["f1 >= 0.8", "--pilot", "80,20,20"], "four whole numbers TP,FP,FN,TN"),
        (["f1 >= 0.9", "--mode", "fixed", "--pilot", "80,20,20,880"], "Judging by the pilot the claim looks false"),
        (["f1 >= 0.8", "--precision", "0.9"], "Give --expect, or both --precision and --recall"),
        (["f1 >= 0.8", "--budget", "50"], "--budget is for a mode with a fixed number of labels"),
        (["f1 >= 0.8", "--mode", "fixed", "--design", "weighted", "--budget", "50"], "A score-guided plan is judged on the way"),
        (["f1 >= 0.8", "--mode", "sometimes"], "'mode' must be one of score-guided, fixed, budget, anytime"),
        (["f1 >= 0.8", "--design", "cluster"], "'design' must be score-guided or simple"),
        (["f1 >= 0.8", "--mode", "budget"], "Where a budget plan ends depends on"),
        (["f1 >= 0.8", "--mode", "budget", "--expect", "0.7"], "You expect F1 0.7, below the target of 0.8"),
        (["f1 >= 0.8", "--mode", "fixed", "--precision", "0.9", "--recall", "0.05"], "cannot hold in this pool"),
    ],
)  # fmt: skip
def test_plans_that_cannot_be_sealed(assaymark, project, options, sentence) -> None:
    answer = assaymark("plan", *options, "-p", project)
    assert answer.code == 2
    assert sentence in answer.err
    assert assaymark("status", "-p", project, "--json").json["claim"] is None


def test_a_second_plan_while_one_is_open(assaymark, project) -> None:
    assaymark("plan", "f1 >= 0.8", "--mode", "fixed", "--budget", 50, "-p", project)
    answer = assaymark("plan", "f1 >= 0.7", "--mode", "fixed", "--budget", 50, "-p", project)
    assert answer.code == 2
    assert "assaymark plan --abandon REASON" in answer.err
    assert assaymark("plan", "--abandon", " ", "-p", project).code == 2
    assert assaymark("plan", "--abandon", "wrong target", "-p", project).code == 0
    assert assaymark("draw", "-p", project).code == 2


def test_draws_beyond_what_the_plan_needs(assaymark, project) -> None:
    assert "no plan yet" in assaymark("draw", "-p", project).err
    assaymark("plan", "f1 >= 0.8", "--mode", "fixed", "--budget", 50, "-p", project)
    answer = assaymark("draw", 5000, "-p", project)
    assert answer.code == 2
    assert "The plan needs only" in answer.err
    assert assaymark("draw", 0, "-p", project).code == 2


def test_the_size_of_the_plan_can_be_asked_for_when_draws_repeat(assaymark, tmp_path) -> None:
    """5 draws out of 40 with this seed hold 4 different items; `draw 5` hands them out."""
    folder = tmp_path / "work"
    rows = [[f"{n:03d}", n / 40, 0, f"text {n}"] for n in range(40)]
    columns = ("--id", "id", "--score", "score", "--threshold", 0.5)
    assaymark("init", folder, "--pool", pool(tmp_path / "pool.csv", rows), *columns)
    plan = ("accuracy >= 0.6", "--mode", "fixed", "--budget", 5, "--seed", 1)
    assert assaymark("plan", *plan, "-p", folder).code == 0
    batch = assaymark("draw", 5, "-p", folder, "--json").json
    assert (len(batch["items"]), batch["repeats"], batch["held"]) == (4, 1, 0)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("id,label\nX1,1\nX2,maybe\n", "row 3: 'maybe' is no label"),
        ("id,label\n,1\n", "row 2: the id is missing"),
        ("item,label\nX1,1\n", "no column 'id'"),
        ("id,label\nnobody,1\n", "Item 'nobody' was not handed out"),
        ("id,label,annotator\nX1,1,ann\nX1,0,ann\n", "ann labelled 'X1' twice, differently"),
        (b"\xff\xfe\x00", "cannot be read"),
        ("", "no column 'id'"),
    ],
)
def test_label_files_that_cannot_be_used(assaymark, project, tmp_path, content, sentence) -> None:
    assaymark("plan", "f1 >= 0.8", "--mode", "fixed", "--budget", 50, "-p", project)
    assaymark("draw", "-o", tmp_path / "b.csv", "-p", project)
    path = tmp_path / "labels.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    answer = assaymark("label", path, "-p", project)
    assert answer.code == 2
    assert sentence in answer.err
    assert assaymark("status", "-p", project, "--json").json["labelled"] == 0


def test_nothing_is_written_over(assaymark, project, world, tmp_path) -> None:
    """A batch never replaces a file: it may hold labels, or be the pool itself."""
    assaymark("plan", "f1 >= 0.8", "--seed", "s", "-p", project)
    before = world.path.read_bytes()
    answer = assaymark("draw", 5, "-o", world.path, "-p", project)
    assert answer.code == 2
    assert "exists already and may hold labels" in answer.err
    assert world.path.read_bytes() == before
    assert assaymark("status", "-p", project, "--json").json["draws"] == 0, "and nothing was drawn"
    assert (
        "There is no folder"
        in assaymark("draw", 5, "-o", tmp_path / "no" / "b.csv", "-p", project).err
    )


def test_a_spreadsheet_that_ate_zeros_is_named(assaymark, tmp_path) -> None:
    rows = [[f"{n:05d}", 0.1 + 0.8 * (n % 2), n % 2, "x"] for n in range(200)]
    path = pool(tmp_path / "zeros.csv", rows)
    folder = tmp_path / "z"
    assaymark("init", folder, "--pool", path, "--id", "id", "--prediction", "prediction")
    assaymark("plan", "accuracy >= 0.5", "--seed", "s", "-p", folder)
    drawn = assaymark("draw", 40, "-p", folder, "--json").json["items"]
    write_labels(tmp_path / "l.csv", {item.lstrip("0"): 1 for item in drawn})
    assert "removed leading zeros" in assaymark("label", tmp_path / "l.csv", "-p", folder).err


def test_an_annotator_has_a_name(assaymark, project, world, tmp_path) -> None:
    assaymark("plan", "f1 >= 0.8", "--seed", "s", "-p", project)
    drawn = assaymark("draw", 5, "-p", project, "--json").json["items"]
    write_labels(tmp_path / "l.csv", dict.fromkeys(drawn, 1))
    answer = assaymark("label", tmp_path / "l.csv", "--annotator", " ", "-p", project)
    assert (answer.code, "An annotator needs a name" in answer.err) == (2, True)


def test_one_bad_row_and_nothing_of_the_file_is_recorded(
    assaymark, project, world, tmp_path
) -> None:
    assaymark("plan", "f1 >= 0.8", "--mode", "fixed", "--budget", 50, "-p", project)
    drawn = assaymark("draw", "-o", tmp_path / "b.csv", "-p", project, "--json").json["items"]
    write_labels(tmp_path / "l.csv", {**dict.fromkeys(drawn[:-1], 1), drawn[-1]: "perhaps"})
    assert assaymark("label", tmp_path / "l.csv", "-p", project).code == 2
    assert assaymark("status", "-p", project, "--json").json["labelled"] == 0


def test_labels_of_items_that_were_not_drawn_are_left_out(
    assaymark, project, world, tmp_path
) -> None:
    """A file with every label one has is fine."""
    assaymark("plan", "f1 >= 0.8", "--mode", "fixed", "--budget", 50, "-p", project)
    drawn = assaymark("draw", "-o", tmp_path / "b.csv", "-p", project, "--json").json["items"]
    write_labels(tmp_path / "all.csv", world.truth)
    done = assaymark("label", tmp_path / "all.csv", "-p", project, "--json").json
    assert done["recorded"] == len(drawn)
    assert done["not_drawn"] == 2000 - len(drawn)


def test_empty_labels_are_counted_and_left_out(assaymark, project, tmp_path) -> None:
    assaymark("plan", "f1 >= 0.8", "--mode", "fixed", "--budget", 50, "-p", project)
    drawn = assaymark("draw", "-o", tmp_path / "b.csv", "-p", project, "--json").json["items"]
    done = assaymark("label", tmp_path / "b.csv", "-p", project, "--json").json
    assert (done["recorded"], done["empty"], done["missing"]) == (0, len(drawn), len(drawn))


def test_spellings_of_labels(assaymark, project, tmp_path) -> None:
    assaymark("plan", "f1 >= 0.8", "--mode", "fixed", "--budget", 50, "-p", project)
    drawn = assaymark("draw", "-o", tmp_path / "b.csv", "-p", project, "--json").json["items"]
    words = ["1", "TRUE", "Yes", "relevant", "0", "false", "no", "Irrelevant", "?", "skip",
             "unclear", "cannot tell"]  # fmt: skip
    lines = "".join(f"{i};{w}\n" for i, w in zip(drawn, words, strict=False))
    (tmp_path / "l.csv").write_text("\ufeffID;Label\n" + lines, encoding="utf-8")
    done = assaymark("label", tmp_path / "l.csv", "-p", project, "--json").json
    assert (done["recorded"], done["skipped"]) == (8, 4)


def test_jsonl_labels(assaymark, project, tmp_path) -> None:
    assaymark("plan", "f1 >= 0.8", "--mode", "fixed", "--budget", 50, "-p", project)
    drawn = assaymark("draw", "-o", tmp_path / "b.jsonl", "-p", project, "--json").json["items"]
    (tmp_path / "l.jsonl").write_text(
        f'{{"id": "{drawn[0]}", "label": true}}\n{{"id": "{drawn[1]}", "label": 0}}\n'
        f'{{"id": "{drawn[2]}", "label": null}}\n'
    )
    done = assaymark("label", tmp_path / "l.jsonl", "-p", project, "--json").json
    assert (done["recorded"], done["empty"]) == (2, 1)
    (tmp_path / "l.jsonl").write_text("{broken")
    assert (
        "Line 1 of the label file is not JSON"
        in assaymark("label", tmp_path / "l.jsonl", "-p", project).err
    )


def test_errors_as_json_when_json_was_asked_for(assaymark, tmp_path) -> None:
    answer = assaymark("look", "-p", tmp_path, "--json")
    assert answer.code == 2
    assert "is not an assaymark project" in answer.json["error"]


def test_a_wrong_call_is_one_line_and_json_too(assaymark) -> None:
    answer = assaymark("size", "f1 >= 0.75", "--json")
    assert answer.code == 2
    assert "--pilot" in answer.json["error"]
    assert len(answer.err.strip().splitlines()) == 1


def test_long_rows_of_csv_are_read(assaymark, tmp_path) -> None:
    path = pool(tmp_path / "long.csv", [["a", 0.2, 0, "x" * 3_000_000], ["b", 0.9, 1, "y"]])
    done = assaymark("init", tmp_path / "w", "--pool", path, "--id", "id", "--score", "score",
                 "--threshold", "0.5", "--text", "body")  # fmt: skip
    assert done.code == 0, done.err


def test_a_pool_that_is_not_utf8_says_so(assaymark, tmp_path) -> None:
    (tmp_path / "latin.csv").write_bytes("id,p\ncafé,1\nb,0\n".encode("latin-1"))
    answer = assaymark(
        "init", tmp_path / "w", "--pool", tmp_path / "latin.csv", "--id", "id", "--prediction", "p"
    )
    assert answer.code == 2
    assert "UTF-8" in answer.err
