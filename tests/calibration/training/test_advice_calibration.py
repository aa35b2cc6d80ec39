"""The 90 % range of the advice holds the true F1 about as often as it says, on made texts.

Advice, not a guarantee: the bar is that of an honest forecast. The looks of a run share their
labels and the runs of a topic their texts, so errors are those over topics of collections.
"""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from assaymark.lab.experiments.policies.fixed_tests import claim_of
from assaymark.lab.experiments.policies.growth import (
    MADE,
    GrowthTask,
    Sight,
    grow,
    make_features,
    sights_of,
)
from assaymark.lab.experiments.policies.rules import spread, true_test
from assaymark.lab.texts import SHARES
from assaymark.lab.weighted_runs import certify_pool
from assaymark.training.stats.learning_curve import learning_curve


def grown(folder: Path, seed: int, *, topic: str, repeat: int, most: int) -> tuple[Sight, ...]:
    task = GrowthTask(
        path=MADE,
        topic=topic,
        repeat=repeat,
        seed=seed,
        sampling="random",
        most=most,
        every=False,
        features=folder,
    )
    return sights_of(grow(task))


def held(sights: tuple[Sight, ...], target: float, *, least: int, most: int) -> list[float]:
    """Whether the range of each look within these sizes held the true F1."""
    found = []
    for number, sight in enumerate(sights, start=1):
        if least <= sight.look.labels < most:
            now = learning_curve([one.look for one in sights[:number]], claim_of(target)).now
            found.append(float(now.quantile(0.05) <= sight.f1 <= now.quantile(0.95)))
    return found


def cover(folder: Path, seeds: range, *, repeats: int, most: int, sizes: list[int]) -> list[float]:
    """The share of looks whose range held the truth, by size, with its error over topics."""
    parts: list[list[list[float]]] = [[] for _ in sizes[1:]]
    for seed in seeds:
        place = folder / str(seed)
        make_features(MADE, place, seed)
        for topic in SHARES:
            runs = [grown(place, seed, topic=topic, repeat=k, most=most) for k in range(repeats)]
            target = 0.9 * max(sight.f1 for sight in runs[0])
            for k, (least, below) in enumerate(pairwise(sizes)):
                parts[k].append([x for r in runs for x in held(r, target, least=least, most=below)])
    return [spread(own)[0] for own in parts]


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Sight, ...]]:
    """One short run on every topic of a collection."""
    place = tmp_path_factory.mktemp("few")
    make_features(MADE, place, 0)
    return {topic: grown(place, 0, topic=topic, repeat=0, most=250) for topic in SHARES}


def test_the_range_is_honest_in_few_runs(few: dict[str, tuple[Sight, ...]], measured) -> None:
    """Three runs on three topics: far from a range that is wrong half of the time."""
    found: list[float] = []
    for sights in few.values():
        found += held(sights, 0.9 * max(sight.f1 for sight in sights), least=60, most=250)
    missed, where = len(found) - int(sum(found)), "made: looks of three topics (a forecast)"
    measured("training-advice", where, missed, nominal=0.1, runs=len(found))
    assert sum(found) >= 0.75 * len(found)


@pytest.mark.slow
def test_the_range_is_honest_at_every_size(tmp_path: Path) -> None:
    """30 runs on 15 topics: at least 80 % at every size (measured: 91 % to 98 %).

    The errors of the shares over topics are 2 to 6 points.
    """
    shares = cover(
        tmp_path, range(5), repeats=2, most=1200, sizes=[40, 75, 125, 200, 350, 600, 1000, 2000]
    )
    assert all(share >= 0.8 for share in shares), shares


def false_passes(sights: tuple[Sight, ...], *, times: int, most: int) -> int:
    """Certifications of the look that flatters itself most, for a claim just above its truth."""
    lucky = max(sights[8:], key=lambda sight: sight.cross_validated - sight.f1)
    test = true_test(lucky, claim_of(lucky.f1 + 1e-6))
    labels = [
        np.repeat(np.array([1, 0], dtype=np.int8), [hits, band.items - hits])
        for hits, band in zip(lucky.positives, lucky.look.bands, strict=True)
    ]
    rng = np.random.default_rng(8)
    runs = (certify_pool(test, labels, rng, most=most) for _ in range(times))
    return sum(run.decision == "pass" for run in runs)


def test_stopping_on_luck_certifies_nothing_false(few: dict[str, tuple[Sight, ...]]) -> None:
    """Chosen because cross-validation was luckiest: still at most 5 % pass (alarm: 1 in 300)."""
    assert false_passes(few["harbours"], times=30, most=120) <= 5


@pytest.mark.slow
def test_stopping_on_luck_certifies_nothing_false_on_many_topics(tmp_path: Path, measured) -> None:
    """180 certifications of 18 lucky looks (measured: 1 passes; alarm by chance: 1 in 1,300)."""
    passes = 0
    for seed in range(3):
        make_features(MADE, tmp_path / str(seed), seed)
        for topic in SHARES:
            for repeat in range(2):
                run = grown(tmp_path / str(seed), seed, topic=topic, repeat=repeat, most=800)
                passes += false_passes(run, times=10, most=400)
    where = "adversary: the luckiest look of 18 trainings is claimed"
    measured("claim-certified", where, passes, nominal=0.05, runs=180)
    assert passes <= 19
