"""Certificates that came about by other roads than a plain plan verify for ever; results of surveys are
recomputed for ever.

`tests/data/golden_roads/make_roads.py` wrote them. A golden project is never written again.
"""

import json
import shutil
from datetime import date
from pathlib import Path

import pytest

from assaymark.certification.verification import Brought, verify
from assaymark.ledger.events import SurveyReported
from assaymark.monitoring.gate import gate
from assaymark.overview.check import check
from assaymark.project.folder import Project
from assaymark.records.certificate import Verification

GOLDEN = Path(__file__).parents[1] / "data" / "golden_roads"
HEADS: dict[str, str] = json.loads((GOLDEN / "heads.json").read_text(encoding="utf-8"))
CERTIFIED = ("trained", "known-labels", "joint-seed", "locked", "bound")
WORDS = {"assumptions", "warnings", "design", "method", "reason", "guaranteed_reason", "sentence",
         "source", "promise", "placed_by", "name"}  # fmt: skip
ASKED = {
    "estimate-accuracy": ("estimate",),
    "estimate-f1": ("estimate",),
    "estimate-renewed": ("estimate",),
    "estimate-guaranteed": ("estimate",),
    "pairs": ("recall", "--a", "a", "--b", "b"),
    "triage": ("triage",),
}


def copied(name: str, place: Path) -> Path:
    """A copy of a golden project beside its pool."""
    shutil.copy(GOLDEN / "pool.csv", place)
    return Path(shutil.copytree(GOLDEN / name, place / "work"))


def verified(name: str, place: Path) -> Verification:
    folder = copied(name, place)
    brought = Brought(heads=(HEADS[name].encode(),))
    return verify(folder / "certificate.json", project=Project(folder=folder), brought=brought)


def results(folder: Path) -> list[object]:
    """What the surveys of a project found, as it is stored, without its sentences."""
    entries = Project(folder=folder).ledger.entries()
    stored = [entry.event.result for entry in entries if isinstance(entry.event, SurveyReported)]
    return [facts(result) for result in stored]


def facts(result: object) -> object:
    """Numbers to eight digits, and codes: sentences may be reworded, and processors differ in the last bits."""
    if isinstance(result, float):
        return float(f"{result:.8g}")
    if isinstance(result, dict):
        return {key: facts(value) for key, value in result.items() if key not in WORDS}
    if isinstance(result, list | tuple):
        return [facts(value) for value in result]
    return result


def test_every_road_is_tested() -> None:
    assert set(HEADS) == {*CERTIFIED, *ASKED}


@pytest.mark.parametrize("name", CERTIFIED)
def test_a_certificate_verifies(name: str, tmp_path: Path) -> None:
    """Ledger, training, known labels, seed, risk, chances, draws, pool and head."""
    found = verified(name, tmp_path)
    assert found.status == "verified", found.checks
    left = {check.name for check in found.checks if check.outcome != "ok"}
    assert left == {"signature"} | ({"seed"} if name != "joint-seed" else set())
    names = {check.name for check in found.checks}
    assert ("training" in names) == (name == "trained")
    assert ("known" in names) == (name == "known-labels")


def test_a_locked_claim_passes_the_gate_until_its_file_changes(tmp_path: Path) -> None:
    folder = copied("locked", tmp_path)
    for name in ("space.toml", "space.lock"):
        shutil.move(folder / name, tmp_path / name)
    claim = tmp_path / "space.toml"
    day = date(2027, 1, 10)
    assert gate(claim, today=day).outcome == "certified"
    assert gate(claim, today=date(2099, 7, 1)).outcome == "stale"
    claim.write_text(claim.read_text(encoding="utf-8").replace("0.8", "0.7"), encoding="utf-8")
    assert gate(claim, today=day).outcome == "tampered"


@pytest.mark.parametrize("name", ASKED)
def test_a_result_is_recomputed(name: str, tmp_path: Path, assaymark) -> None:
    """Asked again, today's program stores the very same figures; and `check` has nothing to say."""
    folder = copied(name, tmp_path)
    first = results(folder)
    done = assaymark(*ASKED[name], "-p", folder)
    assert done.code == 0, done.err
    again = results(folder)
    assert first
    assert len(again) in (len(first), len(first) + 1)  # a triage that says the same adds nothing
    assert again[: len(first)] == first
    assert again[-1] == first[-1]
    assert [one for one in check(folder) if one.outcome == "failed"] == []
