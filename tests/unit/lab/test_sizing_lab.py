"""The experiment `test-size`: the printed algorithm, the tables it is tried on, the bookkeeping."""

import json
from pathlib import Path

import duckdb
import numpy as np
import pytest
from click.testing import CliRunner

from assaymark.claims.claim import Counts
from assaymark.cli.lab import lab
from assaymark.errors import InputError
from assaymark.lab import corpora
from assaymark.lab.experiments import run_experiment
from assaymark.lab.experiments.test_size import experiment as sizing
from assaymark.lab.experiments.test_size import printed_plan
from assaymark.lab.experiments.test_size import tables as size_tables
from assaymark.lab.experiments.test_size import trials as size_trials
from assaymark.lab.experiments.test_size.printed_plan import (
    Printed,
    lower_ends,
    printed_sizes,
    theta_star,
)
from assaymark.lab.experiments.test_size.tables import TableSketch, make_population
from assaymark.lab.experiments.test_size.trials import SizingTask, run_table
from assaymark.lab.outcome import draw
from assaymark.lab.tasks import Order
from assaymark.stats.binomial_bounds import bound

PILOT = np.array([[80, 20, 20, 880]])


# the printed algorithm


@pytest.mark.parametrize("cells", [(80, 20, 20, 880), (30, 5, 2, 40), (3, 9, 1, 7)])
@pytest.mark.parametrize("literal", [True, False])
def test_the_interval_is_that_of_the_calculator(cells, literal):
    method = "normal-literal" if literal else "normal"
    counts = Counts(tp=cells[0], fp=cells[1], fn=cells[2], tn=cells[3])
    slow = bound("f1", counts, design="simple", method=method).interval.low
    fast = lower_ends(np.array(cells), Printed(target=0.5, literal=literal))
    assert float(fast) == pytest.approx(slow, abs=1e-12)


def test_the_interval_where_the_formula_says_little():
    """Nothing informative: 0. One item: none. No variation: no width, as printed."""
    tables = np.array([(0, 0, 0, 20), (1, 0, 0, 0), (5, 0, 0, 30)])
    assert lower_ends(tables, Printed(target=0.5)).tolist() == [0, 0, 1]


def test_what_can_be_reached_rises_with_the_size():
    pilots = np.repeat(PILOT, 4, axis=0)
    reached = theta_star(
        pilots, np.array([50, 200, 1000, 20_000]), Printed(target=0.5), np.random.default_rng(42)
    )
    assert (np.diff(reached) > 0).all()


def test_the_size_reaches_the_target_with_the_power():
    """Another 20,000 draws at the size found, against the stopping rule's ε; 5 standard errors."""
    ask = Printed(target=0.65)
    found = printed_sizes(PILOT, ask, np.random.default_rng(42))
    many = Printed(target=0.65, draws=20_000)
    star = theta_star(PILOT, found.sizes, many, np.random.default_rng(43))[0]
    assert 0.645 < star < 0.66
    assert not found.below.any()
    assert not found.endless.any()


def test_the_slip_in_equation_5_changes_the_size():
    sizes = [
        printed_sizes(PILOT, Printed(target=0.65, literal=kept), np.random.default_rng(42)).sizes[0]
        for kept in (True, False)
    ]
    assert sizes[1] > 1.5 * sizes[0]


def test_a_pilot_below_the_target_gets_no_size():
    found = printed_sizes(PILOT, Printed(target=0.81), np.random.default_rng(42))
    assert found.below.tolist() == [True]
    assert found.sizes.tolist() == [0]


def test_the_printed_search_would_not_end_where_the_posterior_is_short_of_the_power(monkeypatch):
    """P(F1 > 0.78 | pilot) is 0.7: no size reaches 0.93; here the doubling is stopped."""
    monkeypatch.setattr(printed_plan, "LARGEST", 4096)
    found = printed_sizes(PILOT, Printed(target=0.78), np.random.default_rng(42))
    assert found.endless.tolist() == [True]
    assert found.sizes.tolist() == [0]


# tables


def test_made_tables_are_like_the_papers():
    made = [make_population(TableSketch(number=i, seed=42)) for i in range(200)]
    for table in made:
        assert sum(table.shares) == pytest.approx(1)
        assert min(table.shares) > 0
        assert 0.031 <= table.shares[0] + table.shares[2] <= 0.474
        assert 0.4 <= table.f1 <= 0.95 + 1e-9
        assert 500 <= table.pilot <= 10_000
        assert table.pilot % 20 == 0
    assert len({table.shares for table in made}) == 200
    assert made[3] == make_population(TableSketch(number=3, seed=42))
    assert made[3] != make_population(TableSketch(number=3, seed=43))


def write_parquet(path: Path, select: str) -> Path:
    duckdb.connect().execute(f"COPY ({select}) TO '{path}' (FORMAT parquet)")
    return path


TEXTS = (
    "CASE WHEN i % 4 = 0 AND i % 7 > 0 THEN 'glad happy merry ' ELSE 'plain road stone ' END"
    " || 'word' || (i % 23) || ' term' || (i % 17) AS text"
)


@pytest.fixture
def emotions(tmp_path):
    """Six hundred short texts in the columns of goemotions."""
    pytest.importorskip("sklearn", reason="training needs scikit-learn: pip install assaymark[lab]")
    return write_parquet(
        tmp_path / "e.parquet",
        "SELECT i AS id, 'train' AS split, CASE WHEN i % 4 = 0 THEN 'joy;love' ELSE 'neutral' END"
        f" AS labels, {TEXTS} FROM range(600) t(i)",
    )


def test_goemotions_is_known_by_its_columns(emotions, tmp_path):
    collection = corpora.read_collection(emotions)
    assert collection.name == "goemotions"
    assert collection.shares() == {"neutral": 0.75, "joy": 0.25, "love": 0.25}
    other = write_parquet(tmp_path / "n.parquet", "SELECT 'a' AS label, 'b' AS text, 'c' AS split")
    assert corpora.read_collection(other).name == "newsgroups20"


def test_a_table_of_a_collection_is_a_trained_classifier(emotions, monkeypatch):
    monkeypatch.setattr(size_tables, "SMALLEST", 100)
    sketch = TableSketch(number=0, seed=42, path=emotions)
    found = make_population(sketch)
    assert found.where == "goemotions"
    assert found.name.endswith(f"{found.pilot:,} trained on")
    assert 100 <= found.pilot <= 180
    assert found.f1 > 0.8
    assert found == make_population(sketch)


def test_a_collection_that_is_too_small_is_refused(emotions):
    with pytest.raises(InputError, match="180 items to train on; this experiment needs one topic"):
        make_population(TableSketch(number=0, seed=42, path=emotions))


# the experiment


@pytest.fixture
def two_targets(monkeypatch):
    """Only the targets that need few labels."""
    for module in (size_trials, sizing):
        monkeypatch.setattr(module, "SHARES", (0.5, 0.6))


def test_the_command_runs_and_resumes(two_targets, monkeypatch, tmp_path):
    words = ["test-size", "--runs", "2", "-o", str(tmp_path), "--json"]
    first = json.loads(CliRunner().invoke(lab, words, catch_exceptions=False).stdout)
    assert [(row["share"], row["way"]) for row in first["success"]] == [
        (share, way) for share in (0.5, 0.6) for way in ("printed", "mended", "exact")
    ]
    assert all(row["pilots"] == 4 for row in first["success"])
    assert len(first["tables"]) == 12
    assert (tmp_path / "test-size-success.csv").exists()

    def refused(task):
        raise AssertionError("computed again")

    monkeypatch.setattr(sizing, "run_table", refused)
    again = json.loads(CliRunner().invoke(lab, words, catch_exceptions=False).stdout)
    assert again["success"] == first["success"]


def test_another_seed_gives_other_tables_and_the_same_seed_the_same(two_targets):
    one, same, other = (
        run_table(SizingTask(table=TableSketch(number=0, seed=seed), pilots=2))
        for seed in (42, 42, 43)
    )
    assert one == same
    assert one["rows"][0]["f1"] != other["rows"][0]["f1"]


def test_pilots_without_a_size_are_left_out_or_count_as_failures():
    """A table with 1 of 4 pilots sized that surely passes: all pass, or a quarter does."""
    row = {
        "where": "made", "number": 0, "share": 0.9, "way": "exact", "pilots": 4, "sized": 1,
        "out_of_reach": 2, "no_end": 1, "success": 1.0, "drawn": 1, "confidence": 0.96,
        "no_width": 0.0, "median_size": 100.0, "mean_size": 100.0, "informative": 50.0,
    }  # fmt: skip
    never = {**row, "number": 1, "sized": 0, "out_of_reach": 4, "no_end": 0, "success": None,
             "drawn": 0, "confidence": None, "median_size": None, "mean_size": None}  # fmt: skip
    found = sizing._summary([row, never], {("made", 0, 0.9): 100.0, ("made", 1, 0.9): None})
    assert (found.success, found.success_all) == (1.0, 0.125)
    assert (found.out_of_reach, found.no_end) == (6 / 8, 1 / 8)
    assert found.of_exact == pytest.approx(1)
    assert "100.0% pass (paper 94.3%)" in str(found)
    assert "never a size" in str(sizing._summary([never], {("made", 1, 0.9): None}))


def test_the_figures_are_drawn(two_targets, tmp_path):
    pytest.importorskip("altair", reason="figures need altair: pip install assaymark[lab]")
    found = run_experiment("test-size", Order(runs=2))
    assert set(found.figures) == {"success", "confidence", "sizes"}
    files = [path for name, spec in found.figures.items() for path in draw(spec, tmp_path / name)]
    assert all(path.stat().st_size > 1000 for path in files)


def test_the_size_as_printed_is_an_option_for_comparison(assaymark) -> None:
    """The printed size is smaller than the exact one: its interval is too narrow."""
    ask = ("size", "f1 >= 0.7", "--pilot", "80,20,20,880")
    sizes = {
        m: assaymark(*ask, "--method", m, "--json").json["labels"] for m in ("printed", "corrected")
    }
    exact = assaymark(*ask, "--json").json["modes"]["fixed"]["labels"]
    assert sizes["printed"] < sizes["corrected"] < 1.2 * exact
    assert "too narrow" in assaymark(*ask, "--method", "printed").out
    refused = assaymark("size", "recall >= 0.7", "--pilot", "80,20,20,880", "--method", "printed")
    assert refused.code == 2
    assert "needs --pilot" in refused.err
