"""Labels ahead of simple plans: printed in both modes that may be looked at, within what is left."""

import numpy as np
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
def test_nothing_is_printed_where_the_estimate_misses_the_target(mode, terms) -> None:
    below = [one for one in verdicts(mode, terms, share=0.7) if one.estimate.point < 0.85]
    assert len(below) > 3
    assert all(one.labels_ahead is None and one.outlook is None for one in below)
