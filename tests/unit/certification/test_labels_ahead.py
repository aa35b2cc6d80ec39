"""Labels ahead of plans that may be looked at: a range within what is left, or why there is none."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import assaymark

MODES = [("anytime", {}), ("budget", {"expect": 0.9})]


def verdicts(mode: str, terms: dict, *, share: float) -> list:
    """The verdicts of a plan on 399 flagged items, of which this share is right, while it goes on."""
    truth = np.random.default_rng(3).random(400) < share
    work = assaymark.certify(
        y_score=np.where(np.arange(400) < 399, 0.8, 0.1), threshold=0.5,
        claim="precision >= 0.85", mode=mode, design="simple", seed=1, anyway=True, **terms,
    )  # fmt: skip
    found = []
    while items := work.ask(10):
        work.tell([(item.id, int(truth[item.id])) for item in items])
        if (verdict := work.verdict()).decision != "continue":
            break
        found.append(verdict)
    return found


@pytest.mark.parametrize(("mode", "terms"), MODES)
def test_a_range_is_printed_within_what_is_left(mode, terms) -> None:
    ranges = [one for one in verdicts(mode, terms, share=0.9) if one.labels_ahead is not None]
    assert len(ranges) > 3
    for verdict in ranges:
        low, high = verdict.labels_ahead
        assert verdict.estimate.point >= 0.85
        assert 1 <= low <= high <= 399 - verdict.labels
        assert low <= verdict.labels_expected - verdict.labels + 5  # ends are rounded
        assert verdict.outlook.startswith("roughly ")


@pytest.mark.parametrize(("mode", "terms"), MODES)
def test_no_number_is_printed_where_the_estimate_misses_the_target(mode, terms) -> None:
    below = [one for one in verdicts(mode, terms, share=0.7) if one.estimate.point < 0.85]
    assert len(below) > 3
    assert all(one.labels_ahead is None for one in below)
    said = "no forecast of labels while the estimate is below the claim"
    assert {one.outlook for one in below} == {said if mode == "anytime" else None}


def scored(share: float) -> tuple[pd.DataFrame, list[int]]:
    """4,000 items whose scores promise a precision of 0.95, and the labels, right in this share."""
    rng = np.random.default_rng(5)
    flagged = np.arange(4000) < 2000
    frame = pd.DataFrame({"score": np.where(flagged, 0.95, 0.02)})
    return frame, (rng.random(4000) < np.where(flagged, share, 0.01)).astype(int).tolist()


def doubts(share: float, **terms) -> list[str | None]:
    """What open verdicts on "precision >= 0.9" say against it, look by look."""
    frame, truth = scored(share)
    work = assaymark.certify(
        frame, "precision >= 0.9", score="score", threshold=0.5, seed=2, **terms
    )
    said: list[str | None] = []
    while (verdict := work.run(lambda item: truth[item.id], batch=10, max_labels=10)).decision == (
        "continue"
    ):
        said.append(verdict.doubt)
        assert verdict.doubt is None or verdict.is_behind
    return [*said, verdict.decision]


def test_a_claim_that_the_bets_speak_against_is_said_to_look_false_before_it_is_refuted() -> None:
    *said, end = doubts(0.85)
    assert end == "fail"
    assert said[0] is None
    assert said[-1].startswith(
        "Judging by the labels so far the claim looks false (if it were true, "
    )


def test_a_claim_that_holds_clearly_raises_no_doubt() -> None:
    assert set(doubts(0.97)) == {None, "pass"}


def test_an_open_look_with_labels_says_how_many_more_or_why_it_cannot() -> None:
    """Looks whose latest labels brought no evidence said neither."""
    frame, truth = scored(0.97)
    work = assaymark.certify(frame, "precision >= 0.95", score="score", threshold=0.5, seed=4)
    first = work.run(lambda item: truth[item.id], batch=10, max_labels=10)
    assert not first.is_behind
    assert first.outlook == "no forecast of labels yet: too little evidence so far"
    open_ones = [first]
    while (verdict := work.run(lambda item: truth[item.id], max_labels=20)).decision == "continue":
        open_ones.append(verdict)
    assert all(one.outlook for one in open_ones)


def test_only_a_range_that_takes_every_item_left_is_everything_that_is_left() -> None:
    """A look said "roughly 4 more labels: everything that is left" where 243 were left."""
    frame, truth = scored(0.97)
    work = assaymark.certify(frame, "precision >= 0.95", score="score", threshold=0.5, seed=4)
    verdict = work.run(lambda item: truth[item.id], batch=10, max_labels=10)
    four = replace(verdict, labels_ahead=(4, 4))
    assert four.labels_left == 1990
    assert four.outlook == "roughly 4 more labels"
    assert replace(four, labels_left=4).outlook == "roughly 4 more labels: everything that is left"
