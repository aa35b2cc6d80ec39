"""Records that nobody labels: whichever ones are counted as cannot tell, less is proven, never more.

Each history is a random batch, directed reading and another random batch. Whoever chooses what to skip knows
every label.
"""

import itertools
from fractions import Fraction

from assaymark.reviewing.stats import Batch, Standing, draws_of, upper_bound
from assaymark.reviewing.stats.bound import is_refuted

HALF = Fraction(1, 2)


def standing_of(truth, ends, skipped, *, hit=True):
    """Where it stands: records up to the first end were drawn, up to the second directed, then drawn."""
    first, second, last = ends
    plays = [hit if i in skipped else bool(truth[i]) for i in range(last)]
    batches = [
        Batch(items=len(truth) - start, found=sum(plays[:start]), hits=tuple(plays[start:stop]))
        for start, stop in ((0, first), (second, last))
    ]
    return Standing(
        found=sum(truth[i] for i in range(last) if i not in skipped),
        unclear=len(skipped),
        unread=len(truth) - last,
        draws=draws_of(batches),
    )


def cases(items):
    """Every truth, every two batches with reading between, every choice of what is skipped."""
    for truth in itertools.product((0, 1), repeat=items):
        for ends in itertools.combinations_with_replacement(range(1, items + 1), 3):
            for size in range(1, ends[-1] + 1):
                for skipped in itertools.combinations(range(ends[-1]), size):
                    yield truth, ends, frozenset(skipped)


def proves_more(truth, ends, skipped, **wrong):
    """Whether the true number is refuted with the skips, and was not with every label."""
    relevant = sum(truth)
    whole = standing_of(truth, ends, frozenset())
    less = standing_of(truth, ends, skipped, **wrong)
    return is_refuted(less, relevant, HALF) and not is_refuted(whole, relevant, HALF)


def test_whoever_chooses_what_to_skip_and_knows_all_labels_proves_no_more():
    """A false certificate is then no likelier than in a review in which everything was labelled."""
    assert not any(itertools.starmap(proves_more, cases(5)))


def test_counting_them_as_irrelevant_would_be_caught():
    assert any(proves_more(*case, hit=False) for case in cases(5))


def test_the_bound_never_falls_below_what_was_found_and_skipped():
    for truth, ends, skipped in cases(4):
        standing = standing_of(truth, ends, skipped)
        assert upper_bound(standing, HALF) >= standing.found + standing.unclear
