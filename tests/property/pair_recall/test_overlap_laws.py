"""Laws of the estimators from overlapping classifiers."""

from hypothesis import given
from hypothesis import strategies as st

from assaymark.pair_recall.overlap import CellSample, DeltaBand, OverlapEstimate
from assaymark.pair_recall.stats.allocation import allocate
from assaymark.pair_recall.stats.capture_recapture import recall_from_pair
from assaymark.pair_recall.stats.outside_union import with_outside
from assaymark.pair_recall.stats.three_lists import TRIPLE_CELLS, recall_from_triple


@st.composite
def cell(draw: st.DrawFn, least: int = 0) -> CellSample:
    positives = draw(st.integers(least, 60))
    labels = positives + draw(st.integers(1, 60))
    return CellSample(items=labels + draw(st.integers(0, 5000)), labels=labels, positives=positives)


pairs = st.fixed_dictionaries({"11": cell(1), "10": cell(), "01": cell()})
fours = st.fixed_dictionaries({"11": cell(1), "10": cell(), "01": cell(), "00": cell()})
triples = st.fixed_dictionaries({name: cell(1) for name in TRIPLE_CELLS})


def ordered(found: OverlapEstimate) -> None:
    for own in found.recalls:
        assert 0 <= own.low <= own.recall <= own.high <= 1
        assert own.band_low <= own.band_high <= 1
        assert own.band_low <= own.recall <= own.band_high
    n = found.positives
    assert n.band_low <= n.low <= n.point <= n.high <= n.band_high


@given(pairs)
def test_point_interval_and_band_lie_in_order(cells: dict[str, CellSample]) -> None:
    ordered(recall_from_pair(cells))


@given(triples)
def test_the_same_for_three(cells: dict[str, CellSample]) -> None:
    ordered(recall_from_triple(cells))


@given(fours)
def test_with_labels_outside_the_point_lies_in_the_band(cells: dict[str, CellSample]) -> None:
    pair = {name: cells[name] for name in ("11", "10", "01")}
    found = with_outside(recall_from_pair(pair), cells)
    for own in found.recalls:
        assert 0 <= own.band_low <= own.recall <= own.band_high <= 1


@given(pairs)
def test_swapping_the_classifiers_swaps_the_recalls(cells: dict[str, CellSample]) -> None:
    other = {"11": cells["11"], "10": cells["01"], "01": cells["10"]}
    assert recall_from_pair(other).recalls == recall_from_pair(cells).recalls[::-1]


@given(pairs)
def test_more_confidence_is_wider_and_a_wider_band_is_wider(cells: dict[str, CellSample]) -> None:
    usual = recall_from_pair(cells).recalls[0]
    surer = recall_from_pair(cells, confidence=0.99).recalls[0]
    wider = recall_from_pair(cells, band=DeltaBand(low=0.5, high=2)).recalls[0]
    assert surer.low <= usual.low
    assert surer.high >= usual.high
    assert wider.band_low < usual.band_low
    assert (wider.low, wider.high) == (usual.low, usual.high)


@given(pairs)
def test_results_come_back_from_json(cells: dict[str, CellSample]) -> None:
    found = recall_from_pair(cells, universe=10**6)
    assert OverlapEstimate.from_dict(found.to_dict()) == found


@given(pairs, st.integers(1, 2000), st.sampled_from(["both", "a", "b"]))
def test_a_batch_is_shared_out_whole(
    cells: dict[str, CellSample], labels: int, target: str
) -> None:
    given_out = allocate(cells, labels, target=target)
    left = {name: own.items - own.labels for name, own in cells.items()}
    matters = {"both": ("11", "10", "01"), "a": ("11", "01"), "b": ("11", "10")}[target]
    assert all(0 <= given_out[name] <= left[name] for name in given_out)
    assert sum(given_out.values()) == min(labels, sum(left[name] for name in matters))
