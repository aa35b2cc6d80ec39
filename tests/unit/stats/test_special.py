"""Log-odds without SciPy are SciPy's to the last bit, and a look at a plan does not load SciPy."""

import subprocess
import sys

import numpy as np
import pytest
import scipy.special

from assaymark.stats import special

ENDS = [0.0, -0.0, 710.0, -710.0, -746.0, 1e9, -1e9, np.inf, -np.inf, np.nan]
SHARES = [0.0, 1.0, 0.3, 0.5, 0.65, 5e-324, 1e-5, 1 - 2.0**-53, -1.0, 2.0, np.nan]


def odds() -> np.ndarray:
    rng = np.random.default_rng(42)
    return np.concatenate([rng.normal(0, 4, 50_000), rng.normal(0, 300, 10_000), ENDS])


def shares() -> np.ndarray:
    rng = np.random.default_rng(42)
    near = scipy.special.expit(rng.normal(0, 8, 30_000))
    return np.concatenate([rng.random(30_000), near, SHARES])


@pytest.mark.parametrize(
    ("one", "whole", "values"),
    [
        (special._expit, scipy.special.expit, odds()),
        (special._logit, scipy.special.logit, shares()),
    ],
)
def test_each_number_has_the_bits_that_scipy_gives(one, whole, values):
    own = np.array([one(value) for value in values.tolist()])
    np.testing.assert_array_equal(own, whole(values))  # NaN equals NaN here


def test_few_numbers_are_worked_out_without_scipy_in_their_shape(monkeypatch):
    monkeypatch.delitem(sys.modules, "scipy.special")
    monkeypatch.setattr(special, "FEW", 4)
    table = np.array([[0.1, 0.5], [0.7, 0.9]])
    assert special.logit(table).tolist() == scipy.special.logit(table).tolist()
    assert special.expit(0.25) == scipy.special.expit(0.25)
    assert "scipy.special" not in sys.modules


@pytest.mark.parametrize("heavy", ["scipy", "numpy.random"])
def test_a_judge_of_score_guided_plans_loads_nothing_heavy(heavy):
    program = f"import sys, assaymark.certification.looks; sys.exit({heavy!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
