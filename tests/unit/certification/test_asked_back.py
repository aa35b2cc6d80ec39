"""What is asked back before a plan is sealed: claims that look false, claims that lack something."""

import io

import pytest


@pytest.mark.parametrize("answer", ["n", "y"])
@pytest.mark.parametrize("more", [(), ("--expect", 0.7, "--mode", "fixed", "--budget", 200)])
def test_a_no_to_the_question_seals_nothing(assaymark, project, monkeypatch, answer, more) -> None:
    """Somebody who is told that the claim looks false and says no had it sealed all the same."""
    monkeypatch.setattr("assaymark.cli.planning.asks", lambda: True)
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{answer}\n"))
    said = assaymark("plan", "f1 >= 0.99", *more, "-p", project)
    assert said.code == 0, said.err
    assert "Seal it anyway?" in said.out
    assert ("Nothing was sealed." in said.out) is (answer == "n")
    claim = assaymark("status", "-p", project, "--json").json["claim"]
    assert claim == (None if answer == "n" else "f1 >= 0.99")


@pytest.mark.parametrize("mode", [("--mode", "fixed"), ("--mode", "budget"), ("--mode", "budget", "--design", "score-guided")])  # fmt: skip
def test_an_expectation_that_is_asked_for_is_one_that_meets_the_claim(
    assaymark, project, mode
) -> None:
    """`--expect 0.8` was named beside a claim of 0.95, where it would be refused."""
    answer = assaymark("plan", "recall >= 0.95", *mode, "-p", project)
    assert answer.code == 2
    assert "(--expect 0.97)" in answer.err


def test_certainty_is_no_expectation(assaymark, project) -> None:
    answer = assaymark("plan", "recall >= 0.9999", "--expect", 1, "-p", project)
    assert (
        "'expect' must be between 0 and 1, got 1.0. 0 and 1 themselves are excluded." in answer.err
    )


def test_a_claim_without_a_sign_is_not_said_to_have_made_a_file(
    assaymark, project, tmp_path, monkeypatch
) -> None:
    """The file was named where there was none, and a low elusion was asked to be high."""
    monkeypatch.chdir(tmp_path)
    assert "called '='" not in assaymark("plan", "recall", "0.8", "-p", project).err
    (tmp_path / "=").touch()
    assert "called '='" in assaymark("plan", "recall", "0.8", "-p", project).err
    assert '"elusion <= 0.01"' in assaymark("plan", "elusion", "0.01", "-p", project).err
