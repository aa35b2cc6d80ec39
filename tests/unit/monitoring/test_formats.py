"""JUnit XML, SARIF and Markdown of a gate."""

import json
from xml.etree import ElementTree

import pytest

from assaymark.monitoring.formats.junit import junit
from assaymark.monitoring.formats.markdown import markdown
from assaymark.monitoring.formats.sarif import sarif
from assaymark.monitoring.gate import Gate, GatedClaim

HOSTILE = "a|b</failure>]]>\"'\x00`<script>"


def _claim(name: str, outcome: str) -> GatedClaim:
    return GatedClaim(
        name=name,
        outcome=outcome,  # type: ignore[arg-type]
        claim="f1 >= 0.8",
        labels=1200,
        labels_expected=1500 if outcome == "undecided" else None,
        expires="2099-06-30",
        reason="why | so.",
        file=f"claims/{name}.toml",
    )


@pytest.fixture
def gate() -> Gate:
    claims = (_claim("good", "certified"), _claim(HOSTILE, "undecided"), _claim("old", "stale"))
    return Gate(outcome="stale", today="2027-01-01", claims=claims)


def test_junit_counts_what_is_not_certified(gate) -> None:
    (suite,) = ElementTree.fromstring(junit(gate))
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "2", "0")
    failures = [case.find("failure") for case in suite]
    assert [None if f is None else f.get("type") for f in failures] == [None, "undecided", "stale"]
    assert suite[1].get("name") == HOSTILE.replace("\x00", "�")


def test_sarif_has_a_result_for_each_claim_that_is_not_certified(gate) -> None:
    log = json.loads(sarif(gate))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
    assert [result["ruleId"] for result in run["results"]] == ["claim-undecided", "claim-stale"]
    place = run["results"][1]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "claims/old.toml"


def test_markdown_is_a_table_that_no_text_can_break(gate) -> None:
    lines = markdown(gate).splitlines()
    assert lines[0] == "### assaymark gate: 🕰️ stale (2027-01-01)"
    assert all(line.replace("\\|", "").count("|") == 6 for line in lines[2:])
    assert "<script>" not in markdown(gate).replace("\\<", "")
    assert "| 1,200 |" in lines[5], "how many are still expected is a range, in the reason"


def test_the_command_writes_them(certified, tmp_path) -> None:
    names = {"--junit": "g.xml", "--sarif": "g.sarif", "--markdown": "g.md"}
    options = [part for flag, name in names.items() for part in (flag, tmp_path / name)]
    assert certified.gate(*options).code == 0
    assert all((tmp_path / name).stat().st_size > 100 for name in names.values())
    assert certified.gate("--junit", tmp_path / "no" / "g.xml").code == 2
