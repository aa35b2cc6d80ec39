"""Five hundred random tables of labels: no figure or word of an answer contradicts another."""

import json
import math
import random
from collections.abc import Iterator

import pytest

from assaymark.errors import InputError
from assaymark.pair_recall.overlap import CellSample, DeltaBand
from assaymark.pair_recall.recall import RecallAnswer, RecallRequest, answer_json, answer_recall
from assaymark.pair_recall.stats.pair_dependence import PAIR_KINDS
from assaymark.pair_recall.stats.possible_counts import positives_left, recall_left

INPUTS, SLACK = 500, 1e-9


def sample(rng: random.Random, most: int, shares: tuple[float, ...]) -> CellSample:
    """A cell of any size, labelled in part or whole, with few, some or all of its labels positive."""
    items = int(math.exp(rng.uniform(math.log(5), math.log(most))))
    labels = items if items < 1_000 and rng.random() < 0.15 else rng.randint(1, min(items, 400))
    share = rng.choice((*shares, rng.random()))
    positives = sum(rng.random() < share for _ in range(labels))
    return CellSample(items=items, labels=labels, positives=positives)


def question(rng: random.Random) -> tuple[RecallRequest, dict[str, CellSample]]:
    lists = rng.choice((2, 2, 3))
    names = [f"{number:0{lists}b}" for number in range(1, 2**lists)]
    cells = {name: sample(rng, 10_000, (0, 0.01, 0.1, 0.5, 0.9, 1)) for name in names}
    outside = sample(rng, 1_000_000, (0, 0.002, 0.01, 0.1, 1))
    if rng.random() < 0.5:
        outside = CellSample(items=outside.items)
    request = RecallRequest(
        flags=("a", "b", "c")[:lists],
        confidence=rng.choice((0.8, 0.95, 0.99)),
        pair=rng.choice((None, None, *PAIR_KINDS)),
        band=DeltaBand(low=rng.uniform(0.5, 1), high=rng.uniform(1, 2))
        if rng.random() < 0.3
        else None,
        another=sample(rng, 10_000, (0.1, 0.9)) if rng.random() < 0.3 else None,
    )
    return request, {**cells, "0" * lists: outside}


def answers() -> Iterator[tuple[RecallAnswer, dict[str, CellSample]]]:
    rng = random.Random(42)
    for _ in range(INPUTS):
        request, cells = question(rng)
        try:
            yield answer_recall(request, cells), cells
        except InputError:  # nothing is printed
            continue


ANSWERS = list(answers())


def test_the_grid_reaches_every_kind_of_answer() -> None:
    """Otherwise the tests below could pass for lack of cases."""
    methods = [answer.estimate.method for answer, _ in ANSWERS]
    assert len(ANSWERS) >= 200
    assert min(methods.count(name) for name in ("pair", "triple", "combined")) >= 20
    assert sum(answer.estimate.refuted for answer, _ in ANSWERS) >= 10


def test_ranges_hold_their_point_and_each_other() -> None:
    """Band around interval around point; on an edge only where the labels leave no other value."""
    for answer, cells in ANSWERS:
        estimate = answer.estimate
        places = range(len(estimate.recalls))
        ranges = [
            (one, one.recall, recall_left(cells, which))
            for which, one in zip(places, estimate.recalls, strict=True)
        ]
        ranges.append(
            (estimate.positives, estimate.positives.point, positives_left(list(cells.values())))
        )
        for one, point, left in ranges:
            assert one.band_low <= one.low <= point <= one.high <= one.band_high
            assert left.low - SLACK <= one.band_low
            assert one.band_high <= left.high * (1 + SLACK)
            hard = math.isclose(point, left.low) or math.isclose(point, left.high)
            if not hard and one.high - one.low > SLACK:
                assert one.low < point < one.high
        if answer.another:
            one = answer.another
            assert one.band_low <= one.low <= one.recall <= one.high <= one.band_high
        for one in estimate.recalls:
            assert one.upper is None or one.upper >= one.recall


def test_at_least_is_never_above_the_estimate() -> None:
    for answer, cells in ANSWERS:
        estimate = answer.estimate
        known = sum(cell.positives for cell in cells.values())
        assert estimate.positives.point >= known - SLACK
        assert estimate.chao is None or estimate.chao <= estimate.positives.point * (1 + SLACK)
        assert 0 <= estimate.missed <= estimate.positives.point


def test_words_follow_the_measured_dependence() -> None:
    """Where it lies outside what was assumed the answer says so, and nowhere relies on the band."""
    outside = 0
    for answer, _ in ANSWERS:
        estimate, told = answer.estimate, " ".join(answer.warnings)
        assumed = answer.request.assumed
        if estimate.delta1 and not assumed.low <= estimate.delta1.point <= assumed.high:
            outside += 1
            assert "outside the" in told or "contradict" in told
        said = " ".join(answer.assumptions)
        if estimate.refuted:
            assert "contradict" in told
            assert "The band allows" not in said
            assert "held in" not in said
            assert "independently" not in said
        else:
            assert "The band allows" in said
    assert outside >= 20


def test_answers_are_finite_json() -> None:
    for answer, _ in ANSWERS:
        json.dumps(answer_json(answer), allow_nan=False)


def test_an_overlap_that_the_collection_cannot_hold_is_refused() -> None:
    """Nearly no overlap: independence would put more positives outside than there are items."""
    cells = {
        "11": CellSample(items=10, labels=10, positives=1),
        "10": CellSample(items=500, labels=100, positives=90),
        "01": CellSample(items=500, labels=100, positives=90),
        "00": CellSample(items=2_000),
    }
    with pytest.raises(InputError, match="only 2,000 items are flagged by none"):
        answer_recall(RecallRequest(flags=("a", "b")), cells)
    labelled = {**cells, "00": CellSample(items=2_000, labels=200, positives=20)}
    answer = answer_recall(RecallRequest(flags=("a", "b")), labelled)
    assert answer.estimate.refuted
    assert math.isclose(answer.estimate.positives.point, 1 + 450 + 450 + 200)
