"""The estimators of recall from overlapping classifiers: what they say and what they refuse."""

import math

import pytest

from assaymark.errors import InputError
from assaymark.lab.experiments.pairs.worlds import sketched
from assaymark.pair_recall.overlap import CellSample, DeltaBand
from assaymark.pair_recall.recall import RecallRequest, answer_recall, band_warnings
from assaymark.pair_recall.stats.allocation import advise, allocate, cost, unbiased_labels
from assaymark.pair_recall.stats.capture_recapture import (
    PAIR_CELLS,
    recall_from_pair,
    recall_of_another,
)
from assaymark.pair_recall.stats.outside_union import direct_recall, with_outside
from assaymark.pair_recall.stats.pair_dependence import PAIR_KINDS, band_record, pair_kind
from assaymark.pair_recall.stats.printed_equations import (
    recall_by_independence,
    recall_upper_bound,
)
from assaymark.pair_recall.stats.three_lists import (
    TRIPLE_CELLS,
    chao_bound,
    missed_by_three,
    recall_from_triple,
)


def cell(items: int, labels: int, positives: int) -> CellSample:
    return CellSample(items=items, labels=labels, positives=positives)


PAIR = {"11": cell(1000, 100, 90), "10": cell(500, 100, 40), "01": cell(900, 200, 80)}


def census(positives: dict[str, int], items: dict[str, int]) -> dict[str, CellSample]:
    return {name: cell(items[name], items[name], positives[name]) for name in positives}


def test_the_stratified_form_is_eq_1() -> None:
    """T11/(T11+T01) is p12·|A12| / (p2·|A2|) with p2 put together from its two parts."""
    precision = (900 + 360) / 1900
    expected = recall_by_independence(
        joint_precision=0.9, joint=1000, other_precision=precision, other=1900
    )
    assert recall_from_pair(PAIR).recalls[0].recall == pytest.approx(expected)


def test_both_recalls_and_the_number_of_positives_agree() -> None:
    found = recall_from_pair(PAIR)
    a, b = (own.recall for own in found.recalls)
    assert found.positives.point == pytest.approx((900 + 200) / a)
    assert found.positives.point == pytest.approx((900 + 360) / b)
    assert found.missed == pytest.approx(found.positives.point - 900 - 200 - 360)


def test_a_census_has_no_sampling_error() -> None:
    world = sketched(recalls=(0.7, 0.6), delta=1.0)
    found = recall_from_pair(census(world.positives, world.items)).recalls[0]
    assert found.low == pytest.approx(world.overlap[0])
    assert found.high == pytest.approx(world.overlap[0])


def test_a_cell_labelled_whole_without_a_positive_means_that_all_is_found() -> None:
    cells = {**PAIR, "01": cell(50, 50, 0)}
    found = recall_from_pair(cells).recalls[0]
    assert (found.recall, found.low, found.high) == (1, 1, 1)
    assert found.band_low == pytest.approx(0.8)


def test_the_interval_is_the_logit_interval() -> None:
    """By hand: lo = log(p12'·|A12|) − log(px'·|Ax|), p' = (k+½)/(m+1), in a huge cell."""
    big = {name: cell(10**9, own.labels, own.positives) for name, own in PAIR.items()}
    p, q = 90.5 / 101, 80.5 / 201
    middle = math.log(p) - math.log(q)
    spread = 1.959963985 * math.sqrt((1 - p) / (p * 100) + (1 - q) / (q * 200))
    found = recall_from_pair(big).recalls[0]
    assert found.low == pytest.approx(1 / (1 + math.exp(spread - middle)), abs=1e-6)
    assert found.high == pytest.approx(1 / (1 + math.exp(-spread - middle)), abs=1e-6)


def test_the_band_divides_by_the_dependence() -> None:
    found = recall_from_pair(PAIR, band=DeltaBand(low=0.9, high=1.5)).recalls[0]
    assert found.band_low == pytest.approx(found.low / 1.5)
    assert found.band_high == pytest.approx(min(1, found.high / 0.9))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"11": cell(0, 0, 0)}, "No item is flagged by both classifiers"),
        ({"10": cell(0, 0, 0), "01": cell(0, 0, 0)}, "flag exactly the same items"),
        (
            {"10": cell(0, 0, 0)},
            "Every item that the first classifier flags is flagged by the second",
        ),
        (
            {"01": cell(0, 0, 0)},
            "Every item that the second classifier flags is flagged by the first",
        ),
        ({"11": cell(1000, 100, 0)}, "None of 100 labels in the cell '11'"),
        ({"01": cell(900, 0, 0)}, "No item of the cell '01'"),
    ],
)
def test_pairs_that_tell_nothing_are_refused(change: dict, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        recall_from_pair(PAIR | change)


def test_eq_2_without_the_size_of_the_collection_is_refused() -> None:
    with pytest.raises(InputError, match=r"Eq\. 2 needs the size of the whole collection"):
        recall_upper_bound(
            precision=0.9, flagged=100, other_precision=0.5, other=100, joint=20, universe=None
        )


def test_eq_2_is_named_an_upper_bound_and_lies_above() -> None:
    found = recall_from_pair(PAIR, universe=1_000_000)
    for own in found.recalls:
        assert own.upper is not None
        assert own.upper > own.recall
    assert found.delta2 is not None
    assert found.delta2.point > 1


@pytest.mark.parametrize("bad", [(5, 6, 0), (5, 2, 3), (-1, 0, 0)])
def test_impossible_cells_are_refused(bad: tuple[int, int, int]) -> None:
    with pytest.raises(InputError):
        cell(*bad)


def test_a_band_that_leaves_out_independence_is_refused() -> None:
    with pytest.raises(InputError, match=r"got 1\.1 to 1\.3"):
        DeltaBand(low=1.1, high=1.3)


def test_a_further_classifier() -> None:
    known = recall_from_pair(PAIR)
    found = recall_of_another(cell(2000, 100, 50), known)
    assert found.recall == pytest.approx(1000 / known.positives.point)
    assert found.low < found.recall < found.high
    with pytest.raises(InputError, match="at least one positive label"):
        recall_of_another(cell(2000, 100, 0), known)


def test_three_classifiers_undo_the_dependence_of_pairs() -> None:
    """Cells of a log-linear model with ties between pairs: the formula gives N000 exactly.

    The pair of the first two alone overstates their recall, because they are tied.
    """
    base, own, ties = 500.0, (1.2, 0.7, 1.5), (2.0, 1.4, 1.3)
    found = {}
    for name in ("111", "110", "101", "011", "100", "010", "001"):
        bits = [int(bit) for bit in name]
        value = base * math.prod(o for o, bit in zip(own, bits, strict=True) if bit)
        for tie, (i, j) in zip(ties, ((0, 1), (0, 2), (1, 2)), strict=True):
            value *= tie if bits[i] and bits[j] else 1
        found[name] = value
    assert missed_by_three(found) == pytest.approx(base)
    cells = {name: cell(round(v), round(v), round(v)) for name, v in found.items()}
    three = recall_from_triple(cells)
    truth = sum(v for name, v in found.items() if name[0] == "1") / (sum(found.values()) + base)
    assert three.recalls[0].recall == pytest.approx(truth, abs=1e-3)
    pair = {
        "11": found["111"] + found["110"],
        "10": found["101"] + found["100"],
        "01": found["011"] + found["010"],
    }
    alone = recall_from_pair({n: cell(round(v), round(v), round(v)) for n, v in pair.items()})
    assert alone.recalls[0].recall > truth + 0.05
    assert three.delta1 is not None
    assert three.delta1.point == pytest.approx(alone.recalls[0].recall / truth, abs=0.01)


def test_chao_is_exact_for_independent_lists_and_low_for_items_that_differ() -> None:
    def expected(groups: list[tuple[float, tuple[float, float, float]]]) -> dict[str, float]:
        cells = dict.fromkeys(("111", "110", "101", "011", "100", "010", "001", "000"), 0.0)
        for size, rates in groups:
            for name in cells:
                cells[name] += size * math.prod(
                    r if bit == "1" else 1 - r for r, bit in zip(rates, name, strict=True)
                )
        return cells

    same = expected([(1000, (0.7, 0.5, 0.3))])
    assert chao_bound(same) == pytest.approx(same["000"])
    differ = expected([(600, (0.8, 0.6, 0.4)), (400, (0.3, 0.2, 0.1))])
    assert chao_bound(differ) < differ["000"]


def test_thin_cells_of_three_are_said_and_empty_ones_refused() -> None:
    cells = {n: cell(500, 50, 30) for n in ("111", "110", "101", "011", "100", "010", "001")}
    assert recall_from_triple(cells).warnings == ()
    thin = recall_from_triple(cells | {"110": cell(500, 50, 2)})
    assert "Fewer than 5 positive labels in 110" in thin.warnings[0]
    with pytest.raises(InputError, match="The cell '110'"):
        recall_from_triple(cells | {"110": cell(500, 50, 0)})


def test_what_nobody_can_see_is_found_only_outside() -> None:
    """20 % of the positives are invisible to both: the pair counts 80 %, labels outside all."""
    seen = sketched(recalls=(0.7, 0.6), delta=1.0, positives=800, items=20_000)
    positives = seen.positives | {"00": seen.positives["00"] + 200}
    cells = census(positives, seen.items)
    pair = recall_from_pair({name: cells[name] for name in ("11", "10", "01")})
    assert pair.positives.point == pytest.approx(800, rel=0.01)
    both = with_outside(pair, cells)
    assert both.positives.point == pytest.approx(1000, rel=0.01)
    assert both.recalls[0].recall == pytest.approx(0.56, abs=0.01)
    assert both.delta1 is not None
    assert both.delta1.point == pytest.approx(1.25, abs=0.01)


def test_labels_outside_refute_a_band_that_is_too_narrow() -> None:
    world = sketched(recalls=(0.5, 0.4), delta=1.8, positives=2000, items=20_000)
    cells = census(world.positives, world.items)
    found = with_outside(recall_from_pair({n: cells[n] for n in ("11", "10", "01")}), cells)
    assert any("contradict the assumed dependence" in text for text in found.warnings)
    assert found.recalls[0].band_low <= 0.5 <= found.recalls[0].band_high + 1e-9
    assert found.recalls[0].recall == pytest.approx(0.5, abs=1e-6)


def test_no_labels_outside_leave_nothing_to_combine() -> None:
    with pytest.raises(InputError, match="no elusion sample to combine"):
        with_outside(recall_from_pair(PAIR), PAIR | {"00": cell(1000, 0, 0)})
    with pytest.raises(InputError, match="recall is undefined"):
        direct_recall({"11": cell(10, 5, 0), "10": cell(10, 5, 0), "01": cell(10, 5, 1)}, 0)


def test_labels_go_where_positives_are_rare() -> None:
    """Optimal shares are as √((1−p)/p), whatever the size of the cell."""
    known = {"11": cell(9000, 90, 81), "10": cell(9000, 90, 45), "01": cell(9000, 90, 9)}
    given = allocate(known, 3000, target="a")
    assert given["10"] == 0
    ratio = (given["01"] + 90) / (given["11"] + 90)
    assert ratio == pytest.approx(math.sqrt(9 / 1) / math.sqrt(1 / 9), rel=0.1)
    assert sum(given.values()) == 3000


def test_no_more_is_drawn_than_there_is() -> None:
    known = {"11": CellSample(items=30), "10": CellSample(items=5), "01": CellSample(items=8)}
    assert allocate(known, 1000) == {"11": 30, "10": 5, "01": 8}
    with pytest.raises(InputError, match="'for' must be both, a or b"):
        allocate(known, 10, target="c")


def test_advice_reaches_the_wanted_half_width() -> None:
    """Labelling what is advised, with the same shares, brings the interval to ± 0.05."""
    advice = advise(PAIR, recall_from_pair(PAIR), wanted=0.02, target="a")
    more = {own.cell: own.labels for own in advice.cells}
    cells = {}
    for name, own in PAIR.items():
        labels = own.labels + more[name]
        cells[name] = cell(own.items, labels, round(labels * own.positives / own.labels))
    found = recall_from_pair(cells).recalls[0]
    assert (found.high - found.low) / 2 == pytest.approx(0.02, abs=0.002)
    assert "cannot bring the band below" in advice.sentence


def test_unbiased_sampling_costs_what_the_paper_says() -> None:
    """384 positives for ± 0.05 at worst; 38,400 labels at a prevalence of 0.01."""
    assert unbiased_labels(0.01, 0.5, 0.05, 0.95) == 38_415
    assert unbiased_labels(0.01, 0.5, 0.025, 0.95) // 100 == 1536


def test_the_honest_saving_is_a_hundredth_of_the_other() -> None:
    """4, 42 and 422 times at δ1 = 1.1 with 1,000 labels, though 267 to 26,668 times at δ1 = 1."""
    found = [cost(prevalence=p, recall=0.7, precisions=(0.9, 0.5)) for p in (1e-2, 1e-3, 1e-4)]
    assert [round(own.honest_saving) for own in found] == [4, 42, 422]
    assert [round(own.saving) for own in found] == [267, 2667, 26668]


def test_pairs_that_are_known_to_be_dependent_warn() -> None:
    warned = {name for name, kind in PAIR_KINDS.items() if kind.warning}
    assert warned == {"overlap", "pmi", "tversky", "ngrams", "columns", "vocabulary", "halves"}
    with pytest.raises(InputError, match="Did you mean 'jaccard'"):
        pair_kind("jacard")


def test_sentences() -> None:
    found = recall_from_pair(PAIR)
    assert str(found).startswith("recall about 0.7143; sampling alone 0.")
    assert str(found.positives).startswith("about 1,540 positive items (")


def seven(**changed: CellSample) -> dict[str, CellSample]:
    """Seven cells of 500 items with 50 labels, 20 of them positive, but for those given as n100=…"""
    cells = {name: CellSample(items=500, labels=50, positives=20) for name in TRIPLE_CELLS}
    return cells | {name[1:]: cell for name, cell in changed.items()}


@pytest.mark.parametrize("name", TRIPLE_CELLS)
def test_three_classifiers_with_an_empty_cell_are_refused(name: str) -> None:
    with pytest.raises(InputError, match=f"in the cell '{name}'"):
        recall_from_triple(seven(**{f"n{name}": CellSample(items=0)}))


def test_positives_of_three_are_uncertain_even_where_nothing_is_missed() -> None:
    found = recall_from_triple(seven(n100=CellSample(items=5, labels=5, positives=0)))
    assert found.missed == 0
    assert found.positives.low < 0.95 * found.positives.point
    assert found.positives.high > 1.05 * found.positives.point
    assert "Fewer than 5 positive labels in 100" in found.warnings[0]


def test_a_further_classifier_follows_the_labels_from_outside() -> None:
    """Labels outside show twice the positives that the pair implies: r_new must halve with them."""
    cells = {
        "11": CellSample(items=1000, labels=1000, positives=900),
        "10": CellSample(items=300, labels=300, positives=150),
        "01": CellSample(items=300, labels=300, positives=150),
        "00": CellSample(items=20_000, labels=20_000, positives=1300),
    }
    alone = recall_from_pair({name: cells[name] for name in PAIR_CELLS})
    both = with_outside(alone, cells)
    new = recall_of_another(CellSample(items=600, labels=600, positives=500), both)
    assert new.band_low <= 500 / 2500 <= new.band_high
    assert new.band_high < 500 / alone.positives.point
    for own in both.recalls:
        assert own.low <= own.recall <= own.high
        assert own.band_low <= own.recall <= own.band_high


def test_eq_2_is_left_out_where_it_would_not_be_above_the_estimate() -> None:
    """No false positive in common although both have many: the guessed joint precision is too low."""
    cells = {"11": cell(100, 100, 100), "10": cell(400, 400, 100), "01": cell(400, 400, 100)}
    found = recall_from_pair(cells, universe=2000)
    assert found.delta2 is not None
    assert found.delta2.point < 1
    assert [own.upper for own in found.recalls] == [None, None]
    usual = recall_from_pair(PAIR, universe=10_000_000)
    assert all(own.upper is not None and own.upper >= own.recall for own in usual.recalls)


@pytest.mark.parametrize("kind", [kind for kind in PAIR_KINDS.values() if kind.topics])
def test_the_band_is_called_no_guarantee_and_its_record_is_that_of_its_kind(kind) -> None:
    usual, own = DeltaBand(), kind.band
    assert band_record(kind, usual).startswith("The range with dependence is no guarantee")
    assert f"{kind.held} of {kind.topics} measured topics of such pairs" in band_record(kind, usual)
    if own != usual:
        assert f"held in {kind.held_out} of {kind.topics} measured" in band_record(kind, own)


def test_dependence_that_was_measured_outside_the_band_is_told() -> None:
    """Three lists measure the dependence of two: the band must not be trusted against it."""
    both = census(
        {"111": 40, "110": 40, "101": 4, "011": 4, "100": 10, "010": 10, "001": 30},
        dict.fromkeys(TRIPLE_CELLS, 100),
    )
    found = recall_from_triple(both)
    assert found.delta1 is not None
    assert found.delta1.point > found.band.high
    (warning,) = band_warnings(found)
    assert "outside the band" in warning
    assert "do not use them as a pair alone" in warning
    calm = census(dict.fromkeys(TRIPLE_CELLS, 50), dict.fromkeys(TRIPLE_CELLS, 100))
    inside = recall_from_triple(calm)
    assert inside.delta1 is not None
    assert inside.band.low <= inside.delta1.point <= inside.band.high
    assert band_warnings(inside) == ()


def test_there_are_no_fewer_positives_than_were_labelled() -> None:
    """Nearly all of the outside is labelled, and the overlap alone expects far fewer positives."""
    pair = {"11": cell(10, 7, 2), "10": cell(23, 6, 0), "01": cell(49, 10, 1)}
    found = with_outside(recall_from_pair(pair), pair | {"00": cell(163, 162, 50)}).positives
    assert 53 <= found.band_low <= found.low <= found.point <= found.high <= found.band_high


def test_a_band_that_labels_outside_widened_has_no_record_to_show() -> None:
    """The measured topics held the usual band; nothing is known of the one that replaced it."""
    request = RecallRequest(flags=("a", "b"))
    usual = answer_recall(request, PAIR | {"00": cell(100_000, 0, 0)})
    assert "The usual band held in" in usual.assumptions[-1]
    widened = answer_recall(request, PAIR | {"00": cell(100_000, 1000, 40)})
    assert widened.estimate.band.high > usual.estimate.band.high
    assert "held in" not in widened.assumptions[-1]
