"""The bound of a part and what is claimed of it share one risk: a target waits for easier ones."""

import numpy as np
import pytest

from assaymark.claims.language.grammar import parse
from assaymark.composite import bounds
from assaymark.composite.bounds import bound_ladder
from assaymark.composite.judging import judge_path
from assaymark.composite.rows import row_test
from assaymark.composite.sealed import ClaimStratum, PoolColumns, SealedClaim, Statement
from assaymark.composite.shared_risk.stakes import level_of_comparison
from assaymark.composite.wording import look_lines, verdict_of
from assaymark.stats.betting.path import replay
from assaymark.stats.betting.recipe import Recipe
from assaymark.stats.score_guided.supermartingale import Draws
from looks import a_look


def sealed_claim(text):
    return SealedClaim(
        kind="conjunction",
        claim=text,
        confidence=0.95,
        level=0.05,
        columns=PoolColumns(id="id", predictions=("p",), groups=("g",)),
        strata=tuple(ClaimStratum(predictions=("1",), items=300, groups=(g,)) for g in "xy"),
        statements=(Statement(tree=parse(text)),),
    )


def judged(sealed, labels):
    """All labels of x, then those of y; `labels` are the outcomes of each."""
    outcomes = [o for each in labels for o in each]
    strata = np.array([k for k, each in enumerate(labels) for _ in each])
    sampling = np.eye(2)[strata]
    draws = Draws(strata=strata, labels=np.array(outcomes), sampling=sampling)
    return judge_path(sealed, replay(row_test(sealed), draws), draws)


GOOD = [1] * 9 + [0]


def test_a_claim_waits_for_every_easier_target(monkeypatch):
    """Without the chain claim and bound together would have twice the risk."""
    sealed = sealed_claim("precision >= 0.6 in every g")
    labels = [GOOD * 12, GOOD * 12]
    assert judged(sealed, labels).decision == "pass"
    easier = [
        row
        for row, (number, target) in enumerate(bound_ladder(sealed, Recipe()).places)
        if number == 1 and target < 0.6
    ]
    whole = bounds.rows_passed

    def short(test, draws, foreseen=None):
        flags = whole(test, draws, foreseen)
        flags[easier[0]] = False
        return flags

    monkeypatch.setattr(bounds, "rows_passed", short)
    monkeypatch.setattr(bounds.BoundLadder, "passed_since", lambda *_: None)
    found = judged(sealed, labels)
    assert found.decision == "continue"
    assert [part["state"] for part in found.result["parts"]] == ["reached", "open"]
    assert found.result["parts"][1]["bound"] is None


def test_the_decision_comes_with_the_last_easier_target(monkeypatch):
    sealed = sealed_claim("precision >= 0.6 in every g")
    labels = [GOOD * 12, GOOD * 12]
    first = judged(sealed, labels)
    monkeypatch.setattr(bounds.BoundLadder, "passed_since", lambda _self, _draws, at: at + 7)
    assert judged(sealed, labels).decided_at == first.decided_at + 7


def test_easier_targets_of_an_upper_limit_are_above_it():
    sealed = sealed_claim("elusion <= 0.1 in every g")
    sealed = SealedClaim(
        **{
            **vars(sealed),
            "strata": tuple(ClaimStratum(predictions=("0",), items=300, groups=(g,)) for g in "xy"),
        }
    )
    ladder = bound_ladder(sealed, Recipe())
    passed = np.array([target != min(t for _, t in ladder.places) for _, target in ladder.places])
    assert all(one.easier_passed for one in ladder.bounds(passed))
    passed = np.array([target != max(t for _, t in ladder.places) for _, target in ladder.places])
    assert not any(one.easier_passed for one in ladder.bounds(passed))


@pytest.mark.parametrize(
    ("metric", "margin", "only", "level"),
    [
        ("accuracy", None, None, 0.025),
        ("accuracy", 0.01, "better", 0.05),
        ("recall", None, "better", 0.05),
        ("recall", 0.01, "better", 0.025),
        ("f1", 0.01, "worse", 0.025),
    ],
)
def test_statements_of_one_direction_share_the_risk_where_none_waits(metric, margin, only, level):
    """ "Better" and "not worse" of recall live on other items, so neither waits for the other."""
    assert level_of_comparison(0.05, metric, margin, only) == level


@pytest.mark.parametrize(("other", "says_so"), [("open", True), ("reached", False)])
def test_a_family_of_which_some_hold_may_go_on(other, says_so):
    """The certificate closes the family, so that others may still be proved is said before."""
    parts = [{"group": [g], "state": s} for g, s in (("x", "reached"), ("y", other))]
    lines = dict(look_lines(a_look(*parts, family="named", labels=10, draws=10)))
    assert ("or go on" in lines) == says_so


COMPARED = {
    "kind": "comparison", "classifiers": ["a", "b"], "metric": "accuracy", "gap_low": -0.01,
    "gap_high": 0.2, "disagree": 9, "items": 100, "margin": 0.02, "within": False, "equal": False,
    "disagreements": [],
}  # fmt: skip


@pytest.mark.parametrize(
    ("look", "verdict"),
    [
        (a_look({}, {"state": "reached"}, family="named"), ("not yet", "Proven in part")),
        (a_look({}, {}, family="named"), ("not yet", "Not yet")),
        (a_look({"state": "reached"}, decision="pass"), ("pass", "Established")),
        (a_look(**COMPARED, decision="undecided", not_worse=True), ("not yet", "Not worse")),
        (a_look(**COMPARED, decision="undecided", not_worse=False), ("not yet", "Undecided")),
        (a_look(**COMPARED, decision="worse", not_worse=False), ("fail", "Worse")),
    ],
)
def test_what_is_certified_of_an_open_claim_has_a_word_of_its_own(look, verdict):
    """A certificate that the new classifier is not worse stood under "Undecided"."""
    assert verdict_of(look) == verdict
