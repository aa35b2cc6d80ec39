import re

import pytest

from assaymark.claims import ratio_metrics
from assaymark.claims.claim import Claim, Counts
from assaymark.claims.language.grammar import parse
from assaymark.claims.ratio_metrics import (
    binomial_test,
    domain,
    gain,
    metric,
    parse_claim,
    pool_form,
    worst_label,
)
from assaymark.errors import InputError

COUNTS = (80, 20, 30, 870)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("accuracy", 950 / 1000),
        ("precision", 80 / 100),
        ("recall", 80 / 110),
        ("specificity", 870 / 890),
        ("npv", 870 / 900),
        ("f1", 160 / 210),
        ("f2", 400 / (400 + 4 * 30 + 20)),
        ("f0.5", 1.25 * 80 / (1.25 * 80 + 0.25 * 30 + 20)),
        ("jaccard", 80 / 130),
        ("prevalence", 110 / 1000),
        ("elusion", 30 / 900),
        ("Richness", 110 / 1000),
        ("F1-score", 160 / 210),
        ("f_2", 400 / 540),
    ],
)
def test_each_metric_is_its_textbook_ratio(name: str, value: float) -> None:
    assert metric(name).value(COUNTS) == pytest.approx(value, abs=1e-15)


def test_a_metric_without_informative_items_is_undefined() -> None:
    assert metric("recall").value((0, 5, 0, 5)) is None


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("f1 >= 0.75", ("f1", "lower", 0.75)),
        ("F1≥75%", ("f1", "lower", 0.75)),
        ("elusion <= 0.2%", ("elusion", "upper", 0.002)),
        ("recall > .8", ("recall", "lower", 0.8)),
        ("precision is at least 90 %", ("precision", "lower", 0.9)),
        ("prevalence at most 1e-2", ("prevalence", "upper", 0.01)),
        ("f0.5 => 0.6", ("f0.5", "lower", 0.6)),
        ("npv =< 0.99", ("npv", "upper", 0.99)),
    ],
)
def test_claims_are_read_as_people_write_them(text: str, claim: tuple[str, str, float]) -> None:
    found = parse_claim(text)
    assert (found.metric, found.side, found.target) == claim


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("f1 0.75", "cannot be read"),
        ("f1 >= high", "cannot be read"),
        ("f1 >= 95", "Try: f1 >= 0.95"),
        ("f1 >= 1", "a target must be between 0 and 1, got 1."),
        ("f1 >= -0.1", "a target must be between 0 and 1"),
        ("recal >= 0.8", "Try: recall >= 0.8"),
        ("auc >= 0.8", "no ratio of counts"),
        ("f0 >= 0.8", "Try: f0.5 >= 0.8"),
    ],
)
def test_a_claim_that_cannot_be_read_says_what_was_expected(text: str, part: str) -> None:
    with pytest.raises(InputError, match=re.escape(part)):
        parse_claim(text)


@pytest.mark.parametrize("name", ["accuracy", "precision", "recall", "specificity", "npv", "f1",
                                  "f2", "f0.5", "jaccard", "prevalence", "elusion"])  # fmt: skip
@pytest.mark.parametrize("side", ["lower", "upper"])
@pytest.mark.parametrize("target", [0.02, 0.5, 0.75, 0.97])
def test_gain_pool_form_and_binomial_form_say_the_same(name: str, side: str, target: float) -> None:
    """The claim, its mean gain, its pool form and its binomial form agree on many populations."""
    claim = Claim(metric=name, side=side, target=target)  # type: ignore[arg-type]
    for cells in [(8, 2, 3, 87), (1, 9, 20, 70), (30, 1, 1, 2), (5, 5, 5, 5), (9, 0, 0, 91)]:
        value = metric(name).value(cells)
        assert value is not None
        if value == target:
            continue
        holds = value >= target if side == "lower" else value <= target
        total = sum(z * c for z, c in zip(gain(claim), cells, strict=True))
        assert (total >= 0) == holds
        tp, fp, fn, tn = cells
        form = pool_form(claim, predicted_positive=tp + fp, predicted_negative=fn + tn)
        weighted = form.weight_positive * tp + form.weight_negative * fn
        assert weighted - form.constant == pytest.approx(total, abs=1e-9)
        test = binomial_test(claim)
        if test is None:
            assert name in ("f2", "f0.5")
            continue
        wins, trials = test.tally(Counts(tp=tp, fp=fp, fn=fn, tn=tn))
        if wins != test.null_share * trials:
            assert (wins >= test.null_share * trials) == holds


def test_the_domain_is_where_labels_say_something() -> None:
    assert domain(parse_claim("precision >= 0.9")) == "predicted positive"
    assert domain(parse_claim("elusion <= 0.01")) == "predicted negative"
    assert domain(parse_claim("npv >= 0.9")) == "predicted negative"
    assert domain(parse_claim("f1 >= 0.9")) == "all"


def test_what_nobody_can_tell_hurts_the_claim() -> None:
    assert worst_label(parse_claim("f1 >= 0.8"), predicted=True) == 0
    assert worst_label(parse_claim("f1 >= 0.8"), predicted=False) == 1
    assert worst_label(parse_claim("elusion <= 0.1"), predicted=False) == 1
    assert worst_label(parse_claim("prevalence <= 0.1"), predicted=True) == 1
    assert worst_label(parse_claim("prevalence >= 0.1"), predicted=False) == 0


def test_a_slip_is_pointed_at_as_in_claims_of_several_parts():
    with pytest.raises(InputError) as caught:
        parse_claim("recal >= 0.6")
    assert str(caught.value).endswith("Try: recall >= 0.6\n  recal >= 0.6\n  ^^^^^")


@pytest.mark.parametrize("word", ["all", "any", "evry"])
def test_all_groups_are_offered_as_every_group(word):
    """The claim that was meant is offered, not an example about another column."""
    with pytest.raises(InputError, match=f"at '{word}': 'every'") as caught:
        parse(f"recall >= 0.8 in {word} region")
    assert "Try: recall >= 0.8 in every region\n" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "name", "offer"),
    [
        ("recall of news and more >= 0.8", "news and more", 'recall of "news and more" >= 0.8'),
        ("recall of R&D >= 0.8", "R&D", 'recall of "R&D" >= 0.8'),
        ("recall >= 0.8 in every home town", "home town", 'recall >= 0.8 in every "home town"'),
        ("f1 of new one > f1 of old one", "new one", 'f1 of "new one" > f1 of "old one"'),
    ],
)
def test_a_name_of_several_words_is_said_to_need_quotes(text, name, offer):
    """What was expected in the middle of the name was named, and another claim offered."""
    with pytest.raises(InputError, match=f"if '{name}' is one name, put it in quotes") as caught:
        parse(text)
    assert f"Try: {offer}\n" in str(caught.value)


@pytest.mark.parametrize(
    "text",
    ["recall of spam and precision >= 0.7", "recall of spam", "recall of spam witin 0.2 of b"],
)
def test_a_missing_relation_is_no_missing_quote(text):
    with pytest.raises(InputError, match=">=, <=, within or gap was expected"):
        parse(text)


@pytest.mark.parametrize(
    "text", ["recall >= 0.6 in every region", "accuracy of b > accuracy of a", "macro f1 >= 0.9"]
)
def test_a_claim_of_several_parts_is_not_called_unreadable(text):
    with pytest.raises(InputError, match=r"begun with assaymark\.certify_parts"):
        parse_claim(text)


def test_a_relation_may_hold_a_space():
    assert parse_claim("f1 > = 0.75") == parse_claim("f1 >= 0.75")
    assert parse_claim("elusion = < 0.1") == parse_claim("elusion <= 0.1")


def test_a_metric_whose_name_begins_with_f_is_no_f_score(monkeypatch) -> None:
    """A new metric is one registration: shares among the items of its denominator are binomial."""
    monkeypatch.setitem(ratio_metrics.RATIOS, "fpr", ((0, 1, 0, 0), (0, 1, 0, 1)))
    for table, part in ((ratio_metrics.NUMERATORS, 0), (ratio_metrics.DENOMINATORS, 1)):
        monkeypatch.setitem(table, "fpr", ratio_metrics.RATIOS["fpr"][part])
    monkeypatch.setitem(ratio_metrics.TITLES, "fpr", "fpr")
    test = ratio_metrics.binomial_test(Claim(metric="fpr", side="upper", target=0.1))
    assert test is not None
    assert test.success == (False, False, False, True)
    assert test.failure == (False, True, False, False)
    assert ratio_metrics.binomial_test(Claim(metric="f2", side="lower", target=0.5)) is None
