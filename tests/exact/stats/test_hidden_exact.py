"""The range of hidden positives holds at every look at once: all paths of a small group added up."""

import pytest

from assaymark.errors import InputError
from assaymark.stats.sequential.prior_posterior_ratio import positive_range


def chance_to_leave(items: int, true: int, confidence: float) -> float:
    """The exact chance that the range misses the true number after any number of labels."""
    alive, lost = {0: 1.0}, 0.0
    for labels in range(items + 1):
        for found in list(alive):
            known = positive_range(
                items=items, labels=labels, positives=found, confidence=confidence
            )
            if not known.low <= true <= known.high:
                lost += alive.pop(found)
        ahead: dict[int, float] = {}
        left = items - labels
        for found, chance in alive.items():
            if left:
                hit = (true - found) / left
                for more, share in ((1, hit), (0, 1 - hit)):
                    if share > 0:
                        ahead[found + more] = ahead.get(found + more, 0.0) + chance * share
        alive = ahead
    return lost


@pytest.mark.parametrize("true", [0, 1, 3, 10, 20, 37, 40])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_the_range_is_left_with_at_most_the_stated_chance(true, confidence, measured):
    found = chance_to_leave(40, true, confidence)
    measured("what-could-hide", "exact: every order of 40 items", found, nominal=1 - confidence)
    assert found <= 1 - confidence + 1e-12


def test_everything_labelled_is_certain():
    found = positive_range(items=30, labels=30, positives=4)
    assert (found.low, found.high) == (4, 4)


def test_more_confidence_gives_a_wider_range():
    ends = [positive_range(items=9000, labels=200, positives=2, confidence=c) for c in (0.8, 0.99)]
    assert ends[1].low <= ends[0].low < ends[0].high < ends[1].high


def test_nonsense_is_refused():
    with pytest.raises(InputError, match="must not grow"):
        positive_range(items=10, labels=11, positives=0)
