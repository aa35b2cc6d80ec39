"""The sentence under several ranges: each level that it names is the sum of the risks it rests on."""

from types import SimpleNamespace

import pytest

from assaymark.certification.metric_ranges import joint_words


def words(*, judged_once: bool, failure: str, metrics: int, claimed: bool) -> str:
    kind = SimpleNamespace(judged_once=judged_once, failure=failure)
    plan = SimpleNamespace(confidence=0.95, kind=kind)
    return joint_words(plan, census=False, metrics=metrics, claimed=claimed)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("failure", "metrics", "claimed", "own", "together"),
    [
        ("refuted", 4, True, "87.5%", "72.5%"),  # 4 × 5 % and one and a half more of the verdict
        ("budget spent", 4, True, "92.5%", "77.5%"),
        ("refuted", 4, False, None, "80%"),
        ("refuted", 1, True, "87.5%", None),
    ],
)
def test_ranges_together_hold_with_what_their_risks_leave(
    failure, metrics, claimed, own, together
) -> None:
    sentence = words(judged_once=False, failure=failure, metrics=metrics, claimed=claimed)
    assert sentence.startswith("Each range holds on its own with 95% confidence, at every look")
    assert (f"that of the claimed metric with {own}" in sentence) == (own is not None)
    assert ("claimed metric" in sentence) == claimed
    assert sentence.endswith(f"together with at least {together}.") == (together is not None)


def test_a_plan_that_is_judged_once_promises_no_other_look() -> None:
    assert "at every look" not in words(
        judged_once=True, failure="budget spent", metrics=2, claimed=False
    )
