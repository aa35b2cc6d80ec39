"""A certified end of a review, simulated: false bounds at any look stay within the stated chance.

Each adversary knows all labels and chooses what is read directed; draws are uniform. False is a run
in which the true number of relevant items is ever refuted, at any look and for any target.
"""

import random
from fractions import Fraction

import pytest

from assaymark.reviewing.stats import RowWealth, log_level

LEVEL = log_level(Fraction("0.95"))
# with 5 % false runs, more than this many come up in fewer than 1 of 100,000 such tests
MOST = {400: 41, 2000: 144}


def patient(rng: random.Random, relevant: int, irrelevant: int, _draws: int) -> str | None:
    """Never directs: random draws only."""
    return None


def drains(rng: random.Random, relevant: int, irrelevant: int, draws: int) -> str | None:
    """Reads irrelevant items on purpose between draws."""
    return "irrelevant" if irrelevant > 5 and draws % 2 else None


def hoards(rng: random.Random, relevant: int, irrelevant: int, draws: int) -> str | None:
    """Finds relevant items now and then, so that the rest looks clean."""
    return "relevant" if relevant > 3 and draws % 15 == 14 else None


def mixes(rng: random.Random, relevant: int, irrelevant: int, _draws: int) -> str | None:
    """Chooses by chance among everything."""
    return rng.choice(["relevant" if relevant > 2 else None, "irrelevant", None, None])


def is_false(rng: random.Random, adversary, *, items: int, relevant: int) -> bool:
    """Whether the true row is refuted at any look of one run."""
    row, draws = RowWealth(row=relevant), 0
    hidden, rest, found = relevant, items - relevant, 0
    while hidden and hidden + rest > 1:
        move = adversary(rng, hidden, rest, draws)
        if move == "relevant":
            hidden, found = hidden - 1, found + 1
        elif move == "irrelevant" and rest:
            rest -= 1
        else:
            hit = rng.random() * (hidden + rest) < hidden
            row.add(left=hidden + rest, found=found, hit=hit)
            hidden, rest, found = hidden - hit, rest - (not hit), found + hit
        draws += 1
        if row.best >= LEVEL:
            return True
    return False


@pytest.mark.parametrize("runs", [400, pytest.param(2000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("adversary", [patient, drains, hoards, mixes])
@pytest.mark.parametrize(("items", "relevant"), [(150, 10), (400, 40)])
def test_false_bounds_stay_within_the_level(adversary, items, relevant, runs):
    rng = random.Random(f"{adversary.__name__} {items} {runs}")
    false = sum(is_false(rng, adversary, items=items, relevant=relevant) for _ in range(runs))
    assert false <= MOST[runs]


def test_an_adversary_comes_close_to_the_level():
    """The guarantee is not vacuous: somebody who knows all labels is false in one run of 50 or more."""
    rng = random.Random(42)
    runs = [is_false(rng, patient, items=150, relevant=10) for _ in range(800)]
    assert sum(runs) >= 16
