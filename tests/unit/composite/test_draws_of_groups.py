"""Claims in every group: draws are shared among groups, and claims sealed before that stay as they are."""

from dataclasses import replace

import numpy as np
import pytest

import assaymark as am
from assaymark.composite.course import Course
from assaymark.composite.judging import judge
from assaymark.composite.sealed import read_settings
from assaymark.composite.wording import statement
from assaymark.composite.work import required_claim
from assaymark.errors import VerificationError
from looks import a_look

GROUPS = tuple("abcdef")


def pool(items=600):
    """Six groups with scores that say little; a third of the items are positive."""
    rng = np.random.default_rng(5)
    columns = {"id": [], "score": [], "group": []}
    for group in GROUPS:
        for number in range(items):
            positive = number % 3 == 0
            columns["id"].append(f"{group}{number}")
            columns["score"].append(round(float(rng.beta(*((9, 3) if positive else (2, 8)))), 4))
            columns["group"].append(group)
    return columns


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    folder = tmp_path_factory.mktemp("groups") / "w"
    work = am.certify_parts(
        pool(), "recall >= 0.6 in every group", group="group", id="id", threshold=0.5,
        seed=1, folder=folder,
    )  # fmt: skip
    return required_claim(work.project.state()).survey.survey.settings


def labels_until_proved(sealed, *, seed="s"):
    """Labels of every group when the claim is established; three in four of every stratum help."""
    course, strata, outcomes = Course(sealed), [], []
    groups = [stratum.groups[0] for stratum in sealed.strata]
    while (segment := course.next_segment()) is not None:
        course.enter(segment, strata, tuple(outcomes[: segment.known]))
        while len(strata) < segment.last and (
            new := course.portion(seed, strata, segment.last - len(strata))
        ):
            strata += new
        for k in strata[len(outcomes) :]:
            predicted = sealed.strata[k].predictions[0] == "1"
            outcomes.append(int(predicted if len(outcomes) % 20 else not predicted))
        found = judge(sealed, course, strata, tuple(outcomes))
        if found.decision != "continue":
            return found, [sum(groups[k] == group for k in strata) for group in GROUPS]
    raise AssertionError("never decided")


def test_no_group_pays_for_the_labels_of_another(settings):
    """One at a time, chances that know half of the labels go on long after a proof is reached."""
    shared, counts = labels_until_proved(read_settings(settings))
    assert shared.decision == "pass"
    assert max(counts) <= 2 * min(counts)
    alone = {name: value for name, value in settings.items() if name != "allocation"}
    earlier, _ = labels_until_proved(read_settings(alone))
    assert earlier.decision == "pass"
    assert shared.result["labels"] < 0.5 * earlier.result["labels"]


def test_a_claim_without_the_word_is_drawn_as_before(settings):
    """Claims sealed before groups shared their draws verify with the chances they had."""
    assert settings["allocation"] == "shared"
    alone = {name: value for name, value in settings.items() if name != "allocation"}
    sealed = read_settings(alone)
    assert sealed.allocation == "one at a time"
    assert "allocation" not in sealed.to_settings()


def test_a_word_that_nobody_knows_is_refused(settings):
    with pytest.raises(VerificationError, match="no way to share draws among groups is called"):
        read_settings({**settings, "allocation": "greedy"})


def test_only_claims_in_groups_say_so(tmp_path):
    work = am.certify_parts(
        pool(60),
        "recall >= 0.6 and precision >= 0.5",
        id="id",
        threshold=0.5,
        folder=tmp_path / "w",
    )
    assert "allocation" not in required_claim(work.project.state()).survey.survey.settings


def test_a_gap_shares_its_draws_too(tmp_path):
    """All of its groups wait for labels at once; sealed without the word, one of them has them all."""
    work = am.certify_parts(
        pool(100), "accuracy gap between group <= 0.3", group="group", id="id", threshold=0.5,
        seed=1, folder=tmp_path / "w",
    )  # fmt: skip
    sealed = required_claim(work.project.state()).sealed
    assert sealed.to_settings()["allocation"] == "shared"
    groups = np.array([stratum.groups[0] for stratum in sealed.strata])
    for claim, least in ((sealed, 2), (replace(sealed, allocation="one at a time"), 1)):
        course, strata = Course(claim), []
        for _ in range(6):  # 60 draws without a label
            segment = course.next_segment()
            course.enter(segment, strata, ())
            strata += course.portion("s", strata, segment.last - len(strata))
        assert len(set(groups[strata])) == least


def test_groups_that_were_left_out_are_named_in_every_statement():
    """A claim "in every group" that silently skips one would say more than was proved."""
    part = {"part": "recall >= 0.6", "group": ["a"], "state": "reached"}
    for facts in ({}, {"certain": True}, {"family": "named"}):
        look = a_look(part, decision="pass", left_out=[["c"], ["d"]], **facts)
        assert statement(look).endswith("; left out as too small: c, d.")
