"""The stopper for ASReview stops on random draws only; ASReview itself is not needed to see it."""

import importlib.util
import random
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

PLUGIN = Path(__file__).parents[3] / "plugins" / "asreview-assaymark"


@pytest.fixture(scope="module")
def plugin():
    place = PLUGIN / "src" / "asreview_assaymark" / "__init__.py"
    spec = importlib.util.spec_from_file_location("asreview_assaymark", place)
    module = importlib.util.module_from_spec(spec)
    sys.modules["asreview_assaymark"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["asreview_assaymark"]


def simulated(plugin, *, every: int, honest: bool = True) -> dict[str, list]:
    """A simulated review of 600 records with a perfect ranking; ends when the stopper says so."""
    rng = random.Random(4)
    truth = [1] * 60 + [0] * 540
    rng.shuffle(truth)
    unread = list(range(600))
    querier = plugin.RandomPart(every=every, seed=1)
    stopper = plugin.CertifiedRecall(recall="0.8")
    results: dict[str, list] = {"label": [], "querier": []}
    while not stopper.stop(results, truth):
        order = querier.query([truth[i] for i in unread])
        item = unread.pop(int(order[0]))
        results["label"].append(truth[item])
        results["querier"].append(querier.name if honest else "max")
    return results


def test_the_pair_stops_before_everything_is_read(plugin):
    read = simulated(plugin, every=2)
    assert 60 < len(read["label"]) < 600
    assert sum(read["label"]) >= 48


def test_without_random_draws_it_stops_only_when_too_few_are_left_to_matter(plugin):
    """60 found and 15 unread: even if all of these were relevant, recall would be 0.8."""
    assert len(simulated(plugin, every=2, honest=False)["label"]) == 585


def test_random_records_are_uniform_on_the_unread_ones(plugin):
    """Chi-squared over 5 records, 2,000 draws: above 23.5 in one of 10,000 runs; the seed is fixed."""
    querier = plugin.RandomPart(every=1, seed=7)
    first = np.bincount([int(querier.query([5, 4, 3, 2, 1])[0]) for _ in range(2000)], minlength=5)
    assert ((first - 400) ** 2 / 400).sum() < 23.5
    assert sorted(querier.query([5, 4, 3])) == [0, 1, 2]


def test_records_without_a_label_play_as_relevant(plugin):
    results = {"label": [1, float("nan")], "querier": ["top", "top"]}
    assert not plugin.CertifiedRecall(recall="0.5").stop(results, [1, 1, 1])
    with pytest.raises(ValueError, match="at least 1, got 0"):
        plugin.RandomPart(every=0)


def test_of_records_labelled_together_only_the_first_was_drawn(plugin):
    """With several records per query, or a group of duplicates, the others were not random."""
    stopper = plugin.CertifiedRecall(recall="0.5")
    results = {
        "label": [1] * 20 + [0] * 200,
        "querier": ["max"] * 20 + [plugin.RANDOM] * 200,
        "training_set": list(range(220)),
    }
    assert stopper.stop(results, [0] * 1000)
    together = {**results, "training_set": [0] * 20 + [20] * 200}
    assert not stopper.stop(together, [0] * 1000)


def test_entry_points_lead_to_the_classes(plugin):
    told = tomllib.loads((PLUGIN / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for group in ("asreview.models.stoppers", "asreview.models.queriers"):
        for name, target in told["entry-points"][group].items():
            assert getattr(plugin, target.partition(":")[2]).name == name
