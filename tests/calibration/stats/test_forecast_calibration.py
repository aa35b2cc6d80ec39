"""Forecasts come true about as often as they say: chances to pass, typical, bad luck, labels ahead.

`bench/forecasts.py` measures the same on real collections (docs/evidence/forecasts.json).
"""

import sys
from pathlib import Path

import pytest
from scipy.special import bdtr, bdtrc

ALARM = 1e-5  # per row and side


sys.path.insert(0, str(Path(__file__).parents[3] / "bench"))

import forecast_ahead  # noqa: E402
import forecasts  # noqa: E402
from forecast_worlds import made  # noqa: E402


def test_typical_and_bad_luck_are_what_they_say():
    """Half within the typical number, 93 in 100 within that of bad luck; 93 in 100 plans pass.

    The runs of a world share their labels among modes, but each row is counted on its own.
    """
    rows = forecasts.measured([made(seed) for seed in range(3)], 60)
    assert {row["forecast"] for row in rows} == {"average", "chance to pass", "typical", "bad luck"}
    for row in rows:
        if row["forecast"] == "average":  # labels used over those forecast, to a tenth and chance
            assert row["low"] / 1.1 <= 1 <= row["high"] * 1.1, row
            continue
        held, cases, promised = row["held"], row["cases"], row["promised"]
        assert bdtr(held, cases, promised) > ALARM, row
        assert bdtrc(held - 1, cases, promised) > ALARM, row


@pytest.mark.slow
def test_labels_ahead_hold_about_two_of_three_cases(record_property):
    """Looks of one plan share their labels, so this asks for the right order only: 0.5 to 0.95."""
    rows = forecast_ahead.measured([made(seed) for seed in range(15)])
    for row in rows:
        if row["forecast"] == "labels ahead":
            record_property(f"held, {row['mode']}", row["held"])
            record_property(f"cases, {row['mode']}", row["cases"])
            assert 0.5 <= row["measured"] <= 0.95, row
