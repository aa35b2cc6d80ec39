"""The facts of looks, read from what events and certificates hold."""

import pytest

from assaymark.composite.look_facts import read_look
from assaymark.composite.wording import ending_of
from looks import LOOK, PART, a_look


def test_what_a_certificate_leaves_out_is_absent() -> None:
    """Certificates hold no null: a part without a bound has none, an undecided look no moment."""
    look = a_look({"part": "recall >= 0.8"})
    assert (look.parts[0].bound, look.parts[0].target, look.so_far) == (None, None, None)
    assert look.decided_at is None


def test_what_is_recorded_beside_a_look_is_no_fact_of_it() -> None:
    assert read_look({**LOOK, "event": "look", "parts": [PART]}) == a_look({})


@pytest.mark.parametrize(
    "facts",
    [{}, {"kind": "estimate"}, {k: v for k, v in LOOK.items() if k != "claim"} | {"parts": []}],
)
def test_what_is_no_look_is_not_read(facts) -> None:
    with pytest.raises((KeyError, TypeError)):
        read_look(facts)


@pytest.mark.parametrize(("unreachable", "ending"), [(False, "fail"), (True, "unproven")])
def test_a_claim_that_is_out_of_reach_is_not_shown_to_be_false(unreachable, ending) -> None:
    """Items that nobody could judge may close the way to a proof; the gate said that it was refuted."""
    facts = {**LOOK, "parts": [PART], "decision": "fail", "unreachable": unreachable}
    assert ending_of(read_look(facts)) == ending
