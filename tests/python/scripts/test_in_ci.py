"""A test for continuous integration: fails when the labelled sample no longer proves the quality."""

import assaymark

LABELS = [1] * 190 + [0] * 10 + [0] * 300
PREDICTIONS = [1] * 200 + [0] * 300


def test_precision_is_at_least_90_percent() -> None:
    found = assaymark.bound("precision", LABELS, PREDICTIONS, sample="random")
    assert found.bound >= 0.9, str(found)


if __name__ == "__main__":
    test_precision_is_at_least_90_percent()
    print("passed")
