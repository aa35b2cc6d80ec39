"""The figures of one answer never contradict each other, whatever the labels were."""

from hypothesis import assume, given
from hypothesis import strategies as st

from assaymark.errors import InputError
from assaymark.pair_recall.overlap import CellSample, OverlapEstimate
from assaymark.pair_recall.stats.capture_recapture import PAIR_CELLS, recall_from_pair
from assaymark.pair_recall.stats.outside_union import with_outside
from assaymark.pair_recall.stats.three_lists import TRIPLE_CELLS, recall_from_triple


@st.composite
def cell(draw: st.DrawFn, most: int) -> CellSample:
    items = draw(st.integers(10, most))
    labels = draw(st.integers(1, min(items - 1, 300)))
    return CellSample(items=items, labels=labels, positives=draw(st.integers(0, labels)))


def coherent(found: OverlapEstimate) -> None:
    for one in (*found.recalls, found.positives):
        point = one.recall if hasattr(one, "recall") else one.point
        assert one.band_low <= one.low <= point <= one.high <= one.band_high
    # a point on the edge of its interval is a figure that was pushed there
    for one in found.recalls:
        if one.band_low < one.band_high and 0 < one.recall < 1:
            assert one.band_low < one.recall < one.band_high
    assert found.missed <= found.positives.point
    assert found.chao is None or found.chao <= found.positives.point + 1e-6


@given(st.tuples(*[cell(5_000)] * 3), cell(1_000_000))
def test_a_pair_with_and_without_labels_outside(cells, outside):
    inside = dict(zip(PAIR_CELLS, cells, strict=True))
    assume(inside["11"].positives > 0)
    found = recall_from_pair(inside)
    coherent(found)
    combined = with_outside(found, {**inside, "00": outside})
    coherent(combined)
    delta = combined.delta1
    if delta and not found.band.low <= delta.point <= found.band.high:
        told = " ".join(combined.warnings)
        assert "widened to hold it" in told or "come from the labels alone" in told


@given(st.tuples(*[cell(5_000)] * 7), cell(1_000_000))
def test_three_with_and_without_labels_outside(cells, outside):
    inside = dict(zip(TRIPLE_CELLS, cells, strict=True))
    try:
        found = recall_from_triple(inside)
    except InputError:
        assume(False)
    coherent(found)
    coherent(with_outside(found, {**inside, "000": outside}))
