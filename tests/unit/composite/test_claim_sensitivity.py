"""What wrong labels would do to a claim of several rows: against every single error there is."""

import re
import shutil
from pathlib import Path

import pytest

from assaymark.composite.course import course_of, labelled_prefix
from assaymark.composite.judging import judge
from assaymark.composite.look_facts import LookFacts
from assaymark.composite.view.sensitivity import claim_sensitivity
from assaymark.composite.work import ClaimWork, claim_works
from assaymark.ledger.events import State
from assaymark.project.folder import Project

GOLDEN = Path(__file__).parents[2] / "data" / "golden_claims"
LEAST = {"comparison": 4, "cut-off": 4, "macro": 1, "groups-shared": 1, "groups-open-look": 1}


def golden(name: str, place: Path) -> tuple[State, ClaimWork]:
    """The last claim of a golden project."""
    shutil.copy(GOLDEN / "pool.csv", place)
    folder = Path(shutil.copytree(GOLDEN / name, place / "work"))
    state = Project(folder=folder).state()
    return state, claim_works(state)[-1]


def stated(look: LookFacts) -> object:
    """What the look establishes."""
    return getattr(look, "cutoff", None) or look.decision


@pytest.mark.parametrize("name", LEAST)
def test_one_error_overturns_a_claim_where_it_says_so_and_nowhere_else(
    name: str, tmp_path: Path
) -> None:
    """Every label of the project is exchanged for every other one, one at a time."""
    state, work = golden(name, tmp_path)
    course, outcomes = course_of(work), labelled_prefix(state, work)
    kinds = range(len(work.sealed.cells.labels))

    def verdict(changed: tuple[int, ...]) -> object:
        return stated(judge(work.sealed, course, work.strata, changed).look)

    said = verdict(outcomes)
    falls = any(
        verdict((*outcomes[:place], other, *outcomes[place + 1 :])) != said
        for place, outcome in enumerate(outcomes)
        for other in kinds
        if outcome >= 0 and other != outcome
    )
    sensitivity = claim_sensitivity(state, work)
    assert sensitivity is not None
    least = re.search(r"would fall if (\d+) of the (\d+) labels", sensitivity.sentence)
    assert least is not None
    assert int(least[1]) == LEAST[name]
    assert falls == (int(least[1]) == 1)
    assert int(least[1]) <= int(least[2]) <= len(outcomes)


def test_the_part_that_would_fall_is_named(tmp_path: Path) -> None:
    state, work = golden("groups-open-look", tmp_path)
    sensitivity = claim_sensitivity(state, work)
    assert sensitivity is not None
    assert "labels that matter to precision >= 0.8 [en] was wrong" in sensitivity.sentence
    assert sensitivity.sentence.endswith("This is a what-if, not a guarantee.")
