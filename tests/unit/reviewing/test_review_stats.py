"""The statistics of a review: wealth, bound, stop test, floor, forecast, switch, tickets."""

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest

from assaymark.reviewing.stats import (
    Batch,
    Experience,
    Reading,
    RowWealth,
    Standing,
    certified_recall,
    draw_batch,
    draws_of,
    experience,
    floor_labels,
    floor_share,
    forecast,
    is_certified,
    left_estimate,
    log_level,
    log_wealth,
    row_of_target,
    set_digest,
    ticket,
    upper_bound,
    wants_random,
)

SURE = Fraction("0.95")


def clean(count: int, *, unread: int, found: int, unclear: int = 0) -> Standing:
    """A review after `count` irrelevant random draws."""
    batch = Batch(items=unread, found=found + unclear, hits=(False,) * count)
    return Standing(
        found=found,
        unclear=unclear,
        unread=unread - count,
        draws=draws_of([batch] if count else []),
    )


def needed(unread: int, found: int, target: str) -> int:
    """Clean draws until the target is certified."""
    low, high = 0, unread
    while low < high:
        middle = (low + high) // 2
        if is_certified(clean(middle, unread=unread, found=found), Fraction(target), SURE):
            high = middle
        else:
            low = middle + 1
    return low


def test_imported_review_with_clean_rest_costs_what_the_theory_says():
    """3,000 of 20,000 read, 200 found: about 1,060, 2,270 and 4,400 clean draws certify."""
    costs = [needed(17_000, 200, target) for target in ("0.8", "0.9", "0.95")]
    assert costs == pytest.approx([1060, 2270, 4400], rel=0.005)


@pytest.mark.parametrize(
    ("target", "shares"),
    [
        ("0.8", [63, 39, 21, 11, 5.7, 2.3, 1.2, 0.6]),
        ("0.9", [78, 63, 39, 22, 12, 5.2, 2.6, 1.3]),
        ("0.95", [95, 78, 63, 39, 24, 10, 5.5, 2.8]),
    ],
)
def test_floor_table(target, shares):
    found = [
        100 * floor_share(relevant, Fraction(target), SURE)
        for relevant in (10, 20, 50, 100, 200, 500, 1000, 2000)
    ]
    assert found == pytest.approx(shares, abs=0.55)


def test_floor_is_below_the_cost_of_a_clean_rest():
    for target in ("0.8", "0.9", "0.95"):
        cost = needed(10_000 - 100, 100, target)
        assert floor_labels(10_000, 100, Fraction(target), SURE) <= cost
    assert floor_labels(3, 2, Fraction("0.5"), SURE) == 0


def test_target_row_is_exact_where_floating_point_is_not():
    assert row_of_target(2, Fraction("0.6666666667")) == 3
    close = "0.6666666666666666666667"  # 2 of 3 miss it by a little, and a float does not see that
    assert row_of_target(2, Fraction(close)) == 3
    assert int(2 / float(close)) + 1 == 4
    assert row_of_target(57, Fraction("0.95")) == 61
    assert math.floor(0.29 * 100) == 28
    assert row_of_target(29, Fraction("0.29")) == 101


def test_replay_equals_incremental_for_every_prefix():
    rng = random.Random(42)
    for _ in range(40):
        left, found = rng.randint(20, 200), rng.randint(0, 9)
        hits = tuple(rng.random() < 0.08 for _ in range(rng.randint(1, 19)))
        row = found + sum(hits) + rng.randint(1, 12)
        running = RowWealth(row=row)
        known = found
        for place, hit in enumerate(hits):
            running.add(left=left - place, relevant=known, hit=hit)
            known += hit
            draws = draws_of([Batch(items=left, found=found, hits=hits[: place + 1])])
            assert running.best == pytest.approx(log_wealth(draws, row), abs=1e-9)


def test_rows_are_monotone():
    rng = random.Random(7)
    for _ in range(50):
        hits = tuple(rng.random() < 0.1 for _ in range(30))
        draws = draws_of([Batch(items=60, found=4, hits=hits)])
        first = 4 + sum(hits) + 1
        path = [log_wealth(draws, row) for row in range(first, 65)]
        assert all(a <= b + 1e-12 for a, b in itertools.pairwise(path))


def test_bound_is_the_row_below_the_first_refuted_one():
    standing = clean(120, unread=400, found=30)
    bound = upper_bound(standing, SURE)
    level = log_level(SURE)
    assert log_wealth(standing.draws, bound + 1) >= level > log_wealth(standing.draws, bound)
    assert certified_recall(30, bound) == pytest.approx(30 / bound)


def test_certified_recall_and_stop_test_agree_for_any_target():
    standing = clean(150, unread=900, found=40)
    bound = upper_bound(standing, SURE)
    for percent in range(1, 100):
        target = Fraction(percent, 100)
        assert is_certified(standing, target, SURE) == (Fraction(40, bound) >= target)


def test_nothing_found_certifies_nothing():
    standing = clean(399, unread=400, found=0)
    assert not is_certified(standing, Fraction("0.1"), SURE)
    assert certified_recall(0, 1) is None
    assert forecast(standing, Fraction("0.8"), SURE, left=0) is None


def test_unclear_items_play_as_relevant_and_are_not_found():
    """One found, one unclear, one unread: nothing above a third can be promised."""
    standing = Standing(found=1, unclear=1, unread=1, draws=draws_of([]))
    assert upper_bound(standing, SURE) == 3
    assert not is_certified(standing, Fraction("0.5"), SURE)
    assert is_certified(standing, Fraction("0.33"), SURE)
    read = Standing(found=8, unclear=2, unread=0, draws=draws_of([]))
    assert upper_bound(read, SURE) == 10
    assert is_certified(read, Fraction("0.8"), SURE)
    assert not is_certified(read, Fraction("0.81"), SURE)


def test_a_refuted_row_stays_refuted():
    """Four claimed among four, and one was irrelevant: no later hit brings the row back."""
    draws = draws_of([Batch(items=4, found=0, hits=(False, True, True, True))])
    assert log_wealth(draws, 4) == math.inf
    running = RowWealth(row=4)
    for place, hit in enumerate((False, True, True, True)):
        running.add(left=4 - place, relevant=max(0, place - 1), hit=hit)
    assert running.best == math.inf


def test_evidence_ends_at_the_first_open_draw():
    first = Batch(items=10, found=1, hits=(False, None, False))
    second = Batch(items=7, found=2, hits=(False,))
    draws = draws_of([first, second])
    assert (draws.count, draws.pending) == (1, 3)


def test_forecast_of_a_clean_rest_is_near_the_cost():
    standing = clean(0, unread=17_000, found=200)
    for target in ("0.8", "0.9", "0.95"):
        told = forecast(standing, Fraction(target), SURE, left=0)
        cost = needed(17_000, 200, target)
        assert told is not None
        assert told.low <= told.expected <= told.high
        assert told.expected == pytest.approx(cost, rel=0.08)
    allowed = row_of_target(200, Fraction("0.8")) - 200
    assert forecast(standing, Fraction("0.8"), SURE, left=0.6 * allowed) is None


def test_forecast_shrinks_as_draws_come():
    told = [
        forecast(clean(n, unread=9000, found=100), Fraction("0.9"), SURE, left=0).expected
        for n in (0, 300, 900)
    ]
    assert told == sorted(told, reverse=True)


def test_no_switch_before_anything_was_found_or_the_window_is_full():
    none = experience([Reading(directed=(False,) * 400)], relevant=0, unread=600, target=SURE)
    assert not wants_random(none, relevant=0, unread=600, target=SURE)
    short = experience([Reading(directed=(False,) * 20)], relevant=5, unread=600, target=SURE)
    assert not wants_random(short, relevant=5, unread=600, target=SURE)


def test_a_dry_ranking_switches_and_a_rich_one_does_not():
    target = Fraction("0.8")
    rich = experience(
        [Reading(directed=(True, False) * 300)], relevant=300, unread=5000, target=target
    )
    dry = experience(
        [Reading(directed=(True,) * 300 + (False,) * 400)], relevant=300, unread=5000, target=target
    )
    assert not wants_random(rich, relevant=300, unread=5000, target=target)
    assert wants_random(dry, relevant=300, unread=5000, target=target)


def test_after_a_random_hit_ten_directed_labels_come_first():
    target = Fraction("0.8")
    dry = Reading(directed=(True,) * 300 + (False,) * 400)
    hit = Reading(random=(False, True))
    for more, expected in ((9, False), (10, True)):
        past = experience(
            [dry, hit, Reading(directed=(False,) * more)], relevant=301, unread=5000, target=target
        )
        assert past.since_hit == more
        assert wants_random(past, relevant=301, unread=5000, target=target) is expected


def test_directed_finds_take_hits_back():
    target = Fraction("0.8")
    before = experience([Reading(random=(True,))], relevant=50, unread=900, target=target)
    after = experience(
        [Reading(random=(True,)), Reading(directed=(True,))], relevant=50, unread=900, target=target
    )
    assert 0 < after.hits < before.hits == 1
    assert left_estimate(13, 900, hits=1, draws=1) > left_estimate(13, 900, hits=0, draws=1)


def test_tickets_hang_on_secret_batch_and_item_alone():
    items = [f"r{i}" for i in range(50)]
    first = draw_batch("secret", 1, items, 5)
    assert first == draw_batch("secret", 1, reversed(items), 5)
    assert first != draw_batch("secret", 2, items, 5)
    assert first != draw_batch("other", 1, items, 5)
    assert [ticket("secret", 1, i) for i in first] == sorted(ticket("secret", 1, i) for i in items)[
        :5
    ]
    assert set_digest(items) == set_digest(set(items)) != set_digest(items[1:])


def test_draws_take_each_item_equally_often():
    """Chi-squared over 10 items, 4,000 secrets: above 27.9 in one of 1,000 runs; the seed is fixed."""
    counts = np.zeros(10)
    for number in range(4000):
        counts[int(draw_batch(f"{number}", 1, map(str, range(10)), 1)[0])] += 1
    assert ((counts - 400) ** 2 / 400).sum() < 27.9


@pytest.mark.parametrize(("before", "switches"), [(0.10, False), (0.01, True)])
def test_a_run_of_bad_luck_is_not_the_end_of_directed_reading(before, switches):
    """Fifty labels without a hit after a thousand: what the last 150 gave decides, not the last 50."""
    steady = [i % round(1 / before) == 0 for i in range(1000)]
    past = Experience(hits=0.0, draws=0, directed=(*steady, *[False] * 50), since_hit=None)
    asked = {"relevant": 660, "unread": 18_000, "target": Fraction("0.8")}
    assert wants_random(past, **asked) is switches
