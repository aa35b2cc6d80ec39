"""Projects that were certified once verify for ever: one for every numbered method.

`tests/data/golden/make_golden.py` wrote them. A golden project is never written again.
"""

import json
import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from assaymark.certification.modes import words
from assaymark.certification.verification import Brought, verify
from assaymark.errors import AssaymarkError
from assaymark.ledger.rows import SCHEMA_VERSION
from assaymark.project.folder import Project
from assaymark.records import modes
from assaymark.records.certificate import Verification
from assaymark.stats import methods

GOLDEN = Path(__file__).parents[1] / "data" / "golden"
WITNESSES: dict[str, dict[str, str]] = json.loads(
    (GOLDEN / "witnesses.json").read_text(encoding="utf-8")
)


def copied(name: str, place: Path) -> Path:
    """A copy of a golden project beside its pool."""
    shutil.copy(GOLDEN / "pool.csv", place)
    return Path(shutil.copytree(GOLDEN / name, place / "work"))


def verified(name: str, place: Path) -> Verification:
    """A copy verified with what was kept apart from it: the head of its ledger and a public key."""
    folder, kept = copied(name, place), WITNESSES[name]
    brought = Brought(heads=(kept["head"].encode(),), public_key=kept["key"])
    return verify(folder / "certificate.json", project=Project(folder=folder), brought=brought)


@pytest.mark.parametrize("name", WITNESSES)
def test_a_golden_project_verifies(name: str, tmp_path: Path) -> None:
    """Ledger, pool, draws, chances, risk, signature and head."""
    found = verified(name, tmp_path)
    assert found.status == "verified", found.checks
    left = {check.name: check.outcome for check in found.checks if check.outcome != "ok"}
    assert left in ({}, {"seed": "not checked"})  # one side alone chose the seed


@pytest.mark.parametrize("name", WITNESSES)
def test_new_numbers_and_new_words_leave_it_verifying(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every constant may change under a new number, and every sentence may be reworded."""
    betting, mixture, spending, rows = (
        methods.METHODS[one] for one in ("betting/1", "mixture/1", "spending/1", "betting/2")
    )
    assert isinstance(betting, methods.Betting)
    recipe = replace(betting.recipe, guided=0.85, least_margin=0.05)
    later = {
        "betting/9": replace(betting, recipe=recipe, negative_cuts=(0.5, 0.1)),
        "betting/10": replace(rows, negative_cuts=(0.5, 0.1), ladder=(0.1, 0.3)),
        "mixture/9": replace(mixture, strength=50.0),
        "spending/9": replace(spending, look_every=10),
        "exact/9": methods.Exact(bound="wilson"),
    }
    for number, method in later.items():
        monkeypatch.setitem(methods.METHODS, number, method)
    for key, kind in modes.BY_DESIGN.items():
        number = {"betting/2": "betting/10"}.get(kind.method, kind.method.replace("/1", "/9"))
        later_kind = replace(kind, method=number)
        monkeypatch.setitem(modes.BY_DESIGN, key, later_kind)
        monkeypatch.setitem(modes.OFFERED, kind.name, later_kind)
    monkeypatch.setattr(words, "PROTOCOL", "Something else is assumed.")
    for one in ("sentence", "census_sentence"):
        monkeypatch.setattr(
            f"assaymark.certification.certificate.words.{one}", lambda *_: "Quite another sentence."
        )
    found = verified(name, tmp_path)
    assert found.status == "verified", found.checks
    assert found.statement == "Quite another sentence."


CHANGED = {
    "betting-1": ("betting/1", {"negative_cuts": (0.5, 0.1)}),
    "betting-2": ("betting/2", {"negative_cuts": (0.5, 0.1)}),
    "betting-2-ceiling": ("betting/2", {"positive_cuts": (0.5,)}),
    "mixture-1": ("mixture/1", {"strength": 20.0}),
    "spending-1": ("spending/1", {"look_every": 1000}),
}


@pytest.mark.parametrize("name", CHANGED)
def test_a_constant_changed_under_the_old_number_is_noticed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the test above would prove nothing."""
    method, change = CHANGED[name]
    monkeypatch.setitem(methods.METHODS, method, replace(methods.METHODS[method], **change))
    assert verified(name, tmp_path).status == "failed"


def test_every_method_of_new_plans_has_a_golden_project() -> None:
    plans = [
        json.loads((GOLDEN / name / "certificate.json").read_bytes())["plan"] for name in WITNESSES
    ]
    assert {kind.method for kind in modes.KINDS} <= {plan["method"] for plan in plans}


def test_a_certificate_of_a_higher_number_names_the_version_that_reads_it(tmp_path: Path) -> None:
    folder = copied("exact-1", tmp_path)
    data = json.loads((folder / "certificate.json").read_bytes())
    data |= {"format": 2, "software": "7.1"}
    (folder / "certificate.json").write_text(json.dumps(data), encoding="utf-8")
    found = verify(folder / "certificate.json", project=Project(folder=folder))
    assert found.status == "failed"
    assert [check.detail for check in found.checks] == [
        "The certificate has format 2, and this version of assaymark reads format 1. "
        "Install the assaymark that wrote it (7.1) or a newer one."
    ]


def test_a_ledger_of_a_higher_number_is_refused_with_one_sentence(tmp_path: Path) -> None:
    folder = copied("exact-1", tmp_path)
    with sqlite3.connect(folder / "ledger.sqlite") as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    connection.close()
    with pytest.raises(AssaymarkError) as refusal:
        Project(folder=folder).state()
    assert str(refusal.value).startswith(
        f"The ledger has schema {SCHEMA_VERSION + 1}, and this version of assaymark knows schemas up "
        f"to {SCHEMA_VERSION}. Install a newer assaymark"
    )
