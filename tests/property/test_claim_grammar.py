"""Laws of the claim grammar: a tree's text reads back as the tree; old claims keep their meaning."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assaymark.claims.canonical import canonical
from assaymark.claims.language.grammar import is_simple, parse
from assaymark.claims.language.tokens import FORMS
from assaymark.claims.language.tree import (
    RESERVED,
    ClaimTree,
    Comparison,
    Figure,
    Gap,
    Threshold,
    Within,
    from_json,
)
from assaymark.claims.metrics import AVERAGES, RATIOS, metric_name, ratio
from assaymark.claims.ratio_metrics import metric, parse_claim
from assaymark.errors import InputError

F_BETAS = ("f1", "f2", "f0.5", "f0.1", "f100")
METRICS = st.sampled_from((*RATIOS, *AVERAGES, *F_BETAS))
NAMES = st.one_of(
    st.sampled_from(
        [*sorted(RESERVED), "a", "b", "f1", "F_2", "f", "spam", "sci.space", "x-y", "3"]
    ),
    st.text(min_size=1, max_size=8),
)
SHARES = st.integers(1, 9999).map(lambda n: Fraction(n, 10_000))
PAIRS = st.lists(NAMES, min_size=2, max_size=2, unique=True)


@st.composite
def figures(draw, *, named: bool = False):
    every = draw(st.booleans())
    names = draw(st.lists(NAMES, min_size=int(named), max_size=1 if every else 2))
    return Figure(metric=draw(METRICS), names=tuple(names), every_class=every)


@st.composite
def rivals(draw):
    figure = draw(figures(named=True))
    other = draw(NAMES.filter(lambda name: name != figure.names[-1]))
    return figure, other


@st.composite
def parts(draw, *, gaps: bool):
    kind = draw(st.sampled_from(("threshold", "comparison", "within") + (("gap",) if gaps else ())))
    if kind == "threshold":
        side = draw(st.sampled_from(("lower", "upper")))
        return Threshold(figure=draw(figures()), side=side, target=draw(SHARES))
    if kind == "gap":
        columns = draw(st.lists(NAMES, min_size=1, max_size=2, unique=True))
        return Gap(figure=draw(figures()), columns=tuple(columns), limit=draw(SHARES))
    figure, other = draw(rivals())
    if kind == "within":
        return Within(figure=figure, other=other, margin=draw(SHARES))
    offset = draw(st.one_of(st.just(Fraction(0)), SHARES, SHARES.map(lambda x: -x)))
    return Comparison(figure=figure, champion=other, offset=offset, strict=draw(st.booleans()))


@st.composite
def trees(draw):
    every = draw(st.lists(NAMES, max_size=2, unique=True))
    body = draw(st.lists(parts(gaps=not every), min_size=1, max_size=3))
    return ClaimTree(parts=tuple(body), every=tuple(every))


@given(trees())
def test_the_text_of_a_tree_reads_back_as_the_tree(tree: ClaimTree) -> None:
    assert parse(str(tree)) == tree
    assert from_json(tree.to_json()) == tree
    canonical(tree.to_json())


@pytest.mark.parametrize("form", FORMS)
def test_every_documented_form_is_read(form: str) -> None:
    assert parse(str(parse(form))) == parse(form)


OLD_NAMES = (*RATIOS, "sensitivity", "TPR", "ppv", "tnr", "Richness", "IoU", "f1", "F1 Score", "f1_score", "f1-score",
             "f-2", "f 0.5", "f_.5", "F0.50", "recall-score")  # fmt: skip
OLD_SIGNS = (">=", "=>", "≥", ">", "<=", "=<", "≤", "<", "at least", "At Most")
OLD_NUMBERS = ("0.8", ".8", "8e-1", "80%", "80 %", "+0.8", "0.2%", "8.e-1", "0.123456789")


@pytest.mark.parametrize("space", [" ", "  ", ""])
@pytest.mark.parametrize("sign", OLD_SIGNS)
@pytest.mark.parametrize("name", OLD_NAMES)
def test_simple_claims_keep_their_meaning(name: str, sign: str, space: str) -> None:
    gap = space or (" " if sign[0] in "aA" else "")
    for number in OLD_NUMBERS:
        for link in (gap, " is "):
            text = f"{name}{link}{sign}{space}{number}"
            old, tree = parse_claim(text), parse(text)
            assert is_simple(tree)
            (new,) = tree.parts
            assert (new.figure.metric, new.side) == (old.metric, old.side)
            assert float(new.target) == pytest.approx(old.target, rel=1e-15)


@pytest.mark.parametrize("name", [*RATIOS, *F_BETAS])
def test_exact_weights_are_those_of_the_rounded_metric(name: str) -> None:
    exact, rounded = ratio(name), metric(name)
    assert tuple(map(float, exact.numerator)) == pytest.approx(rounded.numerator, rel=1e-15)
    assert tuple(map(float, exact.denominator)) == pytest.approx(rounded.denominator, rel=1e-15)


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused_with_a_caret(text: str) -> None:
    try:
        tree = parse(text)
    except InputError as error:
        assert str(error).splitlines()[-1].strip(" ^") == ""
        parse(str(error).splitlines()[0].rpartition(" Try: ")[2])
    else:
        assert parse(str(tree)) == tree


WORDS = st.sampled_from(
    [
        "recall",
        "f1",
        "of",
        "every",
        "class",
        "in",
        "and",
        ">=",
        ">",
        "<=",
        "0.8",
        "80",
        "%",
        "within",
        "gap",
        "between",
        "a",
        "b",
        "language",
        "-",
        "+",
        "is",
    ]
)


@given(st.lists(WORDS, max_size=14).map(" ".join))
def test_any_words_of_the_grammar_are_read_or_refused(text: str) -> None:
    test_any_text_is_read_or_refused_with_a_caret.hypothesis.inner_test(text)


@pytest.mark.parametrize(
    ("text", "start", "length", "offer"),
    [
        ("recal >= 0.8", 0, 5, "recall >= 0.8"),
        ("recall >= 80", 10, 2, "recall >= 0.8"),
        ("recall => 0.8 im every language", 14, 2, "recall >= 0.8 in every language"),
        ("recall >= 0.8 adn precision >= 0.7", 14, 3, "recall >= 0.8 and precision >= 0.7"),
        ("recall of class >= 0.8", 10, 5, 'recall of "class" >= 0.8'),
        ("f1 of b >= recall of a", 11, 6, "f1 of b >= f1 of a - 0.01"),
        ("recall >= 0.7 for every class", 24, 5, "recall of every class >= 0.7"),
        ("kappa >= 0.5", 0, 5, "f1 >= 0.75"),
        ("recall >=", 9, 1, "recall >= 0.8"),
        ("accuracy >= 1.2", 12, 3, "accuracy >= 0.9"),
        ("accuracy >= 0.8 and", 19, 1, "accuracy >= 0.9"),
        ("recal of b > recal of a", 0, 5, "recall of b > recall of a"),
        ("recal >= 0.8 in evry language", 0, 5, "recall >= 0.8 in every language"),
        ("recall of all classes >= 0.7", 10, 3, "recall of every class >= 0.7"),
        ("recall gap <= 0.1", 11, 2, "recall gap between regions <= 0.1"),
        ("recall >= .8 in every a in every b", 24, 8, "recall >= 0.8 in every a and b"),
        ("recall >= 0,85 in every language", 10, 4, "recall >= 0.85 in every language"),
        ("recall >= 80% and precision >= 9/10", 31, 4, "recall >= 0.8 and precision >= 0.9"),
        ("b > a", 0, 1, "accuracy of b > accuracy of a"),
        ("b is better than a", 0, 1, "accuracy of b > accuracy of a"),
        # an offer with the wrong sign would turn the claim around
        ("f1 of b - f1 of a >= 0.03", 8, 1, "f1 of b >= f1 of a + 0.03"),
        ("f1 of b - f1 of a >= -0.03", 8, 1, "f1 of b >= f1 of a - 0.03"),
        ("f1 of b + 0.03 >= f1 of a", 8, 1, "f1 of b >= f1 of a - 0.03"),
        ("f1 of a - 0.03 <= f1 of b", 8, 1, "f1 of b >= f1 of a - 0.03"),
        ("f1 of b >= 0.03 + f1 of a", 16, 1, "f1 of b >= f1 of a + 0.03"),
    ],
)
def test_a_slip_is_pointed_at_and_the_nearest_form_offered(text, start, length, offer) -> None:
    with pytest.raises(InputError) as caught:
        parse(text)
    sentence, shown, caret = str(caught.value).splitlines()
    assert shown == f"  {text}"
    assert caret == "  " + " " * start + "^" * length
    assert sentence.endswith(f"Try: {offer}")


@pytest.mark.parametrize("relation", [">=", "> =", "= >", "=>", "<=", "< =", "= <", "=<"])
def test_a_relation_may_be_written_with_a_space(relation) -> None:
    meant = ">=" if ">" in relation else "<="
    assert str(parse(f"accuracy {relation} 0.8")) == f"accuracy {meant} 0.8"
    with_tie = parse(f"accuracy of b {relation} accuracy of a")
    assert with_tie == parse(f"accuracy of b {meant} accuracy of a")


def test_in_every_binds_the_whole_claim() -> None:
    middle = parse("recall >= 0.8 in every language and precision >= 0.7")
    assert middle == parse("recall >= 0.8 and precision >= 0.7 in every language")
    assert parse("recall >= 0.8 in every language and region").every == ("language", "region")


def test_strictness_is_kept_between_classifiers_only() -> None:
    (better,), (tie,) = (parse(f"f1 of b {sign} f1 of a").parts for sign in (">", ">="))
    assert (better.strict, tie.strict) == (True, False)
    assert parse("f1 of a < f1 of b").parts == (better,)
    assert parse("f1 > 0.75") == parse("f1 >= 0.75")


def test_a_name_of_the_grammar_is_quoted() -> None:
    assert metric_name("recall") == "recall"
    (part,) = parse('recall of "every" >= 0.8').parts
    assert part.figure.names == ("every",)
