"""One suite over every bound in the registry."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assaymark.claims.claim import Counts
from assaymark.errors import InputError
from assaymark.stats.binomial_bounds import METHODS, bound

METRICS = ("accuracy", "precision", "recall", "specificity", "npv", "f1", "jaccard", "prevalence",
           "elusion", "f2", "f0.5")  # fmt: skip
EXAMPLES = 25  # of each method: one of them integrates a posterior for every sample
cell = st.integers(0, 400)
counts = st.builds(Counts, tp=cell, fp=cell, fn=cell, tn=cell)


def answer(name: str, sample: Counts, **options: object):
    """The bound, or None where the method refuses this metric or sample with a reason."""
    try:
        return bound(name, sample, design="simple", **options)  # type: ignore[arg-type]
    except InputError as refusal:
        assert "three different gains" in str(refusal) or "no width" in str(refusal)
        return None


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=EXAMPLES)
@given(sample=counts, name=st.sampled_from(METRICS))
def test_the_interval_holds_the_point_and_stays_in_range(
    method: str, sample: Counts, name: str
) -> None:
    if sample.total == 0:
        return
    found = answer(name, sample, method=method, side="both")
    if found is None:
        return
    assert 0 <= found.interval.low <= found.interval.high <= 1
    assert found.interval.low < found.interval.high, "never certain from a sample"
    if found.point is not None:
        assert found.interval.low - 1e-9 <= found.point <= found.interval.high + 1e-9
    else:
        assert (found.interval.low, found.interval.high) == (0, 1)
        assert found.reason


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=EXAMPLES)
@given(sample=counts, name=st.sampled_from(METRICS), level=st.floats(0.6, 0.97))
def test_more_confidence_never_gives_a_higher_lower_bound(
    method: str, sample: Counts, name: str, level: float
) -> None:
    if sample.total < 2:
        return
    less = answer(name, sample, method=method, confidence=level)
    more = answer(name, sample, method=method, confidence=level + 0.02)
    if less and more:
        assert more.interval.low <= less.interval.low + 1e-12


@pytest.mark.parametrize("method", METHODS)
def test_every_option_changes_the_answer(method: str) -> None:
    sample = Counts(tp=80, fp=20, fn=25, tn=875)
    base = bound("f1", sample, design="simple", method=method).interval
    assert bound("recall", sample, design="simple", method=method).interval.low != base.low
    surer = bound("f1", sample, design="simple", method=method, confidence=0.99).interval
    assert surer.low < base.low
    both = bound("f1", sample, design="simple", method=method, side="both").interval
    upper = bound("f1", sample, design="simple", method=method, side="upper").interval
    assert both.low < base.low
    assert (upper.low, base.high) == (0, 1)
    assert upper.high < both.high


def test_every_method_gives_another_answer() -> None:
    sample = Counts(tp=80, fp=20, fn=25, tn=875)
    lows = {bound("f1", sample, design="simple", method=name).interval.low for name in METHODS}
    assert len(lows) == len(METHODS)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("design", ["stratified", "weighted", "prioritised"])
def test_any_design_but_simple_is_refused(method: str, design: str) -> None:
    with pytest.raises(InputError, match="only for a simple random sample"):
        bound("f1", Counts(tp=8, fp=2, fn=2, tn=88), design=design, method=method)


@pytest.mark.parametrize("method", ["exact", "midp", "jeffreys"])
def test_binomial_bounds_refuse_f_beta(method: str) -> None:
    with pytest.raises(InputError, match="Approximations that do: normal, normal-literal, beta"):
        bound("f2", Counts(tp=8, fp=2, fn=2, tn=88), design="simple", method=method)


@pytest.mark.parametrize("method", METHODS)
def test_no_true_positive_means_a_lower_bound_of_zero(method: str) -> None:
    found = answer("f1", Counts(tp=0, fp=3, fn=2, tn=95), method=method)
    assert found is None or found.interval.low == 0


@pytest.mark.parametrize("method", METHODS)
def test_all_correct_is_not_certainty(method: str) -> None:
    found = answer("f1", Counts(tp=50, fp=0, fn=0, tn=450), method=method)
    assert found is None or 0.8 < found.interval.low < 1


def test_a_mirrored_metric_has_mirrored_bounds() -> None:
    """Elusion is 1 − NPV, so its bounds are the mirror image."""
    sample = Counts(tp=30, fp=10, fn=7, tn=453)
    for method in ("exact", "midp", "jeffreys"):
        elusion = bound("elusion", sample, design="simple", side="both", method=method).interval
        npv = bound("npv", sample, design="simple", side="both", method=method).interval
        assert elusion.low == pytest.approx(1 - npv.high, abs=1e-12)
        assert elusion.high == pytest.approx(1 - npv.low, abs=1e-12)


def test_exact_bound_is_scipys() -> None:
    """Clopper–Pearson of 80 of 120: scipy.stats.binomtest(80, 120).proportion_ci(…, 'exact')."""
    from scipy.stats import binomtest

    peer = binomtest(80, 120, alternative="greater").proportion_ci(0.95, method="exact").low
    found = bound("jaccard", Counts(tp=80, fp=20, fn=20, tn=880), design="simple").interval.low
    assert found == pytest.approx(peer, abs=1e-12)
