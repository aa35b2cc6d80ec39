"""Logs, pairs and alerts of other tools become pools; what is missing or doubled is refused or said."""

import csv
import json
import zipfile

import pytest

from assaymark.errors import InputError
from assaymark.files.tool_output import FORMATS, Choices, convert, find_format
from assaymark.files.tool_output import inspect_log as inspect_log_module


def sample(number, value="C", epoch=1, **more):
    messages = [
        {"role": "user", "content": f"Question {number}"},
        {"role": "assistant", "content": "An answer"},
    ]
    score = {} if value is None else {"grader": {"value": value, "explanation": "because"}}
    return {
        "id": number,
        "epoch": epoch,
        "input": "q",
        "target": "t",
        "messages": messages,
        "scores": score,
        **more,
    }


def inspect_log(path, samples, version=2):
    log = {"version": version, "status": "success", "eval": {"task": "t"}, "samples": samples}
    path.write_text(json.dumps(log), encoding="utf-8")
    return path


def test_an_inspect_log_is_a_pool_in_which_failures_are_positive(tmp_path) -> None:
    path = inspect_log(tmp_path / "log.json", [sample(1), sample(2, "I"), sample(3, "N")])
    pool = convert(path, "auto", Choices())
    assert [row["fails"] for row in pool.rows] == [0, 1, 1]
    assert (pool.prediction, pool.text) == ("fails", ("transcript", "target"))
    assert json.loads(pool.rows[0]["transcript"])[0]["role"] == "user"
    assert "because" not in json.dumps(pool.rows), "what the judge said would not be blind"


def test_an_eval_archive_reads_like_the_log(tmp_path, monkeypatch) -> None:
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", json.dumps({"version": 2, "status": "success"}))
        archive.writestr("samples/1_epoch_1.json", json.dumps(sample(1)))
        archive.writestr("samples/2_epoch_1.json", json.dumps(sample(2, "I")))
    assert [row["fails"] for row in convert(path, "auto", Choices()).rows] == [0, 1]
    monkeypatch.setattr(inspect_log_module, "LARGEST", 100)
    with pytest.raises(InputError, match="bytes unpack to"):
        convert(path, "auto", Choices())
    path.write_bytes(path.read_bytes()[:50])
    with pytest.raises(InputError, match=r"log\.eval"):
        convert(path, "auto", Choices())


def test_repeated_epochs_are_refused_or_one_is_taken(tmp_path) -> None:
    samples = [sample(i, "C" if epoch == 1 else "I", epoch) for i in (1, 2) for epoch in (1, 2)]
    path = inspect_log(tmp_path / "log.json", samples)
    with pytest.raises(InputError, match="has 2 epochs: every item is there 2 times"):
        convert(path, "inspect", Choices())
    pool = convert(path, "inspect", Choices(epoch=2))
    assert [row["fails"] for row in pool.rows] == [1, 1]
    assert pool.remarks == ("Epoch 2 of 2 was taken: one answer per item.",)
    with pytest.raises(InputError, match="has no epoch 7"):
        convert(path, "inspect", Choices(epoch=7))


def test_missing_scores_are_refused_or_left_out_aloud(tmp_path) -> None:
    path = inspect_log(tmp_path / "log.json", [sample(1), sample(2, None)])
    with pytest.raises(InputError, match=r"1 of 2 answers has no score \(sample 2\)"):
        convert(path, "inspect", Choices())
    pool = convert(path, "inspect", Choices(leave_out_unscored=True))
    assert len(pool.rows) == 1
    assert pool.remarks == ("1 of 2 answers without a score were left out.",)


def test_unknown_versions_and_scorers_are_refused(tmp_path) -> None:
    path = inspect_log(tmp_path / "log.json", [sample(1)], version=9)
    with pytest.raises(
        InputError, match="says version 9 of its format, and versions 1 and 2 are known"
    ):
        convert(path, "inspect", Choices())
    two = sample(1) | {"scores": {"a": {"value": "C"}, "b": {"value": "I"}}}
    path = inspect_log(tmp_path / "two.json", [two])
    with pytest.raises(InputError, match=r"has 2 scorers \(a, b\)"):
        convert(path, "inspect", Choices())
    assert convert(path, "inspect", Choices(scorer="b")).rows[0]["fails"] == 1
    with pytest.raises(InputError, match="has no scorer 'c'"):
        convert(path, "inspect", Choices(scorer="c"))


def promptfoo(path, results, version=3):
    text = json.dumps({"evalId": "e", "results": {"version": version, "results": results}})
    path.write_text(text, encoding="utf-8")
    return path


def result(test, passed, prompt=0, question=None):
    question = test if question is None else question
    return {"testIdx": test, "promptIdx": prompt, "vars": {"question": f"q{question}?", "label": "x"}, "success": passed,
            "response": {"output": {"a": 1}}, "gradingResult": {"pass": passed, "score": 1}}  # fmt: skip


def test_promptfoo_with_one_prompt_or_a_chosen_one(tmp_path) -> None:
    path = promptfoo(tmp_path / "out.json", [result(0, True), result(1, False)])
    pool = convert(path, "auto", Choices())
    assert [row["fails"] for row in pool.rows] == [0, 1]
    assert pool.text == ("question", "the label", "answer")
    assert pool.rows[0]["answer"] == '{"a": 1}'
    path = promptfoo(tmp_path / "two.json", [result(0, True), result(0, False, prompt=1)])
    with pytest.raises(InputError, match="has 2 prompts for the same tests"):
        convert(path, "promptfoo", Choices())
    assert convert(path, "promptfoo", Choices(prompt=1)).rows[0]["fails"] == 1
    failed = {**result(3, False), "response": None, "gradingResult": None, "error": "timeout"}
    with pytest.raises(InputError, match="1 of 1 answers has no score"):
        convert(promptfoo(tmp_path / "err.json", [failed]), "promptfoo", Choices())
    with pytest.raises(InputError, match="says version 9"):
        convert(promptfoo(tmp_path / "new.json", [], version=9), "promptfoo", Choices())


def test_repeated_runs_of_promptfoo_are_refused_or_one_is_taken(tmp_path) -> None:
    """`promptfoo eval --repeat 2` numbers the runs of a test as tests of their own."""
    runs = [result(i, i != 3, question=i % 2) for i in (3, 0, 1, 2)]
    path = promptfoo(tmp_path / "out.json", runs)
    with pytest.raises(InputError, match=r"same variables up to 2 times.*not independent items"):
        convert(path, "auto", Choices())
    pool = convert(path, "auto", Choices(epoch=2))
    assert [(row["id"], row["fails"]) for row in pool.rows] == [("test-2", 0), ("test-3", 1)]
    assert pool.remarks == ("Run 2 of up to 2 was taken: one answer per test.",)
    with pytest.raises(InputError, match="has no run 3 of a test; it has 2"):
        convert(path, "auto", Choices(epoch=3))


def test_an_answer_that_was_never_given_has_no_score(tmp_path) -> None:
    refused = {**result(0, False), "response": {"error": "429"}, "error": "429", "failureReason": 2}
    path = promptfoo(tmp_path / "out.json", [refused, result(1, True)])
    with pytest.raises(InputError, match=r"1 of 2 answers has no score \(test 0\)"):
        convert(path, "auto", Choices())


def test_a_score_that_is_no_number_is_missing_and_never_a_pass(tmp_path) -> None:
    """A log may hold NaN for an answer that was not scored; NaN is below no threshold."""
    graded = [{"id": 1, "score": 0.9}, {"id": 2, "score": float("nan")}]
    with pytest.raises(InputError, match=r"1 of 2 answers has no score \(line 2\)"):
        convert(lines(tmp_path / "n.jsonl", graded), "auto", Choices(threshold=0.5))
    words = [{"id": 1, "verdict": "pass"}, {"id": 2, "verdict": " "}]
    with pytest.raises(InputError, match=r"1 of 2 answers has no score \(line 2\)"):
        convert(lines(tmp_path / "w.jsonl", words), "auto", Choices())
    endless = [{"id": 1, "score": float("inf")}]
    with pytest.raises(InputError, match="the judge gave inf, which is no number"):
        convert(lines(tmp_path / "i.jsonl", endless), "auto", Choices(threshold=0.5))


def test_an_answer_without_an_id_is_named(tmp_path) -> None:
    path = lines(tmp_path / "e.jsonl", [{"id": 1, "pass": True}, {"id": None, "pass": True}])
    with pytest.raises(InputError, match=r"Line 2 of 'e\.jsonl' has no id"):
        convert(path, "auto", Choices())
    log = inspect_log(tmp_path / "log.json", [sample(None)])
    with pytest.raises(InputError, match="A sample of the log has no id"):
        convert(log, "inspect", Choices())


def test_epochs_may_be_written_as_text(tmp_path) -> None:
    rows = [{"id": 1, "epoch": k, "pass": True} for k in ("1", "2")]
    assert len(convert(lines(tmp_path / "r.jsonl", rows), "auto", Choices(epoch=2)).rows) == 1


def lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_eval_json_lines_with_verdicts_or_graded_scores(tmp_path) -> None:
    rows = [{"id": 1, "score": 0.9, "answer": "x"}, {"id": 2, "score": 0.2, "answer": "y"}]
    path = lines(tmp_path / "e.jsonl", rows)
    with pytest.raises(InputError, match=r"line 1: the judge gave 0\.9"):
        convert(path, "auto", Choices())
    pool = convert(path, "auto", Choices(threshold=0.5))
    assert [(row["fails"], row["judge_score"]) for row in pool.rows] == [
        (0, pytest.approx(0.1)),
        (1, pytest.approx(0.8)),
    ]
    words = lines(
        tmp_path / "w.jsonl", [{"id": 1, "verdict": "pass"}, {"id": 1, "verdict": "fail"}]
    )
    with pytest.raises(InputError, match="The item '1' occurs 2 times"):
        convert(words, "auto", Choices())
    odd = lines(tmp_path / "o.jsonl", [{"id": 1, "verdict": "perhaps"}])
    with pytest.raises(InputError, match="'perhaps' means neither pass nor fail"):
        convert(odd, "auto", Choices())
    runs = lines(tmp_path / "r.jsonl", [{"id": 1, "run": k, "pass": True} for k in (1, 2)])
    with pytest.raises(InputError, match="has 2 values in 'run'"):
        convert(runs, "auto", Choices())
    assert len(convert(runs, "auto", Choices(epoch=1)).rows) == 1
    bare = lines(tmp_path / "b.jsonl", [{"name": 1}])
    with pytest.raises(InputError, match="called like an id"):
        convert(bare, "auto", Choices())


def test_splink_pairs_stand_side_by_side(tmp_path) -> None:
    path = tmp_path / "predictions.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        table = csv.writer(stream)
        table.writerow(["match_weight", "match_probability", "unique_id_l", "unique_id_r",
                        "first_name_l", "first_name_r", "gamma_first_name", "dob_l", "dob_r"])  # fmt: skip
        table.writerow([3.1, 0.93, "a1", "b7", "Ann", "Anne", 1, "1990-01-01", ""])
    pool = convert(path, "auto", Choices())
    (row,) = pool.rows
    assert (row["id"], row["match_probability"]) == ("a1|b7", 0.93)
    pair = json.loads(row["pair"])
    assert pair["left"] == {"first_name": "Ann", "dob": "1990-01-01"}
    assert pair["right"]["first_name"] == "Anne"
    path.write_text("match_probability,unique_id_l,unique_id_r\n0.5,a,b\n", encoding="utf-8")
    with pytest.raises(InputError, match="retain_matching_columns"):
        convert(path, "splink", Choices())


def alert(rule, line):
    place = {
        "artifactLocation": {"uri": "a.py"},
        "region": {"startLine": line, "snippet": {"text": "x()"}},
    }
    return {"ruleId": rule, "message": {"text": "Bad"}, "locations": [{"physicalLocation": place}]}


def test_sarif_and_csv_alerts_have_a_group_for_each_rule(tmp_path) -> None:
    path = tmp_path / "a.sarif"
    log = {"version": "2.1.0", "runs": [{"results": [alert("R1", 3), alert("R1", 3), alert("R2", 4), {"kind": "pass"}]}]}  # fmt: skip
    path.write_text(json.dumps(log), encoding="utf-8")
    pool = convert(path, "auto", Choices())
    assert [row["id"] for row in pool.rows] == ["R1 a.py:3", "R1 a.py:3 (2)", "R2 a.py:4"]
    assert (pool.group, pool.prediction) == ("rule", "alert")
    assert "1 result that is no alert was left out." in pool.remarks
    path.write_text(json.dumps(log | {"version": "3.0"}), encoding="utf-8")
    with pytest.raises(
        InputError, match=r"says version '3\.0' of its format, and version 2\.1\.0 is known"
    ):
        convert(path, "auto", Choices())
    table = tmp_path / "alerts.csv"
    table.write_text("alert_id,rule_name,time,message\n1,R1,noon,m\n", encoding="utf-8")
    (row,) = convert(table, "alerts", Choices()).rows
    assert row == {"id": "1", "rule": "R1", "alert": 1, "the time": "noon", "message": "m"}


def test_sarif_results_may_name_their_rule_by_its_place(tmp_path) -> None:
    """The tool lists its rules once, and those of its extensions; a place beyond the list is refused."""
    tool = {
        "driver": {"rules": [{"id": "R1"}, {"id": "R2"}]},
        "extensions": [{"rules": [{"id": "X1"}]}],
    }
    results = [
        {"ruleIndex": 1},
        {"rule": {"index": 0}},
        {"rule": {"index": 0, "toolComponent": {"index": 0}}},
        {"ruleId": "R9", "ruleIndex": 0},
        {"ruleIndex": -1},
    ]
    path = tmp_path / "a.sarif"

    def pool(results, choices=None):
        log = {"version": "2.1.0", "runs": [{"tool": tool, "results": results}]}
        path.write_text(json.dumps(log), encoding="utf-8")
        return convert(path, "auto", choices or Choices())

    rules = [row["rule"] for row in pool(results).rows]
    assert rules == ["R2", "R1", "X1", "R9", "without a rule"]
    assert [row["rule"] for row in pool(results, Choices(rule="R2")).rows] == ["R2"]
    with pytest.raises(InputError, match="names rule number 2, and its tool lists 2 rules"):
        pool([{"ruleIndex": 2}])
    with pytest.raises(InputError, match="names rule number 0, and its tool lists 0 rules"):
        pool([{"rule": {"index": 0, "toolComponent": {"index": 5}}}])


def test_the_command_writes_what_init_reads(assaymark, tmp_path) -> None:
    path = inspect_log(tmp_path / "log.json", [sample(i, "C" if i % 3 else "I") for i in range(30)])
    done = assaymark("convert", path, "-o", tmp_path / "answers.jsonl", "--json")
    assert done.code == 0, done.err
    words = done.json["init"].split()[2:]
    words[0] = tmp_path / "work"
    assert assaymark("init", *words).code == 0
    assert assaymark("convert", path, "-o", tmp_path / "answers.jsonl").code == 2, (
        "nothing is overwritten"
    )
    assert assaymark("convert", path, "-o", tmp_path / "answers.xml").code == 2
    assert assaymark("convert", tmp_path / "none", "-o", tmp_path / "x.csv").code == 2


def test_every_format_is_offered(tmp_path) -> None:
    from assaymark.cli.convert import FORMS

    assert set(FORMS) == {"auto", *FORMATS}
    (tmp_path / "x.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match="could be anything"):
        find_format(tmp_path / "x.json")
