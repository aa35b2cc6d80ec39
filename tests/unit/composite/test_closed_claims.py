"""What a closed claim leaves to later ones: its wealth after the last label, and the least of it."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

import assaymark as am
from assaymark.composite.course import course_of, labelled_prefix
from assaymark.composite.shared_risk.account import (
    ClosedClaim,
    ClosedPart,
    carried_by,
    closed_claims,
    earlier_claims,
)
from assaymark.composite.shared_risk.subjects import subjects_of
from assaymark.composite.work import required_claim
from assaymark.stats.betting.path import replay
from assaymark.stats.risk_account import PENDING_FACTOR, ClosedRow

CLAIM = "precision >= 0.6 and recall >= 0.5"


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    """Sixty draws of a claim of two parts: the first forty labelled, good ones first, then bad ones."""
    columns = {"id": [f"i{n}" for n in range(400)], "p": [n % 2 for n in range(400)]}
    claim = am.certify_parts(
        columns, CLAIM, id="id", prediction="p", seed=3,
        folder=tmp_path_factory.mktemp("closed") / "w",
    )  # fmt: skip
    claim.ask(60)
    order = required_claim(claim.project.state()).survey.order
    good = {item: int(item[1:]) % 2 for item in order[:10]}
    claim.tell(good | {item: 1 - int(item[1:]) % 2 for item in order[10:40]})
    return claim


@pytest.fixture(scope="module")
def closed(work):
    state = work.project.state()
    now = required_claim(state)
    course = course_of(now)
    path = replay(course.test, course.draws(now.strata, labelled_prefix(state, now)))
    (left,) = closed_claims(state, earlier_claims(state, [now]))
    return now, path, left


def test_wealth_on_the_way_and_draws_without_a_label_are_not_carried_on(closed):
    """The highest wealth so far would be carried in 3 times the risk; unlabelled draws lose."""
    now, path, left = closed
    assert path.draws == 40
    waiting = path.test.book.inside[:, now.strata[40:]].sum(axis=1)
    for row, part in enumerate(left.parts):
        log = path.log_wealth[row]
        assert log.max() > log[-1] + 0.5
        assert waiting[row] > 0
        expected = log[-1] + waiting[row] * math.log(PENDING_FACTOR)
        assert math.log(part.proof) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("wealths", "expected"),
    [((0.25, 3.0, 5.0), 0.25), ((4.0, 0.5, 5.0), 0.5), ((2.0, 3.0, 0.1), 2.0)],
)
def test_a_target_starts_from_the_least_of_the_easier_ones_and_its_own(closed, wealths, expected):
    """An easier target's wealth is no wealth of a harder one, and a harder one's is not asked."""
    now, _, _ = closed
    other = SimpleNamespace(
        kind="conjunction", claim="", family="every", only=None, columns=None, compiled=()
    )
    easy, own, hard = wealths
    parts = tuple(
        ClosedPart(
            subject=subject,
            proof=own,
            refutation=None,
            bounds=(
                ClosedRow(target=subject.target - 0.1, wealth=easy),
                ClosedRow(target=subject.target + 0.1, wealth=hard),
            ),
        )
        for subject in subjects_of(now.sealed)
    )
    before = ClosedClaim(work=SimpleNamespace(sealed=other), parts=parts)
    found = [float(one.proof) for one in carried_by(now.sealed, [before])]
    assert np.allclose(found, expected)
