"""Values that rows share are worked on once, and never taken for others."""

from fractions import Fraction

from assaymark.claims import sharing
from assaymark.claims.sharing import shared


def counted():
    asked = []

    @shared
    def total(values):
        asked.append(values)
        return sum(values)

    return total, asked


def test_a_tuple_is_worked_on_once():
    total, asked = counted()
    pair = (Fraction(1, 2), Fraction(1, 3))
    assert [total(pair), total(pair)] == [Fraction(5, 6)] * 2
    assert len(asked) == 1


def test_a_list_may_have_changed_so_it_is_worked_on_again():
    total, _ = counted()
    values = [1, 2]
    assert total(values) == 3
    values.append(3)
    assert total(values) == 6


def test_tuples_that_are_gone_are_never_taken_for_new_ones(monkeypatch):
    """An identity may be given again once its object is gone: what is kept is never gone."""
    monkeypatch.setattr(sharing, "MOST", 7)
    total, _ = counted()
    assert all(total(tuple(range(n, n + 3))) == 3 * n + 3 for n in range(1_000))
