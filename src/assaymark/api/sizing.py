"""Sample size from Python: what a claim will cost, before there is a pool or a label."""

from collections.abc import Sequence

from assaymark.api.expectations import counts_of, own_numbers
from assaymark.api.wording import in_python
from assaymark.certification.forecasts import calculators
from assaymark.claims.claim import Counts
from assaymark.claims.defaults import POWER
from assaymark.claims.language.grammar import is_simple, parse
from assaymark.claims.language.tree import ClaimTree, Comparison
from assaymark.claims.ratio_metrics import parse_claim
from assaymark.claims.results import Forecast
from assaymark.composite.planning.sizes import (
    ComparisonSize,
    SeveralSize,
    size_of_comparison,
    size_of_parts,
)
from assaymark.errors import InputError
from assaymark.records.plan import Expectation


@own_numbers
def size(
    claim: str,
    expectation: Expectation | None = None,
    *,
    pilot: Counts | str | Sequence[int] | None = None,
    expect: float | None = None,
    precision: float | None = None,
    recall: float | None = None,
    prevalence: float | None = None,
    groups: int | None = None,
    differ: float | None = None,
    gap: float | None = None,
    confidence: float = 0.95,
    power: float = POWER,
) -> Forecast | SeveralSize | ComparisonSize:
    """How many labels a claim will need; `.labels` is the number to expect.

    Say what you expect of the classifier: the counts TP, FP, FN, TN of a labelled random `pilot`,
    or the value of the claimed metric, `expect`, with the `prevalence` of relevant items. A claim
    "in every language" takes the number of `groups`; a comparison takes the share of items on which
    the two classifiers `differ` and the expected `gap`.

    >>> print(size("f1 >= 0.7", pilot=[80, 20, 20, 880]))
    f1 >= 0.7: about 991 labels on average (757 typical, 2,848 with bad luck), budget
    >>> size("accuracy of b > accuracy of a", differ=0.06, gap=0.02).labels
    66
    """
    tree = parse(claim)
    one = expectation is not None or any(
        value is not None for value in (pilot, expect, precision, recall, prevalence)
    )
    if _compares(tree):
        if one:
            raise InputError("A comparison takes 'differ' and 'gap', no expected values.")
        part: Comparison = tree.parts[0]  # type: ignore[assignment]
        return size_of_comparison(part, differ=differ, gap=gap, confidence=confidence)
    if (differ, gap) != (None, None):
        raise InputError(f"'differ' and 'gap' are about two classifiers; '{tree}' is about one.")

    def expected(text: str) -> Expectation:
        if expectation is not None:
            return expectation
        return _expected(text, pilot, expect, precision, recall, prevalence)

    if not is_simple(tree):
        return size_of_parts(tree, expected, groups=groups, confidence=confidence, power=power)
    if groups is not None:
        raise InputError(f"'groups' is about claims in every group; '{tree}' is one claim.")
    return in_python(calculators.size(claim, expected(claim), confidence=confidence, power=power))


def _compares(tree: ClaimTree) -> bool:
    return len(tree.parts) == 1 and isinstance(tree.parts[0], Comparison) and not tree.every


def _expected(
    claim: str,
    pilot: Counts | str | Sequence[int] | None,
    expect: float | None,
    precision: float | None,
    recall: float | None,
    prevalence: float | None,
) -> Expectation:
    """The expectation for one part, from a pilot or from expected values."""
    values = (expect, precision, recall, prevalence)
    if pilot is not None:
        if any(value is not None for value in values):
            raise InputError("Give either 'pilot' or expected values, not both.")
        return Expectation(pilot=counts_of(pilot))
    if prevalence is None or (expect is None and (precision is None or recall is None)):
        raise InputError(
            "Say what you expect: pilot=[TP, FP, FN, TN], or expect= (or precision= and recall=) "
            "with prevalence=, the share of items that are relevant."
        )
    if expect is None:
        return Expectation(precision=precision, recall=recall, prevalence=prevalence)
    return calculators.expected(
        parse_claim(claim),
        expect,
        prevalence=prevalence,
        precision=precision,
        recall=recall,
    )
