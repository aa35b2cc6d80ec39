"""How far annotators agree beyond what chance would give, and how many errors a verdict survives.

One idea: two people who guess agree often where one answer is common. Coefficients take that share
off; they differ in what they call guessing, so raw agreement is always shown beside them.
"""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from assaymark.claims.checks import count
from assaymark.claims.results import counted
from assaymark.errors import InputError
from assaymark.records.agreement import Agreement, Coefficient, PairAgreement, PairCounts

NOBODY = "no item was labelled by two people"
ONE_ANSWER = "both gave every item the same answer, so agreement by chance would be complete too"
GUESSING = (
    "they differ on more than half of the items, which equal independent errors cannot explain"
)


def pair_counts(first: Sequence[int], second: Sequence[int]) -> PairCounts:
    """The two-by-two table of two annotators' labels of the same items, in the same order.

    >>> pair_counts([1, 1, 0, 0], [1, 0, 0, 0]).items
    4
    """
    if len(first) != len(second):
        raise InputError(
            f"Two annotators label the same items: got {len(first)} labels and {len(second)}."
        )
    pairs = list(zip(first, second, strict=True))
    if any(label not in (0, 1) for pair in pairs for label in pair):
        raise InputError("Labels are 0 or 1. Leave out items that somebody could not tell.")
    return PairCounts(
        both=pairs.count((1, 1)),
        first_only=pairs.count((1, 0)),
        second_only=pairs.count((0, 1)),
        neither=pairs.count((0, 0)),
    )


def raw_agreement(counts: PairCounts) -> Coefficient:
    """The share of items to which both gave the same label."""
    if counts.items == 0:
        return Coefficient(name="raw", value=None, reason=NOBODY)
    return Coefficient(name="raw", value=(counts.both + counts.neither) / counts.items)


def cohen_kappa(counts: PairCounts) -> Coefficient:
    """Agreement beyond chance, where chance is that each guesses at their own rate.

    Undefined where both gave every item the same one answer. Source: Cohen (1960).

    >>> cohen_kappa(PairCounts(both=20, first_only=5, second_only=10, neither=15)).value
    0.4
    """
    n = counts.items
    if n == 0:
        return Coefficient(name="kappa", value=None, reason=NOBODY)
    first, second = counts.both + counts.first_only, counts.both + counts.second_only
    # whole numbers as long as possible, so that "undefined" is exact
    chance = first * second + (n - first) * (n - second)
    if chance == n * n:
        return Coefficient(name="kappa", value=None, reason=ONE_ANSWER)
    agreed = n * (counts.both + counts.neither)
    return Coefficient(name="kappa", value=(agreed - chance) / (n * n - chance))


def gwet_ac1(counts: PairCounts) -> Coefficient:
    """Agreement beyond chance, where chance is guessing evenly on items that are hard.

    Chance agreement is 2π(1 − π), π the mean rate of the two; it is at most one half, so the
    coefficient is defined whenever there are items. Source: Gwet (2008), equation 5.

    >>> round(gwet_ac1(PairCounts(both=118, first_only=5, second_only=2, neither=0)).value, 4)
    0.9408
    """
    n = counts.items
    if n == 0:
        return Coefficient(name="AC1", value=None, reason=NOBODY)
    rate = (2 * counts.both + counts.first_only + counts.second_only) / (2 * n)
    chance = 2 * rate * (1 - rate)
    agreed = (counts.both + counts.neither) / n
    return Coefficient(name="AC1", value=(agreed - chance) / (1 - chance))


def implied_error(counts: Sequence[PairCounts]) -> Coefficient:
    """The share of wrong labels that would explain the disagreement.

    Assumes that annotators err independently and equally often on every item. Then they differ
    on 2e(1 − e) of the items, so e = (1 − √(1 − 2d))/2. Errors they share leave no trace here.
    """
    items = sum(pair.items for pair in counts)
    if items == 0:
        return Coefficient(name="implied error", value=None, reason=NOBODY)
    differ = sum(pair.first_only + pair.second_only for pair in counts) / items
    if differ > 0.5:
        return Coefficient(name="implied error", value=None, reason=GUESSING)
    return Coefficient(name="implied error", value=(1 - math.sqrt(1 - 2 * differ)) / 2)


def agreement(answers: Mapping[str, Mapping[str, int | None]]) -> Agreement | None:
    """Agreement over all items with two labels or more; None where there is no such item.

    `answers` gives for each item what each annotator said; None is "cannot tell" and left out.
    With more than two annotators the coefficients are means over pairs of annotators, weighted by
    the items that the pair shares.
    """
    labels = {
        item: {name: label for name, label in by_annotator.items() if label is not None}
        for item, by_annotator in answers.items()
    }
    shared = {item: by_annotator for item, by_annotator in labels.items() if len(by_annotator) > 1}
    if not shared:
        return None
    pairs = _pairs(shared)
    differing = sum(len(set(by_annotator.values())) > 1 for by_annotator in shared.values())
    counts = [pair.counts for pair in pairs]
    return Agreement(
        items=len(shared),
        differing=differing,
        pairs=pairs,
        raw=_mean("raw", [(pair.counts.items, pair.raw) for pair in pairs]),
        kappa=_mean("kappa", [(pair.counts.items, pair.kappa) for pair in pairs]),
        ac1=_mean("AC1", [(pair.counts.items, pair.ac1) for pair in pairs]),
        implied_error=implied_error(counts),
        sentence=f"Reviewers agreed on {len(shared) - differing:,} of "
        f"{counted(len(shared), 'item')} that more than one of them labelled.",
    )


def _pairs(shared: Mapping[str, Mapping[str, int]]) -> tuple[PairAgreement, ...]:
    tables: dict[tuple[str, str], tuple[list[int], list[int]]] = {}
    for by_annotator in shared.values():
        for first, second in itertools.combinations(sorted(by_annotator), 2):
            one, other = tables.setdefault((first, second), ([], []))
            one.append(by_annotator[first])
            other.append(by_annotator[second])
    pairs = []
    for (first, second), (one, other) in sorted(tables.items()):
        counts = pair_counts(one, other)
        pairs.append(
            PairAgreement(
                first=first,
                second=second,
                counts=counts,
                raw=raw_agreement(counts),
                kappa=cohen_kappa(counts),
                ac1=gwet_ac1(counts),
            )
        )
    return tuple(pairs)


def _mean(name: str, weighted: Sequence[tuple[int, Coefficient]]) -> Coefficient:
    """The mean over the pairs for which the coefficient is defined."""
    known = [(items, c.value) for items, c in weighted if c.value is not None]
    if not known:
        reasons = [c.reason for _, c in weighted if c.reason]
        return Coefficient(name=name, value=None, reason=reasons[0] if reasons else NOBODY)
    total = sum(items for items, _ in known)
    return Coefficient(name=name, value=sum(items * value for items, value in known) / total)


def tipping_point(holds: Callable[[int], bool], most: int, *, guess: int = 1) -> int | None:
    """The least number of wrong labels, out of `most`, with which a verdict no longer holds.

    None if it holds with all of them wrong. Assumes that more errors never help, which the errors
    that a caller plants must see to. A good `guess` asks less often and changes nothing.

    >>> tipping_point(lambda wrong: wrong < 7, 100)
    7
    """
    count("most", most)
    # verdicts that stand by a little are common and each question is dear: double, then halve
    known = cache(holds)
    high = 1 << (max(min(guess, most), 1).bit_length() - 1)
    while high > 1 and not known(high):
        high //= 2
    low = high // 2
    while high <= most and known(high):
        low, high = high, 2 * high
    if high > most:
        if low >= most or known(most):
            return None
        high = most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if known(middle) else (low, middle)
    return high


def spread(places: Sequence[int], number: int) -> list[int]:
    """This many of these places, spread evenly over them.

    >>> spread([10, 20, 30, 40], 2)
    [20, 40]
    """
    return [places[((i + 1) * len(places)) // number - 1] for i in range(number)]
