"""How often triage breaks its promise, by seeded simulation on populations with known truth.

Every count is compared with its nominal rate by an exact binomial test at 1 in 10,000.
"""

import numpy as np
import pytest
from scipy import stats

from assaymark.lab.experiments.triage.experiment import RULES, Round, _sample, fixed_before
from assaymark.lab.experiments.triage.worlds import TriageSketch, make
from assaymark.triaging.stats.cutoffs import tally
from assaymark.triaging.stats.drift_audit import _wealth

FALSE_ALARM = 1e-4
WORLDS = {
    "easy": TriageSketch(name="easy", distance=2.0),
    "hard": TriageSketch(name="hard", distance=1.2),
    "bent": TriageSketch(name="bent", distance=2.0, bent=True),
}


def broken(world_name, rule, *, labels, runs, seed=42):
    world = make(WORLDS[world_name], seed)
    known = fixed_before(world)
    count, shares = 0, []
    for number in range(runs):
        rng = np.random.default_rng([seed, number])
        it = Round(world=world, known=known, development=_sample(world, labels, rng), rng=rng)
        seen = tally(world.population, RULES[rule].choose(it))
        count += RULES[rule].broken(seen, world.target)
        shares.append(seen.automated_share)
    return count, float(np.mean(shares))


@pytest.mark.parametrize("rule", [name for name, rule in RULES.items() if rule.promised])
@pytest.mark.parametrize("world", sorted(WORLDS))
def test_promised_rules_break_their_promise_at_most_one_time_in_ten(rule, world, measured):
    runs = 150
    count, _ = broken(world, rule, labels=300, runs=runs)
    measured("triage-cut-offs", f"made: {world}, rule {rule}", count, nominal=0.1, runs=runs)
    assert stats.binomtest(count, runs, 0.1, alternative="greater").pvalue > FALSE_ALARM


@pytest.mark.slow
@pytest.mark.parametrize("rule", [name for name, rule in RULES.items() if rule.promised])
@pytest.mark.parametrize("world", sorted(WORLDS))
@pytest.mark.parametrize("labels", [200, 1000])
def test_promised_rules_over_many_runs(rule, world, labels, measured):
    runs = 2000
    count, _ = broken(world, rule, labels=labels, runs=runs)
    measured("triage-cut-offs", f"made: {world}, rule {rule}", count, nominal=0.1, runs=runs)
    assert stats.binomtest(count, runs, 0.1, alternative="greater").pvalue > FALSE_ALARM


def test_the_best_pair_on_the_labels_misses_its_target_more_often_than_not():
    runs = 150
    count, _ = broken("easy", "empirical", labels=300, runs=runs)
    assert stats.binomtest(count, runs, 0.5, alternative="greater").pvalue < FALSE_ALARM


def test_labels_drawn_to_order_automate_more_of_a_hard_world():
    _, plain = broken("hard", "certified", labels=1000, runs=50)
    _, ordered = broken("hard", "targeted", labels=1000, runs=50)
    assert ordered > 1.25 * plain


@pytest.mark.parametrize("target", [0.9, 0.95])
def test_the_drift_alarm_is_false_at_most_one_time_in_twenty_over_thousands_of_looks(target):
    runs, draws = 400, 2000
    right = np.random.default_rng(42).random((runs, draws)) < target
    wealth, _ = _wealth(~right, 1 - target)
    count = int((wealth >= 20).any(axis=1).sum())
    assert stats.binomtest(count, runs, 0.05, alternative="greater").pvalue > FALSE_ALARM


def test_a_drop_from_95_to_88_is_found_in_time():
    """Nine of ten alarms within 250 draws if it was so from the start, 450 after 500 good draws."""
    rng = np.random.default_rng(42)
    for before, within in ((0, 250), (500, 450)):
        accuracy = np.where(np.arange(before + 1200) < before, 0.95, 0.88)
        wealth, _ = _wealth(rng.random((200, before + 1200)) >= accuracy, 0.05)
        rang = wealth >= 20
        first = np.where(rang.any(axis=1), rang.argmax(axis=1), np.inf)
        waits = first[first > before] - before
        assert np.quantile(waits, 0.9) <= within
