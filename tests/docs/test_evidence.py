"""Pages of evidence say what the records say, and records say what was measured or why not."""

import importlib.util
import json
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "docs"), str(ROOT / "bench")]

import evidence_pages  # noqa: E402
import evidence_race  # noqa: E402
import evidence_records  # noqa: E402

PAPERS = ("000", "001", "002", "003", "004")


def runner():
    spec = importlib.util.spec_from_file_location(
        "evidence_run", ROOT / "bench" / "evidence" / "run.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_pages_and_joined_records_follow_from_the_results():
    """To mend: python docs/generate.py."""
    assert evidence_pages.stale() == []


def test_a_figure_changed_in_the_results_is_noticed(tmp_path):
    """The check is no formality: another figure makes another page and another joined file."""
    for path in evidence_records.RESULTS.glob("*.json"):
        (tmp_path / path.name).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    before = evidence_pages.pages(tmp_path)
    path = tmp_path / "papers-000.json"
    rows = json.loads(path.read_text(encoding="utf-8"))
    row = next(row for row in rows if isinstance(row["ours"], float))
    row["ours"] += 0.1
    path.write_text(json.dumps(rows), encoding="utf-8")
    after = evidence_pages.pages(tmp_path)
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {"papers.json", "paper-000.md"}


def test_every_paper_has_rows_and_each_row_a_figure_or_a_reason():
    rows = evidence_records.read("papers")
    assert {row["paper"][:3] for row in rows} == set(PAPERS)
    names = [(row["paper"], row["row"]) for row in rows]
    assert len(names) == len(set(names))
    for row in rows:
        assert row["ours"] is not None or row["why"], row


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"extra": 1}, "fields missing or not known: extra"),
        ({"ours": [1, 2]}, "must be one value"),
        ({"ours": None, "why": ""}, "no figure and no reason"),
        ({"command": ""}, "a figure and no command"),
    ],
)
def test_a_bad_record_is_refused(tmp_path, record, said):
    good = dict.fromkeys(evidence_records.FIELDS["papers"], "x") | {"ours": 1.0}
    (tmp_path / "papers-x.json").write_text(json.dumps([good | record]), encoding="utf-8")
    with pytest.raises(evidence_records.RecordError, match=re.escape(said)):
        evidence_records.read("papers", tmp_path)


def test_a_small_run_never_replaces_a_figure_that_says_more():
    """Real data beats made worlds, then more runs; a row without a figure replaces nothing."""
    merged = runner().merged
    real = {"row": "a", "ours": 0.3, "data": "reuters21578", "runs": 14}
    made = {"row": "a", "ours": 0.5, "data": "made", "runs": 500}
    none = {"row": "a", "ours": None, "data": None, "runs": None}
    assert merged([real], [made]) == [real]
    assert merged([made], [real]) == [real]
    assert merged([made], [none]) == [made]
    assert merged([none], [made]) == [made]
    assert merged([real], [real | {"ours": 0.4}])[0]["ours"] == 0.4
    assert merged([real], []) == [real], "the collection is not at hand today"
    printed = real | {"data": "the paper's tweets"}
    assert merged([printed], []) == [printed], "no step of today recomputes it"
    assert merged([made], []) == []
    rows = [made, none | {"row": "b"}, real | {"row": "c"}]
    assert merged(rows, [rows[2]], whole=False) == rows, "the other steps were not asked for"


def test_a_finished_step_is_not_run_again(tmp_path):
    """A step is known by version, command and collections; another number of runs is another step."""
    runner()
    from evidence.steps import Step, finished, key_of

    step = Step(name="pairs", experiment="pairs", runs=1)
    place = tmp_path / "pairs"
    place.mkdir()
    assert finished(step, tmp_path, []) is None
    (place / "pairs.json").write_text('{"tables": []}', encoding="utf-8")
    (place / "done.json").write_text(
        json.dumps({"key": key_of(step, []), "seconds": 1.0, "machine": "m"})
    )
    assert finished(step, tmp_path, []).tables == {"tables": []}
    assert finished(Step(name="pairs", experiment="pairs", runs=2), tmp_path, []) is None


def test_every_validity_row_names_a_promise_and_a_test_that_exists():
    import tomllib

    text = (ROOT / "docs" / "evidence" / "promises.toml").read_text(encoding="utf-8")
    promises = set(tomllib.loads(text))
    for row in evidence_records.read("validity"):
        assert row["promise"] in promises, row
        if row["test"].startswith("tests/"):
            path, *names = row["test"].split("::")
            source = (ROOT / path).read_text(encoding="utf-8")
            for name in names:
                assert f"def {name.split('[')[0]}(" in source, row["test"]


def test_headlines_of_the_readme_lead_to_their_results():
    """Each figure that the README states as measured links to the page that has it."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    section = text.split("## What was measured")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("- ")]
    assert lines
    for line in lines:
        target = re.search(r"\]\((docs/evidence/[\w.-]+\.md)", line)
        assert target, line
        page = (ROOT / target.group(1)).read_text(encoding="utf-8")
        figures = re.findall(r"\*\*([\d.,]+)( %)?\*\*", line)
        assert figures, line
        measured = [float(text.replace(",", "")) for text in re.findall(r"\d[\d,]*\.?\d*", page)]
        for digits, percent in figures:
            shown = float(digits.replace(",", ""))
            exact = [round(100 * value) if percent else round(value) for value in measured]
            assert shown in exact, (digits, target.group(1))


def test_what_the_page_of_the_race_says_of_goals_is_so():
    """Its sentences have no figures of their own to go stale, so they are asked of the records."""
    rows = json.loads((evidence_records.RESULTS / "performance-method2.json").read_text())
    goals = [
        row for row in rows if row["bar"] and any(bar in row["what"] for bar in evidence_race.BARS)
    ]
    rare = [row for row in goals if "rare classes" in row["what"]]
    draws = [row for row in goals if "anytime on simple draws" in row["what"]]
    assert len(rare) == 4
    assert all(row["measured"] <= row["bar"] for row in rare)
    assert len(draws) == 3
    assert all(row["measured"] <= row["bar"] for row in draws)
    laps = evidence_race.laps_on_record(evidence_records.RESULTS)
    f1 = [
        lap
        for lap in laps
        if lap["metric"] == "f1" and lap["margin"] in (0.05, 0.1) and lap["entrant"] == "fixed"
    ]
    limit = evidence_race.geometric([lap["ideal"] / lap["mean"] for lap in f1])
    every = [row["bar"] for row in goals if row["what"].startswith("F1") and "every" in row["what"]]
    assert min(every) < limit, "no test that draws with replacement takes fewer labels on average"


def test_every_cell_that_is_not_below_its_best_rival_says_why():
    """By the record's own figures: clearly behind has a reason, the rest is within two standard errors."""
    cells = json.loads((evidence_records.RESULTS / "estimate-errors.json").read_text("utf-8"))
    page = evidence_pages.pages()["estimates.md"]
    behind = 0
    for cell in cells:
        for way in ("fixed", "renewed"):
            ratio, se, why = (
                cell[name] for name in (f"{way} over best rival", f"se of {way}", f"why not {way}")
            )
            clear = ratio > 1 + 2 * se + 1e-3  # figures are rounded to four digits
            assert why or not clear, cell
            assert not why or ratio > 1
            assert why in page
            behind += bool(why)
    assert 0 < behind < len(cells) / 5
    assert page.count("within two standard errors |") > 0
