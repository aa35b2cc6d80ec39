import numpy as np
import pytest

from assaymark.claims.claim import Claim
from assaymark.errors import InputError
from assaymark.stats.sequential import alpha_spending as spending

F1_AT_70 = Claim(metric="f1", side="lower", target=0.7)
NULL = 0.7 / 1.3


def plan(**change):
    return spending.SpendingTest(
        **({"null_share": NULL, "confidence": 0.95, "planned": 200} | change)
    )


class TestSchedule:
    def test_the_default_looks_after_every_item(self):
        assert plan(planned=4).schedule == (1, 2, 3, 4)

    def test_the_last_planned_item_is_always_looked_at(self):
        assert plan(planned=25, look_every=10).schedule == (10, 20, 25)
        assert plan(planned=20, look_every=10).schedule == (10, 20)
        assert plan(planned=5, look_every=10).schedule == (5,)

    @pytest.mark.parametrize("looks", [(), (3, 3), (5, 2), (0, 4), (10, 201)])
    def test_looks_that_do_not_rise_within_the_plan_are_refused(self, looks):
        with pytest.raises(InputError, match="must rise strictly from at least 1 to at most the"):
            plan(looks=looks)

    @pytest.mark.parametrize("name", ["planned", "look_every"])
    def test_sizes_start_at_one(self, name):
        with pytest.raises(InputError, match=f"'{name}' must be at least 1, got 0"):
            plan(**{name: 0})

    def test_shares_are_checked(self):
        with pytest.raises(InputError, match="'confidence' must be between 0 and 1, got 95"):
            plan(confidence=95)
        with pytest.raises(InputError, match="'null_share' must be between 0 and 1"):
            plan(null_share=1.0)

    def test_a_claim_becomes_its_share(self):
        test = spending.spending_test(F1_AT_70, confidence=0.9, planned=50, look_every=5)
        assert test == plan(confidence=0.9, planned=50, look_every=5)
        elusion = Claim(metric="elusion", side="upper", target=0.02)
        assert spending.spending_test(elusion, confidence=0.9, planned=9).null_share == 0.98

    def test_f2_is_refused(self):
        with pytest.raises(InputError, match="'f2' has no binomial test"):
            spending.spending_test(
                Claim(metric="f2", side="lower", target=0.5), confidence=0.95, planned=9
            )


class TestBoundary:
    def test_by_hand(self):
        """Null ½, error 0.4 over 3 looks: 0.1333, 0.2667, 0.4 may be spent by then.

        One item: P(1) = ½ is too much. Two: P(2) = ¼ fits, 0.25 used. Three: the paths left
        have 0, 1 or 2 successes with chances ⅛, ⅜, ¼; ¼ more would be too much, so 3 it is,
        and whoever has 3 has passed before.
        """
        test = plan(null_share=0.5, confidence=0.6, planned=3)
        assert spending.spending_boundary(test).least.tolist() == [4, 4, 2, 3]
        assert spending.false_acceptance(test) == pytest.approx(0.25)

    def test_nothing_passes_between_looks(self):
        least = spending.spending_boundary(plan(look_every=10)).least
        assert (np.flatnonzero(least <= 200) % 10 == 0).all()

    def test_one_success_fewer_at_any_look_would_overspend(self):
        """Each count is the least: the chance with one fewer breaks the allowance at that look."""
        test = plan(planned=60, look_every=6)
        boundary = spending.spending_boundary(test)
        for look in test.schedule:
            least = boundary.least.copy()
            if least[look] > 60:
                least[look] = look + 1
            least[look] -= 1
            bolder = spending.stopping(spending.Boundary(least=least), NULL)
            assert bolder.chance[: look + 1].sum() > 0.05 * look / 60


class TestCrossing:
    def test_every_scheduled_look_counts_even_if_nobody_was_there(self):
        wins = np.concatenate((np.ones(40, dtype=bool), np.zeros(60, dtype=bool)))
        result = spending.crossing(plan(), wins)
        assert result.passed
        assert result.passed_at <= 40
        assert result.looks == 100
        assert result == spending.crossing(plan(), wins)

    def test_items_beyond_the_plan_are_not_read(self):
        wins = np.concatenate((np.arange(200) % 2 == 0, np.ones(500, dtype=bool)))
        result = spending.crossing(plan(), wins)
        assert (result.items, result.successes, result.passed) == (200, 100, False)

    def test_a_plan_under_way_says_where_it_is(self):
        result = spending.crossing(plan(look_every=10), [True, False] * 12)
        assert (result.looks, result.passed) == (2, False)
        assert str(result) == (
            "has not passed: 12 successes among 24 of 200 planned informative items, "
            "2 scheduled looks"
        )
        assert spending.crossing(plan(), []).items == 0

    def test_the_sentence_of_a_pass(self):
        assert str(spending.crossing(plan(), [True] * 40)).startswith("passed after ")
