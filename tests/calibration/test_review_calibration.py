"""A certified end of a review, simulated: false bounds at any look stay within the stated chance.

Each adversary knows all labels and chooses what is read directed; draws are uniform. False is a run
in which the true number of relevant items is ever refuted, at any look and for any target.
"""

import math
import random
from fractions import Fraction

import pytest

from assaymark.reviewing.handing import the_review
from assaymark.reviewing.standing import account_of
from assaymark.reviewing.stats import (
    Reading,
    RowWealth,
    experience,
    log_level,
    row_of_target,
    wants_random,
)
from assaymark.reviewing.status import review_status
from review_rooms import begun, read_on

LEVEL = log_level(Fraction("0.95"))
# with 5 % false runs, more than this many come up in fewer than 1 of 100,000 such tests
MOST = {40: 10, 50: 11, 400: 41, 2000: 144}


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
            row.add(left=hidden + rest, relevant=found, hit=hit)
            hidden, rest, found = hidden - hit, rest - (not hit), found + hit
        draws += 1
        if row.best >= LEVEL:
            return True
    return False


@pytest.mark.parametrize("runs", [400, pytest.param(2000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("adversary", [patient, drains, hoards, mixes])
@pytest.mark.parametrize(("items", "relevant"), [(150, 10), (400, 40)])
def test_false_bounds_stay_within_the_level(adversary, items, relevant, runs, measured):
    rng = random.Random(f"{adversary.__name__} {items} {runs}")
    false = sum(is_false(rng, adversary, items=items, relevant=relevant) for _ in range(runs))
    measured("review-stopped", f"adversary: {adversary.__name__}", false, nominal=0.05, runs=runs)
    assert false <= MOST[runs]


def test_an_adversary_comes_close_to_the_level():
    """The guarantee is not vacuous: somebody who knows all labels is false in one run of 50 or more."""
    rng = random.Random(42)
    runs = [is_false(rng, patient, items=150, relevant=10) for _ in range(800)]
    assert sum(runs) >= 16


TARGET = Fraction("0.8")
ITEMS, RELEVANT = 1000, 120


def stalls(rng: random.Random) -> list[bool]:
    """Six tenths of what is relevant come early; the rest lies anywhere."""
    early = int(0.6 * RELEVANT)
    head = [True] * early + [False] * early
    tail = [True] * (RELEVANT - early) + [False] * (ITEMS - RELEVANT - early)
    rng.shuffle(head)
    rng.shuffle(tail)
    return head + tail


def hides(rng: random.Random) -> list[bool]:
    """What the ranking misses comes last: directed reading finds nothing more."""
    head = [True] * 84 + [False] * 84
    rng.shuffle(head)
    return head + [False] * (ITEMS - 168 - 36) + [True] * 36


def fades(rng: random.Random) -> list[bool]:
    """The yield falls off slowly, as with a model that goes on learning."""
    chances = sorted((1 / (60 + rank), rank) for rank in range(ITEMS))
    ranks = sorted(chances, key=lambda pair: math.log(1 - rng.random()) / pair[0])
    relevant = {rank for _, rank in ranks[-RELEVANT:]}
    return [rank in relevant for rank in range(ITEMS)]


def stops_below(order: list[bool], rng: random.Random) -> bool:
    """Whether a review by the product's own rules is certified with less than the target."""
    unread = dict.fromkeys(range(ITEMS))
    readings: list[Reading] = []
    draws: list[tuple[int, int, bool]] = []
    row, used, found = RowWealth(row=0), 0, 0
    while unread:
        wanted = row_of_target(found, TARGET)
        if wanted != row.row:
            row, used = RowWealth(row=wanted), 0
        for left, before, hit in draws[used:]:
            row.add(left=left, relevant=before, hit=hit)
        used = len(draws)
        if found and (wanted > found + len(unread) or row.best >= LEVEL):
            break
        past = experience(readings, relevant=found, unread=len(unread), target=TARGET)
        at_random = wants_random(past, relevant=found, unread=len(unread), target=TARGET)
        answers = []
        ahead = rng.sample(list(unread), min(10, len(unread))) if at_random else list(unread)[:10]
        for item in ahead:
            if at_random:
                draws.append((len(unread), found, order[item]))
            del unread[item]
            found += order[item]
            answers.append(order[item])
            if at_random and order[item]:
                break
        given = tuple(answers)
        readings.append(Reading(random=given) if at_random else Reading(directed=given))
    return found < TARGET * RELEVANT


@pytest.mark.parametrize("runs", [50, pytest.param(2000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("ranking", [stalls, hides, fades])
def test_reviews_by_the_recipe_stop_below_the_target_within_the_level(ranking, runs, measured):
    """Rankings that run dry before the target, and one that does not."""
    rng = random.Random(f"{ranking.__name__} {runs}")
    below = sum(stops_below(ranking(rng), rng) for _ in range(runs))
    where = f"made: review by its own rule, the ranking {ranking.__name__}"
    measured("review-stopped", where, below, nominal=0.05, runs=runs)
    assert below <= MOST[runs]


@pytest.mark.slow
def test_reviews_through_ledger_and_files_draw_uniformly_and_stop_within_the_level(
    tmp_path, measured
):
    """Every draw is relevant as often as its row says, whatever was ranked, labelled and handed out.

    Handouts mix both kinds and are labelled to their end. |z| above 4.5 comes up by chance in fewer
    than 1 of 100,000 such tests.
    """
    rng, runs, below, excess, variance = random.Random(5), 40, 0, 0.0, 0.0
    for run in range(runs):
        home = tmp_path / str(run)
        home.mkdir()
        truth = {f"r{i:03}": int(i < 30) for i in range(150)}
        scores = {item: rng.random() + (truth[item] and rng.random() < 0.6) for item in truth}
        lines = [f"{item},{scores[item]},text of {item}" for item in truth]
        (home / "pool.csv").write_text("\n".join(["id,score,title", *lines]) + "\n")
        project = begun(home, text=("title",), score="score")
        while review_status(project).decision == "continue":
            read_on(project, truth, count=15)
        state = project.state()
        standing = account_of(state, the_review(state)).standing
        below += standing.found < TARGET * 30
        share = (30 - standing.draws.found) / standing.draws.left
        excess += float((standing.draws.hits - share).sum())
        variance += float((share * (1 - share)).sum())
    where = "made: review of 150 records through ledger and files"
    measured("review-stopped", where, below, nominal=0.05, runs=runs)
    assert below <= MOST[runs]
    assert abs(excess) <= 4.5 * math.sqrt(variance)
