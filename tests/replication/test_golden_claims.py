"""Claims of several rows that were certified once verify for ever: one project of every kind.

`tests/data/golden_claims/make_claims.py` wrote them. A golden project is never written again.
"""

import json
import shutil
from fractions import Fraction
from pathlib import Path

import pytest

from assaymark.certification.verification import Brought
from assaymark.composite import bounds, looks, rows, verification
from assaymark.composite.verification import verify_claim
from assaymark.project.folder import Project
from assaymark.records.certificate import Verification
from assaymark.stats.betting import chances

GOLDEN = Path(__file__).parents[1] / "data" / "golden_claims"
HEADS: dict[str, str] = json.loads((GOLDEN / "heads.json").read_text(encoding="utf-8"))


def copied(name: str, place: Path) -> Path:
    """A copy of a golden project beside its pool."""
    for pool in ("pool.csv", "tags.csv"):
        shutil.copy(GOLDEN / pool, place)
    return Path(shutil.copytree(GOLDEN / name, place / "work"))


def verified(name: str, place: Path) -> Verification:
    """A copy verified with the head of its ledger, which was kept apart from it."""
    folder = copied(name, place)
    brought = Brought(heads=(HEADS[name].encode(),))
    return verify_claim(
        folder / "certificate.json", project=Project(folder=folder), brought=brought
    )


@pytest.mark.parametrize("name", HEADS)
def test_a_golden_claim_verifies(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ledger, seal, risk, chances, draws, numbers, pool and head; whatever sentences say later."""
    monkeypatch.setattr(verification, "statement", lambda _result: "Quite another sentence.")
    found = verified(name, tmp_path)
    rest = {check.name: check.outcome for check in found.checks if check.outcome != "ok"}
    assert rest == {"signature": "not checked", "seed": "not checked"}
    assert found.status == "verified"
    assert found.statement == "Quite another sentence."


CHANGED = {
    "groups": (bounds, "HARDER", (0.013, 0.2)),
    "groups-shared": (chances, "LEAST", 7),
    "gap-shared": (chances, "LEAST", 7),
    "classes": (bounds, "HARDER", (0.013, 0.2)),
    "groups-open-look": (looks, "proven_so_far", lambda *_: [0.73, 0.75, 0.71, None]),
    "gap-open-look": (looks, "proven_so_far", lambda *_: [0.24]),
    "comparison": (rows, "BOLDNESS", Fraction(3)),
    "cut-off": (rows, "AHEAD_RECALL", 0.3),
}


@pytest.mark.parametrize("name", CHANGED)
def test_a_constant_that_changes_is_noticed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the test above would prove nothing."""
    monkeypatch.setattr(*CHANGED[name])
    assert verified(name, tmp_path).status == "failed"


def test_a_certificate_of_a_higher_number_names_the_version_that_reads_it(tmp_path: Path) -> None:
    folder = copied("gap", tmp_path)
    data = json.loads((folder / "certificate.json").read_bytes())
    data |= {"format": 2, "software": "7.1"}
    (folder / "certificate.json").write_text(json.dumps(data), encoding="utf-8")
    found = verify_claim(folder / "certificate.json", project=Project(folder=folder))
    assert found.status == "failed"
    assert [check.detail for check in found.checks] == [
        "The certificate has format 2, and this version of assaymark reads format 1. "
        "Install the assaymark that wrote it (7.1) or a newer one."
    ]
