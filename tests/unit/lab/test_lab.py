"""The lab's worlds, looks, rivals and bookkeeping, on small synthetic data."""

import json
import sys
from dataclasses import dataclass, replace
from itertools import permutations
from pathlib import Path

import duckdb
import numpy as np
import pytest
from click.testing import CliRunner
from scipy.special import betaincc, betaincinv

from assaymark.claims.claim import Claim, Counts
from assaymark.cli.lab import lab
from assaymark.errors import InputError
from assaymark.lab import corpora
from assaymark.lab import vega_lite as vega
from assaymark.lab.experiments import EXPERIMENTS, run_experiment
from assaymark.lab.experiments.certify_race import experiment as certify_race
from assaymark.lab.experiments.certify_race.rivals import (
    agrapa_path,
    alpha_path,
    labels_to_pass,
    shifted_gain,
)
from assaymark.lab.experiments.sequential_bias import experiment as sequential_bias
from assaymark.lab.experiments.sequential_bias import growing_training
from assaymark.lab.experiments.sequential_bias.growing_sample import counts_at, grow_test
from assaymark.lab.experiments.sequential_bias.looks import (
    beta_bounds,
    beta_doubt,
    exact_doubt,
    point_f1,
)
from assaymark.lab.outcome import Outcome, draw, write_outcome
from assaymark.lab.tasks import Order, rng_of, run_all
from assaymark.lab.worlds import Sketch, claim_below, cut_world, make_world, unit_scores
from assaymark.stats.binomial_bounds import bound, exact_low

SMALL = Sketch(items=2000, prevalence=0.1, f1=0.75)


def world_of(sketch=SMALL, seed=42):
    return make_world(sketch, np.random.default_rng(seed))


# worlds


def test_a_world_has_exactly_the_cells_that_were_asked_for():
    world = world_of()
    assert world.cells == (150, 50, 50, 1750)
    assert world.value("f1") == 0.75
    assert world.prevalence == 0.1


@pytest.mark.parametrize(
    "change",
    [
        {"quality": 1.0},
        {"calibration": "over-confident"},
        {"calibration": "ranks only"},
        {"ties": True},
        {"trap": "upside down"},
        {"trap": "hidden misses"},
    ],
)
def test_every_option_of_a_sketch_changes_the_scores(change):
    changed = world_of(replace(SMALL, **change))
    assert changed.name != SMALL.name
    assert not np.array_equal(changed.scores, world_of().scores)
    assert changed.cells == world_of().cells


def test_honest_scores_are_calibrated_in_each_predicted_class():
    """Mean score and rate of positives differ by less than five standard errors."""
    world = world_of(Sketch(items=40_000, prevalence=0.2))
    for side in (world.predicted, ~world.predicted):
        scores, labels = world.scores[side], world.labels[side]
        error = np.sqrt((scores * (1 - scores)).sum()) / len(scores)
        assert abs(scores.mean() - labels.mean()) < 5 * error


def test_strata_hold_every_item_once_and_never_split_a_tie():
    world = world_of(replace(SMALL, ties=True))
    cut = cut_world(world, claim_below(world, 0.05))
    assert sum(part.size for part in cut.strata) == world.items
    assert [part.size for part in cut.strata] == [len(own) for own in cut.labels]
    assert sum(int(own.sum()) for own in cut.labels) == world.labels.sum()
    assert len(cut.strata) <= 2 * 11


def test_without_scores_there_are_two_strata():
    for world in (world_of(replace(SMALL, scored=False)), world_of()):
        cut = cut_world(world, claim_below(world, 0.05), scored=False)
        assert [part.size for part in cut.strata] == [200, 1800]
        assert cut.rates.tolist() == [0.75, 50 / 1800]


def test_scores_outside_the_unit_interval_become_ranks():
    assert unit_scores(np.array([-3.0, 7.0, 7.0, 9.0])).tolist() == [0.125, 0.5, 0.5, 0.875]
    assert unit_scores(np.array([0.0, 0.3, 1.0])).tolist() == [0.0, 0.3, 1.0]


def test_a_margin_that_leaves_no_claim_is_refused():
    with pytest.raises(InputError, match=r"f1 is 0\.750 in the world .* Ask for a smaller margin"):
        claim_below(world_of(), 0.8)
    with pytest.raises(InputError, match="'trap' must be one of none, upside down, hidden misses"):
        Sketch(trap="upside")


# looks


@pytest.mark.parametrize(
    ("cells", "target"),
    [
        ((46, 8, 0, 193), 0.881),
        ((223, 33, 0, 2690), 0.938),
        ((10, 880, 2, 683), 0.02),
        ((160, 129, 2, 311), 0.6126),
        ((80, 20, 20, 880), 0.75),
        ((5, 0, 3, 100), 0.6),
        ((1, 0, 0, 19), 0.5),
    ],
)
def test_the_fast_posterior_agrees_with_a_dense_integral(cells, target):
    """The midpoint rule on 40,000 quantiles of precision is good to about 1e-6."""
    tp, fp, fn, tn = cells
    share = (tp + fp) / sum(cells)
    precision = betaincinv(tp + 0.5, fp + 0.5, (np.arange(40_000) + 0.5) / 40_000)
    edge = share * (precision * (2 - target) - target) / (target * (1 - share))
    dense = betaincc(fn + 0.5, tn + 0.5, np.clip(edge, 0, 1)).mean()
    fast = float(beta_doubt(np.array(cells), target, all_points=True))
    assert fast == pytest.approx(dense, abs=2e-5)


def test_the_fast_bound_agrees_with_the_calculator():
    cells = np.array([(80, 20, 20, 880), (150, 2, 18, 30), (0, 3, 4, 50)])
    fast = beta_bounds(cells, confidence=0.95)
    for own, value in zip(cells.tolist(), fast, strict=True):
        counts = Counts(tp=own[0], fp=own[1], fn=own[2], tn=own[3])
        slow = bound("f1", counts, design="simple", method="beta").interval.low
        assert value == pytest.approx(slow, abs=1e-4)


def test_the_exact_p_value_is_small_exactly_where_the_exact_bound_passes():
    rng = np.random.default_rng(42)
    cells = rng.multinomial(200, (0.3, 0.1, 0.1, 0.5), size=300)
    target = 0.7
    low = exact_low(cells[:, 0], cells[:, :3].sum(axis=1), 0.05)
    assert ((2 * low / (1 + low) >= target) == (exact_doubt(cells, target) <= 0.05)).all()


def test_the_point_is_one_where_nothing_is_there_and_nothing_is_predicted():
    assert point_f1(np.array([(0, 0, 0, 20), (1, 1, 1, 0), (0, 0, 2, 9)])).tolist() == [1, 0.5, 0]


def test_counts_grow_with_the_looks():
    counts = counts_at(np.array([[0, 3, 1, 2, 0, 0]]), 2)
    assert counts.tolist() == [[[1, 0, 0, 1], [1, 1, 1, 1], [3, 1, 1, 1]]]


def test_growing_tests_are_repeated_by_their_seed_alone():
    shares = np.array([0.1, 0.05, 0.05, 0.8])
    once, again, other = (
        grow_test(shares, runs=4, rng=rng_of(seed, "test")) for seed in (42, 42, 43)
    )
    assert once == again
    assert once["least_beta"] != other["least_beta"]
    assert len(once["least_exact"]) == 4


# rivals


def test_the_shifted_gain_has_its_null_at_the_claim():
    claim = Claim(metric="f1", side="lower", target=0.75)
    game = shifted_gain(claim)
    world = world_of()
    assert float(game.values @ np.array(world.cells)) / world.items == pytest.approx(game.null)


@pytest.mark.parametrize("path", [alpha_path, agrapa_path])
def test_a_rival_gains_nothing_on_average_where_the_claim_is_only_just_false(path):
    """Exact: over all orders of seven items with the null mean the wealth has mean one or less."""
    items = np.array([2.0, 0.0, 1.0, 0.0, 2.0, 1.0, 1.0])
    more = {"guess": 1.3} if path is alpha_path else {}
    orders = {tuple(order) for order in permutations(items.tolist())}
    paths = np.array(
        [path(np.array(o), null=items.mean(), top=2.0, items=7, **more) for o in orders]
    )
    assert np.isfinite(paths).all()
    assert (np.exp(paths).mean(axis=0) <= 1 + 1e-9).all()
    assert np.exp(paths[:, 0]).mean() == pytest.approx(1)


@pytest.mark.parametrize("path", [alpha_path, agrapa_path])
def test_a_rival_is_certain_once_the_rest_cannot_matter(path):
    more = {"guess": 0.6} if path is alpha_path else {}
    log = path(np.array([1.0, 1.0, 1.0, 0.0]), null=0.5, top=1.0, items=4, **more)
    assert labels_to_pass(log, confidence=0.95) == 4
    lost = path(np.array([0.0, 0.0, 0.0, 1.0]), null=0.5, top=1.0, items=4, **more)
    assert labels_to_pass(lost, confidence=0.95) is None


# training curves


def test_stopping_is_premature_only_while_the_truth_is_short_of_the_target():
    """The first look passes the 95 % bound; whether that is early is decided by the truth there."""
    counts = np.array([(190, 5, 5, 800), (190, 5, 5, 800)])
    sizes = np.array([200, 220])
    for truth, early in (((0.5, 1.0), True), ((0.95, 1.0), False)):
        curve = growing_training.Curve(
            training=sizes, test=np.array([1000, 1000]), counts=counts, truth=np.array(truth)
        )
        found = growing_training.judge_curve(curve, (0.5, 0.95))
        assert found["early_beta"] == found["early_exact"] == [early, early]
        assert found["point"] is early
        assert found["points"] == 2


# bookkeeping


@dataclass(frozen=True, kw_only=True)
class Square:
    number: int

    @property
    def name(self) -> str:
        return str(self.number)


def squared(task: Square) -> dict:
    return {"square": task.number**2}


def refused(task: Square) -> dict:
    raise AssertionError("computed again")


def test_a_run_resumes_from_what_its_folder_holds(tmp_path):
    order, tasks = Order(folder=tmp_path), [Square(number=n) for n in (2, 3)]
    first = run_all(squared, tasks, order)
    assert first == [{"square": 4}, {"square": 9}]
    assert run_all(refused, tasks, order) == first


def test_the_number_of_jobs_changes_nothing():
    tasks = [Square(number=n) for n in range(4)]
    assert run_all(squared, tasks, Order(jobs=2)) == run_all(squared, tasks, Order())


def test_an_unknown_experiment_suggests_the_nearest():
    with pytest.raises(InputError, match="Did you mean 'sequential-bias'"):
        run_experiment("sequental-bias", Order())
    assert set(EXPERIMENTS) >= {"sequential-bias", "certify-race"}


def test_tables_are_written_as_json_and_csv(tmp_path):
    outcome = Outcome(name="x", tables={"t": [{"a": 1, "b": None}]}, sentences=())
    written = write_outcome(outcome, tmp_path / "new")
    assert [Path(file).name for file in written.files] == ["x.json", "x-t.csv"]
    assert json.loads((tmp_path / "new" / "x.json").read_text())["t"] == [{"a": 1, "b": None}]
    assert (tmp_path / "new" / "x-t.csv").read_text().splitlines() == ["a,b", "1,"]


def test_a_missing_package_is_asked_for_by_name(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.nowhere", None)
    with pytest.raises(
        InputError, match=r"To train classifiers the lab needs sklearn, .*assaymark\[lab\]"
    ):
        corpora.learning("nowhere")


@pytest.fixture
def tiny(monkeypatch):
    """Both experiments with one small world, so that they take about a second."""
    monkeypatch.setattr(sequential_bias, "SKETCHES", (SMALL,))
    monkeypatch.setattr(certify_race, "SKETCHES", (SMALL,))
    monkeypatch.setattr(certify_race, "ODD", ())
    monkeypatch.setattr(certify_race, "MARGINS", (0.1,))


def test_the_command_runs_the_race(tiny, tmp_path):
    done = CliRunner().invoke(
        lab, ["certify-race", "--runs", "3", "-o", str(tmp_path), "--json"], catch_exceptions=False
    )
    assert done.exit_code == 0
    answer = json.loads(done.stdout)
    laps = {lap["entrant"]: lap for lap in answer["laps"]}
    assert laps["weighted"]["mean"] < laps["fixed"]["mean"]
    assert laps["fixed"]["of_fixed"] == 1
    assert all(lap["mean"] <= 2000 for lap in laps.values())
    assert (tmp_path / "certify-race-laps.csv").exists()


def test_the_command_runs_the_bias_experiment(tiny):
    done = CliRunner().invoke(lab, ["sequential-bias", "--runs", "5"], catch_exceptions=False)
    assert done.exit_code == 0
    assert "anytime (S) accepts falsely in" in done.stdout


def test_figures_are_drawn_as_svg_and_png(tiny, tmp_path):
    pytest.importorskip("altair", reason="figures need altair: pip install assaymark[lab]")
    pytest.importorskip("vl_convert", reason="figures need vl-convert: pip install assaymark[lab]")
    outcome = run_experiment("sequential-bias", Order(runs=5))
    files = [path for name, spec in outcome.figures.items() for path in draw(spec, tmp_path / name)]
    assert {path.suffix for path in files} == {".json", ".svg", ".png"}
    assert all(path.stat().st_size > 1000 for path in files)


def test_channels_and_layers_are_vega_lites_own() -> None:
    """A number has no title unless one is given, a name none at all, and data only where it has any."""
    assert vega.number("f1", axis={"grid": False}) == {
        "field": "f1",
        "type": "quantitative",
        "axis": {"grid": False},
    }
    assert vega.name("way") == {"field": "way", "type": "nominal", "title": None}
    x = vega.number("f1")
    assert vega.layer({"type": "tick"}, x=x) == {"mark": {"type": "tick"}, "encoding": {"x": x}}
    assert vega.layer({"type": "tick"}, [{"f1": 1}], x=x)["data"] == {"values": [{"f1": 1}]}
    assert vega.figure("F1", look={"background": "grey"}, width=9) == {
        "background": "grey",
        "title": {"text": "F1", "anchor": "start", "fontSize": 13},
        "width": 9,
    }


# collections


def write_parquet(path: Path, select: str) -> Path:
    duckdb.connect().execute(f"COPY ({select}) TO '{path}' (FORMAT parquet)")
    return path


def test_vendor_scores_make_a_world_per_topic_and_threshold(tmp_path):
    path = write_parquet(
        tmp_path / "v.parquet",
        "SELECT 'x' AS text, i % 3 AS class, CASE WHEN i = 0 THEN NULL ELSE i / 30.0 END"
        " AS perspective_toxicity FROM range(30) t(i)",
    )
    collection = corpora.read_collection(path)
    worlds = corpora.vendor_worlds(collection, (0.5,))
    assert [world.name for world in worlds] == [
        "davidson_perspective offensive at 0.5",
        "davidson_perspective hate at 0.5",
    ]
    assert {world.items for world in worlds} == {29}  # the item without a score is left out


def test_a_file_of_another_shape_is_refused_with_what_is_known(tmp_path):
    path = write_parquet(tmp_path / "o.parquet", "SELECT 1 AS id, 2 AS other")
    with pytest.raises(InputError, match=r"its columns are id, other\. Known collections"):
        corpora.read_collection(path)
    with pytest.raises(InputError, match="There is no file"):
        corpora.read_collection(tmp_path / "none.parquet")


def test_a_file_that_is_not_there_is_refused_before_any_work(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "assaymark.lab.experiments.import_module", lambda _: pytest.fail("work began")
    )
    with pytest.raises(InputError, match="There is no file"):
        run_experiment("pairs", Order(data=(tmp_path / "none.parquet",)))


def test_a_single_stratified_sample_has_no_spread_to_measure():
    with pytest.raises(InputError, match="'runs' must be at least 2, got 1"):
        run_experiment("stratified", Order(runs=1))


def test_the_best_threshold_keeps_ties_together():
    scores = np.array([0.9, 0.5, 0.5, 0.1])
    assert corpora.best_threshold(scores, np.array([True, True, False, False])) == 0.5
    assert corpora.best_threshold(scores, np.array([True, False, False, False])) == 0.9


@pytest.fixture
def newsgroups(tmp_path):
    """Four hundred short texts on two topics, told apart by a few words."""
    pytest.importorskip("sklearn", reason="training needs scikit-learn: pip install assaymark[lab]")
    return write_parquet(
        tmp_path / "n.parquet",
        "SELECT CASE WHEN i % 4 = 0 THEN 'space' ELSE 'cars' END AS label, 'train' AS split,"
        " CASE WHEN i % 4 = 0 AND i % 7 > 0 THEN 'orbit moon rocket ' ELSE 'wheel motor road ' END"
        " || 'word' || (i % 23) || ' term' || (i % 17) AS text FROM range(400) t(i)",
    )


def test_a_trained_world_is_the_population_without_its_training_items(newsgroups):
    corpus = corpora.load_corpus(newsgroups, 42)
    world = corpora.trained_world(corpus, "space", np.random.default_rng(42))
    assert world.items == 280
    assert world.value("f1") > 0.8


def test_a_learning_curve_is_judged_on_all_levels(newsgroups):
    task = growing_training.TrainingTask(
        path=newsgroups, topic="space", both=True, labels=200, repeat=0, seed=42, levels=(0.5, 0.95)
    )
    found = growing_training.run_training(task)
    assert found["curve"]["training"] == list(range(10, 101, 10))
    assert max(found["curve"]["truth"]) > 0.8
    assert len(found["early_beta"]) == 2
    assert found == growing_training.run_training(task)
