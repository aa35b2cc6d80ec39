"""Rows say what the claim says: every labelling of every tiny pool, against plain counting.

The reference below counts items one by one and knows nothing of rows, gains or cells.
"""

import itertools
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache, lru_cache

import pytest
from counted_rows import certain, help_of, is_guarded, is_reached, rows_hold, value_of

from assaymark.claims.cells import Cell, Cells
from assaymark.claims.ladders import compile_ladder
from assaymark.claims.language.grammar import parse
from assaymark.claims.language.tree import ClaimTree, Comparison, Figure, Gap, Threshold
from assaymark.claims.linear import Choices, compile_claim
from assaymark.claims.rows import LinearClaim, Row
from assaymark.errors import InputError

BINARY = Cells(
    classifiers=("m",),
    classes=("0", "1"),
    positive="1",
    cells=tuple(Cell(predictions=(p,), items=0) for p in "01"),
)
PAIR = Cells(
    classifiers=("a", "b"),
    classes=("0", "1"),
    positive="1",
    cells=tuple(Cell(predictions=(a, b), items=0) for a in "01" for b in "01"),
)
THREE = Cells(
    classifiers=("m",),
    classes=("x", "y", "z"),
    cells=tuple(Cell(predictions=(p,), items=0) for p in "xyz"),
)
OPEN = replace(THREE, classes=("x", "y"), others=("none",), cells=THREE.cells[:2])
THREE_PAIR = replace(
    THREE,
    classifiers=("a", "b"),
    cells=tuple(Cell(predictions=(a, b), items=0) for a in "xyz" for b in "xyz"),
)
GROUPS = replace(
    BINARY,
    columns=("region",),
    cells=tuple(Cell(predictions=(p,), groups=(g,), items=0) for g in "NS" for p in "01"),
)
CROSSED = replace(
    BINARY,
    columns=("region", "language"),
    cells=tuple(
        Cell(predictions=(p,), groups=(g, k), items=0) for g in "NS" for k in "de" for p in "01"
    ),
)
PAIR_GROUPS = replace(
    PAIR,
    columns=("region",),
    cells=tuple(replace(c, groups=(g,)) for g in "NS" for c in PAIR.cells),
)


# The reference: items are (predictions, groups, label).


@cache
def worlds(shape: Cells, size: int) -> list[tuple[Cells, dict, tuple]]:
    """Every pool of this size with every labelling, up to the order of its items."""
    return list(_worlds(shape, size))


def _worlds(shape: Cells, size: int) -> Iterator[tuple[Cells, dict, tuple]]:
    kinds = [(c, o) for c in range(len(shape.cells)) for o in range(len(shape.labels))]
    for chosen in itertools.combinations_with_replacement(kinds, size):
        tally = {kind: chosen.count(kind) for kind in dict.fromkeys(chosen)}
        counts = [0] * len(shape.cells)
        for (c, _), n in tally.items():
            counts[c] += n
        items = tuple(
            (shape.cells[c].predictions, shape.cells[c].groups, shape.labels[o]) for c, o in chosen
        )
        yield sized(shape, tuple(counts)), tally, items


@cache
def sized(shape: Cells, counts: tuple[int, ...]) -> Cells:
    cells = tuple(replace(c, items=n) for c, n in zip(shape.cells, counts, strict=True))
    return replace(shape, cells=cells)


def ratio(above: Fraction, below: Fraction) -> Fraction | None:
    return Fraction(above) / below if below else None


@lru_cache(maxsize=200_000)
def figure(items: tuple, metric: str, place: int, klass: str | None, classes) -> Fraction | None:
    """A metric by counting; None where it is undefined."""
    pairs = [(predictions[place], label) for predictions, _, label in items]
    if metric in ("macro f1", "macro recall", "macro precision", "balanced accuracy"):
        one = {"macro f1": "f1", "macro precision": "precision"}.get(metric, "recall")
        values = [figure(items, one, place, k, classes) for k in classes]
        return None if None in values else sum(values) / len(values)
    if metric == "accuracy" and klass is None:
        return ratio(sum(p == y for p, y in pairs), len(pairs))
    tp = sum(p == klass and y == klass for p, y in pairs)
    fp = sum(p == klass and y != klass for p, y in pairs)
    fn = sum(p != klass and y == klass for p, y in pairs)
    tn = len(pairs) - tp - fp - fn
    if metric.startswith("f"):
        square = Fraction(metric[1:]) ** 2
        return ratio((1 + square) * tp, (1 + square) * tp + fp + square * fn)
    above, below = {
        "accuracy": (tp + tn, len(pairs)),
        "precision": (tp, tp + fp),
        "recall": (tp, tp + fn),
        "specificity": (tn, tn + fp),
        "npv": (tn, tn + fn),
        "jaccard": (tp, tp + fp + fn),
        "prevalence": (tp + fn, len(pairs)),
        "elusion": (fn, fn + tn),
    }[metric]
    return ratio(above, below)


def values(items: tuple, shape: Cells, what: Figure, name: str | None = None) -> list:
    """The figure's value for each class that it is about, of the classifier named."""
    names = list(what.names)
    if name is not None:
        names[-1:] = [name]
    place = shape.classifiers.index(names.pop()) if names and names[-1] in shape.classifiers else 0
    klasses = shape.classes if what.every_class else [names[0] if names else shape.positive]
    if what.metric == "accuracy" and not names and not what.every_class:
        klasses = [None]
    return [figure(items, what.metric, place, k, shape.classes) for k in klasses]


def part_true(part, items: tuple, shape: Cells, undefined: bool) -> bool:
    if isinstance(part, Threshold):
        sign = 1 if part.side == "lower" else -1
        found = values(items, shape, part.figure)
        return all(undefined if v is None else sign * (v - part.target) >= 0 for v in found)
    if isinstance(part, Gap):
        return gap_true(part, items, shape)
    other = part.champion if isinstance(part, Comparison) else part.other
    pairs = zip(
        values(items, shape, part.figure), values(items, shape, part.figure, other), strict=True
    )
    for first, second in pairs:
        if first is None or second is None:
            return False
        gap = first - second
        if isinstance(part, Comparison):
            if not (gap > part.offset or (gap == part.offset and not part.strict)):
                return False
        elif abs(gap) > part.margin:
            return False
    return True


def by_group(items: tuple, shape: Cells, columns) -> list[tuple]:
    places = [shape.column(name) for name in columns]
    groups: dict = {}
    for item in items:
        groups.setdefault(tuple(item[1][p] for p in places), []).append(item)
    return [tuple(group) for group in groups.values()]


def gap_true(part: Gap, items: tuple, shape: Cells) -> bool:
    columns = zip(
        *(values(g, shape, part.figure) for g in by_group(items, shape, part.columns)), strict=True
    )
    return all(None not in found and max(found) - min(found) <= part.limit for found in columns)


def true(tree: ClaimTree, items: tuple, shape: Cells, *, undefined: bool = False) -> bool:
    groups = by_group(items, shape, tree.every) if tree.every else [items]
    return all(part_true(part, g, shape, undefined) for g in groups for part in tree.parts)


COMPILED: dict = {}
MIRRORS: dict = {}


def compiled(text: str, cells: Cells, choices: Choices | None = None) -> LinearClaim:
    key = (text, id(cells), choices)  # `sized` keeps the cells, so that the number stays theirs
    if key not in COMPILED:
        COMPILED[key] = compile_claim(parse(text), cells, choices)
    return COMPILED[key]


@pytest.fixture(autouse=True)
def fresh() -> None:
    COMPILED.clear()
    MIRRORS.clear()


def check(text: str, shape: Cells, sizes, choices: Choices | None = None) -> dict[str, int]:
    """Claim ⟺ rows, or rows ⇒ claim; mirrors refute only what is false. Counts what was met."""
    met = {"true": 0, "false": 0, "rows": 0, "refuted": 0, "undecided": 0}
    tree = parse(text)
    undefined = choices is not None and choices.undefined == "holds"
    for size in sizes:
        for cells, tally, items in worlds(shape, size):
            if isinstance(tree.parts[0], Gap) and len(by_group(items, shape, ("region",))) < 2:
                continue
            claim = compiled(text, cells, choices)
            truth, rows = true(tree, items, shape, undefined=undefined), rows_hold(claim, tally)
            refuted = mirrors_refute(claim, cells, tally)
            assert truth or not rows, (text, items)
            assert not (truth and refuted), (text, items)
            if claim.exact:
                assert truth == rows, (text, items)
            met["true" if truth else "false"] += 1
            met["rows"] += rows
            met["refuted"] += refuted
    return met


def mirror_of(row: Row, cells: Cells) -> Row:
    """The opposite statement: Σ gain < required (≤ where strict), as a row."""
    total = sum((cells.cells[c].items * max(g) for c, g in row.gains), Fraction(0))
    gains = tuple((c, tuple(max(g) - x for x in g)) for c, g in row.gains)
    return Row(gains=gains, required=total - row.required, strict=not row.strict)


def mirrors_refute(claim: LinearClaim, cells: Cells, tally: dict) -> bool:
    """Whether what the mirrors prove is enough to call the claim false."""
    if id(claim) not in MIRRORS:
        MIRRORS[id(claim)] = [[mirror_of(row, cells) for row in part.rows] for part in claim.parts]
    for part, mirrors in zip(claim.parts, MIRRORS[id(claim)], strict=True):
        truth = [is_reached(mirror, tally) for mirror in mirrors]
        if part.refuted == "mean" and truth[0]:
            return True
        if part.refuted == "every" and truth and all(truth):
            return True
    return False


SINGLE = ["accuracy", "precision", "recall", "specificity", "npv", "jaccard", "prevalence", "elusion",
          "f1", "f2", "f0.5"]  # fmt: skip


@pytest.mark.parametrize("metric", SINGLE)
def test_every_metric_at_least_and_at_most(metric: str) -> None:
    for sign, target in itertools.product((">=", "<="), ("0.2", "0.5", "0.75", "0.8")):
        met = check(f"{metric} {sign} {target}", BINARY, range(1, 7))
        assert min(met["true"], met["false"]) > 0


@pytest.mark.parametrize("metric", SINGLE)
def test_undefined_can_be_sealed_to_hold(metric: str) -> None:
    holds = Choices(undefined="holds")
    fails = check(f"{metric} >= 0.8 in every region", GROUPS, range(1, 5))
    met = check(f"{metric} >= 0.8 in every region", GROUPS, range(1, 5), holds)
    assert met["true"] >= fails["true"]
    assert (met["true"] == fails["true"]) == (metric in ("accuracy", "prevalence"))


COMPARISONS = [
    "> {} of a",
    ">= {} of a",
    ">= {} of a - 0.2",
    "> {} of a + 0.25",
    "<= {} of a + 0.5",
]


@pytest.mark.parametrize("form", COMPARISONS)
@pytest.mark.parametrize(
    "metric", ["accuracy", "recall", "precision", "specificity", "npv", "elusion"]
)
@pytest.mark.parametrize("items", [5, pytest.param(6, marks=pytest.mark.slow)])
def test_linear_comparisons_are_exact(metric: str, form: str, items: int) -> None:
    met = check(f"{metric} of b {form.format(metric)}", PAIR, range(1, items + 1))
    assert min(met["true"], met["false"], met["refuted"]) > 0


@pytest.mark.parametrize("form", COMPARISONS)
@pytest.mark.parametrize("metric", ["f1", "f2", "f0.5", "jaccard"])
def test_ratio_comparisons_are_sufficient(metric: str, form: str) -> None:
    text = f"{metric} of b {form.format(metric)}"
    for choices in (Choices(), Choices(mixture=True)):
        met = check(text, PAIR, range(1, 5 if choices.mixture else 6), choices)
        assert 0 < met["rows"] <= met["true"]
        # four items are too few for every mirror of a margin of 0.5
        assert met["refuted"] > 0 or "0.5" in form


@pytest.mark.parametrize("metric", ["accuracy", "recall", "precision", "f1"])
def test_within_a_margin(metric: str) -> None:
    met = check(f"{metric} of a within 0.25 of b", PAIR, range(1, 6))
    assert min(met["true"], met["rows"], met["false"]) > 0


@pytest.mark.parametrize(
    "text", ["accuracy of b > accuracy of a", "accuracy of b >= accuracy of a - 0.4"]
)
def test_accuracy_of_several_classes_compared(text: str) -> None:
    met = check(text, THREE_PAIR, range(1, 4))
    assert min(met["true"], met["false"], met["refuted"]) > 0


CLASSES = ["accuracy >= 0.6", "recall of x >= 0.6", "f1 of x <= 0.6", "precision of y >= 0.5",
           "recall of every class >= 0.5", "precision of every class >= 0.5", "f1 of every class >= 0.5",
           "accuracy of x >= 0.6", "macro precision >= 0.6", "macro precision <= 0.6"]  # fmt: skip


@pytest.mark.parametrize("text", CLASSES)
def test_claims_about_classes_are_exact(text: str) -> None:
    met = check(text, THREE, range(1, 7 if "every" not in text else 6))
    assert min(met["true"], met["false"]) > 0
    check(text, OPEN, range(1, 5))


AVERAGES = [
    "macro f1 >= 0.6",
    "macro f1 >= 0.8",
    "macro f1 <= 0.6",
    "macro recall >= 0.5",
    "macro recall <= 0.7",
]


@pytest.mark.parametrize("text", AVERAGES)
def test_averages_are_sufficient(text: str) -> None:
    met = check(text, THREE, range(1, 6))
    assert 0 < met["rows"] <= met["true"]
    assert 0 < met["refuted"] <= met["false"]
    check(text, BINARY, range(1, 7))


@pytest.mark.parametrize("target", ["0.5", "0.6", "0.75", "0.9"])
def test_balanced_accuracy_by_its_tangent(target: str) -> None:
    met = check(f"balanced accuracy >= {target}", BINARY, range(1, 9))
    assert 0 < met["rows"] <= met["true"]
    assert met["refuted"] == 0


GROUPED = ["recall >= 0.6 in every region", "f1 >= 0.6 in every region", "precision >= 0.5 in every region",
           "recall >= 0.5 and precision >= 0.5 in every region", "recall >= 0.5 and precision >= 0.5",
           "accuracy <= 0.6 in every region"]  # fmt: skip


@pytest.mark.parametrize("text", GROUPED)
def test_groups_and_conjunctions_are_exact(text: str) -> None:
    met = check(text, GROUPS, range(1, 6))
    assert min(met["true"], met["false"]) > 0


def test_two_columns_are_crossed() -> None:
    met = check("accuracy >= 0.6 in every language and region", CROSSED, range(1, 5))
    assert min(met["true"], met["false"]) > 0
    cells = sized(CROSSED, (1,) * 8)
    assert len(compiled("accuracy >= 0.6 in every language and region", cells).parts) == 4


@pytest.mark.parametrize(
    "text",
    ["accuracy of b > accuracy of a in every region", "f1 of b >= f1 of a - 0.3 in every region"],
)
def test_comparisons_in_every_group(text: str) -> None:
    met = check(text, PAIR_GROUPS, range(1, 4))
    assert min(met["rows"], met["false"]) > 0


@pytest.mark.parametrize("metric", ["recall", "accuracy", "precision"])
def test_the_gap_between_groups(metric: str) -> None:
    for limit in ("0.1", "0.5"):
        coarse = Choices(gap_cells=4)
        met = check(f"{metric} gap between regions <= {limit}", GROUPS, range(2, 5), coarse)
        assert 0 < met["rows"] <= met["true"]


@pytest.mark.parametrize("metric", ["recall", "precision"])
def test_every_rung_of_a_ladder_is_its_own_claim(metric: str) -> None:
    """Rungs keep their order, and each holds exactly when the claim holds at its cut-off."""
    rungs = ("0", "0.3", "1")
    bands = tuple(
        Cell(predictions=tuple("1" if rung < reached else "0" for rung in range(3)), items=0)
        for reached in range(4)
    )
    shape = Cells(classifiers=rungs, classes=("0", "1"), positive="1", cells=bands)
    for cells, tally, items in worlds(shape, 4):
        if all(c.items == 0 for c in cells.cells[1:]):
            continue
        claim = compile_ladder(parse(f"{metric} >= 0.6"), cells)
        order = claim.constants["order"]
        assert order == sorted(order, key=Fraction, reverse=metric == "precision")
        for name, part in zip(order, claim.parts, strict=True):
            value = figure(items, metric, cells.classifiers.index(name), "1", cells.classes)
            assert rows_hold(part, tally) == (value is not None and value >= Fraction(3, 5))


# Certainty, with some labels still hidden.


@pytest.mark.parametrize(
    "text",
    [
        "accuracy of b > accuracy of a",
        "recall of b >= recall of a",
        "precision of b > precision of a",
    ],
)
def test_certainty_is_what_all_completions_share(text: str) -> None:
    for cells in {world[0] for world in worlds(PAIR, 4)}:
        row = compiled(text, cells).rows[0]
        counts = [c.items for c in cells.cells]
        ends = [
            {(c, 1): n for c, n in enumerate(ones)}
            | {(c, 0): counts[c] - n for c, n in enumerate(ones)}
            for ones in itertools.product(*(range(n + 1) for n in counts))
        ]
        for found in itertools.product(*(range(n + 1) for n in counts)):
            for ones in itertools.product(*(range(n + 1) for n in found)):
                tally = {(c, 1): ones[c] for c in range(4)} | {
                    (c, 0): found[c] - ones[c] for c in range(4)
                }
                left = {c: counts[c] - found[c] for c in range(4)}
                outcomes = {
                    is_reached(row, end)
                    for end in ends
                    if all(end[k] >= n for k, n in tally.items())
                }
                sure = certain(row, tally, left)
                assert outcomes == ({True, False} if sure is None else {sure}), (
                    counts,
                    tally,
                )


# Traps.


def test_ties_follow_the_word() -> None:
    """A tie that is labelled to the end is not "better", and it is not "worse" either."""
    cells = sized(PAIR, (0, 1, 1, 0))
    tie = {(1, 1): 1, (2, 1): 1}
    better, at_least = (
        compiled(f"accuracy of b {sign} accuracy of a", cells) for sign in (">", ">=")
    )
    assert not rows_hold(better, tie)
    assert rows_hold(at_least, tie)
    assert certain(better.rows[0], tie, {}) is False
    assert certain(at_least.rows[0], tie, {}) is True


def test_identical_predictions_are_decided_without_a_label() -> None:
    cells = sized(PAIR, (3, 0, 0, 3))
    for text, truth in (
        ("accuracy of b > accuracy of a", False),
        ("accuracy of b >= accuracy of a", True),
        ("accuracy of b >= accuracy of a - 0.01", True),
    ):
        row = compiled(text, cells).rows[0]
        assert row.domain == ()
        assert certain(row, {}, {c: n.items for c, n in enumerate(cells.cells)}) is truth


def test_one_mirror_alone_would_refute_a_true_claim_about_f1() -> None:
    """F1 of b is 2/3 and of a 1/2 in some pool, yet a mirror of one of the two rows holds."""
    wrong = 0
    for size in range(1, 6):
        for cells, tally, items in worlds(PAIR, size):
            claim = compiled("f1 of b > f1 of a", cells)
            mirrors = [mirror_of(r, cells) for r in claim.rows]
            one = any(is_reached(m, tally) for m in mirrors)
            wrong += one and true(parse("f1 of b > f1 of a"), items, PAIR)
    assert wrong > 0


def test_the_mirror_of_balanced_accuracy_would_refute_a_true_claim() -> None:
    """N1 = 4, N0 = 2, both positives found among the predicted: 0.75 is reached, the row is not."""
    half = Fraction(1, 2)
    cells = replace(
        BINARY,
        cells=(
            Cell(predictions=("0",), items=2, beliefs=(half, half)),
            Cell(predictions=("1",), items=4, beliefs=(half, half)),
        ),
    )
    claim = compile_claim(parse("balanced accuracy >= 0.75"), cells)
    assert claim.parts[0].constants == {"tangent_point": 3}
    tally = {(0, 0): 2, (1, 0): 2, (1, 1): 2}
    items = [(("0",), (), "0")] * 2 + [(("1",), (), "0")] * 2 + [(("1",), (), "1")] * 2
    assert figure(tuple(items), "balanced accuracy", 0, None, ("0", "1")) == Fraction(3, 4)
    assert not rows_hold(claim, tally)
    mirror = mirror_of(claim.rows[0], cells)
    assert is_reached(mirror, tally)
    assert claim.parts[0].refuted == "census"


def test_floats_would_break_ties_that_rationals_keep() -> None:
    assert 4 * (1 - 0.8) - 0.8 < 0  # what a float says of four hits and one miss at 0.8
    cells = sized(BINARY, (1, 4))
    assert rows_hold(compiled("recall >= 0.8", cells), {(0, 1): 1, (1, 1): 4})
    # precision 1/1 against 9/9: equal, so never "better"
    cells = sized(PAIR, (0, 0, 8, 1))
    full = {(2, 1): 8, (3, 1): 1}
    assert not rows_hold(compiled("precision of b > precision of a", cells), full)
    assert rows_hold(compiled("precision of b >= precision of a", cells), full)
    ties = sum(sum([1 / n] * n) != 1 for n in range(1, 40))
    assert ties > 0  # the float sum of n shares of 1/n is not 1


@pytest.mark.parametrize(
    "text",
    ["recall >= 0.8", "f1 >= 0.8", "macro recall >= 0.8", "recall of b >= recall of a - 0.1"],
)
def test_no_pass_before_a_positive_is_found(text: str) -> None:
    shape = PAIR if "of b" in text else BINARY
    cells = sized(shape, (3, *(0,) * (len(shape.cells) - 1)))
    claim = compiled(text, cells)
    assert not rows_hold(claim, {(0, 0): 3})
    assert claim.rows[0].guard
    assert not any(is_guarded(row, {(0, 0): 3}) for row in claim.rows)


def test_a_label_that_nobody_could_give_gains_nothing_in_a_row_and_in_its_mirror() -> None:
    cells = sized(PAIR, (0, 1, 0, 0))
    row = compiled("accuracy of b >= accuracy of a", cells).rows[0]
    assert certain(row, {}, {}) is False
    assert certain(mirror_of(row, cells), {}, {}) is False


# Weights, digest and refusals.


def test_accuracy_gaps_have_the_weights_of_the_sign_test() -> None:
    """h is "b is right", v is the same on every disagreement, and R/v = (D + δN)/2."""
    cells = sized(PAIR, (5, 3, 2, 4))
    row = compiled("accuracy of b >= accuracy of a - 0.1", cells).rows[0]
    assert row.domain == (1, 2)
    assert (help_of(row, 1, 1), help_of(row, 1, 0), help_of(row, 2, 0), help_of(row, 2, 1)) == (
        1,
        0,
        1,
        0,
    )
    assert value_of(row, 1) == value_of(row, 2) == 2
    assert value_of(row, 0) == 0
    assert row.required / 2 == (5 - Fraction(1, 10) * 14) / 2


def test_f1_rows_seal_the_weight_between_classifiers() -> None:
    beliefs = (Fraction(3, 4), Fraction(1, 4))
    cells = replace(PAIR, cells=tuple(replace(c, items=10, beliefs=beliefs) for c in PAIR.cells))
    part = compile_claim(parse("f1 of b > f1 of a"), cells).parts[0]
    assert part.constants == {"believed_positives": 10, "kappa": [Fraction(1)]}
    assert [row.domain for row in part.rows] == [(1, 2), (1, 2)]
    mixed = compile_claim(parse("f2 of b > f2 of a"), cells, Choices(mixture=True)).parts[0]
    assert (mixed.combinator, len(mixed.rows), sum(mixed.weights)) == ("mixture", 6, 1)


def test_the_digest_follows_rows_and_constants() -> None:
    cells = sized(GROUPS, (3, 2, 1, 2))
    texts = ("recall >= 0.8", "recall >= 0.81", "recall >= 0.8 in every region")
    digests = [compiled(text, cells).digest for text in texts]
    digests.append(compiled(texts[0], sized(GROUPS, (3, 2, 1, 3))).digest)
    digests.append(compiled(texts[2], cells, Choices(undefined="holds")).digest)
    digests.append(compiled(texts[2], cells, Choices(least_group=4)).digest)
    assert len(set(digests)) == 6
    assert compile_claim(parse("Recall ≥ 80 %"), cells).digest == digests[0]


def test_small_groups_are_left_out_by_name() -> None:
    claim = compiled(
        "recall >= 0.8 in every region", sized(GROUPS, (3, 2, 1, 2)), Choices(least_group=4)
    )
    assert [part.group for part in claim.parts] == [("N",)]
    assert claim.constants["left_out"] == [["S"]]


@pytest.mark.parametrize(
    ("text", "shape", "words"),
    [
        ("recall >= 0.8", THREE, "recall needs a class"),
        ("recall of q >= 0.8", THREE, "There is no class 'q'"),
        ("recall >= 0.8 in every town", GROUPS, "no group column 'town'"),
        ("accuracy of c > accuracy of a", PAIR, "There is no classifier 'c'"),
        ("accuracy >= 0.8", PAIR, "Name the classifier"),
        ("prevalence of b > prevalence of a", PAIR, "nothing to compare"),
        ("macro f1 of b > macro f1 of a", PAIR, "against a number only"),
        ("balanced accuracy >= 0.4", BINARY, "at least 0.5"),
        ("macro f1 of x >= 0.5", THREE, "leave out 'x'"),
    ],
)
def test_what_cannot_be_compiled_is_refused(text: str, shape: Cells, words: str) -> None:
    with pytest.raises(InputError, match=words):
        compile_claim(parse(text), sized(shape, (1,) * len(shape.cells)))


def test_too_many_vertices_are_refused() -> None:
    classes = tuple(f"k{i}" for i in range(20))
    cells = Cells(
        classifiers=("m",),
        classes=classes,
        cells=tuple(Cell(predictions=(k,), items=1) for k in classes),
    )
    with pytest.raises(InputError, match="needs more than 2,000 rows"):
        compile_claim(parse("macro f1 >= 0.5"), cells)
    assert len(compile_claim(parse("macro f1 >= 0.96"), cells).rows) == 20
