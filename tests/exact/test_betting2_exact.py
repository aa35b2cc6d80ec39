"""Method number 2 is a fair game: every order of draws of tiny pools, weighed by its probability."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from betting_trees import EACH, counting_row, leaves, mean_wealth, worst_ratio

from assaymark.claims.claim import Claim
from assaymark.stats.betting.binary import binary_test, claim_row
from assaymark.stats.betting.chances import next_chances
from assaymark.stats.betting.path import certainty, replay
from assaymark.stats.betting.recipe import Recipe
from assaymark.stats.betting.rows import Row, Rows, exact
from assaymark.stats.betting.rules import AllOf, Gap, Mixture, Named, One, Ordered
from assaymark.stats.betting.rulings import names, rule_on
from assaymark.stats.betting.sealed import RowTest
from assaymark.stats.betting.standing import standing
from assaymark.stats.score_guided.supermartingale import Draws, Stratum

TWO = ((True, 3, 0.8), (False, 3, 0.1))
WRONG = ((True, 3, 0.01), (False, 3, 0.99))
BARE = ((True, 3, None), (False, 2, None))
PAIRS = replace(EACH, first_block=2)
WILD = replace(EACH, floor=0.0005, margins=(0.3, 0.9, 0.9))
# All on one assumed truth far above the target: the game comes near to what any player can do.
BOLD = replace(
    EACH, margins=(), least_margin=0.9, reach=(0.95,), shares=(1.0,), floor=1e-6, stubborn=True
)
# Stakes that stay for three draws, also where few items are left: the need moves on within a block.
LASTING = replace(EACH, first_block=3, rest_share=1, hedged_share=1)
ALMOST_NEVER = 1e-9  # a level that no wealth reaches: no row stops on the way


def pool(metric, target, cut, *, side="lower", level=0.4, recipe=EACH, **more):
    strata = [Stratum(predicted=p, size=n, mean_score=m) for p, n, m in cut]
    claim = Claim(metric=metric, side=side, target=target)
    rows = (
        claim_row(claim, strata),
        *(claim_row(claim, strata, target=t) for t in more.pop("also", ())),
    )
    used = [s for k, s in enumerate(strata) if k in rows[0].domain]
    if len(used) < len(strata):
        rows = tuple(claim_row(claim, used, target=None) for _ in rows)
    prior = (
        None
        if used[0].mean_score is None
        else tuple((1 - s.mean_score, s.mean_score) for s in used)
    )
    return RowTest(
        rows=Rows(rows=rows, strata=len(used), outcomes=2),
        sizes=tuple(s.size for s in used),
        level=level,
        prior=prior,
        recipe=recipe,
        **more,
    )


def world_of(test, positives):
    return [{1: r, 0: n - r} for n, r in zip(test.sizes, positives, strict=True)]


# Metric, target, side, strata, positives: the metric is exactly the target.
BOUNDARY = [
    ("f1", Fraction(4, 7), "lower", TWO, [2, 2]),
    ("f1", Fraction(4, 7), "lower", WRONG, [2, 2]),
    ("f1", Fraction(1, 2), "lower", BARE, [1, 0]),
    ("recall", Fraction(1, 2), "lower", BARE, [1, 1]),
    ("accuracy", Fraction(4, 6), "lower", TWO, [2, 1]),
    ("precision", Fraction(2, 5), "lower", ((True, 3, 0.8), (True, 2, 0.3)), [1, 1]),
    ("elusion", Fraction(2, 6), "upper", ((False, 2, 0.3), (False, 4, 0.05)), [1, 1]),
]


def exact_pool(metric, target, side, cut, **more):
    """The claim at a target that is no short decimal: its row is made from the fraction itself."""
    test = pool(metric, float(target), cut, side=side, **more)
    strata = [Stratum(predicted=p, size=n, mean_score=m) for p, n, m in cut]
    claim = Claim(metric=metric, side=side, target=float(target))
    row = claim_row(claim, strata, target=target)
    return replace(test, rows=Rows(rows=(row,), strata=len(strata), outcomes=2))


@pytest.mark.parametrize(("metric", "target", "side", "cut", "positives"), BOUNDARY)
def test_wealth_is_exactly_fair_at_the_boundary(metric, target, side, cut, positives):
    """Row and mirror have mean 1 after every draw, and reach x with chance at most 1/x."""
    test = exact_pool(metric, target, side, cut, level=ALMOST_NEVER)
    found = leaves(test, world_of(test, positives), batch=2)
    np.testing.assert_allclose(mean_wealth(found), 1.0, rtol=1e-9)
    for row in (0, 1):
        assert worst_ratio(found, lambda leaf, row=row: leaf.peaks()[row]) <= 1 + 1e-9


@pytest.mark.parametrize(("metric", "target", "side", "cut", "positives"), BOUNDARY)
@pytest.mark.parametrize("end", [2, 4])
def test_a_ceiling_keeps_the_game_fair(metric, target, side, cut, positives, end):
    """Stakes that follow the wealth to a sealed end: mean 1, and no bet after it."""
    test = exact_pool(metric, target, side, cut, level=0.3, ceiling=end)
    found = leaves(test, world_of(test, positives), batch=3)
    np.testing.assert_allclose(mean_wealth(found), 1.0, rtol=1e-9)
    for leaf in found:
        np.testing.assert_array_equal(leaf.log[:, end:], leaf.log[:, end - 1 : -1])
    for row in (0, 1):
        wrong = sum(leaf.chance for leaf in found if leaf.peaks()[row] >= 1 / 0.3)
        assert wrong <= 0.3 + 1e-12


@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("ahead", [1, 4])
@pytest.mark.parametrize("ceiling", [None, 5])
def test_drawing_ahead_of_the_labels_keeps_the_game_fair(batch, ahead, ceiling):
    test = exact_pool("recall", Fraction(1, 2), "lower", BARE, ceiling=ceiling)
    found = leaves(test, world_of(test, [1, 1]), batch=batch, ahead=ahead)
    np.testing.assert_allclose(mean_wealth(found), 1.0, rtol=1e-9)


@pytest.mark.parametrize(("batch", "ahead"), [(3, 1), (3, 4), (5, 4)])
@pytest.mark.parametrize("ceiling", [None, 5])
def test_empty_strata_give_their_chances_to_the_others(batch, ahead, ceiling):
    """Chances set before a stratum was used up: with those as stored the mean is off by 0.01."""
    test = exact_pool(
        "recall", Fraction(1, 2), "lower", BARE, recipe=LASTING, ceiling=ceiling, level=ALMOST_NEVER
    )
    found = leaves(test, world_of(test, [1, 1]), batch=batch, ahead=ahead)
    np.testing.assert_allclose(mean_wealth(found), 1.0, rtol=1e-9)


@pytest.mark.parametrize(
    "recipe", [PAIRS, WILD, Recipe(fewest=0)], ids=["pairs", "wild", "default"]
)
@pytest.mark.parametrize("cut", [WRONG, BARE], ids=["wrong", "none"])
def test_no_tuning_makes_the_game_unfair(recipe, cut):
    positives, target = ([2, 2], Fraction(4, 7)) if cut is WRONG else ([1, 0], Fraction(1, 2))
    test = exact_pool("f1", target, "lower", cut, recipe=recipe, level=0.05)
    found = leaves(test, world_of(test, positives), batch=2, ahead=1)
    np.testing.assert_allclose(mean_wealth(found), 1.0, rtol=1e-9)


@pytest.mark.parametrize("positives", [[a, b] for a in range(4) for b in range(3)])
@pytest.mark.parametrize("ceiling", [None, 4])
def test_claim_refutation_and_ladder_err_at_most_at_the_level(positives, ceiling, measured):
    """Over every assignment of labels, with the row's own word for an undefined metric."""
    test = pool(
        "recall", 0.6, BARE, level=0.35, also=(exact(0.8),), rule=Ordered(), ceiling=ceiling
    )
    found, (hit, missed) = leaves(test, world_of(test, positives), batch=2), positives
    value = Fraction(hit, hit + missed) if hit + missed else Fraction(0)
    rulings = [(leaf.chance, rule_on(leaf.path)) for leaf in found]
    false_pass = sum(c for c, r in rulings if r.passed_at is not None and value < exact(0.6))
    assert false_pass <= 0.35
    too_high = sum(
        c for c, r in rulings if r.chosen is not None and value < (exact(0.6), exact(0.8))[r.chosen]
    )
    assert too_high <= 0.35
    false_fail = sum(c for c, r in rulings if r.failed_at is not None and value >= exact(0.6))
    assert false_fail <= 0.35
    assert all(r.decision in ("pass", "fail") for _, r in rulings)
    worst, world = max(false_pass, too_high, false_fail), "exact: every label of a small pool"
    measured("claim-at-every-look", world, float(worst), nominal=0.35)


GROUPS = ([0], [1])


def groups_test(
    required, *, rule, strict=False, level=ALMOST_NEVER, ceiling=None, sizes=(3, 3), recipe=EACH
):
    rows = tuple(
        counting_row(strata, need, strict=strict)
        for strata, need in zip(GROUPS, required, strict=True)
    )
    return RowTest(
        rows=Rows(rows=rows, strata=2, outcomes=2),
        sizes=sizes,
        level=level,
        rule=rule,
        ceiling=ceiling,
        recipe=recipe,
    )


def richest(race):
    """Steer: draw only from the group whose row stands highest (while it has items)."""
    order = np.argsort(-race.log[:2], kind="stable")
    return _only(race, order)


def poorest(race):
    """Steer: draw only from the group whose row stands lowest (while it has items)."""
    return _only(race, np.argsort(race.log[:2], kind="stable"))


def _only(race, order):
    first = next(k for k in order if race.remaining[k] > 0)
    return np.eye(2)[first]


@pytest.mark.parametrize("chooser", [richest, poorest, next_chances])
@pytest.mark.parametrize("ceiling", [None, 2])
def test_choosing_the_domain_by_earlier_labels_keeps_every_row_fair(chooser, ceiling):
    test = groups_test((1, 2), rule=AllOf(), level=0.3, ceiling=ceiling)
    found = leaves(test, world_of(test, [1, 2]), chooser=chooser)
    np.testing.assert_allclose(mean_wealth(found), 1.0, rtol=1e-9)


@pytest.mark.parametrize("chooser", [richest, poorest])
@pytest.mark.parametrize(("positives", "level"), [([1, 1], 0.4), ([2, 1], 0.3), ([0, 3], 0.3)])
def test_all_of_errs_at_most_at_the_level(chooser, positives, level):
    """False where one group falls short; true where both reach their need of one."""
    for need in ((1, 1), (2, 1), (1, 2)):
        test = groups_test(need, rule=AllOf(), level=level)
        true = all(p >= r for p, r in zip(positives, need, strict=True))
        found = leaves(test, world_of(test, positives), chooser=chooser)
        rulings = [(leaf.chance, rule_on(leaf.path)) for leaf in found]
        wrong = sum(c for c, r in rulings if (r.failed_at if true else r.passed_at) is not None)
        assert wrong <= level + 1e-12
        blamed = sum(c for c, r in rulings if any(positives[g] >= need[g] for g in r.culprits))
        assert blamed <= level + 1e-12


def _mean_of_mirrors(leaf):
    return float(np.exp(leaf.log[2:]).mean(axis=0).max())


def test_one_mirror_alone_must_not_refute_all_of():
    """Both rows are true by a tie. The mean of the mirrors keeps the level; the larger does not."""
    test = groups_test((1, 1), rule=AllOf(), recipe=BOLD)
    found = leaves(test, world_of(test, [1, 1]), chooser=poorest)
    assert worst_ratio(found, _mean_of_mirrors) <= 1 + 1e-9
    assert worst_ratio(found, lambda leaf: float(leaf.peaks()[2:].max())) > 1.05


def test_parts_of_all_of_are_not_certified_by_their_own_wealth():
    """Two false rows ("better" at a tie): a name by 1/level alone errs too often, e-Holm does not."""
    test = groups_test((1, 1), rule=Named(), strict=True, recipe=BOLD)
    found = leaves(test, world_of(test, [1, 1]), chooser=poorest)
    assert worst_ratio(found, lambda leaf: float(leaf.peaks()[:2].max())) > 1.05
    for x in sorted({round(float(p), 9) for leaf in found for p in leaf.peaks()[:2] if p > 1}):
        named = sum(leaf.chance for leaf in found if _named(leaf, math.log(x)).any())
        assert named * x <= 1 + 1e-6


def _named(leaf, level):
    shape = (2, leaf.log.shape[1] + 1)
    return names(
        leaf.log[:2],
        level=level,
        ready=np.ones(shape, dtype=bool),
        sure=np.zeros(shape, dtype=bool),
    )[:, -1]


def test_names_follow_holm_and_the_closed_test():
    """Wealths 41 and 21 at level 1/20: the first by e-Holm, then both; together 30 and 20 by sets."""
    ready, sure = np.ones((2, 2), dtype=bool), np.zeros((2, 2), dtype=bool)
    for wealth, expected in (
        ((41, 21), (1, 1)),
        ((41, 19), (1, 0)),
        ((39, 19), (1, 0)),
        ((30, 20), (1, 1)),
        ((30, 5), (0, 0)),
    ):
        found = names(np.log(np.array(wealth))[:, None], level=math.log(20), ready=ready, sure=sure)
        assert tuple(found[:, -1].astype(int)) == expected, wealth


def test_a_product_needs_both_wealths_at_the_same_time():
    """Both rows are null: the product at one time keeps the level, that of running maxima does not."""
    test = groups_test((1, 1), rule=Gap(cells=((0, 1),)), strict=True, recipe=BOLD)
    found = leaves(test, world_of(test, [1, 1]), chooser=richest)
    assert (
        worst_ratio(found, lambda leaf: float(np.exp(leaf.log[:2].sum(axis=0).max()))) <= 1 + 1e-9
    )
    assert worst_ratio(found, lambda leaf: float(leaf.peaks()[:2].prod())) > 1.05


def test_a_gap_is_certified_by_products_and_not_by_maxima():
    test = groups_test((1, 1), rule=Gap(cells=((0, 1),)), strict=True, level=0.4)
    found = leaves(test, world_of(test, [1, 1]), chooser=richest)
    wrong = sum(leaf.chance for leaf in found if rule_on(leaf.path).passed_at is not None)
    assert wrong <= 0.4


def test_a_raised_ceiling_with_fresh_wealth_breaks_the_level():
    """Failed at its end, the same claim is tried again from wealth 1: the better try errs too often."""
    bold = replace(EACH, hedged_reach=0.95, floor=1e-6)
    sealed = groups_test((1, 1), rule=One(), level=0.3, ceiling=1, sizes=(4, 1), recipe=bold)
    found = leaves(sealed, [{1: 1, 0: 3}, {0: 1}], chooser=lambda race: _only(race, (0, 1)))

    def better(leaf):
        rest = replace(
            sealed,
            sizes=(3, 1),
            rows=Rows(rows=(counting_row([0], 1 - leaf.outcomes[0]),) * 2, strata=2, outcomes=2),
        )
        later = Draws(
            strata=leaf.draws.strata[1:],
            labels=leaf.draws.labels[1:],
            sampling=leaf.draws.sampling[1:],
        )
        return max(float(leaf.peaks()[0]), float(np.exp(replay(rest, later).log_wealth[0].max())))

    assert worst_ratio(found, lambda leaf: float(leaf.peaks()[0])) <= 1 + 1e-9
    assert worst_ratio(found, better) > 1.05


def test_a_tie_is_never_better():
    """Read to the end, a tie certifies "at least" and refutes "better", both with certainty."""
    for strict, decision in ((False, "pass"), (True, "fail")):
        test = groups_test((1, 1), rule=One(), strict=strict, level=0.01)
        found = leaves(test, world_of(test, [1, 1]), chooser=richest)
        assert {rule_on(leaf.path).decision for leaf in found} == {decision}
        assert all(rule_on(leaf.path).certain for leaf in found)


def test_an_undefined_metric_never_passes():
    """Recall without a positive: 0 >= 0 would hold, the guard says that it is not defined."""
    test = pool("recall", 0.5, BARE, level=0.3)
    open_door = replace(
        test, rows=Rows(rows=(replace(test.rows.rows[0], guards=()),), strata=2, outcomes=2)
    )
    none = world_of(test, [0, 0])
    assert {rule_on(leaf.path).decision for leaf in leaves(test, none)} == {"fail"}
    assert {rule_on(leaf.path).decision for leaf in leaves(open_door, none)} == {"pass"}
    vacuous = replace(
        test,
        rows=Rows(rows=(replace(test.rows.rows[0], undefined_holds=True),), strata=2, outcomes=2),
    )
    assert {rule_on(leaf.path).decision for leaf in leaves(vacuous, none)} == {"pass"}


def test_what_is_settled_without_labels_follows_the_exact_numbers():
    """4·(1 − 0.8) − 0.8 is below 0 in floating point, and 0 in truth."""
    assert 4 * (1 - 0.8) - 0.8 < 0
    required = 4 * (1 - exact(0.8)) - exact(0.8)
    empty = Draws(strata=np.zeros(0, int), labels=np.zeros(0, int), sampling=np.zeros((0, 1)))
    for strict in (False, True):
        row = counting_row([0], required, strict=strict)
        test = RowTest(rows=Rows(rows=(row,), strata=1, outcomes=2), sizes=(3,), level=0.05)
        assert certainty(test, empty).holds[0, 0] == (not strict)


def test_ninths_add_up_to_one():
    """Nine items worth 1/9 each are exactly 1: "better than 1" is not reached by rounding."""
    row = counting_row([0], 1, strict=True)
    row = replace(row, value={0: Fraction(1, 9)})
    test = RowTest(rows=Rows(rows=(row,), strata=1, outcomes=2), sizes=(9,), level=0.05)
    draws = Draws(strata=np.zeros(9, int), labels=np.ones(9, int), sampling=np.ones((9, 1)))
    assert not certainty(test, draws).holds.any()
    assert certainty(test, draws).refuted[0, -1]


def test_numbers_too_long_for_the_machine_are_counted_by_python():
    """Denominators whose product needs more than 64 bits change nothing."""
    odd = Fraction(10**12 + 39, 10**12 + 61)
    row = replace(counting_row([0, 1], odd), value={0: odd, 1: Fraction(1, 10**12 + 63)})
    test = RowTest(rows=Rows(rows=(row,), strata=2, outcomes=2), sizes=(2, 2), level=0.05)
    assert test.book.gain.dtype == object
    draws = Draws(strata=np.array([1, 0]), labels=np.array([1, 1]), sampling=np.full((2, 2), 0.5))
    path = replay(test, draws)
    assert path.passed_at == (2,)
    assert np.isfinite(path.log_wealth).all()


def test_an_item_nobody_can_judge_counts_against_whoever_bets():
    """A row and its mirror that are both at their boundary without it: both games are fair."""
    test = groups_test((2, 1), rule=One(), sizes=(4, 1))
    found = leaves(test, [{1: 2, 0: 1, -1: 1}, {0: 1}], chooser=richest)
    mean = mean_wealth(found)
    np.testing.assert_allclose(mean[0], 1.0, rtol=1e-9)
    assert np.all(mean[2] <= 1 + 1e-9)
    mirrored = groups_test((3, 1), rule=One(), sizes=(4, 1))
    mean = mean_wealth(leaves(mirrored, [{1: 2, 0: 1, -1: 1}, {0: 1}], chooser=richest))
    np.testing.assert_allclose(mean[2], 1.0, rtol=1e-9)
    assert np.all(mean[0] <= 1 + 1e-9)


def test_lost_to_items_nobody_can_judge_is_not_refuted():
    test = groups_test((3, 1), rule=One(), sizes=(4, 1), level=0.01)
    draws = Draws(
        strata=np.array([0, 0, 0, 0]),
        labels=np.array([1, 1, 0, -1]),
        sampling=np.tile([1.0, 0.0], (4, 1)),
    )
    assert rule_on(replay(test, draws)).decision == "unreachable"


def test_help_may_be_a_fraction():
    """Three outcomes that help 0, 1/2 and 1 (both wrong, say): fair at the boundary, both ways."""
    row = Row(value={0: 1, 1: 2}, help={0: (0, "1/2", 1), 1: (1, "1/2", 0)}, required="7/2")
    test = RowTest(
        rows=Rows(rows=(row,), strata=2, outcomes=3), sizes=(3, 2), level=0.3, recipe=EACH
    )
    found = leaves(test, [{0: 1, 1: 1, 2: 1}, {1: 2}])
    np.testing.assert_allclose(mean_wealth(found), 1.0, rtol=1e-9)


def test_a_domain_drawn_in_part_is_not_bet_on():
    """Row 0 lives on both strata; a batch from one of them leaves its wealth alone."""
    rows = (counting_row([0, 1], 2), counting_row([0], 1))
    test = RowTest(
        rows=Rows(rows=rows, strata=2, outcomes=2),
        sizes=(3, 3),
        level=0.3,
        rule=AllOf(),
        recipe=EACH,
    )
    found = leaves(
        test, world_of(test, [1, 1]), chooser=lambda race: np.eye(2)[int(race.remaining[0] == 0)]
    )
    np.testing.assert_allclose(mean_wealth(found), 1.0, rtol=1e-9)
    for leaf in found:
        np.testing.assert_array_equal(leaf.log[[0, 2], :3], 0.0)
    assert any(leaf.log[1, :3].any() for leaf in found)


def test_overlapping_domains_on_the_same_draws_are_fair():
    rows = (counting_row([0, 1], 2), counting_row([1], 1))
    test = RowTest(
        rows=Rows(rows=rows, strata=2, outcomes=2),
        sizes=(3, 2),
        level=0.3,
        rule=AllOf(),
        recipe=EACH,
    )
    found = leaves(test, world_of(test, [1, 1]))
    np.testing.assert_allclose(mean_wealth(found), 1.0, rtol=1e-9)


def test_a_mixture_of_ways_errs_at_most_at_the_level():
    rows = (counting_row([0], 1, strict=True), counting_row([0, 1], 2, strict=True))
    rule = Mixture(ways=((0,), (1,)), shares=(0.5, 0.5))
    test = RowTest(
        rows=Rows(rows=rows, strata=2, outcomes=2), sizes=(3, 2), level=0.4, rule=rule, recipe=EACH
    )
    found = leaves(test, world_of(test, [1, 1]))
    assert sum(leaf.chance for leaf in found if rule_on(leaf.path).passed_at is not None) <= 0.4


def test_sufficient_rows_are_refuted_only_together():
    """One of two mirrors has crossed: "all of" that only suffices stays open."""
    test = groups_test((3, 1), rule=AllOf(refute="every"), level=0.4)
    for leaf in leaves(test, world_of(test, [0, 3]), chooser=richest):
        assert rule_on(leaf.path).decision == "unreachable"


def test_replay_repeats_the_running_race():
    test = exact_pool("f1", Fraction(4, 7), "lower", TWO, recipe=PAIRS, level=0.2)
    for leaf in leaves(test, world_of(test, [2, 2]), batch=3)[::50]:
        path = replay(test, leaf.draws)
        np.testing.assert_allclose(path.log_wealth[0], leaf.log[0], atol=1e-12)


def test_a_binary_test_orders_its_targets_from_easy_to_hard():
    strata = [
        Stratum(predicted=True, size=9, mean_score=0.8),
        Stratum(predicted=False, size=90, mean_score=0.1),
    ]
    found = binary_test(Claim(metric="f1", side="lower", target=0.75), strata, level=0.05)
    own = found.test.rule.claim
    assert found.targets[own] == Fraction(3, 4)
    assert list(found.targets) == sorted(found.targets)
    upper = binary_test(Claim(metric="elusion", side="upper", target=0.02), strata, level=0.05)
    assert list(upper.targets) == sorted(upper.targets, reverse=True)
    assert upper.kept == (1,)


def test_the_bound_of_a_pool_that_was_read_whole_is_its_metric():
    """All of a pool read, its precision is 3/4, and so is the bound; before, it is vacuous."""
    strata = [Stratum(predicted=True, size=8, mean_score=0.8)]
    found = binary_test(Claim(metric="precision", side="lower", target=0.7), strata, level=0.05)
    draws = Draws(
        strata=np.zeros(8, int), labels=np.array([1, 1, 0, 1, 1, 0, 1, 1]), sampling=np.ones((8, 1))
    )
    bound = standing(found, draws).bound
    assert bound.value == 0.75
    assert bound.certain
    none = Draws(strata=np.zeros(0, int), labels=np.zeros(0, int), sampling=np.ones((0, 1)))
    assert standing(found, none).bound.value == 0
