"""A certified end of a review holds against somebody who knows all labels: all histories added up.

Each way to compute it wrongly that was ever thought of is played through as well, and errs more
often than it may: a change that slips into one of them fails here.
"""

from fractions import Fraction
from functools import cache
from itertools import permutations

import pytest
from review_worlds import Build, Told, World, product_refutes, worst

from assaymark.ledger.events import (
    KINDS,
    LabelAdjudicated,
    LabelCorrected,
    LabelRecorded,
    ReviewDrawn,
)
from assaymark.reviewing.standing import account_of
from assaymark.reviewing.stats import draw_batch, is_certified, upper_bound

FIFTH, THREE_TENTHS, TWO_FIFTHS = Fraction(1, 5), Fraction(3, 10), Fraction(2, 5)


def world(items: int, relevant: int) -> World:
    return World(truth=(1,) * relevant + (0,) * (items - relevant))


@cache
def worst_with_pending(items: int, relevant: int, alpha: Fraction) -> Fraction:
    """The product's worst chance with batches of one, two and three, several of them open at once."""
    return worst(world(items, relevant), product_refutes(alpha), sizes=(1, 2, 3))


@pytest.mark.parametrize("alpha", [FIFTH, THREE_TENTHS])
@pytest.mark.parametrize("items", [3, 4, 5, 6])
def test_product_against_an_adversary_who_chooses_everything(items, alpha, measured):
    """Directed labels, draws and looks in any order, every number of relevant items."""
    for relevant in range(1, items + 1):
        pool = world(items, relevant)
        found = worst(pool, product_refutes(alpha), at_once=True)
        world_name = "adversary: chooses what is read, drawn and looked at"
        measured("review-stopped", world_name, float(found), nominal=float(alpha))
        assert found <= alpha
        assert found == worst(pool, Build(alpha).refutes, at_once=True)


def test_worst_pool_of_seven_is_close_to_the_level():
    """0.8929 of the level at worst: the guarantee is valid and not wasteful."""
    chances = [
        worst(world(7, relevant), Build(THREE_TENTHS).refutes, at_once=True) / THREE_TENTHS
        for relevant in range(1, 8)
    ]
    assert max(chances) == Fraction(25, 28)


@pytest.mark.parametrize("alpha", [FIFTH, TWO_FIFTHS])
@pytest.mark.parametrize(("items", "relevant"), [(3, 1), (3, 2), (4, 1), (4, 2), (4, 3)])
def test_product_with_pending_labels_known_and_withheld(items, relevant, alpha):
    """Read in any order."""
    found = worst_with_pending(items, relevant, alpha)
    assert found <= alpha
    assert found == worst(world(items, relevant), Build(alpha).refutes, sizes=(1, 2, 3))


@pytest.mark.parametrize(
    ("fault", "items", "relevant"),
    [
        ("updated", 4, 1),
        ("without_pending", 3, 2),
        ("older_open_missing", 4, 3),
        ("available", 4, 3),
        ("reset_after_hit", 4, 3),
    ],
)
def test_wrong_wealth_errs_too_often(fault, items, relevant):
    """Updating inside a batch, n without pending draws, an open batch missing in F, gaps, a reset."""
    pool = world(items, relevant)
    wrong = Build(TWO_FIFTHS, **{fault: True})
    matters = fault == "updated"
    assert worst(pool, wrong.refutes, sizes=(1, 2, 3), order_matters=matters) > TWO_FIFTHS
    assert worst_with_pending(items, relevant, TWO_FIFTHS) <= TWO_FIFTHS


def expected_wealth(items: int, relevant: int, *, fault: str | None = None) -> Fraction:
    """Largest mean wealth of the true row over all ways to read one batch of two to its end."""
    pool = world(items, relevant)
    build = Build(FIFTH, **({fault: True} if fault else {}))
    total, count = Fraction(0), 0
    for order in permutations(range(items), 2):
        drawn = pool.drawing(order)
        best = Fraction(0)
        for labels in permutations(range(items)):
            after = drawn
            for item in labels:
                after = after.labelling(item)
            if (wealth := _last(build, after)) is not None:
                best = max(best, wealth)
        total, count = total + best, count + 1
    return total / count


def _last(build: Build, after: World) -> Fraction | None:
    row = sum(after.truth)
    wealth = [Fraction(40, 100), Fraction(35, 100), Fraction(25, 100)]
    for left, found, hit in build._draws(after):
        share = Fraction(row - found, left)
        if share > 1 or (share == 1 and not hit):
            return None
        for j, bet in enumerate((Fraction(0), Fraction(1, 10), Fraction(3, 10))):
            wealth[j] *= bet if hit else (1 - bet * share) / (1 - share)
    return sum(wealth, Fraction(0))


@pytest.mark.parametrize(("items", "relevant"), [(3, 1), (4, 1), (4, 2)])
def test_mean_wealth_is_one_when_nothing_is_pending(items, relevant):
    assert expected_wealth(items, relevant) == 1


def test_updating_inside_a_batch_raises_the_mean_wealth():
    assert expected_wealth(4, 1, fault="updated") > 1


def test_a_redraw_after_a_rollback_errs_and_cannot_happen_with_the_same_secret():
    pool = world(4, 2)
    assert worst(pool, Build(FIFTH).refutes, at_once=True, redraws=3) > 3 * FIFTH
    unread = ["a", "b", "c", "d"]
    assert draw_batch("secret", 3, unread, 2) == draw_batch("secret", 3, unread, 2)


def test_unclear_item_counts_in_the_certainty_test():
    """One found, one unclear, one relevant unread: without the unclear one it stops at a third."""
    pool = World(truth=(1, 1, 1), unclear=frozenset({1}))
    wrong = Build(FIFTH, certain_without_unclear=True)
    assert worst(pool, wrong.refutes) == 1
    assert worst(pool, product_refutes(FIFTH)) == 0
    told = Told(3, known=[(0, 1), (1, None)])
    standing = account_of(told.state, told.state.reviews[0]).standing
    assert (standing.found, standing.unclear, standing.unread) == (1, 1, 1)
    assert upper_bound(standing, 1 - FIFTH) == 3


@pytest.mark.parametrize("unclear", [{0}, {2}])
def test_unclear_items_keep_the_level(unclear):
    pool = World(truth=(1, 1, 0, 0), unclear=frozenset(unclear))
    found = worst(pool, product_refutes(TWO_FIFTHS))
    assert found == worst(pool, Build(TWO_FIFTHS).refutes) <= TWO_FIFTHS


def standing_of(told: Told):
    return account_of(told.state, told.state.reviews[0]).standing


def test_open_directed_items_stay_in_the_set_drawn_from():
    """Relevant items kept open as directed would leave a set of irrelevant ones to draw from."""
    told = Told(6, known=[(0, 1)])
    told.hand([1, 2, 3])  # all relevant, nobody reads them
    work = told.state.reviews[0]
    short = ReviewDrawn(
        review=1,
        batch=2,
        handout=2,
        route="random",
        items=("4", "5"),
        file="pending",
        sha256="",
        n=2,
    )
    fault = KINDS["ReviewDrawn"].fault(told.state, short)
    assert fault == "it was not drawn from all items without a final label"
    # what such a draw would pass for: four claimed among two, so everything is refuted
    told.draw([4, 5])
    assert work.random[-1].n == 5
    pool = World(truth=(1, 1, 1, 1, 0, 0), labelled=(0,))
    assert worst(pool, product_refutes(FIFTH), at_once=True) <= FIFTH


def test_a_disputed_item_stays_unread_or_plays_as_relevant():
    """Out of the unread ones and not in F it would vanish: one more relevant item nobody counts."""
    told = Told(3, known=[(0, 1)])
    told.hand([1, 2])
    told.add(LabelRecorded(item="1", annotator="a", value=1))
    told.add(LabelRecorded(item="1", annotator="b", value=0))
    told.add(LabelRecorded(item="2", annotator="a", value=0))
    standing = standing_of(told)
    assert (standing.found, standing.unclear, standing.unread) == (1, 0, 1)
    assert not is_certified(standing, Fraction("0.6"), 1 - FIFTH)
    # the same after a draw at which its label was final: it does not return, it plays as relevant
    told = Told(4, known=[(0, 1)])
    told.hand([1])
    told.add(LabelRecorded(item="1", annotator="a", value=0))
    told.draw([2])
    told.add(LabelRecorded(item="1", annotator="b", value=1))
    standing = standing_of(told)
    assert (standing.found, standing.unclear, standing.unread) == (1, 1, 2)


def test_a_disputed_draw_holds_up_the_evidence():
    told = Told(6, known=[(0, 1)])
    told.draw([1, 2, 3])
    for item in ("1", "2", "3"):
        told.add(LabelRecorded(item=item, annotator="a", value=0))
    assert standing_of(told).draws.count == 3
    told.add(LabelRecorded(item="2", annotator="b", value=1))
    standing = standing_of(told)
    assert (standing.draws.count, standing.draws.pending, standing.unread) == (1, 2, 3)


@pytest.mark.parametrize("decisions", ["blind", "open"])
def test_an_adjudicator_who_sees_the_state_gains_nothing_where_decisions_are_open(decisions):
    """Every relevant draw is decided away; played as blind that ends in a false certificate."""
    told = Told(5, decisions=decisions, known=[(0, 1)])
    told.draw([1, 2, 3, 4])
    for item in ("1", "2", "3", "4"):
        told.add(LabelRecorded(item=item, annotator="a", value=1))
        told.add(LabelRecorded(item=item, annotator="b", value=0))
        told.add(LabelAdjudicated(item=item, annotator="c", value=0))
    bound = upper_bound(standing_of(told), 1 - FIFTH)
    assert bound == (1 if decisions == "blind" else 5)


def test_taking_back_relevant_draws_after_their_handout_plays_as_cannot_tell():
    """Only the relevant draws are read again and found irrelevant: they do not help a certificate."""
    told = Told(6, known=[(0, 1)])
    told.draw([1, 2, 3])
    for item, label in (("1", 1), ("2", 0), ("3", 0)):
        told.add(LabelRecorded(item=item, annotator="a", value=label))
    before = standing_of(told)
    told.add(LabelCorrected(item="1", annotator="a", before=1, after=0))
    after = standing_of(told)
    assert (after.found, after.unclear) == (before.found - 1, 1)
    assert after.draws.hits.tolist() == before.draws.hits.tolist()


def test_a_slip_is_put_right_while_its_handout_is_open():
    told = Told(6, known=[(0, 1)])
    told.draw([1, 2])
    told.add(LabelRecorded(item="1", annotator="a", value=1))
    told.add(LabelCorrected(item="1", annotator="a", before=1, after=0))
    told.add(LabelRecorded(item="2", annotator="a", value=0))
    assert standing_of(told).unclear == 0


def test_a_certificate_from_before_a_correction_does_not_stand():
    """A label that becomes relevant is replayed: the bound rises, what was established is not."""
    told = Told(5, known=[(0, 1)])
    told.draw([1, 2, 3, 4])
    for item in ("1", "2", "3", "4"):
        told.add(LabelRecorded(item=item, annotator="a", value=0))
    target = Fraction("0.9")
    assert is_certified(standing_of(told), target, 1 - FIFTH)
    told.add(LabelCorrected(item="2", annotator="a", before=0, after=None))
    assert not is_certified(standing_of(told), target, 1 - FIFTH)
    assert upper_bound(standing_of(told), 1 - FIFTH) == 2


def test_unstaking_likely_hits_after_the_draw_errs():
    """Leaving out relevant draws once they are known is the same as reading the others only."""
    pool = world(4, 2)
    wrong = Build(TWO_FIFTHS, available=True)
    assert worst(pool, wrong.refutes, sizes=(1, 2, 3)) > TWO_FIFTHS


def test_draws_that_are_known_before_err():
    """After a reveal the next draws are public: relevant ones are labelled away before they come."""
    pool = world(4, 2)
    orders = list(permutations(range(4)))
    chance = Fraction(sum(_reachable(pool, order) for order in orders), len(orders))
    assert chance == Fraction(2, 3) > TWO_FIFTHS


def _reachable(now: World, order: tuple[int, ...]) -> bool:
    """Whether somebody who knows the order of all tickets can get a false bound."""
    if Build(TWO_FIFTHS).refutes(now):
        return True
    ahead = [now.labelling(item) for item in now.unread]
    following = next((item for item in order if item in now.inside), None)
    if following is not None:
        ahead.append(now.drawing((following,)).labelling(following))
    return any(_reachable(after, order) for after in ahead)


def test_skipped_draws_play_as_relevant():
    told = Told(5, known=[(0, 1)])
    told.draw([1, 2])
    told.add(LabelRecorded(item="1", annotator="a"))
    told.add(LabelRecorded(item="2", annotator="a", value=0))
    standing = standing_of(told)
    assert standing.draws.hits.tolist() == [True, False]
    assert (standing.found, standing.unclear) == (1, 1)


def test_a_directed_item_that_is_drawn_counts_once_at_its_place_among_the_draws():
    """Handed out as directed and left open, then drawn: whatever route its label comes by."""
    told = Told(8, known=[(0, 1)])
    told.hand([1, 2, 3])
    told.draw([4, 2, 5])
    for item, label in (("1", 0), ("2", 1), ("3", 0), ("4", 0)):
        told.add(LabelRecorded(item=item, annotator="a", value=label))
    account = account_of(told.state, told.state.reviews[0])
    assert (account.directed, account.random, account.pending) == (2, 2, 1)
    assert account.standing.draws.hits.tolist() == [False, True]
    assert account.standing.draws.left.tolist() == [7, 6]


def test_a_record_with_one_of_two_readers_stays_unread_and_can_be_drawn():
    """Counted after the first reader, two hidden relevant records would leave the unread ones."""
    told = Told(4, known=[(0, 1)], twice="1")
    told.hand([1, 2, 3])
    for item in ("1", "2", "3"):
        told.add(LabelRecorded(item=item, annotator="a", value=0))
    account = account_of(told.state, told.state.reviews[0])
    standing = account.standing
    assert (standing.found, standing.unread, account.half_read) == (1, 3, 3)
    assert not is_certified(standing, Fraction("0.8"), 1 - FIFTH)
    assert told.state.reviews[0].inside(told.state, map(str, range(4))) == ["1", "2", "3"]
    told.draw([2])  # refused by the rules of the ledger if the first reader's label were final
    assert told.state.reviews[0].random[-1].n == 3
    told.add(LabelRecorded(item="2", annotator="b", value=1))
    standing = standing_of(told)
    assert (standing.draws.count, standing.draws.pending, standing.unread) == (0, 1, 3)
    told.add(LabelAdjudicated(item="2", annotator="c", value=1))
    standing = standing_of(told)
    assert (standing.found, standing.draws.hits.tolist()) == (2, [True])
    assert standing.draws.left.tolist() == [3]


def test_counting_after_the_first_reader_stops_falsely_with_chance_one():
    """The first reader misses what the second finds: once as it is built, once as it must not be."""

    def story(twice: str) -> Told:
        told = Told(5, known=[(0, 1)], twice=twice)
        told.hand([1, 2, 3, 4])
        for item in ("1", "2", "3", "4"):
            told.add(LabelRecorded(item=item, annotator="a", value=0))
        return told

    target = Fraction("0.8")
    assert is_certified(standing_of(story("0")), target, 1 - FIFTH)
    told = story("1")
    assert not is_certified(standing_of(told), target, 1 - FIFTH)
    for item, label in (("1", 1), ("2", 0), ("3", 0), ("4", 0)):
        told.add(LabelRecorded(item=item, annotator="b", value=label))
    assert not is_certified(standing_of(told), target, 1 - FIFTH)
    told.add(LabelAdjudicated(item="1", annotator="c", value=1))
    standing = standing_of(told)
    assert (standing.found, standing.unread) == (2, 0)


def test_a_half_read_draw_may_be_put_right():
    """Before the second reader its label is not final, so nothing was taken back."""
    told = Told(6, known=[(0, 1)], twice="1")
    told.draw([1, 2])
    told.add(LabelRecorded(item="1", annotator="a", value=1))
    told.add(LabelRecorded(item="2", annotator="a", value=0))
    told.add(LabelCorrected(item="1", annotator="a", before=1, after=0))
    for item in ("1", "2"):
        told.add(LabelRecorded(item=item, annotator="b", value=0))
    assert standing_of(told).unclear == 0
    told.add(LabelCorrected(item="2", annotator="a", before=0, after=1))
    told.add(LabelAdjudicated(item="2", annotator="c", value=1))
    told.add(LabelAdjudicated(item="2", annotator="c", value=0))
    assert standing_of(told).unclear == 1
