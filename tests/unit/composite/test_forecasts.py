"""What claims of several parts are told to cost, with and without a pool."""

import csv
import json

import pytest


@pytest.fixture(scope="module")
def pool(tmp_path_factory):
    path = tmp_path_factory.mktemp("forecast") / "pool.csv"
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "score", "lang"])
        for i in range(900):
            writer.writerow([f"m{i}", f"{(i * 7 % 900) / 900:.3f}", ("de", "en", "")[i % 3]])
    return path


def test_a_forecast_seals_nothing(assaymark, pool, tmp_path):
    columns = ("--id", "id", "--score", "score", "--threshold", "0.5", "--group", "lang")
    assaymark("init", tmp_path / "w", "--pool", pool, *columns)
    claim = "recall >= 0.6 in every lang"
    asked = ("plan", claim, "--forecast", "--json", "-p", tmp_path / "w")
    told = json.loads(assaymark(*asked).out)
    assert [part["group"] for part in told["parts"]] == [["(missing)"], ["de"], ["en"]]
    each = [part["labels_if_ahead"] for part in told["parts"]]
    assert all(each)
    surer = json.loads(assaymark(*asked, "--confidence", "0.99").out)
    assert all(
        b >= a for a, b in zip(each, (p["labels_if_ahead"] for p in surer["parts"]), strict=True)
    )
    better = json.loads(assaymark(*asked, "--expect", "0.9").out)
    assert better["expected_labels"] < sum(each)
    refused = assaymark(*asked, "--expect", "0.5")
    assert refused.code == 2
    assert "would not hold" in refused.err
    assert "no plan" in assaymark("status", "-p", tmp_path / "w").out.lower()
    sealed = assaymark("plan", claim, "--seed", "s", "-p", tmp_path / "w")
    assert "items, about" in sealed.out
    assert "labels to expect" in sealed.out


def sized(assaymark, claim, *more):
    done = assaymark("size", claim, "--json", *more)
    assert done.code == 0, done.err
    return json.loads(done.out)


def test_groups_add_up_and_conjunctions_do_not(assaymark):
    expected = ("--recall", "0.9", "--precision", "0.85", "--prevalence", "0.2")
    one = sized(assaymark, "recall >= 0.8 and precision >= 0.7", *expected)
    assert one["labels"] == max(part["labels"] for part in one["parts"]) < one["bonferroni"]
    six = sized(assaymark, "recall >= 0.8 in every lang", *expected, "--groups", "6")
    assert six["labels"] == 6 * six["parts"][0]["labels"] < six["bonferroni"]


def test_a_comparison_costs_what_the_disagreement_says(assaymark):
    """The sign test's 69 and McNemar's 1,170 follow from the normal approximation by hand."""
    found = sized(assaymark, "accuracy of b > accuracy of a", "--differ", "0.06", "--gap", "0.02")
    assert (found["both"], found["one"]) == (66, 53)
    assert (found["sign_test"], found["mcnemar"]) == (69, 1170)
    easier = sized(
        assaymark, "accuracy of b >= accuracy of a - 0.01", "--differ", "0.06", "--gap", "0.02"
    )
    assert easier["one"] < found["one"]


@pytest.mark.parametrize(
    ("claim", "options", "words"),
    [
        ("recall >= 0.8 in every lang", ("--expect", "0.9", "--prevalence", "0.1"), "--groups N"),
        ("accuracy of b > accuracy of a", (), "--differ 0.06"),
        ("accuracy of b > accuracy of a", ("--differ", "0.1", "--gap", "0.2"), "at most 0.1"),
        (
            "f1 of b > f1 of a",
            ("--differ", "0.1", "--gap", "0.05"),
            "cannot be forecast without a pool",
        ),
        (
            "macro f1 >= 0.8",
            ("--expect", "0.9", "--prevalence", "0.1"),
            "cannot be forecast without",
        ),
        ("recall >= 0.8", ("--groups", "3"), "is one claim"),
        ("recal >= 0.8 in every lang", (), "recall >= 0.8 in every lang"),
    ],
)
def test_what_cannot_be_told_is_said(assaymark, claim, options, words):
    done = assaymark("size", claim, *options)
    assert done.code == 2
    assert words in done.err


def test_a_gap_costs_less_where_it_may_be_wider(assaymark, pool, tmp_path):
    """Scores that are alike in all groups do not say that a gap is there."""
    columns = ("--id", "id", "--score", "score", "--threshold", "0.5", "--group", "lang")
    assaymark("init", tmp_path / "w", "--pool", pool, *columns)
    told = [
        assaymark("plan", f"recall gap between lang <= {gap}", "--forecast", "-p", tmp_path / "w")
        for gap in (0.15, 0.3, 0.5)
    ]
    assert all("looks false" not in one.out for one in told)
    labels = [int(one.out.split("about ")[-1].split(" labels")[0].replace(",", "")) for one in told]
    assert labels == sorted(labels, reverse=True)
    assert labels[0] > 2 * labels[2]
